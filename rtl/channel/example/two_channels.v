// SPDX-License-Identifier: Apache-2.0
// A board with two channels of a user's logic. End 0 asks: numbers that count up, four a message.
// End 1 answers each with the number plus one. README.md says how ends of two boards are joined.
`default_nettype none
module two_channels #(
    parameter int UART_DIVISOR = 104, // clock cycles a bit
    parameter     INIT         = ""   // the firmware, as in ofr_ram
) (
    input  wire logic        clk, rst, uart_rx,
    input  wire logic [63:0] serial,       // another one on each board
    output logic             uart_tx,
    output logic [3:0]       cable_tx_clk, // x+, x-, y+, y-
    output logic [31:0]      cable_tx,     // eight wires each
    input  wire logic [3:0]  cable_rx_clk,
    input  wire logic [31:0] cable_rx,
    output logic [31:0]      answers,      // that have come
    output logic             wrong         // one of them was, or the stream broke
);
    logic [1:0]  s_axis_tvalid, s_axis_tready, s_axis_tlast, m_axis_tvalid, m_axis_tready;
    logic [1:0]  m_axis_tlast, m_axis_tuser;
    logic [63:0] s_axis_tdata, m_axis_tdata; // end 0's are the lowest
    logic [7:0]  s_axis_tkeep, m_axis_tkeep; // bytes that count, in a message's last beat
    ofr_board_axis #(.CHANNELS(2), .UART_DIVISOR(UART_DIVISOR), .INIT(INIT)) board (.*);

    logic [31:0] asked_q;
    assign s_axis_tvalid = {m_axis_tvalid[1] && !m_axis_tuser[1], 1'b1};
    assign s_axis_tdata  = {m_axis_tdata[63:32] + 32'd1, asked_q};
    assign s_axis_tlast  = {m_axis_tlast[1], &asked_q[1:0]};
    assign s_axis_tkeep  = {m_axis_tkeep[7:4], 4'b1111};
    assign m_axis_tready = {s_axis_tready[1], 1'b1};
    always_ff @(posedge clk) begin
        if (s_axis_tready[0]) asked_q <= asked_q + 32'd1; // while it is open and has room
        if (m_axis_tvalid[0]) answers <= answers + 32'd1;
        if (m_axis_tvalid[0] && (m_axis_tuser[0] || m_axis_tlast[0] != &answers[1:0] ||
            m_axis_tkeep[3:0] != 4'b1111 || m_axis_tdata[31:0] != answers + 32'd1)) wrong <= 1'b1;
        if (rst) {asked_q, answers, wrong} <= '0;
    end
endmodule
`default_nettype wire
