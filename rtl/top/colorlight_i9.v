// SPDX-License-Identifier: Apache-2.0
// Board top of the Colorlight i9 v7.2, an LFE5U-45F, in Muse Lab's extension board: ecp5_board with
// three dimensions, 32-bit flits and the paper's buffers, eight slots of 512 bytes a VC, and six
// cables of three data wires and a clock each way at the extension board's headers
// (constraints/README.md), as the ULX3S has them. Pins: constraints/colorlight-i9.lpf.
`default_nettype none

module colorlight_i9 #(
    parameter logic [63:0] SERIAL = 64'h0, // the board's serial number; each board needs its own
    parameter              INIT   = ""     // the firmware, as in ofr_ram
) (
    input  wire logic        clk25,   // 25 MHz oscillator
    input  wire logic        uart_rx, // from the extension board's DAPLink, 115200 baud at first
    output logic             uart_tx,
    output logic [5:0]       cable_tx_clk, // x+, x-, y+, y-, z+, z-
    output logic [17:0]      cable_tx,     // three of each
    input  wire logic [5:0]  cable_rx_clk,
    input  wire logic [17:0] cable_rx,
    output logic             led_n   // D2, lit by 0: blinks when it runs, lit: the core has stopped
);
    /* verilator lint_off UNUSEDSIGNAL */
    logic [7:0] led;
    /* verilator lint_on UNUSEDSIGNAL */
    ecp5_board #(
        .SERIAL(SERIAL), .N(3), .W(32), .L(128), .C(8), .LINK(2), .WIRES(3), .TICK(10), .INIT(INIT),
        .INPUT_HZ(25_000_000), .CLKI_DIV(1), .CLKFB_DIV(2), .CLKOP_DIV(12)
    ) chip (
        .clk_in(clk25), .uart_rx, .uart_tx, .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx, .led
    );
    assign led_n = !(led[7] || (led[0] && led[1])); // stopped, or out of reset and the heartbeat
endmodule

`default_nettype wire
