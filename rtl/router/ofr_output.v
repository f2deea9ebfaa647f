// SPDX-License-Identifier: Apache-2.0
// One output of the router: stage B's arbiter, the owner of the running packet, the register at the
// pins. An input is granted for a whole packet; the next grant overlaps the tail.
`default_nettype none

module ofr_output #(
    parameter int INPUTS = 5, // inputs of the router, 2N + 1
    parameter int W      = 32 // flit width in bits
) (
    input  wire logic                clk,
    input  wire logic                rst,
    // Stage B: who asks, with what VC; management goes first, then round robin
    input  wire logic [INPUTS-1:0]   ask,
    input  wire logic [INPUTS-1:0]   ask_mgmt,
    input  wire logic [2*INPUTS-1:0] ask_vc,
    output logic [INPUTS-1:0]        grant,
    output logic [1:0]               grant_vc,
    // Transfer
    input  wire logic [INPUTS-1:0]   moves,
    input  wire logic [INPUTS-1:0]   ends,
    input  wire logic [W*INPUTS-1:0] data,
    input  wire logic [INPUTS-1:0]   poison,
    output logic                     can_load,
    output logic                     loads,  // event: a flit enters the output register
    output logic                     loads_tail,
    output logic                     loads_poison,
    output logic [1:0]               owner_vc,
    // Pins
    output logic                     tx_valid,
    input  wire logic                tx_ready,
    output logic [1:0]               tx_vc,
    output logic [W-1:0]             tx_data,
    output logic                     tx_last,
    output logic                     tx_poison
);
    localparam int PAIRS = (INPUTS + 1) / 2;

    // The owner: which pair of inputs it is in, one-hot, and whether it is the odd one
    logic              owned_q, odd_q, free, moving, ending, poisoned;
    logic [PAIRS-1:0]  pair_q;
    logic [INPUTS-1:0] after_q; // inputs behind the last granted one: they come first
    logic [W-1:0]      flit;

    // One of the inputs' bits. A chain of 4-input functions, each of which takes in two more
    // inputs:
    // the first one becomes the constant `odd` when the owner is further on, and a later one that
    // is
    // selected takes this as its select. Half the LUTs of a tree of multiplexers.
    function automatic logic pick(input logic [2*PAIRS-1:0] bits, input logic [PAIRS-1:0] pair,
                                  input logic odd);
        pick = pair[0] ? (odd ? bits[1] : bits[0]) : odd;
        for (int j = 1; j < PAIRS; j++)
            if (2*j + 1 == INPUTS)
                pick = pair[j] ? bits[2*j] : pick;
            else
                pick = pair[j] ? (pick ? bits[2*j + 1] : bits[2*j]) : pick;
    endfunction

    always_comb begin
        moving   = pick({1'b0, moves}, pair_q, odd_q);
        ending   = pick({1'b0, ends}, pair_q, odd_q);
        poisoned = pick({1'b0, poison}, pair_q, odd_q);
        for (int b = 0; b < W; b++) begin
            logic [INPUTS-1:0] bits;
            for (int i = 0; i < INPUTS; i++)
                bits[i] = data[W*i + b];
            flit[b] = pick({1'b0, bits}, pair_q, odd_q);
        end
    end

    assign free = !owned_q || ending;

    always_comb begin
        logic [INPUTS-1:0] asking, ahead;
        asking = |(ask & ask_mgmt) ? ask & ask_mgmt : ask;
        ahead  = |(asking & after_q) ? asking & after_q : asking;
        grant  = free ? ahead & (~ahead + 1'b1) : '0;
        grant_vc = 2'd0;
        for (int i = 0; i < INPUTS; i++)
            if (grant[i])
                grant_vc = grant_vc | ask_vc[2*i +: 2];
    end

    always_ff @(posedge clk) begin
        if (|grant) begin
            owned_q  <= 1'b1;
            owner_vc <= grant_vc;
            odd_q    <= 1'b0;
            for (int i = 0; i < INPUTS; i++) begin
                if (grant[i] && i % 2 == 1)
                    odd_q <= 1'b1;
                after_q[i] <= |(grant & INPUTS'((1 << i) - 1));
            end
            for (int j = 0; j < PAIRS; j++)
                pair_q[j] <= |(grant & INPUTS'(3 << 2*j));
        end else if (free) begin
            owned_q <= 1'b0;
        end
        if (rst) begin
            owned_q <= 1'b0;
            after_q <= ~INPUTS'(1);
        end
    end

    assign can_load     = !tx_valid || tx_ready;
    assign loads        = owned_q && moving;
    assign loads_tail   = owned_q && ending;
    assign loads_poison = loads_tail && poisoned;

    always_ff @(posedge clk) begin
        if (can_load) begin
            tx_valid  <= loads;
            tx_vc     <= owner_vc;
            tx_data   <= flit;
            tx_last   <= loads_tail;
            tx_poison <= loads_poison;
        end
        if (rst)
            tx_valid <= 1'b0;
    end
endmodule

`default_nettype wire
