// SPDX-License-Identifier: Apache-2.0
// What the tops of all boards with an ECP5 share: PLL, reset, the serial number, LEDs around
// ofr_board, whose firmware is in block RAM. A top adds its pins, those of cables among them where
// it has them (LINK = 2); else the links are tied off, as if no cable were plugged in.
`default_nettype none

module ecp5_board #(
    parameter logic [63:0] SERIAL    = 64'h0,      // the board's serial number
    parameter int          N         = 3,          // dimensions, 2 or 3
    parameter int          W         = 32,         // flit width in bits
    parameter int          L         = 128,        // flits per slot
    parameter int          C         = 8,          // slots per VC
    parameter int          LINK      = 0,          // of ofr_links: 0, no cables, or 2, cables
    parameter int          LINK_SERIAL = 1,        // of ofr_link, SERIAL: both ends the same
    parameter int          WIRES     = 8,          // data wires each way, where there are cables
    parameter int          TICK      = 8,          // of ofr_link: a tick has at least 64 words
    parameter int          TUNE      = 20,         // of ofr_link_phy
    parameter int          RAM_BYTES = 32768,
    parameter int          BAUD      = 115_200,    // of the UART
    parameter int          CHANNELS  = 0,          // ends of channels, which software has: 0 to 16
    parameter int          COLLECTIVES = 0,        // as in ofr_board; software has these, too
    parameter              INIT      = "",         // RAM's content, a $readmemh file of its words
    // The clock: INPUT_HZ / CLKI_DIV * CLKFB_DIV; or, with CLKOS_DIV, that times CLKOP_DIV /
    // CLKOS_DIV. INPUT_HZ / CLKI_DIV is at least 10 MHz; INPUT_HZ / CLKI_DIV * CLKFB_DIV *
    // CLKOP_DIV, which is the oscillator, 400 to 800 MHz (data sheet FPGA-DS-02012).
    parameter int          INPUT_HZ  = 25_000_000,
    parameter int          CLKI_DIV  = 1,
    parameter int          CLKFB_DIV = 2,
    parameter int          CLKOP_DIV = 12,
    parameter int          CLKOS_DIV = 0
) (
    input  wire logic       clk_in,
    input  wire logic       uart_rx,
    output logic            uart_tx,
    // Cables, as in ofr_link_phy; a port after the other, in the order of the ports
    output logic [2*N-1:0]       cable_tx_clk,
    output logic [2*N*WIRES-1:0] cable_tx,
    input  wire logic [2*N-1:0]       cable_rx_clk,
    input  wire logic [2*N*WIRES-1:0] cable_rx,
    output logic [7:0]      led      // 0: out of reset, 1: heartbeat, 2: the host sends, 3: the
                                     // board sends, 4: all cables are up, 5: one is, 6: over one
                                     // that is not up a clock comes, 7: the core has stopped for
                                     // good
);
    localparam int VCO_HZ   = INPUT_HZ / CLKI_DIV * CLKFB_DIV * CLKOP_DIV;
    localparam int CLOCK_HZ = VCO_HZ / (CLKOS_DIV > 0 ? CLKOS_DIV : CLKOP_DIV);
    generate
        if (INPUT_HZ / CLKI_DIV < 10_000_000 || VCO_HZ < 400_000_000 || VCO_HZ > 800_000_000 ||
            CLKOS_DIV < 0 || CLKOS_DIV > 128)
            ecp5_board_clock_out_of_range bad ();
    endgenerate

    logic clk, locked, op, os;
    assign clk = CLKOS_DIV > 0 ? os : op;
    EHXPLLL #(
        .CLKI_DIV(CLKI_DIV), .CLKFB_DIV(CLKFB_DIV), .CLKOP_DIV(CLKOP_DIV),
        .CLKOP_CPHASE(CLKOP_DIV / 2 - 1), .FEEDBK_PATH("CLKOP"), .CLKOP_ENABLE("ENABLED"),
        .CLKOS_DIV(CLKOS_DIV > 0 ? CLKOS_DIV : 8), .CLKOS_CPHASE(CLKOS_DIV > 0 ? CLKOS_DIV - 1 : 0),
        .CLKOS_ENABLE(CLKOS_DIV > 0 ? "ENABLED" : "DISABLED")
    ) pll (
        .CLKI(clk_in), .CLKFB(op), .CLKOP(op), .CLKOS(os), .LOCK(locked), .RST(1'b0), .STDBY(1'b0),
        .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1),
        .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0)
    );

    // A LUT each, so that a bitstream can be given another number without a new place and route.
    logic [63:0] serial;
    for (genvar i = 0; i < 64; i++) begin : g_serial
        (* keep *)
        LUT4 #(.INIT({16{SERIAL[i]}})) lut (
            .A(1'b0), .B(1'b0), .C(1'b0), .D(1'b0), .Z(serial[i])
        );
    end

    // Reset until the PLL has been locked for 2^15 cycles. Flip-flops are 0 after configuration.
    // Loss of lock is a reset. The count goes on as the heartbeat.
    logic [24:0] count_q = '0;
    logic [1:0]  locked_q = '0;
    logic        run_q = 1'b0;
    always_ff @(posedge clk) begin
        locked_q <= {locked_q[0], locked};
        count_q  <= locked_q[1] ? count_q + 1'b1 : '0;
        run_q    <= locked_q[1] && (run_q || count_q[15]);
    end

    logic tx, trapped;
    /* verilator lint_off UNUSEDSIGNAL */
    logic             flash_csn, flash_sck, flash_mosi;
    logic [2*N-1:0]   tx_valid, tx_last, tx_poison;
    logic [4*N-1:0]   tx_vc;
    logic [2*N*W-1:0] tx_data;
    logic [24*N-1:0]  rx_credit, rx_received;
    logic             mon_we, mon_re, mon_copy;
    logic [11:0]      mon_adr;
    logic [31:0]      mon_wdat, mon_rdat;
    logic [7:0]       mon_copy_index;
    logic [47:0]      mon_copy_value;
    logic [2*N-1:0]   phase, mon_link_up, mon_link_dead;
    logic [2*N*W-1:0] phy_tx_word;
    logic [6*N-1:0]   mon_link_state;
    logic [8*N-1:0]   mon_link_why;
    logic [31:0]      mon_time;
    logic [15:0]      mon_rank;
    logic [1:0]       mon_part;
    // Channels: software's only
    localparam int E = CHANNELS > 0 ? CHANNELS : 1;
    logic [E-1:0]     s_axis_tready, m_axis_tvalid, m_axis_tlast, m_axis_tuser;
    logic [W*E-1:0]   m_axis_tdata;
    logic [W/8*E-1:0] m_axis_tkeep;
    // Datagrams: none
    logic           s_datagram_tready, m_datagram_tvalid, m_datagram_tlast;
    logic [W-1:0]   m_datagram_tdata;
    logic [W/8-1:0] m_datagram_tkeep;
    logic [11:0]    m_datagram_tid;
    logic [3:0]     m_datagram_tdest;
    // Collectives: software's only
    logic           s_collective_tready, m_collective_tvalid, m_collective_tlast;
    logic [W-1:0]   m_collective_tdata;
    logic [W/8-1:0] m_collective_tkeep;
    logic [1:0]     m_collective_tuser;
    /* verilator lint_on UNUSEDSIGNAL */
    ofr_board #(
        .N(N), .W(W), .L(L), .C(C), .LINK(LINK), .SERIAL(LINK_SERIAL), .WIRES(WIRES), .TICK(TICK),
        .TUNE(TUNE), .RAM_BYTES(RAM_BYTES), .INIT(INIT), .CHANNELS(CHANNELS),
        .COLLECTIVES(COLLECTIVES),
        .UART_DIVISOR((CLOCK_HZ + BAUD / 2) / BAUD), .CLOCK_HZ(CLOCK_HZ)
    ) board (
        .clk, .rst(!run_q), .serial, .uart_rx, .uart_tx(tx), .trapped, .flash_csn, .flash_sck,
        .flash_mosi, .flash_miso(1'b0), .link_up({2*N{1'b0}}), .rx_valid({2*N{1'b0}}),
        .rx_vc({4*N{1'b0}}), .rx_data({2*N*W{1'b0}}), .rx_last({2*N{1'b0}}),
        .rx_poison({2*N{1'b0}}), .rx_abort({2*N{1'b0}}), .rx_credit, .rx_received, .tx_valid,
        .tx_ready({2*N{1'b0}}), .tx_vc, .tx_data, .tx_last, .tx_poison, .tx_credit({24*N{1'b0}}),
        .tx_base({24*N{1'b0}}), .tx_rebase({2*N{1'b0}}),
        .phy_up({2*N{1'b0}}), .phy_tx_word, .phy_tx_ready({2*N{1'b0}}),
        .phy_rx_valid({2*N{1'b0}}), .phy_rx_word({2*N*W{1'b0}}), .phy_rx_late({2*N{1'b0}}), .phase,
        .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx,
        .s_axis_tvalid({E{1'b0}}), .s_axis_tready, .s_axis_tdata({W*E{1'b0}}),
        .s_axis_tkeep({W/8*E{1'b0}}), .s_axis_tlast({E{1'b0}}), .m_axis_tvalid,
        .m_axis_tready({E{1'b0}}), .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast, .m_axis_tuser,
        .s_datagram_tvalid(1'b0), .s_datagram_tready, .s_datagram_tdata({W{1'b0}}),
        .s_datagram_tkeep({W/8{1'b0}}), .s_datagram_tlast(1'b0), .s_datagram_tdest(16'd0),
        .s_datagram_tuser(2'd0), .m_datagram_tvalid, .m_datagram_tready(1'b0), .m_datagram_tdata,
        .m_datagram_tkeep, .m_datagram_tlast, .m_datagram_tid, .m_datagram_tdest,
        .s_collective_tvalid(1'b0), .s_collective_tready, .s_collective_tdata({W{1'b0}}),
        .s_collective_tkeep({W/8{1'b0}}), .s_collective_tlast(1'b0), .s_collective_tuser(7'd0),
        .m_collective_tvalid, .m_collective_tready(1'b0), .m_collective_tdata,
        .m_collective_tkeep, .m_collective_tlast, .m_collective_tuser,
        .mon_link_up, .mon_link_dead, .mon_link_state, .mon_link_why, .mon_time, .mon_part,
        .mon_rank, .mon_we, .mon_re, .mon_adr, .mon_wdat, .mon_rdat, .mon_copy, .mon_copy_index,
        .mon_copy_value
    );

    assign uart_tx = tx || !run_q; // idle until the first clock has come
    assign led     = {trapped, |(~mon_link_up & ~mon_link_dead), |mon_link_up, &mon_link_up,
                      !uart_tx, !uart_rx, count_q[24], run_q};
endmodule

`default_nettype wire
