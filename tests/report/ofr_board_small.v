// SPDX-License-Identifier: Apache-2.0
// Only for `make report`: the whole board of a small FPGA, four reliable links at their cables and
// the counters included, with what serves simulation alone left open.
`default_nettype none

module ofr_board_small #(
    parameter int C = 4, // slots a VC, 2 to 8
    parameter int SMALL = 1
) (
    input  wire logic       clk,
    input  wire logic       rst,
    input  wire logic       uart_rx,
    output logic            uart_tx,
    output logic            trapped,
    output logic            flash_csn,
    output logic            flash_sck,
    output logic            flash_mosi,
    input  wire logic       flash_miso,
    output logic [3:0]      cable_tx_clk,
    output logic [7:0]      cable_tx,
    input  wire logic [3:0] cable_rx_clk,
    input  wire logic [7:0] cable_rx
);
    localparam int N = 2;
    localparam int W = 16;

    // Plain links, words of reliable ones, and users' ports, are in none of it
    logic [2*N-1:0]   link_up, rx_valid, rx_last, rx_poison, rx_abort, tx_ready, tx_rebase;
    logic [2*N-1:0]   tx_valid, tx_last, tx_poison, phase, mon_link_up, mon_link_dead;
    logic [2*N-1:0]   phy_tx_ready, phy_rx_valid, phy_rx_late, phy_up;
    logic [4*N-1:0]   rx_vc, tx_vc;
    logic [2*N*W-1:0] rx_data, tx_data, phy_tx_word, phy_rx_word;
    logic [24*N-1:0]  rx_credit, rx_received, tx_credit, tx_base;
    logic [6*N-1:0]   mon_link_state;
    logic [8*N-1:0]   mon_link_why;
    assign {link_up, rx_valid, rx_last, rx_poison, rx_abort, tx_ready, tx_rebase, rx_vc, rx_data,
            tx_credit, tx_base, phy_tx_ready, phy_rx_valid, phy_rx_late, phy_up, phy_rx_word} = '0;
    logic         s_axis_tvalid, s_axis_tready, s_axis_tlast;
    logic         m_axis_tvalid, m_axis_tready, m_axis_tlast, m_axis_tuser;
    logic [W-1:0] s_axis_tdata, m_axis_tdata, s_datagram_tdata, m_datagram_tdata;
    logic [1:0]   s_axis_tkeep, m_axis_tkeep, s_datagram_tkeep, m_datagram_tkeep;
    logic         s_datagram_tvalid, s_datagram_tready, s_datagram_tlast;
    logic         m_datagram_tvalid, m_datagram_tready, m_datagram_tlast;
    logic [15:0]  s_datagram_tdest;
    logic [1:0]   s_datagram_tuser, s_collective_tkeep, m_collective_tkeep, m_collective_tuser;
    logic [11:0]  m_datagram_tid;
    logic [3:0]   m_datagram_tdest;
    logic         s_collective_tvalid, s_collective_tready, s_collective_tlast;
    logic         m_collective_tvalid, m_collective_tready, m_collective_tlast;
    logic [W-1:0] s_collective_tdata, m_collective_tdata;
    logic [6:0]   s_collective_tuser;
    assign {s_axis_tvalid, s_axis_tdata, s_axis_tkeep, s_axis_tlast, m_axis_tready,
            s_datagram_tvalid, s_datagram_tlast, s_datagram_tdata, s_datagram_tkeep,
            s_datagram_tdest, s_datagram_tuser, m_datagram_tready, s_collective_tvalid,
            s_collective_tdata, s_collective_tkeep, s_collective_tlast, s_collective_tuser,
            m_collective_tready} = '0;

    logic        mon_we, mon_re, mon_copy, unused;
    logic [11:0] mon_adr;
    logic [31:0] mon_wdat, mon_rdat, mon_time;
    logic [15:0] mon_rank;
    logic [1:0]  mon_part;
    logic [7:0]  mon_copy_index;
    logic [47:0] mon_copy_value;
    ofr_board #(
        .N(N), .W(W), .L(16), .C(C), .MUL(0), .OFR(0), .GEN(0), .CHECK(0), .PINS(0), .COUNT(0),
        .LINK(3), .WIRES(2), .SMALL(SMALL), .FLASH(1), .RAM_BYTES(2048), .RX_DEPTH(512),
        .TIMER_BITS(40)
    ) board (.serial(64'h0123_4567_89ab_cdef), .*);
    assign unused = ^{tx_valid, tx_last, tx_poison, tx_vc, tx_data, rx_credit, rx_received, phase,
                      phy_tx_word, mon_we, mon_re, mon_adr, mon_wdat, mon_rdat, mon_copy,
                      mon_copy_index, mon_copy_value, mon_link_up, mon_link_dead, mon_link_state,
                      mon_link_why, mon_time, mon_part, mon_rank, s_axis_tready, m_axis_tvalid,
                      m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tuser, s_datagram_tready,
                      m_datagram_tvalid, m_datagram_tdata, m_datagram_tkeep, m_datagram_tlast,
                      m_datagram_tid, m_datagram_tdest, s_collective_tready, m_collective_tvalid,
                      m_collective_tdata, m_collective_tkeep, m_collective_tlast,
                      m_collective_tuser};
endmodule

`default_nettype wire
