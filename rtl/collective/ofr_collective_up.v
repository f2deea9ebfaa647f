// SPDX-License-Identifier: Apache-2.0
// What goes up the tree: the member's own vector and its children's, merged or one after the other,
// and their ends. Same as go_up() in sim/model/collective.c.
`default_nettype none

module ofr_collective_up #(
    parameter int W        = 32, // flit width in bits, 16, 32 or 64
    parameter int CHILDREN = 4   // 1 to 4
) (
    input  wire logic                  clk,
    input  wire logic                  rst,
    // The operation
    input  wire logic                  start,   // begins with the next cycle
    input  wire logic                  sends,   // ... with the member's own vector as it is
    input  wire logic                  illegal, // ... and has failed
    input  wire logic                  busy,
    input  wire logic [2:0]            op,
    input  wire logic [2:0]            how,
    input  wire logic [4:0]            number,
    input  wire logic                  root,
    input  wire logic [CHILDREN-1:0]   kids,   // children that there are
    input  wire logic [CHILDREN-1:0]   broken, // whose stream is
    input  wire logic                  leave,
    input  wire logic                  over,   // the verdict has come, for this reason
    input  wire logic [2:0]            reason,
    // The member's own
    input  wire logic                  s_tvalid,
    output logic                       s_tready,
    input  wire logic [W-1:0]          s_tdata,
    input  wire logic [W/8-1:0]        s_tkeep,
    input  wire logic                  s_tlast,
    input  wire logic                  s_more,
    // The children's, without broken beats
    input  wire logic [CHILDREN-1:0]   b_tvalid,
    output logic [CHILDREN-1:0]        b_tready,
    input  wire logic [W*CHILDREN-1:0] b_tdata,
    input  wire logic [CHILDREN-1:0]   b_tlast,
    // Up
    output logic                       up_valid,
    input  wire logic                  up_taken,
    output logic [W-1:0]               up_data,
    output logic                       up_last,
    output logic                       done,     // the end has been made
    output logic                       own_over, // the member's own last beat has been taken
    output logic [CHILDREN-1:0]        seen      // whose end has been taken
);
    localparam int CB = CHILDREN > 1 ? $clog2(CHILDREN) : 1;
    localparam int D  = W == 16 ? 32 : W; // whole words
    localparam int E  = W == 64 ? 32 : 0; // where an end's fields are
    localparam logic [2:0] BROADCAST = 3'd1, GATHER = 3'd3;
    localparam logic [2:0] LENGTH = 3'd1, MISMATCH = 3'd2, ILLEGAL = 3'd3, ABORTED = 3'd4,
        BROKEN = 3'd5;
    localparam logic [1:0] OWN = 2'd0, CHILD = 2'd1, MERGE = 2'd2, FLUSH = 2'd3;

    logic [1:0]    phase_q;
    logic [2:0]    err_q;
    logic          done_q, own_over_q, own_part_q;
    logic [CHILDREN-1:0] seen_q;
    logic [CB-1:0] cur_q; // child whose turn it is
    logic [3:0]    at_q, length_q; // words merged with this child's, in a burst; of all of it
    logic          ends_q, ends_odd_q; // the last of them is the end, at W = 64 with a word
    logic [3:0]    first_q; // of the beats on their way up,
    logic [4:0]    count_q; // ... 16 at most
    logic          high, due; // W = 16: second half of a word comes; is to go
    logic [15:0]   high_up;

    wire logic works = busy && !done_q && phase_q != FLUSH;
    wire logic free = !count_q[4];
    wire logic can = free && !due;
    wire logic merges = op[2];

    // ---- Children -------------------------------------------------------------------------------

    wire logic leaf = kids == '0;
    logic [CB-1:0] first_kid, next_kid;
    logic          has_next;
    always_comb begin
        first_kid = '0;
        next_kid = '0;
        has_next = 1'b0;
        for (int i = CHILDREN - 1; i >= 0; i--) begin
            if (kids[i])
                first_kid = CB'(i);
            if (kids[i] && CB'(i) > cur_q) begin
                next_kid = CB'(i);
                has_next = 1'b1;
            end
        end
    end
    wire logic first = cur_q == first_kid;
    wire logic last = !has_next;
    wire logic [CB-1:0] turn = has_next ? next_kid : first_kid;

    wire logic         b_there = b_tvalid[cur_q] && !leaf;
    wire logic         b_end = b_tlast[cur_q];
    wire logic [W-1:0] b = b_tdata[W*cur_q +: W];
    wire logic [15:0]  b_fields = b[E +: 16];
    wire logic [2:0]   b_reason = b_fields[8:6];
    wire logic         b_part = b_fields[9];
    wire logic         b_odd = W == 64 && b_fields[10];

    // An error is seen before its turn comes, once it is next in its stream
    logic [2:0] look;
    always_comb begin
        look = '0;
        for (int i = CHILDREN - 1; i >= 0; i--)
            if (kids[i] && !seen_q[i] && b_tvalid[i] && b_tlast[i]
                && b_tdata[W*i+E+6 +: 3] != 3'd0)
                look = b_tdata[W*i+E+6 +: 3];
    end

    // ---- The member's own -----------------------------------------------------------------------

    wire logic s_there = s_tvalid && !own_over_q;
    wire logic s_end = s_there && s_tlast;
    wire logic full = &s_tkeep;
    wire logic none = s_tkeep == '0;
    wire logic half = W == 64 && s_tkeep == (W/8)'(15);
    wire logic own_data = s_there && (!s_tlast || full);
    wire logic own_end = own_over_q || (s_end && (half || none));
    wire logic own_odd = s_end && half;
    wire logic own_bad = s_end && !full && !half && !none;

    // ---- As it is -------------------------------------------------------------------------------

    wire logic in_own = works && phase_q == OWN;
    wire logic casts = op == BROADCAST;
    wire logic put_part = in_own && own_part_q && can; // the end of what has gone
    wire logic put_end = in_own && !own_part_q && own_end && !casts && can;
    wire logic put_data = in_own && !own_part_q && own_data && can;
    wire logic own_goes = (put_part && own_over_q) || (put_end && !s_more)
        || (in_own && !own_part_q && casts && (own_end || (put_data && s_tlast)));

    wire logic in_child = works && phase_q == CHILD && b_there;
    wire logic child_goes = in_child && b_end && !b_part;
    wire logic put_child = in_child && !child_goes && can;

    // ---- Merged ---------------------------------------------------------------------------------

    wire logic in_merge = works && phase_q == MERGE;
    wire logic is_end = first ? own_end : ends_q && at_q == length_q;
    wire logic odd = first ? own_odd : is_end && ends_odd_q;
    wire logic there = (leaf || b_there) && (!first || own_end || own_data);
    logic [2:0] wrong;
    always_comb
        if (first && own_bad)
            wrong = ILLEGAL;
        else if (first && !merges && (own_data || (own_odd && !(root && casts))))
            wrong = LENGTH;
        else if (first && own_end && high)
            wrong = LENGTH;
        else if (b_there && b_end && b_reason != 3'd0)
            wrong = b_reason;
        else if (!there || leaf)
            wrong = '0;
        else if (b_end != is_end)
            wrong = merges ? LENGTH : MISMATCH;
        else if (is_end && (b_fields[5:0] != {how, op} || b_fields[15:11] != number || b_part))
            wrong = MISMATCH;
        else if (is_end && b_odd != (odd && merges))
            wrong = LENGTH;
        else
            wrong = '0;
    wire logic low = W == 16 && !is_end && !high;
    wire logic step = in_merge && wrong == 3'd0 && there && (low || !last || can);
    wire logic whole = step && !low;
    wire logic put_merged = whole && last;

    (* no_rw_check *) logic [D-1:0] acc [0:15];
    wire logic [D-1:0] partial = acc[at_q];
    logic [D-1:0] a, c, r;
    always_ff @(posedge clk)
        if (whole && !last)
            acc[at_q] <= r;
    generate
        if (W == 16) begin : g_halves
            logic        high_q, due_q;
            logic [15:0] low_own_q, low_child_q, high_up_q;
            assign a = first ? {s_tdata, low_own_q} : partial;
            assign c = {b, low_child_q};
            always_ff @(posedge clk) begin
                if (step) begin
                    high_q <= low;
                    low_own_q <= s_tdata;
                    low_child_q <= b;
                end
                if (start)
                    high_q <= 1'b0;
                if (free)
                    due_q <= 1'b0;
                if (put_merged && !is_end) begin
                    due_q <= 1'b1;
                    high_up_q <= r[31:16];
                end
                if (rst)
                    {high_q, due_q} <= '0;
            end
            assign {high, due, high_up} = {high_q, due_q, high_up_q};
        end else begin : g_words
            assign a = first ? s_tdata : partial;
            assign c = b;
            assign {high, due, high_up} = '0;
        end
    endgenerate
    wire logic [1:0] which = phase_q == CHILD ? 2'd2
        : phase_q == OWN || leaf || !merges ? 2'd1 : 2'd0;
    generate
        for (genvar i = 0; i < D / 32; i++) begin : g_word
            ofr_collective_word word (
                .which, .how, .a(a[32*i +: 32]), .b(c[32*i +: 32]), .r(r[32*i +: 32])
            );
        end
    endgenerate

    // ---- Up -------------------------------------------------------------------------------------

    wire logic put_err = busy && phase_q == FLUSH && !done_q && can;
    wire logic make_end = put_part || put_end || put_err || (put_merged && is_end);
    wire logic end_odd = (put_end && own_odd) || (put_merged && odd);
    wire logic [15:0] fields = {number, end_odd, phase_q == OWN,
        phase_q == FLUSH ? err_q : 3'd0, how, op};
    wire logic [W-1:0] as_it_is = W == 16 ? (phase_q == CHILD ? b : s_tdata) : r[W-1:0];
    logic [W-1:0] data_d;
    always_comb
        if (make_end) begin
            data_d = W'({16'b0, fields, end_odd ? r[31:0] : 32'b0} >> (32 - E));
        end else if (W == 16 && due)
            data_d = W'(high_up);
        else
            data_d = in_merge ? r[W-1:0] : as_it_is;
    wire logic put = put_part || put_end || put_data || put_child || put_merged || put_err
        || (due && free);

    wire logic take = put_end || put_data || (step && first) || (phase_q == FLUSH && busy);
    assign s_tready = take && !own_over_q;
    always_comb
        for (int i = 0; i < CHILDREN; i++)
            b_tready[i] = ((put_child || step) && cur_q == CB'(i) && !leaf)
                || (busy && phase_q == FLUSH && kids[i] && !seen_q[i]);

    logic [2:0] fails;
    always_comb
        if (leave)
            fails = ABORTED;
        else if ((kids & broken) != '0)
            fails = BROKEN;
        else if (over)
            fails = reason != 3'd0 ? reason : MISMATCH;
        else if (look != 3'd0)
            fails = look;
        else if (in_own && !own_part_q && own_bad)
            fails = ILLEGAL;
        else
            fails = in_merge ? wrong : 3'd0;

    // Beats on their way up: a burst comes at once, and at the root goes to several children
    (* no_rw_check *) logic [W:0] queue [0:15];
    wire logic       takes = up_taken && up_valid;
    wire logic [3:0] place = first_q + count_q[3:0];
    always_ff @(posedge clk) begin
        if (put)
            queue[place] <= {make_end || (put_child && b_end), data_d};
        if (takes)
            first_q <= first_q + 4'd1;
        if (put != takes)
            count_q <= put ? count_q + 5'd1 : count_q - 5'd1;
        if (rst)
            {first_q, count_q} <= '0;
    end
    assign {up_last, up_data} = queue[first_q];
    assign up_valid = count_q != 5'd0;

    always_ff @(posedge clk) begin
        if (put_part || put_end)
            own_part_q <= 1'b0;
        if (put_data)
            own_part_q <= s_tlast && !casts;
        if (own_goes)
            phase_q <= op == GATHER && !leaf ? CHILD : MERGE;
        if (child_goes) begin
            cur_q <= turn;
            if (last)
                phase_q <= MERGE;
        end
        if (whole && !(first && last)) begin
            at_q <= at_q + 4'd1;
            if (first) begin
                length_q <= at_q;
                ends_q <= is_end;
                ends_odd_q <= odd;
            end
            if (first ? is_end || &at_q : at_q == length_q) begin
                at_q <= '0;
                cur_q <= turn;
            end
        end
        if ((put_merged && is_end) || put_err)
            done_q <= 1'b1;
        if (works && fails != 3'd0) begin
            phase_q <= FLUSH;
            err_q <= fails;
        end
        if (s_tready && s_tvalid && s_tlast)
            own_over_q <= !s_more;
        for (int i = 0; i < CHILDREN; i++)
            if (b_tready[i] && b_tvalid[i] && b_tlast[i] && !b_tdata[W*i+E+9])
                seen_q[i] <= 1'b1;
        if (start) begin
            phase_q <= illegal ? FLUSH : sends ? OWN : MERGE;
            err_q <= ILLEGAL;
            {done_q, own_over_q, own_part_q, seen_q, at_q} <= '0;
            cur_q <= first_kid;
        end
    end
    assign done = done_q;
    assign own_over = own_over_q;
    assign seen = seen_q;
endmodule
`default_nettype wire
