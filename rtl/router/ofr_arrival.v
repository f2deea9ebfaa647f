// SPDX-License-Identifier: Apache-2.0
// Arrival of one input: from the pins to a register, from there to the buffer; guards against
// malformed packets, and a packet that is cut off is filled up. A header on its way to the buffer
// is offered as the candidate, too (`fresh`).
`include "ofr_defs.vh"
`default_nettype none

module ofr_arrival #(
    parameter int N     = 2,  // dimensions, 2 or 3
    parameter int W     = 32, // flit width in bits, 16, 32 or 64
    parameter int L     = 8,  // flits per slot, a power of two
    parameter int C     = 8,  // slots per VC
    parameter int LOCAL = 0,  // 1: the local port's input
    parameter int INDEX = 0   // which port this input is (links only)
) (
    input  wire logic                     clk,
    input  wire logic                     rst,
    // Pins
    input  wire logic                     rx_valid,
    input  wire logic [1:0]               rx_vc,
    input  wire logic [W-1:0]             rx_data,
    input  wire logic                     rx_last,
    input  wire logic                     rx_poison,
    input  wire logic                     rx_abort,
    input  wire logic [2:0]               ready,     // per VC, of the local port
    output logic                          malformed, // event: a packet too long, short, on no VC
    input  wire logic [4*N-1:0]           me,        // coordinates
    input  wire logic [N*(N-1)/2-1:0]     order_now, // this cycle's random order of the dimensions
    // Slots
    output logic                          first,     // a packet begins at the pins, takes a slot
    input  wire logic [$clog2(3*C)-1:0]   new_row,   // ... this one
    output logic                          open_q,    // the pins are inside a packet
    output logic [1:0]                    open_vc_q,
    output logic                          coming,    // a header is in the register
    output logic                          head_written, // event: a header is written, of write_vc_q
    output logic [1:0]                    write_vc_q,
    // Buffer. Word: data; above it, in a header, whether it meets its IDN, then its order of the
    // dimensions; in others, whether the next flit is the tail, then the poison of a tail.
    output logic                          we,
    output logic [$clog2(3*C)-1:0]        write_row_q,
    output logic [$clog2(L)-1:0]          write_offset_q,
    output logic [W+N*(N-1)/2:0]          write_word,
    output logic                          busy_q,    // a packet is half written
    output logic                          none,      // no flit is in the register
    // A header for the candidate's place, which is taken now or comes from the buffer later
    output logic                          fresh,
    output logic [1:0]                    fresh_vc,
    output logic [W-1:0]                  fresh_flit,
    output logic                          fresh_swap, // it meets its IDN: see ofr_candidate
    output logic [N*(N-1)/2-1:0]          fresh_order
);
    localparam int O  = N * (N - 1) / 2; // bits of an order of the dimensions
    localparam int LW = $clog2(L);

    logic          in_valid_q, in_last_q, in_poison_q, in_first_q, in_abort_q;
    logic [W-1:0]  in_data_q;
    logic [O-1:0]  in_order_q;
    logic          in_swap_q; // a header that meets its IDN
    logic          cut_q;     // an aborted packet is being filled up to 4 flits
    logic          from_2_q, from_3_q; // write_offset_q is at least 2, 3
    logic          to_go_q;   // ... L - 2
    logic          filling;

    // Guards: a packet on no VC, or that comes while a cut-off one is being filled up, is dropped
    // whole (`refuse`). One that is longer than a slot ends there in a poisoned tail (`at_end`),
    // and its rest is dropped. One of less than 4 flits ends as one that is cut off (`short`).
    logic take, begins, refuse, keep, goes_on, at_end, short, ends_here, tail_written;
    logic drop_q; // the pins are inside a packet of which nothing more is taken
    assign take      = rx_valid && (LOCAL == 0 || (rx_vc != 2'd3 && ready[rx_vc]));
    assign begins    = take && !open_q;
    assign refuse    = begins && ((LOCAL == 0 && rx_vc == 2'd3) || (filling && !tail_written));
    assign keep      = take && !refuse && (begins || !drop_q);
    assign first     = begins && !refuse;
    assign at_end    = open_q && to_go_q;
    assign short     = rx_last && (begins || !(from_3_q || (from_2_q && in_valid_q)));
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
    assign late     = W == 16 && goes_on && in_valid_q && in_first_q && in_swap_q;
    always_comb begin
        header = rx_data;
        if (LOCAL == 0 && directed)
            header[3:0] = INDEX[3:0];
        if (open_q)
            header = rx_data;
        if (late)
            header[11:0] = {{12-4*N{1'b0}}, me};
    end

    assign fresh       = W == 16 ? (first && !at_idn) || late : first;
    assign fresh_vc    = late ? write_vc_q : rx_vc;
    assign fresh_flit  = late ? write_word[W-1:0] : header;
    assign fresh_swap  = W > 16 && at_idn;
    assign fresh_order = late ? in_order_q : order_now;

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
            write_row_q <= new_row;
        end
        if (rst) begin
            in_valid_q <= 1'b0;
            in_abort_q <= 1'b0;
            open_q     <= 1'b0;
        end
    end

    // A flit is written when the one behind it is at the pins, with whether that is the tail:
    // its reader then knows a tail before it is out of the memory. Headers (no tail is next to
    // them) and tails are written at once. Nothing that waits for that is ahead of a header: a
    // packet that has ended otherwise is being filled up.
    logic head_goes;
    assign filling      = cut_q || (in_abort_q && (busy_q || in_valid_q));
    assign goes_on      = take && open_q && !drop_q;
    assign we           = filling || (in_valid_q && (head_goes || in_last_q || goes_on));
    assign head_goes    = in_first_q && !(W == 16 && in_swap_q);
    assign coming       = in_valid_q && in_first_q;
    assign none         = !in_valid_q;
    assign head_written = we && coming;
    assign tail_written = filling ? !in_valid_q && from_3_q : in_last_q;
    always_comb begin
        write_word        = '0;
        write_word[W-1:0] = in_data_q;
        if (late) begin
            write_word[11:0]             = rx_data[11:0];
            write_word[`OFR_PKT_LEG_LSB] = 1'b1;
        end
        if (coming) begin
            write_word[W]        = in_swap_q;
            write_word[W+1 +: O] = in_order_q;
        end else begin
            write_word[W]     = filling ? from_2_q : ends_here; // the next: the tail
            write_word[W + 1] = filling || in_poison_q;                      // looked at in tails
        end
    end

    always_ff @(posedge clk) begin
        if (we) begin
            busy_q         <= !tail_written;
            write_offset_q <= tail_written ? '0 : write_offset_q + 1'b1;
            from_2_q       <= !tail_written && (from_2_q || write_offset_q[0]);
            from_3_q       <= !tail_written && (from_3_q || write_offset_q[1:0] == 2'd2);
            to_go_q        <= !tail_written && write_offset_q == LW'(L - 3);
            cut_q          <= filling && !tail_written;
        end
        if (rst) begin
            busy_q         <= 1'b0;
            cut_q          <= 1'b0;
            write_offset_q <= '0;
            from_2_q       <= 1'b0;
            from_3_q       <= 1'b0;
            to_go_q        <= 1'b0;
        end
    end

`ifdef OFR_CHECK
    // --- What must hold (test/formal.sh proves it, the Verilated tests check it) -----------------
    logic       started_q = 1'b0;
    logic [2:0] filling_q; // cycles that a packet has been filled up, to 7
    always_ff @(posedge clk) begin
        started_q <= started_q || rst;
        filling_q <= rst || !filling || tail_written ? 3'd0 :
                     filling_q == 3'd7 ? 3'd7 : filling_q + 1'b1;
    end
`ifdef FORMAL
    always_comb
`else
    always_ff @(posedge clk)
`endif
        if (started_q && !rst) begin
            // Contract of the link: no flit comes with an abort
            assume (LOCAL != 0 || !(rx_valid && rx_abort));
            // A packet that is half written goes on at the pins, or is filled up
            assert (!busy_q || open_q || filling || in_valid_q);
            assert (filling_q < 3'd5);
            // What is known of the offset is so
            assert (from_2_q == |(write_offset_q >> 1));
            assert (from_3_q == (32'(write_offset_q) >= 3));
            assert (to_go_q == (32'(write_offset_q) == L - 2));
            // What waits for the flit behind it is not ahead of a header
            assert (!(begins && in_valid_q && !we));
        end
`endif
endmodule

`default_nettype wire
