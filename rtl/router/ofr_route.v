// SPDX-License-Identifier: Apache-2.0
// Stage A of one input: routes a header and selects its output port and VC. Combinational.
// Same as route() and what it calls in sim/model/router.c. Ports in the order x+ x- y+ y- z+ z-.
`include "ofr_defs.vh"
`default_nettype none

module ofr_route #(
    parameter int N     = 2, // dimensions, 2 or 3
    parameter int LOCAL = 0, // 1: the local port's input
    parameter int INDEX = 0  // which port this input is (links only)
) (
    // Configuration, see ofr_router
    input  wire logic                 configured,
    input  wire logic                 rdr,
    // Room downstream of each output port, shared by all inputs
    input  wire logic [2*N-1:0]       up,
    input  wire logic [2*N-1:0]       any,      // adaptive VC: a free slot
    input  wire logic [2*N-1:0]       open,     // ... and more than this input's threshold
    input  wire logic [4*N*N-1:0]     prefer,   // bit 2N p + q, p < q: p is taken rather than q
    input  wire logic [4*N-1:0]       may_continue, // VS1 (low half), VS2: see ofr_credit
    input  wire logic [4*N-1:0]       may_enter,
    input  wire logic [4*N-1:0]       empties,  // ... no slot in use
    input  wire logic [4*N-1:0]       esc_open, // ... more free than this input's threshold
    input  wire logic [1:0]           escape_mode, // OFR_NODE_ROUTING_ESCAPE_*, for the local port
    input  wire logic [2*N-1:0]       hold,     // the output whose ring is kept for an entry
    input  wire logic                 hold_own, // ... of this input
    input  wire logic                 held_ring, // ... which: 0 VS1, 1 VS2
    input  wire logic                 held_through, // ... also from who goes on in it
    // Decision of the OFR unit (LOCAL)
    input  wire logic                 decided,  // the header has it
    // The header
    input  wire logic [15:0]          head,     // its first 16 bits
    input  wire logic [N-1:0]         here,     // its target, see ofr_bearings
    input  wire logic [N-1:0]         outside,
    input  wire logic [2*N-1:0]       minimal,
    input  wire logic [1:0]           vc,
    // rdr: 01, 02, 12: the former comes before the latter
    input  wire logic [N*(N-1)/2-1:0] order,
    output logic                      deroutes, // has a decision of the OFR unit
    output logic                      wait_ofr, // ... and waits for it
    output logic                      grantable,
    output logic                      closed_to, // where not grantable, nor waiting: entry refused
    output logic [2*N+1:0]            out, // one-hot: links, local, discard
    output logic [1:0]                out_vc
);
    localparam int P = 2 * N;

    logic unused;
    assign unused = ^head[11:0]; // looked at by ofr_bearings

    logic [1:0] class_f;
    logic       mgmt, directed;
    assign class_f  = head[`OFR_PKT_CLASS_LSB +: 2];
    assign mgmt     = head[`OFR_PKT_MGMT_LSB];
    assign directed = class_f == `OFR_PKT_CLASS_DIRECTED;
    assign deroutes = LOCAL != 0 && vc == `OFR_LVC_DEROUTE && class_f == `OFR_PKT_CLASS_DEROUTE;

    // The target's tables are late: what is asked of a port is prepared for each, and the port is
    // chosen last, by sums of products over the dimensions.

    // Of what is asked of each port: of the escape's, in dimension order, + where both are minimal
    logic         named; // the header names its port
    logic [P-1:0] name;
    assign named = LOCAL != 0 && directed;
    always_comb
        for (int p = 0; p < P; p++)
            name[p] = head[3:0] == 4'(p);

    function automatic logic of_escape(input logic [P-1:0] port, input logic [P-1:0] ways,
                                       input logic [N-2:0] there);
        logic [N-1:0] along;
        for (int i = 0; i < N; i++)
            along[i] = ways[2*i] ? port[2*i] : ways[2*i + 1] && port[2*i + 1];
        of_escape = along[0] || (there[0] && along[1]) ||
                    (N == 3 && there[0] && there[N-2] && along[N-1]);
    endfunction

    // ... of any adaptive one
    logic [N-1:0] later; // rdr: some dimension that is not here comes before this one
    function automatic logic of_adaptive(input logic [P-1:0] port, input logic [P-1:0] ways,
                                         input logic [N-1:0] not_now);
        logic [N-1:0] along;
        for (int i = 0; i < N; i++)
            along[i] = !not_now[i] && ((ways[2*i] && port[2*i]) ||
                                       (ways[2*i + 1] && port[2*i + 1]));
        of_adaptive = |along;
    endfunction

    // rdr keeps the first dimension of the packet's order that is not here
    always_comb begin
        if (N == 2)
            later = N'({order[0] && !here[0], !order[0] && !here[N-1]});
        else begin
            later[0]   = (!order[0] && !here[1]) || (!order[N-2] && !here[N-1]);
            later[1]   = (order[0] && !here[0]) || (!order[N*(N-1)/2-1] && !here[N-1]);
            later[N-1] = (order[N-2] && !here[0]) || (order[N*(N-1)/2-1] && !here[1]);
        end
        if (!rdr)
            later = '0;
    end

    // Adaptive VC. `best` is one-hot if a port has room: q has room and is preferred to p.
    logic [P-1:0] room, best;
    logic         may_adapt, adapts, has_room;
    assign may_adapt = class_f != `OFR_PKT_CLASS_INORDER && !named;
    assign room      = mgmt ? any : open;
    assign adapts    = of_adaptive(any & {P{may_adapt}}, minimal, later);
    assign has_room  = LOCAL == 0 || of_adaptive(room, minimal, later); // a link's input: any
    always_comb
        for (int p = 0; p < P; p++) begin
            best[p] = minimal[p] && !later[p/2] && room[p];
            for (int q = 0; q < P; q++)
                if (q != p && minimal[q] && !later[q/2] && room[q] &&
                    (q < p ? prefer[P*q + p] : !prefer[P*p + q]))
                    best[p] = 1'b0;
        end

    // Escape VC, by the bubble rule: may_continue in its ring, else may_enter. From the local port
    // packets that may go adaptively can be told to enter an empty VC only, or none. What names its
    // port is management (else it is discarded): nothing keeps it but the bubble rule of VS2.
    logic         ring;    // 0: VS1, 1: VS2
    logic         goes_on; // in its ring, if it goes through INDEX ^ 1
    logic         holds;   // an entry of another input may keep a ring for itself
    logic         restricted, alive, blocked, held;
    logic [P-1:0] closed, shut, kept; // ports that are up where it may not go
    assign ring       = head[`OFR_PKT_LEG_LSB];
    assign restricted = LOCAL != 0 && !named && class_f != `OFR_PKT_CLASS_INORDER && !mgmt &&
                        escape_mode != `OFR_NODE_ROUTING_ESCAPE_BUBBLE;
    assign holds      = !mgmt && !hold_own && held_ring == ring;
    assign goes_on    = LOCAL == 0 && vc == (ring ? `OFR_VC_VS2 : `OFR_VC_VS1);
    always_comb begin
        for (int p = 0; p < P; p++) begin
            closed[p] = up[p] && !((ring ? may_enter[P + p] : may_enter[p]) &&
                        (LOCAL == 0 || mgmt || (ring ? esc_open[P + p] : esc_open[p])));
            shut[p]   = up[p] && !(escape_mode == `OFR_NODE_ROUTING_ESCAPE_EMPTY &&
                        (ring ? empties[P + p] : empties[p]));
            kept[p]   = up[p] && hold[p];
        end
        if (goes_on) begin
            closed[INDEX ^ 1] = up[INDEX ^ 1] && !(ring ? may_continue[P + (INDEX ^ 1)]
                                                        : may_continue[INDEX ^ 1]);
            kept[INDEX ^ 1]   = up[INDEX ^ 1] && hold[INDEX ^ 1] && held_through;
        end
    end
    assign alive   = named ? |(name & up) : of_escape(up, minimal, here[N-2:0]);
    assign blocked = named ? |(name & up & ~may_enter[2*P-1:P])
                           : of_escape(restricted ? shut : closed, minimal, here[N-2:0]);
    assign held    = holds && !named && of_escape(kept, minimal, here[N-2:0]);

    logic to_local, to_discard, moves_on;
    assign to_local   = directed ? LOCAL == 0 && mgmt : configured && &here;
    assign to_discard = directed ? !mgmt : !configured || |outside;
    assign wait_ofr   = deroutes && configured && !(|outside) && !decided;
    assign moves_on   = !to_discard && !wait_ofr && !to_local;

    // Without a way out it is discarded: to wait for an adaptive slot could be for ever.
    assign grantable = to_discard || (!wait_ofr && (to_local ||
                       (adapts ? has_room : !blocked && !held)));
    assign closed_to = blocked && !restricted && (LOCAL == 0 || !adapts) &&
                       !(goes_on && of_escape(P'(1) << (INDEX ^ 1), minimal, here[N-2:0]));
    assign out_vc    = !(moves_on && !adapts && alive) ? `OFR_VC_ADAPTIVE
                                                       : named || ring ? `OFR_VC_VS2 : `OFR_VC_VS1;
    for (genvar p = 0; p < P; p++) begin : g_out
        assign out[p] = moves_on && (adapts ? best[p] : up[p] && (named ? name[p] :
                        of_escape(P'(1) << p, minimal, here[N-2:0])));
    end
    assign out[P]   = to_local && !to_discard && !wait_ofr;
    assign out[P+1] = to_discard || (moves_on && !adapts && !alive);
endmodule

`default_nettype wire
