// SPDX-License-Identifier: Apache-2.0
// The switch of one output: of what stands at the inputs, the owner's, 0 without an owner. Two
// levels of 4-input functions, the first with two inputs of the router each. A module of its own
// so that synthesis can be told to leave it as it is (tests/synth.sh): what comes in is late, out
// of block RAMs.
`default_nettype none

module ofr_switch #(
    parameter int INPUTS = 5,  // inputs of the router, 5 or 7
    parameter int WIDTH  = 32 // bits of each
) (
    input  wire logic [WIDTH*INPUTS-1:0] bits,
    input  wire logic [INPUTS/2-1:0]     even, // the owner, as ofr_output has it
    input  wire logic [INPUTS/2-1:0]     odd,
    output logic [WIDTH-1:0]             owners
);
    localparam int PAIRS = INPUTS / 2;
    localparam int LAST  = INPUTS - 1;

    // even and odd both 1 make a pair's part 1 whatever its inputs: two of them tell the last input
    always_comb
        for (int b = 0; b < WIDTH; b++) begin
            logic [PAIRS-1:0] part;
            for (int j = 0; j < PAIRS; j++)
                part[j] = (even[j] && (odd[j] || bits[WIDTH*2*j + b])) ||
                          (odd[j] && bits[WIDTH*(2*j + 1) + b]);
            owners[b] = part[0] && part[1] ? bits[WIDTH*LAST + b] : |part;
        end
endmodule

`default_nettype wire
