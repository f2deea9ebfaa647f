// SPDX-License-Identifier: Apache-2.0
// The torus router: OutFlank Routing on the Adaptive Bubble Router (Versaci 2013, sec. 2 and 3).
// Ports, link and local interfaces: rtl/README.md. Pipeline: README.md here. The golden model is
// sim/model/router.c; every pin of this module equals the model's in every cycle.
`include "ofr_defs.vh"
`default_nettype none

module ofr_router #(
    parameter int N = 2,  // dimensions, 2 or 3
    parameter int W = 32, // flit width in bits, 16, 32 or 64
    parameter int L = 8,  // flits per slot, a power of two; L W / 8 at least 32 bytes
    parameter int C = 8   // slots per VC, 2 to 8
) (
    input  wire logic                clk,
    input  wire logic                rst,
    // Configuration. Sizes, coordinates and tie change only while unconfigured or drained.
    input  wire logic                configured,
    input  wire logic [5*N-1:0]      k,         // sizes, 1 to 16
    input  wire logic [4*N-1:0]      me,        // coordinates
    input  wire logic                tie_both,
    input  wire logic [1:0]          select,    // OFR_SELECT_*
    input  wire logic [3:0]          threshold, // injection: more free slots than this
    input  wire logic [4:0]          watchdog_time,  // log2 cycles, 0: off
    input  wire logic [3:0]          ring_wait_time, // log2 cycles
    input  wire logic                seed_we,
    input  wire logic [31:0]         seed,
    input  wire logic                watchdog_clear,
    // Status
    output logic                     drained,  // no packet here and all credits home
    output logic                     watchdog, // latched
    output logic [31:0]              cycle,    // cycles since reset
    // Links
    input  wire logic [2*N-1:0]      link_up,
    input  wire logic [2*N-1:0]      rx_valid,
    input  wire logic [4*N-1:0]      rx_vc,
    input  wire logic [2*N*W-1:0]    rx_data,
    input  wire logic [2*N-1:0]      rx_last,
    input  wire logic [2*N-1:0]      rx_poison,
    input  wire logic [2*N-1:0]      rx_abort,
    output logic [24*N-1:0]          rx_credit,
    output logic [2*N-1:0]           tx_valid,
    input  wire logic [2*N-1:0]      tx_ready,
    output logic [4*N-1:0]           tx_vc,
    output logic [2*N*W-1:0]         tx_data,
    output logic [2*N-1:0]           tx_last,
    output logic [2*N-1:0]           tx_poison,
    input  wire logic [24*N-1:0]     tx_credit,
    // Local port
    input  wire logic                li_valid,
    output logic [2:0]               li_ready,
    input  wire logic [1:0]          li_vc,
    input  wire logic [W-1:0]        li_data,
    input  wire logic                li_last,
    output logic                     lo_valid,
    input  wire logic                lo_ready,
    output logic [W-1:0]             lo_data,
    output logic                     lo_last,
    output logic                     lo_poison,
    // OFR unit
    output logic                     ofr_start,
    output logic [4*N-1:0]           ofr_target,
    output logic [8*N-1:0]           ofr_used, // adaptive slots in use per link port
    input  wire logic                ofr_done,
    input  wire logic [1:0]          ofr_kind,
    input  wire logic [4*N-1:0]      ofr_idn,
    // Events of this cycle, for ofr_counters; per output or input, the local port last
    output logic [2*N:0]             ev_flit,
    output logic [4*N+1:0]           ev_flit_vc,
    output logic [2*N:0]             ev_packet,
    output logic [4*N+1:0]           ev_packet_vc,
    output logic [2*N:0]             ev_stall_credit,
    output logic [2*N:0]             ev_stall_alloc,
    output logic [4*N+1:0]           ev_stall_vc,
    output logic [2*N:0]             ev_refused,
    output logic [2*N:0]             ev_discarded,
    output logic                     ev_injected,
    output logic                     ev_delivered,
    output logic                     ev_poisoned,
    output logic                     ev_oidn,
    output logic                     ev_widn,
    output logic [24*N-1:0]          used // slots in use per link port and VC
);
    localparam int P  = 2 * N; // link ports; the local port is number P
    localparam int IN = P + 1;

    // --- Time and randomness ----------------------------------------------------------------------
    logic [31:0] lfsr_q;
    logic        tick_watchdog, tick_ring;

    // 8 steps of the Galois LFSR x^32 + x^22 + x^2 + x + 1
    function automatic logic [31:0] lfsr_step(input logic [31:0] state);
        lfsr_step = state;
        for (int i = 0; i < 8; i++)
            lfsr_step = {1'b0, lfsr_step[31:1]} ^ (lfsr_step[0] ? 32'h8020_0003 : 32'd0);
    endfunction

    always_comb begin
        tick_watchdog = watchdog_time != 5'd0;
        for (int b = 0; b < 32; b++)
            if (b < 32'(watchdog_time) && !cycle[b])
                tick_watchdog = 1'b0;
        tick_ring = 1'b1;
        for (int b = 0; b < 16; b++)
            if (b < 32'(ring_wait_time) && !cycle[b])
                tick_ring = 1'b0;
    end

    always_ff @(posedge clk) begin
        lfsr_q <= lfsr_step(lfsr_q);
        cycle  <= cycle + 1'b1;
        if (seed_we)
            lfsr_q <= seed == 32'd0 ? 32'd1 : seed;
        if (rst) begin
            lfsr_q <= 32'd1;
            cycle  <= 32'd0;
        end
    end

    // --- Topology, in the form that stage A compares with ------------------------------------------
    logic [4*N-1:0] last_plus_q;
    logic [5*N-1:0] first_minus_q;
    for (genvar i = 0; i < N; i++) begin : g_topology
        logic [4:0] size;
        logic       mesh; // k = 2: one cable, + of node 0 to - of node 1
        assign size = k[5*i +: 5];
        assign mesh = size == 5'd2;
        always_ff @(posedge clk) begin
            last_plus_q[4*i +: 4]   <= mesh && me[4*i] ? 4'd0 : size[4:1];
            first_minus_q[5*i +: 5] <= mesh ? (me[4*i] ? 5'd1 : 5'd16) :
                                       tie_both ? size - {1'b0, size[4:1]} :
                                                  {1'b0, size[4:1]} + 5'd1;
        end
    end

    // --- Credits ------------------------------------------------------------------------------------
    logic [12*P-1:0] sent_q, used_q, room_q;
    logic [P-1:0]    up_q;
    logic [IN-1:0]   grant_link;
    logic [IN*IN-1:0] grant; // [output][input]
    logic [2*IN-1:0]  grant_vc;

    for (genvar p = 0; p < P; p++) begin : g_credit
        for (genvar v = 0; v < 3; v++) begin : g_vc
            localparam int AT = 12 * p + 4 * v;
            logic [3:0] sent, in_use;
            assign sent   = sent_q[AT +: 4] +
                            4'(|grant[IN*p +: IN] && grant_vc[2*p +: 2] == 2'(v));
            assign in_use = sent - tx_credit[AT +: 4];
            always_ff @(posedge clk) begin
                sent_q[AT +: 4] <= rst ? 4'd0 : sent;
                used_q[AT +: 4] <= rst ? 4'd0 : in_use;
                room_q[AT +: 4] <= rst || !link_up[p] ? 4'd0 : 4'(C) - in_use;
            end
        end
    end
    always_ff @(posedge clk)
        up_q <= rst ? '0 : link_up;
    assign used = used_q;

    logic [P-1:0]   any, open_local;
    logic [P*P-1:0] ge;
    logic [2*P-1:0] one, two, esc_open_local;
    always_comb begin
        for (int p = 0; p < P; p++) begin
            any[p]        = room_q[12*p +: 4] != 4'd0;
            open_local[p] = room_q[12*p +: 4] > threshold;
            for (int q = 0; q < P; q++)
                ge[P*p + q] = room_q[12*p +: 4] >= room_q[12*q +: 4];
            for (int ring = 0; ring < 2; ring++) begin
                one[P*ring + p] = room_q[12*p + 4*ring + 4 +: 4] >= 4'd1;
                two[P*ring + p] = room_q[12*p + 4*ring + 4 +: 4] >= 4'd2;
                esc_open_local[P*ring + p] = room_q[12*p + 4*ring + 4 +: 4] > threshold;
            end
            // A link that is down counts as full
            ofr_used[4*p +: 4] = 4'(C) - room_q[12*p +: 4];
        end
    end

    // --- Decision of the OFR unit, for the head of the local port's deroute VC ----------------------
    logic       deciding_q, wanted_q, decided_q, wants_decision;
    logic [1:0] local_vc;
    logic       local_leaves;
    assign ofr_start    = wants_decision && !deciding_q && !decided_q;
    assign local_leaves = ev_discarded[P] || grant_link[P];
    always_ff @(posedge clk) begin
        if (ofr_start) begin
            deciding_q <= 1'b1;
            wanted_q   <= 1'b1;
        end
        if (deciding_q && ofr_done) begin
            deciding_q <= 1'b0;
            decided_q  <= wanted_q;
        end
        if (local_leaves && local_vc == `OFR_LVC_DEROUTE) begin
            decided_q <= 1'b0;
            wanted_q  <= 1'b0;
        end
        if (rst) begin
            deciding_q <= 1'b0;
            decided_q  <= 1'b0;
            wanted_q   <= 1'b0;
        end
    end

    // --- Inputs ---------------------------------------------------------------------------------------
    logic [IN*IN-1:0] ask, can_go; // [input][output]; can_go without held-back entries
    logic [2*IN-1:0]  ask_vc, cand_vc;
    logic [IN-1:0]    ask_entry, ask_mgmt, moves, ends, poison, can_load, stuck, empty;
    logic [IN*W-1:0]  data;
    logic [P*IN-1:0]  starving; // [input][output]
    logic [IN-1:0]    starving_ring;

    for (genvar i = 0; i < IN; i++) begin : g_input
        localparam int LOCAL = i == P ? 1 : 0;
        localparam int LINK  = i == P ? 0 : i; // an index that exists, for the slices below
        logic [2:0]     ready;
        logic [11:0]    freed;
        logic           wants;
        logic [4*N-1:0] target;
        logic           unused_grant_any, unused;
        ofr_input #(.N(N), .W(W), .L(L), .C(C), .LOCAL(LOCAL), .INDEX(LINK)) u (
            .clk, .rst,
            .rx_valid(LOCAL != 0 ? li_valid : rx_valid[LINK]),
            .rx_vc(LOCAL != 0 ? li_vc : rx_vc[2*LINK +: 2]),
            .rx_data(LOCAL != 0 ? li_data : rx_data[W*LINK +: W]),
            .rx_last(LOCAL != 0 ? li_last : rx_last[LINK]),
            .rx_poison(LOCAL != 0 ? 1'b0 : rx_poison[LINK]),
            .rx_abort(LOCAL != 0 ? 1'b0 : rx_abort[LINK]),
            .ready(ready), .freed(freed),
            .configured, .me, .k, .last_plus(last_plus_q), .first_minus(first_minus_q), .select,
            .up(up_q), .any, .open(LOCAL != 0 ? open_local : any), .ge, .one, .two,
            .esc_open(LOCAL != 0 ? esc_open_local : {2*P{1'b1}}),
            .random(lfsr_q[4*(LOCAL != 0 ? 6 : i) +: 8]), .coin(lfsr_q[31]),
            .decided(decided_q), .derouted(ofr_kind != 2'd0), .idn(ofr_idn),
            .wants_decision(wants), .cand_target(target),
            .ask(ask[IN*i +: IN]), .ask_vc(ask_vc[2*i +: 2]), .ask_entry(ask_entry[i]),
            .ask_mgmt(ask_mgmt[i]), .cand_vc(cand_vc[2*i +: 2]),
            .grant_link(grant_link[i]), .grant_any(unused_grant_any), .discards(ev_discarded[i]),
            .can_load, .moves(moves[i]), .ends(ends[i]), .data(data[W*i +: W]), .poison(poison[i]),
            .tick_ring, .starving(starving[P*i +: P]), .starving_ring(starving_ring[i]),
            .refused(ev_refused[i]),
            .tick_watchdog, .stuck(stuck[i]), .empty(empty[i]),
            .stall_credit(ev_stall_credit[i]), .stall_alloc(ev_stall_alloc[i])
        );
        if (LOCAL != 0) begin : g_local
            assign li_ready       = ready;
            assign wants_decision = wants;
            assign ofr_target     = target;
            assign unused         = ^freed;
        end else begin : g_link
            assign rx_credit[12*LINK +: 12] = freed;
            assign unused = ^{ready, wants, target};
        end
    end
    assign local_vc    = cand_vc[2*P +: 2];
    assign ev_stall_vc = cand_vc;

    // An entry that starves holds its ring: others' entries wait, but for management's. The lowest
    // input goes first.
    always_comb begin
        can_go = ask;
        for (int o = 0; o < P; o++)
            for (int ring = 0; ring < 2; ring++) begin
                logic [IN-1:0] starves, first;
                for (int i = 0; i < IN; i++)
                    starves[i] = starving[P*i + o] && starving_ring[i] == ring[0];
                first = starves & (~starves + 1'b1);
                for (int i = 0; i < IN; i++)
                    if (|starves && !first[i] && ask_entry[i] && !ask_mgmt[i] &&
                        ask_vc[2*i +: 2] == 2'(ring + 1))
                        can_go[IN*i + o] = 1'b0;
            end
    end

    // --- Outputs --------------------------------------------------------------------------------------
    logic [IN-1:0] loads, loads_tail, loads_poison;
    for (genvar o = 0; o < IN; o++) begin : g_output
        logic [IN-1:0] asking;
        logic          valid, last, poisoned;
        logic [1:0]    vc;
        logic [W-1:0]  flit;
        for (genvar i = 0; i < IN; i++) begin : g_ask
            assign asking[i] = can_go[IN*i + o];
        end
        ofr_output #(.INPUTS(IN), .W(W)) u (
            .clk, .rst, .ask(asking), .ask_mgmt, .ask_vc,
            .grant(grant[IN*o +: IN]), .grant_vc(grant_vc[2*o +: 2]),
            .moves, .ends, .data, .poison, .can_load(can_load[o]), .loads(loads[o]),
            .loads_tail(loads_tail[o]), .loads_poison(loads_poison[o]),
            .owner_vc(ev_flit_vc[2*o +: 2]),
            .tx_valid(valid), .tx_ready(o == P ? lo_ready : tx_ready[o == P ? 0 : o]), .tx_vc(vc),
            .tx_data(flit), .tx_last(last), .tx_poison(poisoned)
        );
        if (o == P) begin : g_local
            logic [1:0] unused_vc;
            assign unused_vc = vc;
            assign lo_valid  = valid;
            assign lo_data   = flit;
            assign lo_last   = last;
            assign lo_poison = poisoned;
        end else begin : g_link
            assign tx_valid[o]       = valid;
            assign tx_vc[2*o +: 2]   = vc;
            assign tx_data[W*o +: W] = flit;
            assign tx_last[o]        = last;
            assign tx_poison[o]      = poisoned;
        end
        assign ev_packet[o] = |grant[IN*o +: IN];
    end
    always_comb begin
        grant_link = '0;
        for (int o = 0; o < IN; o++)
            grant_link = grant_link | grant[IN*o +: IN];
    end

    // --- Status and events ----------------------------------------------------------------------------
    assign drained      = &empty && tx_valid == '0 && !lo_valid && used_q == '0;
    assign ev_flit      = loads;
    assign ev_packet_vc = grant_vc;
    assign ev_injected  = grant_link[P];
    assign ev_oidn      = grant_link[P] && local_vc == `OFR_LVC_DEROUTE && decided_q &&
                          ofr_kind == 2'd1;
    assign ev_widn      = grant_link[P] && local_vc == `OFR_LVC_DEROUTE && decided_q &&
                          ofr_kind == 2'd2;
    assign ev_delivered = loads_tail[P] && !loads_poison[P];
    assign ev_poisoned  = loads_poison[P];

    always_ff @(posedge clk)
        watchdog <= !rst && !watchdog_clear && (watchdog || |stuck);
endmodule

`default_nettype wire
