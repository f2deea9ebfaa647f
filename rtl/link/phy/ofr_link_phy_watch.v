// SPDX-License-Identifier: Apache-2.0
// When the physical layer has to train anew, by what the link says that runs over it: it fell for
// silence; many of its frames are damaged; it does not come up, for words that are none.
`default_nettype none
`include "ofr_link.vh"

module ofr_link_phy_watch (
    input  wire logic       clk,
    input  wire logic       rst,
    input  wire logic       enable,   // of the link
    input  wire logic       phy_up,
    input  wire logic       rx_valid, // a word came
    input  wire logic [2:0] state,    // of the link: OFR_LINK_*
    input  wire logic       ev_down,
    input  wire logic       anew,     // with it, as in ofr_link
    input  wire logic       ev_bad,
    input  wire logic       ev_tick,
    output logic            retrain   // pulse
);
    localparam [5:0] MANY = 48; // damaged frames of 4,096 words; 20 at a bit error rate of 1e-4
    logic [11:0] words_q;
    logic [5:0]  bad_q, ticks_q;
    logic        silent, many, late;

    assign silent  = ev_down && anew;
    assign many    = bad_q == MANY;
    assign late    = &ticks_q && ev_tick;
    assign retrain = phy_up && (silent || many || late);
    always_ff @(posedge clk) begin
        words_q <= words_q + 12'(rx_valid);
        bad_q   <= &words_q ? 6'd0 : bad_q + 6'(ev_bad && !many);
        ticks_q <= ticks_q + 6'(ev_tick);
        if (state == `OFR_LINK_UP || state == `OFR_LINK_FAILED || !enable)
            ticks_q <= '0;
        if (rst || !phy_up || retrain) begin
            words_q <= '0;
            bad_q   <= '0;
            ticks_q <= '0;
        end
    end
endmodule

`default_nettype wire
