// SPDX-License-Identifier: Apache-2.0
// One end of a channel: its state, the packets that the user's logic fills, the room for those that
// come. Same as struct ofr_channel_end in sim/model/channel.h. See README.md.
`include "ofr_defs.vh"
`default_nettype none

module ofr_channel_end #(
    parameter int W    = 32,  // flit width in bits, 16, 32 or 64
    parameter int L    = 128, // largest packet in flits, a power of two
    parameter int ROOM = 4    // packets received ahead of the consumer, 2, 4 or 8
) (
    input  wire logic                 clk,
    input  wire logic                 rst,
    // The user's logic
    input  wire logic                 s_tvalid,
    output logic                      s_tready,
    input  wire logic [W-1:0]         s_tdata,
    input  wire logic [W/8-1:0]       s_tkeep,
    input  wire logic                 s_tlast,
    output logic                      m_tvalid,
    input  wire logic                 m_tready,
    output logic [W-1:0]              m_tdata,
    output logic [W/8-1:0]            m_tkeep,
    output logic                      m_tlast,
    output logic                      m_tuser,
    // Registers, a cycle each; not when refused
    input  wire logic                 cmd_open,
    input  wire logic                 cmd_listen,
    input  wire logic                 cmd_close,
    input  wire logic                 cmd_abort,
    input  wire logic                 tick,
    output logic [2:0]                state,
    output logic [2:0]                reason,
    output logic                      told,
    output logic                      free,
    // Packets to be sent
    output logic                      want,
    output logic [2:0]                want_type,
    output logic [7:0]                seq,
    output logic [3:0]                code,
    output logic [7:0]                freed,
    input  wire logic                 pick,    // what is wanted has its turn, from the next cycle
    input  wire logic                 mine,    // the packet under way is this end's
    input  wire logic                 sending, // ... and is DATA
    input  wire logic [$clog2(L)-1:0] out_at,  // flit of it to be at out_data in the next cycle
    output logic [W-1:0]              out_data,
    output logic                      out_last,
    // Payload that comes, and packets of this connection that have come
    output logic                      room,
    input  wire logic                 in_we,
    input  wire logic [$clog2(L)-1:0] in_at,
    input  wire logic [W-1:0]         in_data,
    input  wire logic [(W == 64 ? 3 : 2):0] in_code, // 0, or of the last flit: CODE
    input  wire logic                 ev,
    input  wire logic [2:0]           ev_type,
    input  wire logic [3:0]           ev_code,
    input  wire logic [7:0]           ev_seq,
    input  wire logic [7:0]           ev_limit,
    input  wire logic                 ev_crowded, // a flit of it had no room
    output logic                      ev_kept, // a DATA packet that the consumer gets
    // Byte counts
    input  wire logic                 sent,    // a DATA packet has been sent
    output logic                      any_sent,
    output logic                      any_received,
    output logic                      any_heard,
    input  wire logic                 heard
);
    localparam int LB = $clog2(L);
    localparam int RB = $clog2(ROOM);
    localparam int HEAD = W == 16 ? 6 : 3;    // flits of the headers
    localparam int CB = W == 64 ? 4 : 3;      // bits of CODE that occur in DATA
    localparam int KB = $clog2(W / 8 + 1);    // bits of a count of bytes
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

    logic [2:0] state_q, reason_q;
    logic       told_q;
    logic [1:0] age_q;    // ticks since the peer was heard
    logic [2:0] packed_q; // packets gathered, modulo 8: at most four more than sent
    logic [7:0] seq_q, limit_q, expect_q, freed_q;
    logic       mid_q, skip_q, mark_q, shown_q;
    logic       want_reset_q, want_open_q, want_close_q, want_probe_q, want_state_q;
    logic       any_sent_q, any_received_q, any_heard_q;

    wire logic is_open = state_q == OPEN || state_q == CLOSING || state_q == DRAIN;
    wire logic sends = state_q == OPEN || state_q == CLOSING;

    // ---- From the user's logic ------------------------------------------------------------------

    logic [LB-1:0] fill_q;        // flits in the packet being gathered
    logic [CB-1:0] codes [0:3]; // of the packets
    wire logic [2:0] gathered = packed_q - seq_q[2:0] + {2'b0, sending};
    wire logic       full = gathered[2]; // never more than four
    wire logic       unused = ^gathered[1:0];

    always_comb
        case (state_q)
            OPEN:         s_tready = skip_q || !full;
            CLOSING:      s_tready = mid_q && (skip_q || !full);
            DRAIN, ENDED: s_tready = 1'b1;
            default:      s_tready = skip_q;
        endcase

    logic [KB-1:0] bytes; // the lowest without a gap
    always_comb begin
        bytes = '0;
        for (int i = W / 8 - 1; i >= 0; i--)
            bytes = s_tkeep[i] ? bytes + KB'(1) : '0;
    end
    wire logic beat = s_tvalid && s_tready;
    wire logic keep = beat && sends && !skip_q;
    wire logic ends = s_tlast || fill_q == LB'(L - HEAD - 1);
    wire logic mid_d = beat ? !s_tlast : mid_q;
    wire logic [CB-1:0] out_code = s_tlast ? CB'(bytes) + CB'(2) : CB'(1);

    logic [W:0] out_mem [0:4*L-1];
    logic [W:0] out_q;
    wire logic [1:0] out_slot = seq_q[1:0] - 2'd1;
    wire logic [LB+1:0] out_row = {out_slot, out_at};
    always_ff @(posedge clk) begin
        if (keep)
            out_mem[{packed_q[1:0], fill_q}] <= {ends, s_tdata};
        if (keep)
            codes[packed_q[1:0]] <= out_code;
        out_q <= out_mem[out_row];
    end
    assign {out_last, out_data} = out_q;

    // ---- To the user's logic --------------------------------------------------------------------

    logic [LB-1:0] at_q; // flit that the consumer is at
    logic [W+CB-1:0] in_mem [0:ROOM*L-1];
    logic [W+CB-1:0] in_q;
    wire logic [CB-1:0] shown_code = in_q[W +: CB];
    wire logic       empty = !shown_q && freed_q == expect_q;
    wire logic       taken = m_tvalid && m_tready;
    wire logic       step = taken && shown_q;
    wire logic       frees = step && shown_code != 0;
    wire logic [7:0] freed_d = freed_q + {7'b0, frees};
    wire logic [LB-1:0] at_d = frees ? '0 : at_q + LB'(step);
    wire logic [RB+LB-1:0] in_row = {freed_d[RB-1:0], at_d};
    always_ff @(posedge clk) begin
        if (in_we)
            in_mem[{expect_q[RB-1:0], in_at}] <= {in_code, in_data};
        in_q <= in_mem[in_row];
    end
    assign room = expect_q[RB-1:0] != freed_q[RB-1:0] || expect_q[RB] == freed_q[RB];
    assign m_tvalid = shown_q || (mark_q && empty);
    assign m_tuser = !shown_q;
    assign m_tdata = in_q[W-1:0];
    assign m_tlast = !shown_q || shown_code >= CB'(2);
    always_comb
        for (int i = 0; i < W / 8; i++)
            m_tkeep[i] = shown_q && (shown_code < CB'(2) || shown_code > CB'(2 + i));

    // ---- What the end has to send ---------------------------------------------------------------

    always_comb begin
        want = 1'b1;
        if (want_reset_q)
            want_type = T_RESET;
        else if (want_open_q)
            want_type = T_OPEN;
        else if (sends && packed_q != seq_q[2:0] && seq_q != limit_q)
            want_type = T_DATA;
        else if (want_close_q && packed_q == seq_q[2:0] && !mid_q)
            want_type = T_CLOSE;
        else if (want_probe_q)
            want_type = T_PROBE;
        else begin
            want_type = T_STATE;
            want = want_state_q;
        end
        code = want_type == T_DATA ? 4'({1'b0, codes[seq_q[1:0]]}) : {1'b0, reason_q};
    end

    // ---- What came ------------------------------------------------------------------------------

    wire logic live = ev && state_q != ENDED;
    wire logic is_data = ev_type == T_DATA;
    wire logic is_told = live && ev_type == T_RESET;
    wire logic is_anew = live && is_open && ev_type == T_OPEN && expect_q != 0;
    wire logic is_lost = live && ev_seq != expect_q;
    wire logic is_illegal = live && (is_data
        ? state_q == DRAIN || ev_code == 0 || ev_code > 4'(2 + W / 8) || ev_crowded
        : ev_type > T_RESET);
    wire logic is_fine = live && !is_told && !is_anew && !is_lost && !is_illegal;
    assign ev_kept = is_fine && is_data;

    wire logic silent = tick && !ev && age_q == 2'd3 && (is_open || state_q == OPENING);
    wire logic drained = state_q == DRAIN && empty;
    wire logic finish = cmd_abort || drained || silent || (live && !is_fine);
    wire logic told_d = is_told && !cmd_abort && !drained;
    logic [2:0] reason_d;
    always_comb
        if (cmd_abort)
            reason_d = `OFR_CHANNEL_STATE_REASON_ABORTED;
        else if (drained)
            reason_d = `OFR_CHANNEL_STATE_REASON_CLOSED;
        else if (is_told)
            reason_d = ev_code[2:0];
        else if (is_anew)
            reason_d = `OFR_CHANNEL_STATE_REASON_REFUSED;
        else if (is_lost)
            reason_d = `OFR_CHANNEL_STATE_REASON_LOST;
        else if (is_illegal)
            reason_d = `OFR_CHANNEL_STATE_REASON_ILLEGAL;
        else
            reason_d = `OFR_CHANNEL_STATE_REASON_SILENT;

    // ---- State: what is later wins --------------------------------------------------------------

    always_ff @(posedge clk) begin
        if (pick) begin
            want_state_q <= 1'b0;
            if (want_type == T_DATA)
                seq_q <= seq_q + 8'd1;
            if (want_type == T_RESET)
                want_reset_q <= 1'b0;
            if (want_type == T_OPEN)
                want_open_q <= 1'b0;
            if (want_type == T_CLOSE)
                want_close_q <= 1'b0;
            if (want_type == T_CLOSE || want_type == T_PROBE)
                want_probe_q <= 1'b0;
        end
        if (sent)
            any_sent_q <= 1'b1;
        if (cmd_close) begin
            state_q <= CLOSING;
            want_close_q <= 1'b1;
        end

        mid_q <= mid_d;
        if (keep) begin
            fill_q <= ends ? '0 : fill_q + LB'(1);
            packed_q <= packed_q + {2'b0, ends};
        end
        if (beat && s_tlast)
            skip_q <= 1'b0;

        shown_q <= freed_d != expect_q;
        freed_q <= freed_d;
        at_q <= at_d;
        if (frees && is_open)
            want_state_q <= 1'b1;
        if (taken && !shown_q)
            mark_q <= 1'b0;

        if (tick && !ev && (is_open || state_q == OPENING)) begin
            age_q <= age_q + 2'd1;
            if (age_q != 0) begin
                if (is_open)
                    want_probe_q <= 1'b1;
                else
                    want_open_q <= 1'b1;
                if (state_q == CLOSING)
                    want_close_q <= 1'b1;
            end
        end

        if (heard)
            any_heard_q <= 1'b1;
        if (ev && state_q == ENDED && ev_type != T_RESET)
            want_reset_q <= 1'b1;
        if (is_fine) begin
            age_q <= 2'd0;
            limit_q <= ev_limit;
            if (is_data) begin
                expect_q <= expect_q + 8'd1;
                any_received_q <= 1'b1;
            end else if (ev_type != T_STATE)
                want_state_q <= 1'b1;
            if (!is_open) begin
                state_q <= OPEN;
                want_open_q <= 1'b0;
            end
            if (ev_type == T_CLOSE) begin
                state_q <= DRAIN;
                {want_close_q, want_probe_q} <= '0;
            end
        end

        if (finish) begin
            state_q <= ENDED;
            reason_q <= reason_d;
            told_q <= told_d;
            mark_q <= is_open && reason_d != `OFR_CHANNEL_STATE_REASON_CLOSED;
            want_reset_q <= is_open || (state_q == OPENING && !told_d);
            {want_open_q, want_close_q, want_probe_q, want_state_q} <= '0;
        end
        if (cmd_open || cmd_listen) begin
            state_q <= cmd_open ? OPENING : LISTEN;
            {packed_q, seq_q, limit_q, expect_q, freed_q, fill_q, at_q} <= '0;
            {reason_q, told_q, age_q} <= '0;
            {any_sent_q, any_received_q, any_heard_q} <= '0;
            skip_q <= mid_d;
            want_reset_q <= 1'b0;
            want_open_q <= cmd_open;
        end
        if (rst) begin
            state_q <= IDLE;
            {packed_q, seq_q, limit_q, expect_q, freed_q, fill_q, at_q} <= '0;
            {reason_q, told_q, age_q} <= '0;
            {any_sent_q, any_received_q, any_heard_q} <= '0;
            {mid_q, skip_q, mark_q, shown_q} <= '0;
            {want_reset_q, want_open_q, want_close_q, want_probe_q, want_state_q} <= '0;
        end
    end

    assign state = state_q;
    assign reason = reason_q;
    assign told = told_q;
    assign seq = seq_q;
    assign freed = freed_q;
    assign any_sent = any_sent_q;
    assign any_received = any_received_q;
    assign any_heard = any_heard_q;
    assign free = (state_q == IDLE || state_q == ENDED) && empty && !mark_q && !want_reset_q
        && !mine;
endmodule
`default_nettype wire
