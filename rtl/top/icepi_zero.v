// SPDX-License-Identifier: Apache-2.0
// Board top of the Icepi Zero, an LFE5U-25F: ecp5_board with two dimensions, 32-bit flits and eight
// slots of 64 bytes a VC. Pins: constraints/icepi-zero.lpf, of the board's revisions whose clock is
// at M1.
`default_nettype none

module icepi_zero #(
    parameter logic [63:0] SERIAL = 64'h0, // the board's serial number; each board needs its own
    parameter              INIT   = ""     // the firmware, as in ofr_ram
) (
    input  wire logic       clk50,   // 50 MHz oscillator
    input  wire logic       uart_rx, // from the FT231X, 115200 baud after reset
    output logic            uart_tx,
    output logic [4:0]      led      // lit by 1; 0 to 3 as ecp5_board.v says, 4 its 7
);
    /* verilator lint_off UNUSEDSIGNAL */
    logic [7:0] all;
    /* verilator lint_on UNUSEDSIGNAL */
    ecp5_board #(
        .SERIAL(SERIAL), .N(2), .W(32), .L(16), .C(8), .INIT(INIT), .INPUT_HZ(50_000_000),
        .CLKI_DIV(1), .CLKFB_DIV(1), .CLKOP_DIV(12)
    ) chip (.clk_in(clk50), .uart_rx, .uart_tx, .led(all));
    assign led = {all[7], all[3:0]};
endmodule

`default_nettype wire
