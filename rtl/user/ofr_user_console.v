// SPDX-License-Identifier: Apache-2.0
// The console: bytes that the program prints wait in block RAM until they are taken, up to four at
// a time. A byte without room is lost, and counted: printing never waits.
`default_nettype none

module ofr_user_console #(
    parameter int DEPTH = 256 // a power of 2, 8 to 1024; DEPTH - 1 bytes wait, four more are shown
) (
    input  wire logic        clk,
    input  wire logic        rst,
    input  wire logic        clear, // lost is 0 again
    input  wire logic        put,   // at most every other cycle
    input  wire logic [7:0]  char,
    output logic [10:0]      room,  // bytes that can be put for sure
    input  wire logic        take,  // taken of what is shown, 0 to count
    input  wire logic [2:0]  taken,
    output logic [2:0]       count, // bytes shown, 0 to 4
    output logic [31:0]      data,  // the first one lowest, 0 beyond
    output logic [7:0]       lost   // saturating
);
    localparam int A = $clog2(DEPTH);

    logic [7:0]   fifo [0:DEPTH-1];
    logic [7:0]   head_q;
    logic [A-1:0] in_q, out_q;
    logic         fetch_q;
    wire logic [A-1:0] used = in_q - out_q;
    wire logic         full = &used;
    wire logic [2:0]   left = take ? count - taken : count;
    // Not while one is written: block RAMs differ there
    wire logic         fetch = used != 0 && !put && !fetch_q && !count[2];
    assign room = 11'(DEPTH - 1) - 11'(used);

    logic [31:0] data_d;
    always_comb begin
        data_d = data;
        if (take)
            case (taken)
                3'd0:    data_d = data;
                3'd1:    data_d = {8'b0, data[31:8]};
                3'd2:    data_d = {16'b0, data[31:16]};
                3'd3:    data_d = {24'b0, data[31:24]};
                default: data_d = '0;
            endcase
        if (fetch_q)
            data_d[8*left[1:0] +: 8] = head_q;
    end

    always_ff @(posedge clk) begin
        if (put && !full)
            fifo[in_q] <= char;
        if (!put)
            head_q <= fifo[out_q];
    end
    always_ff @(posedge clk) begin
        fetch_q <= fetch;
        data <= data_d;
        count <= left + 3'(fetch_q);
        if (put && !full)
            in_q <= in_q + A'(1);
        if (fetch)
            out_q <= out_q + A'(1);
        if (put && full && !(&lost))
            lost <= lost + 8'd1;
        if (clear)
            lost <= '0;
        if (rst) begin
            {fetch_q, count, lost} <= '0;
            data <= '0;
            in_q <= '0;
            out_q <= '0;
        end
    end
endmodule
`default_nettype wire
