// SPDX-License-Identifier: Apache-2.0
// A node of the torus: the router, its OFR unit and counters, what sits at its local port, and the
// registers of all of it behind Wishbone. Registers: rtl/regs/outflank.json; interfaces:
// rtl/README.md; golden model: sim/model/node.c.
`include "ofr_defs.vh"
`default_nettype none

module ofr_node #(
    parameter int N   = 2,  // dimensions, 2 or 3
    parameter int W   = 32, // flit width in bits, 16, 32 or 64
    parameter int L   = 16, // flits per slot, a power of two; L W / 8 at least 32 bytes
    parameter int C   = 8,  // slots per VC, 2 to 8
    parameter int MUL = 1,  // OFR unit: 1 with multipliers, 0 without
    parameter int OFR = 1,  // 0: no OFR unit, as in ofr_routing
    parameter int GEN = 1,  // 0: no traffic generator
    parameter int CHECK = 1, // 0: no checker
    parameter int PINS = 1,  // 0: no destination table
    parameter int COUNT = 1, // 0: only the counters of small FPGAs
    parameter int SMALL = 0, // 1: no registers for the bus' address and data, which it holds
    parameter int LINKS = 0, // 1: links are reliable, with registers of theirs
    parameter int TICK  = 8, // LINKS: as in ofr_link
    parameter int TIME  = 0, // 1: NODE.TIME is one for all boards; LINKS only
    parameter int BITS  = 32, // LINKS: bits that come over a cable a cycle, 1 to 64
    parameter int PHY   = 0, // LINKS: 1: physical layers are behind them, as in ofr_link_regs
    parameter int WIRES = 8, // likewise
    parameter int CHANNELS = 0, // as in ofr_local
    parameter int ROOM  = 4,
    parameter int DATAGRAMS = 0,
    parameter int COLLECTIVES = 0,
    parameter int USER  = 0, // ends that a program on the user's core has, from 0 on, up to
                             // CHANNELS; 0: there is no such core
    parameter int USER_RAM = 16384, // bytes of its memory, as in ofr_user
    localparam int ENDS = CHANNELS > 0 ? CHANNELS : 1 // at the pins
) (
    input  wire logic             clk,
    input  wire logic             rst,
    input  wire logic [63:0]      serial, // constant: the seed after a reset
    // Wishbone B4 classic
    input  wire logic             wb_cyc,
    input  wire logic             wb_stb,
    input  wire logic             wb_we,
    input  wire logic [11:0]      wb_adr,
    input  wire logic [31:0]      wb_dat_w,
    output logic [31:0]           wb_dat_r,
    output logic                  wb_ack,
    output logic                  wb_err,
    // Links
    input  wire logic [2*N-1:0]   link_up,
    input  wire logic [2*N-1:0]   rx_valid,
    input  wire logic [4*N-1:0]   rx_vc,
    input  wire logic [2*N*W-1:0] rx_data,
    input  wire logic [2*N-1:0]   rx_last,
    input  wire logic [2*N-1:0]   rx_poison,
    input  wire logic [2*N-1:0]   rx_abort,
    output logic [24*N-1:0]       rx_credit,
    output logic [24*N-1:0]       rx_received,
    output logic [2*N-1:0]        tx_valid,
    input  wire logic [2*N-1:0]   tx_ready,
    output logic [4*N-1:0]        tx_vc,
    output logic [2*N*W-1:0]      tx_data,
    output logic [2*N-1:0]        tx_last,
    output logic [2*N-1:0]        tx_poison,
    input  wire logic [24*N-1:0]  tx_credit,
    input  wire logic [24*N-1:0]  tx_base,
    input  wire logic [2*N-1:0]   tx_rebase,
    // Reliable links' ends, as in ofr_link
    input  wire logic [6*N-1:0]   link_state,
    input  wire logic [8*N-1:0]   link_why,
    input  wire logic [128*N-1:0] link_peer,
    input  wire logic [32*N-1:0]  lag,
    input  wire logic [2*N-1:0]   says,
    input  wire logic [6*N-1:0]   says_what,
    input  wire logic [32*N-1:0]  says_data,
    input  wire logic [2*N-1:0]   ev_frame,
    input  wire logic [2*N-1:0]   ev_retry,
    input  wire logic [2*N-1:0]   ev_bad,
    input  wire logic [2*N-1:0]   ev_down,
    input  wire logic             ev_tick,
    // Their physical layers, as in ofr_links
    output logic [2*N-1:0]        phy_bert,
    output logic                  phy_hold,
    input  wire logic [2*N-1:0]   phy_locked,
    input  wire logic [2*N-1:0]   phy_stopped,
    input  wire logic [2*N-1:0]   phy_lost,
    input  wire logic [64*N-1:0]  phy_seen,
    input  wire logic [32*N*WIRES-1:0] phy_wires,
    // To them
    output logic [33:0]           now,       // NODE.TIME, in quarters of cycles
    output logic [15:0]           rank,      // who measures time, as in ofr_time
    // Channels' user, as in ofr_channel; one end that does nothing where there are none. The first
    // USER ends do nothing: they are not the pins'
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
    // Datagrams' user, as in ofr_datagram; pins that do nothing where there are none
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
    // Collectives' user, as in ofr_collective; pins that do nothing where there are none
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
    output logic [1:0]               m_collective_tuser,
    // What a simulation watches: the register strobes (both: a write that is refused), and a
    // snapshot while it is copied
    output logic                  mon_we,
    output logic                  mon_re,
    output logic [11:0]           mon_adr,
    output logic [31:0]           mon_wdat,
    output logic [31:0]           mon_rdat,
    output logic                  mon_copy,
    output logic [7:0]            mon_copy_index,
    output logic [47:0]           mon_copy_value
);
    generate
        if (COUNT < 0 || COUNT > 1 || OFR < 0 || OFR > 1 || LINKS < 0 || LINKS > 1 || PHY < 0 ||
            PHY > LINKS || USER < 0 || USER > CHANNELS)
            ofr_node_parameters_out_of_range bad ();
    endgenerate

    localparam int P = 2 * N;

    // --- Wishbone to strobes: request, strobe, answer --------------------------------------------
    logic        reg_we, reg_re, reg_err, busy_q;
    logic        reg_we_q, reg_re_q;
    wire logic   reg_early = wb_cyc && wb_stb && !busy_q && !wb_ack && !wb_err;
    logic [11:0] reg_adr;
    logic [31:0] reg_wdat, reg_rdat;
    assign reg_we   = reg_we_q;
    assign reg_re   = reg_re_q;
    if (SMALL != 0) begin : g_held
        assign reg_adr  = {wb_adr[11:2], 2'b00};
        assign reg_wdat = wb_dat_w;
    end else begin : g_kept
        logic [11:0] reg_adr_q;
        logic [31:0] reg_wdat_q;
        assign reg_adr  = reg_adr_q;
        assign reg_wdat = reg_wdat_q;
        always_ff @(posedge clk) begin
            reg_adr_q  <= {wb_adr[11:2], 2'b00};
            reg_wdat_q <= wb_dat_w;
        end
    end
    always_ff @(posedge clk) begin
        busy_q   <= wb_cyc && wb_stb && !wb_ack && !wb_err;
        reg_we_q   <= reg_early && wb_we;
        reg_re_q   <= reg_early && !wb_we;
        wb_dat_r <= reg_rdat;
        wb_ack   <= reg_re || (reg_we && !reg_err);
        wb_err   <= reg_we && reg_err;
        if (rst) begin
            busy_q <= 1'b0;
            reg_we_q <= 1'b0;
            reg_re_q <= 1'b0;
            wb_ack <= 1'b0;
            wb_err <= 1'b0;
        end
    end
    assign mon_we   = reg_we;
    assign mon_re   = reg_re || (reg_we && reg_err);
    assign mon_adr  = reg_adr;
    assign mon_wdat = reg_wdat;
    assign mon_rdat = reg_rdat;

    // --- Block NODE ------------------------------------------------------------------------------
    logic           configured_q, tie_q, drained, watchdog, unlocked, sizes_ok, routing_ok;
    logic           coord_ok, node_err;
    logic [5*N-1:0] k_q;
    logic [4*N-1:0] me_q;
    logic [1:0]     select_q, escape_q;
    logic [3:0]     threshold_q, ring_wait_q;
    logic [4:0]     watchdog_time_q;
    logic [31:0]    seed_q, cycle, dropped, node_rdat, time_rdat;
    logic           seed_we_q, watchdog_clear;
    logic [P-1:0]   link_up_q;

    always_comb begin
        sizes_ok = 1'b1;
        for (int i = 0; i < N; i++)
            if (reg_wdat[8*i +: 5] == 5'd0 || reg_wdat[8*i +: 5] > 5'd16)
                sizes_ok = 1'b0;
        coord_ok = 1'b1;
        for (int i = 0; i < N; i++)
            if ({1'b0, me_q[4*i +: 4]} >= k_q[5*i +: 5])
                coord_ok = 1'b0;
    end
    assign routing_ok = reg_wdat[`OFR_NODE_ROUTING_THRESHOLD_LSB +: 4] < 4'(C) &&
                        reg_wdat[`OFR_NODE_ROUTING_ESCAPE_LSB +: 2] <=
                            2'(`OFR_NODE_ROUTING_ESCAPE_NEVER);
    assign unlocked = !configured_q && drained;
    assign node_err = reg_we && ((reg_adr == `OFR_NODE_SIZE && !(unlocked && sizes_ok)) ||
                                 (reg_adr == `OFR_NODE_CONTROL && reg_wdat[0] && !coord_ok) ||
                                 (reg_adr == `OFR_NODE_ROUTING && !routing_ok) ||
                                 (reg_adr == `OFR_NODE_COORD && !unlocked) ||
                                 (reg_adr == `OFR_NODE_TIE && !unlocked));

    always_ff @(posedge clk) begin
        link_up_q <= link_up;
        if (reg_we && !reg_err)
            case (reg_adr)
                `OFR_NODE_CONTROL:   configured_q <= reg_wdat[0];
                `OFR_NODE_SIZE:      for (int i = 0; i < N; i++) k_q[5*i +: 5] <= reg_wdat[8*i +:
                    5];
                `OFR_NODE_COORD:     for (int i = 0; i < N; i++) me_q[4*i +: 4] <= reg_wdat[8*i
                    +: 4];
                `OFR_NODE_ROUTING: begin
                    select_q    <= reg_wdat[`OFR_NODE_ROUTING_SELECT_LSB +: 2];
                    escape_q    <= reg_wdat[`OFR_NODE_ROUTING_ESCAPE_LSB +: 2];
                    threshold_q <= reg_wdat[`OFR_NODE_ROUTING_THRESHOLD_LSB +: 4];
                end
                `OFR_NODE_TIE:       tie_q <= reg_wdat[0];
                `OFR_NODE_SEED:      seed_q <= reg_wdat;
                `OFR_NODE_WATCHDOG:  watchdog_time_q <= reg_wdat[4:0];
                `OFR_NODE_RING_WAIT: ring_wait_q <= reg_wdat[3:0];
                default: ;
            endcase
        if (rst) begin
            configured_q    <= 1'b0;
            k_q             <= {N{5'd1}};
            me_q            <= '0;
            select_q        <= 2'd0;
            escape_q        <= 2'd0;
            threshold_q     <= 4'd0;
            tie_q           <= 1'b1;
            seed_q          <= serial[63:32] ^ serial[31:0];
            watchdog_time_q <= 5'd0;
            ring_wait_q     <= `OFR_NODE_RING_WAIT_RESET;
            link_up_q       <= '0;
        end
    end

    ofr_time #(
        .N(N), .TIME(TIME), .ALIGN(GEN != 0 || CHECK != 0 ? 1 : 0), .TICK(TICK)
    ) one_time (
        .clk, .rst, .cycle, .serial, .link_up, .lag, .says, .says_what, .says_data, .rank,
        .now(now[33:2]), .part(now[1:0]), .reg_we, .reg_adr, .reg_wdat, .reg_rdat(time_rdat)
    );
    always_ff @(posedge clk)
        seed_we_q <= rst || (reg_we && reg_adr == `OFR_NODE_SEED);
    assign watchdog_clear = reg_we && reg_adr == `OFR_NODE_WATCHDOG;

    always_comb begin
        node_rdat = '0;
        case (reg_adr)
            `OFR_NODE_ID:        node_rdat = `OFR_NODE_ID_RESET;
            `OFR_NODE_SHAPE:     node_rdat = {COLLECTIVES != 0, DATAGRAMS != 0, CHANNELS != 0,
                                             LINKS != 0, 12'(L), COUNT != 0, PINS != 0,
                                             CHECK != 0, GEN != 0, 4'(C), 4'(W / 8), 1'b0,
                                             OFR == 0, 2'(N)};
            `OFR_NODE_CONTROL:   node_rdat[0] = configured_q;
            `OFR_NODE_STATUS: begin
                node_rdat[`OFR_NODE_STATUS_DRAINED_LSB]       = drained;
                node_rdat[`OFR_NODE_STATUS_WATCHDOG_LSB]      = watchdog;
                node_rdat[`OFR_NODE_STATUS_LINK_UP_LSB +: P]  = link_up_q;
            end
            `OFR_NODE_SIZE: begin
                node_rdat[16] = N == 2;
                for (int i = 0; i < N; i++)
                    node_rdat[8*i +: 5] = k_q[5*i +: 5];
            end
            `OFR_NODE_COORD:
                for (int i = 0; i < N; i++)
                    node_rdat[8*i +: 4] = me_q[4*i +: 4];
            `OFR_NODE_ROUTING: begin
                node_rdat[`OFR_NODE_ROUTING_SELECT_LSB +: 2]    = select_q;
                node_rdat[`OFR_NODE_ROUTING_ESCAPE_LSB +: 2]    = escape_q;
                node_rdat[`OFR_NODE_ROUTING_THRESHOLD_LSB +: 4] = threshold_q;
            end
            `OFR_NODE_TIE:       node_rdat[0] = tie_q;
            `OFR_NODE_SEED:      node_rdat = seed_q;
            `OFR_NODE_WATCHDOG:  node_rdat[4:0] = watchdog_time_q;
            `OFR_NODE_RING_WAIT: node_rdat[3:0] = ring_wait_q;
            `OFR_NODE_DROPPED:   node_rdat = dropped;
            default: ;
        endcase
    end

    // --- Router, OFR unit, counters, local port --------------------------------------------------
    logic           li_valid, li_last, lo_valid, lo_ready, lo_last, lo_poison;
    logic [2:0]     li_ready;
    logic [1:0]     li_vc;
    logic [W-1:0]   li_data, lo_data;
    logic           ev_pinned, unused;
    logic [15:0]    generation;
    logic [P:0]     ev_flit, ev_packet, ev_stall_credit, ev_stall_alloc, ev_refused, ev_discarded;
    logic [2*P+1:0] ev_flit_vc, ev_packet_vc, ev_stall_vc;
    logic           ev_injected, ev_delivered, ev_poisoned, ev_oidn, ev_widn;
    logic [24*N-1:0] used;
    logic [31:0]    ofr_rdat, local_rdat, count_rdat, links_rdat, user_rdat;
    logic           ofr_err, local_err, count_err, user_err;

    ofr_routing #(.N(N), .W(W), .L(L), .C(C), .MUL(MUL), .OFR(OFR)) routing (
        .clk, .rst, .configured(configured_q), .k(k_q), .me(me_q), .tie_both(tie_q),
        .select(select_q), .escape(escape_q), .threshold(threshold_q),
        .watchdog_time(watchdog_time_q), .ring_wait_time(ring_wait_q), .seed_we(seed_we_q),
        .seed(seed_q), .watchdog_clear, .drained, .watchdog, .cycle, .dropped,
        .link_up, .rx_valid, .rx_vc, .rx_data, .rx_last, .rx_poison, .rx_abort, .rx_credit,
        .rx_received, .tx_valid, .tx_ready, .tx_vc, .tx_data, .tx_last, .tx_poison, .tx_credit,
        .tx_base, .tx_rebase, .li_valid, .li_ready, .li_vc, .li_data, .li_last,
        .lo_valid, .lo_ready, .lo_data, .lo_last, .lo_poison,
        .reg_we, .reg_adr, .reg_wdat, .reg_rdat(ofr_rdat), .reg_err(ofr_err),
        .generation,
        .ev_flit, .ev_flit_vc, .ev_packet, .ev_packet_vc, .ev_stall_credit, .ev_stall_alloc,
        .ev_stall_vc, .ev_refused, .ev_discarded, .ev_injected, .ev_delivered, .ev_poisoned,
        .ev_oidn, .ev_widn, .used
    );

    // Channels' ends: a program's on the user's core, then the pins'
    logic [ENDS-1:0]     c_tvalid, c_tready, c_tlast, d_tvalid, d_tready;
    logic [W*ENDS-1:0]   c_tdata;
    logic [W/8*ENDS-1:0] c_tkeep;
    if (USER != 0) begin : g_user
        logic [USER-1:0]     u_tvalid, u_tlast, u_tready;
        logic [W*USER-1:0]   u_tdata;
        logic [W/8*USER-1:0] u_tkeep;
        ofr_user #(.W(W), .ENDS(USER), .RAM_BYTES(USER_RAM)) user (
            .clk, .rst, .reg_we, .reg_adr, .reg_wdat, .reg_rdat(user_rdat), .reg_err(user_err),
            .m_axis_tvalid(u_tvalid), .m_axis_tready(c_tready[USER-1:0]), .m_axis_tdata(u_tdata),
            .m_axis_tkeep(u_tkeep), .m_axis_tlast(u_tlast), .s_axis_tvalid(d_tvalid[USER-1:0]),
            .s_axis_tready(u_tready), .s_axis_tdata(m_axis_tdata[W*USER-1:0]),
            .s_axis_tkeep(m_axis_tkeep[W/8*USER-1:0]), .s_axis_tlast(m_axis_tlast[USER-1:0]),
            .s_axis_tuser(m_axis_tuser[USER-1:0])
        );
        always_comb begin
            {c_tvalid, c_tlast, c_tdata} = {s_axis_tvalid, s_axis_tlast, s_axis_tdata};
            {c_tkeep, s_axis_tready} = {s_axis_tkeep, c_tready};
            {m_axis_tvalid, d_tready} = {d_tvalid, m_axis_tready};
            c_tvalid[USER-1:0] = u_tvalid;
            c_tlast[USER-1:0] = u_tlast;
            c_tdata[W*USER-1:0] = u_tdata;
            c_tkeep[W/8*USER-1:0] = u_tkeep;
            d_tready[USER-1:0] = u_tready;
            s_axis_tready[USER-1:0] = '0;
            m_axis_tvalid[USER-1:0] = '0;
        end
    end else begin : g_no_user
        assign {c_tvalid, c_tlast, c_tdata} = {s_axis_tvalid, s_axis_tlast, s_axis_tdata};
        assign {c_tkeep, s_axis_tready} = {s_axis_tkeep, c_tready};
        assign {m_axis_tvalid, d_tready} = {d_tvalid, m_axis_tready};
        assign {user_rdat, user_err} = '0;
    end

    ofr_local #(
        .N(N), .W(W), .L(L), .GEN(GEN), .CHECK(CHECK), .PINS(PINS), .CHANNELS(CHANNELS),
        .ROOM(ROOM), .DATAGRAMS(DATAGRAMS), .COLLECTIVES(COLLECTIVES)
    ) local_port (
        .clk, .rst, .configured(configured_q), .me(me_q), .size(k_q), .now(now[33:2]),
        .epoch(generation[0]),
        .reg_early, .reg_we, .reg_re, .reg_adr, .reg_wdat, .reg_rdat(local_rdat),
        .reg_err(local_err),
        .li_valid, .li_ready, .li_vc, .li_data, .li_last, .ev_pinned,
        .lo_valid, .lo_ready, .lo_data, .lo_last, .lo_poison,
        .s_axis_tvalid(c_tvalid), .s_axis_tready(c_tready), .s_axis_tdata(c_tdata),
        .s_axis_tkeep(c_tkeep), .s_axis_tlast(c_tlast),
        .m_axis_tvalid(d_tvalid), .m_axis_tready(d_tready), .m_axis_tdata, .m_axis_tkeep,
        .m_axis_tlast, .m_axis_tuser,
        .s_datagram_tvalid, .s_datagram_tready, .s_datagram_tdata, .s_datagram_tkeep,
        .s_datagram_tlast, .s_datagram_tdest, .s_datagram_tuser, .m_datagram_tvalid,
        .m_datagram_tready, .m_datagram_tdata, .m_datagram_tkeep, .m_datagram_tlast,
        .m_datagram_tid, .m_datagram_tdest,
        .s_collective_tvalid, .s_collective_tready, .s_collective_tdata, .s_collective_tkeep,
        .s_collective_tlast, .s_collective_tuser, .m_collective_tvalid, .m_collective_tready,
        .m_collective_tdata, .m_collective_tkeep, .m_collective_tlast, .m_collective_tuser
    );

    if (COUNT != 0) begin : g_count
        ofr_counters #(.N(N)) counters (
            .clk, .rst, .ev_flit, .ev_flit_vc, .ev_packet, .ev_packet_vc, .ev_stall_credit,
            .ev_stall_alloc, .ev_stall_vc, .ev_refused, .ev_discarded, .ev_injected,
            .ev_delivered, .ev_poisoned, .ev_oidn, .ev_widn, .ev_pinned, .ev_crc(ev_bad), .ev_retry,
            .ev_reset(ev_down), .used, .reg_we, .reg_re, .reg_adr,
            .reg_wdat, .reg_rdat(count_rdat), .reg_err(count_err), .copy(mon_copy),
            .copy_index(mon_copy_index), .copy_value(mon_copy_value)
        );
    end else begin : g_count_small
        logic unused_events;
        ofr_counters_small #(.N(N)) counters (
            .clk, .rst, .ev_flit, .ev_discarded, .ev_injected, .ev_delivered, .ev_poisoned,
            .ev_oidn, .ev_widn, .ev_pinned, .ev_crc(ev_bad), .ev_retry, .ev_reset(ev_down),
            .reg_we, .reg_re, .reg_adr, .reg_wdat, .reg_rdat(count_rdat),
            .reg_err(count_err), .copy(mon_copy), .copy_index(mon_copy_index),
            .copy_value(mon_copy_value)
        );
        assign unused_events = ^{ev_flit_vc, ev_packet, ev_packet_vc, ev_stall_credit,
                                 ev_stall_alloc, ev_stall_vc, ev_refused, used};
    end

    if (LINKS != 0) begin : g_links
        ofr_link_regs #(.N(N), .TICK(TICK), .BITS(BITS), .PHY(PHY), .WIRES(WIRES)) links (
            .clk, .rst, .link_up, .state(link_state), .why(link_why), .peer(link_peer), .ev_frame,
            .ev_retry, .ev_bad, .ev_down, .ev_tick, .phy_bert, .phy_hold, .phy_locked,
            .phy_stopped, .phy_lost, .phy_seen, .phy_wires, .early(wb_cyc && wb_stb && !busy_q),
            .early_adr(wb_adr), .reg_we, .reg_adr, .reg_wdat, .reg_rdat(links_rdat)
        );
    end else begin : g_no_links
        logic unused_links;
        assign links_rdat   = '0;
        assign {phy_bert, phy_hold} = '0;
        assign unused_links = ^{link_state, link_why, link_peer, ev_frame, ev_tick, phy_locked,
                                phy_stopped, phy_lost, phy_seen, phy_wires};
    end

    assign unused   = ^{wb_adr[1:0], generation[15:1]};
    assign reg_rdat = node_rdat | time_rdat | ofr_rdat | local_rdat | count_rdat | links_rdat
        | user_rdat;
    assign reg_err  = node_err || ofr_err || local_err || count_err || user_err;
endmodule

`default_nettype wire
