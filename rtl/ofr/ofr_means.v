// SPDX-License-Identifier: Apache-2.0
// 60 times the mean occupancy of m links, a whole number for m up to 6, a cycle after its address:
// a read-only table in a block RAM.
//
// The first term of the profit, f = u* m / S, is 60 u* over this. Where u* = 0 it is 1 or 0, and f
// + 1 is put in its place, as 120 over this, because only differences of f count.
`default_nettype none

module ofr_means (
    input  wire logic       clk,
    input  wire logic [2:0] m,      // links, 1 to 6
    input  wire logic [5:0] used,   // S, their slots in use, 0 to 48
    input  wire logic       zero,   // u* = 0
    input  wire logic       rule_b, // then f = 1 whatever S is
    output logic [8:0]      mean    // 60 S / m; u* = 0: 60 for f = 1, 120 for f = 0
);
    (* ram_style = "block" *) reg [8:0] rom [0:2047];
    initial
        for (int links = 0; links < 8; links++)
            for (int sum = 0; sum < 64; sum++) begin
                rom[64 * links + sum]        = links == 0 ? 9'd0 : 9'(60 * sum / links);
                rom[64 * links + sum + 512]  = links == 0 ? 9'd0 : 9'(60 * sum / links);
                rom[64 * links + sum + 1024] = sum == 0 ? 9'd60 : 9'd120;
                rom[64 * links + sum + 1536] = 9'd60;
            end
    always_ff @(posedge clk)
        mean <= rom[{zero, rule_b, m, used}];
endmodule

`default_nettype wire
