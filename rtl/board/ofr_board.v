// SPDX-License-Identifier: Apache-2.0
// A board: the node (router, OFR unit, local port, registers) and the SoC that runs the firmware.
// Board tops with pins wrap this; simulation takes it as it is. The mon_* outputs let a simulation
// follow the register accesses; on a board they stay open and cost nothing.
`default_nettype none

module ofr_board #(
    parameter int N            = 2,     // dimensions, 2 or 3
    parameter int W            = 32,    // flit width in bits, 16, 32 or 64
    parameter int L            = 16,    // flits per slot, a power of two; L W / 8 at least 32 bytes
    parameter int C            = 8,     // slots per VC, 2 to 8
    parameter int MUL          = 1,     // OFR unit: 1 with multipliers, 0 without
    parameter int GEN          = 1,     // 0: no traffic generator
    parameter int CHECK        = 1,     // 0: no checker
    parameter int PINS         = 1,     // 0: no destination table
    parameter int COUNT        = 1,     // 0: only the counters of small FPGAs
    // As in ofr_soc
    parameter int CORE         = 0,     // 0: rv32i, 1: PicoRV32
    parameter int FLASH        = 0,     // 1: the firmware runs from SPI flash
    parameter int RAM_BYTES    = 16384,
    parameter     INIT         = "",    // RAM's content
    parameter int FLASH_OFFSET = 262144,
    parameter int FLASH_WAKE_CYCLES = 511,
    parameter int UART_DIVISOR = 104,   // cycles a bit after reset, 4 to 65535
    parameter int RX_DEPTH     = 256,
    parameter int TIMER_BITS   = 64,
    parameter int CLOCK_HZ     = 12_000_000
) (
    input  wire logic             clk,
    input  wire logic             rst,
    input  wire logic [63:0]      serial, // constant
    input  wire logic             uart_rx,
    output logic                  uart_tx,
    output logic                  trapped,
    output logic                  flash_csn,
    output logic                  flash_sck,
    output logic                  flash_mosi,
    input  wire logic             flash_miso,
    // Links, see rtl/README.md
    input  wire logic [2*N-1:0]   link_up,
    input  wire logic [2*N-1:0]   rx_valid,
    input  wire logic [4*N-1:0]   rx_vc,
    input  wire logic [2*N*W-1:0] rx_data,
    input  wire logic [2*N-1:0]   rx_last,
    input  wire logic [2*N-1:0]   rx_poison,
    input  wire logic [2*N-1:0]   rx_abort,
    output logic [24*N-1:0]       rx_credit,
    output logic [24*N-1:0]       rx_received,
    output logic [2*N-1:0]        tx_valid,
    input  wire logic [2*N-1:0]   tx_ready,
    output logic [4*N-1:0]        tx_vc,
    output logic [2*N*W-1:0]      tx_data,
    output logic [2*N-1:0]        tx_last,
    output logic [2*N-1:0]        tx_poison,
    input  wire logic [24*N-1:0]  tx_credit,
    input  wire logic [24*N-1:0]  tx_base,
    input  wire logic [2*N-1:0]   tx_rebase,
    output logic                  mon_we,
    output logic                  mon_re,
    output logic [11:0]           mon_adr,
    output logic [31:0]           mon_wdat,
    output logic [31:0]           mon_rdat,
    output logic                  mon_copy,
    output logic [7:0]            mon_copy_index,
    output logic [47:0]           mon_copy_value
);
    logic        wb_cyc, wb_stb, wb_we, wb_ack, wb_err;
    logic [11:0] wb_adr;
    logic [31:0] wb_dat_w, wb_dat_r;

    ofr_soc #(
        .CORE(CORE), .FLASH(FLASH), .RAM_BYTES(RAM_BYTES), .INIT(INIT), .FLASH_OFFSET(FLASH_OFFSET),
        .FLASH_WAKE_CYCLES(FLASH_WAKE_CYCLES), .UART_DIVISOR(UART_DIVISOR), .RX_DEPTH(RX_DEPTH),
        .TIMER_BITS(TIMER_BITS), .CLOCK_HZ(CLOCK_HZ)
    ) soc (
        .clk, .rst, .uart_rx, .uart_tx, .serial, .wb_cyc, .wb_stb, .wb_we, .wb_adr, .wb_dat_w,
        .wb_dat_r, .wb_ack, .wb_err, .flash_csn, .flash_sck, .flash_mosi, .flash_miso, .trapped
    );

    ofr_node #(
        .N(N), .W(W), .L(L), .C(C), .MUL(MUL), .GEN(GEN), .CHECK(CHECK), .PINS(PINS), .COUNT(COUNT)
    ) node (
        .clk, .rst, .serial, .wb_cyc, .wb_stb, .wb_we, .wb_adr, .wb_dat_w, .wb_dat_r, .wb_ack,
        .wb_err, .link_up, .rx_valid, .rx_vc, .rx_data, .rx_last, .rx_poison, .rx_abort, .rx_credit,
        .rx_received, .tx_valid, .tx_ready, .tx_vc, .tx_data, .tx_last, .tx_poison, .tx_credit,
        .tx_base, .tx_rebase,
        .mon_we, .mon_re, .mon_adr, .mon_wdat, .mon_rdat, .mon_copy, .mon_copy_index,
        .mon_copy_value
    );
endmodule

`default_nettype wire
