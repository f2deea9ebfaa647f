// SPDX-License-Identifier: Apache-2.0
// Model of the ECP5's PLL for simulations that count cycles of its output: the reference clock's
// period stands for one of CLKOP and of CLKOS, of which a design is to use one only, and LOCK rises
// in cycle LOCK_CYCLE. Feedback from CLKOP only; another mode ends the simulation. Whether the
// dividers suit the reference clock: ecp5_board.v.
`default_nettype none

module EHXPLLL #(
    parameter int CLKI_DIV      = 1,
    parameter int CLKFB_DIV     = 1,
    parameter int CLKOP_DIV     = 8,
    parameter int CLKOP_CPHASE  = 0,
    parameter     FEEDBK_PATH   = "CLKOP",
    parameter     CLKOP_ENABLE  = "ENABLED",
    parameter int CLKOS_DIV     = 8,
    parameter int CLKOS_CPHASE  = 0,
    parameter     CLKOS_ENABLE  = "DISABLED"
) (
    input  wire logic CLKI,
    output logic      CLKOP,
    output logic      CLKOS, // 0, if it is not enabled
    output logic      LOCK,
    input  wire logic RST,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire logic CLKFB,
    input  wire logic STDBY,
    input  wire logic PHASESEL0,
    input  wire logic PHASESEL1,
    input  wire logic PHASEDIR,
    input  wire logic PHASESTEP,
    input  wire logic PHASELOADREG,
    input  wire logic PLLWAKESYNC,
    input  wire logic ENCLKOP
    /* verilator lint_on UNUSEDSIGNAL */
);
    localparam int LOCK_CYCLE     = 2400; // 48 us at 50 MHz

    reg [11:0] cycle_q = 12'd0;
    always @(posedge CLKI)
        if (RST)
            cycle_q <= 12'd0;
        else if (cycle_q < LOCK_CYCLE[11:0])
            cycle_q <= cycle_q + 12'd1;
    assign CLKOP = CLKI;
    assign CLKOS = CLKOS_ENABLE == "ENABLED" && CLKI;
    assign LOCK  = cycle_q == LOCK_CYCLE[11:0];

    initial begin
        if (FEEDBK_PATH != "CLKOP" || CLKOP_ENABLE != "ENABLED") begin
            $display("PLL: a mode without a model");
            $finish;
        end
    end
    wire unused = ^{CLKI_DIV, CLKFB_DIV, CLKOP_DIV, CLKOP_CPHASE, CLKOS_DIV, CLKOS_CPHASE};
endmodule

`default_nettype wire
