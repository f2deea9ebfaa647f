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
    output logic                      no_credit,
    output logic                      refused,
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

    // Per dimension + and -; the escape's is + where both are minimal
    logic [P-1:0] escape_any;
    always_comb
        for (int i = 0; i < N; i++)
            escape_any[2*i +: 2] = {minimal[2*i + 1] && !minimal[2*i], minimal[2*i]};

    // Dimension order
    logic [P-1:0] escape;
    for (genvar i = 0; i < N; i++) begin : g_escape
        if (i == 0) begin : g_first
            assign escape[1:0] = escape_any[1:0];
        end else begin : g_rest
            assign escape[2*i +: 2] = &here[i-1:0] ? escape_any[2*i +: 2] : 2'b00;
        end
    end

    // rdr keeps the first dimension of the packet's order that is not here
    logic [N-1:0] later; // some dimension that is not here comes before this one
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

    // Adaptive VC. `stops` is the same at all inputs: q has room and is preferred to p.
    logic [P-1:0] mask, room, best;
    logic         adaptive, full;
    assign adaptive = class_f != `OFR_PKT_CLASS_INORDER;
    assign room     = mgmt ? any : open;
    always_comb
        for (int p = 0; p < P; p++)
            mask[p] = minimal[p] && !later[p/2];
    assign full = !adaptive || !(|(mask & any));
    always_comb
        for (int p = 0; p < P; p++) begin
            best[p] = mask[p] && room[p] && adaptive;
            for (int q = 0; q < P; q++)
                if (q != p && mask[q] && room[q] && (q < p ? prefer[P*q + p] : !prefer[P*p + q]))
                    best[p] = 1'b0;
        end

    // Escape VC, by the bubble rule: may_continue in its ring, else may_enter. From the local port
    // packets that may go adaptively can be told to enter an empty VC only, or none.
    logic [P-1:0] esc;
    logic         ring;    // 0: VS1, 1: VS2
    logic         goes_on; // in its ring
    logic         enters, held_here, escapes, restricted, dead;
    always_comb begin
        ring = head[`OFR_PKT_LEG_LSB];
        esc  = escape;
        if (LOCAL != 0 && directed) begin
            ring = 1'b1;
            for (int p = 0; p < P; p++)
                esc[p] = head[3:0] == 4'(p);
        end
        dead       = !(|(esc & up));
        goes_on    = LOCAL == 0 && esc[INDEX ^ 1] && vc == (ring ? `OFR_VC_VS2 : `OFR_VC_VS1);
        enters     = |(esc & (ring ? may_enter[2*P-1:P] : may_enter[P-1:0])) &&
                     (LOCAL == 0 || mgmt ||
                      |(esc & (ring ? esc_open[2*P-1:P] : esc_open[P-1:0])));
        restricted = LOCAL != 0 && adaptive && !mgmt &&
                     escape_mode != `OFR_NODE_ROUTING_ESCAPE_BUBBLE;
        if (restricted)
            enters = escape_mode == `OFR_NODE_ROUTING_ESCAPE_EMPTY &&
                     |(esc & (ring ? empties[2*P-1:P] : empties[P-1:0]));
        held_here = !mgmt && !hold_own && held_ring == ring && |(esc & hold);
        escapes   = goes_on ? (ring ? may_continue[P + (INDEX ^ 1)] : may_continue[INDEX ^ 1]) &&
                              !(held_here && held_through)
                            : enters && !held_here;
    end

    logic to_local, to_discard, use_escape;
    assign to_local   = directed ? LOCAL == 0 && mgmt : configured && &here;
    assign to_discard = directed ? !mgmt : !configured || |outside;
    assign wait_ofr   = deroutes && configured && !(|outside) && !decided;
    assign use_escape = (LOCAL != 0 && directed) || full;

    always_comb begin
        out       = '0;
        out_vc    = `OFR_VC_ADAPTIVE;
        refused   = 1'b0;
        grantable = 1'b0;
        no_credit = 1'b0;
        if (to_discard) begin
            out[P+1]  = 1'b1;
            grantable = 1'b1;
        end else if (wait_ofr) begin
            grantable = 1'b0;
        end else if (to_local) begin
            out[P]    = 1'b1;
            grantable = 1'b1;
        end else if (use_escape && dead) begin
            out[P+1]  = 1'b1; // to wait for an adaptive slot without a way out could be for ever
            grantable = 1'b1;
        end else if (use_escape) begin
            out[P-1:0] = esc;
            out_vc     = ring ? `OFR_VC_VS2 : `OFR_VC_VS1;
            grantable  = escapes;
            no_credit  = !escapes;
            refused    = !goes_on && !enters && !restricted;
        end else begin
            out[P-1:0] = best;
            grantable  = |best;
            no_credit  = !grantable;
        end
    end
endmodule

`default_nettype wire
