// SPDX-License-Identifier: Apache-2.0
// Only for `make report`: the small counters with what serves simulation alone left open.
`default_nettype none

module ofr_counters_bare #(
    parameter int N = 2 // dimensions, 2 or 3
) (
    input  wire logic             clk,
    input  wire logic             rst,
    input  wire logic [2*N:0]     ev_flit,
    input  wire logic [2*N:0]     ev_discarded,
    input  wire logic             ev_injected,
    input  wire logic             ev_delivered,
    input  wire logic             ev_poisoned,
    input  wire logic             ev_oidn,
    input  wire logic             ev_widn,
    input  wire logic             ev_pinned,
    input  wire logic [2*N-1:0]   ev_crc,
    input  wire logic [2*N-1:0]   ev_retry,
    input  wire logic [2*N-1:0]   ev_reset,
    input  wire logic             reg_we,
    input  wire logic             reg_re,
    input  wire logic [11:0]      reg_adr,
    input  wire logic [31:0]      reg_wdat,
    output logic [31:0]           reg_rdat,
    output logic                  reg_err
);
    logic        copy, unused;
    logic [7:0]  copy_index;
    logic [47:0] copy_value;
    ofr_counters_small #(.N(N)) counters (.*);
    assign unused = ^{copy, copy_index, copy_value};
endmodule

`default_nettype wire
