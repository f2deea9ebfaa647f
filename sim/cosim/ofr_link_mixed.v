// SPDX-License-Identifier: Apache-2.0
// Only for link_cable: an end at its cable as it is in a board, of its own (ofr_link_cabled) or one
// of four with one logic (ofr_link_four); which one is told at the pins, so that either talks to
// either. The other three hear themselves, and their routers say anything.
`default_nettype none

module ofr_link_mixed #(
    parameter int N         = 2, // of ofr_link_cabled; W = 16, WIRES = 2, CELLS = 0
    parameter int W         = 16,
    parameter int L         = 16,
    parameter int C         = 4,
    parameter int SHARED    = 1,
    parameter int SERIAL    = 0,
    parameter int TICK      = 10, // of four: a quarter
    parameter int TIME      = 0,
    parameter int CRC_CHECK = 16,
    parameter int WIRES     = 2,
    parameter int CELLS     = 0,
    parameter int TAPS      = 1,
    parameter int HALF      = 1,
    localparam int COUNT    = 16
) (
    input  wire logic         clk,
    input  wire logic         rst,
    input  wire logic         four,       // constant: it is one of four,
    input  wire logic [1:0]   which,      // this one
    output logic              turn,       // a cycle of this end, its pins are good
    input  wire logic         enable,
    input  wire logic [63:0]  serial,
    input  wire logic [33:0]  now,
    input  wire logic [15:0]  rank,
    output logic              link_up,
    input  wire logic         tx_valid,
    output logic              tx_ready,
    input  wire logic [1:0]   tx_vc,
    input  wire logic [W-1:0] tx_data,
    input  wire logic         tx_last,
    input  wire logic         tx_poison,
    output logic [11:0]       tx_credit,
    output logic [11:0]       tx_base,
    output logic              tx_rebase,
    output logic              rx_valid,
    output logic [1:0]        rx_vc,
    output logic [W-1:0]      rx_data,
    output logic              rx_last,
    output logic              rx_poison,
    output logic              rx_abort,
    input  wire logic [11:0]  rx_credit,
    input  wire logic [11:0]  rx_received,
    input  wire logic         bert,
    input  wire logic         hold,
    input  wire logic [4:0]   tune,
    output logic              phy_locked,
    output logic              phy_stopped,
    output logic              phy_lost,
    output logic              phy_has_lost,
    output logic [2*WIRES-1:0]      eye,
    output logic [4*WIRES-1:0]      place,
    output logic [5*WIRES-1:0]      tap,
    output logic [6*WIRES-1:0]      width,
    output logic [COUNT*WIRES-1:0]  errors,
    output logic [31:0]             seen,
    output logic              retrain,
    output logic              phy_up,
    output logic [W-1:0]      phy_tx_word,
    output logic              phy_tx_ready,
    output logic              phy_rx_valid,
    output logic [W-1:0]      phy_rx_word,
    output logic              phy_rx_late,
    output logic              cable_tx_clk,
    output logic [WIRES-1:0]  cable_tx,
    input  wire logic         cable_rx_clk,
    input  wire logic [WIRES-1:0] cable_rx,
    output logic              phase,
    output logic [2:0]        state,
    output logic [3:0]        why,
    output logic [63:0]       peer,
    output logic [15:0]       lag,
    output logic              says,
    output logic [2:0]        says_what,
    output logic [15:0]       says_data,
    output logic              ev_frame,
    output logic              ev_retry,
    output logic              ev_bad,
    output logic              ev_up,
    output logic              ev_down,
    output logic              ev_tick
);
    // What both have, in the order of the ports
    localparam int OUTS = 54 + 3 * W;
    logic [OUTS-1:0] of_one, of_four;
    logic            one_has_lost, one_tx_clk, lost, unused;
    logic [WIRES-1:0] one_tx;
    logic [1:0]      slot;
    logic [3:0]      four_tx_clk, four_rx_clk;
    logic [7:0]      four_tx, four_rx;
    logic            held_q;
    logic [31:0]     noise_q;

    ofr_link_cabled #(
        .N(N), .W(W), .L(L), .C(C), .SHARED(SHARED), .SERIAL(SERIAL), .TICK(TICK), .TIME(TIME),
        .CRC_CHECK(CRC_CHECK), .WIRES(WIRES), .COUNT(COUNT), .CELLS(CELLS), .TAPS(TAPS), .HALF(HALF)
    ) one (
        .clk, .rst(rst || four), .enable, .serial, .now, .rank, .tx_valid, .tx_vc, .tx_data,
        .tx_last, .tx_poison, .rx_credit, .rx_received, .bert, .hold, .tune,
        .phy_has_lost(one_has_lost), .eye, .place, .tap, .width, .errors, .seen, .phy_rx_late,
        .cable_tx_clk(one_tx_clk), .cable_tx(one_tx), .cable_rx_clk, .cable_rx, .peer, .lag, .says,
        .says_what, .says_data,
        .link_up(of_one[0]), .tx_ready(of_one[1]), .tx_credit(of_one[13:2]),
        .tx_base(of_one[25:14]), .tx_rebase(of_one[26]), .rx_valid(of_one[27]),
        .rx_vc(of_one[29:28]), .rx_last(of_one[30]), .rx_poison(of_one[31]), .rx_abort(of_one[32]),
        .phy_locked(of_one[33]), .phy_stopped(of_one[34]), .phy_lost(of_one[35]),
        .retrain(of_one[36]), .phy_up(of_one[37]), .phy_tx_ready(of_one[38]),
        .phy_rx_valid(of_one[39]), .phase(of_one[40]), .state(of_one[43:41]), .why(of_one[47:44]),
        .ev_frame(of_one[48]), .ev_retry(of_one[49]), .ev_bad(of_one[50]), .ev_up(of_one[51]),
        .ev_down(of_one[52]), .ev_tick(of_one[53]), .rx_data(of_one[54 +: W]),
        .phy_tx_word(of_one[54+W +: W]), .phy_rx_word(of_one[54+2*W +: W])
    );
    logic mine;
    assign mine = slot == which;
    ofr_link_four #(.N(N), .L(L), .C(C), .TICK(TICK - 2)) ends (
        .clk, .rst(rst || !four), .slot, .enable(mine ? enable : |noise_q[9:0]),
        .tx_valid(mine ? tx_valid : noise_q[0]), .tx_vc(mine ? tx_vc : noise_q[2:1]),
        .tx_data(mine ? tx_data : noise_q[31:16]), .tx_last(mine ? tx_last : noise_q[3]),
        .tx_poison(mine ? tx_poison : noise_q[4]),
        .rx_credit(mine ? rx_credit : noise_q[16:5]),
        .rx_received(mine ? rx_received : noise_q[17:6]),
        .link_up(of_four[0]), .tx_ready(of_four[1]), .tx_credit(of_four[13:2]),
        .tx_base(of_four[25:14]), .tx_rebase(of_four[26]), .rx_valid(of_four[27]),
        .rx_vc(of_four[29:28]), .rx_last(of_four[30]), .rx_poison(of_four[31]),
        .rx_abort(of_four[32]), .phy_locked(of_four[33]), .phy_stopped(of_four[34]),
        .phy_lost(lost), .retrain(of_four[36]), .phy_up(of_four[37]),
        .phy_tx_ready(of_four[38]), .phy_rx_valid(of_four[39]), .phase(of_four[40]),
        .state(of_four[43:41]), .why(of_four[47:44]), .ev_frame(of_four[48]),
        .ev_retry(of_four[49]), .ev_bad(of_four[50]), .ev_up(of_four[51]), .ev_down(of_four[52]),
        .ev_tick(of_four[53]), .rx_data(of_four[54 +: W]), .phy_tx_word(of_four[54+W +: W]),
        .phy_rx_word(of_four[54+2*W +: W]),
        .cable_tx_clk(four_tx_clk), .cable_tx(four_tx), .cable_rx_clk(four_rx_clk),
        .cable_rx(four_rx)
    );
    assign of_four[35] = mine && lost;
    always_comb begin
        four_rx_clk                = four_tx_clk;
        four_rx                    = four_tx;
        four_rx_clk[which]         = cable_rx_clk;
        four_rx[2*which +: 2]      = cable_rx;
    end
    always_ff @(posedge clk) begin
        held_q  <= (rst || held_q) && slot != 2'd3;
        noise_q <= noise_q == 0 ? 32'd1
                                : {noise_q[30:0],
                                   noise_q[31] ^ noise_q[21] ^ noise_q[1] ^ noise_q[0]};
    end
    assign turn         = !four || (mine && !held_q);
    assign cable_tx_clk = four ? four_tx_clk[which] : one_tx_clk;
    assign cable_tx     = four ? four_tx[2*which +: 2] : one_tx;
    assign phy_has_lost = !four && one_has_lost;
    assign {phy_rx_word, phy_tx_word, rx_data, ev_tick, ev_down, ev_up, ev_bad, ev_retry, ev_frame,
            why, state, phase, phy_rx_valid, phy_tx_ready, phy_up, retrain, phy_lost, phy_stopped,
            phy_locked, rx_abort, rx_poison, rx_last, rx_vc, rx_valid, tx_rebase, tx_base,
            tx_credit, tx_ready, link_up} = four ? of_four : of_one;
    assign unused = lost;
endmodule

`default_nettype wire
