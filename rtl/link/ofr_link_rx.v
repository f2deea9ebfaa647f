// SPDX-License-Identifier: Apache-2.0
// The receiver: finds frames, checks them, keeps the flits of the one that comes in a buffer until
// its CRC is good, and gives them to the router. See README.md for the format.
`default_nettype none
`include "ofr_link.vh"

module ofr_link_rx #(
    parameter int W         = 32, // flit and word width in bits: 16, 32, 64
    parameter int SHARED    = 0,  // 1: one memory with the sender
    parameter int CRC_CHECK = 16, // bits of the CRC that are looked at: less only for tests
    parameter int TIME      = 0,  // 1: notes when TIME comes
    parameter int SLOW      = 1   // of ofr_link
) (
    input  wire logic         clk,
    input  wire logic [1:0]   slot,
    input  wire logic         rst,
    input  wire logic         phase,      // SHARED: 1 memory is ours, 0 a flit may come out
    input  wire logic         listens,    // frames with flits are taken
    input  wire logic         drains,     // flits go to the router
    input  wire logic         tick,
    // Wire; SHARED: at most a word every other cycle
    input  wire logic         phy_valid,
    input  wire logic [W-1:0] phy_word,
    input  wire logic         phy_late,   // it came a cycle before; not SHARED
    // Memory, as the sender's; a ring of 64 words
    output logic              we,
    output logic [5:0]        waddr,
    output logic [W-1:0]      wdata,
    output logic [5:0]        raddr,
    input  wire logic [W-1:0] rdata,
    // Router
    output logic              rx_valid,
    output logic [1:0]        rx_vc,
    output logic [W-1:0]      rx_data,
    output logic              rx_last,
    output logic              rx_poison,
    // A good frame, in the cycle behind its CRC
    output logic              good_q,
    output logic [10:0]       low_q,
    output logic [15:0]       high_q,
    // Time
    input  wire logic [15:0]  now,
    output logic [15:0]       lag,        // of the last TIME; OFR_LINK_LAG_UNKNOWN: none yet
    // Order
    output logic [3:0]        expects,
    output logic              wants,      // frame `expects` was lost
    output logic              nak,        // say so now
    output logic              ev_bad      // a damaged frame
);
    localparam bit TWO = W == 16;

    // --- Frames ----------------------------------------------------------------------------------
    localparam [2:0] HUNT = 3'd0, GAP = 3'd1, HIGH = 3'd2, FLITS = 3'd3, CRC = 3'd4;
    logic [2:0]   at_q;
    logic         in_q, step, sync, legal, same, ok, bad;
    logic [W-1:0] word_q;
    logic [4:0]   left_q;
    logic [4:0]   check;
    logic [15:0]  crc_q, crc_d;
    logic [5:0]   write_q, keep_q; // next word of the frame that comes; behind the last kept one
    logic         is_data, takes;

    assign step  = in_q && (SHARED == 0 || phase);
    assign sync  = word_q[15:0] == `OFR_LINK_SYNC;
    ofr_link_check u_check (.info(word_q[10:0]), .check);
    assign legal = check == word_q[15:11] && (word_q[10] ? word_q[9:8] == 0 : word_q[9:6] == 0);
    ofr_link_crc #(.W(W)) u_crc (.crc(crc_q), .word(word_q), .next(crc_d));
    // Bits that count. Yosys takes ~W'(x) for (~W)'(x), so that none did; tests/lint.sh refuses it
    localparam logic [W-1:0] LOOKED_AT = {W{1'b1}} ^ W'((1 << 16) - (1 << CRC_CHECK));
    assign same  = ((word_q ^ W'(crc_q)) & LOOKED_AT) == 0;

    assign ok      = step && at_q == CRC && same;
    assign bad     = step && ((at_q == CRC && !same) || (at_q == GAP && !sync && !legal));
    assign is_data = low_q[10];

    assign we      = step;
    assign waddr   = write_q;
    assign wdata   = word_q;
    assign ev_bad  = bad;

    logic [2:0]  at_d;
    logic [4:0]  left_d;
    logic [5:0]  write_d, keep_d;
    logic        waits_d, says_high;
    assign waits_d   = phy_valid || (in_q && !step);
    assign says_high = step && at_q == (TWO ? HIGH : GAP) && (TWO || !sync);
    always_comb begin
        {at_d, left_d}    = {at_q, left_q};
        {write_d, keep_d} = {write_q, keep_q};
        if (step) begin
            case (at_q)
                HUNT: begin
                    left_d = sync ? left_q - 1 : 5'd`OFR_LINK_LOCK - 1;
                    if (sync && left_q == 0)
                        at_d = GAP;
                end
                GAP: if (!sync) begin
                    left_d  = {1'b0, word_q[3:0]};
                    write_d = write_q + 1;
                    at_d    = TWO ? HIGH : word_q[10] ? FLITS : CRC;
                end
                HIGH:
                    at_d = is_data ? FLITS : CRC;
                FLITS: begin
                    left_d  = left_q - 1;
                    write_d = write_q + 1;
                    if (left_q == 0)
                        at_d = CRC;
                end
                default: begin
                    at_d    = GAP;
                    write_d = takes ? write_q : keep_q;
                    if (takes)
                        keep_d = write_q;
                end
            endcase
            if (bad) begin
                at_d    = HUNT;
                left_d  = 5'd`OFR_LINK_LOCK - 1;
                write_d = keep_q;
            end
        end
        if (rst || !listens) begin
            keep_d  = '0;
            write_d = '0;
        end
        if (rst) begin
            at_d   = HUNT;
            left_d = 5'd`OFR_LINK_LOCK - 1;
        end
    end
    ofr_link_slow #(.WIDTH(22), .SLOW(SLOW)) u_frames (
        .clk, .slot, .en(1'b1), .d({at_d, left_d, write_d, keep_d, waits_d && !rst, ok && !rst}),
        .q({at_q, left_q, write_q, keep_q, in_q, good_q})
    );
    ofr_link_slow #(.WIDTH(W), .SLOW(SLOW), .ROWS(1)) u_word (
        .clk, .slot, .en(phy_valid), .d(phy_word), .q(word_q)
    );
    ofr_link_slow #(.WIDTH(11), .SLOW(SLOW)) u_low (
        .clk, .slot, .en(step && at_q == GAP && !sync), .d(word_q[10:0]), .q(low_q)
    );
    ofr_link_slow #(.WIDTH(16), .SLOW(SLOW), .ROWS(1)) u_high (
        .clk, .slot, .en(says_high), .d(16'(word_q >> (W > 16 ? 16 : 0))), .q(high_q)
    );
    ofr_link_slow #(.WIDTH(16), .SLOW(SLOW), .ROWS(1)) u_sum (
        .clk, .slot, .en(step), .q(crc_q),
        .d(at_q == CRC || (at_q == GAP && sync) || at_q == HUNT ? `OFR_LINK_CRC_INIT : crc_d)
    );

    // --- Time: of the word in front of the one that says it, so that it can say it -------------
    generate
    if (TIME != 0) begin : g_time
        logic [15:0] came_q, lag_q;
        logic        older_q, waited_q; // the word in word_q waited for a cycle; that of came_q
        assign lag = lag_q;
        always_ff @(posedge clk) begin
            older_q <= phy_valid ? SHARED == 0 && phy_late : SHARED != 0 && in_q;
            if (step && (at_q == GAP ? TWO || sync : at_q == CRC || at_q == HUNT)) begin
                came_q   <= now;
                waited_q <= older_q;
            end
            if (ok && low_q == {5'd0, `OFR_LINK_SAYS_TIME, `OFR_LINK_UP})
                lag_q <= came_q + ~high_q + {{14{waited_q}}, 2'b01};
            if (!listens)
                lag_q <= `OFR_LINK_LAG_UNKNOWN;
        end
    end else begin : g_no_time
        logic unused;
        assign lag    = `OFR_LINK_LAG_UNKNOWN;
        assign unused = ^{now, phy_late};
    end
    endgenerate

    // --- Order -----------------------------------------------------------------------------------
    ofr_link_order #(.SLOW(SLOW)) u_order (
        .clk, .slot, .clear(rst || !listens), .tick, .ok, .bad,
        .numbered(is_data || low_q[5:0] == {3'd0, `OFR_LINK_UP}), .flits(is_data),
        .seq(high_q[3:0]), .takes, .expects_q(expects), .wants_q(wants), .nak
    );

    // --- To the router: frames that are kept, a flit a cycle -------------------------------------
    logic [5:0] read_q;
    logic       moves, open_q;
    logic       early, ahead_q, ahead_d; // the header was read, and its frame is not kept yet
    logic [4:0] flits_q;  // of the frame still to come out; 0: its header is next
    logic [1:0] kind_q, vc_q, next_vc_q;

    assign moves     = drains && read_q != keep_q && !ahead_q && (SHARED == 0 || !phase);
    // While its CRC is waited for, so that the first flit comes out when that is good
    assign early     = SHARED == 0 && read_q == keep_q && flits_q == 0 && at_q == CRC && is_data;
    assign raddr     = read_q + 6'(moves || early);
    assign rx_valid  = moves && flits_q != 0;
    assign rx_vc     = vc_q;
    assign rx_data   = rdata;
    assign rx_last   = flits_q == 1 ? kind_q == 1 || kind_q == 2 : flits_q == 2 && kind_q == 3;
    assign rx_poison = rx_last && kind_q == 2;

    logic [5:0] next_d;
    logic [4:0] flits_d;
    logic [1:0] kind_d, vc_d, next_vc_d;
    logic       open_d;
    always_comb begin
        next_d                              = raddr;
        {flits_d, kind_d, vc_d, next_vc_d}  = {flits_q, kind_q, vc_q, next_vc_q};
        open_d                              = open_q;
        ahead_d                             = ahead_q || early;
        if ((moves || early) && flits_q == 0) begin
            flits_d   = {1'b0, rdata[3:0]} + 1;
            kind_d    = rdata[5:4];
            next_vc_d = rdata[7:6];
            if (!open_q)
                vc_d = rdata[7:6];
        end
        if (rx_valid) begin
            flits_d = flits_q - 1;
            open_d  = !rx_last;
            if (rx_last)
                vc_d = next_vc_q;
        end
        if (step && at_q == CRC) begin
            if (ahead_d && !takes) begin
                next_d  = keep_q;
                flits_d = '0;
            end
            ahead_d = 1'b0;
        end
        if (rst || !listens) begin
            next_d  = '0;
            flits_d = '0;
            open_d  = 1'b0;
            ahead_d = 1'b0;
        end
    end
    ofr_link_slow #(.WIDTH(19), .SLOW(SLOW)) u_out (
        .clk, .slot, .en(1'b1),
        .d({next_d, flits_d, kind_d, vc_d, next_vc_d, open_d, SHARED == 0 && ahead_d}),
        .q({read_q, flits_q, kind_q, vc_q, next_vc_q, open_q, ahead_q})
    );
endmodule

`default_nettype wire
