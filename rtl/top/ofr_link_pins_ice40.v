// SPDX-License-Identifier: Apache-2.0
// The pins of ofr_link_phy with the iCE40's cells: double data rate both ways, no delays. The
// board's top sends the clock, a quarter of a period later (the PLL's SHIFTREG_90DEG). SB_IO is the
// pad itself: the ports are a top's. Cells: Lattice, iCE40 LP/HX data sheet and technology library.
`default_nettype none

module ofr_link_pins_ice40 #(
    parameter int WIRES = 8 // data wires each way
) (
    // Board
    input  wire logic               clk,
    input  wire logic [2*WIRES-1:0] tx_bits, // as in ofr_link_phy_pins
    // Cable
    output logic                    cable_tx_clk, // clk; nobody's, on a board
    output wire logic [WIRES-1:0]   cable_tx,     // a net: SB_IO drives it
    input  wire logic               cable_rx_clk,
    input  wire logic [WIRES-1:0]   cable_rx,
    // Receiver
    output logic                    rx_clk,
    output logic [WIRES-1:0]        rx_rise,      // rx_clk; half a period later than
    output logic [WIRES-1:0]        rx_fall
);
    // What leaves at the falling edge is taken there: it waits for half a period
    logic [WIRES-1:0] second_q, risen, fallen;

    assign cable_tx_clk = clk;
    assign rx_clk       = cable_rx_clk;
    always_ff @(posedge clk)
        second_q <= tx_bits[2*WIRES-1:WIRES];
    // The last rising edge's, and the falling one's behind it
    always_ff @(posedge rx_clk) begin
        rx_fall <= risen;
        rx_rise <= fallen;
    end
    generate
        for (genvar w = 0; w < WIRES; w = w + 1) begin : g_wire
            /* verilator lint_off PINCONNECTEMPTY */
            SB_IO #(.PIN_TYPE(6'b010001)) out ( // double data rate; the pad itself as input
                .PACKAGE_PIN(cable_tx[w]), .LATCH_INPUT_VALUE(1'b0), .CLOCK_ENABLE(1'b1),
                .INPUT_CLK(1'b0), .OUTPUT_CLK(clk), .OUTPUT_ENABLE(1'b1), .D_OUT_0(tx_bits[w]),
                .D_OUT_1(second_q[w]), .D_IN_0(), .D_IN_1()
            );
            SB_IO #(.PIN_TYPE(6'b000000)) in ( // no output; double data rate
                .PACKAGE_PIN(cable_rx[w]), .LATCH_INPUT_VALUE(1'b0), .CLOCK_ENABLE(1'b1),
                .INPUT_CLK(rx_clk), .OUTPUT_CLK(1'b0), .OUTPUT_ENABLE(1'b0), .D_OUT_0(1'b0),
                .D_OUT_1(1'b0), .D_IN_0(risen[w]), .D_IN_1(fallen[w])
            );
            /* verilator lint_on PINCONNECTEMPTY */
        end
    endgenerate
endmodule

`default_nettype wire
