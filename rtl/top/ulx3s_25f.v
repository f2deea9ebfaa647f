// SPDX-License-Identifier: Apache-2.0
// Board top of Radiona's ULX3S with an LFE5U-25F, or a 12F, which is the same die: ecp5_board with
// three dimensions, 32-bit flits and eight slots of 64 bytes a VC; the paper's do not fit into 56
// block RAMs. Pins: constraints/ulx3s-85f.lpf.
`default_nettype none

module ulx3s_25f #(
    parameter logic [63:0] SERIAL = 64'h0, // the board's serial number; each board needs its own
    parameter              INIT   = ""     // the firmware, as in ofr_ram
) (
    input  wire logic       clk25,   // 25 MHz oscillator
    input  wire logic       uart_rx, // from the FT231X, 115200 baud after reset
    output logic            uart_tx,
    output logic [7:0]      led      // D0 to D7, lit by 1; ecp5_board.v says when
);
    /* verilator lint_off UNUSEDSIGNAL */
    logic [5:0]  tx_clk; // no cables at pins yet
    logic [47:0] tx;
    /* verilator lint_on UNUSEDSIGNAL */
    ecp5_board #(
        .SERIAL(SERIAL), .N(3), .W(32), .L(16), .C(8), .INIT(INIT), .INPUT_HZ(25_000_000),
        .CLKI_DIV(1), .CLKFB_DIV(2), .CLKOP_DIV(12)
    ) chip (
        .clk_in(clk25), .uart_rx, .uart_tx, .cable_tx_clk(tx_clk), .cable_tx(tx),
        .cable_rx_clk(6'd0), .cable_rx(48'd0), .led
    );
endmodule

`default_nettype wire
