// SPDX-License-Identifier: Apache-2.0
// Four reliable links' ends at their cables with one logic for all, for small FPGAs: ofr_link with
// SLOW, and a physical layer of two wires each way that speaks as ofr_link_phy does. An end has a
// cycle of four, told by `slot`, and a word every other time. Nothing is searched for at the pins:
// wires and clock of a cable have to come together, within a quarter of a bit; README.md.
`default_nettype none
`include "ofr_link.vh"
`include "ofr_link_phy.vh"

module ofr_link_four #(
    parameter int N    = 2,  // of ofr_link, there its ranges
    parameter int L    = 16,
    parameter int C    = 4,
    parameter int TICK = 8
) (
    input  wire logic         clk,
    input  wire logic         rst,
    // All that follows, to the cables, is of end `slot` in this cycle
    output logic [1:0]        slot,
    input  wire logic         enable,
    // Router: the link's pins of one port, rtl/README.md
    output logic              link_up,
    input  wire logic         tx_valid,
    output logic              tx_ready,
    input  wire logic [1:0]   tx_vc,
    input  wire logic [15:0]  tx_data,
    input  wire logic         tx_last,
    input  wire logic         tx_poison,
    output logic [11:0]       tx_credit,
    output logic [11:0]       tx_base,
    output logic              tx_rebase,
    output logic              rx_valid,
    output logic [1:0]        rx_vc,
    output logic [15:0]       rx_data,
    output logic              rx_last,
    output logic              rx_poison,
    output logic              rx_abort,
    input  wire logic [11:0]  rx_credit,
    input  wire logic [11:0]  rx_received,
    // Between link and physical layer
    output logic              phy_up,
    output logic [15:0]       phy_tx_word,
    output logic              phy_tx_ready,
    output logic              phy_rx_valid,
    output logic [15:0]       phy_rx_word,
    output logic              phase,
    // Status and events
    output logic              phy_locked,  // bits and words of the other end are found
    output logic              phy_stopped, // nothing comes
    output logic              phy_lost,    // a word was overwritten that was not taken
    output logic              retrain,     // the link wants it
    output logic [2:0]        state,       // of ofr_link, as what follows
    output logic [3:0]        why,
    output logic              ev_frame,
    output logic              ev_retry,
    output logic              ev_bad,
    output logic              ev_up,
    output logic              ev_down,
    output logic              ev_tick,
    // The cables, end 0 lowest; wires in pairs
    output logic [3:0]        cable_tx_clk,
    output logic [7:0]        cable_tx,
    input  wire logic [3:0]   cable_rx_clk,
    input  wire logic [7:0]   cable_rx
);
    logic        unused, says, slip, anew;
    logic [63:0] peer;
    logic [15:0] lag, says_data, word;
    logic [2:0]  says_what;
    assign unused = ^{says, peer, lag, says_data, says_what};
    ofr_link #(
        .N(N), .W(16), .L(L), .C(C), .SHARED(1), .SERIAL(0), .TICK(TICK), .TIME(0), .SLOW(4)
    ) u_link (
        .clk, .rst, .slot, .enable, .serial(64'd0), .now(34'd0), .rank(16'd0), .link_up,
        .tx_valid, .tx_ready, .tx_vc, .tx_data, .tx_last, .tx_poison, .tx_credit, .tx_base,
        .tx_rebase, .rx_valid, .rx_vc, .rx_data, .rx_last, .rx_poison, .rx_abort, .rx_credit,
        .rx_received, .phy_up, .phy_tx_word, .phy_tx_ready, .phy_rx_valid, .phy_rx_word,
        .phy_rx_late(1'b0), .phase, .state, .why, .anew, .peer, .lag, .says, .says_what, .says_data,
        .ev_frame, .ev_retry, .ev_bad, .ev_up, .ev_down, .ev_tick
    );
    assign retrain = ev_down && anew;

    // A reset is as long as the link's: until all have had their turn
    logic held_q, reset;
    assign reset = rst || held_q;
    always_ff @(posedge clk)
        held_q <= reset && slot != 2'd3;

    // --- Receivers, and their words: taken once, when the link has room --------------------------
    logic [63:0] words;
    logic [3:0]  toggle, toggle1_q, toggle2_q, slip_q;
    for (genvar p = 0; p < 4; p++) begin : g_rx
        ofr_link_four_rx u_rx (
            .clk(cable_rx_clk[p]), .wires(cable_rx[2*p +: 2]), .slip(slip_q[p]),
            .word(words[16*p +: 16]), .toggle_q(toggle[p])
        );
    end
    always_ff @(posedge clk) begin
        toggle1_q <= toggle;
        toggle2_q <= toggle1_q;
        for (int p = 0; p < 4; p++)
            slip_q[p] <= slip && slot == 2'(p);
    end

    logic       now, seen_q, gave_q, came, take, stopped;
    logic [3:0] silent_q, silent_d;
    always_comb begin
        now  = toggle2_q[slot];
        word = words[16*slot +: 16];
    end
    assign came        = now != seen_q;
    assign take        = came && (phase || !gave_q); // else the link has the last one still
    assign stopped     = &silent_q;
    assign silent_d    = came || reset ? 4'd0 : silent_q + 4'(!stopped);
    assign phy_rx_word = word;
    ofr_link_slow #(.WIDTH(5), .SLOW(4)) u_came (
        .clk, .slot, .en(1'b1), .d({silent_d, phy_rx_valid}), .q({silent_q, gave_q})
    );

    // --- Words of the other end: found by the control word, known by 8 of them -------------------
    localparam [1:0] SEEK = 2'd0, CHECK = 2'd1, LOCKED = 2'd2;
    logic [1:0] at_q, at_d;
    logic [6:0] number_q, number_d; // of the word in its block
    logic [2:0] count_q, count_d;   // control words in a row: good ones, then ones that are none
    logic       peer_q, peer_d;     // the other end hears this one
    logic       heard_q, heard_d;   // one control word that says so; that says the contrary
    logic       words_q, words_d;   // it sends words
    logic       seeks, lockeds, sends_words, good, contrary, clear;
    assign seeks       = word == `OFR_PHY_SEEKS;
    assign lockeds     = word == `OFR_PHY_LOCKED;
    assign sends_words = word == `OFR_PHY_WORDS;
    assign good        = seeks || lockeds || sends_words;
    assign contrary    = seeks || (lockeds && words_q);
    assign clear       = reset || stopped || retrain;
    assign slip        = take && at_q == SEEK && &number_q && !(seeks || lockeds);
    always_comb begin
        {at_d, count_d, peer_d}     = {at_q, count_q, peer_q};
        {heard_d, words_d} = {heard_q, words_q};
        number_d = number_q + 7'd1;
        case (at_q)
            SEEK: begin
                {count_d, peer_d, heard_d, words_d} = '0;
                if (seeks || lockeds) begin
                    at_d     = CHECK;
                    number_d = 7'd1;
                end
            end
            CHECK: if (number_q == 0) begin
                count_d = count_q + 3'd1;
                if (&count_q)
                    at_d = LOCKED;
                if (!good)
                    at_d = SEEK;
            end
            default: if (number_q == 0) begin
                count_d = good ? 3'd0 : count_q + 3'd1;
                heard_d = peer_q ? contrary && !heard_q : !seeks && (heard_q ^ good);
                if (!peer_q && heard_q && (lockeds || sends_words))
                    peer_d = 1'b1;
                if (sends_words && (peer_q || heard_q))
                    words_d = 1'b1;
                if ((!good && &count_q) || (peer_q && contrary && heard_q))
                    at_d = SEEK;
            end
        endcase
        if (clear)
            at_d = SEEK;
    end
    ofr_link_slow #(.WIDTH(16), .SLOW(4), .ROWS(1)) u_found (
        .clk, .slot, .en(take || clear),
        .d({at_d, number_d, count_d, peer_d, heard_d, words_d, take ? now : seen_q}),
        .q({at_q, number_q, count_q, peer_q, heard_q, words_q, seen_q})
    );
    assign phy_locked   = at_q == LOCKED;
    assign phy_stopped  = stopped;
    assign phy_rx_valid = take && at_q == LOCKED && number_q != 0 && words_q && phy_up;
    assign phy_lost     = 1'b0;

    // --- Sender: blocks of 128 words, the same for all; the PRBS, which never stops --------------
    logic [6:0]  block_q, lfsr_q;
    logic [2:0]  blocks_q;   // that said LOCKED when the other end heard; OFR_PHY_BLOCKS: up
    logic        sends_q;    // words, from a block's beginning on
    logic        control, sends, hears, loads;
    logic [15:0] code, load;
    logic [63:0] shift_q;
    logic [3:0]  word_q;     // it is a word that goes, no PRBS
    assign control      = block_q == 0;
    assign hears        = phy_locked && peer_q;
    assign phy_up       = blocks_q == 3'(`OFR_PHY_BLOCKS);
    assign sends        = phy_up && (control || sends_q);
    assign phy_tx_ready = phase && sends && !control;
    assign loads        = phase;
    assign code         = sends ? `OFR_PHY_WORDS : phy_locked ? `OFR_PHY_LOCKED : `OFR_PHY_SEEKS;
    assign load         = control ? code : phy_tx_word;
    ofr_link_slow #(.WIDTH(4), .SLOW(4)) u_sends (
        .clk, .slot, .en(1'b1),
        .d({!hears || clear ? 3'd0 : blocks_q + 3'(phase && control && !phy_up),
            phase ? sends : sends_q && phy_up}),
        .q({blocks_q, sends_q})
    );
    always_ff @(posedge clk) begin
        lfsr_q <= rst ? '1 : {lfsr_q[5:0], `OFR_PHY_PRBS(lfsr_q)};
        if (phase && slot == 2'd3)
            block_q <= block_q + 7'd1;
        if (rst)
            block_q <= '0;
        for (int p = 0; p < 4; p++) begin
            shift_q[16*p +: 16] <= 16'(shift_q[16*p +: 16] >> 2);
            if (loads && slot == 2'(p)) begin
                shift_q[16*p +: 16] <= load;
                word_q[p]           <= control || sends;
            end
            if (reset)
                word_q[p] <= 1'b0;
            cable_tx[2*p +: 2] <= word_q[p] ? shift_q[16*p +: 2] : {2{lfsr_q[0]}};
        end
    end
    assign cable_tx_clk = {4{!clk}};
endmodule

`default_nettype wire
