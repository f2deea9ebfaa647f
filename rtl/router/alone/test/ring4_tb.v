// SPDX-License-Identifier: Apache-2.0
// A packet of six flits from node 0 to node 1 and one to node 2 of ring4, checked on arrival.
`include "ofr_defs.vh"
`default_nettype none

module ring4_tb;
    logic         clk = 1'b0, rst = 1'b1;
    logic [3:0]   li_valid = '0, li_last = '0, lo_valid, lo_last;
    logic [11:0]  li_ready;
    logic [127:0] li_data = '0, lo_data;
    int           cycle = 0, sent = 0, got = 0;

    ring4 ring (.clk, .rst, .li_valid, .li_ready, .li_vc(8'b01010101), .li_data, .li_last,
                .lo_valid, .lo_ready(4'b1111), .lo_data, .lo_last);

    always #5 clk = !clk;
    always @(posedge clk) begin
        cycle <= cycle + 1;
        for (int i = 0; i < 4; i++)
            if (lo_valid[i]) begin
                $display("cycle %0d: node %0d gets %h%s", cycle, i, lo_data[32*i +: 32],
                         lo_last[i] ? ", the tail" : "");
                got <= got + 1;
            end
    end

    task send(input [3:0] to); // header: words ROUTE and DEST in flit 0, SOURCE and SEQ in flit 1
        for (int f = 0; f < 6; f++) begin
            li_valid[0] = 1'b1;
            li_last[0]  = f == 5;
            li_data[31:0] = f == 0 ? {12'd0, to, 2'b01, 2'(`OFR_PKT_CLASS_MINIMAL), 8'd0, to}
                                   : 32'(32'hda7a0000 + f);
            #1 while (!li_ready[1]) @(negedge clk);
            if (f == 0) $display("cycle %0d: node 0 sends a packet to node %0d", cycle, to);
            @(negedge clk) li_valid[0] = 1'b0;
            sent = sent + 1;
        end
    endtask

    initial begin
        $dumpfile("ring4.vcd");
        $dumpvars(0, ring4_tb);
        repeat (4) @(negedge clk);
        rst = 1'b0;
        repeat (4) @(negedge clk);
        send(4'd1);
        send(4'd2);
        repeat (40) @(negedge clk);
        $display("%0d flits sent, %0d arrived", sent, got);
        $finish;
    end
endmodule

`default_nettype wire
