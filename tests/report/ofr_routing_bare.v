// SPDX-License-Identifier: Apache-2.0
// Only for `make report`: router and OFR unit with what serves others left open (events for the
// counters, cycle, slots in use): what only they need goes, and is not counted.
`default_nettype none

module ofr_routing_bare #(
    parameter int N   = 2,  // dimensions, 2 or 3
    parameter int W   = 32, // flit width in bits, 16, 32 or 64
    parameter int L   = 16, // flits per slot
    parameter int C   = 8,  // slots per VC, 2 to 8
    parameter int MUL = 1   // OFR unit: 1 with multipliers, 0 without
) (
    input  wire logic             clk,
    input  wire logic             rst,
    input  wire logic             configured,
    input  wire logic [5*N-1:0]   k,
    input  wire logic [4*N-1:0]   me,
    input  wire logic             tie_both,
    input  wire logic [1:0]       select,
    input  wire logic [1:0]       escape,
    input  wire logic [3:0]       threshold,
    input  wire logic [4:0]       watchdog_time,
    input  wire logic [3:0]       ring_wait_time,
    input  wire logic             seed_we,
    input  wire logic [31:0]      seed,
    input  wire logic             watchdog_clear,
    output logic                  drained,
    output logic                  watchdog,
    input  wire logic             reg_we,
    input  wire logic [11:0]      reg_adr,
    input  wire logic [31:0]      reg_wdat,
    output logic [31:0]           reg_rdat,
    output logic                  reg_err,
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
    input  wire logic             li_valid,
    output logic [2:0]            li_ready,
    input  wire logic [1:0]       li_vc,
    input  wire logic [W-1:0]     li_data,
    input  wire logic             li_last,
    output logic                  lo_valid,
    input  wire logic             lo_ready,
    output logic [W-1:0]          lo_data,
    output logic                  lo_last,
    output logic                  lo_poison
);
    ofr_routing #(.N(N), .W(W), .L(L), .C(C), .MUL(MUL)) routing (
        .clk, .rst, .configured, .k, .me, .tie_both, .select, .escape, .threshold, .watchdog_time,
        .ring_wait_time, .seed_we, .seed, .watchdog_clear, .drained, .watchdog, .link_up, .rx_valid,
        .rx_vc, .rx_data, .rx_last, .rx_poison, .rx_abort, .rx_credit, .rx_received, .tx_valid,
        .tx_ready, .tx_vc, .tx_data, .tx_last, .tx_poison, .tx_credit, .tx_base, .tx_rebase,
        .li_valid, .li_ready, .li_vc, .li_data, .li_last, .lo_valid, .lo_ready, .lo_data, .lo_last,
        .lo_poison, .reg_we, .reg_adr, .reg_wdat, .reg_rdat, .reg_err
    );
endmodule

`default_nettype wire
