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
    output logic                  granted_q, // a packet was granted in the cycle before
    output logic                  discards,  // event: ... to be discarded
    output logic [15:0]           head,      // ... its header word 0
    output logic [1:0]            cand_vc,
    // Transfer
    input  wire logic [2*N:0]     can_load,  // output registers that can take a flit
    output logic                  full,      // a flit is at the switch
    output logic                  tail_q,    // ... a tail
    output logic [W-1:0]          data,
    output logic                  poison,    // with a tail
    output logic [1:0]            stream_vc_q, // the running packet's VC here
    output logic [1:0]            stream_to_q, // ... and downstream
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
    localparam int P     = 2 * N;
    localparam int O     = N * (N - 1) / 2; // bits of an order of the dimensions
    localparam int MW    = W + 1 + O;       // data; tails: last, poison; headers: need, order
    localparam int DEPTH = 3 * C * L;
    localparam int AW    = $clog2(DEPTH);
    localparam int LW    = $clog2(L);
    localparam int RW    = $clog2(3 * C);   // a row is a VC's slot
    localparam int POW2  = (C & (C - 1)) == 0 ? 1 : 0;
    localparam int SW    = $clog2(C);
    localparam int HI    = W > 16 ? 16 : 0; // the destination in flit 0

    function automatic logic [SW-1:0] next_slot(input logic [SW-1:0] slot);
        next_slot = POW2 == 0 && slot == SW'(C - 1) ? '0 : slot + 1'b1;
    endfunction

    // Of a VC and its slot, both of few bits: no adder where C is a power of two.
    function automatic logic [RW-1:0] row(input logic [1:0] vc, input logic [SW-1:0] slot);
        row = POW2 != 0 ? RW'({vc, slot}) :
              (vc == 2'd1 ? RW'(C) : vc == 2'd2 ? RW'(2 * C) : '0) + RW'(slot);
    endfunction

    // Counts are so short that LUTs are smaller than a carry chain.
    function automatic logic [3:0] plus1(input logic [3:0] n);
        plus1 = {n[3] ^ &n[2:0], n[2] ^ &n[1:0], n[1] ^ n[0], !n[0]};
    endfunction

    // One of three by VC
    function automatic logic [3:0] of_vc(input logic [11:0] all, input logic [1:0] vc);
        of_vc = vc[1] ? all[11:8] : vc[0] ? all[7:4] : all[3:0];
    endfunction

    // --- Packets per VC --------------------------------------------------------------------------
    // Headers written so far, modulo 16, and granted, modulo 2^SW; where the next one is. What lies
    // between is waiting; the candidate is one of these. Grants are counted a cycle later.
    logic [11:0] written_q, write_slot, head_slot; // 4 bits a VC
    logic [11:0] granted_low;
    logic        head_written, grant_any, more_q;
    logic [1:0]  write_vc_q, cand_vc_q;
    logic [2:0]  waiting_q, arrives, leaves;
    for (genvar v = 0; v < 3; v++) begin : g_vc
        logic [SW-1:0] granted_count_q;
        assign arrives[v] = head_written && write_vc_q == 2'(v);
        assign leaves[v]  = granted_q && stream_vc_q == 2'(v);
        always_ff @(posedge clk) begin
            if (arrives[v])
                written_q[4*v +: 4] <= plus1(written_q[4*v +: 4]);
            if (leaves[v])
                granted_count_q <= SW'(plus1(4'(granted_count_q)));
            waiting_q[v] <= arrives[v] || (waiting_q[v] && !(leaves[v] && !more_q));
            if (rst) begin
                written_q[4*v +: 4] <= 4'd0;
                granted_count_q     <= '0;
                waiting_q[v]        <= 1'b0;
            end
        end
        assign granted_low[4*v +: 4] = 4'(granted_count_q);
        if (POW2 != 0) begin : g_short
            assign write_slot[4*v +: 4] = 4'(written_q[4*v +: SW]);
            assign head_slot[4*v +: 4]  = 4'(granted_count_q);
        end else begin : g_slots
            logic [SW-1:0] write_slot_q, head_slot_q;
            always_ff @(posedge clk) begin
                if (arrives[v])
                    write_slot_q <= next_slot(write_slot_q);
                if (leaves[v])
                    head_slot_q <= next_slot(head_slot_q);
                if (rst) begin
                    write_slot_q <= '0;
                    head_slot_q  <= '0;
                end
            end
            assign write_slot[4*v +: 4] = 4'(write_slot_q);
            assign head_slot[4*v +: 4]  = 4'(head_slot_q);
        end
    end

    assign received = written_q;

    // --- Arrival: pins to register, register to memory -------------------------------------------
    logic          in_valid_q, in_last_q, in_poison_q, in_first_q, in_abort_q;
    logic [W-1:0]  in_data_q;
    logic [O-1:0]  in_order_q;
    logic          in_swap_q; // a header that meets its IDN
    logic          open_q;   // the pins are inside a packet
    logic [1:0]    open_vc_q;
    logic          busy_q;   // a packet is half written
    logic          cut_q;    // an aborted packet is being filled up to 4 flits
    logic          filling, we;
    logic [RW-1:0] write_row_q;
    logic [LW-1:0] write_offset_q;

    // Guards: a packet on no VC, or that comes while a cut-off one is being filled up, is dropped
    // whole (`refuse`). One that is longer than a slot ends there in a poisoned tail (`at_end`),
    // and its rest is dropped. One of less than 4 flits ends as one that is cut off (`short`).
    logic take, begins, refuse, keep, first, at_end, short, ends_here;
    logic drop_q; // the pins are inside a packet of which nothing more is taken
    assign take      = rx_valid && (LOCAL == 0 || (rx_vc != 2'd3 && ready[rx_vc]));
    assign begins    = take && !open_q;
    assign refuse    = begins && ((LOCAL == 0 && rx_vc == 2'd3) || (filling && !tail_written));
    assign keep      = take && !refuse && (begins || !drop_q);
    assign first     = begins && !refuse;
    assign at_end    = open_q && &write_offset_q[LW-1:1] && !write_offset_q[0];
    assign short     = rx_last && (begins || !(|(write_offset_q >> 2) || &write_offset_q[1:0] ||
                                               (write_offset_q[1] && in_valid_q)));
    assign ends_here = (rx_last && !short) || at_end;
    assign malformed = refuse || (keep && (short || (at_end && !rx_last)));

    // A directed header gets its arrival port. Where a packet meets its IDN, target and destination
    // change places and LEG becomes 1: on the way to the candidate, `in_swap_q` is stored with the
    // header; with W = 16 the destination is in flit 1, so that the header waits for it here.
    logic [W-1:0] header;
    logic         directed, at_idn, late; // late: the header waits no longer
    assign directed = rx_data[`OFR_PKT_CLASS_LSB +: 2] == `OFR_PKT_CLASS_DIRECTED;
    assign at_idn   = LOCAL == 0 && !directed && !rx_data[`OFR_PKT_LEG_LSB] &&
                      rx_data[4*N-1:0] == me;
    assign late     = W == 16 && keep && in_valid_q && in_first_q && in_swap_q;
    always_comb begin
        header = rx_data;
        if (LOCAL == 0 && directed)
            header[3:0] = INDEX[3:0];
        if (open_q)
            header = rx_data;
        if (late)
            header[11:0] = {{12-4*N{1'b0}}, me};
    end

    // Data stay until the next flit, and fill up a packet that is cut off.
    always_ff @(posedge clk) begin
        in_valid_q <= keep || (in_valid_q && !we);
        in_abort_q <= rx_abort || (keep && short);
        if (keep) begin
            in_first_q  <= !open_q;
            in_last_q   <= ends_here;
            in_poison_q <= rx_poison || (at_end && !rx_last);
            in_data_q   <= header;
            in_swap_q   <= at_idn;
            in_order_q  <= order_now;
        end
        if (take) begin
            open_q    <= !rx_last;
            open_vc_q <= rx_vc;
            drop_q    <= !rx_last && (begins ? refuse : drop_q || at_end);
        end else if (rx_abort) begin
            open_q <= 1'b0;
        end
        if (first) begin
            write_vc_q  <= rx_vc;
            write_row_q <= row(rx_vc, SW'(of_vc(write_slot, rx_vc)));
        end
        if (rst) begin
            in_valid_q <= 1'b0;
            in_abort_q <= 1'b0;
            open_q     <= 1'b0;
        end
    end

    // A flit is written when the one behind it is at the pins, with whether that is the tail:
    // its reader then knows a tail before it is out of the memory. Headers (no tail is next to
    // them) and tails are written at once.
    logic          head_goes, tail_written;
    logic [MW-1:0] write_word;
    assign filling      = cut_q || (in_abort_q && (busy_q || in_valid_q));
    assign we           = filling || (in_valid_q && (head_goes || in_last_q || keep));
    assign head_goes    = in_first_q && !(W == 16 && in_swap_q);
    assign head_written = we && in_valid_q && in_first_q;
    assign tail_written = filling ? !in_valid_q && (|(write_offset_q >> 2) || &write_offset_q[1:0])
                                  : in_last_q;
    always_comb begin
        write_word        = '0;
        write_word[W-1:0] = in_data_q;
        if (late) begin
            write_word[11:0]             = rx_data[11:0];
            write_word[`OFR_PKT_LEG_LSB] = 1'b1;
        end
        if (in_first_q && in_valid_q) begin
            write_word[W]        = in_swap_q;
            write_word[W+1 +: O] = in_order_q;
        end else begin
            write_word[W]     = filling ? |(write_offset_q >> 1) : ends_here; // the next: the tail
            write_word[W + 1] = filling || in_poison_q;                      // looked at in tails
        end
    end

    always_ff @(posedge clk) begin
        if (we) begin
            busy_q         <= !tail_written;
            write_offset_q <= tail_written ? '0 : write_offset_q + 1'b1;
            cut_q          <= filling && !tail_written;
        end
        if (rst) begin
            busy_q         <= 1'b0;
            cut_q          <= 1'b0;
            write_offset_q <= '0;
        end
    end

    // --- Memory ----------------------------------------------------------------------------------
    logic          re;
    logic [AW-1:0] raddr;
    logic [MW-1:0] word;
    ofr_buffer #(.DEPTH(DEPTH), .WIDTH(MW)) buffer (
        .clk, .we, .waddr({write_row_q, write_offset_q}), .wdata(write_word), .re, .raddr,
        .rdata(word)
    );

    // --- Candidate: stage A ----------------------------------------------------------------------
    logic         cand_q;
    logic [O-1:0] order_q;
    logic [W-1:0] cand_flit_q;
    // Else Yosys makes the target part of the tables' RAMs (`memory_dff`): twice the registers, and
    // a LUT for each.
    initial cand_flit_q[4*N-1:0] = '0;
    logic         grantable_q, no_credit_q, no_decision_q, refused_q; // none: not routed yet
    logic [P+1:0] out_q;
    logic [1:0]   out_vc_q;
    logic         fetch_q, fetch_behind_q;
    logic [1:0]   fetch_vc_q;

    logic         adopt, fresh, more, free_place, moves, first_q;
    logic         a_wait_ofr, a_grantable, a_no_credit, a_refused;
    logic         a_deroutes, cand_decided_q;
    logic [P+1:0] a_out;
    logic [1:0]   a_out_vc;
    // Flit 0 of the running packet leaves from the candidate's copy. Then a fetched header takes
    // the place, but not while the candidate may go (it keeps its turn), nor if it is behind it;
    // or one fresh from the pins, if nothing waits in its VC.
    assign free_place = !first_q || moves;
    assign adopt = fetch_q && free_place && !(cand_q && (grantable_q || fetch_behind_q));
    assign fresh = (W == 16 ? (first && !at_idn) || late : first) && !fetch_q && free_place &&
                   !cand_q && !waiting_q[fresh_vc];

    logic [1:0]   fresh_vc;
    logic [W-1:0] cand_flit;
    logic         swap;
    assign fresh_vc = late ? write_vc_q : rx_vc;
    assign swap = W > 16 && (fetch_q ? word[W] : at_idn);
    always_comb begin
        cand_flit = fetch_q ? word[W-1:0] : header;
        if (swap) begin
            cand_flit[11:0] = fetch_q ? word[HI +: 12] : rx_data[HI +: 12];
            cand_flit[HI +: 12]          = {{12-4*N{1'b0}}, me};
            cand_flit[`OFR_PKT_LEG_LSB]  = 1'b1;
        end
        if (late && !fetch_q)
            cand_flit = write_word[W-1:0];
    end

    logic [N-1:0] here, outside;
    logic [P-1:0] minimal;
    ofr_bearings #(.N(N), .LUTRAM(LUTRAM)) bearings (
        .clk, .me, .top, .half, .wraps, .both, .set_t, .set_row, .t(cand_flit_q[4*N-1:0]), .here,
        .outside, .minimal
    );
    ofr_route #(.N(N), .LOCAL(LOCAL), .INDEX(INDEX)) route (
        .configured, .here, .outside, .minimal, .rdr, .up, .any, .open, .prefer,
        .may_continue, .may_enter, .empties, .escape_mode, .esc_open, .hold, .hold_own, .held_ring,
        .held_through, .decided(cand_decided_q),
        .head(cand_flit_q[15:0]), .vc(cand_vc_q), .order(order_q),
        .deroutes(a_deroutes), .wait_ofr(a_wait_ofr), .grantable(a_grantable),
        .no_credit(a_no_credit), .refused(a_refused), .out(a_out), .out_vc(a_out_vc)
    );

    always_ff @(posedge clk) begin
        granted_q     <= grant_any;
        grantable_q   <= a_grantable;
        no_credit_q   <= a_no_credit;
        no_decision_q <= a_wait_ofr;
        refused_q     <= a_refused;
        out_q     <= a_out;
        out_vc_q  <= a_out_vc;
        // The decision goes into the header, which is routed from the next cycle on
        if (LOCAL != 0 && cand_q && a_deroutes && decided) begin
            cand_decided_q <= 1'b1;
            if (derouted) begin
                cand_flit_q[11:0]             <= {{12-4*N{1'b0}}, idn};
                cand_flit_q[`OFR_PKT_LEG_LSB] <= 1'b0;
            end
        end
        if (grant_any)
            cand_q <= 1'b0;
        if (adopt || fresh) begin
            cand_q      <= 1'b1;
            cand_decided_q <= 1'b0;
            cand_vc_q   <= fetch_q ? fetch_vc_q : fresh_vc;
            cand_flit_q <= cand_flit;
            order_q     <= fetch_q ? word[W+1 +: O] : late ? in_order_q : order_now;
        end
        // A grant is too late to clear these: in the cycle behind it cand_q is 0
        if (rst || !cand_q || adopt || settling) begin
            grantable_q   <= 1'b0;
            no_credit_q   <= 1'b0;
            no_decision_q <= 1'b0;
            refused_q     <= 1'b0;
        end
        if (rst) begin
            cand_q    <= 1'b0;
            granted_q <= 1'b0;
        end
    end

    assign wants_decision = LOCAL != 0 && no_decision_q && cand_q;
    assign cand_target    = cand_flit_q[4*N-1:0];
    assign cand_vc        = cand_vc_q;

    // --- Stage B: the request --------------------------------------------------------------------
    // Asks when no packet runs, or when its tail has just come to the switch: if that cannot cross
    // at once, it has gone before the candidate asks again.
    logic stream_q, tail_new_q, go, asked_q;
    assign go        = grantable_q && (!stream_q || tail_new_q);
    assign ask       = go ? out_q[P:0] : '0;
    assign grant_any = can_take && (offered || (go && out_q[P+1]));

    // --- Stream and memory reads -----------------------------------------------------------------
    logic          loaded_q, ends;
    logic          next_tail, next_tail_q; // the stream's next flit is the tail
    logic [RW-1:0] stream_row_q;
    logic [LW-1:0] stream_offset_q;
    logic [P+1:0]  stream_out_q;

    // Reading never overtakes writing.
    logic body_there;
    assign body_there   = !(busy_q && write_row_q == stream_row_q) ||
                          stream_offset_q != write_offset_q;

    assign full     = first_q || loaded_q;
    assign can_take = !stream_q || |(stream_out_q & {1'b1, can_load});
    assign moves    = full && |(stream_out_q & {1'b1, can_load});
    assign ends     = moves && tail_q;
    assign discards = granted_q && stream_out_q[P+1];
    assign head     = cand_flit_q[15:0];

    // The read port: the stream's next flit, else a header. What is read depends on registers,
    // only whether it is on the outputs' readiness.
    logic holds, read_body, read_header, next_behind, fetch_ok;
    logic [1:0] fetch_vc;
    logic [2:0] pending;
    logic [SW-1:0] cand_head, fetch_head, cand_written, cand_granted;
    assign holds       = full && !moves;
    assign read_body   = stream_q && !tail_q && body_there;
    always_comb begin
        for (int v = 0; v < 3; v++)
            pending[v] = waiting_q[v] && !(cand_q && cand_vc_q == 2'(v));
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
    // More than the candidate in its VC? 1 to C are waiting: not 1 modulo 2^SW.
    assign cand_written = SW'(of_vc(written_q, cand_vc_q));
    assign cand_granted = SW'(of_vc(granted_low, cand_vc_q));
    assign more         = cand_written != cand_granted + 1'b1;
    assign fetch_ok    = !fetch_q && !granted_q &&
                         !(cand_q && !grantable_q && !no_credit_q && !no_decision_q) &&
                         (!next_behind || (cand_q && waiting_q[cand_vc_q] && more));
    assign read_header = !read_body && fetch_ok;
    assign cand_head   = SW'(of_vc(head_slot, cand_vc_q));
    assign fetch_head  = SW'(of_vc(head_slot, fetch_vc));
    always_comb begin
        // The next behind is in the same VC as the candidate
        if (read_body)
            raddr = {stream_row_q, stream_offset_q};
        else
            raddr = {row(fetch_vc, next_behind ? next_slot(fetch_head) : fetch_head), LW'(0)};
    end
    assign re = !holds && (read_body || read_header);
    assign next_tail = loaded_q ? word[W] : next_tail_q;

    always_ff @(posedge clk) begin
        // A header stays at the memory's output until it is taken or something else is read; one
        // behind a candidate that may not go any more is dropped.
        fetch_q <= re ? !read_body : fetch_q && !adopt &&
                                     !(cand_q && fetch_behind_q && !grantable_q);
        if (re && read_header) begin
            fetch_vc_q     <= fetch_vc;
            fetch_behind_q <= next_behind;
        end
        next_tail_q <= next_tail;
        tail_new_q  <= !holds && read_body && next_tail;
        if (!holds) begin
            loaded_q <= read_body;
            tail_q   <= read_body && next_tail;
            if (read_body)
                stream_offset_q <= stream_offset_q + 1'b1;
        end
        if (moves)
            first_q <= 1'b0;
        if (ends)
            stream_q <= 1'b0;
        asked_q <= grantable_q && !stream_q;
        if (grant_any) begin
            stream_q <= 1'b1;
            first_q  <= 1'b1;
        end
        // Whether it is granted or not: no packet runs, or its tail leaves
        if (go && can_take) begin
            more_q          <= more || (head_written && write_vc_q == cand_vc_q);
            next_tail_q     <= 1'b0;
            stream_vc_q     <= cand_vc_q;
            stream_to_q     <= out_vc_q;
            stream_row_q    <= row(cand_vc_q, cand_head);
            stream_offset_q <= LW'(1);
            stream_out_q    <= out_q;
        end
        // One packet streams at a time: all granted before this one have left. The bits above those
        // of granted packets count as one more than last time.
        for (int v = 0; v < 3; v++)
            if (ends && stream_vc_q == 2'(v)) begin
                freed[4*v +: 4]  <= plus1(freed[4*v +: 4]);
                freed[4*v +: SW] <= granted_low[4*v +: SW];
            end
        if (rst) begin
            fetch_q        <= 1'b0;
            fetch_vc_q     <= 2'd0;
            loaded_q       <= 1'b0;
            tail_q         <= 1'b0;
            first_q        <= 1'b0;
            stream_q       <= 1'b0;
            asked_q        <= 1'b0;
            freed          <= '0;
        end
    end

    assign data   = first_q ? cand_flit_q : word[W-1:0];
    assign poison = tail_q && word[W + 1];

    // --- Local port: room per VC, counted when a packet is taken from the pins -------------------
    if (LOCAL != 0) begin : g_ready
        logic [11:0] taken_q; // slots
        logic [2:0]  room_q;
        always_ff @(posedge clk) begin
            for (int v = 0; v < 3; v++) begin
                logic takes, frees;
                takes = first && rx_vc == 2'(v);
                frees = ends && stream_vc_q == 2'(v);
                if (takes != frees) begin
                    taken_q[4*v +: 4] <= frees ? taken_q[4*v +: 4] - 1'b1
                                               : taken_q[4*v +: 4] + 1'b1;
                    room_q[v]         <= frees || taken_q[4*v +: 4] != 4'(C - 1);
                end
            end
            if (rst) begin
                taken_q <= '0;
                room_q  <= '1;
            end
        end
        always_comb
            for (int v = 0; v < 3; v++)
                ready[v] = open_q ? open_vc_q == 2'(v) : room_q[v];
    end else begin : g_no_ready
        logic unused;
        assign ready  = '0;
        assign unused = ^open_vc_q;
    end

    // --- Ring wait: a refused entry that waits two ticks starves ---------------------------------
    logic         wait_q, wait_ring_q;
    logic [1:0]   wait_vc_q, wait_age_q;
    logic [P-1:0] wait_out_q;
    assign refused       = !wait_q && refused_q && cand_q;
    assign starves       = wait_q && wait_age_q[1]; // never 3
    assign starving_out  = wait_out_q;
    assign starving_ring = wait_ring_q;
    always_ff @(posedge clk) begin
        if (refused) begin
            wait_q      <= 1'b1;
            wait_vc_q   <= cand_vc_q;
            wait_out_q  <= out_q[P-1:0];
            wait_ring_q <= out_vc_q[1];
            wait_age_q  <= 2'd0;
        end else if (wait_q && tick_ring && !wait_age_q[1]) begin
            wait_age_q <= wait_age_q + 1'b1;
        end
        if (rst || (granted_q && wait_vc_q == stream_vc_q))
            wait_q <= 1'b0;
    end

    // --- Watchdog: a head that stays from one tick to the next but one ---------------------------
    logic [2:0] stale_q, moved, there;
    always_comb
        for (int v = 0; v < 3; v++) begin
            moved[v] = (moves || granted_q) && stream_vc_q == 2'(v);
            there[v] = (stream_q && stream_vc_q == 2'(v)) || waiting_q[v];
        end
    always_ff @(posedge clk) begin
        stuck   <= !rst && tick_watchdog && |(stale_q & there & ~moved);
        stale_q <= rst ? 3'd0 : there & ~moved & (stale_q | {3{tick_watchdog}});
    end

    assign empty        = !in_valid_q && !busy_q && !stream_q && waiting_q == 3'd0;
    // While no packet runs; the latter is known a cycle later
    assign stall_credit = no_credit_q && !stream_q;
    assign stall_alloc  = asked_q && !granted_q;

`ifdef OFR_CHECK
    // --- What must hold (test/formal.sh proves it, the Verilated tests check it) -----------------
    logic        started_q = 1'b0;
    logic        behind_q;          // nothing could be read in the cycle before
    logic [11:0] begun_q;           // packets that took a slot, modulo 16, 4 bits a VC
    logic [LW:0] cycles_q;          // of the stream, in which a flit could cross
    logic [2:0]  filling_q;         // cycles that a packet has been filled up, to 7
    always_ff @(posedge clk) begin
        started_q <= started_q || rst;
        behind_q  <= !holds && !read_body;
        filling_q <= !filling || tail_written ? 3'd0 : filling_q == 3'd7 ? 3'd7 : filling_q + 1'b1;
        for (int v = 0; v < 3; v++)
            if (first && rx_vc == 2'(v))
                begun_q[4*v +: 4] <= begun_q[4*v +: 4] + 1'b1;
        if (stream_q && |(stream_out_q & {1'b1, can_load}) && !(behind_q && !full))
            cycles_q <= cycles_q + 1'b1;
        if (grant_any)
            cycles_q <= '0;
        if (rst) begin
            begun_q   <= '0;
            filling_q <= '0;
        end
    end
    ofr_flit_rules #(.L(L)) stream_rules (
        .clk, .rst, .valid(full), .ready(moves), .vc(stream_to_q), .last(tail_q)
    );
`ifdef FORMAL
    always_comb
        if (!started_q)
            assume (rst);
    always_comb
`else
    always_ff @(posedge clk)
`endif
    begin
        if (started_q && !rst) begin
            // Contract of link and router: no flit comes with an abort, and never more than C
            // packets that are not freed
            assume (LOCAL != 0 || !(rx_valid && rx_abort));
            for (int v = 0; v < 3; v++)
                if (LOCAL == 0 && begins && rx_vc == 2'(v))
                    assume (4'(begun_q[4*v +: 4] - freed[4*v +: 4]) < 4'(C));
            assume (!offered || |ask);
            // Buffer: no word is read in the cycle that writes it
            assert (!(we && re && {write_row_q, write_offset_q} == raddr));
            // One stream at a time: a grant comes when the one before has left
            assert (!grant_any || !stream_q || ends);
            assert (stream_q || !full);
            assert (full || !tail_q);
            // A packet granted leaves, in L flits at most, and stands only for its output or writer
            assert (!stream_q || full || behind_q || granted_q);
            assert (!stream_q || cycles_q < (LW+1)'(L));
            // One that is half written goes on at the pins, or is filled up
            assert (!busy_q || open_q || filling || in_valid_q);
            assert (filling_q < 3'd5);
            // Counts: begun, written, granted, freed, what is under way between
            for (int v = 0; v < 3; v++) begin
                assert (4'(begun_q[4*v +: 4] - freed[4*v +: 4]) <= 4'(C));
                assert (4'(written_q[4*v +: 4] - freed[4*v +: 4]) <= 4'(C));
                assert (4'(begun_q[4*v +: 4] - written_q[4*v +: 4]) ==
                        4'(in_valid_q && in_first_q && write_vc_q == 2'(v)));
                assert (SW'(granted_low[4*v +: 4] - freed[4*v +: 4]) ==
                        SW'(stream_q && !granted_q && stream_vc_q == 2'(v)));
                assert (waiting_q[v] == (4'(written_q[4*v +: 4] - freed[4*v +: 4]) !=
                        4'(stream_q && !granted_q && stream_vc_q == 2'(v))));
            end
        end
    end
`endif
endmodule

`default_nettype wire
