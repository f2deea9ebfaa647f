// SPDX-License-Identifier: Apache-2.0
// Checker of what the router delivers, with a latency histogram. Same as sim/model/check.c.
// Never pushes back. Histogram: lifetimes below 8 have a bin each, from there 8 hist an octave.
`include "ofr_defs.vh"
`default_nettype none

module ofr_check #(
    parameter int N = 2, // dimensions, 2 or 3
    parameter int W = 32 // flit width in bits, 16, 32 or 64
) (
    input  wire logic           clk,
    input  wire logic           rst,
    input  wire logic [4*N-1:0] me,
    input  wire logic [31:0]    now, // NODE.TIME
    // Register strobes, see rtl/README.md
    input  wire logic           reg_we,
    input  wire logic           reg_re,
    input  wire logic [11:0]    reg_adr,
    input  wire logic [31:0]    reg_wdat,
    output logic [31:0]         reg_rdat,
    // Flits of user packets
    input  wire logic           valid,
    input  wire logic [W-1:0]   data,
    input  wire logic           last,
    input  wire logic           poison
);
    localparam int BOUND = W == 64 ? 0 : W == 32 ? 1 : 2; // flit with SOURCE
    localparam int STAMP = W == 64 ? 1 : W == 32 ? 2 : 5; // flit with the time stamp's last word
    localparam logic [W-1:0] TAPS = W == 64 ? W'('h1b) : W == 32 ? W'('h400007) : W'('h2d);
    localparam int KIND_LSB = `OFR_PKT_KIND_LSB - BOUND * W; // in that flit

    // Registers
    logic        window_q;
    logic [31:0] from_q, to_q, received_q, arrived_q, errors_q, count_q, max_q;
    logic [47:0] sum_q;
    logic [7:0]  bin_q;
    // Packet under way
    logic [2:0]   index_q;
    logic         good_q, gen_q;
    logic [W-1:0] payload_q;
    logic [31:0]  stamp_q;
    // Pipeline
    logic        stage1_q, stage2_q, stage3_q, stage4_q, in_window_q;
    logic [31:0] end_q, lifetime_q;
    logic [7:0]  hit_q;
    logic        clearing_q;
    logic [7:0]  clear_q;

    // ---- Flits ----------------------------------------------------------------------------------

    wire logic [W-1:0] step = {payload_q[W-2:0], 1'b0} ^ (payload_q[W-1] ? TAPS : '0);
    wire logic match = data == (last ? ~payload_q : payload_q);
    wire logic past_stamp = index_q > 3'(STAMP);
    logic good_d, gen_d;
    logic [W-1:0] payload_d;
    logic [31:0] stamp_d;
    always_comb begin
        good_d = good_q;
        gen_d = gen_q;
        if (index_q == 0) begin
            good_d = data[4*N-1:0] == me && data[`OFR_PKT_LEG_LSB];
            gen_d = 1'b0;
        end else if (past_stamp)
            good_d = good_q && match;
        if (index_q == 3'(BOUND))
            gen_d = data[KIND_LSB +: 4] == 4'(`OFR_PKT_KIND_GEN);
    end
    logic good_all; // with the half flit of payload at W = 64
    generate
        if (W == 64) begin : g_64
            assign good_all = good_d && (index_q != 3'd1 || data[63:32] == payload_q[63:32]);
            assign payload_d = index_q == 0 ? {~data[63:32], data[63:32]}
                : index_q == 3'd1 ? step ^ {32'b0, data[31:0]} : step;
            assign stamp_d = index_q == 3'd1 ? data[31:0] : stamp_q;
        end else begin : g_small
            assign good_all = good_d;
            assign payload_d = index_q == 3'(BOUND) ? data : past_stamp ? step : step ^ data;
            if (W == 32) begin : g_32
                assign stamp_d = index_q == 3'd2 ? 32'(data) : stamp_q;
            end else begin : g_16
                assign stamp_d = {index_q == 3'd5 ? data[15:0] : stamp_q[31:16],
                    index_q == 3'd4 ? data[15:0] : stamp_q[15:0]};
            end
        end
    endgenerate
    wire logic ends = valid && last && !poison && gen_d && !clearing_q;
    wire logic good = good_all && past_stamp;

    // ---- Statistics -----------------------------------------------------------------------------

    // FROM <= t < TO, modulo 2^32
    wire logic [31:0] stamp_from = stamp_q - from_q, stamp_to = stamp_q - to_q;
    wire logic [31:0] end_from = end_q - from_q, end_to = end_q - to_q;
    wire logic unused = ^{stamp_from[30:0], stamp_to[30:0], end_from[30:0], end_to[30:0]};
    wire logic stamp_in = !stamp_from[31] && stamp_to[31];
    wire logic end_in = !end_from[31] && end_to[31];

    // Bin: the highest four bits that are not 0, and how far they are shifted. First the nibble
    // (with the three bits below it), then within it.
    logic [2:0] nibble;
    logic [6:0] high;
    logic [7:0] hit;
    always_comb begin
        nibble = '0;
        for (int i = 1; i < 8; i++)
            if (lifetime_q[4*i +: 4] != 0)
                nibble = 3'(i);
        high = nibble == 0 ? {lifetime_q[3:0], 3'b0} : lifetime_q[{nibble, 2'b0} - 5'd3 +: 7];
        // high[6] set: lifetime >> (4 nibble) is 8 to 15, that is shift = 4 nibble of 8 to 15
        if (nibble == 0)
            hit = {4'b0, lifetime_q[3:0]};
        else if (high[6])
            hit = {{nibble, 2'b00} + 5'd1, high[5:3]};
        else if (high[5])
            hit = {{nibble, 2'b00}, high[4:2]};
        else if (high[4])
            hit = {{nibble, 2'b00} - 5'd1, high[3:1]};
        else
            hit = {{nibble, 2'b00} - 5'd2, high[2:0]};
    end

    // Histogram in block RAM: one write port, one read port to count and one for the register
    logic [31:0] hist [0:255];
    logic [31:0] read_count_q, read_bin_q;
    wire logic        hist_we = clearing_q || stage4_q;
    wire logic [7:0]  hist_adr = clearing_q ? clear_q : hit_q;
    wire logic [31:0] hist_d = clearing_q ? '0 : read_count_q + 32'd1;
    always_ff @(posedge clk) begin
        if (hist_we)
            hist[hist_adr] <= hist_d;
        read_count_q <= hist[hit_q];
        read_bin_q <= hist[bin_q];
    end

    // ---- Registers ------------------------------------------------------------------------------

    wire logic [31:0] adr = {20'b0, reg_adr};
    always_comb begin
        case (adr)
            `OFR_CHECK_CONTROL:   reg_rdat = {31'b0, window_q};
            `OFR_CHECK_FROM:      reg_rdat = from_q;
            `OFR_CHECK_TO:        reg_rdat = to_q;
            `OFR_CHECK_RECEIVED:  reg_rdat = received_q;
            `OFR_CHECK_ARRIVED:   reg_rdat = arrived_q;
            `OFR_CHECK_ERRORS:    reg_rdat = errors_q;
            `OFR_CHECK_COUNT:     reg_rdat = count_q;
            `OFR_CHECK_SUM_LOW:   reg_rdat = sum_q[31:0];
            `OFR_CHECK_SUM_HIGH:  reg_rdat = {16'b0, sum_q[47:32]};
            `OFR_CHECK_MAX:       reg_rdat = max_q;
            `OFR_CHECK_BIN:       reg_rdat = {24'b0, bin_q};
            `OFR_CHECK_BIN_COUNT: reg_rdat = clearing_q ? '0 : read_bin_q;
            default:              reg_rdat = '0;
        endcase
    end

    always_ff @(posedge clk) begin
        if (valid) begin
            index_q <= last ? 3'd0 : past_stamp ? index_q : index_q + 3'd1;
            good_q <= good_all;
            gen_q <= gen_d;
            payload_q <= payload_d;
            stamp_q <= stamp_d;
            end_q <= now;
        end
        received_q <= received_q + {31'b0, ends && good};
        errors_q <= errors_q + {31'b0, ends && !good};
        stage1_q <= ends && good;

        stage2_q <= stage1_q;
        if (stage1_q) begin
            lifetime_q <= end_q - stamp_q;
            in_window_q <= !window_q || stamp_in;
            arrived_q <= arrived_q + {31'b0, end_in};
        end

        stage3_q <= stage2_q && in_window_q;
        if (stage2_q && in_window_q) begin
            count_q <= count_q + 32'd1;
            sum_q <= sum_q + {16'b0, lifetime_q};
            if (lifetime_q > max_q)
                max_q <= lifetime_q;
            hit_q <= hit;
        end
        stage4_q <= stage3_q;

        clear_q <= clear_q + {7'b0, clearing_q};
        if (&clear_q)
            clearing_q <= 1'b0;

        if (reg_re && adr == `OFR_CHECK_BIN_COUNT)
            bin_q <= bin_q + 8'd1;
        if (reg_we) begin
            case (adr)
                `OFR_CHECK_CONTROL: window_q <= reg_wdat[`OFR_CHECK_CONTROL_WINDOW_LSB];
                `OFR_CHECK_FROM:    from_q <= reg_wdat;
                `OFR_CHECK_TO:      to_q <= reg_wdat;
                `OFR_CHECK_BIN:     bin_q <= reg_wdat[7:0];
                default: ;
            endcase
        end

        if (rst || (reg_we && adr == `OFR_CHECK_CONTROL)) begin
            received_q <= '0;
            arrived_q <= '0;
            errors_q <= '0;
            count_q <= '0;
            sum_q <= '0;
            max_q <= '0;
            stage1_q <= 1'b0;
            stage2_q <= 1'b0;
            stage3_q <= 1'b0;
            stage4_q <= 1'b0;
            clearing_q <= 1'b1;
            clear_q <= '0;
        end
        if (rst) begin
            window_q <= 1'b0;
            from_q <= '0;
            to_q <= '0;
            bin_q <= '0;
            index_q <= '0;
        end
    end
endmodule
`default_nettype wire
