// SPDX-License-Identifier: Apache-2.0
// Register block LINKS: state and counters of the reliable links' ends, read only, a set a port,
// and NODE.BERT.
// Golden model: sim/model/link_regs.c.
//
// Counters are of 32 bits, stay at 2^32 - 1, and are brought up to date once a tick: what happened
// in a tick is kept (held_q), an engine then goes through all counters, from the bank of a block
// RAM that is shown to the other one, and with the next tick that one is shown. So they are all of
// one instant, and it does not matter that a register read takes a cycle from the engine: it needs
// 21 cycles a port of the tick's 256 or more, and 28 where a register is read every third cycle, as
// fast as the bus can.
//
// What the physical layers have found goes the same way, behind the counters, a word a cycle: up to
// 5 cycles a port. It is in other clocks, so they hold it still meanwhile, and from the last port's
// counters on, which take longer than a synchroniser.
`include "ofr_defs.vh"
`default_nettype none

module ofr_link_regs #(
    parameter int N    = 2, // dimensions, 2 or 3
    parameter int TICK = 8, // a tick is 2^TICK cycles, 8 to 20
    parameter int BITS = 32, // that come over a cable a cycle, 1 to 64
    parameter int PHY  = 0,  // 1: physical layers are behind the ends
    parameter int WIRES = 8  // of each, of which 8 at most are shown
) (
    input  wire logic             clk,
    input  wire logic             rst,
    input  wire logic [2*N-1:0]   link_up,
    // Of the ends: ofr_link
    input  wire logic [6*N-1:0]   state,
    input  wire logic [8*N-1:0]   why,
    input  wire logic [128*N-1:0] peer,
    input  wire logic [2*N-1:0]   ev_frame,
    input  wire logic [2*N-1:0]   ev_retry,
    input  wire logic [2*N-1:0]   ev_bad,
    input  wire logic [2*N-1:0]   ev_down,
    input  wire logic             ev_tick,
    // Of the physical layers: ofr_links
    output logic [2*N-1:0]        phy_bert,
    output logic                  phy_hold,
    input  wire logic [2*N-1:0]   phy_locked,
    input  wire logic [2*N-1:0]   phy_stopped,
    input  wire logic [2*N-1:0]   phy_lost,
    input  wire logic [64*N-1:0]  phy_seen,
    input  wire logic [32*N*WIRES-1:0] phy_wires,
    // Registers: the address a cycle before the strobe, and the value in the strobe's cycle
    input  wire logic             early,     // there will be a strobe
    input  wire logic [11:0]      early_adr,
    input  wire logic             reg_we,
    input  wire logic [11:0]      reg_adr,
    input  wire logic [31:0]      reg_wdat,
    output logic [31:0]           reg_rdat
);
    localparam int P = 2 * N;
    localparam logic [2:0] LAST_PORT = 3'(P - 1);
    localparam logic [2:0] UP = 3'd0, SINCE = 3'd1, LONGEST = 3'd2, FALLS = 3'd3, FRAMES = 3'd4,
                           CRC = 3'd5, RETRY = 3'd6; // words of a port, as in outflank.json
    localparam logic [3:0] SEEN = 4'd7, PAIRS = 4'd11; // ... of its physical layer
    localparam int PAIR = WIRES > 8 ? 4 : (WIRES + 1) / 2; // words of two wires

    // --- What happened in this tick, and in the one before ---------------------------------------
    logic [P-1:0]      up_q, before_q;        // at its end; at the end of the one before
    logic [P-1:0]      fell_q, fell_held_q;   // at most once: it takes 10 ticks to come up
    logic [TICK*P-1:0] frames_q, frames_held_q, bad_q, bad_held_q, retry_q, retry_held_q;
    always_ff @(posedge clk) begin
        for (int p = 0; p < P; p++) begin
            frames_q[TICK*p +: TICK] <= frames_q[TICK*p +: TICK] + TICK'(ev_frame[p]);
            bad_q[TICK*p +: TICK]    <= bad_q[TICK*p +: TICK] + TICK'(ev_bad[p]);
            retry_q[TICK*p +: TICK]  <= retry_q[TICK*p +: TICK] + TICK'(ev_retry[p]);
            if (ev_tick) begin
                frames_q[TICK*p +: TICK] <= TICK'(ev_frame[p]);
                bad_q[TICK*p +: TICK]    <= TICK'(ev_bad[p]);
                retry_q[TICK*p +: TICK]  <= TICK'(ev_retry[p]);
            end
            fell_q[p]                <= (fell_q[p] && !ev_tick) || ev_down[p];
        end
        if (ev_tick) begin
            up_q          <= link_up;
            before_q      <= up_q;
            fell_held_q   <= fell_q;
            frames_held_q <= frames_q;
            bad_held_q    <= bad_q;
            retry_held_q  <= retry_q;
        end
        if (rst)
            {up_q, before_q, fell_q, frames_q, bad_q, retry_q} <= '0;
    end

    // --- The engine: a cycle to read, one behind the RAM, which is slow, one to add and write ----
    logic        run_q, got_q, write_q; // at work; at the RAM's output; in old_q
    logic        bank_q, bank;   // the bank that is shown
    logic [1:0]  ticks_q;        // 1: the shown bank is empty still, 2: it is good
    logic [2:0]  port_q, word_q;
    logic        ever_q;         // that port was up before this tick
    logic [31:0] since_q, kept, add, old_q, add_q, sum, value;
    logic        over;           // more than 32 bits
    logic        read;           // a register's turn
    logic        up, was_up, fell; // of that port
    assign up     = 1'(up_q >> port_q);
    assign was_up = 1'(before_q >> port_q);
    assign fell   = 1'(fell_held_q >> port_q);
    logic [2:0]  port;           // of that register
    assign read = early && early_adr[11:9] == 3'(`OFR_LINKS_UP >> 9);
    assign port = early_adr[8:6];
    assign bank = bank_q ^ ev_tick;
    always_comb begin
        add = '0;
        case (word_q)
            UP:      add[0] = up;
            SINCE:   add[0] = 1'b1;
            FALLS:   add[0] = fell;
            FRAMES:  add[TICK-1:0] = frames_held_q[TICK*port_q +: TICK];
            CRC:     add[TICK-1:0] = bad_held_q[TICK*port_q +: TICK];
            RETRY:   add[TICK-1:0] = retry_held_q[TICK*port_q +: TICK];
            default: ;
        endcase
        {over, sum} = {1'b0, old_q} + {1'b0, add_q};
        value = over ? '1 : sum;
        if (word_q == SINCE && up != was_up)
            value = '0;
        if (word_q == LONGEST && !up && ever_q && since_q > old_q)
            value = since_q;
    end
    always_ff @(posedge clk) begin
        got_q   <= run_q && !got_q && !write_q && !read;
        write_q <= got_q;
        old_q   <= ticks_q == 2'd2 ? kept : '0;
        add_q   <= add;
        if (write_q) begin
            if (word_q == UP)
                ever_q <= old_q != '0;
            if (word_q == SINCE)
                since_q <= value;
            word_q <= word_q == RETRY ? UP : word_q + 3'd1;
            if (word_q == RETRY) begin
                port_q <= port_q + 3'd1;
                run_q  <= port_q != LAST_PORT;
            end
        end
        if (ev_tick) begin
            bank_q  <= !bank_q;
            run_q   <= 1'b1;
            port_q  <= '0;
            word_q  <= UP;
            ticks_q <= ticks_q == 2'd2 ? 2'd2 : ticks_q + 2'd1;
        end
        if (rst) begin
            {run_q, got_q, write_q, bank_q, ticks_q} <= '0;
            port_q <= '0;
            word_q <= UP;
        end
    end

    // --- Physical layers -------------------------------------------------------------------------
    logic        found; // a word of theirs, at its place
    logic [6:0]  found_at;
    logic [31:0] found_value;
    logic [31:0] test;    // NODE.BERT
    generate
        if (PHY != 0) begin : g_phy
            logic [23:0]  left_q;  // ticks of the bit error test
            logic [P-1:0] ports_q; // that are in it
            logic         look_q;
            logic [2:0]   at_q, pair_q; // port; 0: SEEN, then pairs of wires
            logic [1:0]   pair;
            logic [127:0] wires;   // of that port
            logic [31:0]  seen;
            logic         found_q;
            logic [6:0]   found_at_q;
            logic [31:0]  found_value_q;
            logic         unused_wdat;
            assign pair     = 2'(pair_q) - 2'd1;
            assign phy_bert = ports_q;
            assign test     = 32'({6'(ports_q), left_q});
            assign {found, found_at, found_value} = {found_q, found_at_q, found_value_q};
            assign unused_wdat = ^reg_wdat[31:`OFR_NODE_BERT_PORTS_LSB+P];
            always_comb begin
                {wires, seen} = '0;
                for (int p = 0; p < P; p++)
                    if (at_q == 3'(p)) begin
                        wires = 128'(phy_wires[16*WIRES*p +: 16*WIRES]);
                        seen  = phy_seen[32*p +: 32];
                    end
            end
            always_ff @(posedge clk) begin
                pair_q <= pair_q == 3'(PAIR) ? '0 : pair_q + 3'(look_q);
                if (look_q && pair_q == 3'(PAIR)) begin
                    at_q   <= at_q + 3'd1;
                    look_q <= at_q != LAST_PORT;
                end
                if (write_q && word_q == RETRY && port_q == LAST_PORT)
                    {look_q, at_q, pair_q} <= {1'b1, 6'd0};
                phy_hold      <= look_q || (run_q && port_q == LAST_PORT);
                found_q       <= look_q;
                found_at_q    <= {at_q, pair_q == 0 ? SEEN : PAIRS - 4'd1 + 4'(pair_q)};
                found_value_q <= pair_q == 0 ? seen : wires[32*pair +: 32];
                if (left_q == '0)
                    ports_q <= '0;
                else if (ev_tick)
                    left_q <= left_q - 24'd1;
                if (reg_we && reg_adr == `OFR_NODE_BERT) begin
                    ports_q <= reg_wdat[`OFR_NODE_BERT_PORTS_LSB +: P];
                    left_q  <= reg_wdat[`OFR_NODE_BERT_TICKS_LSB +: 24];
                end
                if (rst)
                    {left_q, ports_q, look_q, phy_hold, found_q} <= '0;
            end
        end else begin : g_no_phy
            logic unused_phy;
            assign {phy_bert, phy_hold, found, found_at, found_value, test} = '0;
            assign unused_phy = ^{phy_seen, phy_wires, reg_we, reg_adr, reg_wdat};
        end
    endgenerate

    logic [7:0] raddr;
    assign raddr = read ? {bank, port, early_adr[5:2]} : {bank, port_q, 1'b0, word_q};
    ofr_buffer #(.DEPTH(256), .WIDTH(32)) ram (
        .clk, .we(write_q || found),
        .waddr({!bank_q, found ? found_at : {port_q, 1'b0, word_q}}),
        .wdata(found ? found_value : value), .re(1'b1), .raddr, .rdata(kept)
    );

    // --- Registers -------------------------------------------------------------------------------
    logic [31:0] status_q;
    logic        counter_q, there, counted, unused;
    logic [31:0] bits;           // of the physical layers, a bit each
    assign there  = read && port <= LAST_PORT;
    assign counted = early_adr[5:2] < SEEN ||
                     (PHY != 0 && (early_adr[5:2] == SEEN ||
                                   (early_adr[5:2] >= PAIRS && early_adr[5:2] < PAIRS + 4'(PAIR))));
    assign bits   = PHY == 0 ? 32'd0
                             : {8'(phy_bert), 8'(phy_lost), 8'(phy_stopped), 8'(phy_locked)};
    assign unused = ^early_adr[1:0];
    always_ff @(posedge clk) begin
        counter_q <= there && counted &&
                     (ticks_q == 2'd2 || (ticks_q == 2'd1 && ev_tick));
        status_q  <= '0;
        if (there && early_adr[5])
            case (early_adr[4:2])
                3'd0: status_q <= {3'd0, bits[{2'd3, port}], bits[{2'd2, port}], bits[{2'd1, port}],
                                   bits[{2'd0, port}], PHY != 0, 1'b0, 7'(BITS), 3'd0, 5'(TICK),
                                   why[4*port +: 4], 1'b0, state[3*port +: 3]};
                3'd1: status_q <= peer[64*port +: 32];
                3'd2: status_q <= peer[64*port+32 +: 32];
                default: ;
            endcase
        if (early && early_adr[11:2] == 10'(`OFR_NODE_BERT >> 2))
            status_q <= test;
    end
    assign reg_rdat = status_q | (counter_q ? kept : '0);
endmodule

`default_nettype wire
