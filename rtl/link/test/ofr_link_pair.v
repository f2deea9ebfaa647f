// SPDX-License-Identifier: Apache-2.0
// Proof: two ends' states, ofr_link_train as it is built, at a cable that may lose what it likes.
// They disagree on up and down for a bounded time; once both were up and one has fallen, none rises
// before the other has fallen, too, so that no frame of before counts; and credits: what the sender
// counts as sent after training is what the other end has received, no slot is filled twice and
// none is lost, however often the link falls, boards are reset, and whatever was under way.
//
// The cable: a frame is heard at most E cycles after its header was made, with the state that its
// sender was in then, or never; hellos DOWN and FAILED at any time. Both ends have ticks of their
// own, P to P + D cycles. All else is free: falls, resets, what is waited for. By induction.
`default_nettype none
`include "ofr_link.vh"

module ofr_link_pair #(
    parameter int P = 256,
    parameter int D = 2,
    parameter int E = 115,
    parameter int G = 13,
    parameter int C = 8
) (
    input wire logic        clk,
    input wire logic [1:0]  rst, enable, phy_up, tick, waits, moves, good,
    input wire logic [10:0] low0, low1,
    input wire logic [15:0] high0, high1,
    input wire logic        sends,   // A sends a packet, one comes to B, B frees a slot
    input wire logic        arrives,
    input wire logic        frees,
    input wire logic [3:0]  behind   // the credits that A is told, as many slots less than are free
);
    logic         start_q = 1'b1;
    logic [2:0]   state[2], want[2];
    logic [1:0]   up, link_up, rebase;
    logic [11:0]  count[2];
    logic [G-1:0] heard[2], ready[2], trained[2], was_up[2], train[2], only[2], reset[2];

    always_ff @(posedge clk)
        start_q <= 1'b0;

    generate
        for (genvar i = 0; i < 2; i++) begin : g_end
            ofr_link_pair_end #(.P(P), .D(D), .E(E), .G(G)) u_end (
                .clk, .start(start_q), .rst(rst[i]), .enable(enable[i]), .phy_up(phy_up[i]),
                .tick(tick[i]), .waits(waits[i]), .moves(moves[i]), .good(good[i]),
                .low(i == 0 ? low0 : low1), .high(i == 0 ? high0 : high1),
                .may_train(train[1-i] <= E), .may_ready(only[1-i] <= E), .may_up(was_up[1-i] <= E),
                .state(state[i]), .want(want[i]), .up(up[i]), .link_up(link_up[i]),
                .rebase(rebase[i]), .count(count[i]), .heard_q(heard[i]), .ready(ready[i]),
                .trained(trained[i]), .up_q(was_up[i]), .train_q(train[i]), .only_q(only[i]),
                .reset_q(reset[i])
            );
        end
    endgenerate

    // How long they have disagreed; both were up, and not both have fallen since
    logic [G-1:0] apart_q = '0;
    logic         met_q = 1'b0;
    always_ff @(posedge clk) begin
        apart_q <= up[0] != up[1] && !start_q ? apart_q + 1 : '0;
        met_q   <= !start_q && (&up || (met_q && |up));
    end

    // Packets of one VC from A (0) to B (1), and slots. sent_q, received_q, freed_q: the routers'.
    logic [3:0]   sent_q = '0, received_q = '0, freed_q = '0;
    logic [4:0]   flying_q = '0;  // on their way
    logic [4:0]   stored_q = '0;  // in B's slots
    logic [4:0]   behind_q = '0;  // slots that are free, which A does not know of
    logic         stale_q = 1'b1; // B was reset since it said what A goes by
    logic [G-1:0] moved_q = '0;   // since B's count of what it received moved
    logic         captured, sent, arrived, freed, told, a_up_frame, full;
    logic [2:0]   item;

    assign item       = low0[5:3];
    assign a_up_frame = good[0] && (low0[10] || low0[2:0] == `OFR_LINK_UP);
    assign full       = 4'(sent_q - count[0][3:0]) >= C;
    assign sent       = sends && up[0] && link_up[0] && !full;
    assign arrived    = arrives && was_up[1] <= 4 && reset[1] > 4 && was_up[0] <= E &&
                        flying_q != 0;
    assign freed      = frees && stored_q != 0 && !rst[1];
    // A takes a count of freed slots
    assign told = (a_up_frame && (low0[10] || item == 0) && high0[9:8] == 0 &&
                   (up[0] || state[0] == `OFR_LINK_READY)) ||
                  (good[0] && state[0] == `OFR_LINK_TRAIN && !low0[10] &&
                   (low0[2:0] == `OFR_LINK_TRAIN || low0[2:0] == `OFR_LINK_READY) &&
                   item == `OFR_LINK_ITEM_FREED && want[0] == `OFR_LINK_ITEM_FREED);
    assign captured = (state[0] == `OFR_LINK_TRAIN && want[0] == `OFR_LINK_ITEM_FREED) ||
                      state[0] == `OFR_LINK_READY || up[0];

    always_ff @(posedge clk) begin
        sent_q     <= rebase[0] ? count[0][3:0] : sent_q + 4'(sent);
        received_q <= received_q + 4'(arrived);
        freed_q    <= freed_q + 4'(freed);
        flying_q   <= flying_q + 5'(sent) - 5'(arrived);
        stored_q   <= stored_q + 5'(arrived) - 5'(freed);
        behind_q   <= (told ? 5'(behind) : behind_q) + 5'(freed);
        moved_q    <= arrived ? '0 : &moved_q ? moved_q : moved_q + 1;
        if (state[0] == `OFR_LINK_TRAIN) // what was under way before is lost
            flying_q <= '0;
        // A takes B's count
        if (good[0] && state[0] == `OFR_LINK_TRAIN && item == `OFR_LINK_ITEM_RECEIVED)
            stale_q <= reset[1] <= E + 1;
        if (start_q)
            {sent_q, flying_q, behind_q} <= '0;
        if (rst[1]) begin
            {received_q, freed_q, stored_q} <= '0;
            moved_q <= {G{1'b1}};
            stale_q <= 1'b1;
        end
    end

`ifdef FORMAL
    localparam int SILENT = 8 * (P + D); // cycles
    // What B says of its counts is what they were less than E cycles ago; credits come in order
    always_comb begin
        if (good[0] && !a_up_frame && item == `OFR_LINK_ITEM_RECEIVED && moved_q > E &&
            reset[1] > E + 1)
            assume (high0[3:0] == received_q);
        if (told && reset[1] > E + 1) begin
            assume (a_up_frame ? high0[13:10] == 4'(freed_q - behind)
                               : high0[3:0] == 4'(freed_q - behind));
            assume (a_up_frame ? 5'(behind) <= behind_q : 5'(behind) + stored_q <= C);
        end
    end

    always_comb
        if (!start_q) begin
            // What is promised
            agree:  assert (apart_q <= 2 * SILENT + 2 * E + 2);
            once:   assert (!(met_q && up != 3) || ((up[0] || state[0] == `OFR_LINK_DOWN ||
                            state[0] == `OFR_LINK_FAILED) && (up[1] ||
                            state[1] == `OFR_LINK_DOWN || state[1] == `OFR_LINK_FAILED)));
            fresh:  assert (!(captured && stale_q) || !(up[1] || state[1] == `OFR_LINK_READY));
            slots:  assert (stored_q <= C);
            counts: assert (!(&up) || (4'(sent_q - received_q) == 4'(flying_q) &&
                            4'(sent_q - count[0][3:0]) == 4'(flying_q + stored_q + behind_q) &&
                            flying_q + stored_q + behind_q <= C));
        end

    // Why
    generate
        for (genvar i = 0; i < 2; i++) begin : g_why
            always_comb
                if (!start_q && up[i]) begin
                    // It hears of an end that is READY or UP, or was not long ago
                    assert (ready[1-i] <= heard[i] + E + 1);
                    assert (state[1-i] != `OFR_LINK_READY ||
                                   (apart_q <= train[i] && apart_q <= heard[1-i] + E + 1));
                    assert ((state[1-i] != `OFR_LINK_DOWN &&
                                    state[1-i] != `OFR_LINK_FAILED) ||
                                   apart_q <= ready[1-i] + SILENT + E + 1);
                    assert (state[1-i] != `OFR_LINK_TRAIN);
                end
        end
    endgenerate
    always_comb
        if (!start_q) begin
            same:  assert (up != 3 || apart_q <= SILENT + E + 1);
            based: assert (!captured || trained[1] <= heard[0] + E + 1);
            fell:  assert (was_up[0] > E || trained[1] <= SILENT + E + 1 + was_up[0]);
            old:   assert (!((captured || was_up[0] <= E) && stale_q) ||
                           ((state[1] == `OFR_LINK_DOWN || state[1] == `OFR_LINK_FAILED) &&
                            was_up[1] >= reset[1]));
            since: assert (stale_q || reset[1] > E + 1);
            gone:  assert (moved_q + E + 1 >= was_up[0] || &moved_q);
            ring:  assert (4'(received_q - freed_q) == stored_q[3:0]);
            space: assert (stale_q || flying_q + stored_q <= C);
            base:  assert (stale_q || !captured || (rebase[0] ? count[0][3:0] == received_q :
                           4'(sent_q - received_q) == 4'(flying_q)));
            none:  assert (!(captured && !up[0]) || flying_q == 0);
            pulse: assert (!rebase[0] || (state[0] != `OFR_LINK_READY && !up[0]));
            knows: assert (stale_q || !(up[0] || state[0] == `OFR_LINK_READY) ||
                           (count[0][3:0] == 4'(freed_q - behind_q) &&
                            flying_q + stored_q + behind_q <= C));
        end
`endif
endmodule

`default_nettype wire
