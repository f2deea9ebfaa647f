// SPDX-License-Identifier: Apache-2.0
// Sends the ends' packets, a packet each in turn, and the answer to a packet of no connection here.
// Packets follow each other without an idle cycle: what is behind the headers is fetched a cycle
// ahead, so the next packet has its turn in the cycle in which the last flit leaves. Same as send()
// in sim/model/channel.c.
`include "ofr_defs.vh"
`default_nettype none

module ofr_channel_send #(
    parameter int N    = 2,   // dimensions, 2 or 3
    parameter int W    = 32,  // flit width in bits, 16, 32 or 64
    parameter int L    = 128, // largest packet in flits, a power of two
    parameter int ENDS = 8    // 1 to 16
) (
    input  wire logic                      clk,
    input  wire logic                      rst,
    input  wire logic [4*N-1:0]            me,
    // Whose turn it is next
    input  wire logic [ENDS-1:0]           want,
    output logic                           near,  // a packet can have its turn in this cycle, if
    output logic                           turns, // ... it has it,
    output logic                           some,  // ... and there is one: the answer, or this end's
    output logic                           some_reply,
    output logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] some_end,
    // It has it: the answer, or this end; what it sends, see ofr_channel_state, and its peer
    input  wire logic                      pick_reply,
    input  wire logic                      pick,
    input  wire logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] pick_end,
    input  wire logic [2:0]                pick_type,
    input  wire logic [7:0]                seq,
    input  wire logic [7:0]                limit,
    input  wire logic [2:0]                reason,
    input  wire logic [23:0]               peer,     // conn, end, node
    input  wire logic [31:0]               received, // bytes
    // Answer to a packet of no connection
    input  wire logic                      reply,
    input  wire logic [15:0]               reply_peer, // node, end
    input  wire logic [7:0]                reply_conn,
    input  wire logic [3:0]                reply_from, // the end here that it was for
    output logic                           reply_done,
    // The packet that is under way, until its last flit has been fetched
    input  wire logic                      waits,    // the one before is not counted yet
    output logic                           busy,
    output logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] out_end,
    output logic [1:0]                     out_slot,
    output logic [$clog2(L)-1:0]           out_at,   // flit to be at out_data in the next cycle
    input  wire logic [W-1:0]              out_data,
    input  wire logic                      out_last,
    input  wire logic [3:0]                out_code, // its CODE, a cycle behind the turn
    output logic                           sent,      // DATA's last flit, with its
    output logic [$clog2(L)-1:0]           sent_last, // ... index
    output logic [3:0]                     sent_code,
    // To the local port
    output logic                           tx_valid,
    input  wire logic                      tx_ready,
    output logic [W-1:0]                   tx_data,
    output logic                           tx_last
);
    localparam int LB = $clog2(L);
    localparam int EB = ENDS > 1 ? $clog2(ENDS) : 1;
    localparam int HEAD = W == 16 ? 6 : 3;    // flits of the headers
    localparam int CONTROL = W == 16 ? 8 : 4; // flits of a packet that is not DATA
    localparam logic [2:0] T_DATA  = `OFR_CHANNEL_HEAD_TYPE_DATA;

    logic          busy_q, reply_q;
    logic [1:0]    slot_q;
    logic [EB-1:0] turn_q;
    logic [ENDS:0] pos_q; // who is asked, one bit: an end, or last the answer
    logic [2:0]    type_q, reason_q, step_q; // step: flits of the headers that are sent
    logic [7:0]    seq_q, limit_q, conn_q;
    logic [15:0]   to_q;
    logic [3:0]    from_q;
    logic [31:0]   bytes_q;
    logic [LB-1:0] at_q; // flit behind the headers
    wire logic     is_data = type_q == T_DATA;
    wire logic [3:0] code = is_data ? out_code : {1'b0, reason_q};

    // ---- Whose turn is next ---------------------------------------------------------------------

    wire logic [ENDS:0] asks = {reply && !(busy_q && reply_q), want};
    wire logic others = (asks & ~pos_q) != 0;
    always_comb begin
        some_end = '0;
        for (int i = 0; i < ENDS; i++)
            some_end = some_end | (pos_q[i] ? EB'(i) : '0);
    end
    assign some = (asks & pos_q) != 0;
    assign some_reply = pos_q[ENDS];

    // ---- Flits ----------------------------------------------------------------------------------

    wire logic [31:0] shown = W == 16 && at_q[0] ? bytes_q >> 16 : bytes_q;
    logic [W*HEAD-1:0] head;
    always_comb begin
        head = '0;
        head[`OFR_PKT_TARGET_X_LSB +: 12] = to_q[11:0];
        head[`OFR_PKT_CLASS_LSB +: 2] = `OFR_PKT_CLASS_INORDER;
        head[`OFR_PKT_LEG_LSB] = 1'b1;
        head[`OFR_PKT_DEST_X_LSB +: 12] = to_q[11:0];
        head[`OFR_PKT_SRC_X_LSB +: 12] = 12'(me);
        head[`OFR_PKT_KIND_LSB +: 4] = `OFR_PKT_KIND_CHANNEL;
        head[`OFR_PKT_SEQ_LSB +: 16] = {8'b0, seq_q};
        head[64 +: 32] = {conn_q, limit_q, from_q, to_q[15:12], 1'b0, code, type_q};
    end

    logic         valid_q, last_q, ahead_q, ahead_last_q; // ahead: fetched
    logic [W-1:0] data_q, ahead_data_q;
    logic [W-1:0] flit;
    always_comb begin
        flit = ahead_data_q;
        for (int i = 0; i < HEAD; i++)
            if (!ahead_q && step_q == 3'(i))
                flit = head[W*i +: W];
    end
    wire logic moves = !valid_q || tx_ready;
    wire logic head_last = step_q == 3'(HEAD - 1);
    wire logic head_go = moves && busy_q && !ahead_q && !(head_last && waits);
    wire logic fetch = busy_q && moves && (ahead_q ? step_q == 3'(HEAD) : head_last && !waits);
    wire logic fetch_last = is_data ? out_last : at_q == LB'(CONTROL - HEAD - 1);
    wire logic ends = fetch && fetch_last;
    wire logic [LB-1:0] at_d = at_q + LB'(fetch);
    assign out_at = at_d;
    assign near = !busy_q || head_last || step_q == 3'(HEAD);
    assign turns = !busy_q || ends;
    assign reply_done = ends && reply_q;
    assign busy = busy_q && !reply_q;
    assign out_end = turn_q;
    assign out_slot = slot_q;
    assign sent = ends && is_data;
    assign sent_last = at_q;
    assign sent_code = out_code;

    always_ff @(posedge clk) begin
        at_q <= at_d;
        if (moves) begin
            valid_q <= ahead_q || head_go;
            data_q <= flit;
            last_q <= ahead_q && ahead_last_q;
            ahead_q <= fetch;
        end
        if (fetch) begin
            ahead_data_q <= is_data ? out_data : W'({32'b0, shown});
            ahead_last_q <= fetch_last;
        end
        if (head_go)
            step_q <= step_q + 3'd1;
        if (ends)
            busy_q <= 1'b0;
        if (others && (!some || pick || pick_reply))
            pos_q <= {pos_q[ENDS-1:0], pos_q[ENDS]};
        if (pick || pick_reply) begin
            busy_q <= 1'b1;
            turn_q <= pick_end;
            reply_q <= pick_reply;
            type_q <= pick_reply ? 3'(`OFR_CHANNEL_HEAD_TYPE_RESET) : pick_type;
            reason_q <= pick_reply ? 3'(`OFR_CHANNEL_STATE_REASON_REFUSED) : reason;
            seq_q <= pick_reply ? '0 : seq;
            slot_q <= seq[1:0];
            limit_q <= pick_reply ? '0 : limit;
            bytes_q <= pick_reply ? '0 : received;
            to_q <= pick_reply ? reply_peer : peer[15:0];
            conn_q <= pick_reply ? reply_conn : peer[23:16];
            from_q <= pick_reply ? reply_from : 4'(pick_end);
            step_q <= '0;
            at_q <= '0;
        end
        if (rst)
            {busy_q, valid_q, ahead_q} <= '0;
        if (rst)
            pos_q <= (ENDS + 1)'(1);
    end
    assign tx_valid = valid_q;
    assign tx_data = data_q;
    assign tx_last = last_q;
endmodule
`default_nettype wire
