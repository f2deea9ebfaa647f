// SPDX-License-Identifier: Apache-2.0
// A register of a link's end; with SLOW > 1 of so many ends that have the logic in turn, a cycle
// each: q is what its own end had in it, and d goes there. In flip-flops, or, where ROWS is 1, in a
// row of block RAM each, which holds its value for nothing; that has no reset.
`default_nettype none

module ofr_link_slow #(
    parameter int WIDTH = 16,
    parameter int SLOW  = 1, // 1, or ends in turn, 4
    parameter int ROWS  = 0  // SLOW > 1: 1: block RAM
) (
    input  wire logic             clk,
    input  wire logic [1:0]       slot, // whose turn it is, 0 to SLOW - 1
    input  wire logic             en,   // 0: it stays
    input  wire logic [WIDTH-1:0] d,
    output logic [WIDTH-1:0]      q
);
    generate
        if (SLOW == 1) begin : g_one
            logic unused;
            assign unused = ^slot;
            always_ff @(posedge clk)
                if (en)
                    q <= d;
        end else if (ROWS != 0) begin : g_rows
            (* ram_style = "block", no_rw_check *)
            logic [WIDTH-1:0] mem [0:SLOW-1];
            always_ff @(posedge clk) begin
                if (en)
                    mem[slot] <= d;
                q <= mem[slot + 2'd1];
            end
        end else begin : g_ring
            logic [WIDTH*(SLOW-1)-1:0] others_q;
            logic                      unused;
            assign unused = ^slot;
            always_ff @(posedge clk)
                {q, others_q} <= {others_q, en ? d : q};
        end
    endgenerate
endmodule

`default_nettype wire
