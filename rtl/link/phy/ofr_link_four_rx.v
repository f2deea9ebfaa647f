// SPDX-License-Identifier: Apache-2.0
// Deserialiser of one of ofr_link_four's ends, all in the clock that comes over the cable: two
// wires, sampled at its rising edge, in the middle of the bit. A word stands still until the next
// is there.
`default_nettype none

module ofr_link_four_rx (
    input  wire logic        clk,      // forwarded by the other end
    input  wire logic [1:0]  wires,
    input  wire logic        slip,     // any clock, for a cycle: words begin a beat later
    output logic [15:0]      word,     // for any clock, from ...
    output logic             toggle_q  // ... a change of this on, for 8 cycles of clk
);
    logic [1:0]  pins_q;
    logic [13:0] shift_q;
    logic [2:0]  beat_q;
    logic        slip1_q, slip2_q;
    always_ff @(posedge clk) begin
        pins_q  <= wires;
        shift_q <= {pins_q, shift_q[13:2]};
        slip1_q <= slip;
        slip2_q <= slip1_q;
        if (!slip2_q)
            beat_q <= beat_q + 3'd1;
        if (&beat_q && !slip2_q) begin
            word     <= {pins_q, shift_q};
            toggle_q <= !toggle_q;
        end
    end
endmodule

`default_nettype wire
