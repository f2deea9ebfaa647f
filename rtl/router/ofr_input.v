// SPDX-License-Identifier: Apache-2.0
// One input of the router: what arrives goes into VC buffers, one header at a time is the candidate
// (stages A and B), one packet streams through the switch. Same as struct input in
// sim/model/router.c, name by name.
`default_nettype none

module ofr_input #(
    parameter int N     = 2,  // dimensions, 2 or 3
    parameter int W     = 32, // flit width in bits, 16, 32 or 64
    parameter int L     = 8,  // flits per slot, a power of two; L W / 8 at least 32 bytes
    parameter int C     = 8,  // slots per VC, 2 to 8
    parameter int LOCAL = 0,  // 1: the local port's input
    parameter int INDEX = 0,  // which port this input is (links only)
    parameter int LUTRAM = 1  // see ofr_bearings
) (
    input  wire logic             clk,
    input  wire logic             rst,
    // Pins
    input  wire logic             rx_valid,
    input  wire logic [1:0]       rx_vc,
    input  wire logic [W-1:0]     rx_data,
    input  wire logic             rx_last,
    input  wire logic             rx_poison,
    input  wire logic             rx_abort,
    output logic [2:0]            ready,   // per VC, for the local port
    output logic [11:0]           freed,   // cumulative slots freed per VC, modulo 16
    output logic [11:0]           received, // cumulative packets received per VC, modulo 16
    output logic                  malformed, // event: a packet too long, too short or on no VC
    // For stage A, see ofr_route
    input  wire logic             configured,
    input  wire logic [4*N-1:0]   me,
    input  wire logic [4*N-1:0]   top,
    input  wire logic [4*N-1:0]   half,
    input  wire logic [N-1:0]     wraps,
    input  wire logic [N-1:0]     both,
    input  wire logic [3:0]       set_t,
    input  wire logic [4*N-1:0]   set_row,
    input  wire logic             settling, // the tables are not yet right: nothing is routed
    input  wire logic             rdr,
    input  wire logic [2*N-1:0]   up,
    input  wire logic [2*N-1:0]   any,
    input  wire logic [2*N-1:0]   open,
    input  wire logic [4*N*N-1:0] prefer,
    input  wire logic [4*N-1:0]   may_continue,
    input  wire logic [4*N-1:0]   may_enter,
    input  wire logic [4*N-1:0]   empties,
    input  wire logic [1:0]       escape_mode,
    input  wire logic [4*N-1:0]   esc_open,
    input  wire logic [2*N-1:0]   hold,
    input  wire logic             hold_own,
    input  wire logic             held_ring,
    input  wire logic             held_through,
    input  wire logic [N*(N-1)/2-1:0] order_now, // this cycle's random order of the dimensions
    input  wire logic             decided,
    input  wire logic             derouted,
    input  wire logic [4*N-1:0]   idn,
    output logic                  wants_decision,
    output logic [4*N-1:0]        cand_target,
    // Stage B
    output logic [2*N:0]          ask,       // one-hot: links, local; may go, by registers alone
    output logic                  can_take,  // ... and the tail ahead, if any, crosses now
    input  wire logic             offered,   // an output is free and has chosen this input
    output logic                  granted,   // a packet was granted in the cycle before
    output logic                  discards,  // event: ... to be discarded
    output logic [15:0]           head,      // ... its header word 0
    output logic [1:0]            cand_vc,
    // Transfer
    input  wire logic [2*N:0]     can_load,  // output registers that can take a flit
    output logic                  full,      // a flit is at the switch
    output logic                  tail,      // ... a tail
    output logic [W-1:0]          data,
    output logic                  poison,    // with a tail
    output logic [1:0]            stream_vc, // the running packet's VC here
    output logic [1:0]            stream_to, // ... and downstream
    // Ring entry that was refused for too long: which output and ring (0: VS1)
    input  wire logic             tick_ring,
    output logic                  starves,
    output logic [2*N-1:0]        starving_out,
    output logic                  starving_ring,
    output logic                  refused,    // event: a wait begins
    // Watchdog and events
    input  wire logic             tick_watchdog,
    output logic                  stuck,
    output logic                  empty,
    output logic                  stall_credit,
    output logic                  stall_alloc
);
    localparam int P  = 2 * N;
    localparam int O  = N * (N - 1) / 2; // bits of an order of the dimensions
    localparam int MW = W + 1 + O;       // a word of the buffer, see ofr_arrival
    localparam int LW = $clog2(L);
    localparam int RW = $clog2(3 * C);   // a row is a VC's slot

    logic         fetched, fetched_behind, adopt, grant, asked, flit0, moves;
    logic         cand, routed, grantable, no_credit, refuses;
    logic [1:0]   fetched_vc, out_vc;
    logic [W-1:0] cand_flit;
    logic [P+1:0] out;

    // --- Arrival and slots -----------------------------------------------------------------------
    logic          begins, pins_open, coming, head_written, none, busy;
    logic [1:0]    pins_vc, write_vc;
    logic [RW-1:0] new_row, write_row;
    logic [LW-1:0] write_offset;
    logic          we;
    logic [MW-1:0] write_word;
    logic          fresh, fresh_swap;
    logic [1:0]    fresh_vc;
    logic [W-1:0]  fresh_flit;
    logic [O-1:0]  fresh_order;
    ofr_arrival #(.N(N), .W(W), .L(L), .C(C), .LOCAL(LOCAL), .INDEX(INDEX)) arrival (
        .clk, .rst, .rx_valid, .rx_vc, .rx_data, .rx_last, .rx_poison, .rx_abort, .ready,
        .malformed, .me, .order_now, .first(begins), .new_row, .open_q(pins_open),
        .open_vc_q(pins_vc), .coming, .head_written, .write_vc_q(write_vc), .we,
        .write_row_q(write_row), .write_offset_q(write_offset), .write_word, .busy_q(busy), .none,
        .fresh, .fresh_vc, .fresh_flit, .fresh_swap, .fresh_order
    );

    logic [2:0]    waiting;
    logic [1:0]    fetch_vc;
    logic [RW-1:0] cand_row, fetch_row;
    logic          more, granted_more, next_behind, ends, streams;
    ofr_slots #(.C(C), .LOCAL(LOCAL)) slots (
        .clk, .rst, .first(begins), .rx_vc, .new_row, .pins_open, .pins_vc, .ready, .head_written,
        .write_vc, .received, .waiting_q(waiting), .cand_vc, .cand_row, .more, .fetch_vc,
        .next_behind, .fetch_row, .granted, .granted_more, .ends, .stream_vc, .freed, .coming,
        .streams
    );

    // --- Buffer ----------------------------------------------------------------------------------
    localparam int DEPTH = 3 * C * L;
    logic             re;
    logic [RW+LW-1:0] waddr, raddr;
    logic [MW-1:0]    low, high; // what was read last, one of them is 0:
    logic [MW-1:0]    word;      // a header, or a flit and whether the next is the tail
    assign waddr = {write_row, write_offset};
    assign word  = low | high;
    if (LUTRAM != 0 && (C & (C - 1)) == 0 && DEPTH > 1024) begin : g_deep
        ofr_deep_buffer #(.DEPTH(DEPTH), .WIDTH(MW)) buffer (
            .clk, .we, .waddr, .wdata(write_word), .re, .raddr, .low, .high
        );
    end else begin : g_buffer
        ofr_buffer #(.DEPTH(DEPTH), .WIDTH(MW)) buffer (
            .clk, .we, .waddr, .wdata(write_word), .re, .raddr, .rdata(low)
        );
        assign high = '0;
    end
    assign data   = flit0 ? cand_flit : low[W-1:0] | high[W-1:0];
    assign poison = tail && word[W + 1];

    // --- Candidate and stream --------------------------------------------------------------------
    ofr_candidate #(.N(N), .W(W), .LOCAL(LOCAL), .INDEX(INDEX), .LUTRAM(LUTRAM)) candidate (
        .clk, .rst, .configured, .me, .top, .half, .wraps, .both, .set_t, .set_row, .settling, .rdr,
        .up, .any, .open, .prefer, .may_continue, .may_enter, .empties, .escape_mode, .esc_open,
        .hold, .hold_own, .held_ring, .held_through, .decided, .derouted, .idn, .wants_decision,
        .fresh, .fresh_vc, .fresh_flit, .fresh_swap, .fresh_order, .waiting, .fetched,
        .fetch_vc(fetched_vc), .fetch_behind(fetched_behind), .word, .adopt,
        .free(!flit0 || moves), .grant, .cand_q(cand), .vc_q(cand_vc), .flit_q(cand_flit),
        .routed_q(routed), .grantable_q(grantable), .no_credit, .refused(refuses), .out_q(out),
        .out_vc_q(out_vc)
    );
    assign cand_target = cand_flit[4*N-1:0];
    assign head        = cand_flit[15:0];

    ofr_stream #(.N(N), .L(L), .C(C), .LOCAL(LOCAL)) stream (
        .clk, .rst, .cand, .cand_vc, .routed, .grantable, .out, .out_vc, .ask, .can_take, .offered,
        .grant, .granted_q(granted), .discards, .asked_q(asked), .waiting, .cand_row, .more,
        .arrives(head_written && write_vc == cand_vc), .more_q(granted_more), .fetch_vc,
        .next_behind, .fetch_row, .busy, .write_row, .write_offset, .re, .raddr,
        .word_next_tail(word[W]), .fetch_q(fetched), .fetch_vc_q(fetched_vc),
        .fetch_behind_q(fetched_behind), .adopt, .can_load, .stream_q(streams), .full,
        .first_q(flit0), .tail_q(tail), .moves, .ends, .stream_vc_q(stream_vc),
        .stream_to_q(stream_to)
    );

    // --- Ring wait: a refused entry that waits two ticks starves ---------------------------------
    logic         wait_q, wait_ring_q;
    logic [1:0]   wait_vc_q, wait_age_q;
    logic [P-1:0] wait_out_q;
    assign refused       = !wait_q && refuses && cand;
    assign starves       = wait_q && wait_age_q[1]; // never 3
    assign starving_out  = wait_out_q;
    assign starving_ring = wait_ring_q;
    always_ff @(posedge clk) begin
        if (refused) begin
            wait_q      <= 1'b1;
            wait_vc_q   <= cand_vc;
            wait_out_q  <= out[P-1:0];
            wait_ring_q <= out_vc[1];
            wait_age_q  <= 2'd0;
        end else if (wait_q && tick_ring && !wait_age_q[1]) begin
            wait_age_q <= wait_age_q + 1'b1;
        end
        if (rst || (granted && wait_vc_q == stream_vc))
            wait_q <= 1'b0;
    end

    // --- Watchdog: a head that stays from one tick to the next but one ---------------------------
    logic [2:0] stale_q, moved, there;
    always_comb
        for (int v = 0; v < 3; v++) begin
            moved[v] = (moves || granted) && stream_vc == 2'(v);
            there[v] = (streams && stream_vc == 2'(v)) || waiting[v];
        end
    always_ff @(posedge clk) begin
        stuck   <= !rst && tick_watchdog && |(stale_q & there & ~moved);
        for (int v = 0; v < 3; v++)
            if (rst || !there[v] || moved[v])
                stale_q[v] <= 1'b0;
            else if (tick_watchdog)
                stale_q[v] <= 1'b1;
    end

    assign empty        = none && !busy && !streams && waiting == 3'd0;
    // While no packet runs; the latter is known a cycle later
    assign stall_credit = no_credit && !streams;
    assign stall_alloc  = asked && !granted;

`ifdef OFR_CHECK
    // --- What must hold, besides what stands in the parts ----------------------------------------
    logic started_q = 1'b0;
    always_ff @(posedge clk)
        started_q <= started_q || rst;
`ifdef FORMAL
    always_comb
        if (!started_q)
            assume (rst);
    always_comb
`else
    always_ff @(posedge clk)
`endif
        // Buffer: no word is read in the cycle that writes it
        if (started_q && !rst)
            assert (!(we && re && waddr == raddr));
`endif
endmodule

`default_nettype wire
