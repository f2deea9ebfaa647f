// SPDX-License-Identifier: Apache-2.0
// One dimension's coordinate of the IDN (equations 1, 2, 3). Combinational; see ofr_detour.
`default_nettype none

module ofr_place (
    input  wire logic [4:0] k,    // size, 1 to 16
    input  wire logic [3:0] s,
    input  wire logic [3:0] t,
    input  wire logic [3:0] step, // from ofr_clamp; 0 with UP: q = t
    input  wire logic [3:0] d,    // from ofr_span
    input  wire logic       minus,
    input  wire logic [1:0] code, // 0 MID, 1 UP, 3 DOWN, 2 WRAP
    output logic [3:0]      q
);
    wire [3:0] base = code == 2'd1 ? t : s;
    wire       sub  = minus ^ (code == 2'd3);
    /* verilator lint_off UNUSEDSIGNAL */
    // The bit below the lowest makes the carry: one adder for sum + carry.
    wire [6:0] twice = {1'b0, k & {5{code[1]}}, minus} + {2'b0, d, minus};
    wire [3:0] off   = code[0] ? step : twice[5:2];
    // base + off, one k down where that reaches k; or ~(~base + off) = base - off, one k up where
    // that is below 0, which is one k down inside the brackets.
    wire [5:0] sum   = {{2{sub}}, base ^ {4{sub}}} + {2'b0, off};
    wire [5:0] other = sum - {1'b0, k};
    /* verilator lint_on UNUSEDSIGNAL */
    assign q = ((sub ? !sum[5] : !other[5]) ? other[3:0] : sum[3:0]) ^ {4{sub}};
endmodule

`default_nettype wire
