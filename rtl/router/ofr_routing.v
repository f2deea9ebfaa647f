// SPDX-License-Identifier: Apache-2.0
// The router joined with its OFR unit: what decides and moves packets, without registers but the
// unit's. Ports as ofr_router's and ofr_unit's; used by ofr_node, lockstep and `make report`.
`include "ofr_defs.vh"
`default_nettype none

module ofr_routing #(
    parameter int N   = 2,  // dimensions, 2 or 3
    parameter int W   = 32, // flit width in bits, 16, 32 or 64
    parameter int L   = 8,  // flits per slot, a power of two; L W / 8 at least 32 bytes
    parameter int C   = 8,  // slots per VC, 2 to 8
    parameter int MUL = 1,  // the FPGA has multipliers and distributed RAM: 1 ECP5, 0 iCE40
    parameter int OFR = 1   // 0: no OFR unit: packets of class DEROUTE go minimally
) (
    input  wire logic                clk,
    input  wire logic                rst,
    // Configuration. Sizes, coordinates and tie change only while unconfigured and drained.
    input  wire logic                configured,
    input  wire logic [5*N-1:0]      k,         // sizes, 1 to 16
    input  wire logic [4*N-1:0]      me,        // coordinates
    input  wire logic                tie_both,
    input  wire logic [1:0]          select,    // OFR_SELECT_*
    input  wire logic [1:0]          escape,    // OFR_NODE_ROUTING_ESCAPE_*
    input  wire logic [3:0]          threshold, // injection: more free slots than this, less than C
    input  wire logic [4:0]          watchdog_time,  // log2 cycles, 0: off
    input  wire logic [3:0]          ring_wait_time, // log2 cycles
    input  wire logic                seed_we,
    input  wire logic [31:0]         seed,
    input  wire logic                watchdog_clear,
    // Status
    output logic                     drained,  // no packet here and all credits home
    output logic                     watchdog, // latched
    output logic [31:0]              cycle,    // cycles since reset
    output logic [31:0]              dropped,  // register NODE.DROPPED
    // Links
    input  wire logic [2*N-1:0]      link_up,
    input  wire logic [2*N-1:0]      rx_valid,
    input  wire logic [4*N-1:0]      rx_vc,
    input  wire logic [2*N*W-1:0]    rx_data,
    input  wire logic [2*N-1:0]      rx_last,
    input  wire logic [2*N-1:0]      rx_poison,
    input  wire logic [2*N-1:0]      rx_abort,
    output logic [24*N-1:0]          rx_credit,
    output logic [24*N-1:0]          rx_received,
    output logic [2*N-1:0]           tx_valid,
    input  wire logic [2*N-1:0]      tx_ready,
    output logic [4*N-1:0]           tx_vc,
    output logic [2*N*W-1:0]         tx_data,
    output logic [2*N-1:0]           tx_last,
    output logic [2*N-1:0]           tx_poison,
    input  wire logic [24*N-1:0]     tx_credit,
    input  wire logic [24*N-1:0]     tx_base,
    input  wire logic [2*N-1:0]      tx_rebase,
    // Local port
    input  wire logic                li_valid,
    output logic [2:0]               li_ready,
    input  wire logic [1:0]          li_vc,
    input  wire logic [W-1:0]        li_data,
    input  wire logic                li_last,
    output logic                     lo_valid,
    input  wire logic                lo_ready,
    output logic [W-1:0]             lo_data,
    output logic                     lo_last,
    output logic                     lo_poison,
    // Registers of block OFR: strobes, see rtl/README.md
    input  wire logic                reg_we,
    input  wire logic [11:0]         reg_adr,
    input  wire logic [31:0]         reg_wdat,
    output logic [31:0]              reg_rdat,
    output logic                     reg_err,
    output logic [15:0]              generation, // of the active IDN table
    // Events of this cycle, for ofr_counters; per output or input, the local port last
    output logic [2*N:0]             ev_flit,
    output logic [4*N+1:0]           ev_flit_vc,
    output logic [2*N:0]             ev_packet,
    output logic [4*N+1:0]           ev_packet_vc,
    output logic [2*N:0]             ev_stall_credit,
    output logic [2*N:0]             ev_stall_alloc,
    output logic [4*N+1:0]           ev_stall_vc,
    output logic [2*N:0]             ev_refused,
    output logic [2*N:0]             ev_discarded,
    output logic                     ev_injected,
    output logic                     ev_delivered,
    output logic                     ev_poisoned,
    output logic                     ev_oidn,
    output logic                     ev_widn,
    output logic [24*N-1:0]          used // slots in use per link port and VC
);
    logic           ofr_start, ofr_done, busy, unused;
    logic [1:0]     ofr_kind;
    logic [4*N-1:0] ofr_target, ofr_idn;
    logic [8*N-1:0] ofr_used;

    ofr_router #(.N(N), .W(W), .L(L), .C(C), .LUTRAM(MUL)) router (.*);

    generate
        if (OFR != 0) begin : g_ofr
            ofr_unit #(.N(N), .C(C), .MUL(MUL)) unit (
                .clk, .rst, .cfg_k(k), .cfg_me(me), .cfg_tie_both(tie_both),
                .reg_we, .reg_adr, .reg_wdat, .reg_rdat, .reg_err,
                .start(ofr_start), .t(ofr_target), .used(ofr_used), .busy, .done(ofr_done),
                .kind(ofr_kind), .q(ofr_idn), .generation
            );
        end else begin : g_no_ofr
            // A decision that takes a cycle: as it is. Of the registers there is the generation.
            logic        done_q;
            logic [15:0] generation_q;
            logic        unused_unit;
            always_ff @(posedge clk) begin
                done_q <= ofr_start;
                if (reg_we && reg_adr == `OFR_OFR_COMMIT)
                    generation_q <= reg_wdat[15:0];
                if (rst)
                    generation_q <= '0;
            end
            assign ofr_done   = done_q;
            assign ofr_kind   = 2'd0;
            assign ofr_idn    = '0;
            assign busy       = done_q;
            assign generation = generation_q;
            assign reg_rdat   = reg_adr == `OFR_OFR_COMMIT ? {16'd0, generation_q} : 32'd0;
            assign reg_err    = 1'b0;
            assign unused_unit = ^{ofr_target, ofr_used, reg_wdat[31:16], k, me, tie_both};
        end
    endgenerate
    assign unused = busy;
endmodule

`default_nettype wire
