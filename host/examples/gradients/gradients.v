// SPDX-License-Identifier: Apache-2.0
// An all-reduce of gradients on a board's channels: a vector comes from the host into memory, all
// boards of the group meet in a barrier, ofr_collective sums the vectors of all, and the sum goes
// back to the host with the cycles that took. README.md has the messages.
`default_nettype none

// Ends 5 to 7 are others'.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off PINCONNECTEMPTY */

module gradients #(
    parameter int LOG = 12 // 2^LOG words of memory: the longest vector. 4 to 16
) (
    input  wire logic         clk,
    input  wire logic         rst,
    output logic              idle, // nothing is done until a beat comes
    // To and from the channels' ends: 0 is the parent in the tree, 1 to 3 are children; 4 is the
    // host
    output logic [7:0]        m_axis_tvalid,
    input  wire logic [7:0]   m_axis_tready,
    output logic [255:0]      m_axis_tdata,
    output logic [31:0]       m_axis_tkeep,
    output logic [7:0]        m_axis_tlast,
    input  wire logic [7:0]   s_axis_tvalid,
    output logic [7:0]        s_axis_tready,
    input  wire logic [255:0] s_axis_tdata,
    input  wire logic [31:0]  s_axis_tkeep,
    input  wire logic [7:0]   s_axis_tlast,
    input  wire logic [7:0]   s_axis_tuser
);
    localparam logic [1:0] LOAD = 2'd0, MEET = 2'd1, REDUCE = 2'd2, REPLY = 2'd3;
    localparam logic [2:0] BARRIER = 3'd0, ALLREDUCE = 3'd5;
    localparam logic [2:0] GOOD = 3'd0, SIZE = 3'd1, LENGTH = 3'd2, FAILED = 3'd3;

    generate
        if (LOG < 4 || LOG > 16) gradients_parameters_out_of_range bad ();
    endgenerate

    logic [1:0]   state_q;
    logic [1:0]   at_q; // word of the host's message, or of the answer: 2 is of the vector
    logic [3:0]   place_q;  // has a parent (0), children 1 to 3
    logic [2:0]   type_q;   // of the reduction
    logic [LOG:0] length_q; // words
    logic [2:0]   status_q;
    logic [2:0]   reason_q; // of the collective's, with FAILED
    logic [31:0]  cycles_q;

    logic        comes, last, whole, broken;
    logic [31:0] word;
    assign comes  = state_q == LOAD && s_axis_tvalid[4];
    assign last   = s_axis_tlast[4];
    assign broken = s_axis_tuser[4];
    assign whole  = &s_axis_tkeep[19:16];
    assign word   = s_axis_tdata[159:128];

    // ---- The collective -------------------------------------------------------------------------

    logic [3:0]   from_ready, to_valid, to_last;
    logic [127:0] to_data;
    logic [15:0]  to_keep;
    logic         s_valid, s_ready, s_last, m_valid, m_last, busy;
    logic [31:0]  m_data;
    logic [3:0]   m_keep, s_keep;
    logic [1:0]   m_user;
    logic [2:0]   reason;
    logic         given_q; // the operation's message
    logic         verdict, bad;
    ofr_collective #(.W(32), .CHILDREN(3)) collective (
        .clk, .rst,
        // Sizes are for scatter and gather only
        .has_parent(place_q[0]), .children(place_q[3:1]), .sizes(36'd0),
        .leave(1'b0), .drop(4'd0), .clear(state_q == LOAD), .busy(busy), .reason(reason),
        .broken(), .waits(),
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(read_q),
        .s_axis_tkeep(s_keep), .s_axis_tlast(s_last),
        .s_axis_tuser({1'b0, type_q, state_q == MEET ? BARRIER : ALLREDUCE}),
        .m_axis_tvalid(m_valid), .m_axis_tready(1'b1), .m_axis_tdata(m_data),
        .m_axis_tkeep(m_keep), .m_axis_tlast(m_last), .m_axis_tuser(m_user),
        .from_tvalid(s_axis_tvalid[3:0]), .from_tready(from_ready),
        .from_tdata(s_axis_tdata[127:0]), .from_tlast(s_axis_tlast[3:0]),
        .from_tuser(s_axis_tuser[3:0]), .to_tvalid(to_valid), .to_tready(m_axis_tready[3:0]),
        .to_tdata(to_data), .to_tkeep(to_keep), .to_tlast(to_last)
    );
    assign s_valid = (state_q == MEET || state_q == REDUCE) && !given_q;
    assign s_last  = state_q == MEET || at_end;
    assign s_keep  = state_q == MEET ? 4'd0 : 4'hf;
    assign verdict = m_valid && m_user[1];
    assign bad     = m_user[0];

    // ---- Memory ---------------------------------------------------------------------------------

    // What is read shows a cycle later, and stays while its address does. A word of the sum comes
    // after the board's own was read, so it goes to the same place.
    logic [31:0]  mem [0:2**LOG-1];
    logic [31:0]  read_q, write_data;
    logic [LOG:0] read_d, read_at_q, sum_at_q, write_at;
    logic         write, at_end, answers;
    assign at_end  = read_at_q + (LOG+1)'(1) == length_q;
    assign answers = state_q == REPLY && m_axis_tready[4];
    always_comb begin
        write      = comes && at_q == 2'd2 && !length_q[LOG];
        write_at   = length_q;
        write_data = word;
        if (state_q == REDUCE) begin
            write      = m_valid && !m_user[1] && sum_at_q != length_q;
            write_at   = sum_at_q;
            write_data = m_data;
        end
        read_d = read_at_q;
        if (state_q == REDUCE) begin
            if (s_valid && s_ready) read_d = read_at_q + (LOG+1)'(1);
            if (verdict) read_d = '0;
        end else if (state_q == REPLY) begin
            if (answers && at_q == 2'd2) read_d = read_at_q + (LOG+1)'(1);
        end else read_d = '0;
    end
    always_ff @(posedge clk) begin
        read_q    <= mem[read_d[LOG-1:0]];
        read_at_q <= read_d;
        if (write) mem[write_at[LOG-1:0]] <= write_data;
    end

    // ---- Pins -----------------------------------------------------------------------------------

    logic answer_ends;
    assign answer_ends   = at_q == 2'd1 ? status_q != GOOD : at_q == 2'd2 && at_end;
    assign idle          = state_q == LOAD && s_axis_tvalid[4:0] == '0;
    assign s_axis_tready = {3'b000, comes, from_ready};
    assign m_axis_tvalid = {3'b000, state_q == REPLY, to_valid};
    assign m_axis_tlast  = {3'b000, answer_ends, to_last};
    assign m_axis_tkeep  = {12'd0, 4'hf, to_keep};
    assign m_axis_tdata  = {96'd0, at_q == 2'd0 ? {26'd0, reason_q, status_q}
                                   : at_q == 2'd1 ? cycles_q : read_q, to_data};

    // ---- Control --------------------------------------------------------------------------------

    // The sum has another length than the vector: the collective does not let that be
    logic short_sum;
    assign short_sum = state_q == REDUCE && !bad && sum_at_q != length_q;

    always_ff @(posedge clk) begin
        if (comes) begin
            if (broken) at_q <= 2'd0; // whatever it was to be
            else begin
                if (at_q != 2'd2) at_q <= at_q + 2'd1;
                if (at_q == 2'd0) begin
                    place_q  <= word[3:0];
                    status_q <= GOOD;
                    reason_q <= '0;
                    length_q <= '0;
                    cycles_q <= '0;
                end
                if (at_q == 2'd1) type_q <= word[2:0];
                if (at_q == 2'd2) begin
                    if (length_q[LOG]) status_q <= SIZE;
                    else length_q <= length_q + (LOG+1)'(1);
                end
                if (last) begin
                    at_q    <= 2'd0;
                    state_q <= MEET;
                    if (at_q != 2'd2 || !whole) begin
                        state_q  <= REPLY;
                        status_q <= LENGTH;
                    end
                    if (at_q == 2'd2 && (length_q[LOG] || status_q == SIZE)) begin
                        state_q  <= REPLY;
                        status_q <= SIZE;
                    end
                end
            end
        end

        if (state_q == LOAD) {given_q, sum_at_q} <= '0;
        if (s_valid && s_ready && s_last) given_q <= 1'b1;
        if (state_q == REDUCE) begin
            cycles_q <= cycles_q + 32'd1;
            if (write) sum_at_q <= sum_at_q + (LOG+1)'(1);
        end
        if ((state_q == MEET || state_q == REDUCE) && verdict) begin
            given_q <= 1'b0;
            state_q <= state_q == MEET && !bad ? REDUCE : REPLY;
            if (bad || short_sum) begin
                status_q <= FAILED;
                reason_q <= m_data[8:6];
            end
        end

        if (answers) begin
            if (at_q != 2'd2) at_q <= at_q + 2'd1;
            if (answer_ends) begin
                state_q <= LOAD;
                at_q    <= 2'd0;
            end
        end

        if (rst) begin
            state_q <= LOAD;
            at_q    <= 2'd0;
            place_q <= '0;
        end
    end
endmodule

`default_nettype wire
