// SPDX-License-Identifier: Apache-2.0
// One input of the router: VC buffers, one candidate header (stages A and B), one packet that
// streams through the switch. Same as struct input in sim/model/router.c, name by name.
`include "ofr_defs.vh"
`default_nettype none

module ofr_input #(
    parameter int N     = 2,  // dimensions, 2 or 3
    parameter int W     = 32, // flit width in bits, 16, 32 or 64
    parameter int L     = 8,  // flits per slot, a power of two; L W / 8 at least 32 bytes
    parameter int C     = 8,  // slots per VC, 2 to 8
    parameter int LOCAL = 0,  // 1: the local port's input
    parameter int INDEX = 0   // which port this input is (links only)
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
    // For stage A, see ofr_route
    input  wire logic             configured,
    input  wire logic [4*N-1:0]   me,
    input  wire logic [5*N-1:0]   k,
    input  wire logic [4*N-1:0]   last_plus,
    input  wire logic [5*N-1:0]   first_minus,
    input  wire logic [1:0]       select,
    input  wire logic [2*N-1:0]   up,
    input  wire logic [2*N-1:0]   any,
    input  wire logic [2*N-1:0]   open,
    input  wire logic [4*N*N-1:0] ge,
    input  wire logic [4*N-1:0]   one,
    input  wire logic [4*N-1:0]   two,
    input  wire logic [4*N-1:0]   esc_open,
    input  wire logic [7:0]       random,
    input  wire logic             coin,
    input  wire logic             decided,
    input  wire logic             derouted,
    input  wire logic [4*N-1:0]   idn,
    output logic                  wants_decision,
    output logic [4*N-1:0]        cand_target,
    // Stage B
    output logic [2*N:0]          ask,       // one-hot: links, local; free to go
    output logic [1:0]            ask_vc,
    output logic                  ask_entry, // enters an escape ring
    output logic                  ask_mgmt,
    output logic [1:0]            cand_vc,
    input  wire logic             grant_link, // granted ask
    output logic                  grant_any,  // ... or discarded
    output logic                  discards,
    // Transfer
    input  wire logic [2*N:0]     can_load,   // output registers that can take a flit
    output logic                  moves,      // a flit crosses the switch to the stream's output
    output logic                  ends,       // ... a tail, or one that is discarded
    output logic [W-1:0]          data,
    output logic                  poison,
    // Ring entry that was refused for too long: which output and ring (0: VS1)
    input  wire logic             tick_ring,
    output logic [2*N-1:0]        starving,
    output logic                  starving_ring,
    output logic                  refused,    // event: a wait begins
    // Watchdog and events
    input  wire logic             tick_watchdog,
    output logic                  stuck,
    output logic                  empty,
    output logic                  stall_credit,
    output logic                  stall_alloc
);
    localparam int P     = 2 * N;
    localparam int O     = N == 3 ? 3 : 1; // bits of an order of the dimensions
    localparam int MW    = W + 1 + O;      // data, last, poison (tails) or order (headers)
    localparam int DEPTH = 3 * C * L;
    localparam int AW    = $clog2(DEPTH);
    localparam int LW    = $clog2(L);
    localparam int SW    = 3;              // slot number
    localparam [1:0] UNROUTED = 2'd0, NO_CREDIT = 2'd1, NO_DECISION = 2'd2, GRANTABLE = 2'd3;

    initial begin
        if (L * W < 256)
            $error("ofr_input: L W / 8 must be at least 32 bytes");
        if ((L & (L - 1)) != 0 || C < 2 || C > 8)
            $error("ofr_input: L must be a power of two, C from 2 to 8");
    end

    function automatic logic [SW-1:0] next_slot(input logic [SW-1:0] slot);
        next_slot = slot == SW'(C - 1) ? '0 : slot + 1'b1;
    endfunction

    function automatic logic [AW-1:0] address(input logic [1:0] vc, input logic [SW-1:0] slot,
                                              input logic [LW-1:0] offset);
        logic [5:0] row;
        row = (vc == 2'd1 ? 6'(C) : vc == 2'd2 ? 6'(2 * C) : 6'd0) + 6'(slot);
        address = AW'({row, offset});
    endfunction

    // --- Arrival: pins to register, register to memory -------------------------------------------
    logic         in_valid_q, in_last_q, in_poison_q, in_first_q, in_abort_q;
    logic [1:0]   in_vc_q;
    logic [W-1:0] in_data_q;
    logic         open_q;   // the pins are inside a packet
    logic [1:0]   open_vc_q;
    logic         busy_q;   // a packet is half written
    logic         cut_q;    // an aborted packet is being filled up to 4 flits
    logic [1:0]   write_vc_q;
    logic [LW-1:0] write_offset_q;
    logic [3*SW-1:0] write_slot_q, head_slot_q;
    logic [3*4-1:0]  waiting_q; // packets per VC; the candidate is one of them

    logic take;
    assign take = rx_valid && (LOCAL == 0 || ready[rx_vc]);

    always_ff @(posedge clk) begin
        in_valid_q  <= take;
        in_vc_q     <= rx_vc;
        in_data_q   <= rx_data;
        in_last_q   <= rx_last;
        in_poison_q <= rx_poison;
        in_first_q  <= !open_q;
        in_abort_q  <= rx_abort;
        if (take) begin
            open_q    <= !rx_last;
            open_vc_q <= rx_vc;
        end else if (rx_abort) begin
            open_q <= 1'b0;
        end
        if (rst) begin
            in_valid_q <= 1'b0;
            in_abort_q <= 1'b0;
            open_q     <= 1'b0;
        end
    end

    logic           filling, we, head_written, tail_written;
    logic [1:0]     write_vc;
    logic [MW-1:0]  write_word;
    logic [2:0]     order_now;
    assign order_now = N == 2 ? {2'b00, random[0]} : 3'((11'(random) * 11'd6) >> 8);
    assign filling   = cut_q || (in_abort_q && busy_q);
    assign we        = filling || in_valid_q;
    assign write_vc  = in_valid_q && in_first_q && !filling ? in_vc_q : write_vc_q;
    always_comb begin
        head_written = !filling && in_valid_q && in_first_q;
        tail_written = filling ? write_offset_q >= LW'(3) : in_valid_q && in_last_q && !in_first_q;
        write_word   = '0;
        if (filling) begin
            write_word[W]     = tail_written;
            write_word[W + 1] = tail_written;
        end else begin
            write_word[W-1:0] = in_data_q;
            if (in_first_q) begin
                write_word[W+1 +: O] = order_now[O-1:0];
            end else begin
                write_word[W]     = in_last_q;
                write_word[W + 1] = in_poison_q;
            end
        end
    end

    always_ff @(posedge clk) begin
        if (we) begin
            write_vc_q     <= write_vc;
            busy_q         <= !tail_written;
            write_offset_q <= tail_written ? '0 : write_offset_q + 1'b1;
            cut_q          <= filling && !tail_written;
        end
        for (int v = 0; v < 3; v++)
            if (we && tail_written && write_vc == 2'(v))
                write_slot_q[SW*v +: SW] <= next_slot(write_slot_q[SW*v +: SW]);
        if (rst) begin
            busy_q         <= 1'b0;
            cut_q          <= 1'b0;
            write_offset_q <= '0;
            write_slot_q   <= '0;
        end
    end

    // --- Memory ----------------------------------------------------------------------------------
    logic          re;
    logic [AW-1:0] raddr, waddr;
    logic [MW-1:0] word;
    assign waddr = address(write_vc, write_slot_q[SW*write_vc +: SW], write_offset_q);
    ofr_buffer #(.DEPTH(DEPTH), .WIDTH(MW)) buffer (
        .clk, .we, .waddr, .wdata(write_word), .re, .raddr, .rdata(word)
    );

    // --- Candidate: stage A ----------------------------------------------------------------------
    logic         cand_q, need_q, swap_q, granted_q;
    logic [1:0]   cand_vc_q;
    logic [O-1:0] order_q;
    logic [W-1:0] cand_flit_q;
    logic [1:0]   reason_q;
    logic         entry_q, refused_q;
    logic [P+1:0] out_q;
    logic [1:0]   out_vc_q;
    logic         fetch_q, fetch_second_q, fetch_next_q;
    logic [1:0]   fetch_vc_q;

    logic         fetched, adopt, fresh;
    logic         a_swap, a_need, a_wait_ofr, a_grantable, a_no_credit, a_refused, a_entry;
    logic [W-1:0] a_flit;
    logic [P+1:0] a_out;
    logic [1:0]   a_out_vc;
    assign fetched = fetch_q && !fetch_second_q;
    assign adopt   = fetched && (!fetch_next_q || granted_q || grant_any);
    assign fresh   = !cand_q && !fetched && in_valid_q && in_first_q &&
                     waiting_q[4*in_vc_q +: 4] == 4'd0;

    ofr_route #(.N(N), .W(W), .LOCAL(LOCAL), .INDEX(INDEX)) route (
        .configured, .me, .k, .last_plus, .first_minus, .select, .up, .any, .open, .ge, .one, .two,
        .esc_open, .order(cand_q ? 3'(order_q) : order_now), .order_now, .coin,
        .decided, .derouted, .idn,
        .flit(cand_q ? cand_flit_q : in_data_q), .vc(cand_q ? cand_vc_q : in_vc_q),
        .swapped(cand_q && swap_q),
        .flit_out(a_flit), .swap(a_swap), .need(a_need), .wait_ofr(a_wait_ofr),
        .grantable(a_grantable), .no_credit(a_no_credit), .refused(a_refused), .entry(a_entry),
        .out(a_out), .out_vc(a_out_vc)
    );

    always_ff @(posedge clk) begin
        granted_q <= grant_any;
        if (adopt) begin
            cand_q      <= 1'b1;
            need_q      <= 1'b0;
            swap_q      <= 1'b0;
            cand_vc_q   <= fetch_vc_q;
            cand_flit_q <= word[W-1:0];
            order_q     <= word[W+1 +: O];
            reason_q    <= UNROUTED;
            refused_q   <= 1'b0;
        end else if (cand_q && grant_any) begin
            cand_q <= 1'b0;
        end else if (cand_q && need_q) begin
            if (fetch_q && fetch_second_q) begin
                need_q            <= 1'b0;
                cand_flit_q[11:0] <= word[11:0];
            end
        end else if (cand_q || fresh) begin
            cand_q      <= 1'b1;
            need_q      <= a_need;
            swap_q      <= a_swap;
            cand_flit_q <= a_flit;
            reason_q    <= a_grantable ? GRANTABLE : a_no_credit ? NO_CREDIT :
                           a_wait_ofr ? NO_DECISION : UNROUTED;
            refused_q   <= a_refused;
            entry_q     <= a_entry;
            out_q       <= a_out;
            out_vc_q    <= a_out_vc;
            if (!cand_q) begin
                cand_vc_q <= in_vc_q;
                order_q   <= order_now[O-1:0];
            end
        end
        if (rst) begin
            cand_q    <= 1'b0;
            granted_q <= 1'b0;
            reason_q  <= UNROUTED;
            refused_q <= 1'b0;
            need_q    <= 1'b0;
        end
    end

    assign wants_decision = LOCAL != 0 && cand_q && reason_q == NO_DECISION;
    assign cand_target    = cand_flit_q[4*N-1:0];
    assign cand_vc        = cand_vc_q;

    // --- Stage B: the request --------------------------------------------------------------------
    logic stream_q, free_to_go, go;
    assign free_to_go = !stream_q || ends;
    assign go         = cand_q && reason_q == GRANTABLE;
    assign ask        = go && free_to_go ? out_q[P:0] : '0;
    assign ask_vc     = out_vc_q;
    assign ask_entry  = entry_q;
    assign ask_mgmt   = cand_flit_q[`OFR_PKT_MGMT_LSB];
    assign discards   = go && free_to_go && out_q[P+1];
    assign grant_any  = grant_link || discards;

    // --- Stream and memory reads -----------------------------------------------------------------
    logic          first_q, second_q, stream_swap_q, loaded_q;
    logic [1:0]    stream_vc_q;
    logic [SW-1:0] stream_slot_q;
    logic [LW-1:0] stream_offset_q;
    logic [P+1:0]  stream_out_q;
    logic [W-1:0]  stream_flit_q;

    // Has the flit at this offset of a slot been written?
    function automatic logic written(input logic [1:0] vc, input logic [SW-1:0] slot,
                                     input logic [LW-1:0] offset);
        written = !(busy_q && write_vc_q == vc && write_slot_q[SW*vc +: SW] == slot) ||
                  offset < write_offset_q;
    endfunction

    assign moves = stream_q && (first_q || loaded_q) && |(stream_out_q & {1'b1, can_load});
    assign ends  = moves && !first_q && word[W];

    logic holds, read_body, read_second, read_header, next_behind, fetch_ok;
    logic [1:0] fetch_vc;
    logic [2:0] pending;
    logic [SW-1:0] head;
    assign holds     = loaded_q && !(moves && !first_q);
    assign read_body = !holds && stream_q && !ends &&
                       written(stream_vc_q, stream_slot_q, stream_offset_q);
    assign read_second = W == 16 && !holds && !read_body && cand_q && need_q && !fetch_q &&
                         written(cand_vc_q, head_slot_q[SW*cand_vc_q +: SW], LW'(1));
    always_comb begin
        for (int v = 0; v < 3; v++)
            pending[v] = waiting_q[4*v +: 4] != 4'd0 && !(cand_q && cand_vc_q == 2'(v));
        fetch_vc = cand_vc_q;
        if (LOCAL != 0 && pending[2])
            fetch_vc = 2'd2;
        else
            case (fetch_vc_q)
                2'd0: fetch_vc = pending[1] ? 2'd1 : pending[2] ? 2'd2 :
                                 pending[0] ? 2'd0 : cand_vc_q;
                2'd1: fetch_vc = pending[2] ? 2'd2 : pending[0] ? 2'd0 :
                                 pending[1] ? 2'd1 : cand_vc_q;
                default: fetch_vc = pending[0] ? 2'd0 : pending[1] ? 2'd1 :
                                    pending[2] ? 2'd2 : cand_vc_q;
            endcase
    end
    assign next_behind = pending == 3'd0;
    assign fetch_ok    = !fetch_q && !(cand_q && (need_q || reason_q == UNROUTED)) &&
                         (!next_behind || (cand_q && waiting_q[4*cand_vc_q +: 4] >= 4'd2));
    assign read_header = !holds && !read_body && fetch_ok;
    assign head        = head_slot_q[SW*fetch_vc +: SW];
    always_comb begin
        if (read_body)
            raddr = address(stream_vc_q, stream_slot_q, stream_offset_q);
        else if (W == 16 && need_q)
            raddr = address(cand_vc_q, head_slot_q[SW*cand_vc_q +: SW], LW'(1));
        else
            raddr = address(fetch_vc, next_behind ? next_slot(head) : head, '0);
    end
    assign re = read_body || read_second || read_header;

    always_ff @(posedge clk) begin
        fetch_q        <= read_second || read_header;
        fetch_second_q <= read_second;
        if (read_header) begin
            fetch_vc_q   <= fetch_vc;
            fetch_next_q <= next_behind;
        end
        if (!holds)
            loaded_q <= read_body;
        if (read_body)
            stream_offset_q <= stream_offset_q + 1'b1;
        if (moves) begin
            second_q <= first_q;
            first_q  <= 1'b0;
        end
        if (ends)
            stream_q <= 1'b0;
        if (grant_any) begin
            stream_q        <= 1'b1;
            first_q         <= 1'b1;
            second_q        <= 1'b0;
            loaded_q        <= 1'b0;
            stream_swap_q   <= swap_q;
            stream_vc_q     <= cand_vc_q;
            stream_slot_q   <= head_slot_q[SW*cand_vc_q +: SW];
            stream_offset_q <= LW'(1);
            stream_out_q    <= out_q;
            stream_flit_q   <= cand_flit_q;
        end
        for (int v = 0; v < 3; v++) begin
            logic arrives, leaves;
            arrives = head_written && in_vc_q == 2'(v);
            leaves  = grant_any && cand_vc_q == 2'(v);
            if (arrives && !leaves)
                waiting_q[4*v +: 4] <= waiting_q[4*v +: 4] + 1'b1;
            else if (leaves && !arrives)
                waiting_q[4*v +: 4] <= waiting_q[4*v +: 4] - 1'b1;
            if (leaves)
                head_slot_q[SW*v +: SW] <= next_slot(head_slot_q[SW*v +: SW]);
            if (ends && stream_vc_q == 2'(v))
                freed[4*v +: 4] <= freed[4*v +: 4] + 1'b1;
        end
        if (rst) begin
            fetch_q        <= 1'b0;
            fetch_second_q <= 1'b0;
            fetch_next_q   <= 1'b0;
            fetch_vc_q     <= 2'd0;
            loaded_q       <= 1'b0;
            stream_q       <= 1'b0;
            waiting_q      <= '0;
            head_slot_q    <= '0;
            freed          <= '0;
        end
    end

    always_comb begin
        data = first_q ? stream_flit_q : word[W-1:0];
        if (W == 16 && second_q && stream_swap_q)
            data[11:0] = {{12-4*N{1'b0}}, me};
    end
    assign poison = word[W + 1];

    // --- Local port: room per VC, counted when a packet is taken from the pins --------------------
    if (LOCAL != 0) begin : g_ready
        logic [11:0] started_q;
        always_ff @(posedge clk) begin
            for (int v = 0; v < 3; v++)
                if (take && !open_q && rx_vc == 2'(v))
                    started_q[4*v +: 4] <= started_q[4*v +: 4] + 1'b1;
            if (rst)
                started_q <= '0;
        end
        always_comb
            for (int v = 0; v < 3; v++)
                ready[v] = open_q ? open_vc_q == 2'(v)
                                  : 4'(started_q[4*v +: 4] - freed[4*v +: 4]) < 4'(C);
    end else begin : g_no_ready
        logic unused;
        assign ready  = '0;
        assign unused = ^open_vc_q;
    end

    // --- Ring wait: a refused entry that waits two ticks starves ----------------------------------
    logic         wait_q, wait_ring_q;
    logic [1:0]   wait_vc_q, wait_age_q;
    logic [P-1:0] wait_out_q;
    assign refused       = !wait_q && cand_q && refused_q;
    assign starving      = wait_q && wait_age_q == 2'd2 ? wait_out_q : '0;
    assign starving_ring = wait_ring_q;
    always_ff @(posedge clk) begin
        if (refused) begin
            wait_q      <= 1'b1;
            wait_vc_q   <= cand_vc_q;
            wait_out_q  <= out_q[P-1:0];
            wait_ring_q <= out_vc_q[1];
            wait_age_q  <= 2'd0;
        end else if (wait_q && tick_ring && wait_age_q != 2'd2) begin
            wait_age_q <= wait_age_q + 1'b1;
        end
        if (rst || (grant_any && wait_q && wait_vc_q == cand_vc_q))
            wait_q <= 1'b0;
    end

    // --- Watchdog: a head that stays from one tick to the next but one ----------------------------
    logic [2:0] stale_q, moved, there;
    always_comb
        for (int v = 0; v < 3; v++) begin
            moved[v] = (moves && stream_vc_q == 2'(v)) || (grant_any && cand_vc_q == 2'(v));
            there[v] = (stream_q && stream_vc_q == 2'(v)) || waiting_q[4*v +: 4] != 4'd0;
        end
    assign stuck = tick_watchdog && |(stale_q & there & ~moved);
    always_ff @(posedge clk)
        stale_q <= rst ? 3'd0 : there & ~moved & (stale_q | {3{tick_watchdog}});

    assign empty        = !in_valid_q && !busy_q && !stream_q && waiting_q == '0;
    assign stall_credit = cand_q && free_to_go && !grant_any && reason_q == NO_CREDIT;
    assign stall_alloc  = cand_q && free_to_go && !grant_any && go;
endmodule

`default_nettype wire
