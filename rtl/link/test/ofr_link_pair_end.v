// SPDX-License-Identifier: Apache-2.0
// Of the proof ofr_link_pair: an end, ofr_link_train as it is built, and what is remembered of it.
`default_nettype none
`include "ofr_link.vh"

module ofr_link_pair_end #(
    parameter int P = 256,
    parameter int D = 2,
    parameter int E = 115,
    parameter int G = 13  // bits of times
) (
    input  wire logic         clk,
    input  wire logic         start,    // the first cycle
    input  wire logic         rst,
    input  wire logic         enable,
    input  wire logic         phy_up,
    input  wire logic         tick,
    input  wire logic         waits,
    input  wire logic         moves,
    input  wire logic         good,
    input  wire logic [10:0]  low,
    input  wire logic [15:0]  high,
    input  wire logic         may_train,  // the other end has been in that state less than E ago
    input  wire logic         may_ready,
    input  wire logic         may_up,
    output logic      [2:0]   state,
    output logic      [2:0]   want,
    output logic              up,
    output logic              link_up,
    output logic              rebase,
    output logic      [11:0]  count,
    output logic      [G-1:0] heard_q,    // cycles since a frame was heard
    output logic      [G-1:0] ready,    // ... since it was READY or UP,
    output logic      [G-1:0] trained,  // TRAIN, READY or UP,
    output logic      [G-1:0] up_q,       // UP,
    output logic      [G-1:0] train_q,    // TRAIN,
    output logic      [G-1:0] only_q,     // READY
    output logic      [G-1:0] reset_q     // and was reset
);
    localparam [G-1:0] MOST = {G{1'b1}};
    logic [3:0]   timer;
    logic [G-1:0] phase_q; // since the last tick
    logic [15:0]  item_data;
    logic         listens, abort, ev_up, ev_down, unused;
    logic [3:0]   why;
    logic [63:0]  peer;

    assign unused = &{1'b0, item_data, listens, abort, ev_up, ev_down, why, peer};

    ofr_link_train #(.N(3), .W(32), .L(128), .C(8), .SERIAL(1)) u_train (
        .clk, .slot(2'd0), .rst, .enable, .phy_up, .tick, .serial(64'd0), .good, .low, .high,
        .waits, .moves,
        .item(3'd0), .item_data, .tells(1'b0), .now(34'd0), .lag(16'd0), .rank(16'd0),
        .rx_received(12'd0), .rx_credit(12'd0), .count_q(count), .rebase_q(rebase), .timer_q(timer),
        .want_q(want), .state_q(state), .up, .listens, .link_up_q(link_up), .abort, .why_q(why),
        .peer_q(peer), .ev_up, .ev_down
    );

    function automatic logic [G-1:0] since(input logic [G-1:0] q, input logic now);
        since = now ? '0 : q == MOST ? MOST : q + 1;
    endfunction
    logic is_train, is_ready;
    assign ready    = only_q < up_q ? only_q : up_q;
    assign trained  = train_q < ready ? train_q : ready;
    assign is_train = state == `OFR_LINK_TRAIN;
    assign is_ready = state == `OFR_LINK_READY;

    always_ff @(posedge clk) begin
        phase_q   <= tick ? '0 : phase_q + 1;
        heard_q   <= since(heard_q, good);
        up_q      <= since(up_q, up);
        train_q   <= since(train_q, is_train);
        only_q    <= since(only_q, is_ready);
        reset_q   <= since(reset_q, rst);
        if (start) begin // nothing was before
            phase_q <= '0;
            {heard_q, up_q, train_q, only_q} <= {4{MOST}};
            reset_q <= '0;
        end
    end

`ifdef FORMAL
    logic [2:0] said;
    assign said = low[2:0];
    always_comb begin
        assume (!start || rst);
        assume (!tick || phase_q >= P - 1);
        assume (tick || phase_q < P + D - 1);
        assume (!good || low[10] || said <= `OFR_LINK_FAILED);
        assume (!good || !low[10] || may_up);
        assume (!good || low[10] || said != `OFR_LINK_UP || may_up);
        assume (!good || low[10] || said != `OFR_LINK_TRAIN || may_train);
        assume (!good || low[10] || said != `OFR_LINK_READY || may_ready);
    end

    // How the timer tells the time
    logic [G-1:0] least, most;
    assign least = timer == 0 ? '0 : G'((timer - 1) * P) + (timer == 10 ? '0 : phase_q);
    assign most  = G'(timer * (P + D)) + phase_q;
    always_comb
        if (!start) begin
            states: assert (state <= `OFR_LINK_FAILED && timer <= 10 && phase_q < P + D);
            down:   assert (state != `OFR_LINK_DOWN || (trained >= least && reset_q >= least));
            alive:  assert (state == `OFR_LINK_DOWN || (timer <= 7 && heard_q <= most));
            begins: assert (reset_q >= 9 * P || (state == `OFR_LINK_DOWN && trained >= reset_q));
            failed: assert (state != `OFR_LINK_FAILED || reset_q >= 9 * P);
            train:  assert (!is_train || (ready >= 9 * P && reset_q >= 9 * P));
            rises:  assert (!is_ready || (up_q >= 9 * P && reset_q >= 9 * P));
            is_up:  assert (!up || reset_q >= 9 * P);
            known:  assert (!is_train || want == `OFR_LINK_ITEM_RECEIVED ||
                            want == `OFR_LINK_ITEM_FREED);
            link:   assert (up || !link_up || up_q == 0);
        end
`endif
endmodule
`default_nettype wire
