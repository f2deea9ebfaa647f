// SPDX-License-Identifier: Apache-2.0
// All counters of a node and their registers (block COUNT): 48 bits each, in block RAM, exact.
//
// Every event source has a short free-running pre-counter; one slot a cycle, all counters in turn,
// an engine adds what a pre-counter gained since its last visit to the 48 bits in block RAM. A
// pre-counter of single events is a 9-bit LFSR (one LUT; period 511, decoded by a ROM); those of
// several events a cycle and the high-water marks are binary, 12 bits.
//
// Snapshot: `held_q` follows the pre-counters and stands still from the cycle asked for, until the
// engine has visited them all (COPY). The bank of the RAM is then the snapshot; counting goes on
// in the other one, which the next round fills (MOVE: reads the old bank, writes the new one). Both
// take SLOTS cycles and a few, in which SNAPSHOT reads 1. The counts of the cycles that `held_q`
// stood still are in the pre-counters.
//
// No event is lost: between the moments that two visits of one counter see lies at most one COPY
// and one MOVE, 2 SLOTS visits; a register read takes at most every third cycle from the engine, so
// at most 3 SLOTS + 8 = 395 cycles: fewer than the LFSR's 511 events, and at most 7 a cycle = 2765,
// fewer than 4096, for the binary ones.
`include "ofr_defs.vh"
`default_nettype none

module ofr_counters #(
    parameter int N = 2 // dimensions, 2 or 3
) (
    input  wire logic             clk,
    input  wire logic             rst,
    // Events of this cycle, from ofr_router; per output or input, the local port last
    input  wire logic [2*N:0]     ev_flit,
    input  wire logic [4*N+1:0]   ev_flit_vc,
    input  wire logic [2*N:0]     ev_packet,
    input  wire logic [4*N+1:0]   ev_packet_vc,
    input  wire logic [2*N:0]     ev_stall_credit,
    input  wire logic [2*N:0]     ev_stall_alloc,
    input  wire logic [4*N+1:0]   ev_stall_vc,
    input  wire logic [2*N:0]     ev_refused,
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
    input  wire logic [24*N-1:0]  used, // slots in use per link port and VC, 0 to 8
    // Registers, see rtl/README.md. LOW and HIGH follow INDEX by 2 cycles.
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
    localparam int P     = 2 * N; // link ports; in the counters' order the local port is number 6
    localparam int SLOTS = `OFR_COUNTERS;
    localparam int LB    = 9;     // LFSR bits
    localparam int BB    = 12;    // bits of the binary ones
    localparam int WW    = 48 + BB;

    // --- Events, a register for each -------------------------------------------------------------
    logic [SLOTS-1:0] hit, hit_q; // single events, by counter index
    logic [2:0] refused_q, discarded_q, hops_q;

    function automatic logic [2:0] count_ones(input logic [6:0] bits);
        count_ones = '0;
        for (int i = 0; i < 7; i++)
            count_ones = count_ones + 3'(bits[i]);
    endfunction

    for (genvar p = 0; p < 7; p++) begin : g_port
        localparam int AT = p == 6 ? P : p;
        for (genvar v = 0; v < 3; v++) begin : g_vc
            localparam int I = (p * 3 + v) * 4;
            if (p < P || p == 6) begin : g_there
                logic flit, packet, stall;
                assign stall  = ev_stall_vc[2*AT +: 2] == 2'(v);
                assign flit   = p == 6 ? v == 0 : ev_flit_vc[2*AT +: 2] == 2'(v);
                assign packet = p == 6 ? v == 0 : ev_packet_vc[2*AT +: 2] == 2'(v);
                assign hit[I + `OFR_COUNTER_FLITS]        = ev_flit[AT] && flit;
                assign hit[I + `OFR_COUNTER_PACKETS]      = ev_packet[AT] && packet;
                assign hit[I + `OFR_COUNTER_STALL_CREDIT] = ev_stall_credit[AT] && stall;
                assign hit[I + `OFR_COUNTER_STALL_ALLOC]  = ev_stall_alloc[AT] && stall;
            end else begin : g_none
                assign hit[I +: 4] = '0;
            end
        end
    end
    for (genvar p = 0; p < 6; p++) begin : g_link
        localparam int I = `OFR_COUNTER_LINK_BASE + 3 * p;
        if (p < P) begin : g_there
            assign hit[I + `OFR_COUNTER_LINK_CRC]   = ev_crc[p];
            assign hit[I + `OFR_COUNTER_LINK_RETRY] = ev_retry[p];
            assign hit[I + `OFR_COUNTER_LINK_RESET] = ev_reset[p];
        end else begin : g_none
            assign hit[I +: 3] = '0;
        end
    end
    assign hit[`OFR_COUNTER_INJECTED]  = ev_injected;
    assign hit[`OFR_COUNTER_DELIVERED] = ev_delivered;
    assign hit[`OFR_COUNTER_OIDN]      = ev_oidn;
    assign hit[`OFR_COUNTER_WIDN]      = ev_widn;
    assign hit[`OFR_COUNTER_PINNED]    = ev_pinned;
    assign hit[`OFR_COUNTER_POISONED]  = ev_poisoned;
    // Not single
    assign hit[`OFR_COUNTER_REFUSED]   = 1'b0;
    assign hit[`OFR_COUNTER_DISCARDED] = 1'b0;
    assign hit[`OFR_COUNTER_HOPS]      = 1'b0;
    assign hit[`OFR_COUNTER_HIGH_BASE +: 18] = '0;
    always_ff @(posedge clk) begin
        hit_q       <= hit;
        refused_q   <= count_ones(7'(ev_refused));
        discarded_q <= count_ones(7'(ev_discarded));
        hops_q      <= count_ones(7'(ev_packet[P-1:0]));
    end
    logic unused_hit, unused_wdat;
    assign unused_hit  = ^hit_q;
    assign unused_wdat = ^reg_wdat[31:8];

    // --- Pre-counters, what the engine sees of them, and the one that it visits ------------------
    logic                follow; // held_q follows the pre-counters
    logic [SLOTS-1:0]    hide;   // one-cold: 0 for the counter to visit in this cycle
    logic [SLOTS*LB-1:0] lfsr_held;
    logic [21*BB-1:0]    sum_held; // refused, discarded, hops, high-water marks
    logic [LB-1:0]       lfsr_x;
    logic [BB-1:0]       sum_x;
    logic                sum_visit;
    logic [7:0]          slot_q;

    for (genvar i = 0; i < SLOTS; i++) begin : g_pre
        localparam int PORT = i < `OFR_COUNTER_NODE_BASE ? i / 12 : (i - `OFR_COUNTER_LINK_BASE)
            / 3;
        localparam bit BY_VC = PORT < P || (PORT == 6 && (i % 4 >= 2 || i % 12 < 4));
        localparam bit NODE  = i != `OFR_COUNTER_REFUSED && i != `OFR_COUNTER_DISCARDED &&
                               i != `OFR_COUNTER_HOPS;
        localparam bit LINK  = i < `OFR_COUNTER_HIGH_BASE && PORT < P;
        localparam bit HAS   = i < `OFR_COUNTER_NODE_BASE ? BY_VC :
                               i < `OFR_COUNTER_LINK_BASE ? NODE : LINK;
        if (HAS) begin : g_lfsr
            logic [LB-1:0] lfsr_q, held_q, seen_q;
            always_ff @(posedge clk) begin
                if (rst)
                    lfsr_q <= LB'(1);
                else if (hit_q[i])
                    lfsr_q <= {lfsr_q[LB-2:0], lfsr_q[8] ^ lfsr_q[4]}; // x^9 + x^5 + 1
                if (follow)
                    held_q <= lfsr_q;
                // Cleared unless visited, so that an OR does for a multiplexer
                if (hide[i])
                    seen_q <= '0;
                else
                    seen_q <= held_q;
            end
            assign lfsr_held[LB*i +: LB] = seen_q;
        end else begin : g_none
            assign lfsr_held[LB*i +: LB] = '0;
        end
    end

    for (genvar j = 0; j < 21; j++) begin : g_sum
        localparam int I = j == 0 ? `OFR_COUNTER_REFUSED : j == 1 ? `OFR_COUNTER_DISCARDED :
                           j == 2 ? `OFR_COUNTER_HOPS : `OFR_COUNTER_HIGH_BASE + j - 3;
        if (j < 3) begin : g_sum
            logic [BB-1:0] sum_q, held_q, seen_q;
            logic [2:0]    step;
            assign step = j == 0 ? refused_q : j == 1 ? discarded_q : hops_q;
            always_ff @(posedge clk) begin
                sum_q <= rst ? '0 : sum_q + BB'(step);
                if (follow)
                    held_q <= sum_q;
                if (hide[I])
                    seen_q <= '0;
                else
                    seen_q <= held_q;
            end
            assign sum_held[BB*j +: BB] = seen_q;
        end else if (j - 3 < 3 * P) begin : g_high
            logic [3:0] high_q, held_q, seen_q;
            always_ff @(posedge clk) begin
                if (rst)
                    high_q <= '0;
                else if (used[4*(j-3) +: 4] > high_q)
                    high_q <= used[4*(j-3) +: 4];
                if (follow)
                    held_q <= high_q;
                if (hide[I])
                    seen_q <= '0;
                else
                    seen_q <= held_q;
            end
            assign sum_held[BB*j +: BB] = BB'(seen_q);
        end else begin : g_none
            assign sum_held[BB*j +: BB] = '0;
        end
    end

    always_comb begin
        lfsr_x = '0;
        sum_x  = '0;
        for (int i = 0; i < SLOTS; i++)
            lfsr_x = lfsr_x | lfsr_held[LB*i +: LB];
        for (int j = 0; j < 21; j++)
            sum_x = sum_x | sum_held[BB*j +: BB];
        sum_visit = slot_q == `OFR_COUNTER_REFUSED || slot_q == `OFR_COUNTER_DISCARDED ||
                    slot_q == `OFR_COUNTER_HOPS || slot_q >= `OFR_COUNTER_HIGH_BASE;
    end

    // --- The engine ------------------------------------------------------------------------------
    // INIT: reads a word of zeros, so that the first round clears the bank; RUN; COPY; MOVE.
    localparam [1:0] INIT = 2'd0, RUN = 2'd1, COPY = 2'd2, MOVE = 2'd3;
    logic [1:0]       phase_q;
    logic [2:0]       ask_q;  // a snapshot was asked for 1, 2, 3 cycles ago: the pipeline runs dry
    logic             hold_q; // held_q stands still
    logic             bank_q; // where to count; the snapshot is in the other one
    logic [SLOTS-1:0] ring_q; // slot_q decoded, one-cold
    logic             fetch;  // this cycle is a register read's
    logic             go, last;
    assign last   = slot_q == 8'(SLOTS - 1);
    assign go     = !fetch && ask_q == 3'd0;
    assign hide   = ring_q;
    assign follow = !hold_q;
    always_ff @(posedge clk) begin
        ask_q <= {ask_q[1:0], reg_we && reg_adr == `OFR_COUNT_SNAPSHOT && !reg_err};
        if (ask_q[1])
            hold_q <= 1'b1; // what happened in the cycle asked for has just reached held_q
        if (go) begin
            ring_q <= {ring_q[SLOTS-2:0], ring_q[SLOTS-1]};
            slot_q <= last ? '0 : slot_q + 1'b1;
            if (last) begin
                phase_q <= phase_q == COPY ? MOVE : RUN;
                hold_q  <= 1'b0;
                if (phase_q == COPY)
                    bank_q <= !bank_q;
            end
        end
        if (rst || ask_q[2]) begin
            ring_q  <= {{SLOTS-1{1'b1}}, 1'b0}; // Yosys takes ~SLOTS'(1) for 1
            slot_q  <= '0;
            phase_q <= rst ? INIT : COPY;
        end
        if (rst) begin
            ask_q  <= '0;
            hold_q <= 1'b0;
            bank_q <= 1'b0;
        end
    end

    // Pipeline: 1 the pre-counter is in x, the RAM is read; 2 the ROM has decoded it; 3 the
    // difference from the last one is known, the gain from that; 4 the sum is written.
    logic [4:1]    valid_q, bank_to_q;
    logic [4:1]    copy_q;
    logic          bank_from_q, zero_q;
    logic [2:0]    sum_q;
    logic [7:0]    slot1_q, slot2_q, slot3_q, slot4_q;
    logic [LB-1:0] rom_q;
    logic [BB-1:0] sum_x_q, now, now3_q, now4_q, diff_q, gain;
    logic          borrow_q;
    logic [47:0]   value3_q, value4_q;
    logic [WW-1:0] ram_q;
    assign now  = sum_q[1] ? sum_x_q : BB'(rom_q);
    // An LFSR's gain is modulo 511
    assign gain = sum_q[2] ? diff_q : BB'(LB'(diff_q[LB-1:0] - LB'(borrow_q)));

    always_ff @(posedge clk) begin
        valid_q     <= rst ? '0 : {valid_q[3:1], go};
        bank_to_q   <= {bank_to_q[3:1], bank_q};
        copy_q      <= {copy_q[3:1], go && phase_q == COPY};
        bank_from_q <= phase_q == MOVE ? !bank_q : bank_q;
        zero_q      <= phase_q == INIT;
        {slot4_q, slot3_q, slot2_q, slot1_q} <= {slot3_q, slot2_q, slot1_q, slot_q};
        sum_q    <= {sum_q[1:0], sum_visit};
        sum_x_q  <= sum_x;
        now3_q   <= now;
        now4_q   <= now3_q;
        {borrow_q, diff_q} <= {1'b0, now} - {1'b0, ram_q[48 +: BB]};
        value3_q <= ram_q[47:0];
        value4_q <= value3_q + 48'(gain);
    end

    assign copy       = copy_q[4] && valid_q[4];
    assign copy_index = slot4_q;
    assign copy_value = value4_q;

    // --- Memories --------------------------------------------------------------------------------
    // Address {bank, counter}; counters from SLOTS on are never written and stay 0.
    logic [7:0] index_q;
    logic [8:0] raddr;
    assign raddr = valid_q[1] ? {bank_from_q, slot1_q | {8{zero_q}}} : {!bank_q, index_q};

    (* no_rw_check *)
    logic [WW-1:0] mem [0:511];
    initial
        for (int i = 0; i < 512; i++)
            mem[i] = '0;
    always_ff @(posedge clk) begin
        if (valid_q[4] && !rst)
            mem[{bank_to_q[4], slot4_q}] <= {now4_q, value4_q};
        ram_q <= mem[raddr];
    end

    // rom[state of the LFSR] = steps from state 1
    function automatic logic [512*LB-1:0] logarithms(input logic unused);
        logic [LB-1:0] state;
        logarithms = {512*LB{unused}};
        state = LB'(1);
        for (int i = 0; i < 511; i++) begin
            logarithms[LB*state +: LB] = LB'(i);
            state = {state[LB-2:0], state[8] ^ state[4]};
        end
    endfunction
    localparam logic [512*LB-1:0] LOGARITHMS = logarithms(1'b0);
    (* rom_style = "block", ram_style = "block" *)
    logic [LB-1:0] rom [0:511];
    initial
        for (int i = 0; i < 512; i++)
            rom[i] = LOGARITHMS[LB*i +: LB];
    always_ff @(posedge clk)
        rom_q <= rom[lfsr_x];

    // --- Registers -------------------------------------------------------------------------------
    logic        busy, high_read, anew_q, some_q; // some_q: a snapshot since reset
    logic [1:0]  fetch_q;
    logic [47:0] shown_q;
    assign busy      = ask_q != 3'd0 || phase_q != RUN || anew_q || fetch_q != 2'd0;
    assign reg_err   = reg_we && reg_adr == `OFR_COUNT_SNAPSHOT && busy;
    assign high_read = reg_re && reg_adr == `OFR_COUNT_HIGH;
    assign fetch     = anew_q || high_read || (reg_we && reg_adr == `OFR_COUNT_INDEX);
    always_ff @(posedge clk) begin
        anew_q  <= !rst && go && last && phase_q == MOVE; // a new snapshot: INDEX shows it
        fetch_q <= rst ? '0 : {fetch_q[0], fetch};
        if (fetch_q[1])
            shown_q <= ram_q[47:0];
        if (phase_q == MOVE)
            some_q <= 1'b1;
        if (high_read)
            index_q <= index_q + 1'b1;
        if (reg_we && reg_adr == `OFR_COUNT_INDEX)
            index_q <= reg_wdat[7:0];
        if (rst) begin
            index_q <= '0;
            some_q  <= 1'b0;
        end
        if (rst || !some_q)
            shown_q <= '0;
    end
    always_comb
        case (reg_adr)
            `OFR_COUNT_SNAPSHOT: reg_rdat = 32'(busy);
            `OFR_COUNT_INDEX:    reg_rdat = 32'(index_q);
            `OFR_COUNT_LOW:      reg_rdat = shown_q[31:0];
            `OFR_COUNT_HIGH:     reg_rdat = 32'(shown_q[47:32]);
            default:             reg_rdat = '0;
        endcase
endmodule

`default_nettype wire
