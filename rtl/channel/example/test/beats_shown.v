// SPDX-License-Identifier: Apache-2.0
// Prints an end's pins for the waveforms, from the cycle before its first beat on:
// "NAME cycle pin value ...".
`default_nettype none

module beats_shown #(
    parameter     NAME  = "",
    parameter     PINS  = "",
    parameter int END   = 0,
    parameter int SHOWN = 24 // cycles
) (
    input wire logic        clk,
    input wire logic        rst,
    input wire logic        valid,
    input wire logic        ready,
    input wire logic [31:0] data,
    input wire logic        last
);
    string now, past;
    int    cycle = 0;
    always @(posedge clk) begin
        now = $sformatf("%0s_tvalid[%0d] %b %0s_tready[%0d] %b", PINS, END, valid, PINS, END,
                        ready);
        now = $sformatf("%0s %0s_tdata[%0d] %0d %0s_tlast[%0d] %b", now, PINS, END, data, PINS, END,
                        last);
        if (cycle == 0 && !rst && valid && ready) begin
            $display("%0s 0 %0s", NAME, past);
            cycle = 1;
        end
        if (cycle > 0 && cycle < SHOWN) begin
            $display("%0s %0d %0s", NAME, cycle, now);
            cycle = cycle + 1;
        end
        past = now;
    end
endmodule

`default_nettype wire
