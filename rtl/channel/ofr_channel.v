// SPDX-License-Identifier: Apache-2.0
// Channels: ENDS AXI4-Stream port pairs whose messages go to other nodes' ends as packets, with
// end-to-end credits. Registers: block CHANNEL. Same as sim/model/channel.c, every pin every cycle.
// See README.md.
`include "ofr_defs.vh"
`default_nettype none

module ofr_channel #(
    parameter int N    = 2,   // dimensions, 2 or 3
    parameter int W    = 32,  // flit width in bits, 16, 32 or 64
    parameter int L    = 128, // largest packet in flits, a power of two, 8 to 256; 32 bytes or more
    parameter int ENDS = 8,   // 1 to 16
    parameter int ROOM = 4    // packets an end receives ahead of its consumer, 2, 4 or 8
) (
    input  wire logic                  clk,
    input  wire logic                  rst,
    input  wire logic [4*N-1:0]        me,   // coordinates, x lowest
    input  wire logic [5*N-1:0]        size, // of the torus
    // Register strobes, see rtl/README.md
    input  wire logic                  reg_we,
    input  wire logic [11:0]           reg_adr,
    input  wire logic [31:0]           reg_wdat,
    output logic [31:0]                reg_rdat,
    output logic                       reg_err,
    // From the user's logic, end 0 lowest
    input  wire logic [ENDS-1:0]       s_axis_tvalid,
    output logic [ENDS-1:0]            s_axis_tready,
    input  wire logic [W*ENDS-1:0]     s_axis_tdata,
    input  wire logic [W/8*ENDS-1:0]   s_axis_tkeep, // counts in a message's last beat
    input  wire logic [ENDS-1:0]       s_axis_tlast,
    // To the user's logic
    output logic [ENDS-1:0]            m_axis_tvalid,
    input  wire logic [ENDS-1:0]       m_axis_tready,
    output logic [W*ENDS-1:0]          m_axis_tdata,
    output logic [W/8*ENDS-1:0]        m_axis_tkeep,
    output logic [ENDS-1:0]            m_axis_tlast,
    output logic [ENDS-1:0]            m_axis_tuser, // the stream is broken: no data, tkeep 0
    // To the local port, local VC USER
    output logic                       tx_valid,
    input  wire logic                  tx_ready,
    output logic [W-1:0]               tx_data,
    output logic                       tx_last,
    // What is delivered to this node; always taken
    input  wire logic                  rx_valid,
    input  wire logic [W-1:0]          rx_data,
    input  wire logic                  rx_last,
    input  wire logic                  rx_poison
);
    localparam int LB = $clog2(L);
    localparam int EB = ENDS > 1 ? $clog2(ENDS) : 1;

    generate
        if ((N != 2 && N != 3) || (W != 16 && W != 32 && W != 64) || L * W < 256 || L < 8 || L > 256
            || (L & (L - 1)) != 0 || ENDS < 1 || ENDS > 16 || (ROOM != 2 && ROOM != 4 && ROOM != 8))
            ofr_channel_parameters_out_of_range bad ();
    endgenerate

    // ---- Registers ------------------------------------------------------------------------------

    logic [4:0]  time_q;
    logic [3:0]  select_q;
    logic [23:0] count_q;
    logic        was_q;
    logic [15:0] dropped_q;
    logic [ENDS-1:0] named_q; // PEER has been written
    wire logic [EB-1:0] sel = select_q[EB-1:0];
    wire logic [31:0] adr = {20'b0, reg_adr};
    wire logic is_command = adr == `OFR_CHANNEL_COMMAND;

    logic [3*ENDS-1:0] state, reason;
    logic [ENDS-1:0]   told, free, any_sent, any_received, any_heard;
    logic [2:0] sel_state, sel_reason;
    logic       sel_told, sel_free, sel_named, sel_any_sent, sel_any_received, sel_any_heard;
    always_comb begin
        sel_state = '0;
        sel_reason = '0;
        sel_told = 1'b0;
        sel_free = 1'b0;
        sel_named = 1'b0;
        sel_any_sent = 1'b0;
        sel_any_received = 1'b0;
        sel_any_heard = 1'b0;
        for (int i = 0; i < ENDS; i++)
            if (select_q == 4'(i)) begin
                sel_state = state[3*i +: 3];
                sel_reason = reason[3*i +: 3];
                sel_told = told[i];
                sel_free = free[i];
                sel_named = named_q[i];
                sel_any_sent = any_sent[i];
                sel_any_received = any_received[i];
                sel_any_heard = any_heard[i];
            end
    end

    logic outside; // the node that is written to PEER
    always_comb begin
        outside = N == 2 && reg_wdat[11:8] != 0;
        for (int i = 0; i < N; i++)
            outside = outside || {1'b0, reg_wdat[4*i +: 4]} >= size[5*i +: 5];
    end
    always_comb
        case (adr)
            `OFR_CHANNEL_CONTROL: reg_err = reg_we && reg_wdat[4:0] >= 5'd24;
            `OFR_CHANNEL_SELECT:  reg_err = reg_we && {1'b0, reg_wdat[3:0]} >= 5'(ENDS);
            `OFR_CHANNEL_PEER:    reg_err = reg_we && (!sel_free || outside);
            `OFR_CHANNEL_COMMAND:
                case (reg_wdat)
                    `OFR_CHANNEL_COMMAND_OPEN,
                    `OFR_CHANNEL_COMMAND_LISTEN:
                        reg_err = reg_we && (!sel_free || !sel_named);
                    `OFR_CHANNEL_COMMAND_CLOSE:
                        reg_err = reg_we && sel_state != `OFR_CHANNEL_STATE_STATE_OPEN;
                    `OFR_CHANNEL_COMMAND_ABORT:
                        reg_err = reg_we && (sel_state == `OFR_CHANNEL_STATE_STATE_IDLE
                            || sel_state == `OFR_CHANNEL_STATE_STATE_ENDED);
                    default: reg_err = reg_we;
                endcase
            default: reg_err = 1'b0;
        endcase
    wire logic we = reg_we && !reg_err;
    wire logic we_peer = we && adr == `OFR_CHANNEL_PEER;

    wire logic bit_now = count_q[time_q];
    wire logic tick = was_q && !bit_now;
    always_ff @(posedge clk) begin
        count_q <= count_q + 24'd1;
        was_q <= bit_now;
        if (we && adr == `OFR_CHANNEL_CONTROL)
            time_q <= reg_wdat[4:0];
        if (we && adr == `OFR_CHANNEL_SELECT)
            select_q <= reg_wdat[3:0];
        if (we_peer)
            named_q[sel] <= 1'b1;
        if (rst) begin
            {count_q, was_q, select_q} <= '0;
            named_q <= '0;
            time_q <= 5'(`OFR_CHANNEL_CONTROL_TIME_RESET);
        end
    end

    // ---- Tables: a row an end -------------------------------------------------------------------

    logic [23:0] peers [0:2**EB-1]; // conn, end, node
    logic [31:0] sents [0:2**EB-1], receiveds [0:2**EB-1], heards [0:2**EB-1]; // bytes
    always_ff @(posedge clk)
        if (we_peer)
            peers[sel] <= reg_wdat[23:0];

    // ---- What comes -----------------------------------------------------------------------------

    logic          flit, arrived, good, channel;
    logic [LB-1:0] flit_at, last_at;
    logic [(W == 64 ? 3 : 2):0] flit_code;
    logic [11:0]   source;
    logic [7:0]    rx_seq;
    logic [31:0]   head, word;
    ofr_channel_receive #(.W(W), .L(L)) receive (
        .clk, .rst, .rx_valid, .rx_data, .rx_last, .rx_poison, .flit, .flit_at, .flit_code,
        .arrived, .good, .channel, .last_at, .source, .seq(rx_seq), .head, .word
    );

    wire logic [2:0] rx_type = head[`OFR_CHANNEL_HEAD_TYPE_LSB +: 3];
    wire logic [3:0] rx_code = head[`OFR_CHANNEL_HEAD_CODE_LSB +: 4];
    wire logic [3:0] rx_to = head[`OFR_CHANNEL_HEAD_TO_LSB +: 4];
    wire logic [3:0] rx_from = head[`OFR_CHANNEL_HEAD_FROM_LSB +: 4];
    wire logic [7:0] rx_limit = head[`OFR_CHANNEL_HEAD_LIMIT_LSB +: 8];
    wire logic [7:0] rx_conn = head[`OFR_CHANNEL_HEAD_CONN_LSB +: 8];
    wire logic is_reset = rx_type == `OFR_CHANNEL_HEAD_TYPE_RESET;
    wire logic is_data = rx_type == `OFR_CHANNEL_HEAD_TYPE_DATA;

    // Ends that are in a state to have a connection that such a packet is of
    logic [ENDS-1:0] is_to, takes, room;
    always_comb
        for (int i = 0; i < ENDS; i++) begin
            is_to[i] = rx_to == 4'(i);
            takes[i] = state[3*i +: 3] == `OFR_CHANNEL_STATE_STATE_LISTEN
                ? rx_type == `OFR_CHANNEL_HEAD_TYPE_OPEN
                : state[3*i +: 3] != `OFR_CHANNEL_STATE_STATE_IDLE;
        end
    wire logic [EB-1:0] to = rx_to[EB-1:0];
    wire logic is_channel = arrived && good && channel;
    wire logic is_mine = is_channel && |(is_to & takes)
        && peers[to] == {rx_conn, rx_from, source};
    wire logic is_strange = is_channel && !is_mine;
    // A peer that knows nothing of us has forgotten its count
    wire logic tells = is_mine && !is_data
        && !(is_reset && rx_code == 4'(`OFR_CHANNEL_STATE_REASON_REFUSED));

    logic crowded_q; // a flit of the packet had no room
    always_ff @(posedge clk)
        if (flit)
            crowded_q <= (crowded_q && flit_at != 0) || |(is_to & ~room);

    // A packet of no connection here is answered; one at a time
    logic        reply_q;
    logic [15:0] reply_peer_q;
    logic [7:0]  reply_conn_q;
    logic [3:0]  reply_from_q;
    logic        reply_done;
    always_ff @(posedge clk) begin
        if (reply_done)
            reply_q <= 1'b0;
        if (is_strange && !is_reset && !reply_q) begin
            reply_q <= 1'b1;
            reply_peer_q <= {rx_from, source};
            reply_conn_q <= rx_conn;
            reply_from_q <= rx_to;
        end
        if (((arrived && !good) || is_strange) && !(&dropped_q))
            dropped_q <= dropped_q + 16'd1;
        if (rst) begin
            reply_q <= 1'b0;
            dropped_q <= '0;
        end
    end

    // Bytes: the whole flits, and those of the last one where the message ends in it
    function automatic logic [31:0] bytes_of(input logic [LB-1:0] last, input logic [3:0] code);
        bytes_of = 32'(last) * (W / 8) + (code == 4'd1 ? 32'(W / 8) : 32'(code) - 32'd2);
    endfunction

    logic [ENDS-1:0] kept;
    wire logic has_any = |(is_to & any_received);
    always_ff @(posedge clk) begin
        if (kept != 0)
            receiveds[to] <= (has_any ? receiveds[to] : '0) + bytes_of(last_at, rx_code);
        if (tells)
            heards[to] <= word;
    end

    // ---- What goes ------------------------------------------------------------------------------

    logic [ENDS-1:0]   want, pick, mine, sending, out_last;
    logic [3*ENDS-1:0] want_type;
    logic [4*ENDS-1:0] code;
    logic [8*ENDS-1:0] seq, freed;
    logic [W*ENDS-1:0] out_data;
    logic [LB-1:0]     out_at, sent_last;
    logic [3:0]        sent_code;
    logic [EB-1:0]     row;
    logic              sent;
    wire logic [31:0] received = |(mine & any_received) ? receiveds[row] : '0;
    wire logic [23:0] row_peer = peers[row]; // in the port below Yosys 0.23 fails on it
    ofr_channel_send #(.N(N), .W(W), .L(L), .ENDS(ENDS), .ROOM(ROOM)) send (
        .clk, .rst, .me, .want, .want_type, .seq, .code, .freed, .out_data, .out_last,
        .pick, .mine, .sending, .out_at,
        .reply(reply_q), .reply_peer(reply_peer_q), .reply_conn(reply_conn_q),
        .reply_from(reply_from_q), .reply_done,
        .row, .peer(row_peer), .received, .sent, .sent_last, .sent_code,
        .tx_valid, .tx_ready, .tx_data, .tx_last
    );
    wire logic had_sent = |(mine & any_sent);
    always_ff @(posedge clk)
        if (sent)
            sents[row] <= (had_sent ? sents[row] : '0) + bytes_of(sent_last, sent_code);

    // ---- Ends -----------------------------------------------------------------------------------

    generate
        for (genvar i = 0; i < ENDS; i++) begin : g_end
            wire logic commanded = we && is_command && select_q == 4'(i);
            ofr_channel_end #(.W(W), .L(L), .ROOM(ROOM)) channel_end (
                .clk, .rst,
                .s_tvalid(s_axis_tvalid[i]), .s_tready(s_axis_tready[i]),
                .s_tdata(s_axis_tdata[W*i +: W]), .s_tkeep(s_axis_tkeep[W/8*i +: W/8]),
                .s_tlast(s_axis_tlast[i]),
                .m_tvalid(m_axis_tvalid[i]), .m_tready(m_axis_tready[i]),
                .m_tdata(m_axis_tdata[W*i +: W]), .m_tkeep(m_axis_tkeep[W/8*i +: W/8]),
                .m_tlast(m_axis_tlast[i]), .m_tuser(m_axis_tuser[i]),
                .cmd_open(commanded && reg_wdat == `OFR_CHANNEL_COMMAND_OPEN),
                .cmd_listen(commanded && reg_wdat == `OFR_CHANNEL_COMMAND_LISTEN),
                .cmd_close(commanded && reg_wdat == `OFR_CHANNEL_COMMAND_CLOSE),
                .cmd_abort(commanded && reg_wdat == `OFR_CHANNEL_COMMAND_ABORT),
                .tick, .state(state[3*i +: 3]), .reason(reason[3*i +: 3]), .told(told[i]),
                .free(free[i]),
                .want(want[i]), .want_type(want_type[3*i +: 3]), .seq(seq[8*i +: 8]),
                .code(code[4*i +: 4]), .freed(freed[8*i +: 8]), .pick(pick[i]), .mine(mine[i]),
                .sending(sending[i]), .out_at, .out_data(out_data[W*i +: W]),
                .out_last(out_last[i]),
                .room(room[i]), .in_we(flit && is_to[i] && room[i]), .in_at(flit_at),
                .in_data(rx_data), .in_code(flit_code),
                .ev(is_mine && is_to[i]), .ev_type(rx_type), .ev_code(rx_code),
                .ev_seq(rx_seq), .ev_limit(rx_limit), .ev_crowded(crowded_q), .ev_kept(kept[i]),
                .sent(sent && mine[i]), .any_sent(any_sent[i]), .any_received(any_received[i]),
                .any_heard(any_heard[i]), .heard(tells && is_to[i])
            );
        end
    endgenerate

    // ---- Registers, read ------------------------------------------------------------------------

    always_comb
        case (adr)
            `OFR_CHANNEL_CONTROL:  reg_rdat = {27'b0, time_q};
            `OFR_CHANNEL_SELECT:   reg_rdat = {28'b0, select_q};
            `OFR_CHANNEL_PEER:     reg_rdat = sel_named ? {8'b0, peers[sel]} : '0;
            `OFR_CHANNEL_STATE:
                reg_rdat = {23'b0, sel_free, sel_told, sel_reason, 1'b0, sel_state};
            `OFR_CHANNEL_SENT:     reg_rdat = sel_any_sent ? sents[sel] : '0;
            `OFR_CHANNEL_RECEIVED: reg_rdat = sel_any_received ? receiveds[sel] : '0;
            `OFR_CHANNEL_HEARD:    reg_rdat = sel_any_heard ? heards[sel] : '0;
            `OFR_CHANNEL_DROPPED:  reg_rdat = {16'b0, dropped_q};
            `OFR_CHANNEL_HEAD:     reg_rdat = head;
            default:               reg_rdat = '0;
        endcase
endmodule
`default_nettype wire
