// SPDX-License-Identifier: Apache-2.0
// The counters of a node for small FPGAs, and their registers (block COUNT), as ofr_counters has
// them: 32 bits, saturating, only those that matter most (rtl/regs/outflank.json, "small"); the
// others read 0. Golden model: sim/model/counters.c.
//
// Every event source has a short free-running pre-counter, 3 to 7 bits. A round: at one edge all
// pre-counters are copied into a chain of shift registers (LOAD), which then brings one after the
// other to the adder. A counter's low bits in block RAM are its pre-counter's when that was last
// looked at, so what it has gained since is the difference: value = RAM + pre-counter, whenever the
// copy is made, and an abandoned round loses nothing.
//
// Snapshot: a write abandons the round under way; the copy that is made in the next cycle is of the
// cycle of the write. That round (COPY) goes into the same bank of the RAM, which is the snapshot
// when it is done; the round after it (MOVE) reads that bank and writes the other, where counting
// goes on. SNAPSHOT reads 1 in both.
//
// No event is lost. A round is S reads and 3 cycles, and a register read, which takes a cycle too,
// comes at most every third cycle: 38 cycles in 2D (S = 23), 50 in 3D (31). Between two looks at
// the counter at place i of the chain is at most a round, and as much of an abandoned one as comes
// before that place, 1.5 i + 5 cycles. In that time (2D, 3D): DISCARDED, place 0, has at most a
// packet in 4 cycles from each input, 55 and 98; an output sends 50 and 65 flits; 15 and 19 packets
// of 4 flits or more are injected or delivered; 5 and 7 frames of 16 cycles or more are bad or sent
// again.
`include "ofr_defs.vh"
`default_nettype none

module ofr_counters_small #(
    parameter int N = 2,                 // dimensions, 2 or 3
    parameter logic [31:0] START = 32'd0 // what all counters begin with; bits 7:0 are 0 (for tests)
) (
    input  wire logic             clk,
    input  wire logic             rst,
    // Events of this cycle, from ofr_router; per output or input, the local port last
    input  wire logic [2*N:0]     ev_flit,
    input  wire logic [2*N:0]     ev_discarded,
    input  wire logic             ev_injected,
    input  wire logic             ev_delivered,
    input  wire logic             ev_poisoned,
    input  wire logic             ev_oidn,
    input  wire logic             ev_widn,
    input  wire logic             ev_pinned,
    // Events of the links, a bit a link port
    input  wire logic [2*N-1:0]   ev_crc,
    input  wire logic [2*N-1:0]   ev_retry,
    input  wire logic [2*N-1:0]   ev_reset,
    // Registers, see rtl/README.md. LOW follows INDEX by 2 cycles.
    input  wire logic             reg_we,
    input  wire logic             reg_re,
    input  wire logic [11:0]      reg_adr,
    input  wire logic [31:0]      reg_wdat,
    output logic [31:0]           reg_rdat,
    output logic                  reg_err, // SNAPSHOT while a copy is being made
    // The copy as it is made, for simulation: counter `copy_index` of the snapshot in this cycle
    output logic                  copy,
    output logic [7:0]            copy_index,
    output logic [47:0]           copy_value
);
    localparam int P = 2 * N; // link ports
    // The counters, widest pre-counters first, since all pass through the first one's place in the
    // chain: MANY events (DISCARDED, POISONED, the links' flits), HEADS of packets, LINKS.
    localparam int MANY  = 2 + P;
    localparam int HEADS = 5;
    localparam int LINKS = 3 * P;
    localparam int S     = MANY + HEADS + LINKS;
    localparam int WM    = N == 2 ? 6 : 7; // bits of a pre-counter of MANY
    localparam int WH    = N == 2 ? 4 : 5; // of HEADS
    localparam int WL    = 3;              // of LINKS

    // A place in the chain by its key: the low bits of its COUNT.INDEX, which is the RAM's address,
    // too; the links' flits have keys that are free. The chain's order: DISCARDED and POISONED; the
    // flits; INJECTED to PINNED; the links. Keys go up by one in each, modulo 2^B.
    localparam int B = N == 2 ? 5 : 6;
    localparam logic [B-1:0] FIRST = B'(`OFR_COUNTER_DISCARDED);
    localparam logic [B-1:0] FLITS = B'(`OFR_COUNTER_INJECTED) - B'(P);
    localparam logic [B-1:0] LINK  = B'(`OFR_COUNTER_LINK_BASE);
    localparam logic [B-1:0] LAST  = LINK + B'(LINKS - 1);

    function automatic logic [B-1:0] after(input logic [B-1:0] key);
        after = key + 1'b1;
        if (key == B'(`OFR_COUNTER_POISONED))
            after = FLITS;
        if (key == B'(`OFR_COUNTER_PINNED))
            after = LINK;
    endfunction

    function automatic logic [6:0] index_of(input logic [B-1:0] key);
        index_of = 7'(key) | 7'd64;
        if (B == 5 && !key[B-1]) // 96 and more
            index_of = 7'(key) | 7'd96;
        if (key >= FLITS && key < B'(`OFR_COUNTER_INJECTED))
            index_of = 7'd12 * (7'(key) - 7'(FLITS));
    endfunction

    // --- Pre-counters and the chain --------------------------------------------------------------
    function automatic logic [2:0] count_ones(input logic [6:0] bits);
        count_ones = '0;
        for (int i = 0; i < 7; i++)
            count_ones = count_ones + 3'(bits[i]);
    endfunction

    logic [LINKS-1:0] ev_link;
    logic [S-1:0]     hit; // single events
    for (genvar p = 0; p < P; p++) begin : g_link
        assign ev_link[3 * p + `OFR_COUNTER_LINK_CRC]   = ev_crc[p];
        assign ev_link[3 * p + `OFR_COUNTER_LINK_RETRY] = ev_retry[p];
        assign ev_link[3 * p + `OFR_COUNTER_LINK_RESET] = ev_reset[p];
    end
    assign hit = {ev_link, ev_pinned, ev_widn, ev_oidn, ev_delivered,
                  ev_injected, ev_flit[P-1:0], ev_poisoned, 1'b0};

    logic            load, shift;
    logic [WM*S-1:0] chain; // of each place what has come to it; bits that none has had are 0
    for (genvar i = 0; i < S; i++) begin : g_place
        localparam int W = i < MANY ? WM : i < MANY + HEADS ? WH : WL;
        logic [W-1:0] count_q, chain_q;
        if (i == 0) begin : g_several
            always_ff @(posedge clk)
                count_q <= rst ? '0 : count_q + W'(count_ones(7'(ev_discarded)));
        end else begin : g_one
            always_ff @(posedge clk)
                count_q <= rst ? '0 : count_q + W'(hit[i]);
        end
        if (i < S - 1) begin : g_inner
            always_ff @(posedge clk)
                if (load)
                    chain_q <= count_q;
                else if (shift)
                    chain_q <= chain[WM*(i+1) +: W];
        end else begin : g_last
            always_ff @(posedge clk)
                if (load)
                    chain_q <= count_q;
        end
        assign chain[WM*i +: WM] = WM'(chain_q);
    end

    // --- The engine ------------------------------------------------------------------------------
    // INIT: reads a word that is never written for all, so that the first round clears the bank;
    // RUN; COPY; MOVE. A round: LOAD, a cycle in which the last write is done, S reads; each is
    // written two cycles later.
    localparam [1:0] INIT = 2'd0, RUN = 2'd1, COPY = 2'd2, MOVE = 2'd3;
    logic [1:0] phase_q;
    logic       ask_q;   // a snapshot was asked for in the cycle before
    logic       boot_q;  // the cycle after reset
    logic       load_q;  // the cycle after load
    logic       bank_q;  // where to count; the snapshot is in the other one
    logic       fetch_q; // this cycle is a register read's
    logic       done;    // with a round
    logic       read, read_q, write_q, last_q;
    logic [B-1:0] key_q; // the place after that of adr_q
    logic [6:0] adr_q, adr1_q, adr2_q;
    logic       adr_last_q, adr_head_q, adr_link_q; // adr_q's is the last, of HEADS, of LINKS
    assign read  = !fetch_q && !load && !load_q && !last_q;
    assign shift = read_q;
    assign done  = last_q && !read_q;
    assign load  = done || ask_q || boot_q;

    always_ff @(posedge clk) begin
        ask_q   <= !rst && reg_we && mine && reg_adr[3:2] == SNAPSHOT && !busy;
        load_q  <= load;
        boot_q  <= 1'b0;
        read_q  <= read && !rst;
        write_q <= read_q && !rst;
        adr1_q  <= adr_q;
        adr2_q  <= adr1_q;
        if (load)
            key_q <= FIRST;
        else if (read || load_q)
            key_q <= after(key_q);
        if (read || load_q) begin
            adr_q      <= index_of(key_q);
            adr_last_q <= key_q == LAST;
            adr_head_q <= key_q >= B'(`OFR_COUNTER_INJECTED) && key_q <= B'(`OFR_COUNTER_PINNED);
            adr_link_q <= B'(key_q - LINK) < B'(LINKS);
        end
        if (read)
            last_q <= adr_last_q;
        if (done && !ask_q) begin
            phase_q <= phase_q == COPY ? MOVE : RUN;
            bank_q  <= bank_q ^ (phase_q == COPY);
        end
        if (load)
            last_q <= 1'b0;
        if (ask_q)
            phase_q <= COPY;
        if (rst) begin
            boot_q  <= 1'b1;
            key_q   <= FIRST;
            phase_q <= INIT;
            bank_q  <= 1'b0;
            last_q  <= 1'b0;
        end
    end

    // What the head of the chain has gained since it was in the RAM, and the sum.
    logic          wh_q, wl_q; // the head's pre-counter has at most WH, WL bits
    logic [WM-1:0] gain;
    logic [32:0]   sum;
    logic [31:0]   ram_q, sum_q;
    always_comb begin
        gain = chain[WM-1:0] - ram_q[WM-1:0];
        if (wh_q)
            gain[WM-1:WH] = '0;
        if (wl_q)
            gain[WH-1:WL] = '0;
    end
    assign sum = {1'b0, ram_q} + 33'(gain);
    always_ff @(posedge clk) begin
        // At a read, next_q is one more than the place that is read
        wh_q  <= adr_head_q || adr_link_q;
        wl_q  <= adr_link_q;
        sum_q <= sum[31:0];
        if (sum[32])
            sum_q <= '1; // and so from now on: only a gain of 0 does not carry out of all ones
    end

    assign copy       = write_q && phase_q == COPY && !load_q; // not of an abandoned round
    assign copy_index = {1'b0, adr2_q};
    assign copy_value = 48'(sum_q);

    // --- Memory: address {bank, COUNT.INDEX}; what is no counter here is never written ----------
    logic [7:0] index_q, raddr;
    assign raddr = fetch_q ? {!bank_q, index_q[6:0]} :
                   {bank_q ^ (phase_q == MOVE), adr_q | {7{phase_q == INIT}}};

    (* no_rw_check, ram_style = "block" *)
    logic [31:0] mem [0:255];
    initial
        for (int i = 0; i < 256; i++)
            mem[i] = i == 127 ? START : '0;
    always_ff @(posedge clk) begin
        if (write_q && !rst)
            mem[{bank_q, adr2_q}] <= sum_q;
        ram_q <= mem[raddr];
    end

    // --- Registers -------------------------------------------------------------------------------
    localparam logic [1:0] SNAPSHOT = 2'(`OFR_COUNT_SNAPSHOT >> 2);
    localparam logic [1:0] INDEX    = 2'(`OFR_COUNT_INDEX >> 2);
    localparam logic [1:0] LOW      = 2'(`OFR_COUNT_LOW >> 2);
    localparam logic [1:0] HIGH     = 2'(`OFR_COUNT_HIGH >> 2);
    logic        mine, busy, high_read, index_write, got_q;
    logic        some_q; // there has been a snapshot since reset
    logic [31:0] shown_q;
    assign busy        = ask_q || phase_q != RUN;
    assign mine        = {reg_adr[11:4], reg_adr[1:0]} == {8'(`OFR_COUNT_SNAPSHOT >> 4), 2'b00};
    assign reg_err     = reg_we && mine && reg_adr[3:2] == SNAPSHOT && busy;
    assign high_read   = reg_re && mine && reg_adr[3:2] == HIGH;
    assign index_write = reg_we && mine && reg_adr[3:2] == INDEX;
    always_ff @(posedge clk) begin
        // A new snapshot: INDEX shows it
        fetch_q <= !rst && (high_read || index_write || (done && phase_q == MOVE));
        got_q   <= !rst && fetch_q;
        if (got_q)
            shown_q <= index_q[7] || !some_q ? '0 : ram_q;
        if (phase_q == MOVE)
            some_q <= 1'b1;
        if (high_read)
            index_q <= index_q + 1'b1;
        if (index_write)
            index_q <= reg_wdat[7:0];
        if (rst) begin
            index_q <= '0;
            shown_q <= '0;
            some_q  <= 1'b0;
        end
    end
    assign reg_rdat = ({32{mine && reg_adr[3:2] == LOW}} & shown_q) |
                      ({32{mine && reg_adr[3:2] == INDEX}} & 32'(index_q)) |
                      32'(mine && reg_adr[3:2] == SNAPSHOT && busy);

    logic unused;
    assign unused = ^{reg_wdat[31:8], ev_flit[P], hit, chain};
endmodule

`default_nettype wire
