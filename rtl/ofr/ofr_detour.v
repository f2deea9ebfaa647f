// SPDX-License-Identifier: Apache-2.0
// What the four codes mean in one dimension of a way s -> t: lengths and legs. Combinational, and
// the same for all candidates of a decision; ofr_leg selects.
//
// The IDN's coordinate q itself is not needed for this. Seen from s in the direction of the
// mu-link ("ahead"), t lies at d, and q at d + step (UP), -step (DOWN), (d + minus)/2 (MID) or
// (k + d + minus)/2 (WRAP; the `minus` makes the floor of equation 1 one in the true coordinates).
// So UP and DOWN both have a leg of length step and one of d + step, or k minus that the other way
// round, in swapped order: d + 2 step or k - d in all. WRAP goes astern all the way, k - d in all,
// but for the rounding where d is 0 or 1.
//
// A leg is 0: none, 1: ahead, 2: astern, 3: over k/2 hops.
`default_nettype none

module ofr_detour (
    input  wire logic [4:0] k,         // size, 1 to 16
    input  wire logic [3:0] step,      // from ofr_clamp
    input  wire logic       halve,
    input  wire logic [3:0] d,         // from ofr_span
    input  wire logic       minus,
    input  wire logic       tie,
    output logic [4:0]      hops_side, // d(s, q) + d(q, t) of UP and DOWN
    output logic [4:0]      hops_wrap, // of WRAP
    output logic [1:0]      leg_far,   // first leg of UP, second of DOWN
    output logic [1:0]      leg_step,  // second leg of UP, first of DOWN
    output logic [1:0]      leg_wrap1,
    output logic [1:0]      leg_wrap2,
    output logic [1:0]      leg_mid,   // first leg of MID (the second is never over a nu-link)
    output logic            no_side,   // UP and DOWN drop the candidate (small dimension)
    output logic            no_wrap    // WRAP does
);
    wire       eq    = d == 4'd0;
    wire       one   = d == 4'd1;
    wire [4:0] far  = {1'b0, d} + {1'b0, step};
    wire [5:0] half = {1'b0, k} - {far, 1'b0};
    wire       none = (eq && step == 4'd0) || (tie && halve); // d + step is 0 or k
    wire [4:0] side = {1'b0, d} + {step, 1'b0};

    assign hops_wrap = k - {1'b0, d[3:1], d[0] || (eq && k[0])};
    assign hops_side = half[5] ? hops_wrap : side;

    assign leg_far   = none ? 2'd0 : half == 6'd0 ? 2'd3 : {half[5], !half[5]};
    assign leg_step  = step == 4'd0 ? 2'd0 : halve ? 2'd3 : 2'd2;
    assign leg_wrap1 = eq && k[0] ? 2'd1 : !k[0] && (eq || (one && !minus)) ? 2'd3 : 2'd2;
    assign leg_wrap2 = !k[0] && (eq || (one && minus)) ? 2'd3 : 2'd2;
    assign leg_mid   = {1'b0, !eq && (!one || minus)};
    assign no_side   = k == 5'd1 || (k == 5'd2 && !eq);
    assign no_wrap   = k[4:2] == 3'd0 && k[1:0] != 2'd3;
endmodule

`default_nettype wire
