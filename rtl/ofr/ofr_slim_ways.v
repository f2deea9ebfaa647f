// SPDX-License-Identifier: Apache-2.0
// One dimension's way from a node to another, a cycle after its address: the read-only table of
// ofr_slim, in a block RAM of 512 x 8. As ofr_ways, but what k = 2 and WRAP need is not in it.
//
// An address is {k, diff}: the size modulo 16, and the difference of the coordinates, a number in
// two's complement that may be off by any multiple of k. A row is, in 4:0, g d, the hops the
// shorter way with its sign, + where both ways are equally short and where k = 2; in 6:5, it goes
// 0: nowhere, 1: + (k = 2: over the one link), 2: -, 3: either way.
`default_nettype none

module ofr_slim_ways (
    input  wire logic       clk,
    input  wire logic [8:0] at,
    output logic [7:0]      way
);
    function automatic [7:0] row(input [4:0] k, input [4:0] plus); // plus: hops going +
        reg       minus;
        reg [4:0] go;
        begin
            minus = k != 5'd2 && {1'b0, plus} > {1'b0, k} - {1'b0, plus};
            go    = minus ? plus - k : plus;
            row   = {1'b0, minus || (k != 5'd2 && {plus, 1'b0} == {1'b0, k}), go != 5'd0 && !minus,
                     go};
        end
    endfunction

    (* ram_style = "block" *) reg [7:0] rom [0:511];
    initial
        for (int k = 1; k <= 16; k++)
            for (int diff = -16; diff < 16; diff++)
                rom[k % 16 * 32 + (diff + 32) % 32] = row(5'(k), 5'((diff + 16 * k) % k));
    always_ff @(posedge clk)
        way <= rom[at];
endmodule

`default_nettype wire
