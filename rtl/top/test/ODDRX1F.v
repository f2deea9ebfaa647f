// SPDX-License-Identifier: Apache-2.0
// Model of the ECP5's output for double data rate: what D0 and D1 were at a rising edge of SCLK
// leaves two periods later, D0 from that rising edge on, D1 from the falling one on. How many periods is
// not in Lattice's guide; nothing here may depend on it.
`default_nettype none

module ODDRX1F (
    input  wire logic SCLK,
    input  wire logic RST,
    input  wire logic D0,
    input  wire logic D1,
    output logic      Q
);
    logic [1:0] pair1_q = '0, pair2_q = '0;
    logic       first_q = 1'b0, second_q = 1'b0; // each edge changes their sum into its bit
    always_ff @(posedge SCLK) begin
        pair1_q <= RST ? 2'd0 : {D1, D0};
        pair2_q <= RST ? 2'd0 : pair1_q;
        first_q <= !RST && (pair1_q[0] ^ second_q);
    end
    always_ff @(negedge SCLK)
        second_q <= !RST && (pair2_q[1] ^ first_q);
    assign Q = first_q ^ second_q;
endmodule

`default_nettype wire
