// SPDX-License-Identifier: Apache-2.0
// Go-back-N, the receiver's side: which frame is the next to be taken, and whether it must be asked
// for. `ok` and `bad`: a frame has come, good or damaged.
`default_nettype none
`include "ofr_link.vh"

module ofr_link_order #(
    parameter int SLOW = 1         // of ofr_link
) (
    input  wire logic       clk,
    input  wire logic [1:0] slot,
    input  wire logic       clear,     // the link is down
    input  wire logic       tick,
    input  wire logic       ok,
    input  wire logic       bad,
    input  wire logic       numbered,  // it says `seq`: of itself, or of the next one with flits
    input  wire logic       flits,     // it has flits
    input  wire logic [3:0] seq,
    output logic            takes,
    output logic [3:0]      expects_q,
    output logic            wants_q,   // frame `expects` was lost
    output logic            nak        // say so now
);
    logic [3:0] gap;
    logic       in_turn, ahead, wants_d;

    assign gap     = seq - expects_q;
    assign in_turn = gap == 0;
    assign ahead   = !in_turn && !gap[3];
    assign takes   = ok && flits && in_turn && !clear;
    assign wants_d = !clear && (bad || (ok && numbered && (in_turn || ahead) ? ahead : wants_q));
    assign nak     = wants_d && (!wants_q || tick);

    ofr_link_slow #(.WIDTH(5), .SLOW(SLOW)) u_state (
        .clk, .slot, .en(1'b1), .d({wants_d, clear ? 4'd0 : expects_q + 4'(takes)}),
        .q({wants_q, expects_q})
    );
endmodule

`default_nettype wire
