// SPDX-License-Identifier: Apache-2.0
// Proof: go-back-N as built, both sides' modules, delivers frames in order: each once, none left
// out, none whose place in the buffer was written anew while it was sent. The wire between them
// loses and damages what it likes (a damaged frame is `bad`: the CRC finds it) but does not
// overtake; up to four frames are on it one way and three acknowledgements the other. Frames have
// whole numbers here, of which the modules see the low four bits. By induction: for any time.
`default_nettype none

module ofr_link_retry (
    input wire logic       clk,
    input wire logic       closes,   // what the packer, the framer and the wire choose to do
    input wire logic       stores,
    input wire logic       starts,
    input wire logic       ends,
    input wire logic       idles,
    input wire logic       arrives,  // the oldest frame on the wire
    input wire logic       damaged,
    input wire logic       vanishes, // it is not even noticed
    input wire logic       tick,
    input wire logic       says,     // the receiver's end sends ACK (and NAK)
    input wire logic       hears,    // the oldest of these arrives
    input wire logic       forgets   // or does not
);
    localparam int G = 6; // bits of whole numbers: modulo 64, far more than they differ
    localparam int F = 4, A = 3;

    function automatic logic le(input logic [G-1:0] a, input logic [G-1:0] b);
        logic [G-1:0] d;
        d  = b - a;
        le = !d[G-1];
    endfunction

    // The two modules
    logic [3:0] close, send, send_d, expects, oldest;
    logic       late_q, full, may_send, idle, waits, moves, retries, takes, wants, nak;
    logic       acked, nak_heard, up_q = 1'b0;
    logic       go_close, go_start, go_end, between, go_arrive, ok, bad, quick;
    logic       busy_q = 1'b0, torn_q = 1'b0, closed_q = 1'b0;

    // Whole numbers
    logic [G-1:0] gclose = '0, gsend = '0, gack = '0, gexpects = '0, gbusy_close = '0;
    // Frames on the wire, the oldest is 0: number; `close` when it was begun; torn
    logic [2:0]   frames = '0;
    logic [G-1:0] f0 = '0, f1 = '0, f2 = '0, f3 = '0, c0 = '0, c1 = '0, c2 = '0, c3 = '0;
    logic         t0 = '0, t1 = '0, t2 = '0, t3 = '0;
    // Acknowledgements under way, the oldest is 0
    logic [1:0]   acks = '0;
    logic [G-1:0] a0 = '0, a1 = '0, a2 = '0;
    logic         n0 = '0, n1 = '0, n2 = '0, nak_q = 1'b0;

    assign go_close  = up_q && closes && !full;
    // The open frame goes as it is closed; it has flits, so none was closed in the cycle before
    assign quick     = go_close && idle && !closed_q && !retries;
    assign go_start  = up_q && !busy_q && starts && (may_send || quick);
    assign between   = !busy_q && (starts || idles);
    assign go_end    = up_q && busy_q && ends && frames != F;
    assign go_arrive = up_q && arrives && frames != 0;
    assign ok        = go_arrive && !damaged && !vanishes;
    assign bad       = go_arrive && damaged && !vanishes;
    assign acked     = up_q && hears && acks != 0 && !forgets;
    assign nak_heard = acked && n0;

    ofr_link_window u_window (
        .clk, .clear(!up_q), .closes(go_close), .sent(go_end), .between(between || !up_q), .acked,
        .ack(a0[3:0]), .nak(nak_heard), .close_q(close), .send_q(send), .send_d, .ack_q(oldest),
        .late_q, .full, .full_next(), .may_send_q(may_send), .idle_q(idle), .idle_next(), .waits,
        .moves, .retries
    );
    ofr_link_order u_order (
        .clk, .clear(!up_q), .tick, .ok, .bad, .numbered(1'b1), .flits(1'b1), .seq(f0[3:0]),
        .takes, .expects_q(expects), .wants_q(wants), .nak
    );

    logic         go_say, go_hear;
    logic [2:0]   frames_left;
    logic [1:0]   acks_left;
    assign go_hear     = up_q && hears && acks != 0;
    assign acks_left   = acks - 2'(go_hear);
    assign go_say      = up_q && says && acks_left != A;
    assign frames_left = frames - 3'(go_arrive);

    always_ff @(posedge clk) begin
        up_q <= 1'b1;
        if (up_q) begin
            gclose   <= gclose + G'(go_close);
            closed_q <= go_close;
            gsend  <= retries ? gack : gsend + G'(go_end);
            if (acked)
                gack <= a0;
            gexpects <= gexpects + G'(takes);
            // Being sent
            if (go_start) begin
                busy_q      <= 1'b1;
                gbusy_close <= gclose + G'(go_close && !may_send);
                torn_q      <= 1'b0;
            end
            // A flit into the open frame's place, which is that of the frame being sent
            if ((busy_q || go_start) && stores && !go_close && !full && gclose[2:0] == gsend[2:0])
                torn_q <= 1'b1;
            if (go_end)
                busy_q <= 1'b0;
            // The wire
            if (go_arrive) begin
                {f0, f1, f2} <= {f1, f2, f3};
                {c0, c1, c2} <= {c1, c2, c3};
                {t0, t1, t2} <= {t1, t2, t3};
            end
            if (go_end) begin
                case (frames_left)
                    0: {f0, c0, t0} <= {gsend, gbusy_close, torn_q};
                    1: {f1, c1, t1} <= {gsend, gbusy_close, torn_q};
                    2: {f2, c2, t2} <= {gsend, gbusy_close, torn_q};
                    default: {f3, c3, t3} <= {gsend, gbusy_close, torn_q};
                endcase
            end
            frames <= frames_left + 3'(go_end);
            // The way back
            if (go_hear) begin
                {a0, a1} <= {a1, a2};
                {n0, n1} <= {n1, n2};
            end
            nak_q <= nak || (nak_q && !go_say);
            if (go_say) begin
                case (acks_left)
                    0: {a0, n0} <= {gexpects, nak_q};
                    1: {a1, n1} <= {gexpects, nak_q};
                    default: {a2, n2} <= {gexpects, nak_q};
                endcase
            end
            acks <= acks_left + 2'(go_say);
        end
    end

`ifdef FORMAL
    // What is promised
    always_comb
        if (up_q && takes) begin
            in_order: assert (f0 == gexpects);
            whole:    assert (!t0);
            verified: assert (ok && !bad);
        end

    // Why: the modules' numbers are the low bits, and who is ahead of whom
    logic         same, frames_ok, acks_ok;
    logic [G-1:0] newest;
    assign same = close == gclose[3:0] && send == gsend[3:0] && expects == gexpects[3:0] &&
                  oldest == gack[3:0];
    assign newest = busy_q ? gbusy_close : gsend + G'(8); // no frame on the wire knows of more

    function automatic logic frame_ok(input logic [G-1:0] f, input logic [G-1:0] c,
                                      input logic [G-1:0] next_c, input logic t);
        frame_ok = le(f + G'(1), c) && le(c, f + G'(8)) && le(c, next_c) && le(c, gclose) &&
                   le(gexpects, f + G'(8)) && (!t || le(f + G'(1), gack));
    endfunction
    assign frames_ok = frames <= F &&
        (frames < 1 || frame_ok(f0, c0, frames > 1 ? c1 : newest, t0)) &&
        (frames < 2 || frame_ok(f1, c1, frames > 2 ? c2 : newest, t1)) &&
        (frames < 3 || frame_ok(f2, c2, frames > 3 ? c3 : newest, t2)) &&
        (frames < 4 || frame_ok(f3, c3, newest, t3));
    assign acks_ok = acks <= A &&
        (acks < 1 || (le(gack, a0) && le(a0, gexpects))) &&
        (acks < 2 || (le(a0, a1) && le(a1, gexpects))) &&
        (acks < 3 || (le(a1, a2) && le(a2, gexpects)));

    always_comb
        if (up_q) begin
            numbers: assert (same);
            stored:  assert (le(gack, gclose) && le(gclose, gack + G'(8)));
            known:   assert (le(gack, gexpects) && le(gexpects, gclose));
            sending: assert (le(gsend, gclose) && le(gexpects, gsend + G'(8)) &&
                             le(gclose, gsend + G'(16)));
            late:    assert (late_q || le(gack, gsend));
            all:     assert (!idle || closed_q || gsend == gclose);
            ready:   assert (!may_send || (le(gack, gsend) && le(gsend + G'(1), gclose)));
            begun:   assert (!busy_q || (le(gsend + G'(1), gbusy_close) &&
                                         le(gbusy_close, gsend + G'(8)) &&
                                         le(gbusy_close, gclose) && le(gexpects, gbusy_close)));
            newer:   assert (!busy_q || !torn_q || le(gsend + G'(1), gack));
            wire_ok: assert (frames_ok);
            back_ok: assert (acks_ok);
        end else begin
            start:   assert (frames == 0 && acks == 0 && !busy_q && gclose == 0 && gsend == 0 &&
                             gack == 0 && gexpects == 0);
        end
`endif
endmodule

`default_nettype wire
