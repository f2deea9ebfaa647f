// SPDX-License-Identifier: Apache-2.0
// VC buffer memory: one write port, one read port with a registered output that holds its value.
// A word is never read in the cycle that writes it, so no bypass is built.
`default_nettype none

module ofr_buffer #(
    parameter int DEPTH = 192, // words
    parameter int WIDTH = 18   // bits a word
) (
    input  wire logic                     clk,
    input  wire logic                     we,
    input  wire logic [$clog2(DEPTH)-1:0] waddr,
    input  wire logic [WIDTH-1:0]         wdata,
    input  wire logic                     re,
    input  wire logic [$clog2(DEPTH)-1:0] raddr,
    output logic [WIDTH-1:0]              rdata
);
    (* no_rw_check *)
    logic [WIDTH-1:0] mem [0:DEPTH-1];

    always_ff @(posedge clk) begin
        if (we)
            mem[waddr] <= wdata;
        if (re)
            rdata <= mem[raddr];
    end
endmodule

`default_nettype wire
