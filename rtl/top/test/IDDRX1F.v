// SPDX-License-Identifier: Apache-2.0
// Model of the ECP5's input for double data rate: both outputs change at the rising edge of SCLK;
// Q0 is D at the rising edge before, Q1 at the falling one between the two.
`default_nettype none

module IDDRX1F (
    input  wire logic SCLK,
    input  wire logic RST,
    input  wire logic D,
    output logic      Q0,
    output logic      Q1
);
    logic rise_q, fall_q;
    always_ff @(negedge SCLK)
        fall_q <= !RST && D;
    always_ff @(posedge SCLK) begin
        rise_q <= !RST && D;
        Q0     <= !RST && rise_q;
        Q1     <= !RST && fall_q;
    end
endmodule

`default_nettype wire
