// SPDX-License-Identifier: Apache-2.0
// ofr_link_regs with the most ports and the shortest tick, its registers read as fast as the bus
// can, now and then, or not at all, events in every other cycle (a frame takes two words) or
// seldom: each read shows the count of its tick, nothing lost and nothing twice, and the engine is
// done before the next tick. Prints a line and the seed.
`timescale 1ns / 1ns
`default_nettype none

module link_regs_tb;
    localparam N = 3, TICK = 8, P = 2 * N, WORDS = 7, TICKS = 120;
    integer seed, first, ticks, reads, wrong, late, took, longest, kind, often, i, w;
    logic clk = 0, rst = 1, tick = 0, early = 0, strobe_q = 0;
    logic [P-1:0] up = 0, frame = 0, retry = 0, bad = 0, down = 0, free;
    logic [11:0] adr = 0;
    logic [31:0] rdat, want;

    ofr_link_regs #(.N(N), .TICK(TICK), .BITS(32)) dut (
        .clk, .rst, .link_up(up), .state({6*N{1'b0}}), .why({8*N{1'b0}}), .peer({128*N{1'b0}}),
        .ev_frame(frame), .ev_retry(retry), .ev_bad(bad), .ev_down(down), .ev_tick(tick),
        .phy_bert(), .phy_hold(), .phy_locked({P{1'b1}}), .phy_stopped({P{1'b1}}),
        .phy_lost({P{1'b1}}), .phy_seen({32*P{1'b1}}), .phy_wires({16*8*P{1'b1}}), .early,
        .early_adr(adr), .reg_we(1'b0), .reg_adr(12'd0), .reg_wdat(32'd0), .reg_rdat(rdat)
    );
    always #5 clk = !clk;

    // What is to be seen: counts of this tick, of all before, and as they are shown
    reg [31:0] now [0:P*WORDS-1];
    reg [31:0] next [0:P*WORDS-1];
    reg [31:0] shown [0:P*WORDS-1];
    reg [P-1:0] was_up;
    task count(input integer p);
        integer at;
        begin
            at = p * WORDS;
            for (w = 0; w < WORDS; w = w + 1)
                shown[at + w] = next[at + w];
            next[at]     = shown[at] + up[p];
            next[at + 1] = up[p] != was_up[p] ? 0 : shown[at + 1] + 1;
            if (!up[p] && shown[at] != 0 && next[at + 1] > shown[at + 2])
                next[at + 2] = next[at + 1];
            for (w = 3; w < WORDS; w = w + 1) begin
                next[at + w] = shown[at + w] + now[at + w];
                now[at + w]  = 0;
            end
            was_up[p] = up[p];
        end
    endtask

    integer cycle;
    initial begin
        first = 1;
        if ($value$plusargs("seed=%d", first)) ;
        seed = first;
        {ticks, reads, wrong, late, took, longest, kind, often} = 0;
        was_up = 0;
        for (i = 0; i < P * WORDS; i = i + 1)
            {now[i], next[i], shown[i]} = 0;
        for (cycle = 0; cycle < TICKS << TICK; cycle = cycle + 1) begin
            // Behind the edge that begins a cycle: what is shown in it
            @(posedge clk) #1;
            if (early) begin
                i = adr[8:6];
                want = i < P && !adr[5] && adr[4:2] < WORDS ? shown[i * WORDS + adr[4:2]] : 0;
                reads = reads + 1;
                if (rdat !== want && !(adr[5] && i < P)) begin
                    if (wrong == 0)
                        $display("# cycle %0d: register %x is %0d, not %0d", cycle, adr, rdat,
                                 want);
                    wrong = wrong + 1;
                end
            end
            if (cycle == 10)
                rst = 0;
            took = tick ? 0 : took + 1;
            if (dut.run_q && took > longest)
                longest = took;
            // Its events
            if ((cycle & 2047) == 0) begin
                kind  = $unsigned($random(seed)) % 3;
                often = $unsigned($random(seed)) % 3;
            end
            tick = !rst && (cycle & (1 << TICK) - 1) == 0;
            if (tick && dut.run_q)
                late = late + 1;
            free  = rst ? 0 : often == 0 ? {P{!cycle[0]}} :
                    often == 1 ? ~frame & ~bad & ~retry : 0;
            frame = free & (often == 0 ? ~0 : $random(seed));
            bad   = free & (often == 0 ? ~0 : $random(seed));
            retry = free & (often == 0 ? ~0 : $random(seed) & $random(seed));
            down  = 0;
            for (i = 0; i < P; i = i + 1)
                if ((cycle & 4095) == 100 * i + 77 && !rst) begin
                    down[i] = up[i];
                    up[i]   = $random(seed);
                    down[i] = down[i] && !up[i];
                end
            strobe_q = early;
            early    = kind == 0 ? cycle % 3 == 0
                                 : kind == 1 && !early && !strobe_q &&
                                   $unsigned($random(seed)) % 5 == 0;
            adr      = {3'd4, 9'($random(seed)) & 9'h1fc};
            // As the edge at its end takes them
            if (tick) begin
                ticks = ticks + 1;
                for (i = 0; i < P; i = i + 1)
                    count(i);
            end
            for (i = 0; i < P; i = i + 1) begin
                now[i * WORDS + 3] = now[i * WORDS + 3] | down[i];
                now[i * WORDS + 4] = now[i * WORDS + 4] + frame[i];
                now[i * WORDS + 5] = now[i * WORDS + 5] + bad[i];
                now[i * WORDS + 6] = now[i * WORDS + 6] + retry[i];
            end
        end
        if (wrong != 0 || late != 0 || reads < 500)
            $write("not ");
        $display("ok - seed %0d: %0d ticks, %0d reads, %0d wrong, %0d ticks too early; %s %0d",
                 first, ticks, reads, wrong, late, "cycles of the engine's work:", longest);
        $finish;
    end
endmodule

`default_nettype wire
