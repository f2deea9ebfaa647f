// SPDX-License-Identifier: Apache-2.0
// The receiving side of all ends: payload is kept in one block RAM, in ROOM slots an end, and goes
// to a register at the end's port, one flit a cycle of all ends. An end keeps the read port for its
// packet as long as its consumer takes; else those have it whose register is empty, in turn, which
// is found a cycle before. Same
// as show() in sim/model/channel.c.
`default_nettype none

module ofr_channel_consume #(
    parameter int W    = 32,  // flit width in bits, 16, 32 or 64
    parameter int L    = 128, // largest packet in flits, a power of two
    parameter int ENDS = 8,
    parameter int ROOM = 4    // packets, 2, 4 or 8
) (
    input  wire logic                clk,
    input  wire logic                rst,
    // The users' logic
    output logic [ENDS-1:0]          m_tvalid,
    input  wire logic [ENDS-1:0]     m_tready,
    output logic [W*ENDS-1:0]        m_tdata,
    output logic [W/8*ENDS-1:0]      m_tkeep,
    output logic [ENDS-1:0]          m_tlast,
    output logic [ENDS-1:0]          m_tuser,
    // The ends' states, see ofr_channel_state
    input  wire logic                hold,   // nothing moves to a register in this cycle
    input  wire logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] row, // the end that the next four are of
    input  wire logic                begins, // a new connection; only with hold
    input  wire logic                comes,  // a packet of it has come
    input  wire logic                kept,   // ... which the consumer gets
    input  wire logic                marks,  // the broken beat is to follow
    output logic [($clog2(ROOM)+1)*ENDS-1:0] stock, // packets received, not all of them read yet
    output logic [ENDS-1:0]          rest,   // beats for the consumer are left
    output logic [ENDS-1:0]          freed,  // a packet's slot is free again
    // Payload that comes
    input  wire logic                in_we,
    input  wire logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] in_end,
    input  wire logic [$clog2(ROOM)-1:0] in_slot,
    input  wire logic [$clog2(L)-1:0] in_at,
    input  wire logic [W-1:0]        in_data,
    input  wire logic [(W == 64 ? 3 : 2):0] in_code // 0, or of the last flit: CODE
);
    localparam int LB = $clog2(L);
    localparam int RB = $clog2(ROOM);
    localparam int EB = ENDS > 1 ? $clog2(ENDS) : 1;
    localparam int CB = W == 64 ? 4 : 3;

    logic [(RB+1)*ENDS-1:0] stock_q;
    logic [ENDS-1:0]        mark_q, valid_q, last_q, user_q;
    logic [W*ENDS-1:0]      data_q;
    logic [W/8*ENDS-1:0]    keep_q;
    logic [EB-1:0]          cur_q;   // whose flit the RAM shows
    logic [RB+LB-1:0]       place_q; // which of it: slot, flit

    // ---- The flit that the RAM shows moves to the register --------------------------------------

    // Of what is written in the cycle in which it is read nothing is used
    (* no_rw_check *) logic [W+CB:0] mem [0:2**(EB+RB+LB)-1];
    logic [W+CB:0] mem_q; // whether CODE is not 0, CODE, payload
    wire logic [CB-1:0] code = mem_q[W +: CB];
    logic [ENDS-1:0] avail, moves;
    always_comb
        for (int i = 0; i < ENDS; i++) begin
            avail[i] = stock_q[(RB+1)*i +: RB+1] != 0;
            moves[i] = cur_q == EB'(i) && (avail[i] || mark_q[i]) && (!valid_q[i] || m_tready[i])
                && !hold;
            rest[i] = avail[i] || mark_q[i] || valid_q[i];
        end
    wire logic move = moves != 0;
    wire logic user = (moves & avail) == 0; // the broken beat
    wire logic ends = mem_q[W+CB];
    assign freed = ends ? moves & avail : '0;

    logic [W/8-1:0] keep;
    always_comb
        for (int i = 0; i < W / 8; i++)
            keep[i] = !user && (code < CB'(2) || code > CB'(2 + i));

    // ---- The flit that it shows next ------------------------------------------------------------

    logic [EB-1:0]   next_q; // has it next,
    logic            has_next_q; // ... if there is one
    logic [ENDS-1:0] asks, behind;
    always_comb
        for (int i = 0; i < ENDS; i++) begin
            asks[i] = (avail[i] || mark_q[i]) && !valid_q[i] && cur_q != EB'(i)
                && !(has_next_q && next_q == EB'(i));
            behind[i] = asks[i] && EB'(i) > next_q;
        end
    wire logic [ENDS-1:0] those = behind != 0 ? behind : asks;
    logic [EB-1:0] turn;
    always_comb begin
        turn = '0;
        for (int i = ENDS - 1; i >= 0; i--)
            if (those[i])
                turn = EB'(i);
    end
    wire logic takes = move && !user;
    wire logic goes_on = takes && !ends; // late: it is the RAM's output
    wire logic used = !has_next_q || (!begins && !goes_on);

    // Who has it next, unless the packet goes on; the place of its next flit
    wire logic [EB-1:0] other = has_next_q && !begins ? next_q : row;
    wire logic          stays = !begins && (!(has_next_q || comes) || other == cur_q);
    wire logic [EB-1:0] cur_d = goes_on || stays ? cur_q : other;

    logic [RB+LB-1:0] places [0:2**EB-1];
    wire logic [RB+LB-1:0] place_other = places[other];
    wire logic [RB+LB-1:0] place_on = {place_q[LB +: RB], place_q[LB-1:0] + LB'(1)};
    logic [RB+LB-1:0] place_off, place_d, place;
    always_comb begin
        place_off = takes ? {place_q[LB +: RB] + RB'(1), LB'(0)} : place_q;
        if (begins)
            place_off = '0;
        place_d = goes_on ? place_on : place_off;
        place = goes_on ? place_on : stays || begins ? place_off : place_other;
    end
    wire logic          place_we = move || begins;
    wire logic [EB-1:0] place_at = begins ? row : cur_q;
    wire logic [EB+RB+LB-1:0] mem_row = {cur_d, place};
    wire logic [EB+RB+LB-1:0] mem_at = {in_end, in_slot, in_at};
    always_ff @(posedge clk) begin
        if (place_we)
            places[place_at] <= place_d;
        if (in_we)
            mem[mem_at] <= {in_code != 0, in_code, in_data};
        mem_q <= mem[mem_row];
    end

    // ---- The ends -------------------------------------------------------------------------------

    wire logic [ENDS-1:0] more = kept ? ENDS'(1) << row : '0;
    always_ff @(posedge clk) begin
        cur_q <= cur_d;
        if (used) begin
            has_next_q <= asks != 0;
            if (asks != 0)
                next_q <= turn;
        end
        place_q <= place;
        for (int i = 0; i < ENDS; i++) begin
            valid_q[i] <= moves[i] || (valid_q[i] && !m_tready[i]);
            if (moves[i]) begin
                data_q[W*i +: W] <= mem_q[W-1:0];
                keep_q[W/8*i +: W/8] <= keep;
                last_q[i] <= user || code >= CB'(2);
                user_q[i] <= user;
            end
            if (more[i] != freed[i])
                stock_q[(RB+1)*i +: RB+1] <= stock_q[(RB+1)*i +: RB+1] + {{RB{freed[i]}}, 1'b1};
            if (moves[i] && user)
                mark_q[i] <= 1'b0;
            if (marks && row == EB'(i))
                mark_q[i] <= 1'b1;
        end
        if (rst) begin
            {valid_q, mark_q, stock_q} <= '0;
            {cur_q, next_q, has_next_q} <= '0;
            place_q <= '0;
        end
    end
    assign m_tvalid = valid_q;
    assign m_tdata = data_q;
    assign m_tkeep = keep_q;
    assign m_tlast = last_q;
    assign m_tuser = user_q;
    assign stock = stock_q;
endmodule
`default_nettype wire
