// SPDX-License-Identifier: Apache-2.0
// Board top of Radiona's ULX3S, as ulx3s.v, with two dimensions and cables of six data wires and a
// clock each way: all 56 pins of the headers J1 and J2 (constraints/README.md). 32-bit flits and
// the paper's buffers, eight slots of 512 bytes a VC: for an LFE5U-85F. Pins:
// constraints/ulx3s-85f-wide.lpf, of revisions 2 and 3.
`default_nettype none

module ulx3s_wide #(
    parameter logic [63:0] SERIAL = 64'h0, // the board's serial number; each board needs its own
    parameter              INIT   = "",    // the firmware, as in ofr_ram
    parameter int          BAUD   = 115_200
) (
    input  wire logic        clk25,   // 25 MHz oscillator
    input  wire logic        uart_rx, // from the FT231X, BAUD bits a second
    output logic             uart_tx,
    output logic [3:0]       cable_tx_clk, // x+, x-, y+, y-
    output logic [23:0]      cable_tx,     // six of each
    input  wire logic [3:0]  cable_rx_clk,
    input  wire logic [23:0] cable_rx,
    output logic             wifi_en, // 0: the ESP32, which is at pins of x-, too, stays in reset
    output logic [7:0]       led      // D0 to D7, lit by 1; ecp5_board.v says when
);
    ecp5_board #(
        .SERIAL(SERIAL), .N(2), .W(32), .L(128), .C(8), .LINK(2), .WIRES(6), .TICK(9), .INIT(INIT),
        .BAUD(BAUD), .INPUT_HZ(25_000_000), .CLKI_DIV(1), .CLKFB_DIV(2), .CLKOP_DIV(12)
    ) chip (
        .clk_in(clk25), .uart_rx, .uart_tx, .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx, .led
    );
    assign wifi_en = 1'b0;
endmodule

`default_nettype wire
