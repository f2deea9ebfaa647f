// SPDX-License-Identifier: Apache-2.0
// A wire's eye in steps of the delay at its pin: of all places, each tried at the delays from the
// least on, the longest row of delays that are good, and the one of them to use. An end of the row
// that is an end of the delays is no edge of the bit: the other one is, and half a bit from it, or
// as far as the delays go, is the best. Else, the middle.
`default_nettype none

module ofr_link_phy_eye #(
    parameter int TAPS = 16, // delays, 1 to 32
    parameter int HALF = 8   // steps of it in half a bit, about, 1 to 64
) (
    input  wire logic       clk,
    input  wire logic       clear,    // the next wire
    input  wire logic       verdict,  // of `place` at delay `tap`, in order
    input  wire logic       good,
    input  wire logic [3:0] place,
    input  wire logic [4:0] tap,
    output logic [5:0]      width_q,  // of the longest row, 0 to TAPS; place and delay to use
    output logic [3:0]      place_q,
    output logic [4:0]      tap_q
);
    localparam [4:0] MOST = 5'(TAPS - 1);
    logic [5:0] run_q, run;           // delays in this row
    logic [4:0] first_q, first, end_tap, best;
    logic       last, ends, low, high;

    assign last    = tap == MOST;
    assign run     = run_q + 6'(good);
    assign first   = run_q == 0 ? tap : first_q;
    assign end_tap = good ? tap : tap - 1;
    assign ends    = verdict && run != 0 && (!good || last);
    assign low     = first == 0;
    assign high    = end_tap == MOST;
    always_comb begin
        best = 5'(({1'b0, first} + {1'b0, end_tap}) >> 1);
        if (low && !high)
            best = 7'(end_tap) > 7'(HALF) ? end_tap - 5'(HALF) : 5'd0;
        else if (high && !low)
            best = 7'(first) + 7'(HALF) > 7'(MOST) ? MOST : first + 5'(HALF);
    end
    always_ff @(posedge clk) begin
        if (verdict) begin
            run_q   <= good && !last ? run : '0;
            first_q <= first;
        end
        if (ends && run > width_q) begin
            width_q <= run;
            place_q <= place;
            tap_q   <= best;
        end
        if (clear) begin
            run_q   <= '0;
            width_q <= '0;
        end
    end
endmodule

`default_nettype wire
