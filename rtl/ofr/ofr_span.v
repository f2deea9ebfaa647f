// SPDX-License-Identifier: Apache-2.0
// One dimension's way from s to t: distance and direction. Combinational.
`default_nettype none

module ofr_span (
    input  wire logic [4:0] k,     // size, 1 to 16
    input  wire logic [3:0] s,     // coordinates, 0 to k - 1
    input  wire logic [3:0] t,
    output logic [3:0]      d,     // hops the shorter way, 0 to k/2
    output logic            minus, // the shorter way is - (+ at exactly k/2 and where s = t)
    output logic            tie    // both ways are equally short (never where k = 2: one link only)
);
    wire [4:0] diff = {1'b0, t} - {1'b0, s};
    // Hops going +; 4 bits will do, it is less than k.
    wire [3:0] plus = diff[3:0] + (k[3:0] & {4{diff[4]}});
    wire [5:0] half = {1'b0, k} - {1'b0, plus, 1'b0};
    wire [3:0] back = k[3:0] - plus;
    wire       two  = k == 5'd2;

    assign minus = half[5] || (two && s[0] && plus[0]);
    assign tie   = half == 6'd0 && !two;
    assign d     = half[5] ? back : plus;
endmodule

`default_nettype wire
