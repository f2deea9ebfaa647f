// SPDX-License-Identifier: Apache-2.0
// What sits at the router's local port: network interface, traffic generator, channels, with
// collectives over them, datagrams, checker, destination table, and the mux between them. Stamps
// EPOCH. Same as sim/model/local.c, every output pin every cycle.
`include "ofr_defs.vh"
`default_nettype none

module ofr_local #(
    parameter int N     = 2,  // dimensions, 2 or 3
    parameter int W     = 32, // flit width in bits, 16, 32 or 64
    parameter int L     = 16, // largest packet in flits, up to 1024; L W / 8 at least 32 bytes
    parameter int GEN   = 1,  // 0: no traffic generator; its registers read 0, writing is an error
    parameter int CHECK = 1,  // 0: no checker, likewise
    parameter int PINS  = 1,  // 0: no destination table, likewise
    parameter int CHANNELS = 0, // ends of channels, 0 to 16. Then L is as in ofr_channel, and
    parameter int ROOM  = 4,   // packets that an end receives ahead of its consumer, 2, 4 or 8
    parameter int DATAGRAMS = 0, // 0: none. Else as many are received ahead of their consumer: 2, 4
                               // or 8, and L is as in ofr_datagram
    parameter int COLLECTIVES = 0, // most children of the node in a group, 1 to 4, less than
                               // CHANNELS; 0: none
    localparam int ENDS = CHANNELS > 0 ? CHANNELS : 1 // at the pins
) (
    input  wire logic           clk,
    input  wire logic           rst,
    // Configuration: coordinates, sizes (x lowest), NODE.TIME
    input  wire logic           configured,
    input  wire logic [4*N-1:0] me,
    input  wire logic [5*N-1:0] size,
    input  wire logic [31:0]    now,
    input  wire logic           epoch, // low bit of the IDN table's generation
    // Register strobes, see rtl/README.md
    input  wire logic           reg_early, // there will be one in the next cycle
    input  wire logic           reg_we,
    input  wire logic           reg_re,
    input  wire logic [11:0]    reg_adr,
    input  wire logic [31:0]    reg_wdat,
    output logic [31:0]         reg_rdat,
    output logic                reg_err,
    // Local port, in
    output logic                li_valid,
    input  wire logic [2:0]     li_ready,
    output logic [1:0]          li_vc,
    output logic [W-1:0]        li_data,
    output logic                li_last,
    output logic                ev_pinned, // the packet taken in this cycle: see counter PINNED
    // Local port, out
    input  wire logic           lo_valid,
    output logic                lo_ready,
    input  wire logic [W-1:0]   lo_data,
    input  wire logic           lo_last,
    input  wire logic           lo_poison,
    // The channels' user, as in ofr_channel; one end that does nothing where there are none
    input  wire logic [ENDS-1:0]     s_axis_tvalid,
    output logic [ENDS-1:0]          s_axis_tready,
    input  wire logic [W*ENDS-1:0]   s_axis_tdata,
    input  wire logic [W/8*ENDS-1:0] s_axis_tkeep,
    input  wire logic [ENDS-1:0]     s_axis_tlast,
    output logic [ENDS-1:0]          m_axis_tvalid,
    input  wire logic [ENDS-1:0]     m_axis_tready,
    output logic [W*ENDS-1:0]        m_axis_tdata,
    output logic [W/8*ENDS-1:0]      m_axis_tkeep,
    output logic [ENDS-1:0]          m_axis_tlast,
    output logic [ENDS-1:0]          m_axis_tuser,
    // The datagrams' user, as in ofr_datagram; pins that do nothing where there are none
    input  wire logic                s_datagram_tvalid,
    output logic                     s_datagram_tready,
    input  wire logic [W-1:0]        s_datagram_tdata,
    input  wire logic [W/8-1:0]      s_datagram_tkeep,
    input  wire logic                s_datagram_tlast,
    input  wire logic [15:0]         s_datagram_tdest,
    input  wire logic [1:0]          s_datagram_tuser,
    output logic                     m_datagram_tvalid,
    input  wire logic                m_datagram_tready,
    output logic [W-1:0]             m_datagram_tdata,
    output logic [W/8-1:0]           m_datagram_tkeep,
    output logic                     m_datagram_tlast,
    output logic [11:0]              m_datagram_tid,
    output logic [3:0]               m_datagram_tdest,
    // The collectives' user, as in ofr_collective; likewise
    input  wire logic                s_collective_tvalid,
    output logic                     s_collective_tready,
    input  wire logic [W-1:0]        s_collective_tdata,
    input  wire logic [W/8-1:0]      s_collective_tkeep,
    input  wire logic                s_collective_tlast,
    input  wire logic [6:0]          s_collective_tuser,
    output logic                     m_collective_tvalid,
    input  wire logic                m_collective_tready,
    output logic [W-1:0]             m_collective_tdata,
    output logic [W/8-1:0]           m_collective_tkeep,
    output logic                     m_collective_tlast,
    output logic [1:0]               m_collective_tuser
);
    generate
        if ((N != 2 && N != 3) || (W != 16 && W != 32 && W != 64) || L * W < 256 || L > 1024 ||
            GEN < 0 || GEN > 1 || CHECK < 0 || CHECK > 1 || PINS < 0 || PINS > 1 ||
            COLLECTIVES < 0 || COLLECTIVES > 4 || (COLLECTIVES != 0 && COLLECTIVES >= CHANNELS))
            ofr_local_parameters_out_of_range bad ();
    endgenerate

    // ---- In: users' flits pass two registers, in which a header is looked up --------------------
    // Users are the generator, the channels and the datagrams; they have turns, a packet each.
    // Management goes first, also before a user header that still waits for its VC. Its header is
    // looked up in its place, the user's anew behind it. A look-up takes two cycles, and is made
    // anew every cycle while a header waits.

    logic         ni_valid, ni_last, gen_valid, gen_last;
    logic [W-1:0] ni_data, gen_data;
    logic         from_valid, from_last; // a user's flit
    logic [W-1:0] from_data;
    logic         next_valid_q, next_last_q; // the one behind it
    logic [W-1:0] next_data_q;
    logic         user_valid_q, user_last_q; // and the one at the port
    logic [W-1:0] user_data_q;
    logic         busy_q, second_q; // inside a packet; at its second flit
    logic         known_q;          // the network interface's header was looked up a cycle ago
    logic         turn_q;           // of the network interface
    logic [1:0]   vc_q;             // of the packet under way

    wire logic take = li_valid && li_ready[li_vc];
    wire logic busy_d = take ? !li_last : busy_q;
    wire logic user_moves = !user_valid_q || (take && !turn_q);
    wire logic next_moves = !next_valid_q || user_moves;
    always_ff @(posedge clk) begin
        busy_q <= busy_d;
        if (take) begin
            second_q <= !busy_q;
            vc_q <= li_vc;
        end
        known_q <= ni_valid && !(take && turn_q);
        if (!busy_d)
            turn_q <= ni_valid && known_q && !(take && turn_q);
        if (next_moves) begin
            next_valid_q <= from_valid;
            next_data_q <= from_data;
            next_last_q <= from_last;
        end
        if (user_moves) begin
            user_valid_q <= next_valid_q;
            user_data_q <= next_data_q;
            user_last_q <= next_last_q;
        end
        if (rst) begin
            busy_q <= 1'b0;
            known_q <= 1'b0;
            turn_q <= 1'b0;
            next_valid_q <= 1'b0;
            user_valid_q <= 1'b0;
        end
    end

    // Whose header may be at the port in two cycles. A packet has 4 flits or more, so of the user's
    // three flits one is a header at most, and what is not a packet's last flit in the register
    // behind is the header or stands for none.
    wire logic look_ni = ni_valid && !(turn_q && busy_q);
    wire logic look_user = user_valid_q && (turn_q || !busy_q);
    wire logic look_next = next_valid_q && !next_last_q;
    wire logic [4*N-1:0] look = look_ni ? ni_data[4*N-1:0]
        : look_user ? user_data_q[4*N-1:0]
        : look_next ? next_data_q[4*N-1:0] : from_data[4*N-1:0];

    wire logic [W-1:0] data = turn_q ? ni_data : user_data_q;
    logic [15:0] head;
    logic        pinned;
    always_comb begin
        li_valid = turn_q ? ni_valid : user_valid_q;
        li_last = turn_q ? ni_last : user_last_q;
        li_data = data;
        if (!busy_q)
            li_data[15:0] = head;
        if (W == 16 ? busy_q && second_q : !busy_q)
            li_data[`OFR_PKT_EPOCH_LSB % W] = epoch;
        if (busy_q)
            li_vc = vc_q;
        else if (turn_q)
            li_vc = 2'(`OFR_LVC_MGMT);
        else
            // Before the destination table changes it: what comes out of a block RAM is late
            li_vc = user_data_q[`OFR_PKT_CLASS_LSB +: 2] == 2'(`OFR_PKT_CLASS_DEROUTE)
                ? 2'(`OFR_LVC_DEROUTE) : 2'(`OFR_LVC_USER);
    end
    assign ev_pinned = take && !busy_q && pinned;

    // Of the users that have a packet it is the one's behind that of the last one
    localparam logic [1:0] GENERATOR = 2'd0, CHANNEL = 2'd1, DATAGRAM = 2'd2;
    logic         channel_valid, channel_last, datagram_valid, datagram_last;
    logic [W-1:0] channel_data, datagram_data;
    logic [1:0]   user;
    logic         datagram_inside; // a datagram, of which flits are still behind those registers
    wire logic    goes = from_valid && next_moves;
    always_comb begin
        from_valid = gen_valid;
        from_data = gen_data;
        from_last = gen_last;
        if (user == CHANNEL) begin
            from_valid = channel_valid;
            from_data = channel_data;
            from_last = channel_last;
        end
        if (user == DATAGRAM) begin
            from_valid = datagram_valid;
            from_data = datagram_data;
            from_last = datagram_last;
        end
    end
    // A packet has 4 flits or more, so where its header is at the port it has not come in whole. A
    // user's header is directed only where the destination table has no way
    wire logic datagram_lost = take && !busy_q && !turn_q && datagram_inside &&
        head[`OFR_PKT_CLASS_LSB +: 2] == 2'(`OFR_PKT_CLASS_DIRECTED);
    generate
        if (CHANNELS != 0 || DATAGRAMS != 0) begin : g_turns
            logic       inside_q;   // in a packet
            logic [1:0] user_was_q; // whose that, or the last one, is
            always_comb begin
                user = user_was_q;
                if (!inside_q)
                    case (user_was_q)
                        GENERATOR: user = channel_valid ? CHANNEL
                            : datagram_valid ? DATAGRAM : GENERATOR;
                        CHANNEL: user = datagram_valid ? DATAGRAM
                            : gen_valid || !channel_valid ? GENERATOR : CHANNEL;
                        default: user = gen_valid ? GENERATOR
                            : channel_valid ? CHANNEL : datagram_valid ? DATAGRAM : GENERATOR;
                    endcase
            end
            assign datagram_inside = inside_q && user_was_q == DATAGRAM;
            always_ff @(posedge clk) begin
                if (goes) begin
                    inside_q <= !from_last;
                    user_was_q <= user;
                end
                if (rst)
                    {inside_q, user_was_q} <= '0;
            end
        end else begin : g_generator
            assign user = GENERATOR;
            assign datagram_inside = 1'b0;
        end
    endgenerate
    assign gen_take = goes && user == GENERATOR;

    // ---- Out ------------------------------------------------------------------------------------

    logic receiving_q, to_ni_q;
    wire logic to_ni = receiving_q ? to_ni_q : lo_data[`OFR_PKT_MGMT_LSB];
    assign lo_ready = 1'b1;

    always_ff @(posedge clk) begin
        if (lo_valid) begin
            receiving_q <= !lo_last;
            to_ni_q <= to_ni;
        end
        if (rst)
            receiving_q <= 1'b0;
    end

    // ---- Parts ----------------------------------------------------------------------------------

    logic [31:0] ni_rdat, gen_rdat, check_rdat, pins_rdat, channel_rdat, datagram_rdat;
    logic [31:0] collective_rdat;
    logic        ni_err, gen_err, check_err, pins_err, channel_err, collective_err;
    logic        datagram_err, gen_take;
    assign reg_rdat = ni_rdat | gen_rdat | check_rdat | pins_rdat | channel_rdat | datagram_rdat |
                      collective_rdat;
    assign reg_err = ni_err || gen_err || check_err || pins_err || channel_err ||
                     collective_err || datagram_err;

    // Streams that the collectives may have: one to the parent, one to each child
    localparam int PAIRS = COLLECTIVES > 0 ? COLLECTIVES + 1 : 0, PORTS = PAIRS > 0 ? PAIRS : 1;
    logic [PORTS-1:0]     from_tvalid, from_tready, to_tvalid, to_tready, to_tlast;
    logic [W*PORTS-1:0]   to_tdata;
    logic [W/8*PORTS-1:0] to_tkeep;

    ofr_ni #(.N(N), .W(W)) ni (
        .clk, .rst, .me, .reg_we, .reg_re, .reg_adr, .reg_wdat,
        .reg_rdat(ni_rdat), .reg_err(ni_err),
        .tx_valid(ni_valid), .tx_data(ni_data), .tx_last(ni_last), .tx_take(take && turn_q),
        .rx_valid(lo_valid && to_ni), .rx_data(lo_data), .rx_last(lo_last), .rx_poison(lo_poison)
    );

    generate
        if (GEN != 0) begin : g_gen
            ofr_gen #(.N(N), .W(W), .L(L)) gen (
                .clk, .rst, .configured, .me, .size, .now, .reg_we, .reg_adr, .reg_wdat,
                .reg_rdat(gen_rdat), .reg_err(gen_err),
                .valid(gen_valid), .data(gen_data), .last(gen_last),
                .take(gen_take)
            );
        end else begin : g_no_gen
            wire logic unused = &{1'b0, configured, size, now, gen_take};
            assign gen_err = reg_we && reg_adr[11:8] == 4'(`OFR_GEN_CONTROL >> 8);
            assign {gen_rdat, gen_valid, gen_data, gen_last} = '0;
        end
        if (CHECK != 0) begin : g_check
            ofr_check #(.N(N), .W(W)) check (
                .clk, .rst, .me, .now, .reg_we, .reg_re, .reg_adr, .reg_wdat,
                .reg_rdat(check_rdat),
                .valid(lo_valid && !to_ni), .data(lo_data), .last(lo_last), .poison(lo_poison)
            );
            assign check_err = 1'b0;
        end else begin : g_no_check
            assign check_rdat = '0;
            assign check_err = reg_we && reg_adr[11:8] == 4'(`OFR_CHECK_CONTROL >> 8);
        end
        if (PINS != 0) begin : g_pins
            ofr_pins #(.N(N)) pins (
                .clk, .rst, .me, .reg_we, .reg_adr, .reg_wdat,
                .reg_rdat(pins_rdat), .reg_err(pins_err),
                .look, .head(data[15:0]), .head_out(head), .pinned
            );
        end else begin : g_no_pins
            wire logic unused = ^look;
            assign {pins_rdat, pinned} = '0;
            assign pins_err = reg_we && reg_adr[11:8] == 4'(`OFR_PINS_CONTROL >> 8);
            assign head = data[15:0];
        end
        if (CHANNELS != 0) begin : g_channels
            ofr_channels #(
                .N(N), .W(W), .L(L), .ENDS(CHANNELS), .ROOM(ROOM), .PAIRS(PAIRS)
            ) channels (
                .clk, .rst, .me, .size, .reg_early, .reg_we, .reg_adr, .reg_wdat,
                .reg_rdat(channel_rdat), .reg_err(channel_err), .s_axis_tvalid, .s_axis_tready,
                .s_axis_tdata, .s_axis_tkeep, .s_axis_tlast, .m_axis_tvalid, .m_axis_tready,
                .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast, .m_axis_tuser,
                .from_tvalid, .from_tready, .to_tvalid, .to_tready, .to_tdata, .to_tkeep,
                .to_tlast, .tx_valid(channel_valid), .tx_ready(goes && user == CHANNEL),
                .tx_data(channel_data), .tx_last(channel_last),
                .rx_valid(lo_valid && !to_ni), .rx_data(lo_data), .rx_last(lo_last),
                .rx_poison(lo_poison)
            );
        end else begin : g_no_channels
            wire logic unused_pins = ^{reg_early, s_axis_tvalid, s_axis_tdata, s_axis_tkeep,
                                       s_axis_tlast, m_axis_tready};
            assign {channel_rdat, channel_err, s_axis_tready, m_axis_tvalid, m_axis_tdata,
                    m_axis_tkeep, m_axis_tlast, m_axis_tuser} = '0;
            assign {channel_valid, channel_data, channel_last} = '0;
            wire logic unused_pairs = ^{from_tready, to_tvalid, to_tdata, to_tkeep, to_tlast};
            assign {from_tvalid, to_tready} = '0;
        end
        if (COLLECTIVES != 0) begin : g_collectives
            ofr_collectives #(.W(W), .CHILDREN(COLLECTIVES)) collectives (
                .clk, .rst, .reg_we, .reg_adr, .reg_wdat, .reg_rdat(collective_rdat),
                .reg_err(collective_err), .s_axis_tvalid(s_collective_tvalid),
                .s_axis_tready(s_collective_tready), .s_axis_tdata(s_collective_tdata),
                .s_axis_tkeep(s_collective_tkeep), .s_axis_tlast(s_collective_tlast),
                .s_axis_tuser(s_collective_tuser), .m_axis_tvalid(m_collective_tvalid),
                .m_axis_tready(m_collective_tready), .m_axis_tdata(m_collective_tdata),
                .m_axis_tkeep(m_collective_tkeep), .m_axis_tlast(m_collective_tlast),
                .m_axis_tuser(m_collective_tuser), .from_tvalid, .from_tready,
                .from_tdata(m_axis_tdata[W*PAIRS-1:0]), .from_tlast(m_axis_tlast[PAIRS-1:0]),
                .from_tuser(m_axis_tuser[PAIRS-1:0]), .to_tvalid, .to_tready, .to_tdata,
                .to_tkeep, .to_tlast
            );
        end else begin : g_no_collectives
            wire logic unused_collectives = ^{s_collective_tvalid, s_collective_tdata,
                s_collective_tkeep, s_collective_tlast, s_collective_tuser, m_collective_tready,
                from_tvalid, to_tready};
            assign {collective_rdat, collective_err, s_collective_tready, m_collective_tvalid,
                    m_collective_tdata, m_collective_tkeep, m_collective_tlast,
                    m_collective_tuser, from_tready, to_tvalid, to_tdata, to_tkeep,
                    to_tlast} = '0;
        end
        if (DATAGRAMS != 0) begin : g_datagrams
            ofr_datagrams #(.N(N), .W(W), .L(L), .ROOM(DATAGRAMS)) datagrams (
                .clk, .rst, .me, .size, .reg_we, .reg_adr, .reg_wdat, .reg_rdat(datagram_rdat),
                .reg_err(datagram_err), .s_axis_tvalid(s_datagram_tvalid),
                .s_axis_tready(s_datagram_tready),
                .s_axis_tdata(s_datagram_tdata), .s_axis_tkeep(s_datagram_tkeep),
                .s_axis_tlast(s_datagram_tlast), .s_axis_tdest(s_datagram_tdest),
                .s_axis_tuser(s_datagram_tuser), .m_axis_tvalid(m_datagram_tvalid),
                .m_axis_tready(m_datagram_tready), .m_axis_tdata(m_datagram_tdata),
                .m_axis_tkeep(m_datagram_tkeep), .m_axis_tlast(m_datagram_tlast),
                .m_axis_tid(m_datagram_tid), .m_axis_tdest(m_datagram_tdest),
                .tx_valid(datagram_valid), .tx_ready(goes && user == DATAGRAM),
                .tx_data(datagram_data), .tx_last(datagram_last), .tx_unreachable(datagram_lost),
                .rx_valid(lo_valid && !to_ni), .rx_data(lo_data), .rx_last(lo_last),
                .rx_poison(lo_poison)
            );
        end else begin : g_no_datagrams
            wire logic unused_datagrams = ^{s_datagram_tvalid, s_datagram_tdata, s_datagram_tkeep,
                s_datagram_tlast, s_datagram_tdest, s_datagram_tuser, m_datagram_tready,
                datagram_lost};
            assign {datagram_rdat, datagram_err, s_datagram_tready, m_datagram_tvalid,
                    m_datagram_tdata, m_datagram_tkeep, m_datagram_tlast, m_datagram_tid,
                    m_datagram_tdest, datagram_valid, datagram_data, datagram_last} = '0;
        end
    endgenerate
endmodule
`default_nettype wire
