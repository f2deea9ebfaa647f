// SPDX-License-Identifier: Apache-2.0
// Serialiser: blocks of 128 slots, each a word in BEATS beats; slot 0 is the control word, the
// others are words of the link, or the PRBS, the same bit on every wire, which never stops.
`default_nettype none
`include "ofr_link_phy.vh"

module ofr_link_phy_tx #(
    parameter int W     = 32, // bits of a word: 16, 32, 64
    parameter int WIRES = 8,  // 1 to W / (1 + DDR)
    parameter int BEATS = 4,  // of a word, at least W / LANES
    parameter int DDR   = 0   // 0: a beat has a bit for each wire, 1: two, LANES in all
) (
    input  wire logic             clk,
    input  wire logic             rst,
    input  wire logic             locked, // for the control words
    input  wire logic             words,  // send words, from the next block on; 0: PRBS, at once
    input  wire logic [W-1:0]     word,
    output logic                  ready,  // the word is taken
    output logic                  block,  // a control word begins with the next beat
    output logic [(1+DDR)*WIRES-1:0] bits // of this beat, registers; each wire's first, its second
);
    localparam int LANES = (1 + DDR) * WIRES;
    localparam int PAD = BEATS * LANES;
    localparam int B   = BEATS > 1 ? $clog2(BEATS) : 1;

    logic [B-1:0]   beat_q;
    logic [6:0]     slot_q, slot_d, lfsr_q, lfsr1, lfsr2;
    logic [PAD-1:0] shift_q;
    logic [15:0]    code;
    logic           last, sends_q, sends_d, word_q;
    logic [LANES-1:0] prbs;

    assign last    = beat_q == B'(BEATS - 1);
    assign slot_d  = slot_q + 1;
    assign block   = last && slot_d == 0;
    assign sends_d = words && (block || sends_q);
    assign ready   = last && !block && sends_d;
    assign lfsr1   = {lfsr_q[5:0], `OFR_PHY_PRBS(lfsr_q)};
    assign lfsr2   = {lfsr1[5:0], `OFR_PHY_PRBS(lfsr1)};
    assign prbs    = LANES'({{WIRES{lfsr2[0]}}, {WIRES{lfsr1[0]}}});
    assign code    = sends_d ? `OFR_PHY_WORDS : locked ? `OFR_PHY_LOCKED : `OFR_PHY_SEEKS;
    assign bits    = shift_q[LANES-1:0];

    always_ff @(posedge clk) begin
        lfsr_q <= DDR != 0 ? lfsr2 : lfsr1;
        beat_q <= last ? '0 : beat_q + 1;
        if (last) begin
            slot_q  <= slot_d;
            sends_q <= sends_d;
            word_q  <= block || sends_d;
        end
        if (last && block)
            shift_q <= PAD'({W/16{code}});
        else if (last && sends_d)
            shift_q <= PAD'(word);
        else if (!last && word_q)
            shift_q <= shift_q >> LANES;
        else
            shift_q <= {BEATS{prbs}};
        if (rst) begin
            lfsr_q  <= '1;
            beat_q  <= '0;
            slot_q  <= '0;
            sends_q <= 1'b0;
            word_q  <= 1'b0;
        end
    end
endmodule

`default_nettype wire
