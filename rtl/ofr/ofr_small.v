// SPDX-License-Identifier: Apache-2.0
// The decision without multipliers for N = 3: a candidate in three cycles, one dimension a cycle.
//
//   front    the ways s -> q and q -> t in one dimension (ofr_ways), links and lengths summed up
//   compare  with the best so far, by logarithms (ofr_logs)
//
// With w = 60 S / m the profit (decide.h) is 60 u* / w + (E d / 16) / D, so candidate 1 is better
// than candidate 2 where
//     960 u* (w2 - w1) D1 D2  +  E d (D2 - D1) w1 w2  >  0,
// which is clear from the signs of P = w2 - w1 and Q = D2 - D1, or else from the sign of
//     log 960 + log u* + log |P| + log D1 + log D2 - log E - log d - log |Q| - log w1 - log w2.
// That is exact: divided by what is common, the lesser of the two products is at most 16 * 576 *
// 47 * 48 (u* m1 S2 - u* m2 S1 <= 576), so that two which differ do so by more than 2^-23.9 in
// log2, 17 units; ten rounded terms are off by 5 together. ofr_logs adds BIAS to |P| or |Q| where
// it is negative, so that equal products, too, are on the side of "not better".
//
// Group g is cycles 3 g + 1 to 3 g + 3 after `start`. Group 0 finds the way to t and u*, group 1
// passes the minimal route, OIDN j is group 2 + j, WIDN beta is group 9 + beta. Candidate g's ways
// come out of their block RAM a cycle later, the last one, and so the sums, in group g + 1, phase
// 0; it is judged in group g + 2, phase 2.
`default_nettype none

module ofr_small #(
    parameter int C = 8 // slots per VC, 1 to 8
) (
    input  wire           clk,
    input  wire           rst,
    input  wire [14:0]    cfg_k,        // sizes, 1 to 16
    input  wire [11:0]    cfg_me,       // this node
    input  wire           cfg_tie_both, // tie register

    input  wire           start,
    input  wire [11:0]    t,
    input  wire [23:0]    used, // slots in use of the adaptive VC, 4 bits a port
    output wire           hold, // keep the table as it is at the end of this cycle
    output reg            busy,
    output reg            done,
    output reg  [1:0]     kind, // 0 minimal, 1 OIDN, 2 WIDN
    output reg  [11:0]    q,

    output wire [2:0]     set, // table look-up
    output wire [2:0]     index,
    input  wire [6:0]     entry,
    input  wire [3:0]     delta,
    input  wire [7:0]     eta,
    input  wire           rule_a,
    input  wire           rule_b,
    input  wire           oidn,
    input  wire [7:0]     widn
);
    localparam int BIAS = 6; // of ofr_logs, in its units
    localparam int WL   = 34; // bits of a sum of logarithms: 28 of fraction, below 2^5, sign
    // log2(960), and what the first sum has too little: BIAS, log2(2) too much.
    localparam logic [WL-1:0] K_START = 34'h08e829fb7 + WL'(BIAS);

    // ---- cycles ---------------------------------------------------------------------------------
    reg [1:0] phase, phase_q; // 0 to 2; a cycle later
    reg [4:0] group;
    wire wrap  = phase == 2'd2;
    wire over  = busy && group == 5'd20 && phase == 2'd0;
    wire load  = group == 5'd0;  // the way to t
    wire least = group[4:1] == 4'd0;
    wire first = group == 5'd3;  // the minimal route is judged
    wire final_pass = group == 5'd19; // the best one passes for its IDN
    assign hold = start || (busy && !over);

    reg [11:0] t_q;
    reg [23:0] used_q;
    always_ff @(posedge clk) begin
        done    <= over;
        phase_q <= phase;
        phase   <= wrap ? 2'd0 : phase + 2'd1;
        if (wrap)
            group <= group + 5'd1;
        if (over)
            busy <= 1'b0;
        if (start) begin
            busy   <= 1'b1;
            phase  <= 2'd0;
            group  <= 5'd0;
            t_q    <= t;
            used_q <= used;
        end
        if (rst) begin
            busy <= 1'b0;
            done <= 1'b0;
        end
    end

    // ---- codes ----------------------------------------------------------------------------------
    // Entry j is read in the group before its own.
    for (genvar i = 0; i < 3; i++) begin : equal
        assign set[i] = t_q[4*i+:4] == cfg_me[4*i+:4];
    end
    assign index = group[2:0] - 3'd1;
    reg  [6:0] entry_q;
    wire       table_now = group < 5'd10;
    wire       try_it    = table_now ? oidn && entry_q[6] : widn[index];
    wire       direct    = group == 5'd1 || (final_pass && kind == 2'd0); // q = t
    reg  [5:0] codes1_q, codes2_q, best_codes;
    wire [5:0] codes     = final_pass ? best_codes : table_now ? entry_q[5:0] :
                           {index[2], 1'b0, index[1], 1'b0, index[0], 1'b0};
    always_ff @(posedge clk)
        if (wrap) begin
            entry_q  <= entry;
            codes1_q <= codes;
            codes2_q <= codes1_q;
        end

    // ---- front: the difference of the coordinates s and q, q and t in dimension `phase` ---------
    wire [4:0]  k      = phase[1] ? cfg_k[14:10] : phase[0] ? cfg_k[9:5] : cfg_k[4:0];
    wire [3:0]  s      = phase[1] ? cfg_me[11:8] : phase[0] ? cfg_me[7:4] : cfg_me[3:0];
    wire [3:0]  there  = phase[1] ? t_q[11:8] : phase[0] ? t_q[7:4] : t_q[3:0];
    wire [1:0]  code   = phase[1] ? codes[5:4] : phase[0] ? codes[3:2] : codes[1:0];
    wire [3:0]  step;
    /* verilator lint_off PINCONNECTEMPTY */
    ofr_clamp clamp (.k, .delta, .step, .halve());
    /* verilator lint_on PINCONNECTEMPTY */

    // The ways to t go round, one dimension a cycle: at `phase` in ring1, a cycle later in ring0.
    // {no minus port, k <= 2, see 15:4 of ofr_ways}
    reg  [13:0] ring0, ring1, ring2;
    wire [4:0]  go    = ring1[6:2];
    wire [3:0]  astern = ring1[10:7];
    wire        side  = code[0] && !direct;
    wire        minus = go[4] ^ code[1];
    reg  [4:0]  base;
    always_comb
        case ({code[1], code[0] || direct})
            2'd0:    base = {go[4], go[4:1]}; // MID: floor(g d / 2)
            2'd1:    base = go;               // UP: g (d + step); q = t: g d
            2'd2:    base = {1'b0, astern};   // WRAP
            default: base = direct ? go : 5'd0; // DOWN: -g step
        endcase
    // The bit below makes the carry.
    /* verilator lint_off UNUSEDSIGNAL */
    wire [5:0]  o_sum = {base, side} + {{5{side}} & ({1'b0, step} ^ {5{minus}}), minus};
    /* verilator lint_on UNUSEDSIGNAL */
    wire [4:0]  o     = o_sum[5:1];
    wire [4:0]  o2    = go - o;
    wire [4:0]  diff  = {1'b0, there} - {1'b0, s};
    wire [17:0] way_a;
    wire [5:0]  way_b;
    ofr_ways ways (.clk, .at_a({s[0], k[3:0], load ? diff : o}),
                   .at_b({s[0] ^ o[0], k[3:0], o2}), .a(way_a), .b(way_b));

    // ---- front, a cycle later: links and lengths ------------------------------------------------
    // Minimal directions, bit 0 +, bit 1 -.
    wire [1:0] mu_a = {way_a[5] && (cfg_tie_both || !way_a[4]), way_a[4]};
    wire [1:0] mu_b = {way_b[5] && (cfg_tie_both || !way_b[4]), way_b[4]};
    wire [1:0] mu   = ring0[1:0];
    reg        load_q, least_q, drop_q, try_q;
    always_ff @(posedge clk) begin
        load_q  <= load;
        least_q <= least && busy;
        drop_q  <= (side && ring1[11]) || (code == 2'd2 && !direct && ring1[12]);
        try_q   <= group[4:1] != 4'd0 && try_it && !start;
        ring0   <= ring1;
        ring1   <= ring2;
        ring2   <= load_q ? {way_a[17], !(way_a[17] && way_a[16]), way_a[15:6], mu_a} : ring0;
    end

    wire [7:0] pair = phase_q[1] ? used_q[23:16] : phase_q[0] ? used_q[15:8] : used_q[7:0];
    // u*: the ports + in group 0, - in group 1.
    reg  [3:0] u_q;
    wire [3:0] one  = load_q ? pair[3:0] : pair[7:4];
    wire       zero = u_q == 4'd0;
    always_ff @(posedge clk) begin
        if (least_q && (load_q ? way_a[16] : ring0[13]) && one < u_q)
            u_q <= one;
        if (start)
            u_q <= 4'd15;
    end

    // Whatever is summed starts from 0 again where its last addend is taken.
    reg  [5:0] acc_d, acc_s;
    reg  [2:0] acc_m;
    reg        acc_room, acc_nu_s, acc_nu_t, acc_drop;
    wire [4:0] hops     = {1'b0, way_a[3:0]} + {1'b0, way_b[3:0]};
    wire [4:0] two_used = {1'b0, pair[3:0] & {4{mu_a[0]}}} + {1'b0, pair[7:4] & {4{mu_a[1]}}};
    wire [5:0] sum_d    = acc_d + {1'b0, hops};
    wire [5:0] sum_s    = acc_s + {1'b0, two_used};
    wire [2:0] sum_m    = acc_m + {1'b0, &mu_a, ^mu_a};
    wire       room     = acc_room || (mu_a[0] && pair[3:0] < 4'(C)) ||
                          (mu_a[1] && pair[7:4] < 4'(C));
    wire       nu_s     = acc_nu_s || |(mu_a & ~mu);
    wire       nu_t     = acc_nu_t || |(mu_b & ~mu);
    wire       drop     = acc_drop || drop_q;
    wire       none     = rule_a && !room; // profit 0
    wire       ends     = phase == 2'd0;
    reg  [5:0] d1, s1;
    reg  [2:0] m1;
    reg        ok1, none1, far;
    always_ff @(posedge clk) begin
        acc_d    <= sum_d;
        acc_s    <= sum_s;
        acc_m    <= sum_m;
        acc_room <= room;
        acc_nu_s <= nu_s;
        acc_nu_t <= nu_t;
        acc_drop <= drop;
        if (ends) begin
            acc_d    <= 6'd0;
            acc_s    <= 6'd0;
            acc_m    <= 3'd0;
            acc_room <= 1'b0;
            acc_nu_s <= 1'b0;
            acc_nu_t <= 1'b0;
            acc_drop <= 1'b0;
            d1       <= sum_d;
            s1       <= sum_s;
            m1       <= sum_m;
            none1    <= none;
            ok1      <= far && try_q && !none && !drop && nu_s && nu_t;
            if (group == 5'd2)
                far <= sum_d > 6'd1;
        end
        if (start)
            ok1 <= 1'b0;
    end

    // ---- compare --------------------------------------------------------------------------------
    wire [8:0] w1;
    ofr_means means (.clk, .m(m1), .used(s1), .zero, .rule_b, .mean(w1));
    reg  [5:0] d1_q, best_d;
    reg  [8:0] w1_q, best_w;
    reg  [9:0] p;    // w2 - w1
    reg  [6:0] gain; // D2 - D1
    reg        ok1_q, none1_q, best_none, no_eta;

    // Looked up in phase 2: D1, w1; 0: D2, w2; 1: P, Q. While the minimal route is judged: -, -;
    // 0, E; u*, -d. So the sum goes over phases 0, 1, 2, or 1 and 2 then.
    wire [9:0] at_a = phase == 2'd2 ? {4'd0, d1} : phase == 2'd0 ? {4'd0, best_d} :
                      first ? {6'd0, u_q} : p;
    wire [9:0] at_b = phase == 2'd2 ? {1'b0, w1} : phase == 2'd1 ? {{3{gain[6]}}, gain} :
                      first ? {2'd0, eta} : {1'b0, best_w};
    wire [32:0] log_a, log_b;
    ofr_logs #(.BIAS(BIAS)) logs (.clk, .at_a, .at_b, .a(log_a), .b(log_b));

    reg  [WL-1:0] acc, konst;
    wire [WL-1:0] less = {2'd0, log_a[31:0]} - {2'd0, log_b[31:0]};
    wire [WL-1:0] sum  = (phase == 2'd0 || (phase == 2'd1 && first) ? konst : acc) + less;

    // The second term is 0 for all where E is; the first one where u* is and rule b does not help.
    wire more_p  = !p[9] && !log_a[32];
    wire more_q  = !gain[6] && !log_b[32] && !no_eta;
    wire less_q  = gain[6] && !no_eta;
    wire some    = !no_eta || !zero || !w1_q[6];
    wire better  = best_none ? some :
                   more_p ? !(less_q && sum[WL-1]) : more_q && (!p[9] || sum[WL-1]);
    wire replace = busy && wrap && (first || (ok1_q && better));
    always_ff @(posedge clk) begin
        acc <= sum;
        if (ends) begin
            d1_q    <= d1;
            w1_q    <= w1;
            ok1_q   <= ok1;
            none1_q <= none1;
            p       <= {1'b0, best_w} - {1'b0, w1};
            gain    <= {1'b0, best_d} - {1'b0, d1};
        end
        if (first && phase == 2'd1)
            no_eta <= log_b[32];
        if (first && wrap)
            konst <= sum;
        if (replace) begin
            best_d     <= d1_q;
            best_w     <= w1_q;
            best_none  <= none1_q;
            best_codes <= codes2_q;
            kind       <= first ? 2'd0 : group < 5'd12 ? 2'd1 : 2'd2;
        end
        if (start) begin
            ok1_q  <= 1'b0;
            best_d <= 6'd0;
            konst  <= K_START;
        end
    end

    // ---- the IDN --------------------------------------------------------------------------------
    // s + o, then one k down or up; the bit below makes the carry.
    reg  [5:0]  v; // s + o
    reg  [4:0]  k_q;
    /* verilator lint_off UNUSEDSIGNAL */
    wire [6:0]  other = {v, !v[5]} + {{1'b0, k_q} ^ {6{!v[5]}}, !v[5]};
    /* verilator lint_on UNUSEDSIGNAL */
    always_ff @(posedge clk) begin
        v   <= {2'd0, s} + {o[4], o};
        k_q <= k;
        for (int i = 0; i < 3; i++)
            if (busy && phase_q == 2'(i))
                q[4*i+:4] <= v[5] || !other[6] ? other[4:1] : v[3:0];
    end
endmodule

`default_nettype wire
