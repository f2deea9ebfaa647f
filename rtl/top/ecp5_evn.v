// SPDX-License-Identifier: Apache-2.0
// Board top of Lattice's ECP5 Evaluation Board (LFE5UM5G-85F-EVN): ecp5_board with three
// dimensions, 32-bit flits and the paper's buffers, eight slots of 512 bytes a VC, and six cables
// of three data wires and a clock each way (constraints/README.md), as the ULX3S has them. Pins:
// constraints/ecp5-evn.lpf. Its UART wants R34 and R35 bridged.
`default_nettype none

module ecp5_evn #(
    parameter logic [63:0] SERIAL = 64'h0, // the board's serial number; each board needs its own
    parameter              INIT   = ""     // the firmware, as in ofr_ram
) (
    input  wire logic        clk12,   // 12 MHz, from the FT2232H
    input  wire logic        uart_rx, // from the FT2232H's channel B, 115200 baud after reset
    output logic             uart_tx,
    output logic [5:0]       cable_tx_clk, // x+, x-, y+, y-, z+, z-
    output logic [17:0]      cable_tx,     // three of each
    input  wire logic [5:0]  cable_rx_clk,
    input  wire logic [17:0] cable_rx,
    output logic [7:0]       led_n    // D5 to D12, lit by 0; ecp5_board.v says when
);
    logic [7:0] led;
    ecp5_board #(
        .SERIAL(SERIAL), .N(3), .W(32), .L(128), .C(8), .LINK(2), .WIRES(3), .TICK(10), .INIT(INIT),
        .INPUT_HZ(12_000_000), .CLKI_DIV(1), .CLKFB_DIV(4), .CLKOP_DIV(12)
    ) chip (
        .clk_in(clk12), .uart_rx, .uart_tx, .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx, .led
    );
    assign led_n = ~led;
endmodule

`default_nettype wire
