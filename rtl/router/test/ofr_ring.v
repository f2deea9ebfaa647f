// SPDX-License-Identifier: Apache-2.0
// For test/formal.sh: an escape ring of four nodes around their credit units (`ofr_credit`), which
// never fills up: packets enter it on two slots and go on in it with one, whenever they like, and
// credits come back whenever they like, so what the units know is old. Every buffer's packets are
// a count; a grant is what the router makes of it: an output is held for four cycles or more, and
// the packet was routed on the unit's outputs of two cycles before.
`default_nettype none

module ofr_ring #(
    parameter int C = 2 // slots per VC, 2 to 8
) (
    input wire logic clk
);
    localparam int NODES = 4; // link i leads from node i to the buffer in node i + 1

    (* anyseq *) logic [NODES-1:0]   want_enter, want_on, leaves, frees; // what could happen
    logic                started_q = 1'b0;
    logic [NODES-1:0]    enters, goes_on, sends_q, may_enter, may_continue;
    logic [4*NODES-1:0]  sent_q, gone_q, returned_q; // cumulative, modulo 16
    logic [5:0]          packets;                    // in the ring
    logic [NODES-1:0]    settled;                    // what a unit says is up to date
    logic                rst;
    assign rst = !started_q;

    for (genvar i = 0; i < NODES; i++) begin : g_node
        localparam int BEHIND = (i + NODES - 1) % NODES; // the link that comes into node i
        logic [1:0]  since_q, quiet_q; // cycles since a grant, since anything happened, to 3
        logic [1:0]  may_enters, may_continues, empty;
        logic        may_q, may_2_q, enter_q, enter_2_q, free_now, goes, up, any;
        logic [3:0]  here, behind;
        logic [2:0]  inject;
        logic [11:0] used;
        assign may_enter[i]    = may_enters[0];
        assign may_continue[i] = may_continues[0];
        assign here    = sent_q[4*i +: 4] - gone_q[4*i +: 4];
        assign behind  = sent_q[4*BEHIND +: 4] - gone_q[4*BEHIND +: 4];
        // One packet at a time, of those that are there; one that goes on leaves a buffer
        assign free_now   = since_q == 2'd3 && !sends_q[i];
        assign goes_on[i] = want_on[i] && free_now && may_2_q && behind != 4'd0;
        assign enters[i]  = want_enter[i] && free_now && enter_2_q && !goes_on[i];
        assign goes       = goes_on[(i + 1) % NODES] || (leaves[i] && here != 4'd0);
        assign settled[i] = returned_q[4*i +: 4] == gone_q[4*i +: 4] && quiet_q == 2'd3;
        ofr_credit #(.C(C)) unit (
            .clk, .rst, .link_up(!rst), .rebase(1'b0), .base(12'd0),
            .returned({4'd0, returned_q[4*i +: 4], 4'd0}), .sends(sends_q[i]), .send_vc(2'd1),
            .limit(4'd0), .up_q(up), .used_q(used), .free_q(any), .inject_q(inject),
            .may_enter_q(may_enters), .may_continue_q(may_continues), .empty_q(empty)
        );
        always_ff @(posedge clk) begin
            sends_q[i] <= goes_on[i] || enters[i];
            since_q    <= sends_q[i] ? 2'd0 : since_q == 2'd3 ? 2'd3 : since_q + 1'b1;
            may_q      <= may_continue[i];
            may_2_q    <= may_q;
            enter_q    <= may_enter[i];
            enter_2_q  <= enter_q;
            if (goes_on[i] || enters[i])
                sent_q[4*i +: 4] <= sent_q[4*i +: 4] + 1'b1;
            if (goes)
                gone_q[4*i +: 4] <= gone_q[4*i +: 4] + 1'b1;
            if (frees[i] && returned_q[4*i +: 4] != gone_q[4*i +: 4])
                returned_q[4*i +: 4] <= returned_q[4*i +: 4] + 1'b1;
            quiet_q <= goes_on[i] || enters[i] || frees[i] ? 2'd0 : quiet_q == 2'd3 ? 2'd3
                       : quiet_q + 1'b1;
            if (rst) begin
                sends_q[i] <= 1'b0;
                since_q    <= 2'd3;
                quiet_q    <= '0;
                may_q      <= 1'b0;
                may_2_q    <= 1'b0;
                enter_q    <= 1'b0;
                enter_2_q  <= 1'b0;
                sent_q[4*i +: 4]     <= '0;
                gone_q[4*i +: 4]     <= '0;
                returned_q[4*i +: 4] <= '0;
            end
        end
        always_comb
            if (started_q) begin
                assert (4'(sent_q[4*i +: 4] - returned_q[4*i +: 4]) <= 4'(C));
                assert (4'(gone_q[4*i +: 4] - returned_q[4*i +: 4]) <=
                        4'(sent_q[4*i +: 4] - returned_q[4*i +: 4]));
            end
    end

    always_comb begin
        packets = '0;
        for (int i = 0; i < NODES; i++)
            packets = packets + 6'(4'(sent_q[4*i +: 4] - gone_q[4*i +: 4]));
        if (started_q) begin
            // A slot is free somewhere; and when all credits are home a node knows it, and moves
            assert (packets < 6'(NODES * C));
            assert (!(&settled) || |may_continue);
        end
    end
    always_ff @(posedge clk)
        started_q <= 1'b1;
endmodule

`default_nettype wire
