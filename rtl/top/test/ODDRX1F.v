// SPDX-License-Identifier: Apache-2.0
// Model of the ECP5's output for double data rate: what D0 and D1 were at a rising edge of SCLK
// leaves a period later, D0 from that rising edge on, D1 from the falling one on. How many periods
// is not in Lattice's guide; nothing here may depend on it.
`default_nettype none

module ODDRX1F (
    input  wire logic SCLK,
    input  wire logic RST,
    input  wire logic D0,
    input  wire logic D1,
    output logic      Q
);
    logic [1:0] pair_q;
    logic       first_q, wait_q, second_q;
    always_ff @(posedge SCLK) begin
        pair_q  <= RST ? 2'd0 : {D1, D0};
        first_q <= !RST && pair_q[0];
        wait_q  <= !RST && pair_q[1];
    end
    always_ff @(negedge SCLK)
        second_q <= !RST && wait_q;
    assign Q = SCLK ? first_q : second_q;
endmodule

`default_nettype wire
