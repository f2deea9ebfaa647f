// SPDX-License-Identifier: Apache-2.0
// One dimension's coordinate of the IDN (equations 1, 2, 3). Combinational; see ofr_detour.
`default_nettype none

module ofr_place (
    input  wire [4:0] k,      // size, 1 to 16
    input  wire [3:0] s,
    input  wire [3:0] t,
    input  wire [3:0] step,   // from ofr_clamp; 0 with UP: q = t
    input  wire [3:0] d,      // from ofr_span
    input  wire       minus,
    input  wire [1:0] code,   // 0 MID, 1 UP, 3 DOWN, 2 WRAP
    output wire [3:0] q
);
    wire [3:0] base = code == 2'd1 ? t : s;
    wire       sub  = minus ^ (code == 2'd3);
    /* verilator lint_off UNUSEDSIGNAL */
    // The bit below the lowest makes the carry: one adder for sum + carry.
    wire [6:0] twice = {1'b0, k & {5{code[1]}}, minus} + {2'b0, d, minus};
    wire [3:0] off   = code[0] ? step : twice[5:2];
    // base + off or base - off, then one k down or up; bit 6 is the sign.
    wire [6:0] sum   = {2'b0, base, sub} + {{2'b0, off} ^ {6{sub}}, sub};
    wire [6:0] other = {sum[6:1], !sub} + {{1'b0, k} ^ {6{!sub}}, !sub};
    /* verilator lint_on UNUSEDSIGNAL */
    // The other one is right where going down went below 0, or going up reached k.
    assign q = (sub ? sum[6] : !other[6]) ? other[4:1] : sum[4:1];
endmodule

`default_nettype wire
