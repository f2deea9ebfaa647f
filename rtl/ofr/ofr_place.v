// SPDX-License-Identifier: Apache-2.0
// One dimension's coordinate of the IDN (equations 1, 2, 3). Combinational; see ofr_detour.
`default_nettype none

module ofr_place (
    input  wire [4:0] k,      // size, 1 to 16
    input  wire [3:0] s,
    input  wire [3:0] t,
    input  wire [3:0] delta,  // Delta in hops, not yet clamped
    input  wire [3:0] d,      // from ofr_span
    input  wire       minus,
    input  wire       direct, // q = t
    input  wire [1:0] code,   // 0 MID, 1 UP, 3 DOWN, 2 WRAP
    output wire [3:0] q
);
    wire [3:0] step = delta < k[4:1] ? delta : k[4:1];
    /* verilator lint_off UNUSEDSIGNAL */
    wire [5:0] twice = {1'b0, code[1] ? k : 5'd0} + {2'b0, d} + {5'b0, minus};
    wire [5:0] other;
    /* verilator lint_on UNUSEDSIGNAL */
    wire       up   = direct || code == 2'd1;
    wire [3:0] base = up ? t : s;
    wire [3:0] off  = direct ? 4'd0 : code[0] ? step : twice[4:1];
    wire       sub  = minus ^ (!direct && code == 2'd3);

    // base + off or base - off, then one k up or down; bit 5 is the sign.
    wire [5:0] sum   = sub ? {2'b0, base} - {2'b0, off} : {2'b0, base} + {2'b0, off};
    assign other     = sub ? sum + {1'b0, k} : sum - {1'b0, k};
    // The other one is right where going down went below 0, or going up reached k.
    assign q = (sub ? sum[5] : !other[5]) ? other[3:0] : sum[3:0];
endmodule

`default_nettype wire
