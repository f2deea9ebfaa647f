// SPDX-License-Identifier: Apache-2.0
// The ends' connections: one state machine for all, whose states are rows of distributed RAM. In a
// cycle one end's row is read, and written as it becomes: for a register, a packet that came, one
// that was sent, one whose turn it is, or as the ends are walked through. Same as struct
// ofr_channel_end in sim/model/channel.h and what deals with it in channel.c.
`include "ofr_defs.vh"
`default_nettype none

module ofr_channel_state #(
    parameter int W    = 32, // flit width in bits, 16, 32 or 64
    parameter int ENDS = 8,
    parameter int ROOM = 4   // packets received ahead of a consumer, 2, 4 or 8
) (
    input  wire logic       clk,
    input  wire logic       rst,
    input  wire logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] row,
    // What is done with the row, one of these at most
    input  wire logic       cmd_peer, // registers, not refused
    input  wire logic       cmd_open,
    input  wire logic       cmd_listen,
    input  wire logic       cmd_close,
    input  wire logic       cmd_abort,
    input  wire logic       ev,       // a packet came
    input  wire logic       ev_match, // ... of the row's peer; late, so it only says if that counts
    input  wire logic       is_sent,  // a DATA packet was sent
    input  wire logic       is_pick,  // what is wanted has its turn
    input  wire logic       is_walk,  // nothing else
    input  wire logic       ticks,    // ... a tick has passed
    // What is known of it elsewhere
    input  wire logic       named,    // PEER has been written
    input  wire logic       some,     // packets wait
    input  wire logic       mid,      // inside a message
    input  wire logic       rest,     // the consumer has not taken all
    input  wire logic [$clog2(ROOM):0] stock, // packets that the consumer has not read
    // The packet that came
    input  wire logic [2:0] ev_type,
    input  wire logic [3:0] ev_code,
    input  wire logic [7:0] ev_seq,
    input  wire logic [7:0] ev_limit,
    input  wire logic       ev_crowded, // a flit of it had no room
    output logic            ev_mine,
    output logic            ev_tells, // it has the peer's count of bytes
    output logic            ev_kept,  // DATA that the consumer gets
    // The row
    output logic [2:0]      state,
    output logic [2:0]      reason,
    output logic            told,
    output logic            want_reset,
    output logic [2:0]      pick_type,
    output logic [7:0]      seq,
    output logic [7:0]      limit,    // the credit to be given
    output logic            any_sent,
    output logic            any_received,
    output logic            any_heard,
    output logic            marks,    // ended, and not closed
    // The slot that a packet for this end goes to
    input  wire logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] in_end,
    output logic [$clog2(ROOM)-1:0] in_slot,
    // All ends
    input  wire logic [ENDS-1:0] freed, // the consumer has read a packet
    input  wire logic [ENDS-1:0] waits, // packets wait, as `some`
    output logic [ENDS-1:0] want,     // there is something to send
    output logic [ENDS-1:0] sends,
    output logic [ENDS-1:0] closing,
    output logic [ENDS-1:0] throws    // beats are taken and thrown away
);
    localparam int EB = ENDS > 1 ? $clog2(ENDS) : 1;
    localparam int RB = $clog2(ROOM);
    localparam logic [2:0] IDLE    = `OFR_CHANNEL_STATE_STATE_IDLE;
    localparam logic [2:0] LISTEN  = `OFR_CHANNEL_STATE_STATE_LISTEN;
    localparam logic [2:0] OPENING = `OFR_CHANNEL_STATE_STATE_OPENING;
    localparam logic [2:0] OPEN    = `OFR_CHANNEL_STATE_STATE_OPEN;
    localparam logic [2:0] CLOSING = `OFR_CHANNEL_STATE_STATE_CLOSING;
    localparam logic [2:0] DRAIN   = `OFR_CHANNEL_STATE_STATE_DRAIN;
    localparam logic [2:0] ENDED   = `OFR_CHANNEL_STATE_STATE_ENDED;
    localparam logic [2:0] T_DATA  = `OFR_CHANNEL_HEAD_TYPE_DATA;
    localparam logic [2:0] T_STATE = `OFR_CHANNEL_HEAD_TYPE_STATE;
    localparam logic [2:0] T_PROBE = `OFR_CHANNEL_HEAD_TYPE_PROBE;
    localparam logic [2:0] T_OPEN  = `OFR_CHANNEL_HEAD_TYPE_OPEN;
    localparam logic [2:0] T_CLOSE = `OFR_CHANNEL_HEAD_TYPE_CLOSE;
    localparam logic [2:0] T_RESET = `OFR_CHANNEL_HEAD_TYPE_RESET;

    // ---- The row: *_r as it is, *_d as it becomes -----------------------------------------------

    logic [2:0] state_r, reason_r, state_m, state_d, reason_d;
    logic [7:0] seq_r, limit_r, expect_r, seq_d, limit_d, expect_d;
    logic [1:0] age_r, age_d; // ticks since the peer was heard
    logic       told_r, told_d, reset_r, reset_d, open_r, open_d, close_r, close_d;
    logic       probe_r, probe_d;
    logic       sent_r, sent_d, received_r, received_d, heard_r, heard_d, told_m;
    logic [2:0] reason_m, any_m;
    localparam int ROW = 40;
    logic [ROW-1:0] rows [0:2**EB-1];
    wire logic [ROW-1:0] row_r = rows[row];
    assign {state_m, reason_m, told_m, any_m, age_r, seq_r, limit_r, expect_r, reset_r, open_r,
            close_r, probe_r} = row_r;
    // After a reset there is nothing in it
    assign state_r = named ? state_m : IDLE;
    assign {reason_r, told_r, sent_r, received_r, heard_r} = named ? {reason_m, told_m, any_m} : '0;

    wire logic is_open = state_r == OPEN || state_r == CLOSING || state_r == DRAIN;
    wire logic may_send = state_r == OPEN || state_r == CLOSING;

    // ---- What came ------------------------------------------------------------------------------

    wire logic is_data = ev_type == T_DATA;
    wire logic is_reset = ev_type == T_RESET;
    wire logic ev_here = ev && (state_r == LISTEN ? ev_type == T_OPEN : state_r != IDLE);
    assign ev_mine = ev_here && ev_match;
    wire logic live = ev_here && state_r != ENDED;
    wire logic is_anew = is_open && ev_type == T_OPEN && expect_r != 0;
    wire logic is_lost = ev_seq != expect_r;
    wire logic is_illegal = is_data
        ? state_r == DRAIN || ev_code == 0 || ev_code > 4'(2 + W / 8) || ev_crowded
        : ev_type > T_RESET;
    wire logic is_fine = live && !is_reset && !is_anew && !is_lost && !is_illegal;
    assign ev_kept = is_fine && is_data && ev_match;
    // A peer that knows nothing of us has forgotten its count
    wire logic tells = ev_here && !is_data
        && !(is_reset && ev_code == 4'(`OFR_CHANNEL_STATE_REASON_REFUSED));
    assign ev_tells = tells && ev_match;

    // ---- What is to be sent ---------------------------------------------------------------------

    wire logic has_data = may_send && some && seq_r != limit_r;
    wire logic may_close = close_r && !some && !mid;
    always_comb
        if (reset_r)
            pick_type = T_RESET;
        else if (open_r)
            pick_type = T_OPEN;
        else if (has_data)
            pick_type = T_DATA;
        else if (may_close)
            pick_type = T_CLOSE;
        else if (probe_r)
            pick_type = T_PROBE;
        else
            pick_type = T_STATE;

    // ---- What becomes of it ---------------------------------------------------------------------

    wire logic begins = cmd_open || cmd_listen;
    wire logic drained = is_walk && state_r == DRAIN && !rest;
    wire logic asks = is_walk && ticks && (is_open || state_r == OPENING);
    wire logic aborts = cmd_abort && state_r != IDLE && state_r != ENDED;
    wire logic finish = aborts || drained || (asks && age_r == 2'd3) || (live && !is_fine);
    always_comb begin
        {state_d, reason_d, told_d} = {state_r, reason_r, told_r};
        {sent_d, received_d, heard_d} = {sent_r || is_sent, received_r || (is_fine && is_data),
                                         heard_r || tells};
        {age_d, limit_d} = {age_r, limit_r};
        seq_d = is_pick && pick_type == T_DATA ? seq_r + 8'd1 : seq_r;
        expect_d = is_fine && is_data ? expect_r + 8'd1 : expect_r;
        {reset_d, open_d, close_d, probe_d} = {reset_r, open_r, close_r, probe_r};

        if (is_pick) begin
            reset_d = 1'b0; // comes first
            if (pick_type == T_OPEN)
                open_d = 1'b0;
            if (pick_type == T_CLOSE)
                close_d = 1'b0;
            if (pick_type == T_CLOSE || pick_type == T_PROBE)
                probe_d = 1'b0;
        end
        if (cmd_close && state_r == OPEN)
            {state_d, close_d} = {CLOSING, 1'b1};
        if (asks) begin
            age_d = age_r + 2'd1;
            if (age_r != 0) begin
                open_d = open_r || state_r == OPENING;
                probe_d = probe_r || is_open;
                close_d = close_r || state_r == CLOSING;
            end
        end
        if (ev_here && state_r == ENDED && !is_reset)
            reset_d = 1'b1;
        if (is_fine) begin
            {age_d, limit_d, open_d} = {2'd0, ev_limit, 1'b0};
            if (!is_open)
                state_d = OPEN;
            if (ev_type == T_CLOSE)
                {state_d, close_d, probe_d} = {DRAIN, 2'b0};
        end
        if (finish) begin
            state_d = ENDED;
            told_d = live && is_reset;
            reset_d = is_open || (state_r == OPENING && !told_d);
            {open_d, close_d, probe_d} = '0;
            if (aborts)
                reason_d = `OFR_CHANNEL_STATE_REASON_ABORTED;
            else if (is_walk)
                reason_d = drained ? `OFR_CHANNEL_STATE_REASON_CLOSED
                    : `OFR_CHANNEL_STATE_REASON_SILENT;
            else if (is_reset)
                reason_d = ev_code[2:0];
            else if (is_anew)
                reason_d = `OFR_CHANNEL_STATE_REASON_REFUSED;
            else if (is_lost)
                reason_d = `OFR_CHANNEL_STATE_REASON_LOST;
            else
                reason_d = `OFR_CHANNEL_STATE_REASON_ILLEGAL;
        end
        if (begins || cmd_peer)
            {reset_d, open_d, close_d, probe_d} = '0;
        if (begins) begin
            state_d = cmd_open ? OPENING : LISTEN;
            {reason_d, told_d, age_d, sent_d, received_d, heard_d} = '0;
            {seq_d, limit_d, expect_d} = '0;
            open_d = cmd_open;
        end
    end
    assign marks = finish && (!ev || ev_match) && is_open
        && reason_d != `OFR_CHANNEL_STATE_REASON_CLOSED;

    wire logic writes = begins || cmd_peer || cmd_close || cmd_abort || ev_mine || is_sent
        || is_pick || is_walk;
    logic [RB-1:0] slots [0:2**EB-1]; // of `expect`, for what arrives meanwhile
    always_ff @(posedge clk)
        if (writes) begin
            rows[row] <= {state_d, reason_d, told_d, sent_d, received_d, heard_d, age_d, seq_d,
                          limit_d, expect_d, reset_d, open_d, close_d, probe_d};
            slots[row] <= expect_d[RB-1:0];
        end
    assign in_slot = slots[in_end];

    // ---- What all ends have to tell at once -----------------------------------------------------

    logic [ENDS-1:0] sends_q, closing_q, throws_q, open_q, asks_q, can_q, state_q;
    wire logic sends_d = state_d == OPEN || state_d == CLOSING;
    wire logic opened_d = sends_d || state_d == DRAIN;
    wire logic can_d = sends_d && seq_d != limit_d;
    wire logic asks_d = reset_d || open_d || probe_d || (close_d && !some && !mid);
    // Wants to send STATE: what came is to be answered, or credit is to be given
    wire logic answers = is_fine && !is_data && ev_type != T_STATE;
    always_ff @(posedge clk) begin
        for (int i = 0; i < ENDS; i++) begin
            if (freed[i] && open_q[i])
                state_q[i] <= 1'b1;
            else if (is_pick && row == EB'(i))
                state_q[i] <= 1'b0;
            if (writes && row == EB'(i)) begin
                sends_q[i] <= sends_d;
                closing_q[i] <= state_d == CLOSING;
                throws_q[i] <= state_d == DRAIN || state_d == ENDED;
                open_q[i] <= opened_d;
                asks_q[i] <= asks_d;
                can_q[i] <= can_d;
                if (answers)
                    state_q[i] <= 1'b1;
                if (finish)
                    state_q[i] <= 1'b0;
            end
        end
        if (rst)
            {sends_q, closing_q, throws_q, open_q, asks_q, can_q, state_q} <= '0;
    end
    assign want = asks_q | state_q | (can_q & waits);
    assign sends = sends_q;
    assign closing = closing_q;
    assign throws = throws_q;

    assign state = state_r;
    assign reason = reason_r;
    assign told = told_r;
    assign want_reset = named && reset_r;
    assign seq = seq_r;
    // ROOM - stock
    logic [RB:0] left;
    always_comb begin
        left = '0;
        left[RB] = stock == 0;
        for (int i = 0; i < RB; i++)
            left[i] = stock[i] ^ ((stock & ((RB + 1)'(1) << i) - (RB + 1)'(1)) != 0);
    end
    assign limit = expect_r + 8'(left);
    assign any_sent = sent_r;
    assign any_received = received_r;
    assign any_heard = heard_r;
endmodule
`default_nettype wire
