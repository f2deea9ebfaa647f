// SPDX-License-Identifier: Apache-2.0
// The decision without multipliers: a candidate in I cycles (I = 4 for N = 2, 3 for N = 3), one
// dimension a cycle, in three stages that work on three candidates at a time:
//
//   front    the way in one dimension (span), what the candidate does in it (detour), summed up
//   product  A and B of the profit A / (16 B), two bits of S and of N a cycle
//   compare  the sign of A_best B - A B_best, R bits of the B's a cycle, lowest first
//
// Group g is cycles I g + 1 to I g + I after `start`, by the front's clock; the detour is a cycle
// behind the span, so product and compare are a cycle behind their group's front. Group 0 passes
// the minimal route to find d(s, t) and u*, group 1 passes it again, OIDN j is group 2 + j, WIDN
// beta is group 9 + beta. The product of group 0 is E d.
`default_nettype none

module ofr_small #(
    parameter int N = 3, // dimensions, 2 or 3
    parameter int C = 8  // slots per VC, 1 to 8
) (
    input  wire           clk,
    input  wire           rst,
    input  wire [5*N-1:0] cfg_k,        // sizes, 1 to 16
    input  wire [4*N-1:0] cfg_me,       // this node
    input  wire           cfg_tie_both, // tie register

    input  wire           start,
    input  wire [4*N-1:0] t,
    input  wire [8*N-1:0] used, // slots in use of the adaptive VC, 4 bits a port
    output wire           hold, // keep the table as it is at the end of this cycle
    output reg            busy,
    output reg            done,
    output reg  [1:0]     kind, // 0 minimal, 1 OIDN, 2 WIDN
    output reg  [4*N-1:0] q,

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
    localparam int I  = N == 2 ? 4 : 3;                         // cycles a candidate
    localparam int WB = $clog2(2 * N * C * 16 * N + 1);         // bits of B = S D
    localparam int WK = $clog2(255 * 8 * N + 1);                // of E d
    localparam int WA = $clog2(2 * N * C * N * (256 + 2040) + 1); // of A = 16 N D + E d S
    localparam int R  = (WB + I - 1) / I;                       // bits of B a cycle
    // The last comparison ends in cycle 58; q, one dimension a cycle, in 62 (N = 3) or 63.
    localparam int OVER_GROUP = N == 2 ? 15 : 20;
    localparam int OVER_PHASE = N == 2 ? 2 : 1;

    reg [2:0] phase;  // 0 to I - 1
    reg [4:0] group;
    reg [4*N-1:0] t_q;
    reg [8*N-1:0] used_q;

    wire wrap = phase == 3'(I - 1);
    wire over = busy && group == 5'(OVER_GROUP) && phase == 3'(OVER_PHASE);
    assign hold = start || (busy && !over);

    always_ff @(posedge clk) begin
        done <= over;
        if (start) begin
            busy   <= 1'b1;
            phase  <= 3'd0;
            group  <= 5'd0;
            t_q    <= t;
            used_q <= used;
        end else begin
            phase <= wrap ? 3'd0 : phase + 3'd1;
            if (wrap)
                group <= group + 5'd1;
            if (over)
                busy <= 1'b0;
        end
        if (rst) begin
            busy <= 1'b0;
            done <= 1'b0;
        end
    end

    // Codes of the front's group. Entry j is read in the cycle before group 2 + j.
    reg [2:0] equal;
    always_comb begin
        equal = 3'd0;
        for (int i = 0; i < N; i++)
            equal[i] = t_q[4*i+:4] == cfg_me[4*i+:4];
    end
    assign set   = equal;
    assign index = group[2:0] - 3'd1;
    reg [6:0]  entry_q;
    wire       direct = group < 5'd2;
    wire       table_now = group < 5'd10;
    wire [2:0] beta = group[2:0] - 3'd1; // group 10 is beta 1
    always_ff @(posedge clk)
        if (wrap)
            entry_q <= entry;
    wire       try_it = table_now ? oidn && entry_q[6] : widn[beta];
    wire [2*N-1:0] codes;
    for (genvar i = 0; i < N; i++) begin : code_of
        assign codes[2*i+:2] = table_now ? entry_q[2*i+:2] : {beta[i], 1'b0};
    end

    // Front, first half: the way from here to t in dimension `phase`.
    reg [2*N-1:0] best_code_q;
    reg [4:0]     k;
    reg [3:0]     s, there;
    reg [7:0]     pair;
    reg [1:0]     code, best_code;
    always_comb begin
        k         = cfg_k[4:0];
        s         = cfg_me[3:0];
        there     = t_q[3:0];
        pair      = used_q[7:0];
        code      = codes[1:0];
        best_code = best_code_q[1:0];
        for (int i = 1; i < N; i++)
            if (phase == 3'(i)) begin
                k         = cfg_k[5*i+:5];
                s         = cfg_me[4*i+:4];
                there     = t_q[4*i+:4];
                pair      = used_q[8*i+:8];
                code      = codes[2*i+:2];
                best_code = best_code_q[2*i+:2];
            end
    end
    wire [3:0] d;
    wire       minus, tie;
    ofr_span span (.k, .s, .t(there), .d, .minus, .tie);
    wire [3:0] step;
    wire       halve;
    ofr_clamp clamp (.k, .delta, .step, .halve);

    reg [4:0] k_q;
    reg [3:0] d_q, s_q, there_q, step_q, best_step_q;
    reg [7:0] pair_q;
    reg [1:0] code_q, best_q;
    reg [2:0] phase_q;
    reg       halve_q, minus_q, tie_q, direct_q, front_q, end_q, first_q, try_q;
    always_ff @(posedge clk) begin
        k_q      <= k;
        d_q      <= d;
        s_q      <= s;
        there_q  <= there;
        pair_q   <= pair;
        code_q   <= code;
        if (direct)
            code_q <= 2'd0;
        best_q   <= best_code;
        step_q      <= step;
        halve_q     <= halve;
        best_step_q <= step;
        if (kind == 2'd0) begin // q = t
            best_q      <= 2'd1;
            best_step_q <= 4'd0;
        end
        minus_q  <= minus;
        tie_q    <= tie;
        direct_q <= direct;
        try_q    <= !direct && try_it;
        phase_q  <= phase;
        front_q  <= !start && phase < 3'(N);      // a dimension is in the second half
        end_q    <= !start && phase == 3'(N - 1); // the last one is
        first_q  <= group == 5'd0;
    end

    // Front, second half: links and length, summed over the dimensions.
    wire [4:0] hops;
    wire [1:0] leave;
    wire       nu_s, nu_t, drop;
    wire [4:0] hops_side, hops_wrap;
    wire [1:0] leg_far, leg_step, leg_wrap1, leg_wrap2, leg_mid;
    wire       no_side, no_wrap;
    ofr_detour detour (
        .k(k_q), .step(step_q), .halve(halve_q), .d(d_q), .minus(minus_q), .tie(tie_q),
        .hops_side, .hops_wrap, .leg_far, .leg_step, .leg_wrap1, .leg_wrap2, .leg_mid, .no_side,
            .no_wrap);
    ofr_leg leg (
        .both(cfg_tie_both), .two(k_q == 5'd2), .odd_me(s_q[0]), .d(d_q), .minus(minus_q),
        .tie(tie_q), .hops_side, .hops_wrap, .leg_far, .leg_step, .leg_wrap1, .leg_wrap2,
        .leg_mid, .no_side, .no_wrap, .direct(direct_q), .code(code_q),
        .hops, .leave, .nu_s, .nu_t, .drop);

    reg  [3:0]    least_q;
    wire          there_p = k_q > 5'd2 || (k_q[1] && !s_q[0]);
    wire          there_m = k_q > 5'd2 || (k_q[1] && s_q[0]);
    wire [3:0]    least_p = there_p && pair_q[3:0] < least_q ? pair_q[3:0] : least_q;
    wire [3:0]    least_m = there_m && pair_q[7:4] < least_p ? pair_q[7:4] : least_p;

    // Whatever is summed starts from 0 again where its last addend is taken.
    reg  [5:0] acc_d, acc_s, acc_n;
    reg        acc_room, acc_nu_s, acc_nu_t, acc_drop;
    wire [5:0] sum_d = acc_d + {1'b0, hops};
    wire [4:0] two_used  = {1'b0, leave[0] ? pair_q[3:0] : 4'd0} +
                           {1'b0, leave[1] ? pair_q[7:4] : 4'd0};
    wire [4:0] two_least = {1'b0, ^leave ? least_q : 4'd0} | {&leave ? least_q : 4'd0, 1'b0};
    wire [5:0] sum_s = acc_s + {1'b0, two_used};
    wire [5:0] sum_n = acc_n + {1'b0, two_least};
    wire       room  = acc_room || (leave[0] && pair_q[3:0] < 4'(C)) ||
                       (leave[1] && pair_q[7:4] < 4'(C));
    wire       whole = sum_s == 6'd0 || (rule_b && least_q == 4'd0); // the first term is 1
    wire       none  = rule_a && !room;                              // profit 0
    always_ff @(posedge clk) begin
        if (first_q && front_q)
            least_q <= least_m;
        if (front_q) begin
            acc_d    <= sum_d;
            acc_s    <= sum_s;
            acc_n    <= sum_n;
            acc_room <= room;
            acc_nu_s <= acc_nu_s || nu_s;
            acc_nu_t <= acc_nu_t || nu_t;
            acc_drop <= acc_drop || drop;
        end
        if (start || end_q) begin
            acc_d    <= 6'd0;
            acc_s    <= 6'd0;
            acc_n    <= 6'd0;
            acc_room <= 1'b0;
            acc_nu_s <= 1'b0;
            acc_nu_t <= 1'b0;
            acc_drop <= 1'b0;
        end
        if (start)
            least_q <= 4'd15;
    end

    // Product: from the cycle after end_q, in three cycles, digit[2] being the last.
    reg [2:0]     digit;
    reg [5:0]     d_p, s_p, n_p; // D; S and N are shifted out, two bits a cycle
    reg           first_p, minimal_p, none_p, ok_p, wide_p, far_q;
    reg [2*N-1:0] codes_q, codes_p;
    reg           wide_q;
    reg [WK-1:0]  eta_d;         // E, then E d
    /* verilator lint_off UNUSEDSIGNAL */ // what is shifted out of the low halves
    // Two bits of the multiplier a cycle, lowest first; what is done shifts out below.
    reg [5:0]     hi_b, hi_n, lo_b, lo_n;
    reg [WK-1:0]  hi_k;
    reg [5:0]     lo_k;
    wire [6:0]    b1 = {1'b0, hi_b} + {1'b0, d_p & {6{s_p[0]}}};
    wire [6:0]    b2 = {1'b0, b1[6:1]} + {1'b0, d_p & {6{s_p[1]}}};
    wire [6:0]    n1 = {1'b0, hi_n} + {1'b0, d_p & {6{n_p[0]}}};
    wire [6:0]    n2 = {1'b0, n1[6:1]} + {1'b0, d_p & {6{n_p[1]}}};
    wire [WK:0]   k1 = {1'b0, hi_k} + {1'b0, eta_d & {WK{s_p[0]}}};
    wire [WK:0]   k2 = {1'b0, k1[WK:1]} + {1'b0, eta_d & {WK{s_p[1]}}};
    wire [11:0]   b_all6 = {b2[6:1], b2[0], b1[0], lo_b[5:2]};
    wire [11:0]   n_all6 = {n2[6:1], n2[0], n1[0], lo_n[5:2]};
    wire [WK+5:0] k_all6 = {k2[WK:1], k2[0], k1[0], lo_k[5:2]};
    wire [WA-1:0] next_a = WA'({n_all6, 4'd0}) + WA'(k_all6);
    wire [WB-1:0] next_b = b_all6[WB-1:0];
    /* verilator lint_on UNUSEDSIGNAL */

    // Its result.
    reg [WA-1:0]  a_c, best_a;
    reg [WB-1:0]  b_c;
    reg [R*I-1:0] best_b;
    reg [2*N-1:0] codes_c;
    reg           minimal_c, none_c, ok_c, wide_c;
    always_ff @(posedge clk) begin
        codes_q <= codes;
        wide_q  <= !table_now;
        digit   <= {digit[1:0], end_q};
        s_p     <= s_p >> 2;
        n_p     <= n_p >> 2;
        if (end_q) begin
            d_p       <= sum_d;
            s_p       <= sum_s;
            n_p       <= sum_n;
            codes_p   <= codes_q;
            wide_p    <= wide_q;
            first_p   <= first_q;
            minimal_p <= direct_q && !first_q;
            none_p    <= none;
            ok_p      <= far_q && try_q && !none && !acc_drop && !drop &&
                         (acc_nu_s || nu_s) && (acc_nu_t || nu_t);
            if (whole) begin
                s_p <= 6'd1;
                n_p <= 6'd1;
            end
            if (first_q) begin // E d
                s_p   <= sum_d;
                n_p   <= 6'd0;
                far_q <= sum_d > 6'd1;
            end
        end
        {hi_b, lo_b} <= b_all6;
        {hi_n, lo_n} <= n_all6;
        {hi_k, lo_k} <= k_all6;
        if (digit[2]) begin
            a_c       <= next_a;
            b_c       <= next_b;
            codes_c   <= codes_p;
            wide_c    <= wide_p;
            minimal_c <= minimal_p;
            none_c    <= none_p;
            ok_c      <= ok_p;
            if (first_p)
                eta_d <= next_a[WK-1:0];
        end
        if (!(digit[0] || digit[1])) begin
            hi_b <= '0;
            hi_n <= '0;
            hi_k <= '0;
        end
        if (start) begin
            digit <= 3'd0;
            eta_d <= WK'(eta);
        end
    end

    // Compare, from the cycle after digit[2]: the candidate is better where the sum is negative.
    // What is shifted out below is not negative and cannot change that.
    reg  [I-1:0]          turn;
    reg  [R*I-1:0]        b_shift;  // b_c, shifted out
    wire [R-1:0]          b_turn    = b_shift[R-1:0];
    wire [R-1:0]          best_turn = best_b[R-1:0]; // turns round once in a comparison
    reg  signed [WA+1:0]  acc_z;
    // Each adder takes all but the lowest bit of the one before.
    wire signed [WA+1:0]  best_x = $signed({2'b0, best_a});
    wire signed [WA+1:0]  mine_x = $signed({2'b0, a_c});
    wire signed [WA+1:0]  differ = best_x - mine_x;
    // A row is A_best, -A, both or nothing; the 1 that makes ~A into -A comes in as a carry from
    // the bit below. Each adder takes all but the lowest bit of the one before.
    reg  signed [WA+1:0]  link, row;
    reg                   carry, below;
    always_comb begin
        link  = acc_z;
        below = 1'b0;
        for (int i = 0; i < R; i++) begin
            row   = b_turn[i] ? (best_turn[i] ? differ : best_x) : (best_turn[i] ? ~mine_x : '0);
            carry = best_turn[i] && !b_turn[i];
            {link, below} = {link, carry} + {row, carry};
            link  = link >>> 1;
        end
    end
    wire better = link[WA+1];
    always_ff @(posedge clk) begin
        turn    <= {turn[I-2:0], digit[2]};
        b_shift <= digit[2] ? (R*I)'(next_b) : b_shift >> R;
        if (turn != '0)
            best_b <= {best_b[R-1:0], best_b[R*I-1:R]};
        acc_z <= link;
        if (turn[I-1] || turn == '0)
            acc_z <= '0;
        if (busy && turn[I-1] && (minimal_c || (ok_c && better))) begin
            best_a      <= a_c;
            best_b      <= (R*I)'(b_c);
            best_code_q <= codes_c;
            kind        <= minimal_c ? 2'd0 : wide_c ? 2'd2 : 2'd1;
            if (minimal_c && none_c)
                best_a <= '0;
        end
        if (start)
            turn <= '0;
    end

    // q, from the best so far; the last N cycles before done are the ones that count.
    wire [3:0] place;
    ofr_place placed (
        .k(k_q), .s(s_q), .t(there_q), .step(best_step_q), .d(d_q), .minus(minus_q),
        .code(best_q), .q(place));
    always_ff @(posedge clk)
        for (int i = 0; i < N; i++)
            if (busy && phase_q == 3'(i))
                q[4*i+:4] <= place;

    /* verilator lint_off UNUSEDSIGNAL */
    wire unused = &{1'b0, entry_q, widn, b_all6, k_all6, below};
    /* verilator lint_on UNUSEDSIGNAL */
endmodule

`default_nettype wire
