// SPDX-License-Identifier: Apache-2.0
// RAM of 32-bit words with byte strobes, in block RAM: data one cycle after the address. It
// does not read while it writes, since what that gives differs between block RAMs.
`default_nettype none

module ofr_ram #(
    parameter int BYTES = 16384,  // size, a multiple of 4, at least 8
    parameter INIT = ""           // $readmemh file of 32-bit words, or "": not initialised
) (
    input  wire logic                     clk,
    input  wire logic [$clog2(BYTES)-3:0] addr,   // word
    input  wire logic [31:0]              wdata,
    input  wire logic                     select, // 0: wstrb does not count
    input  wire logic [3:0]               wstrb,  // a bit a byte: written at the clock edge
    output logic [31:0]                   rdata   // the word at addr, where wstrb was 0
);

    logic [31:0] mem [0:BYTES/4-1];

    initial if (INIT != "") $readmemh(INIT, mem);

    always_ff @(posedge clk) begin
        for (int i = 0; i < 4; i++)
            if (select && wstrb[i]) mem[addr][8*i +: 8] <= wdata[8*i +: 8];
        if (wstrb == 0) rdata <= mem[addr];
    end
endmodule
`default_nettype wire
