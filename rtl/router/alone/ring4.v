// SPDX-License-Identifier: Apache-2.0
// The router alone, as an example of how it is joined: four of them in a ring of dimension x
// (size 4x1), the local port of each on the outside. Wires are links: what leaves x+ of one node
// arrives at x- of the next. No registers, no core, no counters; rtl/README.md has the interfaces.
`default_nettype none

// An example leaves open what it does not use.
/* verilator lint_off PINCONNECTEMPTY */
/* verilator lint_off UNUSEDSIGNAL */

module ring4 #(
    parameter int W = 32 // flit width in bits, 16, 32 or 64
) (
    input  wire logic           clk,
    input  wire logic           rst,
    // Local ports, node 0 lowest: in (user to router), out (router to user)
    input  wire logic [3:0]     li_valid,
    output logic [11:0]         li_ready, // 3 bits a node, a bit a local VC
    input  wire logic [7:0]     li_vc,    // 2 bits a node: 0 class DEROUTE, 1 others
    input  wire logic [4*W-1:0] li_data,
    input  wire logic [3:0]     li_last,
    output logic [3:0]          lo_valid,
    input  wire logic [3:0]     lo_ready,
    output logic [4*W-1:0]      lo_data,
    output logic [3:0]          lo_last
);
    localparam int N = 2; // ports x+ x- y+ y-: bits 0 to 3 of a node's link pins

    for (genvar i = 0; i < 4; i++) begin : g_node
        // Outputs to the links; the neighbours read these by name
        logic [3:0]     tx_valid, tx_last, tx_poison;
        logic [7:0]     tx_vc;
        logic [4*W-1:0] tx_data;
        logic [47:0]    rx_credit, rx_received;
        // At x+ (port 0) arrives what the next node sends on x- (port 1), and the other way round
        localparam int NEXT = (i + 1) % 4, PREV = (i + 3) % 4;

        ofr_routing #(.N(N), .W(W), .L(256 / W), .C(4)) routing (
            .clk, .rst, .configured(1'b1),
            .k({5'd1, 5'd4}), .me({4'd0, 4'(i)}), .tie_both(1'b1),
            .select(2'd0), .escape(2'd0), .threshold(4'd2), .watchdog_time(5'd0),
            .ring_wait_time(4'd8),
            .seed_we(rst), .seed(32'(i + 1)), .watchdog_clear(1'b0),
            .drained(), .watchdog(), .cycle(), .dropped(),
            .link_up(4'b0011),
            .rx_valid({2'b00, g_node[PREV].tx_valid[0], g_node[NEXT].tx_valid[1]}),
            .rx_vc({4'd0, g_node[PREV].tx_vc[1:0], g_node[NEXT].tx_vc[3:2]}),
            .rx_data({{2*W{1'b0}}, g_node[PREV].tx_data[W-1:0], g_node[NEXT].tx_data[2*W-1:W]}),
            .rx_last({2'b00, g_node[PREV].tx_last[0], g_node[NEXT].tx_last[1]}),
            .rx_poison({2'b00, g_node[PREV].tx_poison[0], g_node[NEXT].tx_poison[1]}),
            .rx_abort(4'b0000), .rx_credit, .rx_received,
            .tx_valid, .tx_ready(4'b1111), .tx_vc, .tx_data, .tx_last, .tx_poison,
            .tx_credit({24'd0, g_node[PREV].rx_credit[11:0], g_node[NEXT].rx_credit[23:12]}),
            .tx_base({24'd0, g_node[PREV].rx_received[11:0], g_node[NEXT].rx_received[23:12]}),
            .tx_rebase(4'b0000), // these links never fall
            .li_valid(li_valid[i]), .li_ready(li_ready[3*i +: 3]), .li_vc(li_vc[2*i +: 2]),
            .li_data(li_data[W*i +: W]), .li_last(li_last[i]),
            .lo_valid(lo_valid[i]), .lo_ready(lo_ready[i]), .lo_data(lo_data[W*i +: W]),
            .lo_last(lo_last[i]), .lo_poison(),
            .reg_we(1'b0), .reg_adr(12'd0), .reg_wdat(32'd0), .reg_rdat(), .reg_err(),
            .generation(), .ev_flit(), .ev_flit_vc(), .ev_packet(), .ev_packet_vc(),
            .ev_stall_credit(), .ev_stall_alloc(), .ev_stall_vc(), .ev_refused(), .ev_discarded(),
            .ev_injected(), .ev_delivered(), .ev_poisoned(), .ev_oidn(), .ev_widn(), .used()
        );
    end
endmodule

`default_nettype wire
