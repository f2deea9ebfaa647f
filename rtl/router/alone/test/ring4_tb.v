// SPDX-License-Identifier: Apache-2.0
// Node 0 of ring4 sends a packet of six flits to node 1 and one to node 2; what arrives is printed.
`include "ofr_defs.vh"
`default_nettype none

module ring4_tb;
    logic         clk = 0, rst = 1;
    logic [3:0]   li_valid = 0, li_last = 0, lo_valid, lo_last;
    logic [11:0]  li_ready;
    logic [127:0] li_data = 0, lo_data;
    int           cycle = 0, got = 0;
    ring4 ring (.clk, .rst, .li_valid, .li_ready, .li_vc(8'b01010101), .li_data, .li_last,
                .lo_valid, .lo_ready(4'b1111), .lo_data, .lo_last);
    always #5 clk = !clk;
    always @(posedge clk) begin
        cycle <= cycle + 1;
        got   <= got + $countones(lo_valid);
        for (int i = 0; i < 4; i++)
            if (lo_valid[i]) $display("cycle %0d: node %0d gets %h%s", cycle, i,
                                      lo_data[32*i +: 32], lo_last[i] ? ", the tail" : "");
    end
    task send(input [3:0] to); // flit 0 is the header's words ROUTE and DEST
        for (int f = 0; f < 6; f++) begin
            {li_valid[0], li_last[0]} <= {1'b1, f == 5};
            li_data[31:0] <= f == 0 ? {12'd0, to, 2'b01, 2'(`OFR_PKT_CLASS_MINIMAL), 8'd0, to}
                                    : 32'(32'hda7a0000 + f);
            do @(posedge clk); while (!li_ready[1]);
            if (f == 0) $display("cycle %0d: node 0 sends a packet to node %0d", cycle, to);
        end
        li_valid[0] <= 0;
    endtask
    initial begin
        $dumpfile("ring4.vcd"); $dumpvars(0, ring4_tb);
        repeat (4) @(posedge clk); rst <= 0;
        repeat (40) @(posedge clk); send(4'd1); send(4'd2); // tables of coordinates: 33 cycles
        repeat (40) @(posedge clk); $display("%0d of 12 flits arrived", got); $finish;
    end
endmodule

`default_nettype wire
