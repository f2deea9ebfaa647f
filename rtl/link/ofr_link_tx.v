// SPDX-License-Identifier: Apache-2.0
// The sender: packs the router's flits into frames in the retry buffer, and puts frames on the
// wire. See README.md for the format.
`default_nettype none
`include "ofr_link.vh"

module ofr_link_tx #(
    parameter int W      = 32, // flit and word width in bits: 16, 32, 64
    parameter int SHARED = 0,  // 1: one memory with the receiver; a word every other cycle
    parameter int SERIAL = 1,  // 1: hellos have the serial number
    parameter int TIME   = 0,  // 1: there may be items to say while the link is up
    parameter int SLOW   = 1,  // of ofr_link
    parameter int STRAIGHT = 0 // likewise
) (
    input  wire logic         clk,
    input  wire logic [1:0]   slot,
    input  wire logic         rst,
    input  wire logic         phase,      // SHARED: 0 memory is ours, 1 a word may go
    input  wire logic         up,
    // Router
    input  wire logic         tx_valid,
    output logic              tx_ready,
    input  wire logic [1:0]   tx_vc,
    input  wire logic [W-1:0] tx_data,
    input  wire logic         tx_last,
    input  wire logic         tx_poison,
    // Memory: rdata is the word at raddr of the cycle before (SHARED: of the last one with phase 0)
    output logic              we,
    output logic [7:0]        waddr,
    output logic [W-1:0]      wdata,
    output logic [7:0]        raddr,
    input  wire logic [W-1:0] rdata,
    // What frames say
    input  wire logic [2:0]   state,      // OFR_LINK_*
    output logic [2:0]        item,       // which item goes, where the frame has one
    input  wire logic [15:0]  item_data,
    input  wire logic         due,        // an end that is up is to say the next item
    input  wire logic         late,       // ... before flits now
    output logic              tells,      // which is what goes; else of a hello
    input  wire logic [3:0]   expects,    // the frame that the receiver waits for
    input  wire logic [11:0]  freed,
    // What the receiver heard, and asks for
    input  wire logic         acked,
    input  wire logic [3:0]   ack,
    input  wire logic         nak_heard,
    input  wire logic         nak,        // say once that `expects` is wanted
    input  wire logic         run,        // send a SYNC run
    // Wire
    output logic [W-1:0]      phy_word,   // SLOW > 1, STRAIGHT: stands there only as it is taken
    input  wire logic         phy_ready,  // the word is taken
    // Events and status
    output logic              waits,      // frames that are not acknowledged
    output logic              moves,      // an acknowledgement of something new
    output logic              ev_frame,
    output logic              ev_retry
);
    localparam bit TWO = W == 16; // a frame's header takes two words
    localparam [1:0] GAP = 2'd0, HIGH = 2'd1, FLITS = 2'd2, CRC = 2'd3;
    logic [1:0]   at_q;           // the framer
    logic         go, sync, due_q, late_q; // an item is to be said; and first

    // --- Packer: one flit, or one frame's header, a cycle into the buffer ------------------------
    logic [3:0]  close, send, send_d, unused_ack;
    logic        full, may_send, idle, unused, unused_late;
    logic [4:0]  flits_q;         // in the open frame
    logic        head_q, tail_q, poison_q, join_q; // its last flit is ...; it has a tail and a head
    logic        open_q, drop_q;  // inside a packet; which is dropped
    logic [1:0]  vc_q;            // of the frame's head
    logic        turn, must, drops, stores, closes, quick;
    logic [10:0] info;
    logic [4:0]  info_check;

    assign unused   = &{1'b0, close[3], send_d[3], unused_ack, unused_late, phase};
    assign turn     = SHARED == 0 || !phase;
    // With all frames sent the open one is closed when the wire takes a header, and goes at once
    assign must     = flits_q[4] || head_q || (tail_q && poison_q) ||
                      (idle && flits_q != 0 && (SHARED != 0 || at_q == GAP));
    // In a register where that can be: it is late in the router
    /* verilator lint_off UNUSEDSIGNAL */ // SHARED, or SLOW > 1
    logic takes_q;
    /* verilator lint_on UNUSEDSIGNAL */
    generate
        if (SLOW == 1 && SHARED == 0)
            assign tx_ready = !up || takes_q;
        else
            assign tx_ready = !up || (turn && !full && !must);
    endgenerate
    assign drops    = open_q ? drop_q : !up;
    assign stores   = up && tx_valid && tx_ready && !drops;
    assign closes   = up && turn && (must || tail_q) && !stores && !full &&
                      (SHARED != 0 || !idle || (go && at_q == GAP));
    // closes, too: a frame that must be closed takes no flit, and then there is room when idle
    assign quick    = SHARED == 0 && up && must && idle && go && at_q == GAP && !sync &&
                      !(due_q && late_q) && !ev_retry;
    assign info     = {3'b100, vc_q, join_q ? 2'd3 : !tail_q ? 2'd0 : poison_q ? 2'd2 : 2'd1,
                       4'(flits_q - 5'd1)};
    ofr_link_check u_info (.info, .check(info_check));

    assign we    = stores || closes;
    assign waddr = closes ? {5'b11000, close[2:0]} : {1'b0, close[2:0], flits_q[3:0]};
    assign wdata = closes ? W'({info_check, info}) : tx_data;

    logic [4:0] flits_d;
    logic [1:0] vc_d;
    logic       head_d, tail_d, poison_d, join_d, open_d, drop_d;
    always_comb begin
        {flits_d, vc_d}                    = {flits_q, vc_q};
        {head_d, tail_d, poison_d, join_d} = {head_q, tail_q, poison_q, join_q};
        {open_d, drop_d}                   = {open_q, drop_q};
        if (tx_valid && tx_ready)
            {open_d, drop_d} = {!tx_last, drops};
        if (stores) begin
            flits_d  = flits_q + 1;
            head_d   = !open_q;
            tail_d   = tx_last;
            poison_d = tx_poison;
            join_d   = tail_q;
            if (!open_q)
                vc_d = tx_vc;
        end
        if (closes || !up) begin
            flits_d = '0;
            head_d  = 1'b0;
            tail_d  = 1'b0;
            join_d  = 1'b0;
        end
        if (rst)
            open_d = 1'b0;
    end
    ofr_link_slow #(.WIDTH(13), .SLOW(SLOW)) u_packer (
        .clk, .slot, .en(1'b1),
        .d({flits_d, vc_d, head_d, tail_d, poison_d, join_d, open_d, drop_d}),
        .q({flits_q, vc_q, head_q, tail_q, poison_q, join_q, open_q, drop_q})
    );

    // --- Framer: a word whenever the wire takes one ----------------------------------------------
    logic         data, hello_q, hello, ends, header;
    logic         data_q, nak_q;
    logic         ready, tell, tell_q; // there is a frame with flits; this one says an item
    logic [15:0]  start;          // a frame's first half-word
    logic [2:0]   item_q;
    logic [3:0]   left_q, place_q, place_d;
    logic [4:0]   run_q;          // words of a SYNC run to go
    logic [1:0]   credit_q;       // the VC whose credits the next frame has
    logic [15:0]  crc_q, crc_d, low, high;
    logic [W-1:0] word, summed;   // the next one that the CRC takes
    logic [4:0]   ctl_check;
    logic [10:0]  ctl;

    assign go     = phy_ready && (SHARED == 0 || phase);
    assign sync   = run_q != 0;
    assign ready  = may_send || quick;
    assign start  = quick ? {info_check, info} : rdata[15:0];
    assign tell   = due_q && up && (late_q || !ready);
    assign tells  = TWO && at_q == HIGH ? tell_q : tell;
    assign item   = tells && item_q < `OFR_LINK_SAYS_TIME ? {1'b1, item_q[1:0]} : item_q;
    assign data   = up && ready && !sync && !tell;
    assign ends   = go && at_q == FLITS && left_q == 0;
    assign hello  = TWO ? hello_q : !up || tell;
    assign header = go && (TWO ? at_q == HIGH : at_q == GAP && !sync); // `high` goes

    /* verilator lint_off UNUSEDSIGNAL */ // likewise
    logic full_next, idle_next;
    /* verilator lint_on UNUSEDSIGNAL */
    ofr_link_window #(.SLOW(SLOW)) u_window (
        .clk, .slot, .clear(!up), .closes, .sent(ends), .between(go && at_q == GAP), .acked, .ack,
        .nak(nak_heard), .close_q(close), .send_q(send), .send_d, .ack_q(unused_ack),
        .late_q(unused_late), .full, .full_next, .may_send_q(may_send), .idle_q(idle),
        .idle_next, .waits, .moves, .retries(ev_retry)
    );
    assign ev_frame = ends;

    assign ctl = {5'd0, up && !tell ? 3'd0 : item, state};
    ofr_link_check u_ctl (.info(ctl), .check(ctl_check));
    always_comb begin
        logic [3:0] count;
        count = credit_q == 0 ? freed[3:0] : credit_q == 1 ? freed[7:4] : freed[11:8];
        low   = data ? start : {ctl_check, ctl};
        high  = hello ? item_data : {nak_q, 1'b0, count, credit_q, expects, send};
        case (at_q)
            GAP:     word = sync ? {W/16{`OFR_LINK_SYNC}} : TWO ? W'(low) : W'({high, low});
            HIGH:    word = W'(high);
            FLITS:   word = rdata;
            default: word = SLOW == 1 ? W'(crc_d) : W'(crc_q);
        endcase
    end
    // Of the words before the one that goes: the memory's output is late. With SLOW > 1 of all
    // words, that one included: that is fast enough then.
    ofr_link_crc #(.W(W)) u_crc (.crc(crc_q), .word(summed), .next(crc_d));

    // The buffer's next word: of the frame that is being sent, or the header of the next one
    assign place_d = place_q + 4'(go && at_q == FLITS);
    assign raddr   = (at_q == FLITS && !ends) || (at_q == HIGH && data_q) ||
                     (!TWO && at_q == GAP && go && !sync) ? {1'b0, send[2:0], place_d}
                                                           : {5'b11000, send_d[2:0]};

    logic [1:0]   at_d, credit_d;
    logic [2:0]   item_d;
    logic [3:0]   left_d, start_d; // start_d: the next place_q
    logic [4:0]   run_d;
    logic         data_d, hello_d, nak_d, due_d, late_d, tell_d, fresh;
    assign fresh = SLOW == 1 ? at_q == GAP : (at_q == GAP && sync) || at_q == CRC;
    always_comb begin
        {at_d, credit_d, item_d} = {at_q, credit_q, item_q};
        {left_d, start_d, run_d} = {left_q, place_q, run_q};
        {data_d, hello_d}        = {data_q, hello_q};
        {due_d, tell_d}          = {due_q, tell_q};
        nak_d = (nak_q && !(header && !hello)) || nak;
        if (header && !hello)
            credit_d = credit_q == 2 ? 2'd0 : credit_q + 1;
        if (go)
            case (at_q)
                GAP: begin
                    left_d  = start[3:0];
                    data_d  = data;
                    hello_d = !up || tell;
                    tell_d  = tell;
                    if (!sync && !data)
                        due_d = 1'b0;
                    if (sync)
                        run_d = run_q - 1;
                    else
                        at_d = TWO ? HIGH : data ? FLITS : CRC;
                end
                HIGH:
                    at_d = data_q ? FLITS : CRC;
                FLITS: begin
                    start_d = place_d;
                    left_d  = left_q - 1;
                    if (ends)
                        at_d = CRC;
                end
                default: begin
                    at_d    = GAP;
                    start_d = '0;
                    if (hello_q)
                        item_d = tell_q ? (&item_q ? `OFR_LINK_SAYS_TIME : item_q + 1)
                               : item_q >= `OFR_LINK_ITEM_FREED ? 3'd0
                               : item_q == 0 && SERIAL == 0 ? `OFR_LINK_ITEM_RECEIVED
                                                            : item_q + 1;
                end
            endcase
        if (due)
            due_d = 1'b1;
        if (run)
            run_d = 5'd`OFR_LINK_RUN;
        if (rst) begin
            at_d     = GAP;
            run_d    = 5'd`OFR_LINK_RUN;
            item_d   = '0;
            start_d  = '0;
            credit_d = '0;
            nak_d    = 1'b0;
            due_d    = 1'b0;
        end
        late_d = due_d && (late_q || late);
    end
    ofr_link_slow #(.WIDTH(23), .SLOW(SLOW)) u_framer (
        .clk, .slot, .en(1'b1),
        .d({at_d, credit_d, item_d, left_d, start_d, run_d, data_d, hello_d, nak_d}),
        .q({at_q, credit_q, item_q, left_q, place_q, run_q, data_q, hello_q, nak_q})
    );
    ofr_link_slow #(.WIDTH(16), .SLOW(SLOW), .ROWS(1)) u_sum (
        .clk, .slot, .en(go), .d(fresh ? `OFR_LINK_CRC_INIT : crc_d), .q(crc_q)
    );
    ofr_link_slow #(.WIDTH(3), .SLOW(SLOW)) u_items (
        .clk, .slot, .en(1'b1), .d(TIME != 0 ? {due_d, late_d, tell_d} : 3'd0),
        .q({due_q, late_q, tell_q})
    );
    generate
        if (SLOW == 1 && SHARED == 0) begin : g_takes
            logic must_d;
            assign must_d = flits_d[4] || head_d || (tail_d && poison_d) ||
                            (idle_next && flits_d != 0 && at_d == GAP);
            always_ff @(posedge clk)
                takes_q <= !full_next && !must_d;
        end
    endgenerate
    generate
        if (SLOW == 1) begin : g_word
            logic [W-1:0] word_q;
            assign summed = word_q;
            always_ff @(posedge clk) begin
                if (go)
                    word_q <= word;
                if (rst)
                    word_q <= {W/16{`OFR_LINK_SYNC}};
            end
        end else begin : g_no_word
            assign summed = word;
        end
    endgenerate
    assign phy_word = STRAIGHT == 0 ? summed : word;
endmodule

`default_nettype wire
