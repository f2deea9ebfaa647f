// SPDX-License-Identifier: Apache-2.0
// The ends' counts of bytes: sent, received, and what the peer has last told. They are in block
// RAMs, read with the row of the next cycle. What becomes of a count is written a cycle after it
// was found, or two where a register's access is ahead, so none is read as it is written. Same as
// found() and is_due() in sim/model/channel.c.
`default_nettype none

module ofr_channel_count #(
    parameter int W    = 32,  // flit width in bits, 16, 32 or 64
    parameter int L    = 128, // largest packet in flits, a power of two
    parameter int ENDS = 8
) (
    input  wire logic                 clk,
    input  wire logic                 rst,
    input  wire logic                 early,    // a register is accessed in the next cycle
    input  wire logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] row,
    input  wire logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] row_d, // ... of the next cycle
    // What is done with the row
    input  wire logic                 is_reg,   // a register is accessed, this one:
    input  wire logic                 reg_sent,
    input  wire logic                 reg_received,
    input  wire logic                 reg_heard,
    input  wire logic                 is_sent,  // a DATA packet was sent, of
    input  wire logic [$clog2(L)-1:0] sent_last, // ... so many flits, but one,
    input  wire logic [3:0]           sent_code,
    input  wire logic                 is_ev,    // a packet came,
    input  wire logic                 kept,     // ... DATA that the consumer gets,
    input  wire logic                 tells,    // ... or it has the peer's count
    input  wire logic [$clog2(L)-1:0] last_at,
    input  wire logic [3:0]           code,
    input  wire logic [31:0]          word,     // the peer's count; stands for four cycles
    // There is a count in this connection
    input  wire logic                 any_sent,
    input  wire logic                 any_received,
    input  wire logic                 any_heard,
    output logic                      sent_due, // the count is still to be written
    output logic                      received_due,
    output logic [31:0]               received, // where no register is accessed
    output logic [31:0]               rdat      // where one is; 0 if none of these
);
    localparam int LB = $clog2(L);
    localparam int EB = ENDS > 1 ? $clog2(ENDS) : 1;
    localparam int WB = $clog2(W / 8);

    (* no_rw_check, ram_style = "block" *) logic [31:0] sents [0:2**EB-1];
    (* no_rw_check, ram_style = "block" *) logic [31:0] receiveds [0:2**EB-1];
    (* no_rw_check, ram_style = "block" *) logic [31:0] heards [0:2**EB-1];
    logic [31:0]   sents_q, receiveds_q, heards_q, sent_q, received_q;
    logic [EB-1:0] sent_row_q, ev_row_q;
    logic          sent_due_q, received_due_q, heard_due_q; // to be written,
    logic          sent_first_q, ev_first_q; // ... and what the RAM has is nothing

    // A register shows what the RAM has
    wire logic new_sent = sent_due_q && sent_first_q && sent_row_q == row;
    wire logic new_ev = ev_first_q && ev_row_q == row;
    wire logic show_sent = any_sent && (is_reg ? reg_sent && !new_sent : is_sent);
    wire logic show_received = any_received
        && (is_reg ? reg_received && !(new_ev && received_due_q) : !is_sent);
    wire logic show_heard = any_heard && reg_heard && !(new_ev && heard_due_q);
    wire logic [31:0] count = (show_sent ? sents_q : '0) | (show_received ? receiveds_q : '0);
    assign received = count;
    assign rdat = count | (show_heard ? heards_q : '0);

    // The whole flits, and the bytes of the last one where the message ends in it: of W / 8 there
    // one is the adder's carry
    wire logic [LB-1:0] last_flit = is_sent ? sent_last : last_at;
    wire logic [3:0]    last_code = is_sent ? sent_code : code;
    wire logic          all = last_code == 4'd1 || last_code == 4'(W / 8 + 2);
    wire logic [3:0]    in_last = last_code - 4'd2;
    wire logic [LB+WB-1:0] length = {last_flit, all ? WB'(W / 8 - 1) : in_last[WB-1:0]};
    wire logic [32:0]   sum = {count, 1'b1} + 33'({length, all});

    always_ff @(posedge clk) begin
        if (is_sent) begin
            sent_q <= sum[32:1];
            sent_row_q <= row;
            sent_first_q <= !any_sent;
        end
        if (is_ev) begin
            received_q <= sum[32:1];
            ev_row_q <= row;
            ev_first_q <= kept ? !any_received : !any_heard;
        end
        sent_due_q <= is_sent || (sent_due_q && early);
        received_due_q <= kept || (received_due_q && early);
        heard_due_q <= tells || (heard_due_q && early);
        if (rst)
            {sent_due_q, received_due_q, heard_due_q} <= '0;
        if (sent_due_q && !early)
            sents[sent_row_q] <= sent_q;
        if (received_due_q && !early)
            receiveds[ev_row_q] <= received_q;
        if (heard_due_q && !early)
            heards[ev_row_q] <= word;
        sents_q <= sents[row_d];
        receiveds_q <= receiveds[row_d];
        heards_q <= heards[row_d];
    end
    wire logic unused = ^{in_last, sum[0]};
    assign sent_due = sent_due_q;
    assign received_due = received_due_q;
endmodule
`default_nettype wire
