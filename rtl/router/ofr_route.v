// SPDX-License-Identifier: Apache-2.0
// Stage A of one input: routes a header and selects its output port and VC. Combinational.
// Same as route() and below in sim/model/router.c. Ports in the order x+ x- y+ y- z+ z-.
`include "ofr_defs.vh"
`default_nettype none

module ofr_route #(
    parameter int N     = 2, // dimensions, 2 or 3
    parameter int W     = 32, // flit width in bits, 16, 32 or 64
    parameter int LOCAL = 0, // 1: the local port's input
    parameter int INDEX = 0  // which port this input is (links only)
) (
    // Configuration, see ofr_router
    input  wire logic             configured,
    input  wire logic [4*N-1:0]   me,
    input  wire logic [5*N-1:0]   k,
    input  wire logic [4*N-1:0]   last_plus,   // largest distance along + that is minimal
    input  wire logic [5*N-1:0]   first_minus, // smallest distance along + at which - is minimal
    input  wire logic [1:0]       select,
    // Room downstream of each output port, shared by all inputs
    input  wire logic [2*N-1:0]   up,
    input  wire logic [2*N-1:0]   any,      // adaptive VC: a free slot
    input  wire logic [2*N-1:0]   open,     // ... and more than this input's threshold
    input  wire logic [4*N*N-1:0] ge,       // bit 2N p + q: adaptive room of p >= that of q
    input  wire logic [4*N-1:0]   one,      // VS1 (low half), VS2: a free slot
    input  wire logic [4*N-1:0]   two,      // ... at least two
    input  wire logic [4*N-1:0]   esc_open, // ... more than this input's threshold
    // Randomness: an order of the dimensions for rdr, a byte and a bit of this cycle
    input  wire logic [2:0]       order,
    input  wire logic [2:0]       order_now,
    input  wire logic             coin,
    // Decision of the OFR unit (LOCAL)
    input  wire logic             decided,
    input  wire logic             derouted,
    input  wire logic [4*N-1:0]   idn,
    // The header
    input  wire logic [W-1:0]     flit,
    input  wire logic [1:0]       vc,
    input  wire logic             swapped, // has been through its IDN here
    output logic [W-1:0]          flit_out,
    output logic                  swap,
    output logic                  need,     // W = 16 at the IDN: the destination is in flit 1
    output logic                  wait_ofr, // waits for the OFR unit
    output logic                  grantable,
    output logic                  no_credit,
    output logic                  refused,
    output logic                  entry,
    output logic [2*N+1:0]        out, // one-hot: links, local, discard
    output logic [1:0]            out_vc
);
    localparam int P = 2 * N;

    logic [1:0] class_f;
    logic       mgmt, directed, at_idn, deroutes;
    assign class_f  = flit[`OFR_PKT_CLASS_LSB +: 2];
    assign mgmt     = flit[`OFR_PKT_MGMT_LSB];
    assign directed = class_f == `OFR_PKT_CLASS_DIRECTED;
    assign at_idn   = LOCAL == 0 && configured && !directed && !swapped &&
                      !flit[`OFR_PKT_LEG_LSB] && flit[4*N-1:0] == me;
    assign swap     = swapped || at_idn;
    assign need     = W == 16 && at_idn;
    assign deroutes = LOCAL != 0 && vc == `OFR_LVC_DEROUTE && class_f == `OFR_PKT_CLASS_DEROUTE;

    // The header as it leaves
    always_comb begin
        flit_out = flit;
        if (directed) begin
            if (LOCAL == 0 && mgmt)
                flit_out[3:0] = INDEX[3:0];
        end else if (configured) begin
            if (LOCAL != 0 || at_idn)
                flit_out[`OFR_PKT_LEG_LSB] = 1'b1;
            if (at_idn && W > 16) begin
                flit_out[11:0] = flit[(W > 16 ? 16 : 0) +: 12];
                flit_out[(W > 16 ? 16 : 0) +: 12] = {{12-4*N{1'b0}}, me};
            end
            if (deroutes && decided && derouted) begin
                flit_out[11:0] = {{12-4*N{1'b0}}, idn};
                flit_out[`OFR_PKT_LEG_LSB] = 1'b0;
            end
        end
    end

    // Minimal directions and the escape's, per dimension
    logic [N-1:0] here, outside;
    logic [P-1:0] minimal, escape_any;
    for (genvar i = 0; i < N; i++) begin : g_dim
        logic [3:0] t;
        logic [4:0] diff;
        logic [3:0] ahead; // distance along +
        logic       plus;
        assign t     = flit_out[4*i +: 4];
        assign diff  = {1'b0, t} - {1'b0, me[4*i +: 4]};
        assign ahead = diff[3:0] + (diff[4] ? k[5*i +: 4] : 4'd0);
        assign here[i]    = t == me[4*i +: 4];
        assign outside[i] = {1'b0, t} >= k[5*i +: 5];
        assign plus  = !here[i] && ahead <= last_plus[4*i +: 4];
        assign escape_any[2*i +: 2] = {!here[i] && !plus, plus};
        assign minimal[2*i +: 2]    = {{1'b0, ahead} >= first_minus[5*i +: 5], plus};
    end

    // Dimension order
    logic [P-1:0] escape;
    for (genvar i = 0; i < N; i++) begin : g_escape
        if (i == 0) begin : g_first
            assign escape[1:0] = escape_any[1:0];
        end else begin : g_rest
            assign escape[2*i +: 2] = &here[i-1:0] ? escape_any[2*i +: 2] : 2'b00;
        end
    end

    // Dimensions in an order: 0 or 1 for N = 2, 0 to 5 for N = 3. `first` keeps the first one of
    // the order that has a port in the mask.
    function automatic logic [P-1:0] first_dim(input logic [P-1:0] mask, input logic [2:0] o);
        logic [N-1:0] dims, earlier; // earlier[i]: a dimension ahead of i has one
        for (int i = 0; i < N; i++)
            dims[i] = |mask[2*i +: 2];
        earlier = '0;
        if (N == 2) begin
            earlier[0] = o[0] && dims[1];
            earlier[1] = !o[0] && dims[0];
        end else begin
            case (o)
                3'd0: begin earlier[1] = dims[0]; earlier[N-1] = dims[0] || dims[1]; end
                3'd1: begin earlier[N-1] = dims[0]; earlier[1] = dims[0] || dims[N-1]; end
                3'd2: begin earlier[0] = dims[1]; earlier[N-1] = dims[0] || dims[1]; end
                3'd3: begin earlier[N-1] = dims[1]; earlier[0] = dims[1] || dims[N-1]; end
                3'd4: begin earlier[0] = dims[N-1]; earlier[1] = dims[0] || dims[N-1]; end
                default: begin earlier[1] = dims[N-1]; earlier[0] = dims[1] || dims[N-1]; end
            endcase
        end
        for (int i = 0; i < N; i++)
            first_dim[2*i +: 2] = earlier[i] ? 2'b00 : mask[2*i +: 2];
    endfunction

    // Adaptive VC
    logic [P-1:0] mask, candidates, random_dim, best, chosen;
    logic         adaptive, full;
    assign adaptive   = class_f != `OFR_PKT_CLASS_INORDER;
    assign mask       = select == `OFR_SELECT_RDR ? first_dim(minimal, order) : minimal;
    assign candidates = adaptive ? mask & (mgmt ? any : open) : '0;
    assign full       = !adaptive || !(|(mask & any));
    assign random_dim = first_dim(candidates, order_now);
    always_comb begin
        best = candidates;
        for (int p = 0; p < P; p++)
            for (int q = 0; q < P; q++)
                if (q < p && candidates[q] && (select == `OFR_SELECT_LOWEST || ge[P*q + p]))
                    best[p] = 1'b0;
                else if (q > p && candidates[q] && select != `OFR_SELECT_LOWEST && !ge[P*p + q])
                    best[p] = 1'b0;
        chosen = best;
        if (select == `OFR_SELECT_RANDOM_FREE)
            for (int i = 0; i < N; i++)
                chosen[2*i +: 2] =
                    &random_dim[2*i +: 2] ? {coin, !coin} : random_dim[2*i +: 2];
    end

    // Escape VC: one free slot to go on in a ring, two to enter it
    logic [P-1:0] esc, goes_on, bubble, roomy;
    logic         ring; // 0: VS1, 1: VS2
    always_comb begin
        ring    = directed || flit_out[`OFR_PKT_LEG_LSB];
        esc     = escape;
        if (directed) begin
            esc = '0;
            for (int p = 0; p < P; p++)
                esc[p] = flit[3:0] == 4'(p);
        end
        goes_on = '0;
        if (LOCAL == 0 && vc == (ring ? `OFR_VC_VS2 : `OFR_VC_VS1))
            goes_on[INDEX ^ 1] = 1'b1;
        for (int p = 0; p < P; p++) begin
            bubble[p] = goes_on[p] ? one[P*32'(ring) + p] : two[P*32'(ring) + p];
            roomy[p]  = mgmt || esc_open[P*32'(ring) + p];
        end
    end

    logic to_local, to_discard, use_adaptive;
    assign to_local   = directed ? LOCAL == 0 && mgmt : configured && &here && !(|outside);
    assign to_discard = directed ? !mgmt || (LOCAL != 0 && !(|(esc & up)))
                                 : !configured || |outside;
    assign wait_ofr   = !directed && deroutes && configured && !(|outside) && !decided;
    assign use_adaptive = !directed && |candidates;

    always_comb begin
        out       = '0;
        out_vc    = `OFR_VC_ADAPTIVE;
        entry     = 1'b0;
        refused   = 1'b0;
        grantable = 1'b0;
        no_credit = 1'b0;
        if (to_discard) begin
            out[P+1]  = 1'b1;
            grantable = 1'b1;
        end else if (wait_ofr || need) begin
            grantable = 1'b0;
        end else if (to_local) begin
            out[P]    = 1'b1;
            grantable = 1'b1;
        end else if (use_adaptive) begin
            out[P-1:0] = chosen;
            grantable  = 1'b1;
        end else if (directed || full) begin
            out[P-1:0] = esc;
            out_vc     = ring ? `OFR_VC_VS2 : `OFR_VC_VS1;
            entry      = !(|(esc & goes_on));
            grantable  = |(esc & bubble & roomy);
            no_credit  = !grantable;
            refused    = entry && !(|(esc & bubble));
        end else begin
            no_credit = 1'b1;
        end
    end
endmodule

`default_nettype wire
