// SPDX-License-Identifier: Apache-2.0
// Board top of Radiona's ULX3S: ecp5_board with 32-bit flits and cables of three data wires and a
// clock each way at the headers J1 and J2 (constraints/README.md). With an LFE5U-85F or a 45F it
// has three dimensions and the paper's buffers, eight slots of 512 bytes a VC; with a 25F two
// dimensions and eight slots of 64 bytes: its 56 block RAMs hold no more, and with six links 96% of
// its look-up tables were in use. With 16-bit flits, two dimensions, two slots of 32 bytes a VC, no
// serial numbers on its links, two wires (the lower two of three) and a clock that is a small
// board's or up to 0.7% slower it has the router of an iCE40HX8K-B-EVN and joins it
// (rtl/link/phy/README.md, "Four ends"). Pins: constraints/ulx3s-85f.lpf, of revisions 2 and 3.
`default_nettype none

module ulx3s #(
    parameter logic [63:0] SERIAL = 64'h0, // the board's serial number; each board needs its own
    parameter              INIT   = "",    // the firmware, as in ofr_ram
    parameter int          N      = 3,     // dimensions; with 2 the cables of z are not there
    parameter int          W      = 32,    // flit width in bits
    parameter int          L      = 128,   // flits per slot
    parameter int          C      = 8,     // slots per VC
    parameter int          LINK_SERIAL = 1, // of ecp5_board, as what follows
    parameter int          WIRES  = 3,     // 1 to 3
    parameter int          BAUD   = 115_200,
    parameter int          CLKI_DIV = 1,
    parameter int          CLKFB_DIV = 2,
    parameter int          CLKOP_DIV = 12,
    parameter int          CLKOS_DIV = 0
) (
    input  wire logic        clk25,   // 25 MHz oscillator
    input  wire logic        uart_rx, // from the FT231X, BAUD bits a second
    output logic             uart_tx,
    output logic [5:0]       cable_tx_clk, // x+, x-, y+, y-, z+, z-
    output logic [17:0]      cable_tx,     // three of each
    /* verilator lint_off UNUSEDSIGNAL */ // z's, with N = 2; above WIRES
    input  wire logic [5:0]  cable_rx_clk,
    input  wire logic [17:0] cable_rx,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic             wifi_en, // 0: the ESP32, which is at pins of y+, too, stays in reset
    output logic [7:0]       led      // D0 to D7, lit by 1; ecp5_board.v says when
);
    logic [2*N-1:0]       tx_clk;
    logic [2*N*WIRES-1:0] tx, rx;
    ecp5_board #(
        .SERIAL(SERIAL), .N(N), .W(W), .L(L), .C(C), .LINK(2), .LINK_SERIAL(LINK_SERIAL),
        .WIRES(WIRES), .TICK(10), .INIT(INIT), .BAUD(BAUD), .INPUT_HZ(25_000_000),
        .CLKI_DIV(CLKI_DIV), .CLKFB_DIV(CLKFB_DIV), .CLKOP_DIV(CLKOP_DIV), .CLKOS_DIV(CLKOS_DIV)
    ) chip (
        .clk_in(clk25), .uart_rx, .uart_tx, .cable_tx_clk(tx_clk), .cable_tx(tx),
        .cable_rx_clk(cable_rx_clk[2*N-1:0]), .cable_rx(rx), .led
    );
    assign cable_tx_clk = 6'(tx_clk);
    always_comb begin
        cable_tx = '0;
        for (int p = 0; p < 2 * N; p++) begin
            cable_tx[3*p +: WIRES]  = tx[WIRES*p +: WIRES];
            rx[WIRES*p +: WIRES]    = cable_rx[3*p +: WIRES];
        end
    end
    assign wifi_en = 1'b0;
endmodule

`default_nettype wire
