// SPDX-License-Identifier: Apache-2.0
// A reliable link's end: between one port of the router and a physical layer. Every packet arrives
// once, intact and in order, or the link goes down and says why. README.md: frames and states.
`default_nettype none
`include "ofr_link.vh"

module ofr_link #(
    parameter int N         = 3,   // of the router: dimensions, 2, 3,
    parameter int W         = 32,  // flit width in bits, 16, 32, 64,
    parameter int L         = 128, // flits a slot, 4 to 1024,
    parameter int C         = 8,   // slots a VC, 2 to 8
    parameter int SHARED    = 0,   // 1: one block RAM; a word every other cycle each way
    parameter int SERIAL    = 1,   // 1: the ends tell their serial numbers
    parameter int TICK      = 8,   // a tick is 2^TICK cycles, at least 8 words of the wire; 8 to 20
    parameter int TIME      = 0,   // 1: frames say NODE.TIME
    parameter int SLOW      = 1,   // 4: so many ends, with one logic for all, a cycle each in turn;
                                   // SHARED, without SERIAL and TIME
    parameter int STRAIGHT  = 0,   // 1: a word stands at phy_tx_word only as it is taken, so much
                                   // sooner; so it is with SLOW > 1
    parameter int CRC_CHECK = 16   // bits of the CRC that are looked at; less only for tests
) (
    input  wire logic         clk,
    input  wire logic         rst,
    // SLOW > 1: all pins below are those of end `slot` in this cycle
    output logic [1:0]        slot,
    input  wire logic         enable,
    input  wire logic [63:0]  serial,     // of this board
    input  wire logic [33:0]  now,        // NODE.TIME, in quarters of cycles
    input  wire logic [15:0]  rank,       // what it says of who measures time
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
    // Physical layer: words of W bits, in its alignment
    input  wire logic         phy_up,       // 0: it has lost its lock
    output logic [W-1:0]      phy_tx_word,
    input  wire logic         phy_tx_ready, // takes the word; SHARED: counts with phase 1 only
    input  wire logic         phy_rx_valid, // SHARED: never in two cycles in a row
    input  wire logic [W-1:0] phy_rx_word,
    input  wire logic         phy_rx_late,  // with valid: it came a cycle before; not SHARED
    output logic              phase,        // SHARED: toggles; the sender moves in cycles with 1
    // Status and events, one cycle each
    output logic [2:0]        state,        // OFR_LINK_*
    output logic [3:0]        why,          // of its last fall: OFR_LINK_WHY_*
    output logic              anew,         // with ev_down: it was SILENT or STUCK
    output logic [63:0]       peer,         // serial number of the other end
    output logic [15:0]       lag,          // when the other end's TIME came, less what it said
    output logic              says,         // with it, a cycle: the other end says ...
    output logic [2:0]        says_what,    // OFR_LINK_SAYS_*
    output logic [15:0]       says_data,
    output logic              ev_frame,     // a frame with flits sent
    output logic              ev_retry,     // went back to a lost frame
    output logic              ev_bad,       // a damaged frame received
    output logic              ev_up,
    output logic              ev_down,
    output logic              ev_tick
);
    generate
        if ((N != 2 && N != 3) || (W != 16 && W != 32 && W != 64) || L < 4 || L > 1024 ||
            (L & (L - 1)) != 0 || C < 2 || C > 8 || TICK < 8 || TICK > 20 || CRC_CHECK < 1 ||
            CRC_CHECK > 16 || STRAIGHT < 0 || STRAIGHT > 1 || SHARED < 0 || SHARED > 1 ||
            SERIAL < 0 || SERIAL > 1 || TIME < 0 ||
            TIME > 1 || (SLOW != 1 && (SLOW != 4 || SHARED == 0 || SERIAL != 0 || TIME != 0)))
            ofr_link_parameters_out_of_range bad ();
    endgenerate

    logic              up, listens, good, waits, moves, nak, wants, up_good, tick;
    logic [2:0]        item;
    logic [15:0]       item_data, high;
    logic [10:0]       low;
    logic [3:0]        expects;
    logic [TICK-1:0]   time_q;
    logic              odd_q;  // an odd number of ticks
    logic              tells;
    logic [15:0]       went;   // when the word went that is in front of the one to be taken
    logic              twe, rwe;
    logic [7:0]        twaddr, traddr;
    logic [5:0]        rwaddr, rraddr;
    logic [W-1:0]      twdata, rwdata, trdata, rrdata;

    // The turns go on in a reset, which lasts until all have had theirs
    logic reset;
    generate
        if (SLOW != 1) begin : g_slots
            logic [1:0] slot_q = '0;
            logic       held_q;
            always_ff @(posedge clk) begin
                slot_q <= slot_q + 2'd1;
                held_q <= reset && slot_q != 2'(SLOW - 1);
            end
            assign slot  = slot_q;
            assign reset = rst || held_q;
        end else begin : g_no_slots
            assign slot  = '0;
            assign reset = rst;
        end
    endgenerate

    // The last good frame was a hello: the other end is not up yet, and may have lost its place
    logic hello_q;
    always_ff @(posedge clk) begin
        if (slot == 2'(SLOW - 1))
            time_q <= time_q + 1;
        if (reset)
            time_q <= '0;
        odd_q <= !reset && (odd_q ^ tick);
    end
    ofr_link_slow #(.WIDTH(1), .SLOW(SLOW)) u_hello (
        .clk, .slot, .en(good || reset), .d(reset || (!low[10] && low[2:0] != `OFR_LINK_UP)),
        .q(hello_q)
    );
    assign tick    = &time_q;
    assign phase   = time_q[0];
    assign ev_tick = tick;

    assign tx_base = tx_credit;
    assign up_good = good && listens && (low[10] || low[5:0] == {3'd0, `OFR_LINK_UP});
    assign says      = TIME != 0 && good && up && !low[10] && low[2:0] == `OFR_LINK_UP &&
                       low[5:3] != 0;
    assign says_what = low[5:3];
    assign says_data = high;

    generate
        if (STRAIGHT != 0 && TIME != 0) begin : g_went
            logic [15:0] went_q;
            assign went = went_q;
            always_ff @(posedge clk)
                if (phy_tx_ready && (SHARED == 0 || phase))
                    went_q <= now[15:0];
        end else begin : g_goes
            assign went = now[15:0]; // it goes as the other one is made
        end
    endgenerate

    ofr_link_tx #(
        .W(W), .SHARED(SHARED), .SERIAL(SERIAL), .TIME(TIME), .SLOW(SLOW), .STRAIGHT(STRAIGHT)
    ) u_tx (
        .clk, .slot, .rst(reset), .phase, .up,
        .tx_valid, .tx_ready, .tx_vc, .tx_data, .tx_last, .tx_poison,
        .we(twe), .waddr(twaddr), .wdata(twdata), .raddr(traddr), .rdata(trdata), .state,
        .item, .item_data, .due(TIME != 0 && tick && odd_q), .late(tick && !odd_q), .tells,
        .expects, .freed(rx_credit),
        .acked(up_good), .ack(high[7:4]), .nak_heard(up_good && high[15]), .nak,
        .run((up_good && high[15]) || (tick && (!up || wants || hello_q))),
        .phy_word(phy_tx_word), .phy_ready(phy_tx_ready), .waits,
        .moves, .ev_frame, .ev_retry
    );
    ofr_link_rx #(
        .W(W), .SHARED(SHARED), .CRC_CHECK(CRC_CHECK), .TIME(TIME), .SLOW(SLOW)
    ) u_rx (
        .clk, .slot, .rst(reset), .phase, .listens, .drains(up && link_up), .tick,
        .phy_valid(phy_rx_valid),
        .phy_word(phy_rx_word), .phy_late(phy_rx_late), .now(now[15:0]), .lag, .we(rwe),
        .waddr(rwaddr), .wdata(rwdata), .raddr(rraddr), .rdata(rrdata), .rx_valid,
        .rx_vc, .rx_data, .rx_last, .rx_poison, .good_q(good), .low_q(low),
        .high_q(high), .expects, .wants, .nak, .ev_bad
    );
    ofr_link_train #(.N(N), .W(W), .L(L), .C(C), .SERIAL(SERIAL), .SLOW(SLOW)) u_train (
        .clk, .slot, .rst(reset), .enable, .phy_up, .tick, .serial, .good, .low, .high, .waits,
        .moves, .item,
        .item_data, .tells, .now({now[33:16], went}), .lag, .rank, .rx_received, .rx_credit,
        .count_q(tx_credit),
        .rebase_q(tx_rebase), .state_q(state), .up, .listens, .link_up_q(link_up),
        .abort(rx_abort), .why_q(why), .anew_q(anew), .peer_q(peer), .ev_up, .ev_down
    );

    // Retry buffer: words 0 to 127 the flits of 8 frames, 192 to 199 their headers; receive buffer:
    // words 128 to 191, or a memory of its own.
    generate
        if (SLOW != 1) begin : g_slow
            // What an end reads it asks for in the cycle before its next one
            localparam int LATER = SLOW - 1;
            logic [8*LATER-1:0] later_q;
            always_ff @(posedge clk)
                later_q <= {later_q[8*LATER-9:0], phase ? {2'b10, rraddr} : traddr};
            ofr_buffer #(.DEPTH(256 * SLOW), .WIDTH(W)) u_ram (
                .clk, .we(phase ? rwe : twe),
                .waddr({slot, phase ? {2'b10, rwaddr} : twaddr}),
                .wdata(phase ? rwdata : twdata), .re(1'b1),
                .raddr({slot + 2'd1, later_q[8*LATER-1 -: 8]}), .rdata(trdata)
            );
            assign rrdata = trdata;
        end else if (SHARED != 0) begin : g_shared
            ofr_buffer #(.DEPTH(256), .WIDTH(W)) u_ram (
                .clk, .we(phase ? rwe : twe), .waddr(phase ? {2'b10, rwaddr} : twaddr),
                .wdata(phase ? rwdata : twdata), .re(1'b1),
                .raddr(phase ? {2'b10, rraddr} : traddr), .rdata(trdata)
            );
            assign rrdata = trdata;
        end else begin : g_two
            ofr_buffer #(.DEPTH(256), .WIDTH(W)) u_retry (
                .clk, .we(twe), .waddr(twaddr), .wdata(twdata), .re(1'b1), .raddr(traddr),
                .rdata(trdata)
            );
            ofr_buffer #(.DEPTH(64), .WIDTH(W)) u_receive (
                .clk, .we(rwe), .waddr(rwaddr), .wdata(rwdata), .re(1'b1), .raddr(rraddr),
                .rdata(rrdata)
            );
        end
    endgenerate
endmodule

`default_nettype wire
