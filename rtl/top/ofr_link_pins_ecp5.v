// SPDX-License-Identifier: Apache-2.0
// The pins of ofr_link_phy with the ECP5's cells: double data rate both ways, and a delay at each
// input, in TAPS settings of 128 / TAPS steps of 25 ps. The board's top sends the clock: a cell of
// its own on a clock that is a quarter of a period later. A pad and its cells are in one place, so
// that nothing may be between the ports and a top's. Cells: Lattice, ECP5 High-Speed I/O Interface
// (FPGA-TN-02035).
`default_nettype none

module ofr_link_pins_ecp5 #(
    parameter int WIRES = 8, // data wires each way
    parameter int TAPS  = 16 // 2 to 32; 1: no delays
) (
    // Board
    input  wire logic               clk,
    input  wire logic [2*WIRES-1:0] tx_bits, // as in ofr_link_phy_pins
    // Cable
    output logic                    cable_tx_clk, // clk; nobody's, on a board
    output logic [WIRES-1:0]        cable_tx,
    input  wire logic               cable_rx_clk,
    input  wire logic [WIRES-1:0]   cable_rx,
    // Receiver
    output logic                    rx_clk,
    output logic [WIRES-1:0]        rx_rise,      // rx_clk; half a period later than
    output logic [WIRES-1:0]        rx_fall,
    input  wire logic               rx_rst,       // rx_clk; delays are 0
    input  wire logic [5*WIRES-1:0] tap,          // rx_clk; what each delay is to be
    output logic                    settled       // and they all are
);
    localparam int STEPS = 128 / TAPS;
    logic [WIRES-1:0] delayed, there;

    assign cable_tx_clk = clk;
    assign rx_clk       = cable_rx_clk;
    assign settled      = &there;
    generate
        for (genvar w = 0; w < WIRES; w = w + 1) begin : g_wire
            ODDRX1F out (
                .SCLK(clk), .RST(1'b0), .D0(tx_bits[w]), .D1(tx_bits[WIRES+w]), .Q(cable_tx[w])
            );
            // Q0 was sampled half a period before Q1, whatever edge that is
            IDDRX1F in (
                .SCLK(cable_rx_clk), .RST(1'b0), .D(delayed[w]), .Q0(rx_fall[w]), .Q1(rx_rise[w])
            );
            if (TAPS == 1) begin : g_none
                logic unused;
                assign unused     = ^{rx_rst, tap[5*w +: 5]};
                assign delayed[w] = cable_rx[w];
                assign there[w]   = 1'b1;
            end else begin : g_delay
                // A step at the end of each pulse of MOVE, down with DIRECTION 1
                logic [6:0] at_q, goal;
                logic       move_q, down_q, loadn_q, rst_q, flag, unused;
                assign unused   = flag;
                assign goal     = 7'(tap[5*w +: 5] * STEPS);
                assign there[w] = at_q == goal && !move_q;
                DELAYF delay (
                    .A(cable_rx[w]), .LOADN(loadn_q), .MOVE(move_q), .DIRECTION(down_q),
                    .Z(delayed[w]), .CFLAG(flag)
                );
                always_ff @(posedge rx_clk) begin
                    loadn_q <= !rx_rst;
                    rst_q   <= rx_rst;
                    move_q  <= !move_q && at_q != goal;
                    if (!move_q)
                        down_q <= goal < at_q;
                    if (move_q)
                        at_q <= down_q ? at_q - 7'd1 : at_q + 7'd1;
                    if (rx_rst || rst_q) begin
                        move_q <= 1'b0;
                        at_q   <= '0;
                    end
                end
            end
        end
    endgenerate
endmodule

`default_nettype wire
