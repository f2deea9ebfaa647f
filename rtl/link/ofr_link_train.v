// SPDX-License-Identifier: Apache-2.0
// States of a link's end: down, training (TRAIN, READY), up, failed; who hears whom, what the other
// end is, and why the link is not up. See README.md for the hand-shake.
`default_nettype none
`include "ofr_link.vh"

module ofr_link_train #(
    parameter int N      = 3,   // of the router: dimensions,
    parameter int W      = 32,  // flit width,
    parameter int L      = 128, // flits a slot, 4 to 1024,
    parameter int C      = 8,   // slots a VC
    parameter int SERIAL = 1,   // 1: serial numbers are exchanged
    parameter int SLOW   = 1    // of ofr_link
) (
    input  wire logic        clk,
    input  wire logic [1:0]  slot,
    input  wire logic        rst,
    input  wire logic        enable,
    input  wire logic        phy_up,
    input  wire logic        tick,       // 2^TICK cycles have gone
    input  wire logic [63:0] serial,
    // A good frame
    input  wire logic        good,
    input  wire logic [10:0] low,
    input  wire logic [15:0] high,
    // The sender
    input  wire logic        waits,      // frames that are not acknowledged
    input  wire logic        moves,      // an acknowledgement of something new
    input  wire logic [2:0]  item,
    output logic [15:0]      item_data,
    // Time
    input  wire logic        tells,      // the item is one of these
    input  wire logic [33:0] now,
    input  wire logic [15:0] lag,
    input  wire logic [15:0] rank,
    // Router
    input  wire logic [11:0] rx_received,
    input  wire logic [11:0] rx_credit,
    output logic [11:0]      count_q,    // tx_base while the link trains, then tx_credit
    output logic             rebase_q,
    // State
    output logic [2:0]       state_q,    // OFR_LINK_*
    output logic             up,
    output logic             listens,    // UP, or READY
    output logic             link_up_q,
    output logic             abort,
    output logic [3:0]       why_q,      // OFR_LINK_WHY_*
    output logic             anew_q,     // it fell in the turn before: SILENT or STUCK
    output logic [63:0]      peer_q,     // serial number of the other end; 0 without SERIAL
    output logic             ev_up,
    output logic             ev_down
);
    localparam [15:0] SHAPE = {`OFR_LINK_VERSION, 2'(W / 32), 4'($clog2(L)), 4'(C), 1'(N == 3),
                               1'(SERIAL)};
    localparam [2:0] LAST_SERIAL = `OFR_LINK_ITEM_SERIAL + 3;
    localparam [3:0] HOLD = 10, SILENT = 7; // ticks

    logic [3:0]  timer_q; // ticks: down, or since the last good frame
    logic [3:0]  stuck_q; // ticks since something was acknowledged
    logic [2:0]  want_q;  // item
    logic        hello, up_frame, silent, stuck, fits, fall, fail, anew_d;
    logic [3:0]  why_d, differs;
    logic [2:0]  said, what;
    logic        unused;

    assign unused   = &{1'b0, low[9:6], serial};
    // A bit of its own where there is one end: the router's outputs wait for it, late
    /* verilator lint_off UNUSEDSIGNAL */ // SLOW > 1
    logic up_q;
    /* verilator lint_on UNUSEDSIGNAL */
    generate
        if (SLOW == 1)
            assign up = up_q;
        else
            assign up = state_q == `OFR_LINK_UP;
    endgenerate
    assign listens  = up || state_q == `OFR_LINK_READY;
    assign said     = low[2:0];
    assign what     = low[5:3];
    assign up_frame = good && (low[10] || said == `OFR_LINK_UP);
    assign hello    = good && !up_frame;
    assign silent   = tick && timer_q == SILENT && !good;
    assign stuck    = tick && stuck_q == 15;
    assign differs  = high[15:12] != SHAPE[15:12] ? `OFR_LINK_WHY_VERSION :
                      high[11:10] != SHAPE[11:10] ? `OFR_LINK_WHY_W :
                      high[9:6] != SHAPE[9:6]     ? `OFR_LINK_WHY_L :
                      high[5:2] != SHAPE[5:2]     ? `OFR_LINK_WHY_C : `OFR_LINK_WHY_N;
    assign fits     = high == SHAPE;

    always_comb begin
        if (tells) begin
            case (item)
                `OFR_LINK_SAYS_TIME: item_data = now[15:0];
                `OFR_LINK_SAYS_LAG:  item_data = lag;
                `OFR_LINK_SAYS_HIGH: item_data = now[31:16];
                `OFR_LINK_SAYS_RANK: item_data = rank;
                default:             item_data = {14'd0, now[33:32]};
            endcase
        end else case (item)
            `OFR_LINK_ITEM_SHAPE:    item_data = SHAPE;
            `OFR_LINK_ITEM_RECEIVED: item_data = {4'd0, rx_received};
            `OFR_LINK_ITEM_FREED:    item_data = {4'd0, rx_credit};
            default: item_data = SERIAL != 0 ? serial[16*2'(item - 3'd1) +: 16] : 16'd0;
        endcase
    end

    // What takes the link down (fall), or finds that it may not come up (fail)
    always_comb begin
        fall   = 1'b0;
        fail   = 1'b0;
        anew_d = 1'b0;
        why_d  = why_q;
        if (!enable || !phy_up) begin
            fall  = 1'b1;
            why_d = !enable ? `OFR_LINK_WHY_DISABLED : `OFR_LINK_WHY_PHY;
        end else if (state_q == `OFR_LINK_DOWN) begin
            fail  = hello && timer_q == HOLD && (said == `OFR_LINK_FAILED ||
                    (what == `OFR_LINK_ITEM_SHAPE && !fits));
            if (fail)
                why_d = said == `OFR_LINK_FAILED ? `OFR_LINK_WHY_REFUSED : differs;
        end else if (state_q == `OFR_LINK_FAILED) begin
            fall = silent || (hello && what == `OFR_LINK_ITEM_SHAPE && fits &&
                              said != `OFR_LINK_FAILED);
        end else if (silent || (up && stuck)) begin
            fall   = 1'b1;
            anew_d = 1'b1;
            why_d  = silent ? `OFR_LINK_WHY_SILENT : `OFR_LINK_WHY_STUCK;
        end else if (hello && said == `OFR_LINK_FAILED && !up) begin
            fail  = 1'b1;
            why_d = `OFR_LINK_WHY_REFUSED;
        end else if (hello && ((said == `OFR_LINK_DOWN && state_q != `OFR_LINK_TRAIN) ||
                               (up && said != `OFR_LINK_READY))) begin
            fall  = 1'b1;
            why_d = `OFR_LINK_WHY_PEER;
        end
    end

    assign abort   = link_up_q && !up;
    assign ev_up   = up && !link_up_q;
    assign ev_down = abort;

    logic [3:0]  timer_d, stuck_d, cause_d;
    logic [2:0]  want_d, state_d;
    logic [11:0] count_d;
    logic        rebase_d, hears;
    assign hears = state_q == `OFR_LINK_DOWN && hello && timer_q == HOLD && what == want_q;
    always_comb begin
        {want_d, state_d} = {want_q, state_q};
        cause_d  = why_d;
        count_d  = count_q;
        rebase_d = 1'b0;
        timer_d  = timer_q + 4'(tick && timer_q != HOLD);
        stuck_d  = !waits || moves ? 4'd0 : stuck_q + 4'(tick);
        if (good && state_q != `OFR_LINK_DOWN)
            timer_d = '0;
        case (state_q)
            `OFR_LINK_DOWN: if (hears) begin
                want_d = want_q + 1;
                if (want_q == (SERIAL != 0 ? LAST_SERIAL : `OFR_LINK_ITEM_SHAPE)) begin
                    state_d = `OFR_LINK_TRAIN;
                    timer_d = '0;
                    want_d  = `OFR_LINK_ITEM_RECEIVED;
                end
            end
            `OFR_LINK_TRAIN: if (hello) begin
                // Counts stand still once the other end is in TRAIN; from before they do not count
                if (said == `OFR_LINK_DOWN) begin
                    want_d = `OFR_LINK_ITEM_RECEIVED;
                end else if (what == `OFR_LINK_ITEM_RECEIVED) begin
                    count_d  = high[11:0];
                    rebase_d = 1'b1;
                    want_d   = `OFR_LINK_ITEM_FREED;
                end else if (what == want_q) begin
                    count_d = high[11:0];
                    state_d = `OFR_LINK_READY;
                end
            end
            `OFR_LINK_READY: if (up_frame || (hello && said == `OFR_LINK_READY))
                state_d = `OFR_LINK_UP;
            default: ;
        endcase
        if (listens && up_frame && (low[10] || low[5:3] == 0))
            for (int v = 0; v < 3; v++)
                if (high[9:8] == 2'(v))
                    count_d[4*v +: 4] = high[13:10];
        if (fail) begin
            state_d = `OFR_LINK_FAILED;
            timer_d = '0;
        end
        if (fall || rst) begin
            state_d = `OFR_LINK_DOWN;
            timer_d = '0;
            want_d  = '0;
        end
        if (rst) begin
            cause_d = `OFR_LINK_WHY_RESET;
            count_d = '0;
        end
    end
    ofr_link_slow #(.WIDTH(21), .SLOW(SLOW)) u_state (
        .clk, .slot, .en(1'b1),
        .d({timer_d, stuck_d, want_d, state_d, cause_d, rebase_d, up && !rst, anew_d}),
        .q({timer_q, stuck_q, want_q, state_q, why_q, rebase_q, link_up_q, anew_q})
    );
    generate
        if (SLOW == 1) begin : g_up
            always_ff @(posedge clk)
                up_q <= state_d == `OFR_LINK_UP;
`ifdef FORMAL
            always_comb
                assert (up_q == (state_q == `OFR_LINK_UP));
`endif
        end
    endgenerate
    ofr_link_slow #(.WIDTH(12), .SLOW(SLOW)) u_counts (
        .clk, .slot, .en(1'b1), .d(count_d), .q(count_q)
    );
    always_ff @(posedge clk) begin
        if (hears && what != `OFR_LINK_ITEM_SHAPE)
            peer_q <= {high, peer_q[63:16]};
        if (rst || SERIAL == 0)
            peer_q <= '0;
    end
endmodule

`default_nettype wire
