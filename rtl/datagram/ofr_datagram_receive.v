// SPDX-License-Identifier: Apache-2.0
// The receiving side: takes what is delivered to this node, always. A datagram that is whole and
// good, and had room, is kept for the consumer; then it goes, a flit a cycle. Same as take_flit()
// and show() in sim/model/datagram.c.
`include "ofr_defs.vh"
`default_nettype none

module ofr_datagram_receive #(
    parameter int W    = 32,  // flit width in bits, 16, 32 or 64
    parameter int L    = 128, // largest packet in flits, a power of two
    parameter int ROOM = 4    // packets, 2, 4 or 8
) (
    input  wire logic           clk,
    input  wire logic           rst,
    // The user's logic
    output logic                m_tvalid,
    input  wire logic           m_tready,
    output logic [W-1:0]        m_tdata,
    output logic [W/8-1:0]      m_tkeep,
    output logic                m_tlast,
    output logic [11:0]         m_tid,
    output logic [3:0]          m_tdest,
    // The local port
    input  wire logic           rx_valid,
    input  wire logic [W-1:0]   rx_data,
    input  wire logic           rx_last,
    input  wire logic           rx_poison,
    // Events: a datagram has come and is kept; had no room; was spoiled. And header word SEQ
    output logic                kept,
    output logic                no_room,
    output logic                spoiled,
    output logic [15:0]         word
);
    localparam int LB = $clog2(L);
    localparam int RB = $clog2(ROOM);
    localparam int HEAD = 64 / W;      // flits of the header
    localparam int BB = $clog2(W / 8); // bits of a byte's place in a flit
    localparam int SOURCE = `OFR_PKT_SRC_X_LSB / W; // flits with these
    localparam int SEQ = `OFR_PKT_SEQ_LSB / W;

    // ---- What comes: room is found, or not, as a packet's second flit comes ---------------------

    logic [LB:0]   index_q; // of the flit that comes, up to L
    logic          drop_q;
    logic [RB:0]   used_q;  // packets that are kept
    logic [RB-1:0] write_q, read_q;
    logic [11:0]   source_q;
    logic [3:0]    kind_q;
    logic [15:0]   word_q;
    // A cycle behind the tail, when all fields stand
    logic          ended_q, poison_q;
    logic [LB:0]   tail_q;  // its index

    wire logic full = used_q[RB];
    wire logic drop = index_q == (LB + 1)'(1) ? full : drop_q;
    always_ff @(posedge clk) begin
        ended_q <= rx_valid && rx_last;
        poison_q <= rx_poison;
        tail_q <= index_q;
        if (rx_valid) begin
            drop_q <= drop;
            if (rx_last)
                index_q <= '0;
            else if (!index_q[LB])
                index_q <= index_q + (LB + 1)'(1);
            if (index_q == 0)
                kind_q <= 4'(`OFR_PKT_KIND_USER);
            if (index_q == (LB + 1)'(SOURCE)) begin
                source_q <= rx_data[`OFR_PKT_SRC_X_LSB % W +: 12];
                kind_q <= rx_data[`OFR_PKT_KIND_LSB % W +: 4];
            end
            if (index_q == (LB + 1)'(SEQ))
                word_q <= rx_data[`OFR_PKT_SEQ_LSB % W +: 16];
        end
        if (rst)
            {index_q, ended_q, word_q} <= '0;
    end
    assign word = word_q;

    // Where its last byte is, by its header
    wire logic [11:0]   length = word_q[`OFR_DATAGRAM_HEAD_LENGTH_LSB +: 12];
    wire logic          empty = length == 0;
    wire logic [11:0]   last_byte = empty ? '0 : length - 12'd1;
    wire logic [12:0]   last_at = (13'(last_byte) >> BB) + 13'(HEAD);
    wire logic [12:0]   last_flit = empty || last_at < 13'd3 ? 13'd3 : last_at;
    wire logic          fits = !tail_q[LB] && 13'(tail_q) == last_flit;
    wire logic          ours = ended_q && kind_q == 4'(`OFR_PKT_KIND_DATAGRAM);
    wire logic          good = fits && !poison_q;
    assign kept = ours && good && !drop_q;
    assign no_room = ours && good && drop_q;
    assign spoiled = ours && !good;

    // ---- What is kept ---------------------------------------------------------------------------

    // Of what is written in the cycle in which it is read nothing is used
    (* no_rw_check *) logic [W-1:0] mem [0:ROOM*L-1];
    logic [W-1:0] mem_q;
    logic [LB+BB+16:0] fields [0:ROOM-1]; // source, end, where its last byte is, empty
    wire logic [LB+BB+16:0] fields_d = {source_q, word_q[`OFR_DATAGRAM_HEAD_END_LSB +: 4],
        last_at[LB-1:0], last_byte[BB-1:0], empty};
    wire logic mem_we = rx_valid && index_q >= (LB + 1)'(HEAD) && !index_q[LB] && !drop;
    wire logic [RB+LB-1:0] mem_at = {write_q, index_q[LB-1:0]};

    // ---- To the consumer: RAM, its output, the register at the port -----------------------------

    logic          got_q, got_last_q, got_empty_q, valid_q, last_q;
    logic [11:0]   got_source_q, source_out_q;
    logic [3:0]    got_end_q, end_out_q;
    logic [BB-1:0] got_byte_q;
    logic [LB-1:0] at_q;
    logic [W-1:0]  data_q;
    logic [W/8-1:0] keep, keep_q;

    wire logic [LB+BB+16:0] row = fields[read_q];
    wire logic [LB-1:0] row_last = row[BB+1 +: LB];
    wire logic moves = !valid_q || m_tready;
    wire logic reads = used_q != 0 && (!got_q || moves);
    wire logic ends = reads && at_q == row_last;
    wire logic [RB+LB-1:0] mem_row = {read_q, at_q};
    always_comb
        for (int i = 0; i < W / 8; i++)
            keep[i] = !got_last_q || (!got_empty_q && got_byte_q >= BB'(i));

    always_ff @(posedge clk) begin
        if (mem_we)
            mem[mem_at] <= rx_data;
        if (reads)
            mem_q <= mem[mem_row];
        if (kept)
            fields[write_q] <= fields_d;
    end
    always_ff @(posedge clk) begin
        if (kept)
            write_q <= write_q + RB'(1);
        if (reads) begin
            got_last_q <= ends;
            {got_source_q, got_end_q} <= row[LB+BB+1 +: 16];
            got_byte_q <= row[BB:1];
            got_empty_q <= row[0];
            at_q <= ends ? LB'(HEAD) : at_q + LB'(1);
        end
        if (ends)
            read_q <= read_q + RB'(1);
        if (kept != ends)
            used_q <= used_q + {{RB{ends}}, 1'b1};
        if (reads || moves)
            got_q <= reads;
        if (moves) begin
            valid_q <= got_q;
            data_q <= mem_q;
            if (got_empty_q) // its flit may never have been written
                data_q <= '0;
            keep_q <= keep;
            last_q <= got_last_q;
            source_out_q <= got_source_q;
            end_out_q <= got_end_q;
        end
        if (rst) begin
            {used_q, write_q, read_q, got_q, valid_q} <= '0;
            at_q <= LB'(HEAD);
        end
    end
    assign m_tvalid = valid_q;
    assign m_tdata = data_q;
    assign m_tkeep = keep_q;
    assign m_tlast = last_q;
    assign m_tid = source_out_q;
    assign m_tdest = end_out_q;
endmodule
`default_nettype wire
