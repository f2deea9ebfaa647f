// SPDX-License-Identifier: Apache-2.0
// Lockstep's top: router with OFR unit, and counters, joined as in ofr_node, with all pins outside.
// The register strobes reach the unit's and the counters' registers.
`default_nettype none

module ofr_lockstep #(
    parameter int N   = 2,  // dimensions, 2 or 3
    parameter int W   = 32, // flit width in bits, 16, 32 or 64
    parameter int L   = 8,  // flits per slot
    parameter int C   = 8,  // slots per VC, 2 to 8
    parameter int MUL = 1   // OFR unit with multipliers
) (
    input  wire logic             clk,
    input  wire logic             rst,
    // As ofr_router
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
    output logic [31:0]           cycle,
    output logic [31:0]           dropped,
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
    output logic                  lo_poison,
    // Register strobes, rtl/README.md
    input  wire logic             reg_we,
    input  wire logic             reg_re,
    input  wire logic [11:0]      reg_adr,
    input  wire logic [31:0]      reg_wdat,
    output logic [31:0]           reg_rdat,
    output logic                  reg_err
);
    logic [15:0]      generation;
    logic [2*N:0]     ev_flit, ev_packet, ev_stall_credit, ev_stall_alloc, ev_refused, ev_discarded;
    logic [4*N+1:0]   ev_flit_vc, ev_packet_vc, ev_stall_vc;
    logic             ev_injected, ev_delivered, ev_poisoned, ev_oidn, ev_widn;
    logic [24*N-1:0]  used;
    logic [31:0]      unit_rdat, count_rdat;
    logic             unit_err, count_err, unused;
    logic             copy;
    logic [7:0]       copy_index;
    logic [47:0]      copy_value;

    ofr_routing #(.N(N), .W(W), .L(L), .C(C), .MUL(MUL)) routing (
        .reg_rdat(unit_rdat), .reg_err(unit_err), .*
    );

    ofr_counters #(.N(N)) counters (
        .clk, .rst, .ev_flit, .ev_flit_vc, .ev_packet, .ev_packet_vc, .ev_stall_credit,
        .ev_stall_alloc, .ev_stall_vc, .ev_refused, .ev_discarded, .ev_injected, .ev_delivered,
        .ev_poisoned, .ev_oidn, .ev_widn, .ev_pinned(1'b0), .ev_crc({2*N{1'b0}}),
        .ev_retry({2*N{1'b0}}), .ev_reset({2*N{1'b0}}), .used, .reg_we, .reg_re, .reg_adr,
            .reg_wdat, .reg_rdat(count_rdat),
        .reg_err(count_err), .copy, .copy_index, .copy_value
    );

    assign reg_rdat = unit_rdat | count_rdat;
    assign reg_err  = unit_err || count_err;
    assign unused   = ^{generation, copy, copy_index, copy_value};
endmodule

`default_nettype wire
