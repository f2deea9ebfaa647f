// SPDX-License-Identifier: Apache-2.0
// The pins, for simulation and any FPGA: single data rate, the clock in the middle of the bit, two
// sampling points half a bit apart. A board with delay cells has one of the same name and ports.
`default_nettype none

module ofr_link_phy_pins #(
    parameter int WIRES = 8 // data wires each way
) (
    // Board
    input  wire logic             clk,
    input  wire logic [WIRES-1:0] tx_bits,   // clk; registers
    // Cable
    output logic                  cable_tx_clk,
    output logic [WIRES-1:0]      cable_tx,  // a bit a period, stable at the rising edge
    input  wire logic             cable_rx_clk,
    input  wire logic [WIRES-1:0] cable_rx,
    // Receiver
    output logic                  rx_clk,
    input  wire logic [WIRES-1:0] tap,       // rx_clk; 0 the falling edge before, 1 the rising one
    output logic [WIRES-1:0]      rx_bits    // rx_clk; sampled at the last rising edge or before it
);
    logic [WIRES-1:0] rise_q, fall_q, fell_q;

    assign cable_tx_clk = !clk;
    assign cable_tx     = tx_bits;
    assign rx_clk       = cable_rx_clk;
    always_ff @(negedge rx_clk)
        fall_q <= cable_rx;
    always_ff @(posedge rx_clk) begin
        rise_q <= cable_rx;
        fell_q <= fall_q;
    end
    assign rx_bits = (tap & rise_q) | (~tap & fell_q);
endmodule

`default_nettype wire
