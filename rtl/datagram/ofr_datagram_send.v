// SPDX-License-Identifier: Apache-2.0
// The sending side: gathers one datagram, whole, and sends it while the next one is gathered. One
// that cannot be sent is swallowed to its TLAST. Same as gather() and send() in
// sim/model/datagram.c.
`include "ofr_defs.vh"
`default_nettype none

module ofr_datagram_send #(
    parameter int N = 2,   // dimensions, 2 or 3
    parameter int W = 32,  // flit width in bits, 16, 32 or 64
    parameter int L = 128  // largest packet in flits, a power of two
) (
    input  wire logic           clk,
    input  wire logic           rst,
    input  wire logic [4*N-1:0] me,
    input  wire logic [5*N-1:0] size,
    // The user's logic
    input  wire logic           s_tvalid,
    output logic                s_tready,
    input  wire logic [W-1:0]   s_tdata,
    input  wire logic [W/8-1:0] s_tkeep,
    input  wire logic           s_tlast,
    input  wire logic [15:0]    s_tdest,
    input  wire logic [1:0]     s_tuser,
    // The local port
    output logic                tx_valid,
    input  wire logic           tx_ready,
    output logic [W-1:0]        tx_data,
    output logic                tx_last,
    input  wire logic           tx_unreachable,
    // Events: a packet's last flit is taken; dropped, as it had no way there; swallowed, and why
    output logic                sent,
    output logic                lost,
    output logic                swallowed,
    output logic [2:0]          why
);
    localparam int LB = $clog2(L);
    localparam int HEAD = 64 / W;          // flits of the header
    localparam int BB = $clog2(W / 8);     // bits of a byte's place in a flit
    localparam int MOST = L - HEAD;        // flits of payload

    // ---- Gathering ------------------------------------------------------------------------------

    logic          held_q;   // a whole one waits for the one before to leave
    logic          half_q;   // of the RAM, in which it is, or is gathered
    logic          inside_q; // a beat of the one under way has come
    logic [LB-1:0] count_q;  // flits of it, up to MOST
    logic [2:0]    why_q;    // not to be sent
    logic [15:0]   dest_q;   // end, node
    logic [1:0]    class_q;
    logic [LB-1:0] full_q;   // of what is held: flits without a gap, bytes behind them
    logic [BB-1:0] rest_q;

    wire logic take = s_tvalid && s_tready;
    assign s_tready = !held_q;

    logic [BB:0] bytes; // the lowest without a gap; all, but in the last beat
    always_comb begin
        bytes = '0;
        for (int i = W / 8 - 1; i >= 0; i--)
            bytes = s_tkeep[i] || !s_tlast ? bytes + (BB + 1)'(1) : '0;
    end

    logic outside;
    always_comb begin
        outside = N == 2 && s_tdest[11:8] != 0;
        for (int i = 0; i < N; i++)
            outside = outside || {1'b0, s_tdest[4*i +: 4]} >= size[5*i +: 5];
    end
    wire logic at_most = count_q == LB'(MOST);
    always_comb begin
        why = why_q;
        if (!inside_q)
            why = outside ? 3'(`OFR_DATAGRAM_REASON_NODE)
                : s_tuser == 2'(`OFR_PKT_CLASS_DIRECTED) ? 3'(`OFR_DATAGRAM_REASON_CLASS)
                : 3'(`OFR_DATAGRAM_REASON_NONE);
        if (why == 3'(`OFR_DATAGRAM_REASON_NONE) && at_most && bytes != 0)
            why = 3'(`OFR_DATAGRAM_REASON_LONG);
    end
    assign swallowed = take && s_tlast && why != 3'(`OFR_DATAGRAM_REASON_NONE);

    logic start; // the packet that is held begins to leave
    wire logic keep = take && !at_most;
    always_ff @(posedge clk) begin
        if (take) begin
            inside_q <= !s_tlast;
            count_q <= s_tlast ? '0 : count_q + LB'(keep);
            why_q <= why;
            if (!inside_q) begin
                dest_q <= s_tdest;
                class_q <= s_tuser;
            end
            full_q <= count_q + LB'(bytes[BB]);
            rest_q <= bytes[BB-1:0];
            held_q <= s_tlast && why == 3'(`OFR_DATAGRAM_REASON_NONE);
        end
        if (start) begin
            held_q <= 1'b0;
            half_q <= !half_q;
        end
        if (rst) begin
            {held_q, half_q, inside_q, count_q} <= '0;
            why_q <= '0;
        end
    end

    // ---- The packet: half a RAM gathered into, half a RAM sent from -----------------------------

    logic          busy_q;         // it is on its way to the register at the port
    logic [LB-1:0] step_q, at_q;   // its flits that got there; the payload's next one to be read
    logic [LB:0]   end_q;          // its flits, without those that make it four
    logic [11:0]   to_q;           // its node,
    logic [15:0]   word_q;         // ... and header word SEQ
    logic          valid_q, last_q, nowhere_q;
    logic [W-1:0]  data_q;

    wire logic moves = !valid_q || tx_ready;
    assign start = held_q && !busy_q && moves;
    wire logic go = start || (busy_q && moves);
    wire logic in_head = step_q < LB'(HEAD);
    wire logic [LB:0] after = {1'b0, step_q} + (LB + 1)'(1);
    wire logic ends = busy_q && moves && after >= end_q && step_q >= LB'(3);

    // Of what is written in the cycle in which it is read nothing is used
    (* no_rw_check *) logic [W-1:0] mem [0:2*L-1];
    logic [W-1:0] mem_q;
    wire logic reads = start || (busy_q && moves && !in_head);
    wire logic [LB:0] mem_at = {half_q, count_q};
    wire logic [LB:0] mem_row = {half_q ^ busy_q, at_q};
    always_ff @(posedge clk) begin
        if (keep)
            mem[mem_at] <= s_tdata;
        if (reads)
            mem_q <= mem[mem_row];
    end

    // Its first flit goes as it starts, from the registers of what is held
    wire logic [15:0] word = {dest_q[15:12], 12'({full_q, rest_q})};
    logic [63:0] head;
    always_comb begin
        head = '0;
        head[`OFR_PKT_TARGET_X_LSB +: 12] = dest_q[11:0];
        head[`OFR_PKT_CLASS_LSB +: 2] = class_q;
        head[`OFR_PKT_LEG_LSB] = 1'b1;
        head[`OFR_PKT_DEST_X_LSB +: 12] = busy_q ? to_q : dest_q[11:0];
        head[`OFR_PKT_SRC_X_LSB +: 12] = 12'(me);
        head[`OFR_PKT_KIND_LSB +: 4] = 4'(`OFR_PKT_KIND_DATAGRAM);
        head[`OFR_PKT_SEQ_LSB +: 16] = busy_q ? word_q : word;
    end
    logic [W-1:0] flit;
    always_comb begin
        flit = mem_q;
        for (int i = 0; i < HEAD; i++)
            if (step_q == LB'(i))
                flit = head[W*i +: W];
    end

    assign sent = valid_q && tx_ready && last_q && !(nowhere_q || tx_unreachable);
    assign lost = valid_q && tx_ready && last_q && (nowhere_q || tx_unreachable);
    always_ff @(posedge clk) begin
        if (valid_q)
            nowhere_q <= !(tx_ready && last_q) && (nowhere_q || tx_unreachable);
        if (moves) begin
            valid_q <= go;
            last_q <= ends;
            data_q <= flit;
            if (busy_q && {1'b0, step_q} >= end_q) // one of those that make it four
                data_q <= '0;
        end
        if (reads)
            at_q <= at_q + LB'(1);
        if (go)
            step_q <= step_q + LB'(1);
        if (start) begin
            busy_q <= 1'b1;
            to_q <= dest_q[11:0];
            word_q <= word;
            end_q <= (LB + 1)'(HEAD) + {1'b0, full_q} + (LB + 1)'(rest_q != 0);
        end
        if (ends) begin
            busy_q <= 1'b0;
            {step_q, at_q} <= '0;
        end
        if (rst)
            {busy_q, step_q, at_q, valid_q, nowhere_q} <= '0;
    end
    assign tx_valid = valid_q;
    assign tx_data = data_q;
    assign tx_last = last_q;
endmodule
`default_nettype wire
