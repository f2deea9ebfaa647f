// SPDX-License-Identifier: Apache-2.0
// The timer over the carry into its high word: LOW latches HIGH, whatever happens in between.
`default_nettype none
`include "ofr_defs.vh"

module timer_tb;
    logic clk = 0, rst = 1, re = 0;
    logic [3:0] adr = 0;
    logic [31:0] rdat, low;
    int n = 0, failures = 0;
    ofr_timer dut (.*);
    always #1 clk = !clk;

    task automatic read(input [3:0] address, input [31:0] want);
        @(negedge clk) re = 1;
        adr = address;
        #0.5 n++;
        if (rdat !== want) failures++;
        $display("%0sok %0d - timer register %0d is %h (%h)", rdat === want ? "" : "not ", n, adr,
                 want, rdat);
        @(negedge clk) re = 0;
    endtask

    initial begin
        repeat (2) @(negedge clk);
        rst = 0;
        repeat (5) @(negedge clk);
        dut.time_q = 64'h0000_0007_ffff_fffd;
        read(`OFR_TIMER_LOW, 32'hffff_fffe);  // a cycle later
        read(`OFR_TIMER_HIGH, 7);             // the carry has been meanwhile
        read(`OFR_TIMER_LOW, 32'h0000_0002);
        read(`OFR_TIMER_HIGH, 8);
        $display("1..%0d", n);
        if (failures != 0) $fatal(1);
        $finish;
    end
endmodule
`default_nettype wire
