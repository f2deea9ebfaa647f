// SPDX-License-Identifier: Apache-2.0
// What one input sends: the request for its candidate (stage B), the packet that was granted, flit
// by flit, and the buffer's read port, which fetches headers while no flit is read.
`default_nettype none

module ofr_stream #(
    parameter int N     = 2,  // dimensions, 2 or 3
    parameter int L     = 8,  // flits per slot, a power of two
    parameter int C     = 8,  // slots per VC
    parameter int LOCAL = 0   // 1: the local port's input
) (
    input  wire logic                   clk,
    input  wire logic                   rst,
    // Candidate, see ofr_candidate
    input  wire logic                   cand,
    input  wire logic [1:0]             cand_vc,
    input  wire logic                   routed,
    input  wire logic                   grantable,
    input  wire logic [2*N+1:0]         out,
    input  wire logic [1:0]             out_vc,
    // Stage B
    output logic [2*N:0]                ask,         // one-hot: links, local; may go, by registers
    output logic                        can_take,    // ... and the tail ahead, if any, crosses now
    input  wire logic                   offered,     // an output is free and has chosen this input
    output logic                        grant,       // a packet is granted, or discarded
    output logic                        granted_q,   // ... in the cycle before
    output logic                        discards,    // event: ... to be discarded
    output logic                        asked_q,     // the candidate asked, with no packet running
    // Slots
    input  wire logic [2:0]             waiting,
    input  wire logic [$clog2(3*C)-1:0] cand_row,
    input  wire logic                   more,        // another waits behind the candidate
    input  wire logic                   arrives,     // ... one more does from the next cycle on
    output logic                        more_q,      // of the packet granted, when it was
    output logic [1:0]                  fetch_vc,
    output logic                        next_behind,
    input  wire logic [$clog2(3*C)-1:0] fetch_row,
    // The writer: reading never overtakes it
    input  wire logic                   busy,
    input  wire logic [$clog2(3*C)-1:0] write_row,
    input  wire logic [$clog2(L)-1:0]   write_offset,
    // Buffer
    output logic                        re,
    output logic [$clog2(3*C*L)-1:0]    raddr,
    input  wire logic                   word_next_tail, // of the word read: the next is the tail
    // A header fetched, at the buffer's output
    output logic                        fetch_q,
    output logic [1:0]                  fetch_vc_q,
    output logic                        fetch_behind_q, // it is the next in the candidate's VC
    input  wire logic                   adopt,       // it becomes the candidate
    // Transfer
    input  wire logic [2*N:0]           can_load,    // output registers that can take a flit
    output logic                        stream_q,    // a packet runs
    output logic                        full,        // a flit is at the switch
    output logic                        first_q,     // ... flit 0, the candidate's copy
    output logic                        tail_q,      // ... a tail
    output logic                        moves,       // ... and crosses
    output logic                        ends,        // ... a tail does
    output logic [1:0]                  stream_vc_q, // the running packet's VC here
    output logic [1:0]                  stream_to_q  // ... and downstream
);
    localparam int P  = 2 * N;
    localparam int LW = $clog2(L);
    localparam int RW = $clog2(3 * C);

    // --- Stage B: the request --------------------------------------------------------------------
    // Asks when no packet runs, or when its tail has just come to the switch: if that cannot cross
    // at once, it has gone before the candidate asks again.
    logic tail_new_q, go;
    assign go    = grantable && (!stream_q || tail_new_q);
    assign ask   = go ? out[P:0] : '0;
    assign grant = can_take && (offered || (go && out[P+1]));

    // --- Stream and memory reads -----------------------------------------------------------------
    logic          loaded_q;
    logic          next_tail, next_tail_q; // the stream's next flit is the tail
    logic [RW-1:0] stream_row_q;
    logic [LW-1:0] stream_offset_q;
    logic [P+1:0]  stream_out_q;

    logic body_there;
    assign body_there = !(busy && write_row == stream_row_q) || stream_offset_q != write_offset;

    assign full     = first_q || loaded_q;
    assign can_take = !stream_q || |(stream_out_q & {1'b1, can_load});
    assign moves    = full && |(stream_out_q & {1'b1, can_load});
    assign ends     = moves && tail_q;
    assign discards = granted_q && stream_out_q[P+1];

    // The read port: the stream's next flit, else a header. What is read depends on registers,
    // only whether it is on the outputs' readiness.
    logic holds, read_body, read_header, fetch_ok;
    logic [2:0] pending;
    assign holds     = full && !moves;
    assign read_body = stream_q && !tail_q && body_there;
    always_comb begin
        for (int v = 0; v < 3; v++)
            pending[v] = waiting[v] && !(cand && cand_vc == 2'(v));
        fetch_vc = cand_vc;
        if (LOCAL != 0 && pending[2])
            fetch_vc = 2'd2;
        else
            case (fetch_vc_q)
                2'd0: fetch_vc = pending[1] ? 2'd1 : pending[2] ? 2'd2 :
                                 pending[0] ? 2'd0 : cand_vc;
                2'd1: fetch_vc = pending[2] ? 2'd2 : pending[0] ? 2'd0 :
                                 pending[1] ? 2'd1 : cand_vc;
                default: fetch_vc = pending[0] ? 2'd0 : pending[1] ? 2'd1 :
                                    pending[2] ? 2'd2 : cand_vc;
            endcase
    end
    assign next_behind = pending == 3'd0;
    assign fetch_ok    = !fetch_q && !granted_q &&
                         !(cand && !routed) &&
                         (!next_behind || (cand && waiting[cand_vc] && more));
    assign read_header = !read_body && fetch_ok;
    assign raddr       = read_body ? {stream_row_q, stream_offset_q} : {fetch_row, LW'(0)};
    assign re          = !holds && (read_body || read_header);
    assign next_tail   = loaded_q ? word_next_tail : next_tail_q;

    always_ff @(posedge clk) begin
        granted_q <= grant;
        // A header stays at the memory's output until it is taken or something else is read; one
        // behind a candidate that may not go any more is dropped.
        fetch_q <= re ? !read_body : fetch_q && !adopt &&
                                     !(cand && fetch_behind_q && !grantable);
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
        asked_q <= grantable && !stream_q;
        if (grant) begin
            stream_q <= 1'b1;
            first_q  <= 1'b1;
        end
        // Whether it is granted or not: no packet runs, or its tail leaves
        if (go && can_take) begin
            more_q          <= more || arrives;
            next_tail_q     <= 1'b0;
            stream_vc_q     <= cand_vc;
            stream_to_q     <= out_vc;
            stream_row_q    <= cand_row;
            stream_offset_q <= LW'(1);
            stream_out_q    <= out;
        end
        if (rst) begin
            granted_q  <= 1'b0;
            fetch_q    <= 1'b0;
            fetch_vc_q <= 2'd0;
            loaded_q   <= 1'b0;
            tail_q     <= 1'b0;
            first_q    <= 1'b0;
            stream_q   <= 1'b0;
            asked_q    <= 1'b0;
        end
    end

`ifdef OFR_CHECK
    // --- What must hold (test/formal.sh proves it, the Verilated tests check it) -----------------
    logic        started_q = 1'b0;
    logic        behind_q;          // nothing could be read in the cycle before
    logic [LW:0] cycles_q;          // of the stream, in which a flit could cross
    always_ff @(posedge clk) begin
        started_q <= started_q || rst;
        behind_q  <= !holds && !read_body;
        if (stream_q && |(stream_out_q & {1'b1, can_load}) && !(behind_q && !full))
            cycles_q <= cycles_q + 1'b1;
        if (grant)
            cycles_q <= '0;
    end
    ofr_flit_rules #(.L(L)) stream_rules (
        .clk, .rst, .valid(full), .ready(moves), .vc(stream_to_q), .last(tail_q)
    );
`ifdef FORMAL
    always_comb
`else
    always_ff @(posedge clk)
`endif
        if (started_q && !rst) begin
            assume (!offered || |ask);
            // One stream at a time: a grant comes when the one before has left
            assert (!grant || !stream_q || ends);
            assert (stream_q || !full);
            assert (full || !tail_q);
            // A packet granted leaves, in L flits at most, and stands only for its output or writer
            assert (!stream_q || full || behind_q || granted_q);
            assert (!stream_q || cycles_q < (LW+1)'(L));
        end
`endif
endmodule

`default_nettype wire
