// SPDX-License-Identifier: Apache-2.0
// The OFR unit: decides once per packet whether it goes by an intermediate node, and by which
// (paper, sec. 3; the rules in sim/model/decide.h, to the bit). Table and registers in ofr_table.v.
//
// `start` for one cycle samples t, used and the table. `done` follows after a fixed number of
// cycles, for one cycle: MUL = 1: 21 (N = 3), 17 (N = 2); MUL = 0: 62 (N = 3), 63 (N = 2). kind
// and q are valid from then until the next start. A start while a decision is under way is not
// allowed. cfg_* must be steady during a decision. t is inside the torus; t = here is decided as
// minimal.
`default_nettype none

module ofr_unit #(
    parameter int N   = 3, // dimensions, 2 or 3
    parameter int C   = 8, // slots per VC, 1 to 8
    parameter int MUL = 1  // 1: with multipliers; 0: without, smaller and slower
) (
    input  wire logic           clk,
    input  wire logic           rst,

    input  wire logic [5*N-1:0] cfg_k,        // sizes, 1 to 16 each
    input  wire logic [4*N-1:0] cfg_me,       // this node's coordinates
    input  wire logic           cfg_tie_both, // distance k/2: 0 plus, 1 both

    // Register strobes, block OFR (rtl/README.md).
    input  wire logic           reg_we,
    input  wire logic [11:0]    reg_adr,
    input  wire logic [31:0]    reg_wdat,
    output logic [31:0]         reg_rdat,
    output logic                reg_err,

    input  wire logic           start,
    input  wire logic [4*N-1:0] t,
    input  wire logic [8*N-1:0] used, // slots in use of adaptive VCs, 0 to C, 4 bits a port
    output logic                busy, // from the cycle after start to the one before done
    output logic                done,
    output logic [1:0]          kind, // 0 minimal, 1 OIDN, 2 WIDN
    output logic [4*N-1:0]      q,    // the IDN, or t
    output logic [15:0]         generation
);
    generate
        if (N < 2 || N > 3 || C < 1 || C > 8 || MUL < 0 || MUL > 1)
            ofr_unit_parameters_out_of_range bad ();
    endgenerate

    wire [2:0] set, index;
    wire [6:0] entry;
    wire [3:0] delta;
    wire [7:0] eta, widn;
    wire       rule_a, rule_b, oidn, hold;

    ofr_table #(.N(N)) table_i (
        .clk, .rst, .reg_we, .reg_adr, .reg_wdat, .reg_rdat, .reg_err,
        .hold, .set, .index, .entry,
        .delta, .eta, .rule_a, .rule_b, .oidn, .widn, .generation);

    if (MUL != 0) begin : with_mul
        ofr_fast #(.N(N), .C(C)) engine (
            .clk, .rst, .cfg_k, .cfg_me, .cfg_tie_both,
            .start, .t, .used, .hold, .busy, .done, .kind, .q,
            .set, .index, .entry, .delta, .eta, .rule_a, .rule_b, .oidn, .widn);
    end else if (N == 2) begin : small_2d
        ofr_slim #(.C(C)) engine (
            .clk, .rst, .cfg_k, .cfg_me, .cfg_tie_both,
            .start, .t, .used, .hold, .busy, .done, .kind, .q,
            .set, .index, .entry, .delta, .eta, .rule_a, .rule_b, .oidn, .widn);
    end else begin : small_3d
        ofr_small #(.C(C)) engine (
            .clk, .rst, .cfg_k, .cfg_me, .cfg_tie_both,
            .start, .t, .used, .hold, .busy, .done, .kind, .q,
            .set, .index, .entry, .delta, .eta, .rule_a, .rule_b, .oidn, .widn);
    end
endmodule

`default_nettype wire
