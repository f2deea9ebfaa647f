// SPDX-License-Identifier: Apache-2.0
// ofr_bearing of a header's coordinates: looked up in a table of 16 rows a dimension, in
// distributed RAM, which ofr_router writes over and over; or compared, where an FPGA has no such
// RAM.
`default_nettype none

module ofr_bearings #(
    parameter int N      = 2, // dimensions, 2 or 3
    parameter int LUTRAM = 1  // 1: tables
) (
    input  wire logic           clk,
    // One dimension each, x lowest: see ofr_bearing
    input  wire logic [4*N-1:0] me,
    input  wire logic [4*N-1:0] top,
    input  wire logic [4*N-1:0] half,
    input  wire logic [N-1:0]   wraps,
    input  wire logic [N-1:0]   both,
    // The row written in this cycle: its coordinate, and per dimension minus, plus, outside, here
    input  wire logic [3:0]     set_t,
    input  wire logic [4*N-1:0] set_row,
    input  wire logic [4*N-1:0] t,
    output logic [N-1:0]        here,
    output logic [N-1:0]        outside,
    output logic [2*N-1:0]      minimal // + and - of each dimension
);
    for (genvar i = 0; i < N; i++) begin : g_dim
        if (LUTRAM != 0) begin : g_table
            logic [3:0] mem [0:15];
            logic [3:0] found;
            logic       unused;
            always_ff @(posedge clk)
                mem[set_t] <= set_row[4*i +: 4];
            assign found               = mem[t[4*i +: 4]];
            assign here[i]             = found[0];
            assign outside[i]          = found[1];
            assign minimal[2*i +: 2]   = found[3:2];
            assign unused = ^{me[4*i +: 4], top[4*i +: 4], half[4*i +: 4], wraps[i], both[i]};
        end else begin : g_compared
            logic unused;
            ofr_bearing bearing (
                .t(t[4*i +: 4]), .me(me[4*i +: 4]), .top(top[4*i +: 4]), .half(half[4*i +: 4]),
                .wraps(wraps[i]), .both(both[i]), .here(here[i]), .outside(outside[i]),
                .plus(minimal[2*i]), .minus(minimal[2*i + 1])
            );
            assign unused = ^{clk, set_t, set_row[4*i +: 4]};
        end
    end
endmodule

`default_nettype wire
