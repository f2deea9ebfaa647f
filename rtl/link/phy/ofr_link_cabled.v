// SPDX-License-Identifier: Apache-2.0
// A reliable link's end at its cable: ofr_link over ofr_link_phy. What is between the two comes out
// as well, for whoever looks.
`default_nettype none

module ofr_link_cabled #(
    parameter int N         = 3,   // of ofr_link, there its ranges
    parameter int W         = 32,
    parameter int L         = 128,
    parameter int C         = 8,
    parameter int SHARED    = 0,
    parameter int SERIAL    = 1,
    parameter int TICK      = 8,
    parameter int TIME      = 0,
    parameter int CRC_CHECK = 16,
    parameter int WIRES     = 8,   // of ofr_link_phy
    parameter int COUNT    = 16,
    parameter int CELLS     = 0,   // likewise, as the next two
    parameter int TAPS      = 1,
    parameter int HALF      = 1
) (
    input  wire logic         clk,
    input  wire logic         rst,
    input  wire logic         enable,
    input  wire logic [63:0]  serial,     // of this board
    input  wire logic [33:0]  now,        // of ofr_link
    input  wire logic [15:0]  rank,       // likewise
    // Router: the link's pins of one port, rtl/README.md
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
    // Physical layer
    input  wire logic         bert,         // PRBS both ways; the link is down
    input  wire logic         hold,         // its counters stand still
    input  wire logic [4:0]   tune,         // of ofr_link_phy
    output logic              phy_locked,
    output logic              phy_stopped,
    output logic              phy_lost,     // receive clock
    output logic              phy_has_lost, // since then, while locked
    output logic [2*WIRES-1:0]      eye,
    output logic [4*WIRES-1:0]      place,
    output logic [5*WIRES-1:0]      tap,
    output logic [6*WIRES-1:0]      width,
    output logic [COUNT*WIRES-1:0]  errors,
    output logic [31:0]             seen,
    output logic              retrain,      // the link wants it
    // Between the two
    output logic              phy_up,
    output logic [W-1:0]      phy_tx_word,
    output logic              phy_tx_ready,
    output logic              phy_rx_valid,
    output logic [W-1:0]      phy_rx_word,
    output logic              phy_rx_late,
    // Cable
    output logic              cable_tx_clk,
    output logic [WIRES-1:0]  cable_tx,
    input  wire logic         cable_rx_clk,
    input  wire logic [WIRES-1:0] cable_rx,
    output logic              phase,        // of ofr_link
    // Status and events, one cycle each
    output logic [2:0]        state,        // OFR_LINK_*
    output logic [3:0]        why,          // of its last fall: OFR_LINK_WHY_*
    output logic [63:0]       peer,         // serial number of the other end
    output logic [15:0]       lag,          // of ofr_link, as the next three
    output logic              says,
    output logic [2:0]        says_what,
    output logic [15:0]       says_data,
    output logic              ev_frame,     // a frame with flits sent
    output logic              ev_retry,     // went back to a lost frame
    output logic              ev_bad,       // a damaged frame received
    output logic              ev_up,
    output logic              ev_down,
    output logic              ev_tick
);
    logic [1:0] unused_slot;
    logic       anew;
    ofr_link #(
        .N(N), .W(W), .L(L), .C(C), .SHARED(SHARED), .SERIAL(SERIAL), .TICK(TICK),
        .TIME(TIME), .STRAIGHT(1), .CRC_CHECK(CRC_CHECK)
    ) u_link (
        .clk, .rst, .slot(unused_slot), .enable, .serial, .now, .rank, .link_up, .tx_valid,
        .tx_ready, .tx_vc, .tx_data, .tx_last, .tx_poison, .tx_credit, .tx_base,
        .tx_rebase, .rx_valid, .rx_vc, .rx_data, .rx_last, .rx_poison, .rx_abort, .rx_credit,
        .rx_received, .phy_up, .phy_tx_word,
        .phy_tx_ready, .phy_rx_valid, .phy_rx_word, .phy_rx_late, .phase, .state, .why, .anew,
        .peer, .lag, .says, .says_what, .says_data, .ev_frame, .ev_retry, .ev_bad, .ev_up,
        .ev_down, .ev_tick
    );
    ofr_link_phy_watch u_watch (
        .clk, .rst, .enable, .phy_up, .rx_valid(phy_rx_valid), .state, .ev_down, .anew, .ev_bad,
        .ev_tick, .retrain
    );
    ofr_link_phy #(
        .W(W), .WIRES(WIRES), .SHARED(SHARED), .COUNT(COUNT), .CELLS(CELLS), .TAPS(TAPS),
        .HALF(HALF)
    ) u_phy (
        .clk, .rst, .retrain, .bert, .hold, .tune, .up(phy_up), .tx_word(phy_tx_word),
        .tx_ready(phy_tx_ready), .rx_valid(phy_rx_valid), .rx_word(phy_rx_word),
        .rx_late(phy_rx_late), .locked(phy_locked), .stopped(phy_stopped), .ev_lost(phy_lost),
        .lost(phy_has_lost), .eye, .place, .tap, .width, .errors, .seen, .cable_tx_clk, .cable_tx,
        .cable_rx_clk, .cable_rx
    );
endmodule

`default_nettype wire
