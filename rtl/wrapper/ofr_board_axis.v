// SPDX-License-Identifier: Apache-2.0
// A board for a user's logic: ofr_board with channels and cables, and no other pins than a design
// with both needs. Their ends are the AXI4-Stream pins, a bit of each pin an end, the lowest end 0;
// what they do: rtl/channel/README.md. Who needs more of a board takes ofr_board.
`default_nettype none

module ofr_board_axis #(
    // As in ofr_board, with ranges and units
    parameter int N            = 2,
    parameter int W            = 32,
    parameter int L            = 16,
    parameter int C            = 8,
    parameter int CHANNELS     = 2,   // 1 to 16
    parameter int ROOM         = 4,
    parameter int WIRES        = 8,
    parameter int RAM_BYTES    = 16384,
    parameter     INIT         = "",
    parameter int UART_DIVISOR = 104,
    parameter int CLOCK_HZ     = 12_000_000
) (
    input  wire logic                    clk,
    input  wire logic                    rst,
    input  wire logic [63:0]             serial, // constant, another one on each board
    input  wire logic                    uart_rx,
    output logic                         uart_tx,
    // A bit, or WIRES bits, a port: x+, x-, y+, y-, then z
    output logic [2*N-1:0]               cable_tx_clk,
    output logic [2*N*WIRES-1:0]         cable_tx,
    input  wire logic [2*N-1:0]          cable_rx_clk,
    input  wire logic [2*N*WIRES-1:0]    cable_rx,
    // What the user's logic sends, and what it receives
    input  wire logic [CHANNELS-1:0]     s_axis_tvalid,
    output logic [CHANNELS-1:0]          s_axis_tready,
    input  wire logic [W*CHANNELS-1:0]   s_axis_tdata,
    input  wire logic [W/8*CHANNELS-1:0] s_axis_tkeep,
    input  wire logic [CHANNELS-1:0]     s_axis_tlast,
    output logic [CHANNELS-1:0]          m_axis_tvalid,
    input  wire logic [CHANNELS-1:0]     m_axis_tready,
    output logic [W*CHANNELS-1:0]        m_axis_tdata,
    output logic [W/8*CHANNELS-1:0]      m_axis_tkeep,
    output logic [CHANNELS-1:0]          m_axis_tlast,
    output logic [CHANNELS-1:0]          m_axis_tuser
);
    localparam int P = 2 * N; // ports

    // Outputs of what is not here stay open
    /* verilator lint_off PINMISSING */
    ofr_board #(
        .N(N), .W(W), .L(L), .C(C), .CHANNELS(CHANNELS), .ROOM(ROOM), .LINK(2), .WIRES(WIRES),
        .RAM_BYTES(RAM_BYTES), .INIT(INIT), .UART_DIVISOR(UART_DIVISOR), .CLOCK_HZ(CLOCK_HZ)
    ) board (
        .clk, .rst, .serial, .uart_rx, .uart_tx,
        .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx,
        .s_axis_tvalid, .s_axis_tready, .s_axis_tdata, .s_axis_tkeep, .s_axis_tlast,
        .m_axis_tvalid, .m_axis_tready, .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast, .m_axis_tuser,
        // Without an SPI flash, datagrams or collectives; links are cables, not wires or words
        .flash_miso(1'b0), .link_up({P{1'b0}}), .rx_valid({P{1'b0}}), .rx_vc({2*P{1'b0}}),
        .rx_data({P*W{1'b0}}), .rx_last({P{1'b0}}), .rx_poison({P{1'b0}}), .rx_abort({P{1'b0}}),
        .tx_ready({P{1'b0}}), .tx_credit({12*P{1'b0}}), .tx_base({12*P{1'b0}}),
        .tx_rebase({P{1'b0}}), .phy_up({P{1'b0}}), .phy_tx_ready({P{1'b0}}),
        .phy_rx_valid({P{1'b0}}), .phy_rx_word({P*W{1'b0}}), .phy_rx_late({P{1'b0}}),
        .s_datagram_tvalid(1'b0), .s_datagram_tdata({W{1'b0}}), .s_datagram_tkeep({W/8{1'b0}}),
        .s_datagram_tlast(1'b0), .s_datagram_tdest(16'd0), .s_datagram_tuser(2'd0),
        .m_datagram_tready(1'b0), .s_collective_tvalid(1'b0), .s_collective_tdata({W{1'b0}}),
        .s_collective_tkeep({W/8{1'b0}}), .s_collective_tlast(1'b0), .s_collective_tuser(7'd0),
        .m_collective_tready(1'b0)
    );
    /* verilator lint_on PINMISSING */
endmodule

`default_nettype wire
