// SPDX-License-Identifier: Apache-2.0
// Collective operations of a group of nodes: barrier, broadcast, scatter, gather, reduce,
// all-reduce, over a tree of streams. A message of the user's logic in and one out is an operation.
// Same as sim/model/collective.c, every pin every cycle. See README.md.
`default_nettype none

module ofr_collective #(
    parameter int W        = 32, // flit width in bits, 16, 32 or 64
    parameter int CHILDREN = 4   // 1 to 4
) (
    input  wire logic                      clk,
    input  wire logic                      rst,
    // The member's place in its group; constant while busy
    input  wire logic                      has_parent, // is not the root
    input  wire logic [CHILDREN-1:0]       children,   // those that there are
    input  wire logic [12*CHILDREN-1:0]    sizes, // members in a child's subtree, itself included
    input  wire logic                      leave, // a cycle: leave the operation
    input  wire logic [CHILDREN:0]         drop,  // a cycle: take this stream for broken
    input  wire logic                      clear, // a cycle, not busy: none is broken any more
    output logic                           busy,
    output logic [2:0]                     reason, // of the last verdict; 0: good
    output logic [CHILDREN:0]              broken, // streams; the parent's is 0, as in all below
    output logic [CHILDREN:0]              waits,  // whose end has not come in this operation
    // The member's message
    input  wire logic                      s_axis_tvalid,
    output logic                           s_axis_tready,
    input  wire logic [W-1:0]              s_axis_tdata,
    input  wire logic [W/8-1:0]            s_axis_tkeep, // counts in the last beat
    input  wire logic                      s_axis_tlast,
    input  wire logic [6:0]                s_axis_tuser, // more, type, operation; constant in it
    // The result
    output logic                           m_axis_tvalid,
    input  wire logic                      m_axis_tready,
    output logic [W-1:0]                   m_axis_tdata,
    output logic [W/8-1:0]                 m_axis_tkeep,
    output logic                           m_axis_tlast,
    output logic [1:0]                     m_axis_tuser, // the verdict; it is bad
    // The m_axis of the streams' ends
    input  wire logic [CHILDREN:0]         from_tvalid,
    output logic [CHILDREN:0]              from_tready,
    input  wire logic [W*(CHILDREN+1)-1:0] from_tdata,
    input  wire logic [CHILDREN:0]         from_tlast,
    input  wire logic [CHILDREN:0]         from_tuser,
    // The s_axis of the streams' ends
    output logic [CHILDREN:0]              to_tvalid,
    input  wire logic [CHILDREN:0]         to_tready,
    output logic [W*(CHILDREN+1)-1:0]      to_tdata,
    output logic [W/8*(CHILDREN+1)-1:0]    to_tkeep, // all
    output logic [CHILDREN:0]              to_tlast
);
    localparam logic [2:0] BROADCAST = 3'd1, SCATTER = 3'd2, GATHER = 3'd3;

    generate
        if ((W != 16 && W != 32 && W != 64) || CHILDREN < 1 || CHILDREN > 4)
            ofr_collective_parameters_out_of_range bad ();
    endgenerate

    // ---- The operation --------------------------------------------------------------------------

    logic              busy_q;
    logic [2:0]        op_q, how_q;
    logic [4:0]        number_q;
    logic [CHILDREN:0] broken_q;
    logic              up_valid, up_last, up_done, own_over, over, fails;
    logic [W-1:0]      up_data;
    logic [CHILDREN-1:0] seen, to_children;

    wire logic root = !has_parent;
    wire logic [2:0] op = s_axis_tuser[2:0];
    wire logic more = s_axis_tuser[6];
    wire logic sends = (root && (op == BROADCAST || op == SCATTER)) || op == GATHER;
    wire logic illegal = op > 3'd5 || (more && !(root && op == SCATTER));
    wire logic start = !busy_q && s_axis_tvalid && !clear;
    wire logic [CHILDREN-1:0] open = children & ~seen & ~broken_q[CHILDREN:1];
    wire logic ends = up_done && open == '0 && own_over && over && !fails;
    wire logic [CHILDREN:0] breaks = from_tvalid & from_tuser;
    always_ff @(posedge clk) begin
        if (start) begin
            busy_q <= 1'b1;
            op_q <= op;
            how_q <= s_axis_tuser[5:3];
        end
        if (busy_q && ends) begin
            busy_q <= 1'b0;
            number_q <= number_q + 5'd1;
        end
        broken_q <= broken_q | breaks | drop;
        if (clear && !busy_q) begin
            broken_q <= breaks | drop;
            number_q <= '0;
        end
        if (rst)
            {busy_q, number_q, broken_q} <= '0;
    end
    assign busy = busy_q;
    assign broken = broken_q;
    assign waits = busy_q ? {open, has_parent && !over} : '0;

    // ---- Up and down ----------------------------------------------------------------------------

    wire logic [CHILDREN:0] there = from_tvalid & ~from_tuser;
    wire logic lost = has_parent && broken_q[0];
    logic [CHILDREN-1:0] child_ready;
    logic                down_ready, last;
    logic [W-1:0]        data;
    wire logic up_taken = root ? down_ready : to_tready[0];
    ofr_collective_up #(.W(W), .CHILDREN(CHILDREN)) up (
        .clk, .rst, .start, .sends, .illegal, .busy(busy_q), .op(op_q), .how(how_q),
        .number(number_q), .root, .kids(children), .broken(broken_q[CHILDREN:1]), .leave, .over,
        .reason, .s_tvalid(s_axis_tvalid), .s_tready(s_axis_tready), .s_tdata(s_axis_tdata),
        .s_tkeep(s_axis_tkeep), .s_tlast(s_axis_tlast), .s_more(root && op_q == SCATTER && more),
        .b_tvalid(there[CHILDREN:1]), .b_tready(child_ready),
        .b_tdata(from_tdata[W +: W*CHILDREN]), .b_tlast(from_tlast[CHILDREN:1]), .up_valid,
        .up_taken, .up_data, .up_last, .done(up_done), .own_over, .seen
    );
    ofr_collective_down #(.W(W), .CHILDREN(CHILDREN)) down (
        .clk, .rst, .start, .busy(busy_q), .op(op_q), .how(how_q), .number(number_q), .root,
        .kids(children), .sizes, .lost, .leave,
        .d_tvalid(root ? up_valid : there[0] || lost), .d_tready(down_ready),
        .d_tdata(root ? up_data : from_tdata[W-1:0]), .d_tlast(root ? up_last : from_tlast[0]),
        .to_tvalid(to_children), .to_tready(to_tready[CHILDREN:1]), .to_tdata(data),
        .to_tlast(last), .m_tvalid(m_axis_tvalid), .m_tready(m_axis_tready),
        .m_tdata(m_axis_tdata), .m_tkeep(m_axis_tkeep), .m_tlast(m_axis_tlast),
        .m_tuser(m_axis_tuser), .over, .fails, .reason
    );
    assign from_tready = {child_ready, down_ready && has_parent} | breaks | broken_q;
    assign to_tvalid = {to_children, up_valid && has_parent};
    assign to_tdata = {{CHILDREN{data}}, up_data};
    assign to_tkeep = '1;
    assign to_tlast = {{CHILDREN{last}}, up_last};
endmodule
`default_nettype wire
