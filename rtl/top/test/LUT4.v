// SPDX-License-Identifier: Apache-2.0
// Model of the ECP5's look-up table: entry {D, C, B, A} of INIT.
`default_nettype none

module LUT4 #(
    parameter [15:0] INIT = 16'h0000
) (
    input  wire logic A,
    input  wire logic B,
    input  wire logic C,
    input  wire logic D,
    output logic      Z
);
    assign Z = INIT[{D, C, B, A}];
endmodule

`default_nettype wire
