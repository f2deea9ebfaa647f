// SPDX-License-Identifier: Apache-2.0
// Model of the ECP5's delay that can be changed: 128 settings, 25 ps each. LOADN 0: the one that is
// configured. The end of each pulse of MOVE is a step, up with DIRECTION 0, down with 1; CFLAG says
// that it goes no further that way. Simulators without delays (Verilator) pass A on.
`ifndef VERILATOR
`timescale 1ps / 1ps
`endif
`default_nettype none

module DELAYF #(
    parameter     DEL_MODE  = "USER_DEFINED",
    parameter int DEL_VALUE = 0
) (
    input  wire logic A,
    input  wire logic LOADN,
    input  wire logic MOVE,
    input  wire logic DIRECTION,
    output logic      Z,
    output logic      CFLAG
);
    logic [6:0] at_q = 7'(DEL_VALUE);
    initial
        if (DEL_MODE != "USER_DEFINED" || DEL_VALUE < 0 || DEL_VALUE > 127) begin
            $display("DELAYF: settings without a model");
            $finish;
        end
    always_ff @(negedge MOVE or negedge LOADN)
        if (!LOADN)
            at_q <= 7'(DEL_VALUE);
        else if (!CFLAG)
            at_q <= DIRECTION ? at_q - 7'd1 : at_q + 7'd1;
    assign CFLAG = DIRECTION ? at_q == 0 : at_q == 127;
`ifdef VERILATOR
    assign Z = A;
`else
    localparam int STEP = 25; // ps
    always @(A)
        Z <= #(at_q * STEP) A;
`endif
endmodule

`default_nettype wire
