// SPDX-License-Identifier: Apache-2.0
// Words from the receive clock into the board's: an asynchronous FIFO with Gray-coded counters, two
// flip-flops of synchroniser each way (C. Cummings, SNUG San Jose 2002, style 1). The writer cannot
// wait: a word that finds the FIFO full is lost, which the link sees as a damaged frame. That does
// not happen where words come no faster, on average, than the board's clock. The only module of the
// link with two clocks.
`default_nettype none

module ofr_link_fifo #(
    parameter int W = 32, // bits of a word
    parameter int A = 3   // log2 of its words, 2 to 6: 3 for a word a cycle, 2 for one in 2 cycles
) (
    input  wire logic         wclk,
    input  wire logic         wrst,    // synchronous to wclk; with rrst for 4 cycles of both
    input  wire logic         wvalid,
    input  wire logic [W-1:0] wdata,
    output logic              wlost_q, // a word was lost
    input  wire logic         rclk,
    input  wire logic         rrst,    // synchronous to rclk
    input  wire logic         rready,
    output logic              rvalid,
    output logic [W-1:0]      rdata,
    output logic              rlate_q  // it was there a cycle ago
);
    logic [W-1:0] mem [0:2**A-1];
    logic [A:0]   write_q, write_d, wgray_q, wgray1_q, wgray2_q; // words written; in Gray code
    logic [A:0]   read_q, read_d, rgray_q, rgray1_q, rgray2_q;
    logic         full, writes, reads;

    function automatic logic [A:0] gray(input logic [A:0] n);
        gray = n ^ (n >> 1);
    endfunction

    assign full    = wgray_q == (rgray2_q ^ {2'b11, {(A-1){1'b0}}});
    assign writes  = wvalid && !full;
    assign write_d = write_q + (A+1)'(writes);
    always_ff @(posedge wclk) begin
        if (writes)
            mem[write_q[A-1:0]] <= wdata;
        write_q  <= wrst ? '0 : write_d;
        wgray_q  <= wrst ? '0 : gray(write_d);
        rgray1_q <= wrst ? '0 : rgray_q;
        rgray2_q <= wrst ? '0 : rgray1_q;
        wlost_q  <= wvalid && full && !wrst;
    end

    assign rvalid = rgray_q != wgray2_q;
    assign rdata  = mem[read_q[A-1:0]];
    assign reads  = rvalid && rready;
    assign read_d = read_q + (A+1)'(reads);
    always_ff @(posedge rclk) begin
        read_q   <= rrst ? '0 : read_d;
        rgray_q  <= rrst ? '0 : gray(read_d);
        wgray1_q <= rrst ? '0 : wgray_q;
        wgray2_q <= rrst ? '0 : wgray1_q;
        rlate_q  <= gray(read_d) != wgray2_q && !rrst;
    end

`ifdef FORMAL
    // Both clocks run as they like. Numbers behind the Gray codes:
    function automatic logic [A:0] number(input logic [A:0] g);
        for (int i = A; i >= 0; i--)
            number[i] = ^(g >> i);
    endfunction
    function automatic logic behind(input logic [A:0] a, input logic [A:0] b);
        logic [A:0] d; // a is b, or at most a FIFO's length behind it
        d      = b - a;
        behind = d <= (A+1)'(2**A);
    endfunction
    logic [A:0] wseen1, wseen2, rseen1, rseen2;
    assign wseen1 = number(wgray1_q);
    assign wseen2 = number(wgray2_q);
    assign rseen1 = number(rgray1_q);
    assign rseen2 = number(rgray2_q);

    initial begin
        {write_q, wgray_q, rgray1_q, rgray2_q} = '0;
        {read_q, rgray_q, wgray1_q, wgray2_q} = '0;
        known_q = 1'b0;
    end
    always_comb begin
        together: assume (!wrst && !rrst);
        coded: assert (wgray_q == gray(write_q) && rgray_q == gray(read_q));
        // What crosses changes in one bit, so that a synchroniser that is hit sees before or after
        one_write_bit: assert (((wgray_q ^ gray(write_d)) & ((wgray_q ^ gray(write_d)) - 1)) == 0);
        one_read_bit:  assert (((rgray_q ^ gray(read_d)) & ((rgray_q ^ gray(read_d)) - 1)) == 0);
        // What is seen is never ahead: read <= wseen2 <= wseen1 <= write, rseen2 <= ... <= write
        room:  assert ((A+1)'(write_q - rseen2) <= (A+1)'(2**A));
        write_side: assert ((A+1)'(rseen1 - rseen2) <= (A+1)'(write_q - rseen2) &&
                            (A+1)'(read_q - rseen2) <= (A+1)'(write_q - rseen2) &&
                            (A+1)'(rseen1 - rseen2) <= (A+1)'(read_q - rseen2));
        read_side:  assert ((A+1)'(wseen2 - read_q) <= (A+1)'(write_q - read_q) &&
                            (A+1)'(wseen1 - read_q) <= (A+1)'(write_q - read_q) &&
                            (A+1)'(wseen2 - read_q) <= (A+1)'(wseen1 - read_q));
    end

    // One word, any: it comes out as it went in, and in its turn
    (* anyconst *) logic [A:0]   which;
    (* anyconst *) logic [W-1:0] what;
    logic known_q; // it is in the FIFO, and is `what`
    always_ff @(posedge wclk)
        if (writes && write_q == which)
            known_q <= wdata == what;
    logic inside;
    assign inside = (A+1)'(which - read_q) < (A+1)'(write_q - read_q);
    always_comb begin
        kept: assert (!(inside && known_q) || mem[which[A-1:0]] == what);
        data: assert (!(rvalid && read_q == which && known_q) || rdata == what);
        real_word: assert (!rvalid || write_q != read_q);
    end
`endif
endmodule

`default_nettype wire
