// SPDX-License-Identifier: Apache-2.0
// Two 32-bit integers become one. Same as merge_word() in sim/model/collective.c.
`default_nettype none

module ofr_collective_word (
    input  wire logic [1:0]  which, // 0: as `how` says, 1: a, 2 and 3: b
    input  wire logic [2:0]  how,   // sum, or, minimum, maximum; 4: these of unsigned ones
    input  wire logic [31:0] a,
    input  wire logic [31:0] b,
    output logic [31:0]      r
);
    wire logic less = {a[31] ^ !how[2], a[30:0]} < {b[31] ^ !how[2], b[30:0]};
    wire logic [31:0] sum = a + b;
    // 0: sum, 1: or, 2: a, 3: b
    logic [1:0] pick;
    always_comb
        if (which != 2'd0)
            pick = {1'b1, which[1]};
        else
            pick = {how[1], how[1] ? how[0] == less : how[0]};
    always_comb
        case (pick)
            2'd0:    r = sum;
            2'd1:    r = a | b;
            2'd2:    r = a;
            default: r = b;
        endcase
endmodule
`default_nettype wire
