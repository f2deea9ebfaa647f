// SPDX-License-Identifier: Apache-2.0
// Credits of one link port: what the slots downstream allow, per VC, and the bubble rule. All
// outputs are registers. Same as `sent`, `used` and `room` in sim/model/router.c and credit.h.
//
// Counts are cumulative, modulo 16, and of them the bits are kept that tell 0 to C apart: used =
// sent - returned. A packet granted in cycle g is in `sent` in g + 2, in the outputs in g + 3: in
// time for the route of the output's next packet, as every packet holds an output for at least four
// cycles. When a link is trained, `sent` becomes what the neighbour has received; while it is down
// nothing is in use and nothing may be sent.
`default_nettype none

module ofr_credit #(
    parameter int C = 8 // slots per VC, 2 to 8
) (
    input  wire logic        clk,
    input  wire logic        rst,
    // Link
    input  wire logic        link_up,
    input  wire logic        rebase,   // `sent` becomes `base`; only while the link is down
    /* verilator lint_off UNUSEDSIGNAL */ // high bits, where C needs fewer
    input  wire logic [11:0] base,     // packets that the neighbour has received, 4 bits a VC
    input  wire logic [11:0] returned, // slots that it has freed, likewise
    /* verilator lint_on UNUSEDSIGNAL */
    // Router
    input  wire logic        sends,    // a packet was granted this port in the cycle before
    input  wire logic [1:0]  send_vc,
    input  wire logic [3:0]  limit,    // injection: fewer slots in use than this, 0 to C
    output logic             up_q,
    output logic [11:0]      used_q,   // slots in use, 4 bits a VC
    output logic             free_q,   // adaptive VC: a free slot
    output logic [2:0]       inject_q, // per VC: more free slots than the injection threshold
    // The bubble rule (Versaci 2013, sec. 2), bit 0: VS1, bit 1: VS2. A packet enters an escape
    // ring where two slots are free, and goes on in it where one is: a ring never fills up.
    output logic [1:0]       may_enter_q,
    output logic [1:0]       may_continue_q,
    output logic [1:0]       empty_q
);
    localparam int B = $clog2(C + 1); // bits of a number of slots; 0 to C are told apart modulo 2^B

    // Sums and comparisons of so few bits are smaller and faster without a carry chain.
    function automatic logic [3:0] plus1(input logic [3:0] n);
        plus1 = {n[3] ^ &n[2:0], n[2] ^ &n[1:0], n[1] ^ n[0], !n[0]};
    endfunction

    function automatic logic [3:0] minus(input logic [3:0] a, input logic [3:0] b);
        logic low, high; // borrows of bits 1 and 2
        low   = (!a[1] && b[1]) || (a[1] == b[1] && !a[0] && b[0]);
        high  = (!a[2] && b[2]) || (a[2] == b[2] && low);
        minus = {a[3] ^ b[3] ^ high, a[2] ^ b[2] ^ low, a[1] ^ b[1] ^ (!a[0] && b[0]), a[0] ^ b[0]};
    endfunction

    function automatic logic below(input logic [3:0] a, input logic [3:0] b);
        below = (!a[3] && b[3]) || (a[3] == b[3] && ((!a[2] && b[2]) || (a[2] == b[2] &&
                ((!a[1] && b[1]) || (a[1] == b[1] && !a[0] && b[0])))));
    endfunction

    logic [3*B-1:0] sent_q;
    logic [2:0]     full;
    logic [1:0]     one_left, none;

    for (genvar v = 0; v < 3; v++) begin : g_vc
        logic [B-1:0] sent, used;
        assign sent    = sent_q[B*v +: B];
        assign used    = B'(minus(4'(sent), 4'(returned[4*v +: B])));
        assign full[v] = !below(4'(used), 4'(C)); // more: the neighbour breaks the contract
        always_ff @(posedge clk) begin
            if (rebase || (sends && send_vc == 2'(v)))
                sent_q[B*v +: B] <= rebase ? base[4*v +: B] : B'(plus1(4'(sent)));
            used_q[4*v +: 4] <= 4'(used);
            inject_q[v]      <= below(4'(used), limit);
            if (rst || !link_up) begin
                used_q[4*v +: 4] <= 4'd0;
                inject_q[v]      <= 1'b0;
            end
            if (rst)
                sent_q[B*v +: B] <= '0;
        end
        if (v != 0) begin : g_escape
            assign one_left[v-1] = full[v] || (used & B'(C - 1)) == B'(C - 1);
            assign none[v-1]     = used == '0;
        end
    end

    always_ff @(posedge clk) begin
        up_q           <= 1'b1;
        free_q         <= !full[0];
        may_continue_q <= ~full[2:1];
        may_enter_q    <= ~one_left;
        empty_q        <= none;
        if (rst || !link_up) begin
            up_q           <= 1'b0;
            free_q         <= 1'b0;
            may_continue_q <= '0;
            may_enter_q    <= '0;
            empty_q        <= '0;
        end
    end

`ifdef OFR_CHECK
    // --- What must hold (test/formal.sh proves it, the Verilated tests check it) -----------------
    // The contract of link and router, and what follows. The packet sent was routed on the outputs
    // of two cycles before; an output is held for four cycles at least.
    logic       started_q = 1'b0, entered_q = 1'b0;
    logic [1:0] since_q = 2'd3, entered_vc_q = 2'd0; // cycles since the last one was sent, to 3
    logic [2:0] down_q = 3'd0;                       // cycles that the link has been down, to 4
    logic [2:0] may_q = '0, may_2_q = '0, enter_q = '0, enter_2_q = '0;
`ifdef FORMAL
    (* anyseq *) logic enters; // the packet sent enters its ring
`else
    logic enters;
    assign enters = 1'b0; // not known here
`endif
    logic [11:0] returned_q, base_q, true_q; // true_q: what has been sent
    logic        trained_q = 1'b0; // there was a rebase since the link fell, with base_q
    always_ff @(posedge clk) begin
        started_q    <= started_q || rst;
        since_q      <= sends ? 2'd0 : since_q == 2'd3 ? 2'd3 : since_q + 1'b1;
        down_q       <= link_up ? 3'd0 : down_q == 3'd4 ? 3'd4 : down_q + 1'b1;
        may_q        <= {may_continue_q, free_q};
        may_2_q      <= may_q;
        enter_q      <= {may_enter_q, 1'b0};
        enter_2_q    <= enter_q;
        entered_q    <= sends && enters && !rebase && !rst;
        entered_vc_q <= send_vc;
        returned_q   <= returned;
        trained_q    <= rst || (!link_up && (trained_q || rebase));
        if (rebase || rst)
            base_q <= rst ? '0 : base;
        for (int v = 0; v < 3; v++)
            true_q[4*v +: 4] <= rst ? 4'd0 : rebase ? base[4*v +: 4]
                                : true_q[4*v +: 4] + 4'(sends && send_vc == 2'(v));
        if (rst) begin
            since_q   <= 2'd3;
            down_q    <= 3'd4; // nothing is under way, as after a fall
            may_q     <= '0;
            may_2_q   <= '0;
            enter_q   <= '0;
            enter_2_q <= '0;
        end
    end
`ifdef FORMAL
    always_comb
        if (!started_q)
            assume (rst);
    always_comb
`else
    always_ff @(posedge clk)
`endif
    begin
        if (started_q) begin
            assume (send_vc != 2'd3);
            if (sends)
                assume (since_q == 2'd3 && may_2_q[send_vc] && (!enters || enter_2_q[send_vc]));
            // The link is trained when it has been down for long enough: then `base` is what the
            // neighbour has received, not more than C of it not freed. A reset of both counts as
            // that, with 0.
            assume (rst || !rebase || (!link_up && down_q == 3'd4));
            assume (rst || !(link_up && !up_q) || trained_q);
            for (int v = 0; v < 3; v++) begin
                if (link_up && !up_q && !rst)
                    assume (4'(base_q[4*v +: 4] - returned[4*v +: 4]) <= 4'(C));
                // No more comes back than is there
                if (link_up && up_q && !rst)
                    assume (4'(returned[4*v +: 4] - returned_q[4*v +: 4]) <=
                            4'(true_q[4*v +: 4] - returned_q[4*v +: 4]));
            end
        end
        if (started_q && !rst) begin
            if (trained_q && !up_q)
                assert (true_q == base_q && down_q == 3'd4);
            if (down_q == 3'd4)
                assert (!up_q && may_2_q == 3'd0);
            for (int v = 0; v < 3; v++) begin
                assert (sent_q[B*v +: B] == true_q[4*v +: B]);
                assert (used_q[4*v +: 4] <= 4'(C));
                if (link_up)
                    assert (4'(true_q[4*v +: 4] - returned[4*v +: 4]) <= 4'(C));
            end
            // The bubble: where a packet has entered a ring, a slot is still free
            if (entered_q && link_up && up_q)
                assert (4'(true_q[4*entered_vc_q +: 4] - returned[4*entered_vc_q +: 4]) <=
                        4'(C - 1));
            assert (!(may_enter_q[0] && !may_continue_q[0]) && !(may_enter_q[1] &&
                    !may_continue_q[1]));
        end
    end
`endif
endmodule

`default_nettype wire
