// SPDX-License-Identifier: Apache-2.0
// Physical layer of a link's end: words of W bits over WIRES wires and a clock each way. Up when
// both ends hear each other; README.md. Its receiver has the other board's clock, which may stop.
`default_nettype none
`include "ofr_link_phy.vh"

module ofr_link_phy #(
    parameter int W      = 32, // bits of a word: 16, 32, 64
    parameter int WIRES  = 8,  // data wires each way, 1 to 8, or up to W
    parameter int SHARED = 0,  // of ofr_link: words every other cycle at most
    parameter int COUNT = 16, // bits of an error counter, 8 to 32
    parameter int CELLS = 0,  // at the pins: 0 single data rate; double, WIRES at most W / 2, with
                              // 1 plain Verilog, 2 cells of the ECP5, 3 of the iCE40
    parameter int TAPS  = 1,  // double: delays to choose from at a pin, 2 to 32; 1: there are none
    parameter int HALF  = 1   // steps of it in half a bit, about, 1 to 64
) (
    input  wire logic                    clk,
    input  wire logic                    rst,      // also of ofr_link, in the same cycles
    input  wire logic                    retrain,  // pulse: from the start
    input  wire logic                    bert,     // PRBS both ways for as long as it is 1
    input  wire logic                    hold,     // counters stand still, to be read
    input  wire logic [4:0]              tune,     // training: 2^tune bits, 8 to 31; stands still
    // Link, as in ../README.md
    output logic                         up,
    input  wire logic [W-1:0]            tx_word,
    output logic                         tx_ready, // SHARED: in cycles with phase 1
    output logic                         rx_valid,
    output logic [W-1:0]                 rx_word,
    output logic                         rx_late,  // it came a cycle before
    // Status
    output logic                         locked,   // bits and words of the other end are found
    output logic                         stopped,  // no clock comes
    output logic                         ev_lost,  // a word found the FIFO full, rx clock
    output logic                         lost,     // one did since, while locked
    // The receiver's, in its clock; stand still after 4 cycles of hold. ofr_link_phy_rx
    output logic [2*WIRES-1:0]           eye,
    output logic [4*WIRES-1:0]           place,
    output logic [5*WIRES-1:0]           tap,    // follows the search; CELLS = 1: of use outside
    output logic [6*WIRES-1:0]           width,
    output logic [COUNT*WIRES-1:0]       errors,
    output logic [31:0]                  seen,
    // Cable
    output logic                         cable_tx_clk,
    output logic [WIRES-1:0]             cable_tx,
    input  wire logic                    cable_rx_clk,
    input  wire logic [WIRES-1:0]        cable_rx
);
    localparam int DDR   = CELLS != 0 ? 1 : 0;
    localparam int LANES = (1 + DDR) * WIRES;
    localparam int FILL  = (W + LANES - 1) / LANES;
    localparam int BEATS = SHARED != 0 ? FILL + FILL % 2 : FILL;

    generate
        if ((W != 16 && W != 32 && W != 64) || WIRES < 1 || LANES > W || COUNT < 8 ||
            COUNT > 32 || (SHARED != 0 && LANES == W) || CELLS < 0 || CELLS > 3 || TAPS < 1 ||
            TAPS > 32 || (TAPS > 1 && CELLS != 1 && CELLS != 2) || HALF < 1 || HALF > 64)
            ofr_link_phy_parameters_out_of_range bad ();
    endgenerate

    logic             rx_clk, alive, rx_locked, rx_peer, wrst, wvalid, block, rvalid, rready;
    logic             settled;
    logic [LANES-1:0] tx_bits;
    logic [WIRES-1:0] rx_fall, rx_rise;
    logic [W-1:0]     wdata;

    // --- States of this end: START resets the receiver, TRAIN, UP -------------------------------
    localparam [1:0] START = 2'd0, TRAIN = 2'd1, UP = 2'd2;
    logic [1:0] state_q;
    logic       alive1_q, alive2_q, alive3_q, locked1_q, locked2_q, peer1_q, peer2_q;
    logic       held_q, beat, start_q, bert_q, lost_q, lost1_q, lost2_q;
    logic [2:0] beats_q, blocks_q;
    logic [5:0] silent_q;

    assign beat    = alive2_q != alive3_q;
    assign stopped = &silent_q;
    assign up      = state_q == UP;
    assign locked  = locked2_q && state_q != START;

    always_ff @(posedge clk) begin
        {alive3_q, alive2_q, alive1_q} <= {alive2_q, alive1_q, alive};
        {locked2_q, locked1_q}         <= {locked1_q, rx_locked};
        {peer2_q, peer1_q}             <= {peer1_q, rx_peer};
        silent_q <= beat ? 6'd0 : stopped ? silent_q : silent_q + 1;
        start_q  <= state_q == START;
        bert_q   <= bert;
        case (state_q)
            START: begin
                beats_q  <= beats_q + 3'(beat);
                held_q   <= 1'b0;
                blocks_q <= '0;
                if (beats_q == 7 && beat)
                    state_q <= TRAIN;
            end
            TRAIN: begin
                beats_q <= '0;
                held_q  <= locked2_q;
                if (locked2_q && peer2_q && !bert && block)
                    blocks_q <= blocks_q + 1;
                if (held_q && !locked2_q)
                    state_q <= START;
                else if (blocks_q == 3'd`OFR_PHY_BLOCKS)
                    state_q <= UP;
            end
            default: if (!locked2_q)
                state_q <= START;
        endcase
        if (rst || stopped || retrain || (bert && !bert_q)) begin
            state_q <= START;
            beats_q <= '0;
        end
        if (rst)
            silent_q <= '0;
    end

    // --- Sender, pins, receiver -----------------------------------------------------------------
    ofr_link_phy_tx #(.W(W), .WIRES(WIRES), .BEATS(BEATS), .DDR(DDR)) u_tx (
        .clk, .rst, .locked(locked && !bert), .words(up), .word(tx_word), .ready(tx_ready), .block,
        .bits(tx_bits)
    );
    generate
        if (CELLS == 2) begin : g_ecp5
            ofr_link_pins_ecp5 #(.WIRES(WIRES), .TAPS(TAPS)) u_pins (
                .clk, .tx_bits, .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx, .rx_clk,
                .rx_rise, .rx_fall, .rx_rst(wrst), .tap, .settled
            );
        end else if (CELLS == 3) begin : g_ice40
            ofr_link_pins_ice40 #(.WIRES(WIRES)) u_pins (
                .clk, .tx_bits, .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx, .rx_clk,
                .rx_rise, .rx_fall
            );
            assign settled = 1'b1;
        end else begin : g_plain
            ofr_link_phy_pins #(.WIRES(WIRES), .DDR(DDR)) u_pins (
                .clk, .tx_bits, .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx, .rx_clk,
                .rx_rise, .rx_fall
            );
            assign settled = 1'b1;
        end
    endgenerate
    ofr_link_phy_rx #(
        .W(W), .WIRES(WIRES), .BEATS(BEATS), .COUNT(COUNT), .DDR(DDR), .TAPS(TAPS), .HALF(HALF)
    ) u_rx (
        .clk(rx_clk), .start(start_q), .hold, .tune, .fall(rx_fall), .rise(rx_rise), .settled,
        .alive_q(alive), .locked(rx_locked), .peer_q(rx_peer), .wrst, .wvalid, .wdata,
        .eye_q(eye), .place_q(place), .tap_q(tap), .width_q(width), .errors_q(errors),
        .seen_q(seen)
    );

    // Slot 0 of a block is no word: so words come no faster than clk takes them, 1 in 128 apart
    logic just_q;
    ofr_link_fifo #(.W(W), .A(BEATS == 1 ? 3 : 2)) u_fifo (
        .wclk(rx_clk), .wrst, .wvalid, .wdata, .wlost_q(ev_lost), .rclk(clk), .rrst(start_q),
        .rready, .rvalid, .rdata(rx_word), .rlate_q(rx_late)
    );
    always_ff @(posedge clk)
        just_q <= rvalid && rready;
    always_ff @(posedge rx_clk)
        lost_q <= (lost_q || ev_lost) && !wrst;
    always_ff @(posedge clk)
        {lost2_q, lost1_q} <= {lost1_q, lost_q};
    assign lost     = lost2_q && locked;
    assign rready   = SHARED == 0 || !just_q;
    assign rx_valid = rvalid && rready && up;
endmodule

`default_nettype wire
