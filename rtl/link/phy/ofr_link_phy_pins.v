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
    output logic [WIRES-1:0]      rx_rise,   // rx_clk; sampled at the last rising edge
    output logic [WIRES-1:0]      rx_fall    // rx_clk; at the falling edge before that
);
    logic [WIRES-1:0] fall_q;

    assign cable_tx_clk = !clk;
    assign cable_tx     = tx_bits;
    assign rx_clk       = cable_rx_clk;
    always_ff @(negedge rx_clk)
        fall_q <= cable_rx;
    always_ff @(posedge rx_clk) begin
        rx_rise <= cable_rx;
        rx_fall <= fall_q;
    end
endmodule

`default_nettype wire
