// SPDX-License-Identifier: Apache-2.0
// What sits at the router's local port: network interface, traffic generator, checker, and the mux
// between them. Same as sim/model/local.c, every output pin every cycle.
`include "ofr_defs.vh"
`default_nettype none

module ofr_local #(
    parameter int N     = 2,  // dimensions, 2 or 3
    parameter int W     = 32, // flit width in bits, 16, 32 or 64
    parameter int L     = 16, // largest packet in flits, up to 1024; L W / 8 at least 32 bytes
    parameter int GEN   = 1,  // 0: no traffic generator
    parameter int CHECK = 1   // 0: no checker
) (
    input  wire logic           clk,
    input  wire logic           rst,
    // Configuration: coordinates, sizes (x lowest), NODE.TIME
    input  wire logic           configured,
    input  wire logic [4*N-1:0] me,
    input  wire logic [5*N-1:0] size,
    input  wire logic [31:0]    now,
    // Register strobes, see rtl/README.md
    input  wire logic           reg_we,
    input  wire logic           reg_re,
    input  wire logic [11:0]    reg_adr,
    input  wire logic [31:0]    reg_wdat,
    output logic [31:0]         reg_rdat,
    output logic                reg_err,
    // Local port, in
    output logic                li_valid,
    input  wire logic [2:0]     li_ready,
    output logic [1:0]          li_vc,
    output logic [W-1:0]        li_data,
    output logic                li_last,
    // Local port, out
    input  wire logic           lo_valid,
    output logic                lo_ready,
    input  wire logic [W-1:0]   lo_data,
    input  wire logic           lo_last,
    input  wire logic           lo_poison
);
    generate
        if ((N != 2 && N != 3) || (W != 16 && W != 32 && W != 64) || L * W < 256 || L > 1024)
            ofr_local_parameters_out_of_range bad ();
    endgenerate

    // ---- In: management goes first, also before a user flit that still waits for its VC ---------

    logic         ni_valid, ni_last, gen_valid, gen_last;
    logic [W-1:0] ni_data, gen_data;
    logic [1:0]   gen_vc;
    logic         busy_q, turn_q; // inside a packet; of the network interface

    wire logic turn = busy_q ? turn_q : ni_valid;
    wire logic take = li_valid && li_ready[li_vc];
    always_comb begin
        li_valid = turn ? ni_valid : gen_valid;
        li_vc = turn ? 2'(`OFR_LVC_MGMT) : gen_vc;
        li_data = turn ? ni_data : gen_data;
        li_last = turn ? ni_last : gen_last;
    end

    // ---- Out ------------------------------------------------------------------------------------

    logic receiving_q, to_ni_q;
    wire logic to_ni = receiving_q ? to_ni_q : lo_data[`OFR_PKT_MGMT_LSB];
    assign lo_ready = 1'b1;

    always_ff @(posedge clk) begin
        if (take) begin
            busy_q <= !li_last;
            turn_q <= turn;
        end
        if (lo_valid) begin
            receiving_q <= !lo_last;
            to_ni_q <= to_ni;
        end
        if (rst) begin
            busy_q <= 1'b0;
            receiving_q <= 1'b0;
        end
    end

    // ---- Parts ----------------------------------------------------------------------------------

    logic [31:0] ni_rdat, gen_rdat, check_rdat;
    logic        ni_err, gen_err;
    assign reg_rdat = ni_rdat | gen_rdat | check_rdat;
    assign reg_err = ni_err || gen_err;

    ofr_ni #(.N(N), .W(W)) ni (
        .clk, .rst, .me, .reg_we, .reg_re, .reg_adr, .reg_wdat,
        .reg_rdat(ni_rdat), .reg_err(ni_err),
        .tx_valid(ni_valid), .tx_data(ni_data), .tx_last(ni_last), .tx_take(take && turn),
        .rx_valid(lo_valid && to_ni), .rx_data(lo_data), .rx_last(lo_last), .rx_poison(lo_poison)
    );

    generate
        if (GEN != 0) begin : g_gen
            ofr_gen #(.N(N), .W(W), .L(L)) gen (
                .clk, .rst, .configured, .me, .size, .now, .reg_we, .reg_adr, .reg_wdat,
                .reg_rdat(gen_rdat), .reg_err(gen_err),
                .valid(gen_valid), .vc(gen_vc), .data(gen_data), .last(gen_last),
                .take(take && !turn)
            );
        end else begin : g_no_gen
            wire logic unused = &{1'b0, configured, size, now};
            assign {gen_rdat, gen_err, gen_valid, gen_vc, gen_data, gen_last} = '0;
        end
        if (CHECK != 0) begin : g_check
            ofr_check #(.N(N), .W(W)) check (
                .clk, .rst, .me, .now, .reg_we, .reg_re, .reg_adr, .reg_wdat,
                .reg_rdat(check_rdat),
                .valid(lo_valid && !to_ni), .data(lo_data), .last(lo_last), .poison(lo_poison)
            );
        end else begin : g_no_check
            assign check_rdat = '0;
        end
    endgenerate
endmodule
`default_nettype wire
