// SPDX-License-Identifier: Apache-2.0
// A board: the node (router, OFR unit, local port, registers), what is at its ports (ofr_links),
// and the SoC that runs the firmware.
// Board tops with pins wrap this; simulation takes it as it is. The mon_* outputs let a simulation
// follow the register accesses; on a board they stay open and cost nothing.
`default_nettype none

module ofr_board #(
    parameter int N            = 2,     // dimensions, 2 or 3
    parameter int W            = 32,    // flit width in bits, 16, 32 or 64
    parameter int L            = 16,    // flits per slot, a power of two; L W / 8 at least 32 bytes
    parameter int C            = 8,     // slots per VC, 2 to 8
    parameter int MUL          = 1,     // OFR unit: 1 with multipliers, 0 without
    parameter int OFR          = 1,     // 0: no OFR unit: class DEROUTE goes minimally
    parameter int GEN          = 1,     // 0: no traffic generator
    parameter int CHECK        = 1,     // 0: no checker
    parameter int PINS         = 1,     // 0: no destination table
    parameter int COUNT        = 1,     // 0: only the counters of small FPGAs
    // As in ofr_local
    parameter int CHANNELS     = 0,     // ends of channels, 0: none; up to 16
    parameter int ROOM         = 4,     // packets that one receives ahead of its consumer
    parameter int DATAGRAMS    = 0,     // packets received ahead of their consumer; 0: none
    parameter int COLLECTIVES  = 0,     // most children in a group, less than CHANNELS; 0: none
    // As in ofr_node
    parameter int USER         = 0,     // ends of a program on the user's core; 0: no such core
    parameter int USER_RAM     = 16384,
    // As in ofr_links
    parameter int LINK         = 0,     // 0: plain wires, 1: reliable, words at the pins,
                                        // 2: cables, 3: four cables, small
    parameter int SHARED       = 0,
    parameter int SERIAL       = 1,
    parameter int TICK         = 8,
    parameter int TIME         = 0,     // 1: NODE.TIME is one for all boards; LINK = 1, 2 only
    parameter int WIRES        = 8,
    parameter int TUNE         = 12,
    // As in ofr_soc
    parameter int CORE         = 0,     // 0: rv32i, 1: PicoRV32
    parameter int SMALL        = 0,     // 1: fewer cells, more cycles, of ofr_node, too; FLASH only
    parameter int FLASH        = 0,     // 1: the firmware runs from SPI flash
    parameter int RAM_BYTES    = 16384,
    parameter     INIT         = "",    // RAM's content
    parameter int FLASH_OFFSET = 262144,
    parameter int FLASH_WAKE_CYCLES = 511,
    parameter int UART_DIVISOR = 104,   // cycles a bit after reset, 4 to 65535
    parameter int RX_DEPTH     = 256,
    parameter int TIMER_BITS   = 64,
    parameter int CLOCK_HZ     = 12_000_000,
    localparam int ENDS = CHANNELS > 0 ? CHANNELS : 1 // at the pins
) (
    input  wire logic             clk,
    input  wire logic             rst,
    input  wire logic [63:0]      serial, // constant
    input  wire logic             uart_rx,
    output logic                  uart_tx,
    output logic                  trapped,
    output logic                  flash_csn,
    output logic                  flash_sck,
    output logic                  flash_mosi,
    input  wire logic             flash_miso,
    // Plain links, see rtl/README.md. Inputs: LINK = 0 only; outputs: what the router does
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
    // Reliable links: words, LINK = 1; cables, LINK = 2 and 3
    input  wire logic [2*N-1:0]   phy_up,
    output logic [2*N*W-1:0]      phy_tx_word,
    input  wire logic [2*N-1:0]   phy_tx_ready,
    input  wire logic [2*N-1:0]   phy_rx_valid,
    input  wire logic [2*N*W-1:0] phy_rx_word,
    input  wire logic [2*N-1:0]   phy_rx_late,
    output logic [2*N-1:0]        phase,
    output logic [2*N-1:0]        cable_tx_clk,
    output logic [2*N*WIRES-1:0]  cable_tx,
    input  wire logic [2*N-1:0]   cable_rx_clk,
    input  wire logic [2*N*WIRES-1:0] cable_rx,
    // Channels' user, as in ofr_channel; one end that does nothing where there are none
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
    output logic [2*N-1:0]        mon_link_up,
    output logic [2*N-1:0]        mon_link_dead, // no clock comes over the cable; LINK >= 2, else 0
    output logic [6*N-1:0]        mon_link_state,
    output logic [8*N-1:0]        mon_link_why,
    output logic [31:0]           mon_time,
    output logic [1:0]            mon_part, // quarters of a cycle beyond mon_time
    output logic [15:0]           mon_rank,
    output logic                  mon_we,
    output logic                  mon_re,
    output logic [11:0]           mon_adr,
    output logic [31:0]           mon_wdat,
    output logic [31:0]           mon_rdat,
    output logic                  mon_copy,
    output logic [7:0]            mon_copy_index,
    output logic [47:0]           mon_copy_value
);
    // The firmware in RAM has no room for what a board without the OFR unit asks of it
    generate
        if (OFR == 0 && FLASH == 0)
            ofr_board_parameters_out_of_range bad ();
    endgenerate

    logic        wb_cyc, wb_stb, wb_we, wb_ack, wb_err;
    logic [11:0] wb_adr;
    logic [31:0] wb_dat_w, wb_dat_r;

    ofr_soc #(
        .CORE(CORE), .SMALL(SMALL), .FLASH(FLASH), .RAM_BYTES(RAM_BYTES), .INIT(INIT),
        .FLASH_OFFSET(FLASH_OFFSET),
        .FLASH_WAKE_CYCLES(FLASH_WAKE_CYCLES), .UART_DIVISOR(UART_DIVISOR), .RX_DEPTH(RX_DEPTH),
        .TIMER_BITS(TIMER_BITS), .CLOCK_HZ(CLOCK_HZ)
    ) soc (
        .clk, .rst, .uart_rx, .uart_tx, .serial, .wb_cyc, .wb_stb, .wb_we, .wb_adr, .wb_dat_w,
        .wb_dat_r, .wb_ack, .wb_err, .flash_csn, .flash_sck, .flash_mosi, .flash_miso, .trapped
    );

    logic [2*N-1:0]   r_rx_valid, r_rx_last, r_rx_poison, r_rx_abort, r_tx_ready, r_tx_rebase;
    logic [4*N-1:0]   r_rx_vc;
    logic [2*N*W-1:0] r_rx_data;
    logic [24*N-1:0]  r_tx_credit, r_tx_base;
    logic [128*N-1:0] peer;
    logic [32*N-1:0]  lag, says_data;
    logic [2*N-1:0]   says;
    logic [6*N-1:0]   says_what;
    logic [2*N-1:0]   ev_frame, ev_retry, ev_bad, ev_down;
    logic             ev_tick, phy_hold;
    logic [2*N-1:0]   phy_bert, phy_locked, phy_lost;
    logic [64*N-1:0]  phy_seen;
    logic [32*N*WIRES-1:0] phy_wires;
    ofr_links #(
        .LINK(LINK), .N(N), .W(W), .L(L), .C(C), .SHARED(SHARED), .SERIAL(SERIAL), .TICK(TICK),
        .TIME(TIME), .WIRES(WIRES), .TUNE(TUNE)
    ) links (
        .clk, .rst, .serial, .now({mon_time, mon_part}), .rank(mon_rank), .bert(phy_bert),
        .hold(phy_hold), .link_up,
        .rx_valid, .rx_vc, .rx_data, .rx_last, .rx_poison, .rx_abort, .tx_ready, .tx_credit,
        .tx_base, .tx_rebase, .phy_up, .phy_tx_word, .phy_tx_ready, .phy_rx_valid, .phy_rx_word,
        .phy_rx_late, .phase, .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx,
        .to_link_up(mon_link_up), .to_rx_valid(r_rx_valid), .to_rx_vc(r_rx_vc),
        .to_rx_data(r_rx_data), .to_rx_last(r_rx_last), .to_rx_poison(r_rx_poison),
        .to_rx_abort(r_rx_abort), .to_tx_ready(r_tx_ready),
        .to_tx_credit(r_tx_credit), .to_tx_base(r_tx_base), .to_tx_rebase(r_tx_rebase),
        .rx_credit, .rx_received, .tx_valid, .tx_vc, .tx_data, .tx_last, .tx_poison,
        .state(mon_link_state), .why(mon_link_why), .peer, .lag, .says, .says_what,
        .says_data, .ev_frame, .ev_retry, .ev_bad, .ev_down, .ev_tick,
        .phy_locked, .phy_stopped(mon_link_dead), .phy_lost, .phy_seen, .phy_wires
    );

    ofr_node #(
        .N(N), .W(W), .L(L), .C(C), .MUL(MUL), .OFR(OFR), .GEN(GEN), .CHECK(CHECK), .PINS(PINS),
        .COUNT(COUNT), .SMALL(SMALL), .LINKS(LINK == 1 || LINK == 2 ? 1 : 0), .TICK(TICK),
        .TIME(TIME),
        .CHANNELS(CHANNELS), .ROOM(ROOM), .DATAGRAMS(DATAGRAMS), .COLLECTIVES(COLLECTIVES),
        .USER(USER), .USER_RAM(USER_RAM), .PHY(LINK == 2 ? 1 : 0), .WIRES(WIRES),
        .BITS(LINK == 2 ? WIRES : SHARED != 0 ? W / 2 : W)
    ) node (
        .clk, .rst, .serial, .wb_cyc, .wb_stb, .wb_we, .wb_adr, .wb_dat_w, .wb_dat_r, .wb_ack,
        .wb_err, .link_up(mon_link_up), .rx_valid(r_rx_valid), .rx_vc(r_rx_vc),
        .rx_data(r_rx_data), .rx_last(r_rx_last), .rx_poison(r_rx_poison), .rx_abort(r_rx_abort),
        .rx_credit, .rx_received, .tx_valid, .tx_ready(r_tx_ready), .tx_vc, .tx_data, .tx_last,
        .tx_poison, .tx_credit(r_tx_credit), .tx_base(r_tx_base), .tx_rebase(r_tx_rebase),
        .link_state(mon_link_state), .link_why(mon_link_why), .link_peer(peer), .lag, .says,
        .says_what, .says_data, .now({mon_time, mon_part}), .rank(mon_rank), .ev_frame,
        .ev_retry, .ev_bad, .ev_down, .ev_tick, .phy_bert, .phy_hold, .phy_locked,
        .phy_stopped(mon_link_dead), .phy_lost, .phy_seen, .phy_wires,
        .s_axis_tvalid, .s_axis_tready, .s_axis_tdata, .s_axis_tkeep, .s_axis_tlast,
        .m_axis_tvalid, .m_axis_tready, .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast,
        .m_axis_tuser,
        .s_datagram_tvalid, .s_datagram_tready, .s_datagram_tdata, .s_datagram_tkeep,
        .s_datagram_tlast, .s_datagram_tdest, .s_datagram_tuser, .m_datagram_tvalid,
        .m_datagram_tready, .m_datagram_tdata, .m_datagram_tkeep, .m_datagram_tlast,
        .m_datagram_tid, .m_datagram_tdest,
        .s_collective_tvalid, .s_collective_tready, .s_collective_tdata, .s_collective_tkeep,
        .s_collective_tlast, .s_collective_tuser, .m_collective_tvalid, .m_collective_tready,
        .m_collective_tdata, .m_collective_tkeep, .m_collective_tlast, .m_collective_tuser,
        .mon_we, .mon_re, .mon_adr, .mon_wdat, .mon_rdat, .mon_copy, .mon_copy_index,
        .mon_copy_value
    );
endmodule

`default_nettype wire
