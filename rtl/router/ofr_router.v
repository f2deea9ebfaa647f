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
    parameter int C = 8,  // slots per VC, 2 to 8
    parameter int LUTRAM = 1 // 1: the FPGA has distributed RAM
) (
    input  wire logic                clk,
    input  wire logic                rst,
    // Configuration. Sizes, coordinates and tie change only while unconfigured and drained.
    input  wire logic                configured,
    input  wire logic [5*N-1:0]      k,         // sizes, 1 to 16
    input  wire logic [4*N-1:0]      me,        // coordinates
    input  wire logic                tie_both,
    input  wire logic [1:0]          select,    // OFR_SELECT_*
    input  wire logic [1:0]          escape,    // OFR_NODE_ROUTING_ESCAPE_*
    input  wire logic [3:0]          threshold, // injection: more free slots than this, less than C
    input  wire logic [4:0]          watchdog_time,  // log2 cycles, 0: off
    input  wire logic [3:0]          ring_wait_time, // log2 cycles
    input  wire logic                seed_we,
    input  wire logic [31:0]         seed,
    input  wire logic                watchdog_clear,
    // Status
    output logic                     drained,  // no packet here and all credits home
    output logic                     watchdog, // latched
    output logic [31:0]              cycle,    // cycles since reset
    output logic [31:0]              dropped,  // register NODE.DROPPED
    // Links
    input  wire logic [2*N-1:0]      link_up,
    input  wire logic [2*N-1:0]      rx_valid,
    input  wire logic [4*N-1:0]      rx_vc,
    input  wire logic [2*N*W-1:0]    rx_data,
    input  wire logic [2*N-1:0]      rx_last,
    input  wire logic [2*N-1:0]      rx_poison,
    input  wire logic [2*N-1:0]      rx_abort,
    output logic [24*N-1:0]          rx_credit,
    output logic [24*N-1:0]          rx_received,
    output logic [2*N-1:0]           tx_valid,
    input  wire logic [2*N-1:0]      tx_ready,
    output logic [4*N-1:0]           tx_vc,
    output logic [2*N*W-1:0]         tx_data,
    output logic [2*N-1:0]           tx_last,
    output logic [2*N-1:0]           tx_poison,
    input  wire logic [24*N-1:0]     tx_credit,
    input  wire logic [24*N-1:0]     tx_base,
    input  wire logic [2*N-1:0]      tx_rebase,
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
    output logic [8*N-1:0]           ofr_used, // adaptive slots in use per link port, C: closed
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
    generate
        if ((N != 2 && N != 3) || (W != 16 && W != 32 && W != 64) || C < 2 || C > 8 || L < 4 ||
            L > 1024 || (L & (L - 1)) != 0 || L * W < 256 || LUTRAM < 0 || LUTRAM > 1)
            ofr_router_parameters_out_of_range bad ();
    endgenerate

    localparam int P  = 2 * N; // link ports; the local port is number P
    localparam int IN = P + 1;
    localparam int SW = $clog2(C); // bits of a number of slots below C

    // --- Time and randomness ---------------------------------------------------------------------
    logic [31:0] lfsr_q;
    logic        tick_watchdog, tick_ring, watchdog_bit, ring_bit, watchdog_bit_q, ring_bit_q;

    // Ticks every 2^time cycles: when that bit of the cycle count changes
    assign watchdog_bit  = cycle[watchdog_time];
    assign ring_bit      = cycle[{1'b0, ring_wait_time}];
    assign tick_watchdog = watchdog_bit != watchdog_bit_q && watchdog_time != 5'd0;
    assign tick_ring     = ring_bit != ring_bit_q;

    // 8 steps of the Galois LFSR x^32 + x^22 + x^2 + x + 1
    function automatic logic [31:0] lfsr_step(input logic [31:0] state);
        lfsr_step = state;
        for (int i = 0; i < 8; i++)
            lfsr_step = {1'b0, lfsr_step[31:1]} ^ (lfsr_step[0] ? 32'h8020_0003 : 32'd0);
    endfunction

    always_ff @(posedge clk) begin
        lfsr_q <= lfsr_step(lfsr_q);
        cycle  <= cycle + 1'b1;
        watchdog_bit_q <= watchdog_bit;
        ring_bit_q     <= ring_bit;
        if (seed_we)
            lfsr_q <= seed == 32'd0 ? 32'd1 : seed;
        if (rst) begin
            lfsr_q <= 32'd1;
            cycle  <= 32'd0;
            watchdog_bit_q <= 1'b0;
            ring_bit_q     <= 1'b0;
        end
    end

    // This cycle's random order of the dimensions, each within 0.8%: 01, 02, 12, whether the former
    // comes before the latter
    localparam int O = N * (N - 1) / 2;
    logic [O-1:0] order_d, order_q; // order_q: of the cycle before
    always_ff @(posedge clk)
        order_q <= rst ? '1 : order_d;
    if (N == 2) begin : g_order2
        assign order_d = !lfsr_q[0];
    end else begin : g_order3
        logic [2:0] which;
        assign which = 3'((11'(lfsr_q[7:0]) * 11'd6) >> 8);
        always_comb
            case (which)
                3'd0:    order_d = O'(3'b111); // x y z
                3'd1:    order_d = O'(3'b011); // x z y
                3'd2:    order_d = O'(3'b110); // y x z
                3'd3:    order_d = O'(3'b100); // y z x
                3'd4:    order_d = O'(3'b001); // z x y
                default: order_d = O'(3'b000); // z y x
            endcase
    end

    // --- Topology, in the form that stage A compares with ----------------------------------------
    logic [4*N-1:0] top_q, half_q;
    logic [N-1:0]   wraps_q, both_q;
    logic           rdr_q;
    for (genvar i = 0; i < N; i++) begin : g_topology
        logic [4:0] size, sum;
        logic       mesh, wraps; // k = 2: one cable, + of node 0 to - of node 1
        assign size  = k[5*i +: 5];
        assign mesh  = size == 5'd2;
        assign sum   = {1'b0, me[4*i +: 4]} + {1'b0, size[4:1]};
        assign wraps = sum >= size;
        always_ff @(posedge clk) begin
            top_q[4*i +: 4]  <= size[3:0] - 1'b1;
            half_q[4*i +: 4] <= mesh ? 4'd1 : sum[3:0] - (wraps ? size[3:0] : 4'd0);
            wraps_q[i]       <= wraps && !mesh;
            both_q[i]        <= tie_both && !size[0] && !mesh;
        end
    end
    always_ff @(posedge clk)
        rdr_q <= select == `OFR_SELECT_RDR;

    // Where a target lies is looked up: all inputs' tables are written row by row, over and over. A
    // node that was configured routes when all rows have been written since, after 17 to 33 cycles.
    logic [4*N-1:0] row;
    logic [3:0]     row_t_q;
    logic [1:0]     settle_q;
    logic           settling;
    assign settling = configured && settle_q != 2'd3;
    always_ff @(posedge clk)
        if (rst || !configured)
            settle_q <= 2'd0;
        else if (settle_q == 2'd2 || (settle_q != 2'd3 && &cycle[3:0]))
            settle_q <= settle_q + 1'b1;
    always_ff @(posedge clk)
        row_t_q <= cycle[3:0];
    for (genvar i = 0; i < N; i++) begin : g_row
        if (LUTRAM != 0) begin : g_bearing
            logic here, outside, plus, minus;
            ofr_bearing bearing (
                .t(cycle[3:0]), .me(me[4*i +: 4]), .top(top_q[4*i +: 4]),
                .half(half_q[4*i +: 4]), .wraps(wraps_q[i]), .both(both_q[i]), .here, .outside,
                .plus, .minus
            );
            logic [3:0] row_q;
            always_ff @(posedge clk)
                row_q <= {minus, plus, outside, here};
            assign row[4*i +: 4] = row_q;
        end else begin : g_no_table
            assign row[4*i +: 4] = 4'd0;
        end
    end

    // --- Credits ---------------------------------------------------------------------------------
    logic [P-1:0]     up, any;           // any: the adaptive VC has a free slot
    logic [3*P-1:0]   inject;            // per VC: more than the injection threshold
    logic [2*P-1:0]   enter, goes_on, empties; // VS1, VS2, see ofr_credit
    logic [IN-1:0]    starts;            // outputs that were granted in the cycle before
    logic [2*IN-1:0]  owner_vc;          // per output, downstream

    logic [3:0]       limit;             // injection: fewer slots in use than this
    assign limit = threshold < 4'(C) ? 4'(C) - threshold : 4'd0;
    for (genvar p = 0; p < P; p++) begin : g_credit
        ofr_credit #(.C(C)) u (
            .clk, .rst, .link_up(link_up[p]), .rebase(tx_rebase[p]), .base(tx_base[12*p +: 12]),
            .returned(tx_credit[12*p +: 12]), .sends(starts[p]), .send_vc(owner_vc[2*p +: 2]),
            .limit, .up_q(up[p]), .used_q(used[12*p +: 12]), .free_q(any[p]),
            .inject_q(inject[3*p +: 3]), .may_enter_q({enter[P + p], enter[p]}),
            .may_continue_q({goes_on[P + p], goes_on[p]}), .empty_q({empties[P + p], empties[p]})
        );
    end

    // a < b, in a form that takes four LUTs and no carry chain
    function automatic logic below(input logic [3:0] a, input logic [3:0] b);
        below = (a[3:2] < b[3:2]) || (a[3:2] == b[3:2] && a[1:0] < b[1:0]);
    endfunction

    function automatic logic precedes(input logic [O-1:0] order, input int i, input int j);
        precedes = i == 1 ? order[O-1] : j == 2 ? order[O > 1 ? 1 : 0] : order[0];
    endfunction

    logic [P-1:0]   open_local;
    logic [P*P-1:0] prefer; // p < q: of two ports with room, p is taken
    logic [2*P-1:0] esc_open_local;
    always_comb begin
        prefer = '0;
        for (int p = 0; p < P; p++) begin
            open_local[p] = inject[3*p];
            for (int q = 0; q < P; q++)
                if (q > p) case (select)
                    `OFR_SELECT_RANDOM_FREE:
                        prefer[P*p + q] = p/2 == q/2 ? !lfsr_q[31] : precedes(order_q, p/2, q/2);
                    `OFR_SELECT_LOWEST: prefer[P*p + q] = 1'b1;
                    default: prefer[P*p + q] = !below(4'(used[12*q +: SW]), 4'(used[12*p +:
                        SW]));
                endcase
            for (int ring = 0; ring < 2; ring++)
                esc_open_local[P*ring + p] = inject[3*p + ring + 1];
            // A link that takes nothing from the local port now counts as full
            ofr_used[4*p +: 4] = open_local[p] ? used[12*p +: 4] : 4'(C);
        end
    end

    // --- Decision of the OFR unit, for the head of the local port's deroute VC -------------------
    logic       deciding_q, wanted_q, decided_q, wants_decision;
    logic [1:0] local_vc;
    assign ofr_start = wants_decision && !deciding_q && !decided_q;
    always_ff @(posedge clk) begin
        if (ofr_start) begin
            deciding_q <= 1'b1;
            wanted_q   <= 1'b1;
        end
        if (deciding_q && ofr_done) begin
            deciding_q <= 1'b0;
            decided_q  <= wanted_q;
        end
        if (granted[P] && local_vc == `OFR_LVC_DEROUTE) begin
            decided_q <= 1'b0;
            wanted_q  <= 1'b0;
        end
        if (rst) begin
            deciding_q <= 1'b0;
            decided_q  <= 1'b0;
            wanted_q   <= 1'b0;
        end
    end

    // --- Inputs ----------------------------------------------------------------------------------
    logic [IN*IN-1:0] ask;   // [input][output]
    logic [IN*IN-1:0] offer; // [output][input]
    logic [2*IN-1:0]  cand_vc, stream_to;
    logic [IN-1:0]    can_take, offered, granted, full, tail, poison, can_load, stuck, empty;
    logic [IN*W-1:0]  data;
    logic [IN-1:0]    starves, starving_ring;
    logic [P*IN-1:0]  starving_out; // [input][output]
    logic [IN-1:0]    token_q;    // one-hot
    logic [P-1:0]     hold_q;     // the output whose ring the token's entry keeps for itself
    logic             hold_ring_q;
    logic [IN-1:0]    malformed, malformed_event_q;
    logic [16*IN-1:0] head;       // header word 0 of what is discarded

    for (genvar i = 0; i < IN; i++) begin : g_input
        localparam int LOCAL = i == P ? 1 : 0;
        localparam int LINK  = i == P ? 0 : i; // an index that exists, for the slices below
        logic [P-1:0]   own; // kept for this input: the injection threshold does not count then
        assign own = token_q[i] ? hold_q : '0;
        logic [2:0]     ready;
        logic [1:0]     stream_vc;
        logic [11:0]    freed, received;
        logic           wants;
        logic [4*N-1:0] target;
        logic           unused;
        ofr_input #(.N(N), .W(W), .L(L), .C(C), .LOCAL(LOCAL), .INDEX(LINK), .LUTRAM(LUTRAM)) u (
            .clk, .rst,
            .rx_valid(LOCAL != 0 ? li_valid : rx_valid[LINK]),
            .rx_vc(LOCAL != 0 ? li_vc : rx_vc[2*LINK +: 2]),
            .rx_data(LOCAL != 0 ? li_data : rx_data[W*LINK +: W]),
            .rx_last(LOCAL != 0 ? li_last : rx_last[LINK]),
            .rx_poison(LOCAL != 0 ? 1'b0 : rx_poison[LINK]),
            .rx_abort(LOCAL != 0 ? 1'b0 : rx_abort[LINK]),
            .ready(ready), .freed(freed), .received(received), .malformed(malformed[i]),
            .configured, .me, .top(top_q), .half(half_q), .wraps(wraps_q), .both(both_q),
                .set_t(row_t_q), .set_row(row), .settling, .rdr(rdr_q),
            .up, .any, .open(LOCAL != 0 ? open_local : any), .prefer,
                .may_continue(goes_on), .may_enter(enter), .empties, .escape_mode(escape),
            .esc_open(LOCAL != 0 ? esc_open_local | {2{own}} : {2*P{1'b1}}),
            .hold(hold_q), .hold_own(token_q[i]), .held_ring(hold_ring_q),
                .held_through(ring_bit_q), .order_now(order_q),
            .decided(decided_q), .derouted(ofr_kind != 2'd0), .idn(ofr_idn),
            .wants_decision(wants), .cand_target(target),
            .ask(ask[IN*i +: IN]), .can_take(can_take[i]), .offered(offered[i]),
            .granted(granted[i]), .discards(ev_discarded[i]), .head(head[16*i +: 16]),
            .cand_vc(cand_vc[2*i +: 2]),
            .can_load, .full(full[i]), .tail(tail[i]), .data(data[W*i +: W]), .poison(poison[i]),
            .stream_vc(stream_vc), .stream_to(stream_to[2*i +: 2]),
            .tick_ring, .starves(starves[i]), .starving_out(starving_out[P*i +: P]),
                .starving_ring(starving_ring[i]),
            .refused(ev_refused[i]),
            .tick_watchdog, .stuck(stuck[i]), .empty(empty[i]),
            .stall_credit(ev_stall_credit[i]), .stall_alloc(ev_stall_alloc[i])
        );
        if (LOCAL != 0) begin : g_local
            assign li_ready       = ready;
            assign wants_decision = wants;
            assign ofr_target     = target;
            assign local_vc       = stream_vc;
            assign unused         = ^{freed, received};
        end else begin : g_link
            assign rx_credit[12*LINK +: 12]   = freed;
            assign rx_received[12*LINK +: 12] = received;
            assign unused = ^{ready, wants, target, stream_vc};
        end
    end
    assign ev_stall_vc = cand_vc;

    // A token goes round the inputs. It stays with one whose refused entry starves until that has
    // gone, and others' entries to this ring wait, but for management's; every other 2^RING_WAIT
    // cycles also who goes on in the ring, so that slots come free. Not for longer: a ring with one
    // free slot moves only as a whole.
    logic [P-1:0] hold_out;
    logic         hold_ring;
    always_comb begin
        hold_out  = '0;
        hold_ring = 1'b0;
        for (int i = 0; i < IN; i++) begin
            hold_out  = hold_out | (token_q[i] && starves[i] ? starving_out[P*i +: P] : '0);
            hold_ring = hold_ring | (token_q[i] && starving_ring[i]);
        end
    end
    always_ff @(posedge clk) begin
        hold_q      <= hold_out;
        hold_ring_q <= hold_ring;
        if (hold_out == '0)
            token_q <= {token_q[IN-2:0], token_q[IN-1]};
        if (rst) begin
            token_q <= IN'(1);
            hold_q  <= '0;
        end
    end

    // --- Outputs ---------------------------------------------------------------------------------
    logic [IN-1:0] loads, loads_tail, loads_poison;
    // One grant in four, at random, leaves the round robin where it is: else an input's turns can
    // be in step with the others', so that always the same one of its VCs loses.
    logic same_turn_q; // of a grant in the cycle before
    always_ff @(posedge clk)
        same_turn_q <= lfsr_q[9:8] == 2'd0;
    for (genvar o = 0; o < IN; o++) begin : g_output
        logic [IN-1:0] asking;
        logic          valid, last, poisoned;
        logic [1:0]    vc;
        logic [W-1:0]  flit;
        for (genvar i = 0; i < IN; i++) begin : g_ask
            assign asking[i] = ask[IN*i + o];
        end
        ofr_output #(.INPUTS(IN), .W(W)) u (
            .clk, .rst, .ask(asking), .can_take, .same_turn(same_turn_q), .offer(offer[IN*o +: IN]),
                .new_q(starts[o]),
            .vc(owner_vc[2*o +: 2]), .full, .tail, .poison, .to_vc(stream_to), .data,
            .can_load(can_load[o]), .loads(loads[o]),
            .loads_tail(loads_tail[o]), .loads_poison(loads_poison[o]),
            .tx_valid(valid), .tx_ready(o == P ? lo_ready : tx_ready[o == P ? 0 : o]), .tx_vc(vc),
            .tx_data(flit), .tx_last(last), .tx_poison(poisoned)
        );
`ifdef OFR_CHECK
        ofr_flit_rules #(.L(L)) rules (
            .clk, .rst, .valid(valid), .ready(o == P ? lo_ready : tx_ready[o == P ? 0 : o]),
            .vc(vc), .last(last)
        );
`endif
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
    end
    always_comb begin
        offered = '0;
        for (int o = 0; o < IN; o++)
            offered = offered | offer[IN*o +: IN];
    end

    // --- Status and events -----------------------------------------------------------------------
    assign drained      = &empty && tx_valid == '0 && !lo_valid && used == '0;
    // Grants are events of the cycle behind them
    assign ev_flit      = loads;
    assign ev_flit_vc   = owner_vc;
    assign ev_packet    = starts;
    assign ev_packet_vc = owner_vc;
    assign ev_injected  = granted[P] && !ev_discarded[P];
    assign ev_oidn      = ev_injected && local_vc == `OFR_LVC_DEROUTE && decided_q &&
                          ofr_kind == 2'd1;
    assign ev_widn      = ev_injected && local_vc == `OFR_LVC_DEROUTE && decided_q &&
                          ofr_kind == 2'd2;
    assign ev_delivered = loads_tail[P] && !loads_poison[P];
    assign ev_poisoned  = loads_poison[P];

    always_ff @(posedge clk)
        watchdog <= !rst && !watchdog_clear && (watchdog || |stuck);

    // What was dropped: the last header, the first port's if there are several; how many malformed
    logic        seen_q;
    logic [2:0]  port_q, count;
    logic [15:0] head_q;
    logic [7:0]  malformed_q;
    logic [8:0]  malformed_d;
    logic [IN-1:0] chosen; // one-hot
    assign chosen      = ev_discarded & (~ev_discarded + 1'b1);
    assign malformed_d = 9'(malformed_q) + 9'(count);
    always_comb begin
        count = '0;
        for (int i = 0; i < IN; i++)
            count = count + 3'(malformed_event_q[i]);
    end
    always_ff @(posedge clk) begin
        malformed_event_q <= malformed;
        malformed_q       <= malformed_d[8] ? 8'hff : malformed_d[7:0];
        if (|ev_discarded) begin
            seen_q <= 1'b1;
            for (int b = 0; b < 3; b++) begin
                logic [IN-1:0] from;
                for (int i = 0; i < IN; i++)
                    from[i] = i[b];
                port_q[b] <= |(chosen & from);
            end
            for (int b = 0; b < 16; b++) begin
                logic [IN-1:0] bits;
                for (int i = 0; i < IN; i++)
                    bits[i] = head[16*i + b];
                head_q[b] <= |(chosen & bits);
            end
        end
        if (rst) begin
            seen_q      <= 1'b0;
            port_q      <= '0;
            head_q      <= '0;
            malformed_q <= '0;
            malformed_event_q <= '0;
        end
    end
    assign dropped = {malformed_q, 4'd0, seen_q, port_q, head_q};
endmodule

`default_nettype wire
