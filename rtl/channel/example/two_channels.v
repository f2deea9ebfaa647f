// SPDX-License-Identifier: Apache-2.0
// A board with two channels of a user's logic, as an example. End 0 asks: numbers that count up,
// four a message. End 1 answers: it gives back each number plus one. So end 0 of one board is to be
// joined with end 1 of another one, or of the same. README.md says how.
`default_nettype none

// An example leaves open what it does not use.
/* verilator lint_off PINMISSING */
/* verilator lint_off UNUSEDSIGNAL */

module two_channels #(
    parameter int UART_DIVISOR = 104, // clock cycles a bit
    parameter     INIT         = ""   // the firmware, as in ofr_ram
) (
    input  wire logic        clk,
    input  wire logic        rst,
    input  wire logic [63:0] serial, // another one on each board
    input  wire logic        uart_rx,
    output logic             uart_tx,
    output logic [3:0]       cable_tx_clk, // x+, x-, y+, y-
    output logic [31:0]      cable_tx,     // eight wires each
    input  wire logic [3:0]  cable_rx_clk,
    input  wire logic [31:0] cable_rx,
    output logic [31:0]      answers, // that have come
    output logic             wrong    // one of them was
);
    // The ends' pins: end 0's are the lowest
    logic [1:0]  s_valid, s_ready, s_last, m_valid, m_ready, m_last, m_broken;
    logic [63:0] s_data, m_data;
    logic [7:0]  s_keep, m_keep; // bytes that count, in a message's last beat

    ofr_board #(
        .N(2), .W(32), .L(16), .C(8), .CHANNELS(2), .ROOM(4), .LINK(2), .WIRES(8),
        .UART_DIVISOR(UART_DIVISOR), .INIT(INIT)
    ) board (
        .clk, .rst, .serial, .uart_rx, .uart_tx,
        .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx,
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .s_axis_tkeep(s_keep), .s_axis_tlast(s_last), .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata(m_data), .m_axis_tkeep(m_keep),
        .m_axis_tlast(m_last), .m_axis_tuser(m_broken),
        // Without an SPI flash, datagrams or collectives; links are cables, not wires or words
        .flash_miso(1'b0), .link_up(4'd0), .rx_valid(4'd0), .rx_vc(8'd0), .rx_data(128'd0),
        .rx_last(4'd0), .rx_poison(4'd0), .rx_abort(4'd0), .tx_ready(4'd0), .tx_credit(48'd0),
        .tx_base(48'd0), .tx_rebase(4'd0), .phy_up(4'd0), .phy_tx_ready(4'd0),
        .phy_rx_valid(4'd0), .phy_rx_word(128'd0), .phy_rx_late(4'd0),
        .s_datagram_tvalid(1'b0), .s_datagram_tdata(32'd0), .s_datagram_tkeep(4'd0),
        .s_datagram_tlast(1'b0), .s_datagram_tdest(16'd0), .s_datagram_tuser(2'd0),
        .m_datagram_tready(1'b0),
        .s_collective_tvalid(1'b0), .s_collective_tdata(32'd0), .s_collective_tkeep(4'd0),
        .s_collective_tlast(1'b0), .s_collective_tuser(7'd0), .m_collective_tready(1'b0)
    );

    // End 0: TREADY is 0 until the channel is open, and while there is no room
    logic [31:0] asked_q;
    assign {s_valid[0], s_last[0], s_keep[3:0]} = {1'b1, &asked_q[1:0], 4'b1111};
    assign s_data[31:0] = asked_q;
    assign m_ready[0]   = 1'b1;
    always_ff @(posedge clk) begin
        if (s_ready[0]) asked_q <= asked_q + 32'd1;
        if (m_valid[0] && !m_broken[0]) begin
            answers <= answers + 32'd1;
            if (m_data[31:0] != answers + 32'd1 || m_last[0] != &answers[1:0]) wrong <= 1'b1;
        end
        if (rst) {asked_q, answers, wrong} <= '0;
    end

    // End 1: what comes goes back
    assign {s_valid[1], s_last[1], s_keep[7:4]} = {m_valid[1], m_last[1], m_keep[7:4]};
    assign s_data[63:32] = m_data[63:32] + 32'd1;
    assign m_ready[1]    = s_ready[1];
endmodule

`default_nettype wire
