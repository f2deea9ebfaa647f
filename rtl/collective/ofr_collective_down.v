// SPDX-License-Identifier: Apache-2.0
// What comes down the tree: from the parent, or at the root from what went up; to the member's
// m_axis and to its children. Same as go_down() in sim/model/collective.c.
`default_nettype none

module ofr_collective_down #(
    parameter int W        = 32, // flit width in bits, 16, 32 or 64
    parameter int CHILDREN = 4   // 1 to 4
) (
    input  wire logic                   clk,
    input  wire logic                   rst,
    // The operation
    input  wire logic                   start, // begins with the next cycle
    input  wire logic                   busy,
    input  wire logic [2:0]             op,
    input  wire logic [2:0]             how,
    input  wire logic [4:0]             number,
    input  wire logic                   root,
    input  wire logic [CHILDREN-1:0]    kids, // children that there are
    input  wire logic [12*CHILDREN-1:0] sizes,
    input  wire logic                   lost, // there is no parent any more, and none is the root
    input  wire logic                   leave,
    // What comes, without a broken beat
    input  wire logic                   d_tvalid,
    output logic                        d_tready,
    input  wire logic [W-1:0]           d_tdata,
    input  wire logic                   d_tlast,
    // To the children
    output logic [CHILDREN-1:0]         to_tvalid,
    input  wire logic [CHILDREN-1:0]    to_tready,
    output logic [W-1:0]                to_tdata,
    output logic                        to_tlast,
    // To the member
    output logic                        m_tvalid,
    input  wire logic                   m_tready,
    output logic [W-1:0]                m_tdata,
    output logic [W/8-1:0]              m_tkeep,
    output logic                        m_tlast,
    output logic [1:0]                  m_tuser,
    output logic                        over,  // the verdict has come
    output logic                        fails, // the member has left, and is to be told
    output logic [2:0]                  reason // of the last verdict that it got
);
    localparam int CB = CHILDREN > 1 ? $clog2(CHILDREN) : 1;
    localparam int E  = W == 64 ? 32 : 0; // where an end's fields are
    localparam logic [2:0] BROADCAST = 3'd1, SCATTER = 3'd2, GATHER = 3'd3, ALLREDUCE = 3'd5;
    localparam logic [2:0] LENGTH = 3'd1, MISMATCH = 3'd2, ABORTED = 3'd4, BROKEN = 3'd5;

    logic [CHILDREN-1:0] to_q;
    logic [W-1:0]        data_q, m_data_q;
    logic [W/8-1:0]      m_keep_q;
    logic                last_q, m_valid_q, m_last_q, over_q, cut_q, fails_q;
    logic [1:0]          m_user_q;
    logic [2:0]          reason_q;
    logic                self_q, served_q, extra_q; // whose parts come: the member's; nobody's
    logic [CB-1:0]       whose_q;
    logic [11:0]         left_q;

    // ---- What it is, and whose ------------------------------------------------------------------

    wire logic [9:0] d_fields = d_tdata[E+6 +: 10]; // but operation and type
    wire logic there = busy && !over_q && d_tvalid;
    wire logic verdict = lost || (d_tlast && !d_fields[3]);
    wire logic part = !verdict && d_tlast;
    wire logic scatters = op == SCATTER && !verdict;
    wire logic spreads = op == BROADCAST || op == ALLREDUCE;
    wire logic vector = root ? op[2] || op == GATHER : spreads; // is the member's, too
    logic keeps;
    always_comb
        if (cut_q)
            keeps = 1'b0;
        else if (verdict)
            keeps = 1'b1;
        else if (scatters)
            keeps = self_q;
        else if (part)
            keeps = root && op == GATHER;
        else
            keeps = vector;
    logic [CHILDREN-1:0] targets;
    always_comb
        for (int i = 0; i < CHILDREN; i++)
            if (scatters)
                targets[i] = !self_q && !served_q && whose_q == CB'(i);
            else
                targets[i] = kids[i] && (verdict || (spreads && !part));

    wire logic m_free = !m_valid_q || m_tready;
    wire logic goes = there && (to_q & ~to_tready) == '0 && (!keeps || (m_free && !fails_q));
    assign d_tready = goes;

    logic [2:0] why;
    always_comb
        if (lost)
            why = BROKEN;
        else if (d_fields[2:0] != 3'd0)
            why = d_fields[2:0];
        else if (!root && d_fields[9:5] != number)
            why = MISMATCH;
        else if (op == SCATTER && (!served_q || extra_q))
            why = LENGTH;
        else
            why = '0;
    wire logic odd = W == 64 && d_tlast && !lost && d_fields[4] && !(verdict && why != 3'd0);
    wire logic [31:0] word = odd ? 32'(d_tdata) : 32'b0;
    wire logic [15:0] fields = {number, odd, 1'b0, why, how, op};
    wire logic [W-1:0] data_d = verdict ? W'({16'b0, fields, word} >> (32 - E)) : d_tdata;
    wire logic tail = verdict || d_tlast;

    // ---- SCATTER: the parts are the member's own, then child by child ---------------------------

    logic [CB-1:0] next_kid;
    logic          has_next;
    logic [11:0]   size;
    always_comb begin
        next_kid = '0;
        has_next = 1'b0;
        size = '0;
        for (int i = CHILDREN - 1; i >= 0; i--)
            if (kids[i] && (self_q || CB'(i) > whose_q)) begin
                next_kid = CB'(i);
                has_next = 1'b1;
                size = sizes[12*i +: 12];
            end
    end
    always_ff @(posedge clk) begin
        if (goes && scatters && (part || served_q)) begin
            self_q <= 1'b0;
            left_q <= left_q - 12'd1;
            if (served_q)
                extra_q <= 1'b1;
            else if (self_q || left_q == 12'd1) begin
                served_q <= !has_next;
                whose_q <= next_kid;
                left_q <= size;
            end
        end
        if (start) begin
            self_q <= 1'b1;
            {served_q, extra_q} <= '0;
        end
    end

    // ---- Registers ------------------------------------------------------------------------------

    wire logic cuts = leave && busy && !over_q && !cut_q && !(goes && verdict);
    always_ff @(posedge clk) begin
        to_q <= to_q & ~to_tready;
        if (m_tready)
            m_valid_q <= 1'b0;
        if (goes) begin
            to_q <= targets;
            data_q <= data_d;
            last_q <= tail;
            over_q <= verdict;
            if (verdict && !cut_q)
                reason_q <= why;
        end
        if (goes && keeps) begin
            m_valid_q <= 1'b1;
            m_data_q <= data_d;
            m_keep_q <= !tail ? '1 : odd && (part || vector) ? (W/8)'(15) : '0;
            m_last_q <= tail;
            m_user_q <= {verdict, verdict && why != 3'd0};
        end
        if (fails_q && m_free) begin
            m_valid_q <= 1'b1;
            m_data_q <= W'({16'b0, number, 2'b0, ABORTED, how, op, 32'b0} >> (32 - E));
            m_keep_q <= '0;
            m_last_q <= 1'b1;
            m_user_q <= 2'b11;
            fails_q <= 1'b0;
        end
        if (cuts) begin
            cut_q <= 1'b1;
            fails_q <= 1'b1;
            reason_q <= ABORTED;
        end
        if (start)
            {over_q, cut_q} <= '0;
        if (rst) begin
            {to_q, m_valid_q, fails_q} <= '0;
            reason_q <= '0;
        end
    end
    assign to_tvalid = to_q;
    assign to_tdata = data_q;
    assign to_tlast = last_q;
    assign m_tvalid = m_valid_q;
    assign m_tdata = m_data_q;
    assign m_tkeep = m_keep_q;
    assign m_tlast = m_last_q;
    assign m_tuser = m_user_q;
    assign over = over_q;
    assign fails = fails_q;
    assign reason = reason_q;
endmodule
`default_nettype wire
