// SPDX-License-Identifier: Apache-2.0
// One dimension's ways from a node to another, two at a time, a cycle after their addresses: a
// read-only table in a block RAM.
//
// An address is {odd, k, diff}: bit 0 of the coordinate where the way starts (it tells which of its
// two ports has the link where k = 2), the size modulo 16, and the difference of the coordinates,
// a number in two's complement that may be off by any multiple of k.
`default_nettype none

module ofr_ways (
    input  wire logic       clk,
    input  wire logic [9:0] at_a,
    input  wire logic [9:0] at_b,
    output logic [17:0]     a,
    output logic [5:0]      b
);
    // 3:0    hops the shorter way, d
    // 5:4    it goes 0: nowhere, 1: +, 2: -, 3: either way (k/2 hops and k > 2)
    // 10:6   the same with a sign: g d, where + is taken for 3
    // 14:11  floor((g d + k) / 2): from here to the WIDN of beta = 1
    // 15     UP and DOWN drop a candidate here (k = 1, or k = 2 and d > 0)
    // 17:16  there is a link at the node's port -, +
    // size: k; plus: hops going +
    function automatic [17:0] way(input [4:0] size, input [4:0] plus, input odd);
        reg       minus;
        reg [3:0] d;
        reg [4:0] go;
        reg [3:0] wrap;
        begin
            minus = size == 5'd2 ? odd && plus[0] : {1'b0, plus} > {1'b0, size} - {1'b0, plus};
            d     = minus ? size[3:0] - plus[3:0] : plus[3:0];
            go    = minus ? plus - size : plus;
            wrap  = 4'(({go[4], go} + {1'b0, size}) >> 1);
            way   = {size > 5'd2 || (size == 5'd2 && odd), size > 5'd2 || (size == 5'd2 && !odd),
                     size == 5'd1 || (size == 5'd2 && d != 4'd0), wrap, go,
                     minus || (size != 5'd2 && {plus, 1'b0} == {1'b0, size}),
                     d != 4'd0 && !minus, d};
        end
    endfunction

    (* ram_style = "block" *) reg [17:0] rom [0:1023];
    initial
        for (int k = 1; k <= 16; k++)
            for (int diff = -16; diff < 16; diff++) begin
                rom[k % 16 * 32 + (diff + 32) % 32]       = way(5'(k), 5'((diff + 16 * k) % k), 0);
                rom[k % 16 * 32 + (diff + 32) % 32 + 512] = way(5'(k), 5'((diff + 16 * k) % k), 1);
            end
    always_ff @(posedge clk) begin
        a <= rom[at_a];
        b <= rom[at_b][5:0];
    end
endmodule

`default_nettype wire
