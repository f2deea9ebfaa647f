// SPDX-License-Identifier: Apache-2.0
// Board top of the Icepi Zero, an LFE5U-25F: ecp5_board with two dimensions, 32-bit flits and eight
// slots of 64 bytes a VC, and four cables of two data wires and a clock each way at the 40-pin
// header (constraints/README.md). Pins: constraints/icepi-zero.lpf, of the board's revisions whose
// clock is at M1.
`default_nettype none

module icepi_zero #(
    parameter logic [63:0] SERIAL = 64'h0, // the board's serial number; each board needs its own
    parameter              INIT   = ""     // the firmware, as in ofr_ram
) (
    input  wire logic       clk50,   // 50 MHz oscillator
    input  wire logic       uart_rx, // from the FT231X, 115200 baud after reset
    output logic            uart_tx,
    output logic [3:0]      cable_tx_clk, // x+, x-, y+, y-
    output logic [7:0]      cable_tx,     // two of each
    input  wire logic [3:0] cable_rx_clk,
    input  wire logic [7:0] cable_rx,
    output logic [4:0]      led      // lit by 1: 0 and 1 as ecp5_board.v says, 2 the host or the
                                     // board sends, 3 all cables are up, it blinks: one is, 4 the
                                     // core has stopped, it blinks: its LED 6
);
    logic [7:0] all;
    ecp5_board #(
        .SERIAL(SERIAL), .N(2), .W(32), .L(16), .C(8), .LINK(2), .WIRES(2), .TICK(11), .INIT(INIT),
        .INPUT_HZ(50_000_000), .CLKI_DIV(1), .CLKFB_DIV(1), .CLKOP_DIV(12)
    ) chip (
        .clk_in(clk50), .uart_rx, .uart_tx, .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx,
        .led(all)
    );
    assign led = {all[7] || (all[6] && all[1]), all[4] || (all[5] && all[1]), all[3] || all[2],
                  all[1:0]};
endmodule

`default_nettype wire
