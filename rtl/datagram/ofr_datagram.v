// SPDX-License-Identifier: Apache-2.0
// Datagrams: an AXI4-Stream port pair, what goes in here before a TLAST is a packet to a node, of
// any class, in no order, and dropped and counted where there is no room. Registers: block
// DATAGRAM. Same as sim/model/datagram.c, every pin every cycle. See README.md.
`include "ofr_defs.vh"
`default_nettype none

module ofr_datagram #(
    parameter int N    = 2,   // dimensions, 2 or 3
    parameter int W    = 32,  // flit width in bits, 16, 32 or 64
    parameter int L    = 128, // largest packet in flits, a power of two, 8 to 256; 32 bytes or more
    parameter int ROOM = 4    // packets received ahead of the consumer, 2, 4 or 8
) (
    input  wire logic           clk,
    input  wire logic           rst,
    input  wire logic [4*N-1:0] me,   // coordinates, x lowest
    input  wire logic [5*N-1:0] size, // of the torus
    // Registers are read only: what is at this address, 0 where that is not DATAGRAM's
    input  wire logic [11:0]    reg_adr,
    output logic [31:0]         reg_rdat,
    // From the user's logic. TDEST, TUSER count in a datagram's first beat, TKEEP in its last
    input  wire logic           s_axis_tvalid,
    output logic                s_axis_tready,
    input  wire logic [W-1:0]   s_axis_tdata,
    input  wire logic [W/8-1:0] s_axis_tkeep,
    input  wire logic           s_axis_tlast,
    input  wire logic [15:0]    s_axis_tdest, // node, 12 bits as in a packet's header; end
    input  wire logic [1:0]     s_axis_tuser, // class, as there
    // To the user's logic
    output logic                m_axis_tvalid,
    input  wire logic           m_axis_tready,
    output logic [W-1:0]        m_axis_tdata,
    output logic [W/8-1:0]      m_axis_tkeep,
    output logic                m_axis_tlast,
    output logic [11:0]         m_axis_tid,   // node that sent it
    output logic [3:0]          m_axis_tdest, // end that it is for
    // To the local port; its local VC goes by the class in its header. A packet's flits follow each
    // other, one in every cycle in which they are taken
    output logic                tx_valid,
    input  wire logic           tx_ready,
    output logic [W-1:0]        tx_data,
    output logic                tx_last,
    // In any cycle in which a flit of the packet is there: the local port has found that there is
    // no way to its node, and has it thrown away
    input  wire logic           tx_unreachable,
    // What is delivered to this node, of which it takes KIND DATAGRAM; always taken
    input  wire logic           rx_valid,
    input  wire logic [W-1:0]   rx_data,
    input  wire logic           rx_last,
    input  wire logic           rx_poison
);
    generate
        if ((N != 2 && N != 3) || (W != 16 && W != 32 && W != 64) || L * W < 256 || L < 8 || L > 256
            || (L & (L - 1)) != 0 || (ROOM != 2 && ROOM != 4 && ROOM != 8))
            ofr_datagram_parameters_out_of_range bad ();
    endgenerate

    logic        sent, lost, swallowed, kept, no_room, spoiled;
    logic [2:0]  why, reason_q;
    logic [15:0] word;
    logic [31:0] sent_q, received_q, no_room_q, spoiled_q, illegal_q;
    ofr_datagram_send #(.N(N), .W(W), .L(L)) send (
        .clk, .rst, .me, .size, .s_tvalid(s_axis_tvalid), .s_tready(s_axis_tready),
        .s_tdata(s_axis_tdata), .s_tkeep(s_axis_tkeep), .s_tlast(s_axis_tlast),
        .s_tdest(s_axis_tdest), .s_tuser(s_axis_tuser), .tx_valid, .tx_ready, .tx_data, .tx_last,
        .tx_unreachable, .sent, .lost, .swallowed, .why
    );
    ofr_datagram_receive #(.W(W), .L(L), .ROOM(ROOM)) receive (
        .clk, .rst, .m_tvalid(m_axis_tvalid), .m_tready(m_axis_tready), .m_tdata(m_axis_tdata),
        .m_tkeep(m_axis_tkeep), .m_tlast(m_axis_tlast), .m_tid(m_axis_tid), .m_tdest(m_axis_tdest),
        .rx_valid, .rx_data, .rx_last, .rx_poison, .kept, .no_room, .spoiled, .word
    );

    wire logic [31:0] adr = {20'b0, reg_adr};
    always_comb
        case (adr)
            `OFR_DATAGRAM_SENT:     reg_rdat = sent_q;
            `OFR_DATAGRAM_RECEIVED: reg_rdat = received_q;
            `OFR_DATAGRAM_NO_ROOM:  reg_rdat = no_room_q;
            `OFR_DATAGRAM_SPOILED:  reg_rdat = spoiled_q;
            `OFR_DATAGRAM_ILLEGAL:  reg_rdat = illegal_q;
            `OFR_DATAGRAM_REASON:   reg_rdat = {29'b0, reason_q};
            `OFR_DATAGRAM_HEAD:     reg_rdat = {16'b0, word};
            `OFR_DATAGRAM_SHAPE:    reg_rdat = ROOM;
            default:                reg_rdat = '0;
        endcase

    always_ff @(posedge clk) begin
        if (sent)
            sent_q <= sent_q + 32'd1;
        if (kept)
            received_q <= received_q + 32'd1;
        if (no_room)
            no_room_q <= no_room_q + 32'd1;
        if (spoiled)
            spoiled_q <= spoiled_q + 32'd1;
        illegal_q <= illegal_q + {30'b0, lost && swallowed, lost != swallowed};
        if (swallowed)
            reason_q <= why;
        if (lost) // of two in one cycle this one's
            reason_q <= 3'(`OFR_DATAGRAM_REASON_UNREACHABLE);
        if (rst) begin
            {sent_q, received_q, no_room_q, spoiled_q, illegal_q} <= '0;
            reason_q <= 3'(`OFR_DATAGRAM_REASON_NONE);
        end
    end
endmodule
`default_nettype wire
