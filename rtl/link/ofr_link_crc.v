// SPDX-License-Identifier: Apache-2.0
// CRC-16 over one word, high bit first: x^16 + x^12 + x^5 + 1
// (CRC-CCITT). Combinational. It detects every error of up to 3 bits, and every odd number of them,
// in any frame (sim/model/test/test_link.c computes that).
`default_nettype none

module ofr_link_crc #(
    parameter int W = 32 // bits of a word: 16, 32, 64
) (
    input  wire logic [15:0]  crc,
    input  wire logic [W-1:0] word,
    output logic [15:0]       next
);
    always_comb begin
        logic feed;
        next = crc;
        for (int i = W - 1; i >= 0; i--) begin
            feed = next[15] ^ word[i];
            next = {next[14:0], 1'b0} ^ (feed ? 16'h1021 : 16'h0000);
        end
    end
endmodule

`default_nettype wire
