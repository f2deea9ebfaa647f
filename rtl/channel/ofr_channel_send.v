// SPDX-License-Identifier: Apache-2.0
// Sends the ends' packets, a packet each in turn, and the answer to a packet of no connection here.
// Packets follow each other without an idle cycle. Same as send() in sim/model/channel.c.
`include "ofr_defs.vh"
`default_nettype none

module ofr_channel_send #(
    parameter int N    = 2,   // dimensions, 2 or 3
    parameter int W    = 32,  // flit width in bits, 16, 32 or 64
    parameter int L    = 128, // largest packet in flits, a power of two
    parameter int ENDS = 8,   // 1 to 16
    parameter int ROOM = 4    // packets received ahead of a consumer
) (
    input  wire logic                      clk,
    input  wire logic                      rst,
    input  wire logic [4*N-1:0]            me,
    // From and to the ends, see ofr_channel_end
    input  wire logic [ENDS-1:0]           want,
    input  wire logic [3*ENDS-1:0]         want_type,
    input  wire logic [8*ENDS-1:0]         seq,
    input  wire logic [4*ENDS-1:0]         code,
    input  wire logic [8*ENDS-1:0]         freed,
    input  wire logic [W*ENDS-1:0]         out_data,
    input  wire logic [ENDS-1:0]           out_last,
    output logic [ENDS-1:0]                pick,
    output logic [ENDS-1:0]                mine,
    output logic [ENDS-1:0]                sending,
    output logic [$clog2(L)-1:0]           out_at,
    // Answer to a packet of no connection
    input  wire logic                      reply,
    input  wire logic [15:0]               reply_peer, // node, end
    input  wire logic [7:0]                reply_conn,
    input  wire logic [3:0]                reply_from, // the end here that it was for
    output logic                           reply_done,
    // Of the end whose packet is under way: its peer, and what it has received
    output logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] row,
    input  wire logic [23:0]               peer, // conn, end, node
    input  wire logic [31:0]               received,
    output logic                           sent,       // a DATA packet's last flit, with its
    output logic [$clog2(L)-1:0]           sent_last,  // ... index
    output logic [3:0]                     sent_code,
    // To the local port
    output logic                           tx_valid,
    input  wire logic                      tx_ready,
    output logic [W-1:0]                   tx_data,
    output logic                           tx_last
);
    localparam int LB = $clog2(L);
    localparam int TB = $clog2(ENDS + 1);
    localparam int HEAD = W == 16 ? 6 : 3;    // flits of the headers
    localparam int CONTROL = W == 16 ? 8 : 4; // flits of a packet that is not DATA
    localparam logic [2:0] T_DATA  = `OFR_CHANNEL_HEAD_TYPE_DATA;

    logic          busy_q;
    logic [TB-1:0] turn_q; // ENDS: the answer
    logic [2:0]    type_q, step_q; // step: flits sent, to HEAD
    logic [7:0]    seq_q, limit_q;
    logic [3:0]    code_q;
    logic [LB-1:0] at_q; // flit behind the headers
    wire logic     is_reply = turn_q == TB'(ENDS);
    wire logic     is_data = type_q == T_DATA;

    // ---- Whose turn is next ---------------------------------------------------------------------

    wire logic [ENDS:0] asks = {reply && !reply_done, want};
    logic [ENDS:0] behind, first; // behind the one whose turn it was; whose it is
    always_comb
        for (int i = 0; i <= ENDS; i++)
            behind[i] = asks[i] && TB'(i) > turn_q;
    wire logic [ENDS:0] those = behind != 0 ? behind : asks;
    assign first = those & (~those + (ENDS + 1)'(1));

    logic [TB-1:0] turn_d;
    logic [2:0]    type_d;
    logic [7:0]    seq_d, limit_d;
    logic [3:0]    code_d;
    always_comb begin
        turn_d = '0;
        type_d = first[ENDS] ? 3'(`OFR_CHANNEL_HEAD_TYPE_RESET) : '0;
        code_d = first[ENDS] ? 4'(`OFR_CHANNEL_STATE_REASON_REFUSED) : '0;
        seq_d = '0;
        limit_d = '0;
        for (int i = 0; i <= ENDS; i++)
            turn_d = turn_d | (first[i] ? TB'(i) : '0);
        for (int i = 0; i < ENDS; i++) begin
            type_d = type_d | (first[i] ? want_type[3*i +: 3] : '0);
            seq_d = seq_d | (first[i] ? seq[8*i +: 8] : '0);
            limit_d = limit_d | (first[i] ? freed[8*i +: 8] + 8'(ROOM) : '0);
            code_d = code_d | (first[i] ? code[4*i +: 4] : '0);
        end
    end

    // ---- Flits ----------------------------------------------------------------------------------

    wire logic [15:0] to = is_reply ? reply_peer : peer[15:0];
    wire logic [7:0]  conn = is_reply ? reply_conn : peer[23:16];
    wire logic [3:0]  from = is_reply ? reply_from : 4'(turn_q);
    wire logic [31:0] bytes = is_reply ? '0 : received;
    wire logic [31:0] shown = W == 16 && at_q[0] ? bytes >> 16 : bytes;
    logic [W*HEAD-1:0] head;
    always_comb begin
        head = '0;
        head[`OFR_PKT_TARGET_X_LSB +: 12] = to[11:0];
        head[`OFR_PKT_CLASS_LSB +: 2] = `OFR_PKT_CLASS_INORDER;
        head[`OFR_PKT_LEG_LSB] = 1'b1;
        head[`OFR_PKT_DEST_X_LSB +: 12] = to[11:0];
        head[`OFR_PKT_SRC_X_LSB +: 12] = 12'(me);
        head[`OFR_PKT_KIND_LSB +: 4] = `OFR_PKT_KIND_CHANNEL;
        head[`OFR_PKT_SEQ_LSB +: 16] = {8'b0, seq_q};
        head[64 +: 32] = {conn, limit_q, from, to[15:12], 1'b0, code_q, type_q};
    end

    logic [W-1:0] mem_data, flit;
    logic         mem_last;
    always_comb begin
        mem_data = '0;
        mem_last = 1'b0;
        for (int i = 0; i < ENDS; i++)
            if (turn_q == TB'(i)) begin
                mem_data = mem_data | out_data[W*i +: W];
                mem_last = mem_last | out_last[i];
            end
    end
    wire logic in_head = step_q != 3'(HEAD);
    always_comb begin
        flit = is_data ? mem_data : W'({32'b0, shown});
        for (int i = 0; i < HEAD; i++)
            if (step_q == 3'(i))
                flit = head[W*i +: W];
    end
    wire logic ends = !in_head && (is_data ? mem_last : at_q == LB'(CONTROL - HEAD - 1));

    logic         valid_q, last_q;
    logic [W-1:0] data_q;
    wire logic moves = !valid_q || tx_ready;
    wire logic go = busy_q && moves;
    wire logic picks = !busy_q || (go && ends);
    wire logic [LB-1:0] at_d = at_q + LB'(go && !in_head);
    assign out_at = at_d;
    assign pick = picks ? first[ENDS-1:0] : '0;
    assign reply_done = go && ends && is_reply;
    assign row = turn_q[(ENDS > 1 ? $clog2(ENDS) : 1)-1:0];
    assign sent = go && ends && is_data;
    assign sent_last = at_q;
    assign sent_code = code_q;
    always_comb
        for (int i = 0; i < ENDS; i++) begin
            mine[i] = busy_q && turn_q == TB'(i);
            sending[i] = mine[i] && is_data;
        end

    always_ff @(posedge clk) begin
        at_q <= at_d;
        if (go) begin
            data_q <= flit;
            last_q <= ends;
            if (in_head)
                step_q <= step_q + 3'd1;
        end
        if (moves)
            valid_q <= busy_q;
        if (picks) begin
            busy_q <= first != 0;
            if (first != 0) begin
                turn_q <= turn_d;
                type_q <= type_d;
                seq_q <= seq_d;
                limit_q <= limit_d;
                code_q <= code_d;
                step_q <= '0;
                at_q <= '0;
            end
        end
        if (rst) begin
            {busy_q, valid_q} <= '0;
            turn_q <= TB'(ENDS);
        end
    end
    assign tx_valid = valid_q;
    assign tx_data = data_q;
    assign tx_last = last_q;
endmodule
`default_nettype wire
