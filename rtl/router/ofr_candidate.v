// SPDX-License-Identifier: Apache-2.0
// The header that one input works on: it takes its place from the pins or from the buffer, and is
// routed anew every cycle (stage A), until it is granted.
`include "ofr_defs.vh"
`default_nettype none

module ofr_candidate #(
    parameter int N      = 2,  // dimensions, 2 or 3
    parameter int W      = 32, // flit width in bits, 16, 32 or 64
    parameter int LOCAL  = 0,  // 1: the local port's input
    parameter int INDEX  = 0,  // which port this input is (links only)
    parameter int LUTRAM = 1   // see ofr_bearings
) (
    input  wire logic                 clk,
    input  wire logic                 rst,
    // For stage A, see ofr_route
    input  wire logic                 configured,
    input  wire logic [4*N-1:0]       me,
    input  wire logic [4*N-1:0]       top,
    input  wire logic [4*N-1:0]       half,
    input  wire logic [N-1:0]         wraps,
    input  wire logic [N-1:0]         both,
    input  wire logic [3:0]           set_t,
    input  wire logic [4*N-1:0]       set_row,
    input  wire logic                 settling, // the tables are not yet right: nothing is routed
    input  wire logic                 rdr,
    input  wire logic [2*N-1:0]       up,
    input  wire logic [2*N-1:0]       any,
    input  wire logic [2*N-1:0]       open,
    input  wire logic [4*N*N-1:0]     prefer,
    input  wire logic [4*N-1:0]       may_continue,
    input  wire logic [4*N-1:0]       may_enter,
    input  wire logic [4*N-1:0]       empties,
    input  wire logic [1:0]           escape_mode,
    input  wire logic [4*N-1:0]       esc_open,
    input  wire logic [2*N-1:0]       hold,
    input  wire logic                 hold_own,
    input  wire logic                 held_ring,
    input  wire logic                 held_through,
    // Decision of the OFR unit, for the local port's deroute VC
    input  wire logic                 decided,
    input  wire logic                 derouted,
    input  wire logic [4*N-1:0]       idn,
    output logic                      wants_decision,
    // A header from the pins
    input  wire logic                 fresh,
    input  wire logic [1:0]           fresh_vc,
    input  wire logic [W-1:0]         fresh_flit,
    input  wire logic                 fresh_swap,
    input  wire logic [N*(N-1)/2-1:0] fresh_order,
    input  wire logic [2:0]           waiting,  // the VC has others that come first
    // One fetched from the buffer, a word of ofr_arrival
    input  wire logic                 fetched,
    input  wire logic [1:0]           fetch_vc,
    input  wire logic                 fetch_behind, // it is the next in the candidate's VC
    input  wire logic [W+N*(N-1)/2:0] word,
    output logic                      adopt,    // it takes the place
    // The place
    input  wire logic                 free,     // flit 0 of the running packet has left it
    input  wire logic                 grant,
    output logic                      cand_q,
    output logic [1:0]                vc_q,
    output logic [W-1:0]              flit_q,
    // Stage A's result of the cycle before, if there is one (`routed_q`). What may not go waits for
    // a decision or for a credit; in the latter case, whether an entry to a ring is refused.
    output logic                      routed_q,
    output logic                      grantable_q,
    output logic                      no_credit,
    output logic                      refused,
    output logic [2*N+1:0]            out_q,    // one-hot: links, local, to be discarded
    output logic [1:0]                out_vc_q
);
    localparam int P  = 2 * N;
    localparam int O  = N * (N - 1) / 2; // bits of an order of the dimensions
    localparam int HI = W > 16 ? 16 : 0; // the destination in flit 0

    logic [O-1:0] order_q;
    // Else Yosys makes the target part of the tables' RAMs (`memory_dff`): twice the registers, and
    // a LUT for each.
    initial flit_q[4*N-1:0] = '0;

    // Flit 0 of the running packet leaves from the candidate's copy. Then a fetched header takes
    // the place, but not while the candidate may go (it keeps its turn), nor if it is behind it;
    // or one fresh from the pins, if nothing waits in its VC.
    logic takes_fresh;
    assign adopt       = fetched && free && !(cand_q && (grantable_q || fetch_behind));
    assign takes_fresh = fresh && !fetched && free && !cand_q && !waiting[fresh_vc];

    // Where a packet meets its IDN, target and destination change places
    logic [W-1:0] flit;
    logic         swap;
    assign swap = W > 16 && LOCAL == 0 && (fetched ? word[W] : fresh_swap);
    always_comb begin
        flit = fetched ? word[W-1:0] : fresh_flit;
        if (swap) begin
            flit[11:0]             = fetched ? word[HI +: 12] : fresh_flit[HI +: 12];
            flit[HI +: 12]         = {{12-4*N{1'b0}}, me};
            flit[`OFR_PKT_LEG_LSB] = 1'b1;
        end
    end

    // --- Stage A ---------------------------------------------------------------------------------
    logic         wait_ofr, grantable, closed_to, deroutes, decided_q, no_decision_q, closed_to_q;
    logic [P+1:0] out;
    logic [1:0]   out_vc;
    logic [N-1:0] here, outside;
    logic [P-1:0] minimal;
    ofr_bearings #(.N(N), .LUTRAM(LUTRAM)) bearings (
        .clk, .me, .top, .half, .wraps, .both, .set_t, .set_row, .t(flit_q[4*N-1:0]), .here,
        .outside, .minimal
    );
    ofr_route #(.N(N), .LOCAL(LOCAL), .INDEX(INDEX)) route (
        .configured, .here, .outside, .minimal, .rdr, .up, .any, .open, .prefer, .may_continue,
        .may_enter, .empties, .escape_mode, .esc_open, .hold, .hold_own, .held_ring, .held_through,
        .decided(decided_q), .head(flit_q[15:0]), .vc(vc_q), .order(order_q), .deroutes, .wait_ofr,
        .grantable, .closed_to, .out, .out_vc
    );

    always_ff @(posedge clk) begin
        grantable_q   <= grantable;
        routed_q      <= 1'b1;
        no_decision_q <= wait_ofr;
        closed_to_q   <= closed_to;
        out_q         <= out;
        out_vc_q      <= out_vc;
        // The decision goes into the header, which is routed from the next cycle on
        if (LOCAL != 0 && cand_q && deroutes && decided) begin
            decided_q <= 1'b1;
            if (derouted) begin
                flit_q[11:0]             <= {{12-4*N{1'b0}}, idn};
                flit_q[`OFR_PKT_LEG_LSB] <= 1'b0;
            end
        end
        if (grant)
            cand_q <= 1'b0;
        if (adopt || takes_fresh) begin
            cand_q    <= 1'b1;
            decided_q <= 1'b0;
            vc_q      <= fetched ? fetch_vc : fresh_vc;
            flit_q    <= flit;
            order_q   <= fetched ? word[W+1 +: O] : fresh_order;
        end
        // A grant is too late to clear these: in the cycle behind it cand_q is 0
        if (rst || !cand_q || adopt || settling) begin
            grantable_q   <= 1'b0;
            routed_q      <= 1'b0;
            no_decision_q <= 1'b0;
            closed_to_q   <= 1'b0;
        end
        if (rst)
            cand_q <= 1'b0;
    end

    assign no_credit      = routed_q && !grantable_q && !no_decision_q;
    assign refused        = closed_to_q && !grantable_q && !no_decision_q;
    assign wants_decision = LOCAL != 0 && no_decision_q && cand_q;
endmodule

`default_nettype wire
