// SPDX-License-Identifier: Apache-2.0
// The sending side of all ends: takes the users' beats, one a cycle of all ends, in turn, and
// gathers them to packets. Whose turn it is has been found a cycle before, of those that had a beat
// then. Same as next_grant() and take_beat() in sim/model/channel.c.
`default_nettype none

module ofr_channel_gather #(
    parameter int W    = 32,  // flit width in bits, 16, 32 or 64
    parameter int L    = 128, // largest packet in flits, a power of two
    parameter int ENDS = 8
) (
    input  wire logic                clk,
    input  wire logic                rst,
    // The users' logic
    input  wire logic [ENDS-1:0]     s_tvalid,
    output logic [ENDS-1:0]          s_tready,
    input  wire logic [W*ENDS-1:0]   s_tdata,
    input  wire logic [W/8*ENDS-1:0] s_tkeep,
    input  wire logic [ENDS-1:0]     s_tlast,
    // The ends' states, see ofr_channel_state
    input  wire logic                hold,    // no beat is taken in this cycle
    input  wire logic [ENDS-1:0]     sends,
    input  wire logic [ENDS-1:0]     closing,
    input  wire logic [ENDS-1:0]     throws,
    input  wire logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] row, // the end that the next three are of
    input  wire logic                begins,  // a new connection; only with hold
    input  wire logic                picked,  // a DATA packet of it has its turn
    output logic                     given,   // a message's last beat is taken, of this end:
    output logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] given_end,
    output logic [ENDS-1:0]          some,    // packets that wait for their turn
    output logic [ENDS-1:0]          room,    // a beat of it would be taken
    output logic [ENDS-1:0]          mid,     // inside a message
    // The packet that is being sent
    input  wire logic [(ENDS > 1 ? $clog2(ENDS) : 1)-1:0] out_end,
    input  wire logic [1:0]          out_slot,
    input  wire logic [$clog2(L)-1:0] out_at, // flit of it to be at out_data in the next cycle
    output logic [W-1:0]             out_data,
    output logic                     out_last,
    output logic [(W == 64 ? 3 : 2):0] out_code // its CODE, from the second cycle on
);
    localparam int LB = $clog2(L);
    localparam int EB = ENDS > 1 ? $clog2(ENDS) : 1;
    localparam int HEAD = W == 16 ? 6 : 3; // flits of the headers
    localparam int CB = W == 64 ? 4 : 3;   // bits of CODE that occur in DATA
    localparam int KB = $clog2(W / 8 + 1); // bits of a count of bytes

    // ---- Whose beat is taken --------------------------------------------------------------------

    logic [ENDS-1:0]   mid_q, skip_q;
    logic [3*ENDS-1:0] held_q; // packets that wait, as many ones, beside the one being sent
    logic [ENDS-1:0]   grant_q; // whose turn it is,
    logic [EB-1:0]     at_q;    // ... in binary
    logic [ENDS-1:0]   full, may, asks, behind;
    always_comb
        for (int i = 0; i < ENDS; i++) begin
            full[i] = held_q[3*i + 2];
            some[i] = held_q[3*i];
            may[i] = (throws[i] || skip_q[i] || (sends[i] && !full[i]))
                && !(closing[i] && !mid_q[i]);
            asks[i] = s_tvalid[i] && may[i];
            behind[i] = asks[i] && EB'(i) > at_q;
        end
    wire logic [ENDS-1:0] those = behind != 0 ? behind : asks;
    logic [EB-1:0]  at_d;
    logic [W/8-1:0] tkeep;
    logic [ENDS-1:0] grant_d;
    always_comb begin
        at_d = '0;
        tkeep = '0;
        for (int i = ENDS - 1; i >= 0; i--)
            if (those[i])
                at_d = EB'(i);
        for (int i = 0; i < ENDS; i++) begin
            grant_d[i] = at_d == EB'(i);
            tkeep = tkeep | (grant_q[i] ? s_tkeep[W/8*i +: W/8] : '0);
        end
    end
    assign s_tready = hold ? '0 : grant_q & may;
    assign room = may;
    assign mid = mid_q;
    wire logic [ENDS-1:0] takes = s_tready & s_tvalid;
    wire logic last = |(grant_q & s_tlast);
    wire logic keep = |(takes & sends & ~skip_q);
    assign given = |(takes & s_tlast);
    assign given_end = at_q;

    // ---- Packets --------------------------------------------------------------------------------

    logic [KB-1:0] bytes; // the lowest without a gap
    always_comb begin
        bytes = '0;
        for (int i = W / 8 - 1; i >= 0; i--)
            bytes = tkeep[i] ? bytes + KB'(1) : '0;
    end

    logic [LB+1:0] places [0:2**EB-1]; // slot, flit of the next beat
    wire logic [LB+1:0] place = places[at_q];
    wire logic          full_now = place[LB-1:0] == LB'(L - HEAD - 1);
    wire logic          ends = last || full_now;
    logic [LB+1:0] place_d;
    always_comb begin
        place_d = ends ? {place[LB+1:LB] + 2'd1, LB'(0)} : {place[LB+1:LB], place[LB-1:0] + LB'(1)};
        if (begins)
            place_d = '0;
    end
    wire logic          place_we = keep || begins;
    wire logic [EB-1:0] place_at = begins ? row : at_q;
    always_ff @(posedge clk)
        if (place_we)
            places[place_at] <= place_d;

    // Read long after it is written
    (* no_rw_check, ram_style = "block" *) logic [CB-1:0] codes [0:2**(EB+2)-1];
    logic [CB-1:0] code_q;
    wire logic [CB-1:0] code_d = last ? CB'(bytes) + CB'(2) : CB'(1);
    wire logic [EB+1:0] code_at = {at_q, place[LB+1:LB]};
    wire logic [EB+1:0] code_row = {out_end, out_slot};
    always_ff @(posedge clk) begin
        if (keep)
            codes[code_at] <= code_d;
        code_q <= codes[code_row];
    end
    assign out_code = code_q;

    // A block RAM an end, as all ends' data together would want a multiplexer; those whose packet
    // is not sent show 0. What is read is never written in the same cycle, but where nobody looks.
    logic [(W+1)*ENDS-1:0] shown;
    wire logic [LB+1:0]    mem_row = {out_slot, out_at};
    generate
        for (genvar i = 0; i < ENDS; i++) begin : g_end
            (* no_rw_check *) logic [W:0] mem [0:4*L-1];
            logic [W:0] shown_q;
            always_ff @(posedge clk) begin
                if (keep && grant_q[i])
                    mem[place] <= {ends, s_tdata[W*i +: W]};
                if (out_end == EB'(i))
                    shown_q <= mem[mem_row];
                else
                    shown_q <= '0;
            end
            assign shown[(W+1)*i +: W+1] = shown_q;
        end
    endgenerate
    always_comb begin
        {out_last, out_data} = '0;
        for (int i = 0; i < ENDS; i++)
            {out_last, out_data} = {out_last, out_data} | shown[(W+1)*i +: W+1];
    end

    // ---- The ends -------------------------------------------------------------------------------

    wire logic [ENDS-1:0] more = keep && ends ? grant_q : '0;
    wire logic [ENDS-1:0] less = picked ? ENDS'(1) << row : '0;
    always_ff @(posedge clk) begin
        if (asks != 0) begin
            grant_q <= grant_d;
            at_q <= at_d;
        end
        for (int i = 0; i < ENDS; i++) begin
            if (takes[i]) begin
                mid_q[i] <= !last;
                if (last)
                    skip_q[i] <= 1'b0;
            end
            if (more[i] != less[i])
                held_q[3*i +: 3] <= less[i] ? held_q[3*i +: 3] >> 1 : {held_q[3*i +: 2], 1'b1};
            if (begins && row == EB'(i)) begin
                held_q[3*i +: 3] <= '0;
                skip_q[i] <= mid_q[i];
            end
        end
        if (rst) begin
            {mid_q, skip_q, held_q, at_q} <= '0;
            grant_q <= ENDS'(1);
        end
    end
endmodule
`default_nettype wire
