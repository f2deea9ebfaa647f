// SPDX-License-Identifier: Apache-2.0
// One dimension of a candidate s -> q -> t: its length, the links it leaves over, whether it uses
// nu-links. Combinational.
//
// q itself is not needed for this. Seen from s in the direction of the mu-link ("ahead"), t lies at
// d, and q at d + step (UP), -step (DOWN), (d + minus)/2 (MID) or (k + d + minus)/2 (WRAP; the
// `minus` makes the floor of equation 1 one in the true coordinates). So both legs of UP and of
// DOWN are one of length `step` and one of length d + step or k minus that, in swapped order; and
// the legs of WRAP go astern all the way, k - d in all, but for the rounding at d = 0 and 1.
`default_nettype none

module ofr_detour (
    input  wire [4:0] k,      // size, 1 to 16
    input  wire       odd_me, // bit 0 of the node's coordinate
    input  wire       both,   // tie register
    input  wire [3:0] delta,  // Delta in hops, not yet clamped
    input  wire [3:0] d,      // from ofr_span
    input  wire       minus,
    input  wire       tie,
    input  wire       direct, // the minimal route: q = t; code is ignored
    input  wire [1:0] code,   // 0 MID (lambda, beta 0), 1 UP (lambda +1), 3 DOWN (-1), 2 WRAP (beta 1)
    output reg  [4:0] hops,   // d(s, q) + d(q, t) in this dimension, 0 to 16
    output reg  [1:0] leave,  // minimal directions from s to q: bit 0 +, bit 1 -
    output wire       nu_s,   // leaves s over a nu-link
    output wire       nu_t,   // arrives at t over a nu-link
    output wire       drop    // the candidate does not exist (small dimension)
);
    wire       eq     = d == 4'd0;
    wire       one    = d == 4'd1;
    wire       two    = k == 5'd2;
    wire [1:0] ahead  = {minus, !minus};
    wire [1:0] astern = {!minus, minus};
    wire [1:0] mu     = {!eq && (minus || (tie && both)), !eq && !minus};
    // At distance k/2; in a size-2 dimension over the one link.
    wire [1:0] half   = two ? {odd_me, !odd_me} : {both, 1'b1};

    wire [3:0] step = delta < k[4:1] ? delta : k[4:1];
    wire [4:0] far  = {1'b0, d} + {1'b0, step};
    wire [4:0] rest = k - far;
    wire       over = far > rest;
    wire [3:0] near = over ? rest[3:0] : far[3:0];

    wire [1:0] leg_far  = near == 4'd0 ? 2'd0 : far == rest ? half : over ? astern : ahead;
    wire [1:0] leg_step = step == 4'd0 ? 2'd0 : {step, 1'b0} == k ? half : astern;

    wire       halved     = !k[0] && eq;
    wire [1:0] wrap_leave = eq && k[0] ? 2'b01 : halved || (!k[0] && one && !minus) ? half : astern;
    wire [1:0] wrap_reach = halved || (!k[0] && one && minus) ? half : astern;

    reg [1:0] reach; // minimal directions from q to t
    always_comb begin
        hops  = {1'b0, d};
        leave = mu;
        reach = 2'd0;
        if (!direct)
            case (code)
                2'd0: begin
                    leave = eq || (one && !minus) ? 2'd0 : ahead;
                    reach = 2'd0; // or ahead: never a nu-link
                end
                2'd1: begin
                    hops  = {1'b0, near} + {1'b0, step};
                    leave = leg_far;
                    reach = leg_step;
                end
                2'd2: begin
                    hops  = k - (eq && k[0] ? 5'd1 : {1'b0, d});
                    leave = wrap_leave;
                    reach = wrap_reach;
                end
                default: begin
                    hops  = {1'b0, near} + {1'b0, step};
                    leave = leg_step;
                    reach = leg_far;
                end
            endcase
    end

    assign nu_s = |(leave & ~mu);
    assign nu_t = |(reach & ~mu);
    assign drop = !direct && code != 2'd0 && (k == 5'd1 || (two && (!eq || code == 2'd2)));
endmodule

`default_nettype wire
