// SPDX-License-Identifier: Apache-2.0
// What is at a board's ports, all of them: plain wires, a reliable link's end each (ofr_link), such
// an end with its physical layer (ofr_link_cabled), or four of these with one logic
// (ofr_link_four). The router's side is the same.
`include "ofr_defs.vh"
`include "ofr_link.vh"
`default_nettype none

module ofr_links #(
    parameter int LINK   = 0,  // 0: plain, 1: reliable, words at the pins, 2: reliable, cables,
                               // 3: such with one logic for all: N = 2, W = 16, WIRES = 2
    parameter int N      = 2,  // dimensions, 2 or 3
    parameter int W      = 32, // flit width in bits, 16, 32 or 64
    parameter int L      = 16, // flits per slot
    parameter int C      = 8,  // slots per VC, 2 to 8
    parameter int SHARED = 0,  // as in ofr_link
    parameter int SERIAL = 1,  // likewise
    parameter int TICK   = 8,  // likewise
    parameter int TIME   = 0,  // likewise; 0 where LINK is
    parameter int WIRES  = 8,  // LINK = 2: data wires each way, 1 to W
    parameter int TUNE   = 12  // LINK = 2: 2^TUNE bits to train, 12 to 30
) (
    input  wire logic             clk,
    input  wire logic             rst,
    input  wire logic [63:0]      serial, // of this board
    input  wire logic [33:0]      now,    // as in ofr_link
    input  wire logic [15:0]      rank,   // likewise
    input  wire logic [2*N-1:0]   bert,   // as in ofr_link_phy
    input  wire logic             hold,   // likewise, for all ports
    // Plain wires, see rtl/README.md. LINK = 0 only
    input  wire logic [2*N-1:0]   link_up,
    input  wire logic [2*N-1:0]   rx_valid,
    input  wire logic [4*N-1:0]   rx_vc,
    input  wire logic [2*N*W-1:0] rx_data,
    input  wire logic [2*N-1:0]   rx_last,
    input  wire logic [2*N-1:0]   rx_poison,
    input  wire logic [2*N-1:0]   rx_abort,
    input  wire logic [2*N-1:0]   tx_ready,
    input  wire logic [24*N-1:0]  tx_credit,
    input  wire logic [24*N-1:0]  tx_base,
    input  wire logic [2*N-1:0]   tx_rebase,
    // Words, as in ofr_link. LINK = 1 only
    input  wire logic [2*N-1:0]   phy_up,
    output logic [2*N*W-1:0]      phy_tx_word,
    input  wire logic [2*N-1:0]   phy_tx_ready,
    input  wire logic [2*N-1:0]   phy_rx_valid,
    input  wire logic [2*N*W-1:0] phy_rx_word,
    input  wire logic [2*N-1:0]   phy_rx_late,
    output logic [2*N-1:0]        phase,
    // Cables, as in ofr_link_phy. LINK = 2 and 3 only
    output logic [2*N-1:0]        cable_tx_clk,
    output logic [2*N*WIRES-1:0]  cable_tx,
    input  wire logic [2*N-1:0]   cable_rx_clk,
    input  wire logic [2*N*WIRES-1:0] cable_rx,
    // The router
    output logic [2*N-1:0]        to_link_up,
    output logic [2*N-1:0]        to_rx_valid,
    output logic [4*N-1:0]        to_rx_vc,
    output logic [2*N*W-1:0]      to_rx_data,
    output logic [2*N-1:0]        to_rx_last,
    output logic [2*N-1:0]        to_rx_poison,
    output logic [2*N-1:0]        to_rx_abort,
    output logic [2*N-1:0]        to_tx_ready,
    output logic [24*N-1:0]       to_tx_credit,
    output logic [24*N-1:0]       to_tx_base,
    output logic [2*N-1:0]        to_tx_rebase,
    input  wire logic [24*N-1:0]  rx_credit,
    input  wire logic [24*N-1:0]  rx_received,
    input  wire logic [2*N-1:0]   tx_valid,
    input  wire logic [4*N-1:0]   tx_vc,
    input  wire logic [2*N*W-1:0] tx_data,
    input  wire logic [2*N-1:0]   tx_last,
    input  wire logic [2*N-1:0]   tx_poison,
    // Status and events of each end, as in ofr_link; 0 where links are plain
    output logic [6*N-1:0]        state,
    output logic [8*N-1:0]        why,
    output logic [128*N-1:0]      peer,
    output logic [32*N-1:0]       lag,
    output logic [2*N-1:0]        says,
    output logic [6*N-1:0]        says_what,
    output logic [32*N-1:0]       says_data,
    output logic [2*N-1:0]        ev_frame,
    output logic [2*N-1:0]        ev_retry,
    output logic [2*N-1:0]        ev_bad,
    output logic [2*N-1:0]        ev_down,
    output logic                  ev_tick, // the same for all
    // Of the physical layers, as in ofr_link_phy; LINK = 2, else 0. Counters in the receive clocks
    output logic [2*N-1:0]        phy_locked,
    output logic [2*N-1:0]        phy_stopped, // LINK = 3, too
    output logic [2*N-1:0]        phy_lost,
    output logic [64*N-1:0]       phy_seen,
    output logic [32*N*WIRES-1:0] phy_wires // each as in LINKS.WIRES
);
    localparam int P = 2 * N;
    logic unused;
    generate
        if (LINK < 0 || LINK > 3 || (LINK == 0 && TIME != 0) ||
            (LINK == 3 && (N != 2 || W != 16 || WIRES != 2 || TIME != 0)) ||
            (LINK == 2 && (TUNE < 12 || TUNE > 30)))
            ofr_links_parameters_out_of_range bad ();
        if (LINK == 0) begin : g_plain
            assign {to_link_up, to_rx_valid, to_rx_vc, to_rx_data, to_rx_last, to_rx_poison} =
                {link_up, rx_valid, rx_vc, rx_data, rx_last, rx_poison};
            assign {to_rx_abort, to_tx_ready, to_tx_credit, to_tx_base, to_tx_rebase} =
                {rx_abort, tx_ready, tx_credit, tx_base, tx_rebase};
            assign {state, why, peer, lag, says, says_what, says_data} = '0;
            assign {ev_frame, ev_retry, ev_bad, ev_down, ev_tick} = '0;
            assign unused = ^{clk, rst, serial, now, rank, rx_credit, rx_received, tx_valid, tx_vc,
                              tx_data, tx_last, tx_poison};
        end
        if (LINK == 3) begin : g_four
            logic [1:0]   slot, vc;
            logic         up, valid, ready, last, poison, abort, rebase, tx_last_p, tx_poison_p;
            logic         tx_valid_p, retry, bad, down, tick, frame, locked, stopped, lost;
            logic [2:0]   state_p;
            logic [3:0]   why_p, at;
            logic [W-1:0] data, tx_data_p;
            logic [1:0]   tx_vc_p;
            logic [11:0]  credit, base, freed, received;
            logic         phy, phy_ready, phy_valid, phase_p, retrain, ev_up;
            logic [15:0]  tx_word, rx_word;
            logic [P-1:0] up_q, stopped_q;
            logic [12*P-1:0] credit_q;
            assign at = 4'd1 << slot;
            always_comb begin
                tx_valid_p  = tx_valid[slot];
                tx_vc_p     = tx_vc[2*slot +: 2];
                tx_data_p   = tx_data[W*slot +: W];
                tx_last_p   = tx_last[slot];
                tx_poison_p = tx_poison[slot];
                freed       = rx_credit[12*slot +: 12];
                received    = rx_received[12*slot +: 12];
            end
            ofr_link_four #(.N(N), .L(L), .C(C), .TICK(TICK)) ends (
                .clk, .rst, .slot, .enable(1'b1), .link_up(up), .tx_valid(tx_valid_p),
                .tx_ready(ready), .tx_vc(tx_vc_p), .tx_data(tx_data_p), .tx_last(tx_last_p),
                .tx_poison(tx_poison_p), .tx_credit(credit), .tx_base(base), .tx_rebase(rebase),
                .rx_valid(valid), .rx_vc(vc), .rx_data(data), .rx_last(last), .rx_poison(poison),
                .rx_abort(abort), .rx_credit(freed), .rx_received(received), .phy_up(phy),
                .phy_tx_word(tx_word), .phy_tx_ready(phy_ready), .phy_rx_valid(phy_valid),
                .phy_rx_word(rx_word), .phase(phase_p), .phy_locked(locked), .phy_stopped(stopped),
                .phy_lost(lost), .retrain, .state(state_p), .why(why_p), .ev_frame(frame),
                .ev_retry(retry), .ev_bad(bad), .ev_up, .ev_down(down), .ev_tick(tick),
                .cable_tx_clk, .cable_tx, .cable_rx_clk, .cable_rx
            );
            // What the router looks at between turns: falls after the abort, in the next cycle
            always_ff @(posedge clk)
                for (int p = 0; p < P; p++) begin
                    if (at[p]) begin
                        up_q[p]              <= state_p == `OFR_LINK_UP;
                        credit_q[12*p +: 12] <= credit;
                        stopped_q[p]         <= stopped;
                    end
                    if (rst)
                        up_q[p] <= 1'b0;
                end
            assign phy_stopped  = stopped_q;
            assign to_link_up   = up_q;
            assign to_tx_credit = credit_q;
            assign to_tx_base   = {P{base}};
            assign to_tx_rebase = at & {P{rebase}};
            assign to_tx_ready  = at & {P{ready}};
            assign to_rx_valid  = at & {P{valid}};
            assign to_rx_abort  = at & {P{abort}};
            assign to_rx_vc     = {P{vc}};
            assign to_rx_data   = {P{data}};
            assign to_rx_last   = {P{last}};
            assign to_rx_poison = {P{poison}};
            assign ev_frame     = at & {P{frame}};
            assign ev_retry     = at & {P{retry}};
            assign ev_bad       = at & {P{bad}};
            assign ev_down      = at & {P{down}};
            assign ev_tick      = tick && slot == 0;
            assign {state, why, peer, lag, says, says_what, says_data} = '0;
            assign unused = ^{link_up, rx_valid, rx_vc, rx_data, rx_last, rx_poison, rx_abort,
                              tx_ready, tx_credit, tx_base, tx_rebase, serial, now, rank, up, why_p,
                              phy, phy_ready, phy_valid, phase_p, retrain, ev_up, tx_word, rx_word,
                              locked, lost};
        end
        if (LINK == 1 || LINK == 2) begin : g_reliable
            logic [P-1:0] tick;
            assign ev_tick = tick[0];
            assign unused  = ^{tick, link_up, rx_valid, rx_vc, rx_data, rx_last, rx_poison,
                               rx_abort, tx_ready, tx_credit, tx_base, tx_rebase};
        end
        if (LINK != 1) begin : g_no_words
            logic unused_words;
            assign {phy_tx_word, phase} = '0;
            assign unused_words = ^{phy_up, phy_tx_ready, phy_rx_valid, phy_rx_word, phy_rx_late};
        end
        if (LINK < 2) begin : g_no_cables
            logic unused_cables;
            assign {cable_tx_clk, cable_tx} = '0;
            assign unused_cables = ^{cable_rx_clk, cable_rx};
        end
        if (LINK != 2) begin : g_no_layers
            logic unused_layers;
            assign {phy_locked, phy_lost, phy_seen, phy_wires} = '0;
            if (LINK != 3)
                assign phy_stopped = '0;
            assign unused_layers = ^{bert, hold};
        end
        for (genvar p = 0; p < P; p++) begin : g_port
            if (LINK == 1) begin : g_end
                logic ev_up, anew, unused_up;
                logic [1:0] unused_slot;
                assign unused_up = ev_up ^ anew;
                ofr_link #(
                    .N(N), .W(W), .L(L), .C(C), .SHARED(SHARED), .SERIAL(SERIAL), .TICK(TICK),
                    .TIME(TIME)
                ) link_end (
                    .clk, .rst, .slot(unused_slot), .enable(1'b1), .serial, .now, .rank,
                    .link_up(to_link_up[p]),
                    .tx_valid(tx_valid[p]), .tx_ready(to_tx_ready[p]), .tx_vc(tx_vc[2*p +: 2]),
                    .tx_data(tx_data[W*p +: W]), .tx_last(tx_last[p]), .tx_poison(tx_poison[p]),
                    .tx_credit(to_tx_credit[12*p +: 12]), .tx_base(to_tx_base[12*p +: 12]),
                    .tx_rebase(to_tx_rebase[p]), .rx_valid(to_rx_valid[p]),
                    .rx_vc(to_rx_vc[2*p +: 2]), .rx_data(to_rx_data[W*p +: W]),
                    .rx_last(to_rx_last[p]), .rx_poison(to_rx_poison[p]),
                    .rx_abort(to_rx_abort[p]), .rx_credit(rx_credit[12*p +: 12]),
                    .rx_received(rx_received[12*p +: 12]), .phy_up(phy_up[p]),
                    .phy_tx_word(phy_tx_word[W*p +: W]), .phy_tx_ready(phy_tx_ready[p]),
                    .phy_rx_valid(phy_rx_valid[p]), .phy_rx_word(phy_rx_word[W*p +: W]),
                    .phy_rx_late(phy_rx_late[p]), .lag(lag[16*p +: 16]), .says(says[p]),
                    .says_what(says_what[3*p +: 3]), .says_data(says_data[16*p +: 16]),
                    .phase(phase[p]), .state(state[3*p +: 3]), .why(why[4*p +: 4]),
                    .anew, .peer(peer[64*p +: 64]), .ev_frame(ev_frame[p]), .ev_retry(ev_retry[p]),
                    .ev_bad(ev_bad[p]), .ev_up, .ev_down(ev_down[p]),
                    .ev_tick(g_reliable.tick[p])
                );
            end
            if (LINK == 2) begin : g_cabled
                localparam int COUNT = `OFR_LINKS_WIRES_ERRORS_BITS;
                logic                   ev_up, lost, retrain, up, ready, valid, late, phase_p;
                logic                   unused_phy;
                logic [2*WIRES-1:0]     eye;
                logic [4*WIRES-1:0]     place;
                logic [5*WIRES-1:0]     tap;
                logic [6*WIRES-1:0]     width;
                logic [COUNT*WIRES-1:0] errors;
                logic [W-1:0]           tx_word, rx_word;
                assign unused_phy = ^{ev_up, lost, retrain, up, ready, valid, late, phase_p,
                                      tx_word, rx_word, tap, width};
                for (genvar w = 0; w < WIRES; w++) begin : g_wire
                    assign phy_wires[16*(WIRES*p+w) +: 16] = {place[4*w +: 4], eye[2*w +: 2],
                                                              errors[COUNT*w +: COUNT]};
                end
                ofr_link_cabled #(
                    .N(N), .W(W), .L(L), .C(C), .SHARED(SHARED), .SERIAL(SERIAL), .TICK(TICK),
                    .TIME(TIME), .WIRES(WIRES), .COUNT(COUNT)
                ) link_end (
                    .clk, .rst, .enable(1'b1), .serial, .now, .rank, .link_up(to_link_up[p]),
                    .tx_valid(tx_valid[p]), .tx_ready(to_tx_ready[p]), .tx_vc(tx_vc[2*p +: 2]),
                    .tx_data(tx_data[W*p +: W]), .tx_last(tx_last[p]), .tx_poison(tx_poison[p]),
                    .tx_credit(to_tx_credit[12*p +: 12]), .tx_base(to_tx_base[12*p +: 12]),
                    .tx_rebase(to_tx_rebase[p]), .rx_valid(to_rx_valid[p]),
                    .rx_vc(to_rx_vc[2*p +: 2]), .rx_data(to_rx_data[W*p +: W]),
                    .rx_last(to_rx_last[p]), .rx_poison(to_rx_poison[p]),
                    .rx_abort(to_rx_abort[p]), .rx_credit(rx_credit[12*p +: 12]),
                    .rx_received(rx_received[12*p +: 12]), .bert(bert[p]), .hold,
                    .tune(5'(TUNE)), .phy_locked(phy_locked[p]),
                    .phy_stopped(phy_stopped[p]), .phy_lost(lost), .phy_has_lost(phy_lost[p]),
                    .eye, .place, .tap, .width, .errors, .seen(phy_seen[32*p +: 32]), .retrain,
                    .phy_up(up), .phy_tx_word(tx_word),
                    .phy_tx_ready(ready), .phy_rx_valid(valid), .phy_rx_word(rx_word),
                    .phy_rx_late(late), .lag(lag[16*p +: 16]), .says(says[p]),
                    .says_what(says_what[3*p +: 3]), .says_data(says_data[16*p +: 16]),
                    .cable_tx_clk(cable_tx_clk[p]), .cable_tx(cable_tx[WIRES*p +: WIRES]),
                    .cable_rx_clk(cable_rx_clk[p]), .cable_rx(cable_rx[WIRES*p +: WIRES]),
                    .phase(phase_p), .state(state[3*p +: 3]), .why(why[4*p +: 4]),
                    .peer(peer[64*p +: 64]), .ev_frame(ev_frame[p]), .ev_retry(ev_retry[p]),
                    .ev_bad(ev_bad[p]), .ev_up, .ev_down(ev_down[p]),
                    .ev_tick(g_reliable.tick[p])
                );
            end
        end
    endgenerate
endmodule

`default_nettype wire
