// SPDX-License-Identifier: Apache-2.0
// Takes what is delivered to this node, always: the fields of a channel packet's headers, its
// payload on to the end it is for. From a cycle behind its last flit a packet's fields stand, for
// two cycles at least. Same as take_flit() in sim/model/channel.c.
`include "ofr_defs.vh"
`default_nettype none

module ofr_channel_receive #(
    parameter int W = 32, // flit width in bits, 16, 32 or 64
    parameter int L = 128 // largest packet in flits, a power of two
) (
    input  wire logic                 clk,
    input  wire logic                 rst,
    input  wire logic                 rx_valid,
    input  wire logic [W-1:0]         rx_data,
    input  wire logic                 rx_last,
    input  wire logic                 rx_poison,
    // A payload flit, in the cycle in which it comes
    output logic                      flit,
    output logic [$clog2(L)-1:0]      flit_at,
    output logic [(W == 64 ? 3 : 2):0] flit_code, // 0, or of the last one: CODE
    // A packet has come
    output logic                      spoiled, // poisoned, or of a length that cannot be; a cycle
    output logic                      come,    // its last flit comes, good, and of KIND CHANNEL
    output logic [$clog2(L)-1:0]      last_at, // index of its last payload flit
    // Its fields, from the first payload flit on
    output logic [11:0]               source,
    output logic [7:0]                seq,
    output logic [31:0]               head,
    output logic [3:0]                to_now, // its TO, as it comes
    output logic [31:0]               word // the first 32 bits of payload
);
    localparam int LB = $clog2(L);
    localparam int HEAD = W == 16 ? 6 : 3; // flits of the headers
    localparam int PER = 64 / W;           // flits of the packet header

    logic [LB:0]   index_q; // of payload flits; the headers' have -HEAD to -1. Ends behind L
    logic          spoiled_q;
    logic [LB-1:0] last_at_q;
    logic [11:0]   source_q;
    logic [3:0]    kind_q;
    logic [7:0]    seq_q;
    logic [31:0]   head_q, word_q;

    wire logic channel = kind_q == 4'(`OFR_PKT_KIND_CHANNEL);
    wire logic beyond = index_q == (LB + 1)'(L - HEAD); // one flit too many, or more
    wire logic in_payload = !index_q[LB] && !beyond;
    assign flit = rx_valid && in_payload;
    assign flit_at = index_q[LB-1:0];
    assign flit_code = rx_last
        ? head_q[`OFR_CHANNEL_HEAD_CODE_LSB +: (W == 64 ? 4 : 3)] : '0;

    wire logic good = in_payload && !rx_poison;
    always_ff @(posedge clk) begin
        spoiled_q <= rx_valid && rx_last && !good;
        if (rx_valid) begin
            if (rx_last && good)
                last_at_q <= flit_at;
            if (rx_last)
                index_q <= (LB + 1)'(0 - HEAD);
            else if (!beyond)
                index_q <= index_q + (LB + 1)'(1);
        end
        if (rst) begin
            index_q <= (LB + 1)'(0 - HEAD);
            spoiled_q <= '0;
        end
    end

    // At W = 64 they are in the first flit, which can follow a tail at once
    logic [63:0] first;
    generate
        if (W == 64) begin : g_first
            logic [63:0] first_q;
            always_ff @(posedge clk)
                if (rx_valid)
                    first_q <= rx_data;
            assign first = first_q;
        end else begin : g_now
            assign first = 64'(rx_data);
        end
    endgenerate
    localparam int LATE = W == 64 ? 1 : 0;
    always_ff @(posedge clk)
        if (rx_valid) begin
            if (index_q == (LB + 1)'(`OFR_PKT_SRC_X_LSB / W + LATE - HEAD)) begin
                source_q <= first[`OFR_PKT_SRC_X_LSB % W +: 12];
                kind_q <= first[`OFR_PKT_KIND_LSB % W +: 4];
            end
            if (index_q == (LB + 1)'(`OFR_PKT_SEQ_LSB / W + LATE - HEAD))
                seq_q <= first[`OFR_PKT_SEQ_LSB % W +: 8];
        end

    generate
        if (W == 16) begin : g_halves
            always_ff @(posedge clk) begin
                if (rx_valid && index_q == (LB + 1)'(PER - HEAD))
                    head_q[15:0] <= rx_data;
                if (rx_valid && index_q == (LB + 1)'(PER + 1 - HEAD))
                    head_q[31:16] <= rx_data;
                if (rx_valid && index_q == (LB + 1)'(HEAD - HEAD))
                    word_q[15:0] <= rx_data;
                if (rx_valid && index_q == (LB + 1)'(HEAD + 1 - HEAD))
                    word_q[31:16] <= rx_data;
                if (rst)
                    {head_q, word_q} <= '0;
            end
        end else begin : g_whole
            always_ff @(posedge clk) begin
                if (rx_valid && index_q == (LB + 1)'(PER - HEAD))
                    head_q <= rx_data[31:0];
                if (rx_valid && index_q == (LB + 1)'(HEAD - HEAD))
                    word_q <= rx_data[31:0];
                if (rst)
                    {head_q, word_q} <= '0;
            end
        end
    endgenerate

    wire logic unused = ^{rx_data, first}; // W = 64 has bits of no use in headers
    assign spoiled = spoiled_q;
    assign come = rx_valid && rx_last && good && channel;
    assign last_at = last_at_q;
    assign source = source_q;
    assign seq = seq_q;
    assign head = head_q;
    assign word = word_q;
    assign to_now = index_q == (LB + 1)'(PER - HEAD) ? rx_data[`OFR_CHANNEL_HEAD_TO_LSB +: 4]
        : head_q[`OFR_CHANNEL_HEAD_TO_LSB +: 4];
endmodule
`default_nettype wire
