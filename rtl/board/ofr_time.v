// SPDX-License-Identifier: Apache-2.0
// NODE.TIME, and its registers. Over reliable links all boards have one time: every board measures
// its own against a neighbour's, from what both ends of that link say (rtl/link/README.md, Time),
// and takes the difference out: as PTP (IEEE 1588) over one hop, with a proportional and integral
// servo. First that is the neighbour nearest to the root; once it agrees well with that one, all of
// them in turn: what every crossing of clocks rounds, up to half a cycle for as long as two clocks
// are alike, would add up along a tree, over all ways it averages out. The root is the board with
// the lowest rank; a board keeps the best that it has heard, with the distance, as in a
// distance-vector protocol. Golden model: sim/model/node_time.c.
`include "ofr_defs.vh"
`default_nettype none

module ofr_time #(
    parameter int N     = 2, // dimensions, 2 or 3
    parameter int TIME  = 0, // 1: one for all boards, over reliable links
    parameter int ALIGN = 1, // 0: cycles since reset, no TIME_ADD, no TIME_RATE; TIME 0 only
    parameter int TICK  = 8  // of the links, 8 to 20
) (
    input  wire logic             clk,
    input  wire logic             rst,
    input  wire logic [31:0]      cycle,     // since reset
    input  wire logic [63:0]      serial,    // of this board
    input  wire logic [2*N-1:0]   link_up,
    // The links' ends: ofr_link
    input  wire logic [32*N-1:0]  lag,
    input  wire logic [2*N-1:0]   says,
    input  wire logic [6*N-1:0]   says_what,
    input  wire logic [32*N-1:0]  says_data,
    output logic [15:0]           rank,
    output logic [31:0]           now,       // NODE.TIME
    output logic [1:0]            part,      // quarters of a cycle beyond that
    // Registers
    input  wire logic             reg_we,
    input  wire logic [11:0]      reg_adr,
    input  wire logic [31:0]      reg_wdat,
    output logic [31:0]           reg_rdat
);
    // As in rtl/link/ofr_link.vh, OFR_LINK_SAYS_* and OFR_LINK_LAG_UNKNOWN
    localparam logic [2:0]  SAYS_LAG = 3'd4, SAYS_HIGH = 3'd5, SAYS_RANK = 3'd6, SAYS_TOP = 3'd7;
    localparam logic [15:0] UNKNOWN  = 16'h8000;

    // What it is ahead of the cycles since reset, in 2^-32 cycles
    logic [63:0] fine;
    logic [31:0] added, rate, step, state;
    logic [31:0] rate_step;
    generate
        if (TIME != 0 || ALIGN != 0) begin : g_ahead
            logic [63:0] ahead_q;
            logic [31:0] add, add_q, rate_q;
            assign {added, rate} = {add_q, rate_q};
            assign add = reg_we && reg_adr == `OFR_NODE_TIME_ADD ? reg_wdat - add_q : '0;
            always_ff @(posedge clk) begin
                now     <= cycle + ahead_q[63:32] + 32'd1;
                part    <= ahead_q[31:30];
                ahead_q <= ahead_q + {{32{rate_q[31]}}, rate_q} + {add + step, 32'd0} + fine;
                rate_q  <= rate_q + rate_step;
                if (reg_we && reg_adr == `OFR_NODE_TIME_ADD)
                    add_q <= reg_wdat;
                if (reg_we && reg_adr == `OFR_NODE_TIME_RATE)
                    rate_q <= reg_wdat;
                if (rst) begin
                    now     <= '0;
                    part    <= '0;
                    ahead_q <= '0;
                    add_q   <= '0;
                    rate_q  <= '0;
                end
            end
        end else begin : g_cycles
            logic unused;
            assign now = cycle;
            assign {part, added, rate} = '0;
            assign unused = ^{clk, rst, reg_we, reg_wdat, fine, step, rate_step};
        end
    endgenerate

    always_comb begin
        case (reg_adr)
            `OFR_NODE_TIME:       reg_rdat = now;
            `OFR_NODE_TIME_ADD:   reg_rdat = added;
            `OFR_NODE_TIME_RATE:  reg_rdat = rate;
            `OFR_NODE_TIME_STATE: reg_rdat = state;
            default:              reg_rdat = '0;
        endcase
    end

    generate
    if (TIME != 0) begin : g_follow
        // --- Whom to follow: one port's word a time, each port for 4096 cycles in turn; not those
        // without a link
        localparam logic [2:0] LAST_PORT = 3'(2 * N - 1);
        logic        old_q;     // it may be the root: it has had the time to hear of another one
        logic        follows_q; // a neighbour; else it is the root
        logic [2:0]  port_q;    // the neighbour's
        logic [2:0]  scan_q;
        logic [15:0] rank_q, own, said, offer;
        logic        heard, near, takes, lost;
        assign rank  = rank_q;
        assign own   = {old_q ? serial[10:0] ^ serial[21:11] ^ serial[32:22] ^ serial[43:33] ^
                                serial[54:44] ^ {2'd0, serial[63:55]} : 11'h7ff, 5'd0};
        assign heard = 1'(says >> scan_q) && 3'(says_what >> 3 * 5'(scan_q)) == SAYS_RANK;
        assign said  = 16'(says_data >> 16 * 7'(scan_q));
        assign near  = said[4:0] != 5'd31;
        assign offer = said + 16'd1;
        assign takes = heard && near && !(follows_q && port_q == scan_q) && offer < rank_q;
        assign lost  = follows_q && (1'(link_up >> port_q) == 1'b0 ||
                       (heard && port_q == scan_q && !(near && offer < own)));
        always_ff @(posedge clk) begin
            old_q <= old_q || &cycle[16:0];
            if (&cycle[11:0] || 1'(link_up >> scan_q) == 1'b0)
                scan_q <= scan_q == LAST_PORT ? 3'd0 : scan_q + 3'd1;
            if (lost) begin
                follows_q <= 1'b0;
                rank_q    <= own;
            end else if (takes) begin
                follows_q <= 1'b1;
                port_q    <= scan_q;
                rank_q    <= offer;
            end else if (!follows_q) begin
                rank_q    <= own;
            end else if (heard && port_q == scan_q) begin
                rank_q    <= offer;
            end
            if (rst) begin
                old_q     <= 1'b0;
                follows_q <= 1'b0;
                port_q    <= '0;
                scan_q    <= '0;
                rank_q    <= '1;
            end
        end

        // --- The servo. error: eighths of a cycle by which this board is ahead ------------------
        logic [1:0]  wait_q;    // so many LAGs are of before the last step
        logic [6:0]  good_q;    // so many measurements were within two cycles
        logic [9:0]  error_q;
        logic [15:0] here, there, error, back, cycles;
        logic [2:0]  what, with_q; // with_q: the port that is measured
        logic        sure, nearest, talks, known, half, far, close, moves;
        assign sure    = &good_q;
        assign nearest = with_q == port_q;
        assign talks  = follows_q && 1'(says >> with_q);
        assign what   = 3'(says_what >> 3 * 5'(with_q));
        assign here   = 16'(lag >> 16 * 7'(with_q));
        assign there  = 16'(says_data >> 16 * 7'(with_q));
        assign error  = here - there;
        assign back   = there - here;
        assign cycles = {{3{error[15]}}, error[15:3]};
        assign known  = talks && what == SAYS_LAG && here != UNKNOWN &&
                        there != UNKNOWN && wait_q == 0;
        assign half   = here[15] != here[14]; // the error is known modulo 2^13 cycles only
        assign far    = nearest ? error[15:9] != {7{error[15]}} : error[15:5] != {11{error[15]}};
        assign close  = known && !half && !far;
        assign moves  = talks && nearest && wait_q == 0 &&
                        now[13] != now[12] && // not near a carry
                        ((what == SAYS_HIGH && there != now[29:14]) ||
                         (what == SAYS_TOP && there[1:0] != now[31:30]));
        always_comb begin
            step = '0;
            if (known && nearest && half)
                step = 32'h2000;
            else if (known && nearest && far)
                step = -{{16{cycles[15]}}, cycles};
            if (moves)
                step = what == SAYS_TOP ? {there[1:0] - now[31:30], 30'd0}
                                        : {2'd0, there - now[29:14], 14'd0};
            fine      = '0;
            rate_step = '0;
            // An 8th of it now; a 100th, or an 800th, spread over the time to the next one
            if (close) begin
                fine      = {{48{back[15]}}, back} << 26;
                rate_step = 32'($signed({{16{back[15]}}, back} << (sure ? 16 : 19)) >>> TICK);
            end
        end
        always_ff @(posedge clk) begin
            with_q <= sure ? scan_q : port_q;
            if (talks && what == SAYS_LAG && wait_q != 0)
                wait_q <= wait_q - 2'd1;
            if (close && nearest) begin
                error_q <= error[9:0];
                good_q  <= error + 16'd16 > 16'd32 ? 7'd0 : sure ? good_q : good_q + 7'd1;
            end
            if (takes || moves || (known && nearest && !close)) begin
                wait_q <= 2'd3;
                good_q <= '0;
            end
            if (rst) begin
                wait_q  <= '0;
                good_q  <= '0;
                error_q <= '0;
                with_q  <= '0;
            end
        end
        assign state = {follows_q ? good_q[6:5] != 0 : old_q, rank_q,
                        follows_q ? port_q : 3'd7, 2'd0, follows_q ? error_q : 10'd0};
    end else begin : g_alone
        logic unused;
        assign {rank, step, fine, rate_step, state} = '0;
        assign unused = ^{serial, link_up, lag, says, says_what, says_data};
    end
    endgenerate
endmodule

`default_nettype wire
