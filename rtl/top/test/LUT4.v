// SPDX-License-Identifier: Apache-2.0
// Model of the ECP5's look-up table: entry {D, C, B, A} of INIT.
`default_nettype none

module LUT4 #(
    parameter [15:0] INIT = 16'h0000
) (
    input  wire A,
    input  wire B,
    input  wire C,
    input  wire D,
    output wire Z
);
    assign Z = INIT[{D, C, B, A}];
endmodule

`default_nettype wire
