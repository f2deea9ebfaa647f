// SPDX-License-Identifier: Apache-2.0
// As ofr_buffer, three times a power of two words deep, which is in no block RAM: two memories, of
// two thirds and of one third, as deep as block RAMs can be made. The one that is not read reads 0
// (the block RAM's reset), so that a word is their OR, which goes into the LUT behind it.
`default_nettype none

module ofr_deep_buffer #(
    parameter int DEPTH = 3072, // words, three times a power of two
    parameter int WIDTH = 36    // bits a word
) (
    input  wire logic                     clk,
    input  wire logic                     we,
    input  wire logic [$clog2(DEPTH)-1:0] waddr,
    input  wire logic [WIDTH-1:0]         wdata,
    input  wire logic                     re,
    input  wire logic [$clog2(DEPTH)-1:0] raddr,
    output logic [WIDTH-1:0]              low,   // the lower two thirds
    output logic [WIDTH-1:0]              high
);
    localparam int AW = $clog2(DEPTH);
    (* no_rw_check *)
    logic [WIDTH-1:0] low_mem [0:DEPTH/3*2-1];
    (* no_rw_check *)
    logic [WIDTH-1:0] high_mem [0:DEPTH/3-1];

    always_ff @(posedge clk) begin
        if (we && !waddr[AW-1])
            low_mem[waddr[AW-2:0]] <= wdata;
        if (re)
            low <= raddr[AW-1] ? '0 : low_mem[raddr[AW-2:0]];
    end
    always_ff @(posedge clk) begin
        if (we && waddr[AW-1])
            high_mem[waddr[AW-3:0]] <= wdata;
        if (re)
            high <= raddr[AW-1] ? high_mem[raddr[AW-3:0]] : '0;
    end
endmodule

`default_nettype wire
