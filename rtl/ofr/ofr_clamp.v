// SPDX-License-Identifier: Apache-2.0
// Delta clamped to half a dimension. Combinational.
`default_nettype none

module ofr_clamp (
    input  wire logic [4:0] k,     // size, 1 to 16
    input  wire logic [3:0] delta, // Delta in hops
    output logic [3:0]      step,  // min(Delta, floor(k/2))
    output logic            halve  // 2 step = k
);
    wire less = delta < k[4:1];
    assign step  = less ? delta : k[4:1];
    assign halve = !less && !k[0];
endmodule

`default_nettype wire
