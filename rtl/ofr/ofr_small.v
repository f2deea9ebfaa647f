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
    input  wire logic        clk,
    input  wire logic        rst,
    input  wire logic [14:0] cfg_k,        // sizes, 1 to 16
    input  wire logic [11:0] cfg_me,       // this node
    input  wire logic        cfg_tie_both, // tie register

    input  wire logic        start,
    input  wire logic [11:0] t,
    input  wire logic [23:0] used, // slots in use of the adaptive VC, 4 bits a port
    output logic             hold, // keep the table as it is at the end of this cycle
    output logic             busy,
    output logic             done,
    output logic [1:0]       kind, // 0 minimal, 1 OIDN, 2 WIDN
    output logic [11:0]      q,

    output logic [2:0]       set, // table look-up
    output logic [2:0]       index,
    input  wire logic [6:0]  entry,
    input  wire logic [3:0]  delta,
    input  wire logic [7:0]  eta,
    input  wire logic        rule_a,
    input  wire logic        rule_b,
    input  wire logic        oidn,
    input  wire logic [7:0]  widn
);
    localparam int BIAS = 6; // of ofr_logs, in its units
    localparam int WL   = 34; // bits of a sum of logarithms: 28 of fraction, below 2^5, sign
    // log2(960), and what the first sum has too little: BIAS, log2(2) too much.
    localparam logic [WL-1:0] K_START = 34'h08e829fb7 + WL'(BIAS);

    // ---- cycles ---------------------------------------------------------------------------------
    reg [1:0] phase_q, phase1_q; // 0 to 2; a cycle later
    reg [4:0] group_q;
    wire wrap  = phase_q == 2'd2;
    wire over  = busy && group_q == 5'd20 && phase_q == 2'd0;
    wire load  = group_q == 5'd0;  // the way to t
    wire least = group_q[4:1] == 4'd0;
    wire first = group_q == 5'd3;  // the minimal route is judged
    wire final_pass = group_q == 5'd19; // the best one passes for its IDN
    assign hold = start || (busy && !over);

    reg [11:0] t_q;
    reg [23:0] used_q;
    always_ff @(posedge clk) begin
        done     <= over;
        phase1_q <= phase_q;
        phase_q  <= wrap ? 2'd0 : phase_q + 2'd1;
        if (wrap)
            group_q <= group_q + 5'd1;
        if (over)
            busy <= 1'b0;
        if (start) begin
            busy    <= 1'b1;
            phase_q <= 2'd0;
            group_q <= 5'd0;
            t_q     <= t;
            used_q  <= used;
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
    assign index = group_q[2:0] - 3'd1;
    reg  [6:0] entry_q;
    wire       table_now = group_q < 5'd10;
    wire       try_it    = table_now ? oidn && entry_q[6] : widn[index];
    wire       direct    = group_q == 5'd1 || (final_pass && kind == 2'd0); // q = t
    reg  [5:0] codes1_q, codes2_q, best_codes_q;
    wire [5:0] codes     = final_pass ? best_codes_q : table_now ? entry_q[5:0] :
                           {index[2], 1'b0, index[1], 1'b0, index[0], 1'b0};
    always_ff @(posedge clk)
        if (wrap) begin
            entry_q  <= entry;
            codes1_q <= codes;
            codes2_q <= codes1_q;
        end

    // ---- front: the difference of the coordinates s and q, q and t in dimension `phase_q` -------
    wire [4:0]  k      = phase_q[1] ? cfg_k[14:10] : phase_q[0] ? cfg_k[9:5] : cfg_k[4:0];
    wire [3:0]  s      = phase_q[1] ? cfg_me[11:8] : phase_q[0] ? cfg_me[7:4] : cfg_me[3:0];
    wire [3:0]  there  = phase_q[1] ? t_q[11:8] : phase_q[0] ? t_q[7:4] : t_q[3:0];
    wire [1:0]  code   = phase_q[1] ? codes[5:4] : phase_q[0] ? codes[3:2] : codes[1:0];
    wire [3:0]  step;
    /* verilator lint_off PINCONNECTEMPTY */
    ofr_clamp clamp (.k, .delta, .step, .halve());
    /* verilator lint_on PINCONNECTEMPTY */

    // The ways to t go round, one dimension a cycle: at `phase_q` in ring1_q, then in ring0_q.
    // {no minus port, k <= 2, see 15:4 of ofr_ways}
    reg  [13:0] ring0_q, ring1_q, ring2_q;
    wire [4:0]  go    = ring1_q[6:2];
    wire [3:0]  astern = ring1_q[10:7];
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
    wire [1:0] mu   = ring0_q[1:0];
    reg        load_q, least_q, drop_q, try_q;
    always_ff @(posedge clk) begin
        load_q  <= load;
        least_q <= least && busy;
        drop_q  <= (side && ring1_q[11]) || (code == 2'd2 && !direct && ring1_q[12]);
        try_q   <= group_q[4:1] != 4'd0 && try_it && !start;
        ring0_q <= ring1_q;
        ring1_q <= ring2_q;
        ring2_q <= load_q ? {way_a[17], !(way_a[17] && way_a[16]), way_a[15:6], mu_a} : ring0_q;
    end

    wire [7:0] pair = phase1_q[1] ? used_q[23:16] : phase1_q[0] ? used_q[15:8] : used_q[7:0];
    // u*: the ports + in group 0, - in group 1.
    reg  [3:0] u_q;
    wire [3:0] one  = load_q ? pair[3:0] : pair[7:4];
    wire       zero = u_q == 4'd0;
    always_ff @(posedge clk) begin
        if (least_q && (load_q ? way_a[16] : ring0_q[13]) && one < u_q)
            u_q <= one;
        if (start)
            u_q <= 4'd15;
    end

    // Whatever is summed starts from 0 again where its last addend is taken.
    reg  [5:0] acc_d_q, acc_s_q;
    reg  [2:0] acc_m_q;
    reg        acc_room_q, acc_nu_s_q, acc_nu_t_q, acc_drop_q;
    wire [4:0] hops     = {1'b0, way_a[3:0]} + {1'b0, way_b[3:0]};
    wire [4:0] two_used = {1'b0, pair[3:0] & {4{mu_a[0]}}} + {1'b0, pair[7:4] & {4{mu_a[1]}}};
    wire [5:0] sum_d    = acc_d_q + {1'b0, hops};
    wire [5:0] sum_s    = acc_s_q + {1'b0, two_used};
    wire [2:0] sum_m    = acc_m_q + {1'b0, &mu_a, ^mu_a};
    wire       room     = acc_room_q || (mu_a[0] && pair[3:0] < 4'(C)) ||
                          (mu_a[1] && pair[7:4] < 4'(C));
    wire       nu_s     = acc_nu_s_q || |(mu_a & ~mu);
    wire       nu_t     = acc_nu_t_q || |(mu_b & ~mu);
    wire       drop     = acc_drop_q || drop_q;
    wire       none     = rule_a && !room; // profit 0
    wire       ends     = phase_q == 2'd0;
    reg  [5:0] d1_q, s1_q;
    reg  [2:0] m1_q;
    reg        ok1_q, none1_q, far_q;
    always_ff @(posedge clk) begin
        acc_d_q    <= sum_d;
        acc_s_q    <= sum_s;
        acc_m_q    <= sum_m;
        acc_room_q <= room;
        acc_nu_s_q <= nu_s;
        acc_nu_t_q <= nu_t;
        acc_drop_q <= drop;
        if (ends) begin
            acc_d_q    <= 6'd0;
            acc_s_q    <= 6'd0;
            acc_m_q    <= 3'd0;
            acc_room_q <= 1'b0;
            acc_nu_s_q <= 1'b0;
            acc_nu_t_q <= 1'b0;
            acc_drop_q <= 1'b0;
            d1_q       <= sum_d;
            s1_q       <= sum_s;
            m1_q       <= sum_m;
            none1_q    <= none;
            ok1_q      <= far_q && try_q && !none && !drop && nu_s && nu_t;
            if (group_q == 5'd2)
                far_q <= sum_d > 6'd1;
        end
        if (start)
            ok1_q <= 1'b0;
    end

    // ---- compare --------------------------------------------------------------------------------
    wire [8:0] w1;
    ofr_means means (.clk, .m(m1_q), .used(s1_q), .zero, .rule_b, .mean(w1));
    reg  [5:0] d2_q, best_d_q;
    reg  [8:0] w2_q, best_w_q;
    reg  [9:0] p_q;    // w2 - w1
    reg  [6:0] gain_q; // D2 - D1
    reg        ok2_q, none2_q, best_none_q, no_eta_q;

    // Looked up in phase 2: D1, w1; 0: D2, w2; 1: P, Q. While the minimal route is judged: -, -;
    // 0, E; u*, -d. So the sum goes over phases 0, 1, 2, or 1 and 2 then.
    wire [9:0] at_a = phase_q == 2'd2 ? {4'd0, d1_q} : phase_q == 2'd0 ? {4'd0, best_d_q} :
                      first ? {6'd0, u_q} : p_q;
    wire [9:0] at_b = phase_q == 2'd2 ? {1'b0, w1} : phase_q == 2'd1 ? {{3{gain_q[6]}}, gain_q} :
                      first ? {2'd0, eta} : {1'b0, best_w_q};
    wire [32:0] log_a, log_b;
    ofr_logs #(.BIAS(BIAS)) logs (.clk, .at_a, .at_b, .a(log_a), .b(log_b));

    reg  [WL-1:0] acc_q, konst_q;
    wire [WL-1:0] less = {2'd0, log_a[31:0]} - {2'd0, log_b[31:0]};
    wire [WL-1:0] sum  = (phase_q == 2'd0 || (phase_q == 2'd1 && first) ? konst_q : acc_q) + less;

    // The second term is 0 for all where E is; the first one where u* is and rule b does not help.
    wire p_more  = !p_q[9] && !log_a[32];
    wire q_more  = !gain_q[6] && !log_b[32] && !no_eta_q;
    wire q_less  = gain_q[6] && !no_eta_q;
    wire some    = !no_eta_q || !zero || !w2_q[6];
    wire better  = best_none_q ? some :
                   p_more ? !(q_less && sum[WL-1]) : q_more && (!p_q[9] || sum[WL-1]);
    wire replace = busy && wrap && (first || (ok2_q && better));
    always_ff @(posedge clk) begin
        acc_q <= sum;
        if (ends) begin
            d2_q    <= d1_q;
            w2_q    <= w1;
            ok2_q   <= ok1_q;
            none2_q <= none1_q;
            p_q     <= {1'b0, best_w_q} - {1'b0, w1};
            gain_q  <= {1'b0, best_d_q} - {1'b0, d1_q};
        end
        if (first && phase_q == 2'd1)
            no_eta_q <= log_b[32];
        if (first && wrap)
            konst_q <= sum;
        if (replace) begin
            best_d_q     <= d2_q;
            best_w_q     <= w2_q;
            best_none_q  <= none2_q;
            best_codes_q <= codes2_q;
            kind         <= first ? 2'd0 : group_q < 5'd12 ? 2'd1 : 2'd2;
        end
        if (start) begin
            ok2_q    <= 1'b0;
            best_d_q <= 6'd0;
            konst_q  <= K_START;
        end
    end

    // ---- the IDN --------------------------------------------------------------------------------
    // s + o, then one k down or up; the bit below makes the carry.
    reg  [5:0]  v_q; // s + o
    reg  [4:0]  k_q;
    /* verilator lint_off UNUSEDSIGNAL */
    wire [6:0]  other = {v_q, !v_q[5]} + {{1'b0, k_q} ^ {6{!v_q[5]}}, !v_q[5]};
    /* verilator lint_on UNUSEDSIGNAL */
    always_ff @(posedge clk) begin
        v_q <= {2'd0, s} + {o[4], o};
        k_q <= k;
        for (int i = 0; i < 3; i++)
            if (busy && phase1_q == 2'(i))
                q[4*i+:4] <= v_q[5] || !other[6] ? other[4:1] : v_q[3:0];
    end
endmodule

`default_nettype wire
