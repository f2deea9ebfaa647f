// SPDX-License-Identifier: Apache-2.0
// The decision with multipliers: a candidate a cycle. `done` comes 8 + 2^N + 5 cycles after
// `start`: 17 for N = 2, 21 for N = 3.
//
// Cycle 0 is that of start. In cycle i entry i of the table is addressed (0 to 7); in the next
// cycle it is made a code; in the next each dimension's links and length are found (stage 1); then
// their sums (stage 2), the shares of its profit A / (16 B) (stage 3), A and B and its IDN (stage
// 4), and it is compared with the best so far (stage 5). The minimal route is in stage 1 at cycle
// 1, OIDN j at 2 + j, WIDN beta at 9 + beta.
`default_nettype none

module ofr_fast #(
    parameter int N = 3, // dimensions, 2 or 3
    parameter int C = 8  // slots per VC, 1 to 8
) (
    input  wire logic           clk,
    input  wire logic           rst,
    input  wire logic [5*N-1:0] cfg_k,        // sizes, 1 to 16
    input  wire logic [4*N-1:0] cfg_me,       // this node
    input  wire logic           cfg_tie_both, // tie register

    input  wire logic           start,
    input  wire logic [4*N-1:0] t,
    input  wire logic [8*N-1:0] used, // slots in use of the adaptive VC, 4 bits a port
    output logic                hold, // keep the table as it is at the end of this cycle
    output logic                busy,
    output logic                done,
    output logic [1:0]          kind, // 0 minimal, 1 OIDN, 2 WIDN
    output logic [4*N-1:0]      q,

    output logic [2:0]          set, // table look-up
    output logic [2:0]          index,
    input  wire logic [6:0]     entry,
    input  wire logic [3:0]     delta,
    input  wire logic [7:0]     eta,
    input  wire logic           rule_a,
    input  wire logic           rule_b,
    input  wire logic           oidn,
    input  wire logic [7:0]     widn
);
    localparam int LAST = 8 + (1 << N) + 4; // cycle of the last comparison

    reg [4:0]  count_q;
    wire [4:0] now  = start ? 5'd0 : count_q;

    wire       last = now == 5'(LAST);
    assign     hold = start || (busy && !last);

    reg [4*N-1:0] t_q, d_q;
    reg [8*N-1:0] used_q;
    reg [N-1:0]   minus_q, tie_q;

    // Stage 0: codes.
    reg [2*N-1:0] code_q;
    reg           try_q;
    reg           direct_q;

    // The way from here to t.
    wire [4*N-1:0] d;
    wire [N-1:0]   minus, tie;
    reg  [2:0]     equal;
    always_comb begin
        equal = 3'd0;
        for (int i = 0; i < N; i++)
            equal[i] = t[4*i+:4] == cfg_me[4*i+:4];
    end
    reg  [2:0] equal_q;
    assign set   = start ? equal : equal_q;
    assign index = now[2:0];

    // Stage 1: links and length of each dimension.
    wire [5*N-1:0] hops;
    wire [2*N-1:0] leave;
    wire [N-1:0]   nu_s, nu_t, drop;
    wire [4*N-1:0] place;
    reg  [5*N-1:0] hops_q;
    reg  [2*N-1:0] leave_q;
    reg  [4:0]     sum_d_q;
    reg  [2*N-1:0] code1_q, code2_q, code3_q;
    reg            direct1_q, direct2_q, none3_q;
    reg  [4*N-1:0] step_q, step3_q;
    reg  [N-1:0]   halve_q;

    for (genvar i = 0; i < N; i++) begin : dim
        ofr_span span (
            .k(cfg_k[5*i+:5]), .s(cfg_me[4*i+:4]), .t(t[4*i+:4]),
            .d(d[4*i+:4]), .minus(minus[i]), .tie(tie[i]));
        // The codes' meaning is there a cycle after d, in time for the first OIDN.
        wire [4:0] hops_side, hops_wrap;
        wire [1:0] leg_far, leg_step, leg_wrap1, leg_wrap2, leg_mid;
        wire       no_side, no_wrap;
        wire [3:0] step;
        wire       halve;
        ofr_clamp clamp (.k(cfg_k[5*i+:5]), .delta, .step, .halve);
        reg [21:0] meaning_q;
        ofr_detour detour (
            .k(cfg_k[5*i+:5]), .step(step_q[4*i+:4]), .halve(halve_q[i]),
            .d(d_q[4*i+:4]), .minus(minus_q[i]), .tie(tie_q[i]),
            .hops_side, .hops_wrap, .leg_far, .leg_step, .leg_wrap1, .leg_wrap2, .leg_mid,
            .no_side, .no_wrap);
        always_ff @(posedge clk) begin
            step_q[4*i+:4] <= step;
            halve_q[i]     <= halve;
            meaning_q <= {hops_side, hops_wrap, leg_far, leg_step, leg_wrap1, leg_wrap2, leg_mid,
                          no_side, no_wrap};
        end
        ofr_leg leg (
            .both(cfg_tie_both), .two(cfg_k[5*i+:5] == 5'd2), .odd_me(cfg_me[4*i]),
            .d(d_q[4*i+:4]), .minus(minus_q[i]), .tie(tie_q[i]),
            .hops_side(meaning_q[21:17]), .hops_wrap(meaning_q[16:12]),
            .leg_far(meaning_q[11:10]), .leg_step(meaning_q[9:8]), .leg_wrap1(meaning_q[7:6]),
            .leg_wrap2(meaning_q[5:4]), .leg_mid(meaning_q[3:2]),
            .no_side(meaning_q[1]), .no_wrap(meaning_q[0]),
            .direct(direct_q), .code(code_q[2*i+:2]),
            .hops(hops[5*i+:5]), .leave(leave[2*i+:2]),
            .nu_s(nu_s[i]), .nu_t(nu_t[i]), .drop(drop[i]));
        ofr_place placed (
            .k(cfg_k[5*i+:5]), .s(cfg_me[4*i+:4]), .t(t_q[4*i+:4]), .step(step3_q[4*i+:4]),
            .d(d_q[4*i+:4]), .minus(minus_q[i]),
            .code(code3_q[2*i+:2]), .q(place[4*i+:4]));
    end

    // Stage 2: sums over the dimensions.
    reg [5:0] sum_hops, sum_used;
    reg [4:0] two_used;
    reg       over;
    reg [4:0] sum_d;
    reg [2:0] links;
    reg       room;
    reg [3:0] least;
    reg [2*N-1:0] there, below_of, least_of, zero_of;
    reg           high_q;     // the highest bit of least
    reg [2*N-1:0] below_of_q; // ... the ports that have it
    always_comb begin
        sum_hops = 6'd0;
        sum_used = 6'd0;
        sum_d    = 5'd0;
        links    = 3'd0;
        two_used = 5'd0;
        over     = 1'b0;
        room     = 1'b0;
        least    = 4'd0;
        there    = '0;
        zero_of  = '0;
        // An adder each: a 1 below the lowest bits keeps synthesis from making one big tree of
        // compressors of them, which takes more cells.
        for (int i = 0; i < N; i++) begin
            {sum_hops, over} = {sum_hops, 1'b1} + {1'b0, hops_q[5*i+:5], 1'b0};
            {sum_d, over}    = {sum_d, 1'b1} + {1'b0, d_q[4*i+:4], 1'b0};
            {two_used, over} = {1'b0, used_q[8*i+:4] & {4{leave_q[2*i]}}, 1'b1} +
                                  {1'b0, used_q[8*i+4+:4] & {4{leave_q[2*i+1]}}, 1'b0};
            {sum_used, over} = {sum_used, 1'b1} + {1'b0, two_used, 1'b0};
        end
        for (int p = 0; p < 2 * N; p++) begin
            links    += {2'd0, leave_q[p]};
            room      = room || (leave_q[p] && used_q[4*p+:4] < 4'(C));
            // A link is there where k > 2, and at one of the ports where k = 2.
            there[p] = cfg_k[5*(p/2)+:5] > 5'd2 ||
                       (cfg_k[5*(p/2)+1] && cfg_me[4*(p/2)] == p[0]);
        end
        // u*, from the top bit down: who has a 1 where another has a 0 is out. The highest bit in
        // the cycle of `start`, the others in the next.
        for (int p = 0; p < 2 * N; p++)
            zero_of[p] = there[p] && !used[4*p+3];
        least[3] = zero_of == '0;
        below_of = least[3] ? there : zero_of;
        least_of = below_of_q;
        for (int b = 2; b >= 0; b--) begin
            for (int p = 0; p < 2 * N; p++)
                zero_of[p] = least_of[p] && !used_q[4*p+b];
            least[b] = zero_of == '0;
            if (!least[b])
                least_of = zero_of;
        end
    end

    reg [5:0]  hops2_q, used2_q;
    reg        far_q, long_q; // d(s, t) is at least 2, 16
    reg [2:0]  links2_q;
    reg        ok1_q, ok2_q, full2_q;
    reg [3:0]  least_q;
    reg [12:0] eta_d_q; // 16 eta d(s, t), E d for short
    // All profits can have the same taken off: where d is 16 or more, E/4 B off A keeps A positive
    // (D is 3 d at most) and within 18 bits, a multiplier's width: S (E d - E/4 D) + 16 N D
    // <= 48 * (255 * 24 - 63 * 24) + 16 * 48 * 24 < 2^18; where d is 15 or less, A is anyway.
    wire [5:0]  off   = long_q ? eta[7:2] : 6'd0;
    wire [12:0] off_d = {7'd0, off} * {7'd0, hops2_q};
    reg  [12:0] term_q;

    // Stage 3: the first term is share / shares.
    wire       whole = used2_q == 6'd0 || (rule_b && least_q == 4'd0); // it is 1
    wire       none  = rule_a && full2_q;                              // all is 0
    // u* m; sums of slices, because three addends at once would be a compressor tree.
    wire [5:0] once  = {2'd0, least_q & {4{links2_q[0]}}} + {1'd0, least_q & {4{links2_q[1]}},
        1'b0};
    wire [3:0] four  = once[5:2] + (least_q & {4{links2_q[2]}});
    reg  [5:0] hops3_q, share_q, shares_q;
    reg        ok3_q;

    // Stage 4: A and B.
    wire [11:0] first  = {6'd0, share_q} * {6'd0, hops3_q};
    wire [11:0] below  = {6'd0, shares_q} * {6'd0, hops3_q};
    wire [17:0] second = {5'd0, term_q} * {12'd0, shares_q};
    reg  [17:0] a_q;
    reg  [11:0] b_q;
    reg         ok4_q;
    reg  [4*N-1:0] place_q;

    // Stage 5.
    reg [17:0] best_a_q;
    reg [11:0] best_b_q;
    wire [29:0] mine = {12'd0, a_q} * {18'd0, best_b_q};
    wire [29:0] best = {12'd0, best_a_q} * {18'd0, b_q};
    wire [30:0] less = {1'b0, best} - {1'b0, mine}; // negative where this one is better
    wire        minimal_one = now == 5'd5;

    always_ff @(posedge clk) begin
        done <= 1'b0;
        count_q <= now + 5'd1;
        if (start) begin
            busy    <= 1'b1;
            t_q     <= t;
            equal_q <= equal;
            used_q  <= used;
            d_q     <= d;
            minus_q <= minus;
            tie_q   <= tie;
        end else if (last) begin
            busy <= 1'b0;
            done <= busy;
        end

        direct_q <= start;
        high_q     <= least[3];
        below_of_q <= below_of;
        if (now < 5'd9) begin
            code_q <= entry[2*N-1:0];
            try_q  <= oidn && entry[6];
        end else begin
            for (int i = 0; i < N; i++)
                code_q[2*i+:2] <= {now[i], 1'b0};
            try_q <= widn[{N == 3 && now[2], now[1:0]}];
        end

        if (start) begin
            code_q <= '0;
            try_q  <= 1'b0;
        end

        // Stage 1. The minimal route's passage finds what all need.
        if (direct_q)
            least_q <= {high_q, least[2:0]};
        sum_d_q   <= sum_d;
        hops_q    <= hops;
        leave_q   <= leave;
        ok1_q     <= try_q && |nu_s && |nu_t && drop == '0;
        code1_q   <= code_q;
        direct1_q <= direct_q;

        // Stage 2.
        if (direct1_q) begin
            far_q   <= sum_d_q > 5'd1;
            long_q  <= sum_d_q[4];
            eta_d_q <= {5'd0, eta} * {8'd0, sum_d_q};
        end
        hops2_q   <= sum_hops;
        used2_q   <= sum_used;
        links2_q  <= links;
        full2_q   <= !room;
        ok2_q     <= ok1_q;
        code2_q   <= code1_q;
        direct2_q <= direct1_q;

        // Stage 3.
        term_q    <= eta_d_q - off_d;
        hops3_q   <= hops2_q;
        share_q   <= {four, once[1:0]};
        shares_q  <= used2_q;
        if (whole) begin
            share_q  <= 6'd1;
            shares_q <= 6'd1;
        end
        none3_q   <= none && direct2_q; // a candidate without profit is simply not ok
        ok3_q     <= ok2_q && !none && far_q;
        code3_q   <= code2_q;
        step3_q   <= step_q;
        if (direct2_q) begin // q = t
            code3_q <= {N{2'd1}};
            step3_q <= '0;
        end

        // Stage 4.
        a_q     <= {2'd0, first, 4'd0} + second;
        if (none3_q)
            a_q <= 18'd0;
        b_q     <= below;
        ok4_q   <= ok3_q;
        place_q <= place;

        // Stage 5.
        if (busy && (minimal_one || (ok4_q && less[30]))) begin
            best_a_q <= a_q;
            best_b_q <= b_q;
            q        <= place_q;
            kind     <= minimal_one ? 2'd0 : now < 5'd14 ? 2'd1 : 2'd2;
        end
        if (rst) begin
            busy <= 1'b0;
            done <= 1'b0;
        end
    end

    /* verilator lint_off UNUSEDSIGNAL */
    wire unused = &{1'b0, entry, widn, less, over}; // N = 2 uses less of both
    /* verilator lint_on UNUSEDSIGNAL */
endmodule

`default_nettype wire
