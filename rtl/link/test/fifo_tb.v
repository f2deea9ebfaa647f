// SPDX-License-Identifier: Apache-2.0
// ofr_link_fifo between two clocks with jitter, +ppm= apart, a word in +every= cycles, for many
// thousand words: none lost, none twice, in order. Prints a line and the seed.
`timescale 1ps / 1ps
`default_nettype none

module fifo_tb;
    integer seed, first, ppm, words, got, lost, wrong, every;
    logic        wclk = 0, rclk = 0, rst = 1, wvalid = 0, rready = 0, wlost, rvalid;
    logic [15:0] wdata = 0, rdata, expect_q = 0;

    ofr_link_fifo #(.W(16), .A(3)) dut (
        .wclk, .wrst(rst), .wvalid, .wdata, .wlost_q(wlost), .rclk, .rrst(rst), .rready, .rvalid,
        .rdata
    );

    // Half periods of 5 ns; each edge up to 0.8 ns late, which does not add up
    real wnext = 0, rnext = 0;
    always begin
        wnext = wnext + 5000;
        #(wnext + $unsigned($random(seed)) % 800 - $time) wclk = !wclk;
    end
    always begin
        rnext = rnext + 5000 * (1.0 - ppm * 1e-6);
        #(rnext + $unsigned($random(seed)) % 800 - $time) rclk = !rclk;
    end

    always @(posedge wclk) if (!rst) begin
        if (wvalid) begin
            wdata <= wdata + 1;
            words <= words + 1;
        end
        wvalid <= every == 1 || $unsigned($random(seed)) % every == 0;
        if (wlost)
            lost <= lost + 1;
    end
    always @(posedge rclk) if (!rst) begin
        if (rvalid && rready) begin
            got <= got + 1;
            if (rdata !== expect_q)
                wrong <= wrong + 1;
            expect_q <= rdata + 1;
        end
        rready <= 1;
    end

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        if (!$value$plusargs("ppm=%d", ppm)) ppm = 0;
        if (!$value$plusargs("every=%d", every)) every = 1;
        first = seed;
        words = 0; got = 0; lost = 0; wrong = 0;
        #200000 rst = 0;
        #400000000;
        $display("%0s - seed %0d, reader %0d ppm faster, a word in %0d cycles:",
                 words > 9000 && got >= words - 8 && lost == 0 && wrong == 0 ? "ok" : "not ok",
                 first, ppm, every, " %0d words, %0d out, %0d lost, %0d wrong", words, got, lost,
                 wrong);
        $finish;
    end
endmodule

`default_nettype wire
