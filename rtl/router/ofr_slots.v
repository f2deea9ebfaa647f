// SPDX-License-Identifier: Apache-2.0
// Slots of one input's VC buffers: which packet is where, which waits, which slot is free again.
`default_nettype none

module ofr_slots #(
    parameter int C     = 8, // slots per VC, 2 to 8
    parameter int LOCAL = 0  // 1: the local port's input
) (
    input  wire logic                   clk,
    input  wire logic                   rst,
    // Arrival
    input  wire logic                   first,        // a packet begins at the pins, on rx_vc
    input  wire logic [1:0]             rx_vc,
    output logic [$clog2(3*C)-1:0]      new_row,      // where it goes
    input  wire logic                   pins_open,    // the pins are inside a packet
    input  wire logic [1:0]             pins_vc,
    output logic [2:0]                  ready,        // per VC, for the local port
    input  wire logic                   head_written, // a header is written, of write_vc
    input  wire logic [1:0]             write_vc,
    output logic [11:0]                 received,     // headers written per VC, modulo 16
    // What waits
    output logic [2:0]                  waiting_q,    // a VC has a packet that is not granted
    input  wire logic [1:0]             cand_vc,      // the candidate's
    output logic [$clog2(3*C)-1:0]      cand_row,     // where it is
    output logic                        more,         // another waits behind it
    input  wire logic [1:0]             fetch_vc,     // of the header to be fetched
    input  wire logic                   next_behind,  // ... which is the one behind the candidate
    output logic [$clog2(3*C)-1:0]      fetch_row,    // where that is
    // Leaving
    input  wire logic                   granted,      // in the cycle before, a packet of stream_vc
    input  wire logic                   granted_more, // ... with another behind it
    input  wire logic                   ends,         // the tail leaves
    input  wire logic [1:0]             stream_vc,
    output logic [11:0]                 freed,        // cumulative slots freed per VC, modulo 16
    // For checks only
    input  wire logic                   coming,       // a packet that took a slot is not written
    input  wire logic                   streams       // a packet is granted and not freed
);
    localparam int RW   = $clog2(3 * C); // a row is a VC's slot
    localparam int POW2 = (C & (C - 1)) == 0 ? 1 : 0;
    localparam int SW   = $clog2(C);

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
    logic [2:0]  arrives, leaves;
    for (genvar v = 0; v < 3; v++) begin : g_vc
        logic [SW-1:0] granted_count_q;
        assign arrives[v] = head_written && write_vc == 2'(v);
        assign leaves[v]  = granted && stream_vc == 2'(v);
        always_ff @(posedge clk) begin
            if (arrives[v])
                written_q[4*v +: 4] <= plus1(written_q[4*v +: 4]);
            if (leaves[v])
                granted_count_q <= SW'(plus1(4'(granted_count_q)));
            waiting_q[v] <= arrives[v] || (waiting_q[v] && !(leaves[v] && !granted_more));
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
    assign new_row  = row(rx_vc, SW'(of_vc(write_slot, rx_vc)));

    // More than the candidate in its VC? 1 to C are waiting: not 1 modulo 2^SW.
    logic [SW-1:0] cand_written, cand_granted, fetch_head;
    assign cand_written = SW'(of_vc(written_q, cand_vc));
    assign cand_granted = SW'(of_vc(granted_low, cand_vc));
    assign more         = cand_written != cand_granted + 1'b1;
    assign cand_row     = row(cand_vc, SW'(of_vc(head_slot, cand_vc)));
    assign fetch_head   = SW'(of_vc(head_slot, fetch_vc));
    assign fetch_row    = row(fetch_vc, next_behind ? next_slot(fetch_head) : fetch_head);

    // One packet streams at a time: all granted before this one have left. The bits above those
    // of granted packets count as one more than last time.
    always_ff @(posedge clk) begin
        for (int v = 0; v < 3; v++)
            if (ends && stream_vc == 2'(v)) begin
                freed[4*v +: 4]  <= plus1(freed[4*v +: 4]);
                freed[4*v +: SW] <= granted_low[4*v +: SW];
            end
        if (rst)
            freed <= '0;
    end

    // --- Local port: room per VC, counted when a packet is taken from the pins -------------------
    if (LOCAL != 0) begin : g_ready
        logic [11:0] taken_q; // slots
        logic [2:0]  room_q;
        always_ff @(posedge clk) begin
            for (int v = 0; v < 3; v++) begin
                logic takes, frees;
                takes = first && rx_vc == 2'(v);
                frees = ends && stream_vc == 2'(v);
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
                ready[v] = pins_open ? pins_vc == 2'(v) : room_q[v];
    end else begin : g_no_ready
        logic unused;
        assign ready  = '0;
        assign unused = ^{pins_open, pins_vc, first};
    end

`ifdef OFR_CHECK
    // --- What must hold (test/formal.sh proves it, the Verilated tests check it) -----------------
    logic        started_q = 1'b0;
    logic [11:0] begun_q; // packets that took a slot, modulo 16, 4 bits a VC
    always_ff @(posedge clk) begin
        started_q <= started_q || rst;
        for (int v = 0; v < 3; v++)
            if (first && rx_vc == 2'(v))
                begun_q[4*v +: 4] <= begun_q[4*v +: 4] + 1'b1;
        if (rst)
            begun_q <= '0;
    end
`ifdef FORMAL
    always_comb
`else
    always_ff @(posedge clk)
`endif
        if (started_q && !rst)
            // Begun, written, granted, freed, what is under way between
            for (int v = 0; v < 3; v++) begin
                // Contract of the link: never more than C packets that are not freed
                if (LOCAL == 0 && first && rx_vc == 2'(v))
                    assume (4'(begun_q[4*v +: 4] - freed[4*v +: 4]) < 4'(C));
                assert (4'(begun_q[4*v +: 4] - freed[4*v +: 4]) <= 4'(C));
                assert (4'(written_q[4*v +: 4] - freed[4*v +: 4]) <= 4'(C));
                assert (4'(begun_q[4*v +: 4] - written_q[4*v +: 4]) ==
                        4'(coming && write_vc == 2'(v)));
                assert (SW'(granted_low[4*v +: 4] - freed[4*v +: 4]) ==
                        SW'(streams && !granted && stream_vc == 2'(v)));
                assert (waiting_q[v] == (4'(written_q[4*v +: 4] - freed[4*v +: 4]) !=
                        4'(streams && !granted && stream_vc == 2'(v))));
            end
`else
    logic unused_unchecked;
    assign unused_unchecked = ^{coming, streams};
`endif
endmodule

`default_nettype wire
