// SPDX-License-Identifier: Apache-2.0
// One dimension of a candidate: selects by its code from what ofr_detour says, and tells links.
// Combinational.
`default_nettype none

module ofr_leg (
    input  wire logic       both,   // tie register
    input  wire logic       two,    // k = 2
    input  wire logic       odd_me, // bit 0 of the node's coordinate
    input  wire logic [3:0] d,      // from ofr_span
    input  wire logic       minus,
    input  wire logic       tie,
    input  wire logic [4:0] hops_side,
    input  wire logic [4:0] hops_wrap,
    input  wire logic [1:0] leg_far,
    input  wire logic [1:0] leg_step,
    input  wire logic [1:0] leg_wrap1,
    input  wire logic [1:0] leg_wrap2,
    input  wire logic [1:0] leg_mid,
    input  wire logic       no_side,
    input  wire logic       no_wrap,
    // the minimal route: q = t; code is 0 then, and nu_s, nu_t have no meaning
    input  wire logic       direct,
    // 0 MID (lambda, beta 0), 1 UP (lambda +1), 3 DOWN (-1), 2 WRAP (beta 1)
    input  wire logic [1:0] code,
    output logic [4:0]      hops,  // d(s, q) + d(q, t) in this dimension, 0 to 16
    output logic [1:0]      leave, // minimal directions from s to q: bit 0 +, bit 1 -
    output logic            nu_s,  // leaves s over a nu-link
    output logic            nu_t,  // arrives at t over a nu-link
    output logic            drop   // the candidate does not exist
);
    wire eq   = d == 4'd0;
    wire side = code[0];
    wire wrap = code == 2'd2;

    assign hops = side ? hops_side : wrap ? hops_wrap : {1'b0, d};
    assign drop = (side && no_side) || (wrap && no_wrap);

    reg [1:0] first, second;
    always_comb begin
        case (code)
            2'd0:    {first, second} = {leg_mid, 2'd0};
            2'd1:    {first, second} = {leg_far, leg_step};
            2'd2:    {first, second} = {leg_wrap1, leg_wrap2};
            default: {first, second} = {leg_step, leg_far};
        endcase
        if (direct)
            first = {tie, !eq};
    end

    // Over k/2 hops: +, or both; in a size-2 dimension the one link there is.
    wire [1:0] half = two ? {odd_me, !odd_me} : {both, 1'b1};
    assign leave = first == 2'd3 ? half : first == 2'd0 ? 2'b00 : {first[1] ^ minus, !first[1] ^
        minus};

    // Is a leg over a nu-link? By kind of leg: 1 ahead, 2 astern, 3 over k/2 hops.
    wire [3:0] nu = {eq || (!tie && (both || minus)), !(tie && both), eq, 1'b0};
    assign nu_s = nu[first];
    assign nu_t = nu[second];
endmodule

`default_nettype wire
