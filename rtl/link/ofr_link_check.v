// SPDX-License-Identifier: Apache-2.0
// The 5 check bits of a frame's first half-word: an extended Hamming code (16, 11) with columns of
// odd weight (Hsiao 1970). Any two legal half-words differ in at least 4 bits. Combinational.
`default_nettype none

module ofr_link_check (
    input  wire logic [10:0] info,
    output logic [4:0]       check
);
    // Column of info bit i: the odd-weight numbers of 5 bits that are no power of two, in order
    assign check[0] = ^(info & 11'b10010110111);
    assign check[1] = ^(info & 11'b10101011011);
    assign check[2] = ^(info & 11'b11001101101);
    assign check[3] = ^(info & 11'b11110001110);
    assign check[4] = ^(info & 11'b11111110000);
endmodule

`default_nettype wire
