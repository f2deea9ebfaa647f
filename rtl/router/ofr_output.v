// SPDX-License-Identifier: Apache-2.0
// One output of the router: stage B's arbiter, the switch, the register at the pins. An input is
// granted for a whole packet; the next grant overlaps the tail.
`default_nettype none

module ofr_output #(
    parameter int INPUTS = 5, // inputs of the router, 2N + 1
    parameter int W      = 32 // flit width in bits
) (
    input  wire logic                clk,
    input  wire logic                rst,
    // Stage B. The choice, round robin, does not wait for what is late: whether this output is free
    // and whether the input chosen can take a new packet now. If not, there is no grant this cycle.
    input  wire logic [INPUTS-1:0]   ask,
    input  wire logic [INPUTS-1:0]   can_take,
    input  wire logic                same_turn, // the grant before does not move the round robin on
    output logic [INPUTS-1:0]        offer,     // chosen, and the output is free
    output logic                     new_q,     // a packet was granted in the cycle before
    output logic [1:0]               vc,        // the running packet's
    // Transfer
    input  wire logic [INPUTS-1:0]   full,   // a flit is at the switch
    input  wire logic [INPUTS-1:0]   tail,   // ... a tail
    input  wire logic [INPUTS-1:0]   poison, // ... a poisoned one
    input  wire logic [2*INPUTS-1:0] to_vc,
    input  wire logic [W*INPUTS-1:0] data,
    output logic                     can_load,
    output logic                     loads,  // event: a flit enters the output register
    output logic                     loads_tail,
    output logic                     loads_poison,
    // Pins
    output logic                     tx_valid,
    input  wire logic                tx_ready,
    output logic [1:0]               tx_vc,
    output logic [W-1:0]             tx_data,
    output logic                     tx_last,
    output logic                     tx_poison
);
    localparam int PAIRS = INPUTS / 2;
    localparam int LAST  = INPUTS - 1; // the input that is in no pair

    // The owner, two bits a pair of inputs: 00 neither, 01 the even one, 10 the odd one. 11 in the
    // first two pairs: the last input.
    logic [PAIRS-1:0]  even_q, odd_q;
    logic              owned_q;
    logic [INPUTS-1:0] after_q; // inputs behind the last one granted: they come first

    // --- Stage B ---------------------------------------------------------------------------------
    logic              tail_here, free, granted;
    logic [INPUTS-1:0] win, first, after;
    assign free      = !owned_q || (tail_here && can_load);
    assign first     = ask & after_q;
    always_comb
        for (int i = 0; i < INPUTS; i++) begin
            logic [INPUTS-1:0] lower;
            lower  = INPUTS'((1 << i) - 1);
            // `first` whole would be the same and share more, but in a chain of twice the levels
            win[i] = ask[i] && !(after_q[i] ? |(first & lower)
                                            : |(ask & lower) || |(first & ~lower));
        end
    assign offer   = free ? win : '0;
    assign granted = free && |(win & can_take);

    // The inputs behind the owner. The round robin moves on in the cycle after a grant, in which
    // the output is not free: a packet's first flit is not its tail.
    always_comb
        for (int i = 0; i < INPUTS; i++) begin
            after[i] = 1'b0;
            for (int j = 0; j < PAIRS; j++)
                if (2 * j < i) // both of the pair, or the even one
                    after[i] = after[i] || (even_q[j] != odd_q[j] && (2 * j + 1 < i || even_q[j]));
        end

    always_ff @(posedge clk) begin
        new_q <= granted;
        if (free) begin
            owned_q <= granted;
            for (int j = 0; j < PAIRS; j++) begin
                even_q[j] <= granted && (win[2*j] || (j < 2 && win[LAST]));
                odd_q[j]  <= granted && (win[2*j + 1] || (j < 2 && win[LAST]));
            end
        end
        if (new_q && !same_turn)
            after_q <= after;
        if (rst) begin
            new_q   <= 1'b0;
            owned_q <= 1'b0;
            even_q  <= '0;
            odd_q   <= '0;
            after_q <= {{INPUTS-1{1'b1}}, 1'b0}; // Yosys takes ~INPUTS'(1) for 1
        end
    end

    // --- Transfer --------------------------------------------------------------------------------
    logic         arrives, poisoned;
    logic [W-1:0] flit;
    ofr_switch #(.INPUTS(INPUTS), .WIDTH(W)) flit_switch (
        .bits(data), .even(even_q), .odd(odd_q), .owners(flit)
    );
    ofr_switch #(.INPUTS(INPUTS), .WIDTH(2)) vc_switch (
        .bits(to_vc), .even(even_q), .odd(odd_q), .owners(vc)
    );
    ofr_switch #(.INPUTS(INPUTS), .WIDTH(1)) full_switch (
        .bits(full), .even(even_q), .odd(odd_q), .owners(arrives)
    );
    ofr_switch #(.INPUTS(INPUTS), .WIDTH(1)) tail_switch (
        .bits(tail), .even(even_q), .odd(odd_q), .owners(tail_here)
    );
    ofr_switch #(.INPUTS(INPUTS), .WIDTH(1)) poison_switch (
        .bits(poison), .even(even_q), .odd(odd_q), .owners(poisoned)
    );

    assign can_load     = !tx_valid || tx_ready;
    assign loads        = arrives && can_load;
    assign loads_tail   = tail_here && can_load;
    assign loads_poison = poisoned && can_load;

    always_ff @(posedge clk) begin
        if (can_load) begin
            tx_valid  <= arrives;
            tx_vc     <= vc;
            tx_data   <= flit;
            tx_last   <= tail_here;
            tx_poison <= poisoned;
        end
        if (rst)
            tx_valid <= 1'b0;
    end

`ifdef OFR_CHECK
    // --- What must hold (test/formal.sh proves it, the Verilated tests check it) -----------------
    // The owner as one bit an input, and for one input, whichever, how many grants that moved the
    // round robin went to others while it asked.
    logic              started_q = 1'b0;
    logic [INPUTS-1:0] owner, granted_to_q, turn; // turn: after_q, in time
    logic [3:0]        passed_q, passed, ahead;
    logic              waits_q; // it asked in the cycle before, and another was granted
    logic [$clog2(INPUTS)-1:0] me, me_q = '0;
`ifdef FORMAL
    (* anyseq *) logic [$clog2(INPUTS)-1:0] any_me; // any value, and stays
    assign me = started_q ? me_q : any_me;
`else
    logic [7:0] turn_q = '0; // each of them in turn
    assign me = turn_q != 8'd0 ? me_q : 32'(me_q) == INPUTS - 1 ? '0 : me_q + 1'b1;
    always_ff @(posedge clk)
        turn_q <= turn_q + 1'b1;
`endif
    // Not in the block that reads them: Icarus 11 does not end with it then
    assign turn   = new_q && !same_turn ? after : after_q;
    assign passed = passed_q + 4'(waits_q && !same_turn);
    always_comb begin
        logic last;
        last = even_q[0] && odd_q[0] && even_q[1] && odd_q[1];
        for (int j = 0; j < PAIRS; j++) begin
            owner[2*j]     = even_q[j] && !(j < 2 && last);
            owner[2*j + 1] = odd_q[j] && !(j < 2 && last);
        end
        owner[LAST] = last;
        // Inputs that come before it in the round robin
        ahead = 4'd0;
        for (int i = 0; i < INPUTS; i++)
            if (i != 32'(me) && (turn[me] ? turn[i] && i < 32'(me) : turn[i] || i < 32'(me)))
                ahead = ahead + 1'b1;
    end
    always_ff @(posedge clk) begin
        me_q         <= me;
        started_q    <= started_q || rst;
        granted_to_q <= granted ? win : '0;
        waits_q      <= granted && ask[me] && !win[me];
        passed_q     <= passed;
        if (rst || me != me_q || !ask[me] || (granted && win[me]))
            passed_q <= 4'd0;
        if (rst) begin
            granted_to_q <= '0;
            waits_q      <= 1'b0;
        end
    end
`ifdef FORMAL
    // An input that owns this output sends a packet by the rules, and so do the pins
    for (genvar i = 0; i < INPUTS; i++) begin : g_rules
        ofr_flit_rules #(.L(4), .ASSUME(1)) rules (
            .clk, .rst, .valid(full[i] && owner[i]), .ready(can_load), .vc(to_vc[2*i +: 2]),
            .last(tail[i])
        );
    end
    ofr_flit_rules #(.L(4)) pin_rules (
        .clk, .rst, .valid(tx_valid), .ready(tx_ready), .vc(tx_vc), .last(tx_last)
    );
    always_comb begin
        assume (32'(me) < INPUTS);
        assume ((tail & ~full) == '0);
        if (!started_q)
            assume (rst);
    end
    always_comb
`else
    always_ff @(posedge clk)
`endif
        if (started_q) begin
            // At most one owner, and one that was granted is it
            assert ((owner & (owner - 1'b1)) == '0);
            assert (owned_q == (owner != '0));
            assert (granted_to_q == '0 || granted_to_q == owner);
            // The round robin moves on before the next grant
            assert (rst || !(new_q && free));
            // At most one is chosen, of those that ask
            assert ((offer & (offer - 1'b1)) == '0 && (offer & ~ask) == '0);
            // Nobody is passed over by more than INPUTS - 1 grants
            for (int i = 1; i < INPUTS; i++)
                assert (after_q[i] || !after_q[i-1]);
            assert (5'(passed) + 5'(ahead) <= 5'(INPUTS - 1) || me != me_q);
        end
`endif
endmodule

`default_nettype wire
