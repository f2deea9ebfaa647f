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
    input  wire logic                  reg_early, // there will be one in the next cycle
    input  wire logic                  reg_we,
    input  wire logic [11:0]           reg_adr,
    input  wire logic [31:0]           reg_wdat,
    output logic [31:0]                reg_rdat,
    output logic                       reg_err,
    // Of the end that is selected, in the cycle of a strobe: as in register STATE
    output logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] sel,
    output logic                       free,
    // A beat of the end would be taken as its turn comes; its message goes on behind what was taken
    output logic [ENDS-1:0]            room,
    output logic [ENDS-1:0]            mid,
    // From the user's logic, end 0 lowest
    input  wire logic [ENDS-1:0]       s_axis_tvalid,
    output logic [ENDS-1:0]            s_axis_tready, // 1 for one end at most, of those with TVALID
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
    localparam int RB = $clog2(ROOM);
    localparam int EB = ENDS > 1 ? $clog2(ENDS) : 1;

    generate
        if ((N != 2 && N != 3) || (W != 16 && W != 32 && W != 64) || L * W < 256 || L < 8 || L > 256
            || (L & (L - 1)) != 0 || ENDS < 1 || ENDS > 16 || (ROOM != 2 && ROOM != 4 && ROOM != 8))
            ofr_channel_parameters_out_of_range bad ();
    endgenerate

    // ---- Registers ------------------------------------------------------------------------------

    logic [4:0]  time_q;
    logic [3:0]  select_q;
    logic [4:0]  phase_q; // of the count of cycles the low bits; its others are bit by bit:
    logic [31:0] ring_q;  // ... lowest is that of phase_q, from bit 5 on, which is being counted
    logic        carry_q; // ... up
    logic [15:0] dropped_q;
    logic [ENDS-1:0] named_q; // PEER has been written
    assign sel = select_q[EB-1:0];
    wire logic [31:0] adr = {20'b0, reg_adr};

    logic [2:0] state, reason; // of the row, which is that of SELECT where a register is accessed
    logic       told, any_sent, any_received, any_heard;
    wire logic  named = named_q[row_q];

    logic outside; // the node that is written to PEER
    always_comb begin
        outside = N == 2 && reg_wdat[11:8] != 0;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 16; k++)
                if (size[5*i +: 5] == 5'(k))
                    outside = outside || 32'(reg_wdat[4*i +: 4]) >= k;
    end
    always_comb
        case (adr)
            `OFR_CHANNEL_CONTROL: reg_err = reg_we && reg_wdat[4:0] >= 5'd24;
            `OFR_CHANNEL_SELECT:  reg_err = reg_we && {1'b0, reg_wdat[3:0]} >= 5'(ENDS);
            `OFR_CHANNEL_PEER:    reg_err = reg_we && (!free || outside);
            `OFR_CHANNEL_COMMAND:
                case (reg_wdat)
                    `OFR_CHANNEL_COMMAND_OPEN,
                    `OFR_CHANNEL_COMMAND_LISTEN:
                        reg_err = reg_we && (!free || !named);
                    `OFR_CHANNEL_COMMAND_CLOSE:
                        reg_err = reg_we && state != `OFR_CHANNEL_STATE_STATE_OPEN;
                    `OFR_CHANNEL_COMMAND_ABORT:
                        reg_err = reg_we && (state == `OFR_CHANNEL_STATE_STATE_IDLE
                            || state == `OFR_CHANNEL_STATE_STATE_ENDED);
                    default: reg_err = reg_we;
                endcase
            default: reg_err = 1'b0;
        endcase
    wire logic we = reg_we && !reg_err;
    wire logic we_peer = we && adr == `OFR_CHANNEL_PEER;

    // Bit TIME of the count falls, its low bits all at once, the others in the order of their turns
    logic low_falls;
    always_comb begin
        low_falls = 1'b1;
        for (int i = 0; i < 5; i++)
            low_falls = low_falls && (phase_q[i] || time_q[2:0] < 3'(i));
    end
    wire logic low_time = time_q[4:3] == 2'd0 && time_q[2:0] < 3'd5;
    wire logic tick = low_time ? low_falls : phase_q == time_q && carry_q && ring_q[0];
    always_ff @(posedge clk) begin
        phase_q <= phase_q + 5'd1;
        ring_q <= {ring_q[0] ^ carry_q, ring_q[31:1]};
        carry_q <= (carry_q && ring_q[0]) || phase_q == 5'd4;
        if (we && adr == `OFR_CHANNEL_CONTROL)
            time_q <= reg_wdat[4:0];
        if (we && adr == `OFR_CHANNEL_SELECT)
            select_q <= reg_wdat[3:0];
        if (cmd_peer)
            named_q[sel] <= 1'b1;
        if (rst) begin
            {phase_q, ring_q, carry_q, select_q} <= '0;
            named_q <= '0;
            time_q <= 5'(`OFR_CHANNEL_CONTROL_TIME_RESET);
        end
    end

    // ---- Whose row it is ------------------------------------------------------------------------
    // What is done with a row, and with whose, is found a cycle before. A register's access has the
    // cycle that it is in, with SELECT's row. Next is a packet that came: its fields stand for two
    // cycles. What was sent can wait until the next headers have gone. In every other cycle
    // at most the ends are walked through.

    logic          come, due_q, command_q, op_reg_q, op_ev_q, op_command_q, op_sent_q, op_pick_q;
    logic          op_reply_q, op_walk_q, sent_q, ticks, near, turns, some, some_reply, given;
    logic [2:0]    what_q; // a write is to do: COMMAND, 5: PEER, 0: nothing
    logic [EB-1:0] row_q, row_d, to, some_end, sent_end_q, walk_q, given_end;
    wire logic is_pick = op_pick_q && want[row_q]; // if it still wants to

    wire logic due_d = come || (due_q && !op_ev_q);
    wire logic command_d = reg_we || (command_q && !op_command_q);
    wire logic ev_d = due_d && !received_due; // the count that it adds to is read
    wire logic first_d = ev_d || command_d || (sent_q && !op_sent_q);
    // Who gives a message's last beat may want to send then: at once, if nobody else does. That the
    // turn has come is known late in a cycle, that it can come early. The count of what has been
    // received is not read as it is written
    wire logic turn = near && (some || given)
        && !(op_pick_q || op_reply_q || op_ev_q || received_due);
    wire logic pick_d = !first_d && turn && turns;
    wire logic walk_d = !first_d && !turn && !op_walk_q;
    always_comb
        if (reg_early)
            row_d = sel;
        else if (ev_d)
            row_d = to;
        else if (command_d)
            row_d = sel;
        else if (first_d)
            row_d = sent_end_q;
        else if (turn)
            row_d = some ? some_end : given_end;
        else
            row_d = walk_q;
    always_ff @(posedge clk) begin
        due_q <= due_d;
        command_q <= command_d;
        op_reg_q <= reg_early;
        op_ev_q <= !reg_early && ev_d;
        op_command_q <= !reg_early && !ev_d && command_d;
        op_sent_q <= !reg_early && !ev_d && !command_d && first_d;
        op_pick_q <= !reg_early && pick_d && !(some && some_reply);
        op_reply_q <= !reg_early && pick_d && some && some_reply;
        op_walk_q <= !reg_early && walk_d;
        row_q <= row_d;
        if (reg_we)
            what_q <= reg_err ? 3'd0 : adr == `OFR_CHANNEL_PEER ? 3'd5
                : adr == `OFR_CHANNEL_COMMAND ? reg_wdat[2:0] : 3'd0;
        if (rst) begin
            {due_q, command_q, op_reg_q, op_ev_q, op_command_q, op_sent_q} <= '0;
            {op_pick_q, op_reply_q, op_walk_q} <= '0;
        end
    end
    wire logic cmd_open = op_command_q && what_q == 3'(`OFR_CHANNEL_COMMAND_OPEN);
    wire logic cmd_listen = op_command_q && what_q == 3'(`OFR_CHANNEL_COMMAND_LISTEN);
    wire logic cmd_peer = op_command_q && what_q == 3'd5;
    wire logic begins = cmd_open || cmd_listen;

    logic          ticks_q; // there are ends that the last tick has not come to,
    logic [EB-1:0] last_q;  // ... the last of which is this one
    logic [EB-1:0] walked_q; // the end before walk_q
    assign ticks = ticks_q;
    always_ff @(posedge clk) begin
        if (op_walk_q) begin
            walk_q <= walk_q == EB'(ENDS - 1) ? '0 : walk_q + EB'(1);
            walked_q <= walk_q;
        end
        if (tick) begin
            ticks_q <= 1'b1;
            last_q <= op_walk_q ? walk_q : walked_q;
        end else if (op_walk_q && walk_q == last_q)
            ticks_q <= 1'b0;
        if (rst) begin
            {walk_q, ticks_q} <= '0;
            walked_q <= EB'(ENDS - 1);
        end
    end

    // The end is free while it is written, and what it reads then does not matter
    (* no_rw_check, ram_style = "block" *) logic [23:0] peers [0:2**EB-1]; // conn, end, node
    logic [23:0] peer_q;
    wire logic [23:0] peer = peer_q;
    always_ff @(posedge clk) begin
        if (we_peer)
            peers[row_q] <= reg_wdat[23:0];
        peer_q <= peers[row_d];
    end

    // ---- What comes -----------------------------------------------------------------------------

    logic          flit, spoiled;
    logic [LB-1:0] flit_at, last_at;
    logic [(W == 64 ? 3 : 2):0] flit_code;
    logic [11:0]   source;
    logic [7:0]    rx_seq;
    logic [31:0]   head, word;
    logic [3:0]    to_now;
    ofr_channel_receive #(.W(W), .L(L)) receive (
        .clk, .rst, .rx_valid, .rx_data, .rx_last, .rx_poison, .flit, .flit_at, .flit_code,
        .spoiled, .come, .last_at, .source, .seq(rx_seq), .head, .to_now, .word
    );

    wire logic [2:0] rx_type = head[`OFR_CHANNEL_HEAD_TYPE_LSB +: 3];
    wire logic [3:0] rx_code = head[`OFR_CHANNEL_HEAD_CODE_LSB +: 4];
    wire logic [3:0] rx_to = head[`OFR_CHANNEL_HEAD_TO_LSB +: 4];
    wire logic [3:0] rx_from = head[`OFR_CHANNEL_HEAD_FROM_LSB +: 4];
    wire logic [7:0] rx_limit = head[`OFR_CHANNEL_HEAD_LIMIT_LSB +: 8];
    wire logic [7:0] rx_conn = head[`OFR_CHANNEL_HEAD_CONN_LSB +: 8];
    wire logic is_reset = rx_type == `OFR_CHANNEL_HEAD_TYPE_RESET;

    wire logic unused = ^{head, to_now}; // not all bits are of use
    assign to = rx_to[EB-1:0];
    wire logic exists = {1'b0, rx_to} < 5'(ENDS);
    wire logic ev = op_ev_q && exists;
    // Of the packet that comes, in time: the peer is read from its header on, and compared until it
    // has come
    (* no_rw_check, ram_style = "block" *) logic [23:0] knowns [0:2**EB-1]; // as peers
    logic [23:0] known_q;
    logic        ev_match_q;
    wire logic [EB-1:0] known_at = to_now[EB-1:0];
    always_ff @(posedge clk) begin
        if (we_peer)
            knowns[row_q] <= reg_wdat[23:0];
        known_q    <= knowns[known_at];
        ev_match_q <= known_q == {rx_conn, rx_from, source};
    end
    logic is_mine, tells, kept;
    wire logic is_strange = op_ev_q && !is_mine;

    logic [RB:0]   to_stock;
    logic [RB-1:0] in_slot;
    wire logic     in_we = flit && exists && !to_stock[RB];
    logic          crowded_q; // a flit of the packet had no room
    always_ff @(posedge clk)
        if (flit)
            crowded_q <= (crowded_q && flit_at != 0) || !in_we;

    // A packet of no connection here is answered; one at a time
    logic        reply_q;
    logic [15:0] reply_peer_q;
    logic [7:0]  reply_conn_q;
    logic [3:0]  reply_from_q;
    logic        reply_done;
    wire logic [16:0] dropped_d = {1'b0, dropped_q} + 17'd1;
    always_ff @(posedge clk) begin
        if (reply_done)
            reply_q <= 1'b0;
        if (is_strange && !is_reset && !reply_q) begin
            reply_q <= 1'b1;
            reply_peer_q <= {rx_from, source};
            reply_conn_q <= rx_conn;
            reply_from_q <= rx_to;
        end
        if ((spoiled || is_strange) && !dropped_d[16])
            dropped_q <= dropped_d[15:0];
        if (rst) begin
            reply_q <= 1'b0;
            dropped_q <= '0;
        end
    end

    // ---- What goes ------------------------------------------------------------------------------

    logic [ENDS-1:0] want, waits, rest, freed, sends, closing, throws;
    logic [(RB+1)*ENDS-1:0] stock;
    logic [2:0]      pick_type;
    logic [7:0]      seq, limit;
    logic [(W == 64 ? 3 : 2):0] out_code;
    logic [W-1:0]    out_data;
    logic            busy, sent, out_last, want_reset, marks;
    logic [1:0]      out_slot;
    logic [LB-1:0]   out_at, sent_last, sent_last_q;
    logic [3:0]      sent_code, sent_code_q;
    logic [EB-1:0]   out_end;
    logic [31:0]     bytes, count_rdat;
    logic            sent_due, received_due;
    ofr_channel_send #(.N(N), .W(W), .L(L), .ENDS(ENDS)) send (
        .clk, .rst, .me, .want, .near, .turns, .some, .some_reply, .some_end,
        .pick_reply(op_reply_q), .pick(is_pick), .pick_end(row_q), .pick_type, .seq, .limit,
        .reason, .peer,
        .received(bytes), .waits(sent_q || sent_due), .reply(reply_q), .reply_peer(reply_peer_q),
        .reply_conn(reply_conn_q),
        .reply_from(reply_from_q), .reply_done, .busy, .out_end, .out_slot, .out_at,
        .out_data, .out_last, .out_code(4'(out_code)), .sent, .sent_last, .sent_code, .tx_valid,
        .tx_ready, .tx_data, .tx_last
    );
    always_ff @(posedge clk) begin
        sent_q <= sent || (sent_q && !op_sent_q);
        if (sent) begin
            sent_end_q <= out_end;
            sent_last_q <= sent_last;
            sent_code_q <= sent_code;
        end
        if (rst)
            sent_q <= 1'b0;
    end

    // ---- Bytes ----------------------------------------------------------------------------------

    wire logic reg_sent = adr == `OFR_CHANNEL_SENT;
    wire logic reg_received = adr == `OFR_CHANNEL_RECEIVED;
    wire logic reg_heard = adr == `OFR_CHANNEL_HEARD;
    ofr_channel_count #(.W(W), .L(L), .ENDS(ENDS)) counts (
        .clk, .rst, .early(reg_early), .row(row_q), .row_d, .is_reg(op_reg_q),
        .reg_sent, .reg_received, .reg_heard, .is_sent(op_sent_q), .sent_last(sent_last_q),
        .sent_code(sent_code_q), .is_ev(op_ev_q), .kept, .tells, .last_at, .code(rx_code), .word,
        .any_sent, .any_received, .any_heard, .sent_due, .received_due, .received(bytes),
        .rdat(count_rdat)
    );

    // ---- Ends -----------------------------------------------------------------------------------

    ofr_channel_state #(.W(W), .ENDS(ENDS), .ROOM(ROOM)) states (
        .clk, .rst, .row(row_q), .cmd_peer, .cmd_open, .cmd_listen,
        .cmd_close(op_command_q && what_q == 3'(`OFR_CHANNEL_COMMAND_CLOSE)),
        .cmd_abort(op_command_q && what_q == 3'(`OFR_CHANNEL_COMMAND_ABORT)),
        .ev, .ev_match(ev_match_q), .is_sent(op_sent_q), .is_pick, .is_walk(op_walk_q && named),
        .ticks, .named,
        .some(waits[row_q]), .mid(mid[row_q]), .rest(rest[row_q]), .stock(row_stock),
        .ev_type(rx_type), .ev_code(rx_code), .ev_seq(rx_seq), .ev_limit(rx_limit),
        .ev_crowded(crowded_q), .ev_mine(is_mine), .ev_tells(tells), .ev_kept(kept),
        .state, .reason, .told, .want_reset, .pick_type, .seq, .limit, .any_sent, .any_received,
        .any_heard, .marks, .in_end(to), .in_slot, .freed, .waits, .want, .sends, .closing,
        .throws
    );
    assign free = (state == `OFR_CHANNEL_STATE_STATE_IDLE
            || state == `OFR_CHANNEL_STATE_STATE_ENDED)
        && !rest[row_q] && !want_reset && !(busy && out_end == row_q)
        && !(sent_q && sent_end_q == row_q);

    ofr_channel_gather #(.W(W), .L(L), .ENDS(ENDS)) gather (
        .clk, .rst, .s_tvalid(s_axis_tvalid), .s_tready(s_axis_tready), .s_tdata(s_axis_tdata),
        .s_tkeep(s_axis_tkeep), .s_tlast(s_axis_tlast), .hold(begins), .sends, .closing, .throws,
        .row(row_q), .begins, .picked(is_pick && pick_type == `OFR_CHANNEL_HEAD_TYPE_DATA),
        .given, .given_end, .some(waits), .room, .mid, .out_end, .out_slot, .out_at, .out_data,
        .out_last, .out_code
    );

    ofr_channel_consume #(.W(W), .L(L), .ENDS(ENDS), .ROOM(ROOM)) consume (
        .clk, .rst, .m_tvalid(m_axis_tvalid), .m_tready(m_axis_tready), .m_tdata(m_axis_tdata),
        .m_tkeep(m_axis_tkeep), .m_tlast(m_axis_tlast), .m_tuser(m_axis_tuser), .hold(begins),
        .row(row_q), .begins, .comes(ev), .kept, .marks, .stock, .rest, .freed, .in_we,
        .in_end(to), .in_slot, .in_at(flit_at), .in_data(rx_data), .in_code(flit_code)
    );
    logic [RB:0] row_stock;
    always_comb begin
        row_stock = '0;
        to_stock = '0;
        for (int i = 0; i < ENDS; i++) begin
            if (row_q == EB'(i))
                row_stock = stock[(RB+1)*i +: RB+1];
            if (to == EB'(i))
                to_stock = stock[(RB+1)*i +: RB+1];
        end
    end

    // ---- Registers, read ------------------------------------------------------------------------

    logic [31:0] rdat;
    always_comb
        case (adr)
            `OFR_CHANNEL_CONTROL:  rdat = {27'b0, time_q};
            `OFR_CHANNEL_SELECT:   rdat = {28'b0, select_q};
            `OFR_CHANNEL_PEER:     rdat = named ? {8'b0, peer} : '0;
            `OFR_CHANNEL_STATE:
                rdat = {23'b0, free, told, reason, 1'b0, state};
            `OFR_CHANNEL_DROPPED:  rdat = {16'b0, dropped_q};
            default:               rdat = '0;
        endcase
    assign reg_rdat = count_rdat | rdat;
endmodule
`default_nettype wire
