// SPDX-License-Identifier: Apache-2.0
// The pins, for simulation and any FPGA. Single data rate: the clock in the middle of the bit, two
// sampling points half a bit apart. Double: two bits a period, a sampling point each; the clock
// that goes out changes with the data, and has to come a quarter of a period later (README.md).
// With a vendor's cells: ofr_link_pins_ecp5, ofr_link_pins_ice40, of the same ports.
`default_nettype none

module ofr_link_phy_pins #(
    parameter int WIRES = 8, // data wires each way
    parameter int DDR   = 0  // double data rate
) (
    // Board
    input  wire logic             clk,
    input  wire logic [(1+DDR)*WIRES-1:0] tx_bits, // clk; registers; the first of each wire lower
    // Cable
    output logic                  cable_tx_clk,
    output logic [WIRES-1:0]      cable_tx,  // a bit a period, stable at the rising edge; or two
    input  wire logic             cable_rx_clk,
    input  wire logic [WIRES-1:0] cable_rx,
    // Receiver
    output logic                  rx_clk,
    output logic [WIRES-1:0]      rx_rise,   // rx_clk; sampled at the last rising edge
    output logic [WIRES-1:0]      rx_fall    // rx_clk; at the falling edge before that
);
    logic [WIRES-1:0] fall_q;

    generate
        if (DDR == 0) begin : g_single
            assign cable_tx_clk = !clk;
            assign cable_tx     = tx_bits;
        end else begin : g_double
            // A flip-flop for each edge: either changes their sum into its bit, without a glitch
            logic [WIRES-1:0] first_q, second_q, next_q;
            always_ff @(posedge clk) begin
                first_q <= tx_bits[WIRES-1:0] ^ second_q;
                next_q  <= tx_bits[2*WIRES-1:WIRES];
            end
            always_ff @(negedge clk)
                second_q <= next_q ^ first_q;
            assign cable_tx_clk = clk;
            assign cable_tx     = first_q ^ second_q;
        end
    endgenerate
    assign rx_clk       = cable_rx_clk;
    always_ff @(negedge rx_clk)
        fall_q <= cable_rx;
    always_ff @(posedge rx_clk) begin
        rx_rise <= cable_rx;
        rx_fall <= fall_q;
    end
endmodule

`default_nettype wire
