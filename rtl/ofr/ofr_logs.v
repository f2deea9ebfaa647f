// SPDX-License-Identifier: Apache-2.0
// Binary logarithms in a block RAM, two at a time, a cycle after their addresses. Read-only; for
// one at a time leave b open.
//
// An address is a number in A bits of two's complement. Its row is log2 of the magnitude in units
// of 2^-F, rounded, and for a negative number BIAS units more. Row 0 is log2(2), marked. With ODD =
// 1 an address has a bit more on top; where it is 1, the row is log2(2 x + 1) of the lower A bits
// x.
`default_nettype none

module ofr_logs #(
    parameter int F    = 28, // bits of fraction, 1 to 28
    parameter int A    = 10, // bits of a number, 7 to 10
    parameter int ODD  = 0,  // 0 or 1
    parameter int BIAS = 6   // units, 0 to 15
) (
    input  wire logic             clk,
    input  wire logic [A+ODD-1:0] at_a,
    input  wire logic [A+ODD-1:0] at_b,
    output logic [F+4:0]          a, // bit F + 4: the number was 0
    output logic [F+4:0]          b
);
    // Fractions of log2(511) down to log2(256): `build/tests/test_logs print` writes these lines,
    // `build/tests/test_logs` checks them.
    localparam logic [28*256-1:0] FRACTIONS = {
    28'hff47279, 28'hfe8df26, 28'hfdd4603, 28'hfd1a709, 28'hfc60232, 28'hfba5778, 28'hfaea6d6,
    28'hfa2f046, 28'hf9733c1, 28'hf8b7141, 28'hf7fa8c0, 28'hf73da39, 28'hf6805a4, 28'hf5c2afc,
    28'hf504a3b, 28'hf44635a, 28'hf387652, 28'hf2c831e, 28'hf2089b7, 28'hf148a17, 28'hf088437,
    28'hefc7810, 28'hef0659d, 28'hee44cd6, 28'hed82db4, 28'hecc0832, 28'hebfdc48, 28'heb3a9f0,
    28'hea77123, 28'he9b31d9, 28'he8eec0d, 28'he829fb7, 28'he764ccf, 28'he69f350, 28'he5d9332,
    28'he512c6e, 28'he44befd, 28'he384ad7, 28'he2bcff6, 28'he1f4e51, 28'he12c5e3, 28'he0636a2,
    28'hdf9a089, 28'hded038e, 28'hde05fac, 28'hdd3b4da, 28'hdc70310, 28'hdba4a48, 28'hdad8a78,
    28'hda0c39a, 28'hd93f5a6, 28'hd872093, 28'hd7a445b, 28'hd6d60f4, 28'hd607656, 28'hd53847b,
    28'hd468b59, 28'hd398ae8, 28'hd2c8321, 28'hd1f73fa, 28'hd125d6b, 28'hd053f6d, 28'hcf819f6,
    28'hceaecff, 28'hcddb87d, 28'hcd07c6a, 28'hcc338bb, 28'hcb5ed69, 28'hca89a6b, 28'hc9b3fb7,
    28'hc8ddd45, 28'hc80730b, 28'hc730101, 28'hc65871e, 28'hc580558, 28'hc4a7ba6, 28'hc3ce9fe,
    28'hc2f5058, 28'hc21aeaa, 28'hc1404eb, 28'hc065310, 28'hbf89911, 28'hbead6e3, 28'hbdd0c7d,
    28'hbcf39d4, 28'hbc15ee0, 28'hbb37b96, 28'hba58feb, 28'hb979bd7, 28'hb899f4e, 28'hb7b9a46,
    28'hb6d8cb5, 28'hb5f7691, 28'hb5157cf, 28'hb433065, 28'hb350047, 28'hb26c76c, 28'hb1885c8,
    28'hb0a3b50, 28'hafbe7fa, 28'haed8bbb, 28'hadf2686, 28'had0b852, 28'hac24113, 28'hab3c0be,
    28'haa53746, 28'ha96a4a1, 28'ha8808c4, 28'ha7963a1, 28'ha6ab52e, 28'ha5bfd5e, 28'ha4d3c26,
    28'ha3e7179, 28'ha2f9d4c, 28'ha20bf92, 28'ha11d83f, 28'ha02e747, 28'h9f3ec9c, 28'h9e4e832,
    28'h9d5d9fd, 28'h9c6c1f0, 28'h9b79ffe, 28'h9a87419, 28'h9993e35, 28'h989fe45, 28'h97ab43b,
    28'h96b600a, 28'h95c01a4, 28'h94c98fb, 28'h93d2603, 28'h92da8ac, 28'h91e20ea, 28'h90e8eae,
    28'h8fef1ea, 28'h8ef4a8f, 28'h8df988f, 28'h8cfdbdc, 28'h8c01468, 28'h8b04222, 28'h8a064fd,
    28'h8907cea, 28'h88089d9, 28'h8708bbb, 28'h8608280, 28'h8506e1a, 28'h8404e79, 28'h830238d,
    28'h81fed46, 28'h80fab94, 28'h7ff5e67, 28'h7ef05ae, 28'h7dea15a, 28'h7ce315a, 28'h7bdb59d,
    28'h7ad2e12, 28'h79c9aa8, 28'h78bfb4f, 28'h77b4ff5, 28'h76a9889, 28'h759d4f8, 28'h7490532,
    28'h7382925, 28'h72740be, 28'h7164beb, 28'h7054a9b, 28'h6f43cba, 28'h6e32237, 28'h6d1fafe,
    28'h6c0c6fc, 28'h6af861e, 28'h69e3852, 28'h68cdd83, 28'h67b759d, 28'h66a008e, 28'h6587e41,
    28'h646eea2, 28'h635519d, 28'h623a71d, 28'h611ef0d, 28'h6002959, 28'h5ee55eb, 28'h5dc74af,
    28'h5ca858e, 28'h5b88873, 28'h5a67d49, 28'h59463f9, 28'h5823c6d, 28'h570068e, 28'h55dc247,
    28'h54b6f7f, 28'h5390e20, 28'h5269e13, 28'h5141f40, 28'h501918f, 28'h4eef4e8, 28'h4dc4934,
    28'h4c98e59, 28'h4b6c43f, 28'h4a3eacd, 28'h49101eb, 28'h47e097e, 28'h46b016d, 28'h457e99e,
    28'h444c1f7, 28'h4318a5d, 28'h41e42b7, 28'h40aeae9, 28'h3f782d7, 28'h3e40a67, 28'h3d0817d,
    28'h3bce7fc, 28'h3a93dca, 28'h39582c8, 28'h381b6da, 28'h36dd9e3, 28'h359ebc6, 28'h345ec64,
    28'h331dba1, 28'h31db95d, 28'h309857a, 28'h2f53fd9, 28'h2e0e85b, 28'h2cc7edf, 28'h2b80347,
    28'h2a37572, 28'h28ed53f, 28'h27a228e, 28'h2655d3c, 28'h2508529, 28'h23b9a33, 28'h2269c37,
    28'h2118b12, 28'h1fc66a1, 28'h1e72ec1, 28'h1d1e34e, 28'h1bc8424, 28'h1a7111e, 28'h1918a17,
    28'h17beee9, 28'h1663f70, 28'h1507b83, 28'h13aa2fe, 28'h124b5b8, 28'h10eb38a, 28'h0f89c4c,
    28'h0e26fd6, 28'h0cc2dfe, 28'h0b5d69c, 28'h09f6985, 28'h088e68f, 28'h0724d8f, 28'h05b9e5a,
    28'h044d8c4, 28'h02dfca1, 28'h01709c4, 28'h0000000
    };

    // log2(i) - down, i = 256 to 511.
    function automatic [F+4:0] log2(input int i, input int down);
        reg [29:0] twice;
        begin
            twice = {1'b0, FRACTIONS[28*(i-256)+:28], 1'b0} >> (28 - F);
            twice = twice + 30'd1;
            log2  = {1'b0, 4'(8 - down), {F{1'b0}}} + {4'd0, twice[F+1:1]};
        end
    endfunction

    (* ram_style = "block" *) reg [F+4:0] rom [0:(1<<(A+ODD))-1];
    initial begin
        for (int i = 0; i < 1 << (A + ODD); i++)
            rom[i] = '0;
        for (int i = 256; i < 512; i++)
            for (int down = 0; down <= 8; down++) // i and what it is a power of 2 times
                if (i % (1 << down) == 0) begin
                    if (i >> down < 1 << (A - 1)) begin
                        rom[i >> down]              = log2(i, down);
                        rom[(1 << A) - (i >> down)] = log2(i, down) + (F+5)'(BIAS);
                    end
                    if (ODD != 0 && i % (2 << down) != 0 && down > 0)
                        rom[(1 << A) + (i >> down >> 1)] = log2(i, down);
                end
        rom[0] = {1'b1, 4'd1, {F{1'b0}}};
    end
    always_ff @(posedge clk) begin
        a <= rom[at_a];
        b <= rom[at_b];
    end
endmodule

`default_nettype wire
