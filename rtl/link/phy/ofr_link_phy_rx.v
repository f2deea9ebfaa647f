// SPDX-License-Identifier: Apache-2.0
// Deserialiser and its training, all in the forwarded clock: finds, a wire after the other, where
// the PRBS is heard without errors, takes out the skew, finds the words by the control word. From
// then on each wire goes to the better of its two sampling points. With double data rate there is
// one point a bit, and the delay at the pin, where there is one, is found (ofr_link_phy_eye).
`default_nettype none
`include "ofr_link_phy.vh"

module ofr_link_phy_rx #(
    parameter int W      = 32, // bits of a word: 16, 32, 64
    parameter int WIRES  = 8,  // 1 to W / (1 + DDR)
    parameter int BEATS  = 4,  // of a word
    parameter int COUNT = 16, // bits of an error counter
    parameter int DDR   = 0,  // of ofr_link_phy_tx
    parameter int TAPS  = 1,  // of ofr_link_phy, as the next one
    parameter int HALF  = 1
) (
    input  wire logic                    clk,      // forwarded by the other end
    input  wire logic                    start,    // any clock; 1 for 32 cycles: from the start
    input  wire logic                    hold,     // any clock; counters stand still
    input  wire logic [4:0]              tune,     // before it locks, 2^tune bits; stands still
    input  wire logic [WIRES-1:0]        fall,     // sampled half a bit before the rising edge,
    input  wire logic [WIRES-1:0]        rise,     // at it
    input  wire logic                    settled,  // delays at the pins are as tap_q says
    // To the board's clock, each for a synchroniser
    output logic                         alive_q,  // toggles every 8 cycles
    output logic                         locked, // bits and words are found
    output logic                         peer_q,   // and the other end said that its are
    // FIFO
    output logic                         wrst,
    output logic                         wvalid,
    output logic [W-1:0]                 wdata,
    // For reading; with hold for 4 cycles, they stand still
    output logic [2*WIRES-1:0]           eye_q,    // positions of half a bit that were good, 0 to 2
    output logic [4*WIRES-1:0]           place_q,  // the one that is used, 0 earliest
    output logic [5*WIRES-1:0]           tap_q,    // DDR: the delay at the pin, 0 to TAPS - 1,
    output logic [6*WIRES-1:0]           width_q,  // and how many lay side by side that were good
    output logic [COUNT*WIRES-1:0]       errors_q, // since the last lock; when one has its highest
    output logic [31:0]                  seen_q    // bit, or this, all stop: bits looked at a wire
);
    localparam int LANES  = (1 + DDR) * WIRES;
    localparam int PAD    = BEATS * LANES;
    localparam int B      = BEATS > 1 ? $clog2(BEATS) : 1;
    localparam int I      = WIRES > 1 ? $clog2(WIRES) : 1;
    localparam int SETTLE = BEATS + 16; // beats: past a control word
    localparam [3:0] SEEK = 4'd0, LOAD = 4'd1, TEST = 4'd2, WAIT = 4'd3, SCAN = 4'd4, SHIFT = 4'd5,
                     ALIGN = 4'd6, TUNE = 4'd7, LOCKED = 4'd8;

    // --- Start and life -------------------------------------------------------------------------
    logic       start1_q, rst_q, hold1_q, hold_q;
    logic [2:0] divide_q;
    always_ff @(posedge clk) begin
        start1_q <= start;
        rst_q    <= start1_q;
        hold1_q  <= hold;
        hold_q   <= hold1_q;
        divide_q <= divide_q + 1;
        if (divide_q == 0)
            alive_q <= !alive_q;
    end
    assign wrst = rst_q;

    // --- Bits: each wire at its place, up to 7 beats late ---------------------------------------
    logic [LANES-1:0]   beat, differ;
    logic [WIRES-1:0]   later_q;             // of two good positions the later one is used
    logic [WIRES-1:0]   to_later, to_earlier;
    logic [PAD-1:0]     shift_q, window;
    genvar g;
    generate
        if (DDR == 0) begin : g_single
            logic [7*WIRES-1:0] past_q;
            logic [WIRES-1:0]   fall1_q, rise1_q, rise2_q;
            always_ff @(posedge clk) begin
                fall1_q <= fall;
                rise1_q <= rise;
                rise2_q <= rise1_q;
            end
            for (g = 0; g < WIRES; g = g + 1) begin : g_wire
                logic [7:0] seen;
                assign seen    = {past_q[7*g +: 7], place_q[4*g] ? rise[g] : fall[g]};
                assign beat[g] = seen[~place_q[4*g+1 +: 3]];
                always_ff @(posedge clk)
                    past_q[7*g +: 7] <= seen[6:0];

                // Two good positions are in the same bit. Where they differ, an edge came too late
                // for the first one or too early for the second one: the bits beside tell, where
                // they are alike. (Alexander's phase detector, with both samples in the eye.)
                logic odd, older, one, two, newer;
                assign odd   = place_q[4*g] ^ later_q[g];
                assign older = odd ? fall1_q[g] : rise2_q[g];
                assign one   = odd ? rise1_q[g] : fall1_q[g];
                assign two   = odd ? fall[g]    : rise1_q[g];
                assign newer = odd ? rise[g]    : fall[g];
                assign to_later[g]   = older == newer && one == older && two != older;
                assign to_earlier[g] = older == newer && one != older && two == older;
            end
        end else begin : g_double
            // A beat is two samples, the later one half a period behind. At place 15 that has
            // not come yet: what is there instead is never good.
            assign to_later   = '0;
            assign to_earlier = '0;
            for (g = 0; g < WIRES; g = g + 1) begin : g_wire
                logic [6:0] falls_q, rises_q;
                logic [7:0] falls, rises;
                logic [2:0] late;
                assign falls = {falls_q, fall[g]};
                assign rises = {rises_q, rise[g]};
                assign late  = ~place_q[4*g+1 +: 3];
                assign beat[g]       = place_q[4*g] ? rises[late] : falls[late];
                assign beat[WIRES+g] = place_q[4*g] ? falls[late-3'd1] : rises[late];
                always_ff @(posedge clk) begin
                    falls_q <= falls[6:0];
                    rises_q <= rises[6:0];
                end
            end
        end
    endgenerate
    assign window = PAD'({beat, shift_q} >> LANES);
    assign wdata  = window[W-1:0];

    // --- Training -------------------------------------------------------------------------------
    logic [3:0]   state_q;
    logic [7:0]   count_q;
    logic [2:0]   errs_q;
    logic [6:0]   ref_q;              // the PRBS, in step with the beats
    logic [6:0]   ref1, ref2, ref4;   // and one, two, four bits on
    logic [I-1:0] wire_q;             // that is scanned
    logic [3:0]   at_q, first_q;      // position that is tried; the first good one
    logic [1:0]   run_q;              // good ones in a row
    logic [4:0]   try_q;              // DDR: the delay that is tried
    logic         again_q, flip_q, dead_q, tuned;
    logic [2:0]   late_q;             // the wires' least delay
    logic [B-1:0] beat_q;
    logic [6:0]   slot_q;
    logic [3:0]   miss_q;
    logic [1:0]   heard_q;
    logic         ended_q, words_q, prbs_q;
    logic         last, control, seeks, lockeds, words, wrong, closed, last_try, done, none;
    logic [3:0]   best;
    logic [4:0]   eye_tap;
    logic [5:0]   eye_width;
    logic [2:0]   best_late;          // cycles that the wire could come earlier by
    logic [WIRES-1:0] bad, code_wrong;
    logic [W-1:0]     off;

    assign ref1    = {ref_q[5:0], `OFR_PHY_PRBS(ref_q)};
    assign ref2    = {ref1[5:0], `OFR_PHY_PRBS(ref1)};
    assign ref4    = {ref2[4:0], `OFR_PHY_PRBS(ref2), ref2[5] ^ ref2[4]};
    assign differ  = beat ^ LANES'({{WIRES{ref2[0]}}, {WIRES{ref1[0]}}});
    assign wrong   = state_q == SCAN ? bad[wire_q] : bad[0];
    assign closed  = wrong && errs_q == 3'(`OFR_PHY_CLOSED - 1);
    assign last    = beat_q == B'(BEATS - 1);
    assign control = last && slot_q == 0;
    assign seeks   = wdata == {W/16{`OFR_PHY_SEEKS}};
    assign lockeds = wdata == {W/16{`OFR_PHY_LOCKED}};
    assign words   = wdata == {W/16{`OFR_PHY_WORDS}};
    assign wvalid  = words_q && last && slot_q != 0;
    assign locked = state_q == LOCKED && !ended_q;
    assign tuned    = seen_q[tune];
    assign last_try = try_q == 5'(TAPS - 1);
    // This wire is done: past its last good position, or at the end
    generate
        if (DDR == 0) begin : g_points
            assign bad  = differ;
            assign done = state_q == SCAN && ((closed && again_q && (run_q != 0 || at_q == 15)) ||
                                            (!closed && count_q == 127 &&
                                             (at_q == 15 || run_q == 1)));
            assign best = run_q == 0 ? at_q : closed ? first_q : at_q; // of two the later one
            assign none = closed && run_q == 0;
            assign best_late = ~best[3:1];
            assign {eye_tap, eye_width} = '0;
        end else begin : g_delays
            logic verdict, unused;
            assign unused  = ^first_q;
            assign bad     = differ[WIRES-1:0] | differ[LANES-1 -: WIRES];
            assign verdict = state_q == SCAN && (closed ? again_q : count_q == 127);
            assign done = verdict && at_q == 15 && last_try;
            assign none = eye_width == 0;
            assign best_late = ~(best[3:1] + 3'(best[0])); // the second sample is half a cycle on
            ofr_link_phy_eye #(.TAPS(TAPS), .HALF(HALF)) u_eye (
                .clk, .clear(state_q == TEST || done), .verdict, .good(!closed), .place(at_q),
                .tap(try_q), .width_q(eye_width), .place_q(best), .tap_q(eye_tap)
            );
        end
    endgenerate

    assign off = wdata ^ {W/16{`OFR_PHY_WORDS}};
    always_comb begin
        code_wrong = '0;
        for (int b = 0; b < BEATS; b++)
            for (int l = 0; l < LANES; l++)
                if (b * LANES + l < W && off[(b*LANES+l)%W])
                    code_wrong[l%WIRES] = 1'b1;
    end

    always_ff @(posedge clk) begin
        shift_q <= window;
        ref_q   <= DDR != 0 ? ref2 : ref1;
        count_q <= count_q + 1;
        beat_q  <= last ? '0 : beat_q + 1;
        if (last)
            slot_q <= slot_q + 1;
        case (state_q)
            SEEK: begin // wire 0, at either tap
                place_q[3:0] <= {3'd3, flip_q && DDR == 0};
                tap_q[4:0]   <= flip_q ? 5'(TAPS / 2) : 5'd0;
                errs_q       <= '0;
                if (count_q == 8'(SETTLE)) begin
                    state_q <= LOAD;
                    count_q <= '0;
                end
            end
            LOAD: begin
                ref_q <= DDR != 0 ? {ref_q[4:0], beat[0], beat[LANES-WIRES]} :
                                      {ref_q[5:0], beat[0]};
                if (count_q == 6) begin
                    state_q <= TEST;
                    count_q <= '0;
                end
            end
            TEST: begin
                errs_q <= errs_q + 3'(wrong);
                wire_q <= '0;
                at_q   <= '0;
                run_q  <= '0;
                try_q  <= '0;
                dead_q <= 1'b0;
                late_q <= '1;
                again_q <= 1'b0;
                if (closed || ref_q == 0 || count_q == 63) begin
                    state_q <= closed || ref_q == 0 ? SEEK : WAIT;
                    flip_q  <= !flip_q;
                    count_q <= '0;
                end
            end
            WAIT: begin
                place_q[4*wire_q +: 4] <= at_q;
                tap_q[5*wire_q +: 5]   <= try_q;
                errs_q                 <= '0;
                if (count_q == 8'(SETTLE)) begin
                    state_q <= SCAN;
                    count_q <= '0;
                end
            end
            SCAN: begin
                errs_q <= errs_q + 3'(wrong);
                if (closed || count_q == 127) begin
                    state_q <= WAIT;
                    count_q <= '0;
                    again_q <= closed && !again_q;
                    if (!closed || again_q) begin
                        try_q <= last_try ? '0 : try_q + 1;
                        if (last_try)
                            at_q <= at_q + 1;
                    end
                    if (!closed && run_q == 0) begin
                        first_q <= at_q;
                    end
                    if (!closed)
                        run_q <= run_q + 1;
                end
                if (done) begin
                    place_q[4*wire_q +: 4] <= best;
                    tap_q[5*wire_q +: 5]   <= eye_tap;
                    width_q[6*wire_q +: 6] <= eye_width;
                    eye_q[2*wire_q +: 2]   <= DDR == 0 ? run_q + 2'(!closed) :
                                              eye_width > 1 ? 2'd2 : 2'(eye_width);
                    later_q[wire_q]        <= 1'b1;
                    dead_q  <= dead_q || none;
                    if (late_q > best_late)
                        late_q <= best_late;
                    again_q <= 1'b0;
                    at_q    <= '0;
                    run_q   <= '0;
                    wire_q  <= wire_q + 1;
                    if (wire_q == I'(WIRES - 1)) begin
                        state_q <= dead_q || none ? SEEK : SHIFT;
                        wire_q  <= '0;
                    end
                end
            end
            SHIFT: begin // as early as the latest wire allows; the PRBS likewise
                if (late_q != 0) begin
                    ref_q  <= DDR != 0 ? ref4 : ref2;
                    late_q <= late_q - 1;
                    for (int w = 0; w < WIRES; w++)
                        place_q[4*w+1 +: 3] <= place_q[4*w+1 +: 3] + 1;
                end else begin
                    state_q <= ALIGN;
                end
                miss_q <= '0;
            end
            ALIGN: begin
                if (control)
                    miss_q <= miss_q + 1;
                if (DDR != 0 && control && miss_q == 4'd`OFR_PHY_SLIP) begin
                    // A beat of the other end may begin with its second bit here: half a cycle
                    ref_q <= ref1;
                    for (int w = 0; w < WIRES; w++)
                        place_q[4*w +: 4] <= place_q[4*w +: 4] - 1;
                end
                if (seeks || lockeds) begin
                    state_q <= DDR != 0 ? LOCKED : TUNE;
                    count_q <= '0;
                    beat_q  <= '0;
                    slot_q  <= 7'd1;
                    miss_q  <= '0;
                end else if (miss_q == 4'd`OFR_PHY_MISSES) begin
                    state_q <= SEEK;
                    count_q <= '0;
                end
                peer_q  <= 1'b0;
                words_q <= 1'b0;
                heard_q <= '0;
                prbs_q  <= 1'b0;
            end
            TUNE: if (tuned)
                state_q <= LOCKED;
            default: if (control) begin
                miss_q  <= seeks || lockeds || words ? 4'd0 : miss_q + 1;
                prbs_q  <= seeks || lockeds;
                if (!peer_q) // by how many it knows, or how many say the contrary
                    heard_q <= seeks ? 2'd0 : heard_q + 2'(lockeds || words);
                else
                    heard_q <= seeks || (lockeds && words_q) ? heard_q + 1 : 2'd0;
                if (!peer_q && (lockeds || words) && heard_q == 2'(`OFR_PHY_HEARS - 1)) begin
                    peer_q  <= 1'b1;
                    heard_q <= '0;
                end
                if (words && (peer_q || heard_q == 2'(`OFR_PHY_HEARS - 1)))
                    words_q <= 1'b1;
                if (miss_q == 4'(`OFR_PHY_MISSES - 1) && !(seeks || lockeds || words))
                    ended_q <= 1'b1;
                if (peer_q && (seeks || (lockeds && words_q)) && heard_q == 2'(`OFR_PHY_HEARS - 1))
                    ended_q <= 1'b1;
                if (ended_q)
                    words_q <= 1'b0;
            end
        endcase
        // From words' beginning on, with a bit or two that are wrong where it changes
        for (int w = 0; w < WIRES; w++)
            if ((state_q == TUNE || locked) && !hold_q && eye_q[2*w+1] &&
                (later_q[w] ? to_earlier[w] : to_later[w])) begin
                place_q[4*w +: 4] <= later_q[w] ? place_q[4*w +: 4] - 1 : place_q[4*w +: 4] + 1;
                later_q[w]        <= !later_q[w];
            end
        if (!settled && (state_q == SEEK || state_q == WAIT))
            count_q <= '0;
        if (DDR == 0) begin
            tap_q   <= '0;
            width_q <= '0;
            try_q   <= '0;
        end
        if (rst_q) begin
            state_q <= SEEK;
            count_q <= '0;
            ended_q <= 1'b0;
            peer_q  <= 1'b0;
            words_q <= 1'b0;
            prbs_q  <= 1'b0;
        end
    end

    // --- What it heard: the PRBS while it trains, then the control words ------------------------
    logic             looks, full_q;
    logic [WIRES-1:0] highest;
    always_comb
        for (int w = 0; w < WIRES; w++)
            highest[w] = errors_q[COUNT*w+COUNT-1];
    assign looks = locked && !hold_q && !full_q &&
                   (control ? words_q && !seeks && !lockeds : prbs_q && slot_q != 0);
    always_ff @(posedge clk) begin
        full_q <= seen_q[31] || |highest;
        if (looks || state_q == TUNE)
            seen_q <= seen_q + (looks && control ? 32'((1 + DDR) * BEATS) : 32'(1 + DDR));
        for (int w = 0; w < WIRES; w++)
            if (looks && (control ? code_wrong[w] : bad[w]))
                errors_q[COUNT*w +: COUNT] <= errors_q[COUNT*w +: COUNT] +
                    (DDR != 0 && !control && differ[w] && differ[LANES-WIRES+w] ? 2 : 1);
        if (state_q == ALIGN || (tuned && state_q == TUNE)) begin
            seen_q   <= '0;
            errors_q <= '0;
        end
    end
endmodule

`default_nettype wire
