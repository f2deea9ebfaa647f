// SPDX-License-Identifier: Apache-2.0
// Two boards of two_channels, cabled to a ring of two, and the host: it sends the firmware of board
// 0 the requests that set both up and join end 0 of each with end 1 of the other. Then the boards
// are on their own. Prints whether all answers are right, and the pins that ../scenes.txt names in
// the cycles of the waveforms.
`include "ofr_defs.vh"
`default_nettype none

module two_channels_tb #(
    parameter INIT = "fw.hex"
);
    localparam int BIT = 4; // cycles a bit of the UART
    logic        clk = 0, rst = 1, to_board = 1;
    logic [1:0]  from_board, wrong;
    logic [7:0]  cable_clk; // board 0's four lowest
    logic [63:0] cable, answers;

    // Port x+ of each is cabled with x- of the other one
    for (genvar i = 0; i < 2; i++) begin : g_board
        two_channels #(.UART_DIVISOR(BIT), .INIT(INIT)) top (
            .clk, .rst, .serial(64'(i + 1)), .uart_rx(i == 0 ? to_board : 1'b1),
            .uart_tx(from_board[i]),
            .cable_tx_clk(cable_clk[4*i +: 4]), .cable_tx(cable[32*i +: 32]),
            .cable_rx_clk({2'b00, cable_clk[4*(1-i)], cable_clk[4*(1-i)+1]}),
            .cable_rx({16'd0, cable[32*(1-i) +: 8], cable[32*(1-i)+8 +: 8]}),
            .answers(answers[32*i +: 32]), .wrong(wrong[i])
        );
    end
    always #5 clk = !clk;

    // ---- The host: frames and requests of firmware/protocol.h ----------------------------------

    localparam int LEASE = 6, CONFIGURE = 5, WRITE = 4, NO_LINK = 11, SESSION = 2;
    logic [255:0] frame, answer;
    logic [15:0]  number = 0;

    function automatic [31:0] crc(input [223:0] bits);
        crc = '1;
        for (int i = 0; i < 224; i++)
            crc = {1'b0, crc[31:1]} ^ (crc[0] ^ bits[i] ? 32'hedb88320 : 32'd0);
        crc = ~crc;
    endfunction

    // Eight data bits, low ones first, between a start bit and a stop bit
    task send_frame;
        for (int i = 0; i < 320; i++) begin
            to_board <= i % 10 == 9 || (i % 10 != 0 && frame[i / 10 * 8 + i % 10 - 1]);
            repeat (BIT) @(posedge clk);
        end
    endtask
    task receive_frame;
        for (int i = 0; i < 320; i++) begin
            if (i % 10 == 0) begin
                while (from_board[0]) @(posedge clk);
                repeat (BIT / 2) @(posedge clk);
            end else begin
                repeat (BIT) @(posedge clk);
                if (i % 10 != 9) answer[i / 10 * 8 + i % 10 - 1] = from_board[0];
            end
        end
    endtask

    // To board 0, or by one hop over its x+ to board 1, until the link there is up.
    task request(input int board, op, arg, session, input [15:0] high, input [31:0] data);
        do begin
            number = number + 16'd1;
            // By path, which has one hop at most: x+
            frame[223:0] = {data, high, 16'd0, 32'd0, 32'd0, 6'd0, 5'(board), 5'd0, number,
                            16'(session), 8'(arg), 8'(op), 16'd0, 4'(`OFR_PROTOCOL_VERSION),
                            12'h0a5};
            frame[255:224] = crc(frame[223:0]);
            send_frame;
            receive_frame;
        end while (answer[47:40] == NO_LINK);
        if (answer[47:40] != 0 || answer[39:32] != (8'(op) | 8'h80)) begin
            $display("operation %0d at board %0d: refused, status %0d", op, board, answer[47:40]);
            $finish;
        end
    endtask
    task write(input int board, input [11:0] register, input [31:0] data);
        request(board, WRITE, 0, SESSION, {4'd0, register}, data);
    endtask

    // An end of a board is joined with one of the other board.
    task join_end(input int board, end_, peer_end, input [31:0] command);
        write(board, 12'(`OFR_CHANNEL_SELECT), 32'(end_));
        write(board, 12'(`OFR_CHANNEL_PEER), {8'd0, 8'd7, 4'(peer_end), 12'(1 - board)});
        write(board, 12'(`OFR_CHANNEL_COMMAND), command);
    endtask

    // ---- The run, and what the waveforms show --------------------------------------------------

    localparam int ENOUGH = 1000, LIMIT = 1_000_000;
    bit twin = 0; // joins ends 0 with each other, where nobody answers
    initial begin
        if ($test$plusargs("twin")) twin = 1;
        repeat (8) @(posedge clk);
        rst <= 0;
        for (int board = 0; board < 2; board++) begin
            request(board, LEASE, 20 << 3, 1, SESSION, 32'd1);
            request(board, CONFIGURE, 0, SESSION, 0, 32'h02000001 | board << 12); // 2x1x1
        end
        for (int board = 0; board < (twin ? 1 : 2); board++) begin
            join_end(1 - board, twin ? 0 : 1, 0, `OFR_CHANNEL_COMMAND_LISTEN);
            join_end(board, 0, twin ? 0 : 1, `OFR_CHANNEL_COMMAND_OPEN);
        end
        while (answers[31:0] < ENOUGH || answers[63:32] < ENOUGH) @(posedge clk);
        for (int board = 0; board < 2; board++)
            $display("board %0d: %0d answers or more, %0s", board, ENOUGH,
                     wrong[board] ? "wrong" : "right");
        $finish;
    end
    initial begin
        repeat (LIMIT) @(posedge clk);
        $display("no end");
        $finish;
    end

    beats_shown #(.NAME("sent"), .PINS("s_axis"), .END(0)) sent (
        .clk, .rst, .valid(g_board[0].top.s_axis_tvalid[0]),
        .ready(g_board[0].top.s_axis_tready[0]),
        .data(g_board[0].top.s_axis_tdata[31:0]), .last(g_board[0].top.s_axis_tlast[0])
    );
    beats_shown #(.NAME("received"), .PINS("m_axis"), .END(1)) received (
        .clk, .rst, .valid(g_board[1].top.m_axis_tvalid[1]),
        .ready(g_board[1].top.m_axis_tready[1]),
        .data(g_board[1].top.m_axis_tdata[63:32]), .last(g_board[1].top.m_axis_tlast[1])
    );
endmodule

`default_nettype wire
