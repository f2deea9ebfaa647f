// SPDX-License-Identifier: Apache-2.0
// The decision without multipliers for N = 2: a candidate in four cycles. As ofr_small, whose
// header explains the comparison, but for block RAMs of one port: one way, one logarithm a cycle.
//
// Here w = 12 S / m, and log 192 is in the place of log 960. The lesser product is at most 16 *
// 64 * 31 * 32 for C up to 4 (u* m1 S2 - u* m2 S1 <= 64), 16 * 256 * 31 * 32 for C up to 8, so that
// two which differ do so by more than 11 units of 2^-F in log2.
//
// Group g is cycles 4 g + 1 to 4 g + 4 after `start`: phases 0, 1 are the ways s -> q, q -> t in
// dimension 0, phases 2, 3 in dimension 1. Group 0 finds the way to t and u*, group 1 passes the
// minimal route, OIDN j is group 2 + j, WIDN beta is group 9 + beta. Candidate g's sums are there
// in group g + 1, phase 0; D1, w1, P and Q are looked up from phase 2 on; it is judged in group g +
// 2, phase 2. What group 0 would look up finds the constant.
`default_nettype none

module ofr_slim #(
    parameter int C = 4 // slots per VC, 1 to 8
) (
    input  wire logic        clk,
    input  wire logic        rst,
    input  wire logic [9:0]  cfg_k,        // sizes, 1 to 16
    input  wire logic [7:0]  cfg_me,       // this node
    input  wire logic        cfg_tie_both, // tie register

    input  wire logic        start,
    input  wire logic [7:0]  t,
    input  wire logic [15:0] used, // slots in use of the adaptive VC, 4 bits a port
    output logic             hold, // keep the table as it is at the end of this cycle
    output logic             busy,
    output logic             done,
    output logic [1:0]       kind, // 0 minimal, 1 OIDN, 2 WIDN
    output logic [7:0]       q,    // t while deciding

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
    localparam int BIAS = 6;              // of ofr_logs
    localparam int F    = C > 4 ? 25 : 23; // bits of fraction
    localparam int A    = C > 4 ? 8 : 7;  // bits of P
    localparam int WL   = F + 6;          // a sum of logarithms
    // log2(192), less 1 for log2(2), and BIAS, which comes with d.
    localparam logic [WL-1:0] K_START = (C > 4 ? WL'(32'h0d2b8034) : WL'(32'h034ae00d)) + WL'(BIAS);

    // ---- cycles ---------------------------------------------------------------------------------
    reg [1:0] phase_q;
    reg [3:0] group_q;
    wire wrap = phase_q == 2'd3;
    wire over = busy && group_q == 4'd15 && phase_q == 2'd1;
    wire load = group_q == 4'd0;
    // What is looked up is for the constant.
    wire first = (group_q == 4'd1 && phase_q[1]) || (group_q == 4'd2 && !phase_q[1]);
    wire final_pass = group_q[3:1] == 3'd7;
    wire judge = phase_q == 2'd2;
    assign hold = start || (busy && !over);
    reg  [15:0] used_q; // the port that is due is lowest
    always_ff @(posedge clk) begin
        done    <= over;
        phase_q <= phase_q + 2'd1;
        used_q  <= {used_q[3:0], used_q[15:4]};
        if (wrap)
            group_q <= group_q + 4'd1;
        if (over)
            busy <= 1'b0;
        if (start) begin
            busy    <= 1'b1;
            phase_q <= 2'd0;
            group_q <= 4'd0;
            used_q  <= {used[11:0], used[15:12]};
        end
        if (rst) begin
            busy <= 1'b0;
            done <= 1'b0;
        end
    end

    // ---- codes ----------------------------------------------------------------------------------
    // Entry j is read in the group before its own.
    reg  [1:0] equal_q;
    assign set   = {1'b0, equal_q};
    assign index = group_q[2:0] - 3'd1;
    reg  [4:0] entry_q;
    wire       table_now = group_q < 4'd10;
    wire       try_it    = table_now ? oidn && entry_q[4] : widn[{1'b0, index[1:0]}];
    wire       direct    = group_q == 4'd1; // q = t
    reg  [3:0] codes1_q, codes2_q, best_codes_q;
    wire [3:0] codes     = final_pass ? best_codes_q : table_now ? entry_q[3:0] :
                           {index[1], 1'b0, index[0], 1'b0};
    always_ff @(posedge clk)
        if (wrap) begin
            entry_q  <= {entry[6], entry[3:0]};
            codes1_q <= codes;
            codes2_q <= codes1_q;
        end

    // ---- front: a difference of coordinates -----------------------------------------------------
    wire [4:0] k      = phase_q[1] ? cfg_k[9:5] : cfg_k[4:0];
    wire [3:0] s      = phase_q[1] ? cfg_me[7:4] : cfg_me[3:0];
    wire [3:0] there  = phase_q[1] ? q[7:4] : q[3:0];
    wire [1:0] code   = phase_q[1] ? codes[3:2] : codes[1:0];
    wire       second = phase_q[0] && !final_pass;
    wire       short  = k[4:2] == 3'd0 && k[1:0] != 2'd3; // k <= 2
    wire [3:0] step;
    /* verilator lint_off PINCONNECTEMPTY */
    ofr_clamp clamp (.k, .delta, .step, .halve());
    /* verilator lint_on PINCONNECTEMPTY */

    // The way to t in the dimension of `phase_q`, {minimal directions, g d}, and the other one.
    reg  [6:0] to_t_q, to_t_other_q;
    wire [4:0] go    = to_t_q[4:0];
    wire       side  = code[0] && !direct;
    wire       half  = !code[0] && !direct;
    // UP: g (d + step), then -g step; DOWN the other way round; MID: half of g d, down, then up;
    // WRAP: half of g d + k; q = t: g d, then 0. (k more or less do not count.)
    wire       back  = direct ? second : side && (code[1] ^ second);
    wire       minus = go[4] ^ back;
    wire [4:0] from  = back ? 5'd0 : go;
    wire [4:0] more  = side ? {1'b0, step} ^ {5{minus}} : code[1] && half ? k : 5'd0;
    /* verilator lint_off UNUSEDSIGNAL */
    wire [6:0] sum_o = {from[4], from, 1'b1} +
                       {more[4] && side, more, side ? minus : half && second};
    /* verilator lint_on UNUSEDSIGNAL */
    wire [4:0] o     = half ? sum_o[6:2] : sum_o[5:1];
    wire [4:0] diff  = {1'b0, there} - {1'b0, s};
    wire [7:0] way;
    ofr_slim_ways ways (.clk, .at({k[3:0], load ? diff & {5{!phase_q[0]}} : o}), .way);

    // ---- front, a cycle later: links and lengths ------------------------------------------------
    reg        load_q, drop_q, try_q, two_q, odd_q, exists_q, o_odd_q;
    reg  [1:0] mu_q;
    // Minimal directions, bit 0 +, bit 1 -; where k = 2 the port that has the link.
    wire [1:0] to = {two_q ? way[5] && odd_q : way[6] && (cfg_tie_both || !way[5]),
                     way[5] && !(two_q && odd_q)};
    always_ff @(posedge clk) begin
        load_q   <= load && busy;
        try_q    <= group_q[3:1] != 3'd0 && try_it && !start;
        drop_q   <= (side && short && (k[0] || to_t_q[6:5] != 2'd0)) || (code[1] && half && short);
        two_q    <= short;
        odd_q    <= s[0] ^ (phase_q[0] && o_odd_q);
        o_odd_q  <= o[0];
        exists_q <= !short || (k[1] && s[0] == phase_q[0]);
        mu_q     <= to_t_q[6:5];
        if (phase_q[0]) begin
            to_t_q       <= to_t_other_q;
            to_t_other_q <= load_q ? {to, way[4:1] | {4{to[1] && two_q}}, way[0]} : to_t_q;
        end
        if (load_q && phase_q == 2'd1)
            equal_q[0] <= to == 2'd0;
        if (load_q && phase_q == 2'd3)
            equal_q[1] <= to == 2'd0;
    end

    // u*.
    reg  [3:0] u_q;
    wire [3:0] one  = used_q[3:0];
    wire       zero = u_q == 4'd0;
    always_ff @(posedge clk) begin
        if (load_q && exists_q && one < u_q)
            u_q <= one;
        if (start)
            u_q <= 4'd15;
    end

    // Whatever is summed starts from 0 again where its last addend is taken. The link - of a way
    // from s counts in the cycle after the link +.
    reg  [5:0] acc_d_q, acc_s_q;
    reg  [2:0] acc_m_q;
    reg        acc_room_q, acc_nu_s_q, acc_nu_t_q, acc_drop_q, to_minus_q;
    wire       arrive = !phase_q[0];
    wire       link   = arrive ? to_minus_q : to[0];
    wire       is_nu  = |(to & ~mu_q);
    /* verilator lint_off UNUSEDSIGNAL */
    wire [6:0] next_d = {acc_d_q, 1'b1} + {1'b0, way[4:0] ^ {5{way[4]}}, way[4]};
    /* verilator lint_on UNUSEDSIGNAL */
    wire [5:0] sum_d  = next_d[6:1];
    wire [5:0] sum_s  = acc_s_q + {2'd0, one & {4{link}}};
    wire [2:0] sum_m  = acc_m_q + {2'd0, link};
    wire       room   = acc_room_q || (link && one < 4'(C));
    wire       nu_s   = acc_nu_s_q || (!arrive && is_nu);
    wire       nu_t   = acc_nu_t_q || (arrive && is_nu);
    wire       drop   = acc_drop_q || drop_q;
    wire       none   = rule_a && !room; // profit 0
    wire       ends   = phase_q == 2'd0;
    // w: 3 S, for m = 3 4 S; shifted twice for m = 1, once for m = 2. For u* = 0 see ofr_means.
    wire [5:0] s_one  = !zero ? sum_s : rule_b || sum_s == 6'd0 ? 6'd1 : 6'd2;
    wire [5:0] s_else = sum_m == 3'd3 && !zero ? {s_one[4:0], 1'b0} : s_one;
    wire [6:0] s_more = {s_one, 1'b0} + {1'b0, s_else};
    reg  [5:0] d1_q;
    reg  [6:0] w1_q;
    reg  [1:0] shifts_q;
    reg        ok1_q, none1_q, far_q;
    always_ff @(posedge clk) begin
        to_minus_q <= to[1];
        acc_d_q    <= sum_d;
        acc_s_q    <= sum_s;
        acc_m_q    <= sum_m;
        acc_room_q <= room;
        acc_nu_s_q <= nu_s;
        acc_nu_t_q <= nu_t;
        acc_drop_q <= drop;
        shifts_q   <= {1'b0, shifts_q[1]};
        if (shifts_q[0])
            w1_q <= {w1_q[5:0], 1'b0};
        if (ends) begin
            acc_d_q    <= 6'd0;
            acc_s_q    <= 6'd0;
            acc_m_q    <= 3'd0;
            acc_room_q <= 1'b0;
            acc_nu_s_q <= 1'b0;
            acc_nu_t_q <= 1'b0;
            acc_drop_q <= 1'b0;
            d1_q       <= sum_d;
            w1_q       <= s_more;
            shifts_q   <= {zero || sum_m == 3'd1, zero || sum_m == 3'd1 || sum_m == 3'd2};
            none1_q    <= none;
            ok1_q      <= far_q && try_q && !none && !drop && nu_s && nu_t;
            if (group_q == 4'd1)
                far_q <= sum_d > 6'd1;
        end
        if (start)
            ok1_q <= 1'b0;
    end

    // ---- compare --------------------------------------------------------------------------------
    reg  [5:0]   d2_q, best_d_q;
    reg  [6:0]   w2_q, best_w_q;
    reg  [A-1:0] p_q;    // w2 - w1
    reg  [6:0]   gain_q; // D2 - D1
    reg          ok2_q, none2_q, best_none_q, no_eta_q, same_p_q;

    // Looked up in phases 2, 3, 0, 1: D1, w1, P, Q; for the constant: 0, E, u*, -d. E is odd or
    // half of it is, or a quarter of it is short enough: the constant takes 1 or 2 less for it.
    wire [6:0] odd    = eta[0] ? eta[7:1] : {1'b0, eta[7:2]};
    wire [A:0] at_eta = {eta[0] || eta[1], A'(odd)};
    reg  [A:0] at;
    always_comb
        case (phase_q)
            2'd2:    at = first ? '0 : (A+1)'(d1_q);
            2'd3:    at = first ? at_eta : (A+1)'(w1_q);
            2'd0:    at = first ? (A+1)'(u_q) : {1'b0, p_q};
            default: at = {1'b0, A'($signed(gain_q))};
        endcase
    wire [F+4:0] log;
    /* verilator lint_off PINCONNECTEMPTY */
    ofr_logs #(.F(F), .A(A), .ODD(1), .BIAS(BIAS)) logs (
        .clk, .at_a(at), .at_b({(A+1){1'b0}}), .a(log), .b());
    /* verilator lint_on PINCONNECTEMPTY */

    reg  [WL-1:0] acc_q, konst_q;
    reg  [WL-1:0] own_q, base_q; // konst + log D1 - log w1; the best one's
    wire          less = !phase_q[0];
    wire [WL:0]   term = {{WL{less}} ^ {2'd0, log[F+3:0]}, less};
    /* verilator lint_off UNUSEDSIGNAL */
    wire [WL:0]   acc_n = {phase_q == 2'd3 ? base_q : acc_q, 1'b1} + term;
    wire [WL:0]   own_n = {phase_q == 2'd3 ? konst_q : own_q, 1'b1} + term;
    /* verilator lint_on UNUSEDSIGNAL */
    wire          below = acc_n[WL];

    wire p_more  = !p_q[A-1] && !same_p_q;
    wire q_more  = !gain_q[6] && !log[F+4] && !no_eta_q;
    wire q_less  = gain_q[6] && !no_eta_q;
    wire some    = !no_eta_q || !zero || w2_q[2];
    wire better  = best_none_q ? some :
                   p_more ? !(q_less && below) : q_more && (!p_q[A-1] || below);
    wire minimal = group_q == 4'd3;
    wire replace = busy && judge && (minimal || (ok2_q && better));
    always_ff @(posedge clk) begin
        acc_q <= acc_n[WL:1];
        if (phase_q[0] == phase_q[1]) // 3, 0
            own_q <= own_n[WL:1];
        if (phase_q == 2'd1)
            same_p_q <= log[F+4];
        if (wrap) begin
            d2_q    <= d1_q;
            w2_q    <= w1_q;
            ok2_q   <= ok1_q;
            none2_q <= none1_q;
            p_q     <= A'(best_w_q) - A'(w1_q);
            gain_q  <= {1'b0, best_d_q} - {1'b0, d1_q};
        end
        if (group_q == 4'd2 && phase_q == 2'd0)
            no_eta_q <= log[F+4];
        if (group_q == 4'd2 && judge)
            konst_q <= acc_n[WL:1];
        if (replace) begin
            base_q       <= own_q;
            best_d_q     <= d2_q;
            best_w_q     <= w2_q;
            best_none_q  <= none2_q;
            best_codes_q <= codes2_q;
            kind         <= minimal ? 2'd0 : group_q < 4'd12 ? 2'd1 : 2'd2;
        end
        if (start) begin
            ok2_q       <= 1'b0;
            best_d_q    <= 6'd0;
            base_q      <= K_START;
            base_q[F+1] <= eta[0];
            base_q[F]   <= !eta[0] && eta[1];
        end
    end

    // ---- the IDN --------------------------------------------------------------------------------
    // s + o, then one k down or up; the bit below makes the carry.
    reg  [5:0]  v_q; // s + o
    reg  [4:0]  k_q;
    /* verilator lint_off UNUSEDSIGNAL */
    wire [6:0]  other = {v_q, !v_q[5]} + {{1'b0, k_q} ^ {6{!v_q[5]}}, !v_q[5]};
    /* verilator lint_on UNUSEDSIGNAL */
    wire [3:0]  place = v_q[5] || !other[6] ? other[4:1] : v_q[3:0];
    always_ff @(posedge clk) begin
        v_q <= {2'd0, s} + {o[4], o};
        k_q <= k;
        if (busy && kind != 2'd0 && group_q == 4'd15 && phase_q == 2'd0)
            q[7:4] <= place;
        if (busy && kind != 2'd0 && group_q == 4'd15 && phase_q == 2'd1)
            q[3:0] <= place;
        if (start)
            q <= t;
    end

    /* verilator lint_off UNUSEDSIGNAL */
    wire unused = &{1'b0, entry, widn, way};
    /* verilator lint_on UNUSEDSIGNAL */
endmodule

`default_nettype wire
