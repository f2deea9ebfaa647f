// SPDX-License-Identifier: Apache-2.0
// Model of the iCE40's PLL for simulations that count cycles of its output: the reference clock's
// period stands for one of the output, and LOCK rises in cycle LOCK_CYCLE. A setting outside what
// Lattice allows (phase detector 10 to 133 MHz, oscillator 533 to 1066, output 16 to 275; technical
// note TN1251 and data sheet DS1040) ends the simulation, and so does a mode that is not modelled.
// What it makes of 12 MHz is output_khz.
`default_nettype none

module SB_PLL40_CORE #(
    parameter FEEDBACK_PATH = "SIMPLE",
    parameter DELAY_ADJUSTMENT_MODE_FEEDBACK = "FIXED",
    parameter DELAY_ADJUSTMENT_MODE_RELATIVE = "FIXED",
    parameter PLLOUT_SELECT = "GENCLK",
    parameter SHIFTREG_DIV_MODE = 1'b0,
    parameter FDA_FEEDBACK = 4'b0000,
    parameter FDA_RELATIVE = 4'b0000,
    parameter DIVR = 4'b0000,
    parameter DIVF = 7'b0000000,
    parameter DIVQ = 3'b000,
    parameter FILTER_RANGE = 3'b000,
    parameter ENABLE_ICEGATE = 1'b0,
    parameter TEST_MODE = 1'b0
) (
    input  wire logic       REFERENCECLK,
    output logic            PLLOUTCORE,
    output logic            PLLOUTGLOBAL,
    output logic            LOCK,
    input  wire logic       BYPASS,
    input  wire logic       RESETB,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire logic       EXTFEEDBACK,
    input  wire logic [7:0] DYNAMICDELAY,
    input  wire logic       LATCHINPUTVALUE,
    input  wire logic       SDI,
    input  wire logic       SCLK,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic            SDO
);
    localparam int LOCK_CYCLE = 2400; // 50 us at 48 MHz
    localparam int DETECTOR_KHZ = 12_000 / (32'(DIVR) + 1);
    localparam int OSCILLATOR_KHZ = DETECTOR_KHZ * (32'(DIVF) + 1);
    localparam int OUTPUT_KHZ = OSCILLATOR_KHZ >> DIVQ;

    reg [11:0] cycle_q = 12'd0;
    always @(posedge REFERENCECLK)
        if (!RESETB)
            cycle_q <= 12'd0;
        else if (cycle_q < LOCK_CYCLE[11:0])
            cycle_q <= cycle_q + 12'd1;
    assign PLLOUTCORE   = REFERENCECLK;
    assign PLLOUTGLOBAL = REFERENCECLK;
    assign LOCK         = cycle_q == LOCK_CYCLE[11:0];
    assign SDO          = 1'b0;

    initial begin
        $display("PLL: %0d kHz", OUTPUT_KHZ);
        if (DETECTOR_KHZ < 10_000 || DETECTOR_KHZ > 133_000 || OSCILLATOR_KHZ < 533_000 ||
                OSCILLATOR_KHZ > 1_066_000 || OUTPUT_KHZ < 16_000 || OUTPUT_KHZ > 275_000 ||
                FILTER_RANGE != 3'd1) begin
            $display("PLL: outside of its limits");
            $finish;
        end
        if (FEEDBACK_PATH != "SIMPLE" || PLLOUT_SELECT != "GENCLK" || TEST_MODE != 1'b0 ||
                ENABLE_ICEGATE != 1'b0 || DELAY_ADJUSTMENT_MODE_FEEDBACK != "FIXED" ||
                DELAY_ADJUSTMENT_MODE_RELATIVE != "FIXED") begin
            $display("PLL: a mode without a model");
            $finish;
        end
    end
    // In these modes they are without effect.
    wire unused = ^{SHIFTREG_DIV_MODE, FDA_FEEDBACK, FDA_RELATIVE, BYPASS};
endmodule

`default_nettype wire
