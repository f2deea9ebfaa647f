// SPDX-License-Identifier: Apache-2.0
// Cycle timer. Reading LOW latches the rest, so that LOW then HIGH is one consistent value.
`default_nettype none
`include "ofr_defs.vh"

module ofr_timer #(
    parameter int BITS = 64  // of the counter, 33 to 64; above it HIGH reads 0
) (
    input  wire logic       clk,
    input  wire logic       rst,
    input  wire logic       re,  // read strobe, one cycle
    input  wire logic [3:0] adr, // OFR_TIMER_*
    output logic [31:0]     rdat // combinational
);

    logic [BITS-1:0]  time_q;  // cycles since rst
    logic [BITS-33:0] high_q;

    assign rdat = adr == `OFR_TIMER_LOW ? time_q[31:0] : 32'(high_q);

    always_ff @(posedge clk) begin
        time_q <= time_q + 1;
        if (re && adr == `OFR_TIMER_LOW) high_q <= time_q[BITS-1:32];
        if (rst) begin
            time_q <= '0;
            high_q <= '0;
        end
    end
endmodule
`default_nettype wire
