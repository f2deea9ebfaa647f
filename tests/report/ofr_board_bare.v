// SPDX-License-Identifier: Apache-2.0
// Only for `make report`: a board with what serves simulation alone left open.
`default_nettype none

module ofr_board_bare #(
    parameter int N         = 2,
    parameter int W         = 16,
    parameter int L         = 16,
    parameter int C         = 4,
    parameter int MUL       = 0,
    parameter int GEN       = 1,
    parameter int CHECK     = 1,
    parameter int COUNT     = 1,
    parameter int FLASH     = 0,
    parameter int RAM_BYTES = 16384,
    parameter int TIMER_BITS = 64,
    parameter int CHANNELS  = 0, // ends, which software has
    parameter int DATAGRAMS = 0, // room, which nobody uses
    parameter int COLLECTIVES = 0 // children, which software has
) (
    input  wire logic             clk,
    input  wire logic             rst,
    input  wire logic             uart_rx,
    output logic                  uart_tx,
    output logic                  trapped,
    output logic                  flash_csn,
    output logic                  flash_sck,
    output logic                  flash_mosi,
    input  wire logic             flash_miso,
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
    input  wire logic [2*N-1:0]   tx_rebase
);
    // Ends of reliable links (LINK = 1, 2) are in none of the builds
    logic [2*N-1:0]   phy_tx_ready, phy_rx_valid, phy_rx_late, phy_up, cable_rx_clk;
    logic [2*N*W-1:0] phy_tx_word, phy_rx_word;
    logic [2*N-1:0]   phase, cable_tx_clk, mon_link_up, mon_link_dead;
    logic [16*N-1:0]  cable_tx, cable_rx; // 8 wires
    logic [6*N-1:0]   mon_link_state;
    logic [8*N-1:0]   mon_link_why;
    assign {phy_up, phy_tx_ready, phy_rx_valid, phy_rx_word, phy_rx_late} = '0;
    assign {cable_rx_clk, cable_rx} = '0;

    localparam int E = CHANNELS > 0 ? CHANNELS : 1;
    logic [E-1:0]     s_axis_tvalid, s_axis_tready, s_axis_tlast;
    logic [E-1:0]     m_axis_tvalid, m_axis_tready, m_axis_tlast, m_axis_tuser;
    logic [W*E-1:0]   s_axis_tdata, m_axis_tdata;
    logic [W/8*E-1:0] s_axis_tkeep, m_axis_tkeep;
    assign {s_axis_tvalid, s_axis_tdata, s_axis_tkeep, s_axis_tlast, m_axis_tready} = '0;
    logic           s_datagram_tvalid, s_datagram_tready, s_datagram_tlast;
    logic           m_datagram_tvalid, m_datagram_tready, m_datagram_tlast;
    logic [W-1:0]   s_datagram_tdata, m_datagram_tdata;
    logic [W/8-1:0] s_datagram_tkeep, m_datagram_tkeep;
    logic [15:0]    s_datagram_tdest;
    logic [1:0]     s_datagram_tuser;
    logic [11:0]    m_datagram_tid;
    logic [3:0]     m_datagram_tdest;
    assign {s_datagram_tvalid, s_datagram_tlast, s_datagram_tdata, s_datagram_tkeep,
            s_datagram_tdest, s_datagram_tuser, m_datagram_tready} = '0;
    logic           s_collective_tvalid, s_collective_tready, s_collective_tlast;
    logic           m_collective_tvalid, m_collective_tready, m_collective_tlast;
    logic [W-1:0]   s_collective_tdata, m_collective_tdata;
    logic [W/8-1:0] s_collective_tkeep, m_collective_tkeep;
    logic [6:0]     s_collective_tuser;
    logic [1:0]     m_collective_tuser;
    assign {s_collective_tvalid, s_collective_tlast, s_collective_tdata, s_collective_tkeep,
            s_collective_tuser, m_collective_tready} = '0;

    logic        mon_we, mon_re, mon_copy, unused;
    logic [11:0] mon_adr;
    logic [31:0] mon_wdat, mon_rdat, mon_time;
    logic [15:0] mon_rank;
    logic [1:0]  mon_part;
    logic [7:0]  mon_copy_index;
    logic [47:0] mon_copy_value;
    ofr_board #(
        .N(N), .W(W), .L(L), .C(C), .MUL(MUL), .GEN(GEN), .CHECK(CHECK), .COUNT(COUNT),
        .FLASH(FLASH), .RAM_BYTES(RAM_BYTES), .TIMER_BITS(TIMER_BITS), .CHANNELS(CHANNELS),
        .DATAGRAMS(DATAGRAMS), .COLLECTIVES(COLLECTIVES)
    ) board (.serial(64'h0123_4567_89ab_cdef), .*);
    assign unused = ^{mon_we, mon_re, mon_copy, mon_adr, mon_wdat, mon_rdat, mon_copy_index,
                      mon_copy_value, phy_tx_word, phase, cable_tx_clk, cable_tx, mon_link_up,
                      mon_link_dead, mon_link_state, mon_link_why, mon_time, mon_part, mon_rank,
                      s_axis_tready, m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tlast,
                      m_axis_tuser, s_datagram_tready, m_datagram_tvalid, m_datagram_tdata,
                      m_datagram_tkeep, m_datagram_tlast, m_datagram_tid, m_datagram_tdest,
                      s_collective_tready, m_collective_tvalid, m_collective_tdata,
                      m_collective_tkeep, m_collective_tlast, m_collective_tuser};
endmodule

`default_nettype wire
