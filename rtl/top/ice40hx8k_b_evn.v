// SPDX-License-Identifier: Apache-2.0
// Board top of Lattice's iCE40HX8K-B-EVN: ofr_board as an HX8K has room for (two dimensions, 16-bit
// flits, two slots of 16 flits a VC, firmware in the SPI flash), clock, reset, UART, LEDs and four
// cables of two data wires and a clock each way (LINK = 3) on real pins. There is no room for the
// OFR unit and the destination table: packets of class DEROUTE go minimally.
// Pins: constraints/ice40hx8k-b-evn.pcf. How to build, flash and try it: constraints/README.md.
`default_nettype none

module ice40hx8k_b_evn #(
    parameter logic [63:0] SERIAL = 64'h0, // the board's serial number; each board needs its own
    parameter int          C      = 2      // slots per VC, 2 to 8
) (
    input  wire logic       clk12,      // 12 MHz oscillator
    input  wire logic       uart_rx,    // from the FT2232H's channel B, 115200 baud after reset
    output logic            uart_tx,
    output logic            flash_csn,  // the flash that the FPGA is configured from
    output logic            flash_sck,
    output logic            flash_mosi,
    input  wire logic       flash_miso,
    output logic [3:0]      cable_tx_clk, // x+ x- y+ y-
    output logic [7:0]      cable_tx,     // two wires each
    input  wire logic [3:0] cable_rx_clk,
    input  wire logic [7:0] cable_rx,
    output logic [7:0]      led         // D2 to D9, lit by 1; see below
);
    // 12 MHz * (DIVF + 1) / (DIVR + 1) / 2^DIVQ; the voltage-controlled oscillator at 672 MHz, of
    // 533 to 1066.
    localparam int CLOCK_HZ = 42_000_000;
    logic clk, locked;
    /* verilator lint_off UNUSEDSIGNAL */
    logic unused_core, unused_sdo;
    /* verilator lint_on UNUSEDSIGNAL */
    SB_PLL40_CORE #(
        .FEEDBACK_PATH("SIMPLE"), .PLLOUT_SELECT("GENCLK"), .DIVR(4'd0), .DIVF(7'd55), .DIVQ(3'd4),
        .FILTER_RANGE(3'd1)
    ) pll (
        .REFERENCECLK(clk12), .PLLOUTGLOBAL(clk), .LOCK(locked), .RESETB(1'b1), .BYPASS(1'b0),
        .PLLOUTCORE(unused_core), .SDO(unused_sdo), .EXTFEEDBACK(1'b0), .DYNAMICDELAY(8'd0),
        .LATCHINPUTVALUE(1'b0), .SDI(1'b0), .SCLK(1'b0)
    );

    // Reset until the PLL has been locked for 2^15 cycles, 0.8 ms: longer than the block RAMs take
    // to be readable after configuration and than the flash takes to its first command. Flip-flops
    // are 0 after configuration. Loss of lock is a reset. The count goes on as the heartbeat.
    logic [24:0] count_q = '0;
    logic [1:0]  locked_q = '0;
    logic        run_q = 1'b0;
    always_ff @(posedge clk) begin
        locked_q <= {locked_q[0], locked};
        count_q  <= locked_q[1] ? count_q + 1'b1 : '0;
        run_q    <= locked_q[1] && (run_q || count_q[15]);
    end

    logic       tx, csn, trapped;
    /* verilator lint_off UNUSEDSIGNAL */
    logic [3:0]  tx_valid, tx_last, tx_poison;
    logic [7:0]  tx_vc;
    logic [63:0] tx_data;
    logic [47:0] rx_credit, rx_received, mon_copy_value;
    logic        mon_we, mon_re, mon_copy;
    logic [11:0] mon_adr;
    logic [31:0] mon_wdat, mon_rdat;
    logic [7:0]  mon_copy_index;
    logic [3:0]  phase, mon_link_up, mon_link_dead;
    logic [11:0] mon_link_state;
    logic [15:0] mon_link_why, mon_rank;
    logic [31:0] mon_time;
    logic [1:0]  mon_part;
    logic        s_axis_tready, m_axis_tvalid, m_axis_tlast, m_axis_tuser;
    logic [15:0] m_axis_tdata;
    logic [1:0]  m_axis_tkeep;
    // Datagrams: none
    logic           s_datagram_tready, m_datagram_tvalid, m_datagram_tlast;
    logic [15:0]    m_datagram_tdata;
    logic [1:0]     m_datagram_tkeep;
    logic [11:0]    m_datagram_tid;
    logic [3:0]     m_datagram_tdest;
    // Collectives: none
    logic           s_collective_tready, m_collective_tvalid, m_collective_tlast;
    logic [15:0]    m_collective_tdata;
    logic [1:0]     m_collective_tkeep;
    logic [1:0]     m_collective_tuser;
    logic [63:0] phy_tx_word;
    /* verilator lint_on UNUSEDSIGNAL */
    ofr_board #(
        .N(2), .W(16), .L(16), .C(C), .MUL(0), .OFR(0), .GEN(0), .CHECK(0), .PINS(0), .COUNT(0),
        .LINK(3), .WIRES(2), .SMALL(1), .FLASH(1), .RAM_BYTES(2048), .RX_DEPTH(512),
        .TIMER_BITS(40), .UART_DIVISOR((CLOCK_HZ + 57_600) / 115_200),
        .CLOCK_HZ(CLOCK_HZ)
    ) board (
        .clk, .rst(!run_q), .serial(SERIAL), .uart_rx, .uart_tx(tx), .trapped,
        .flash_csn(csn), .flash_sck, .flash_mosi, .flash_miso,
        .link_up(4'd0), .rx_valid(4'd0), .rx_vc(8'd0), .rx_data(64'd0), .rx_last(4'd0),
        .rx_poison(4'd0), .rx_abort(4'd0), .rx_credit, .rx_received, .tx_valid, .tx_ready(4'd0),
        .tx_vc, .tx_data, .tx_last, .tx_poison, .tx_credit(48'd0), .tx_base(48'd0),
        .tx_rebase(4'd0), .phy_up(4'd0), .phy_tx_word, .phy_tx_ready(4'd0), .phy_rx_valid(4'd0),
        .phy_rx_word(64'd0), .phy_rx_late(4'd0), .phase, .cable_tx_clk, .cable_tx,
        .cable_rx_clk, .cable_rx, .s_axis_tvalid(1'b0), .s_axis_tready,
        .s_axis_tdata(16'd0), .s_axis_tkeep(2'd0), .s_axis_tlast(1'b0), .m_axis_tvalid,
        .m_axis_tready(1'b0), .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast, .m_axis_tuser,
        .s_datagram_tvalid(1'b0), .s_datagram_tready, .s_datagram_tdata(16'd0),
        .s_datagram_tkeep(2'd0), .s_datagram_tlast(1'b0), .s_datagram_tdest(16'd0),
        .s_datagram_tuser(2'd0), .m_datagram_tvalid, .m_datagram_tready(1'b0), .m_datagram_tdata,
        .m_datagram_tkeep, .m_datagram_tlast, .m_datagram_tid, .m_datagram_tdest,
        .s_collective_tvalid(1'b0), .s_collective_tready, .s_collective_tdata(16'd0),
        .s_collective_tkeep(2'd0), .s_collective_tlast(1'b0), .s_collective_tuser(7'd0),
        .m_collective_tvalid, .m_collective_tready(1'b0), .m_collective_tdata,
        .m_collective_tkeep, .m_collective_tlast, .m_collective_tuser,
        .mon_link_up, .mon_link_dead, .mon_link_state, .mon_link_why,
        .mon_time, .mon_part, .mon_rank, .mon_we, .mon_re, .mon_adr, .mon_wdat,
        .mon_rdat, .mon_copy, .mon_copy_index, .mon_copy_value
    );

    // Idle until the first clock has come: no break on the line. In reset the flash's chip select
    // is high, so that a read that a reset has cut off ends there.
    assign uart_tx   = tx || !run_q;
    assign flash_csn = csn || !run_q;

    assign led[0]   = run_q;       // clock and reset are good
    assign led[1]   = count_q[24]; // heartbeat, 1.3 Hz
    assign led[2]   = !uart_rx;    // the host sends
    assign led[3]   = !uart_tx;    // the board sends
    assign led[4]   = &mon_link_up; // all four cables are up
    assign led[5]   = |mon_link_up; // one is
    assign led[6]   = |(~mon_link_up & ~mon_link_dead); // a clock comes over one that is not
    assign led[7]   = trapped;     // the core has stopped for good
endmodule

`default_nettype wire
