// SPDX-License-Identifier: Apache-2.0
// Go-back-N, the sender's side: which frames are in the retry buffer, and which is next to send.
// Frames are numbered modulo 16; the buffer has 8 places, frame s is in place s modulo 8. In steps
// from the oldest: ack <= send <= close <= ack + 8, but for the cycles after an ACK has
// overtaken `send`, which then is the seq of a frame that the other end has: it is not sent on.
`default_nettype none

module ofr_link_window #(
    parameter int SLOW = 1       // of ofr_link
) (
    input  wire logic       clk,
    input  wire logic [1:0] slot,
    input  wire logic       clear,   // the link is down
    input  wire logic       closes,  // the open frame is complete; only while !full
    input  wire logic       sent,    // frame `send` has been put on the wire
    input  wire logic       between, // no frame is being sent: `send` may go back
    input  wire logic       acked,   // the other end waits for frame `ack`
    input  wire logic [3:0] ack,
    input  wire logic       nak,     // ... and wants it again
    output logic [3:0]      close_q, // the open frame
    output logic [3:0]      send_q,
    output logic [3:0]      send_d,
    output logic [3:0]      ack_q,   // the oldest that is kept
    output logic            late_q,  // `send` is behind it
    output logic            full,    // there is no place for the open frame
    output logic            full_next, // ... in the next cycle; SLOW = 1 only
    output logic            may_send_q, // frame `send` is complete and not acknowledged
    output logic            idle_q,  // all complete frames have been sent, less than 6 are kept
    output logic            idle_next, // SLOW = 1 only
    output logic            waits,   // not all complete frames are acknowledged
    output logic            moves,   // event: an acknowledgement of something new
    output logic            retries  // event: goes back
);
    logic [3:0] ack_d, stored;
    logic       back_q, late_d; // asked to go back; ACK has overtaken `send`

    assign stored  = close_q - ack_q;
    assign full    = stored[3];
    assign waits   = stored != 0;
    assign moves   = acked && ack != ack_q;
    assign retries = between && (back_q || late_q);
    assign ack_d   = acked ? ack : ack_q;
    assign send_d  = retries ? ack_q : send_q + 4'(sent);
    // Kept until it is seen to: `send` may by then be 16 behind `close`, which looks like 0
    assign late_d  = (late_q && !retries) || 4'(close_q - send_d) > 4'(close_q - ack_d);

    logic [3:0] close_d, oldest_d;
    logic       back_d, may_send_d, idle_d, over_d;
    always_comb begin
        close_d    = close_q + 4'(closes);
        oldest_d   = ack_d;
        back_d     = (back_q && !between) || nak;
        over_d     = late_d;
        may_send_d = send_d != close_q && !back_d && !late_d;
        // Not with frames of a flit each when acknowledgements take long: the last places are for
        // longer ones
        idle_d     = send_d == close_q && !full && stored[2:1] != 2'b11;
        if (clear) begin
            close_d    = '0;
            oldest_d   = '0;
            back_d     = 1'b0;
            over_d     = 1'b0;
            may_send_d = 1'b0;
            idle_d     = 1'b0;
        end
    end
    generate
        if (SLOW == 1) begin : g_next
            assign full_next = 4'(close_d - oldest_d) >= 4'd8;
            assign idle_next = idle_d;
        end else begin : g_no_next
            assign full_next = 1'b0;
            assign idle_next = 1'b0;
        end
    endgenerate
    ofr_link_slow #(.WIDTH(16), .SLOW(SLOW)) u_state (
        .clk, .slot, .en(1'b1),
        .d({close_d, clear && between ? 4'd0 : send_d, oldest_d, back_d, over_d, may_send_d,
            idle_d}),
        .q({close_q, send_q, ack_q, back_q, late_q, may_send_q, idle_q})
    );
endmodule

`default_nettype wire
