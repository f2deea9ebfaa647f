// SPDX-License-Identifier: Apache-2.0
// What ofr_link_regs shows of physical layers, six ports and the shortest tick, each port in a
// clock of its own, up to 0.7% off, whose registers are unknown for a while at its edges: all words
// of a port are of one instant, a new one every tick. And NODE.BERT: for as many ticks as it says,
// not longer. Prints a line and the seed.
`timescale 1ps / 1ps
`include "ofr_defs.vh"
`default_nettype none

module link_phy_regs_tb;
    localparam N = 3, TICK = 8, P = 2 * N, WIRES = 7, PAIRS = 4, TICKS = 50;
    integer seed, first, cycle, ticks, reads, wrong, stale, tests, i, port, word, left, mask, began;
    logic clk = 0, rst = 1, tick = 0, early = 0, we = 0;
    logic [11:0] adr = 0, wadr = 0;
    logic [31:0] rdat, wdat = 0, got, now, count [0:P-1];
    logic [P-1:0] bert;
    logic hold;
    logic [32*P-1:0] seen;
    logic [16*P*WIRES-1:0] wires;
    logic [P-1:0] locked, stopped, lost;

    ofr_link_regs #(.N(N), .TICK(TICK), .BITS(WIRES), .PHY(1), .WIRES(WIRES)) dut (
        .clk, .rst, .link_up({P{1'b1}}), .state({P{3'd3}}), .why({P{4'd2}}), .peer({64*P{1'b0}}),
        .ev_frame({P{1'b1}}), .ev_retry({P{1'b0}}), .ev_bad({P{1'b0}}), .ev_down({P{1'b0}}),
        .ev_tick(tick), .phy_bert(bert), .phy_hold(hold), .phy_locked(locked),
        .phy_stopped(stopped), .phy_lost(lost), .phy_seen(seen), .phy_wires(wires), .early,
        .early_adr(adr), .reg_we(we), .reg_adr(wadr), .reg_wdat(wdat), .reg_rdat(rdat)
    );
    always #5000 clk = !clk;

    function [15:0] wire_of(input [31:0] n, input integer p, input integer k);
        wire_of = n[15:0] * 16'd40503 + n[31:16] + 16'(1000 * p + 77 * k);
    endfunction

    // A port's receiver: counts in its clock but while it is held
    for (genvar g = 0; g < P; g = g + 1) begin : g_port
        logic rx = 0, hold1 = 0, hold2 = 0;
        initial count[g] = g << 20;
        always #(5000 + 7 * (g - 3)) rx = !rx;
        always @(posedge rx) begin
            hold1 <= hold;
            hold2 <= hold1;
            if (!hold2) begin
                seen[32*g +: 32] = 'x;
                wires[16*WIRES*g +: 16*WIRES] = 'x;
                #3000 count[g] = count[g] + 1;
                seen[32*g +: 32] = count[g];
                for (int k = 0; k < WIRES; k = k + 1)
                    wires[16*(WIRES*g+k) +: 16] = wire_of(count[g], g, k);
            end
        end
    end

    // The register's value in the cycle behind the one with `early`
    task show(input [11:0] at);
        begin
            early = 1;
            adr = at;
            @(posedge clk) #1 got = rdat;
            early = 0;
            @(posedge clk) #1;
        end
    endtask
    task bad(input [8*24-1:0] what);
        begin
            if (wrong < 3)
                $display("# tick %0d, port %0d, %0s: %x", ticks, port, what, got);
            wrong = wrong + 1;
        end
    endtask

    always @(posedge clk) begin
        #1 cycle = cycle + 1;
        tick = !rst && (cycle & (1 << TICK) - 1) == 0;
        ticks = ticks + tick;
    end

    // A word behind the other, all of one tick
    task port_words;
        begin
            began = ticks;
            show(`OFR_LINKS_SEEN + 12'h40 * port);
            now = got;
            if (^now === 1'bx || now[31:20] != port)
                bad("seen");
            else if (count[port] - now > 3 << TICK)
                stale = stale + 1;
            for (word = 0; word < PAIRS; word = word + 1) begin
                show(`OFR_LINKS_WIRES + 12'h40 * port + 4 * word);
                if (ticks == began && !tick && (got[15:0] !== wire_of(now, port, 2 * word) ||
                    got[31:16] !== (2 * word + 1 < WIRES ? wire_of(now, port, 2 * word + 1) : 0)))
                    bad("wires");
                reads = reads + 1;
            end
            show(`OFR_LINKS_STATE + 12'h40 * port);
            if (got[28:24] !== {bert[port], lost[port], stopped[port], locked[port], 1'b1})
                bad("state");
        end
    endtask

    // NODE.BERT: written in the middle of a tick
    task test(input integer for_ticks);
        begin
            while ((cycle & 255) != 100)
                @(posedge clk) #2;
            mask = 1 + $unsigned($random(seed)) % 63;
            we = 1;
            wadr = `OFR_NODE_BERT;
            wdat = mask << `OFR_NODE_BERT_PORTS_LSB | for_ticks;
            @(posedge clk) #1 we = 0;
            if (bert !== mask)
                bad("bert is not on");
            left = ticks + for_ticks;
            show(`OFR_NODE_BERT);
            if (for_ticks != 0 && got !== wdat)
                bad("NODE.BERT");
            while (ticks < left) begin
                if (bert !== mask)
                    bad("bert ended too early");
                @(posedge clk) #2;
            end
            repeat (3)
                @(posedge clk) #2;
            if (bert !== 0)
                bad("bert does not end");
            show(`OFR_NODE_BERT);
            if (got !== 0)
                bad("NODE.BERT afterwards");
            tests = tests + 1;
        end
    endtask

    initial begin
        first = 1;
        if ($value$plusargs("seed=%d", first)) ;
        seed = first;
        {cycle, ticks, reads, wrong, stale, tests} = 0;
        {locked, stopped, lost} = 18'($random(seed));
        repeat (20)
            @(posedge clk) #2;
        rst = 0;
        while (ticks < 3)
            @(posedge clk) #2;
        while (ticks < TICKS) begin
            port = $unsigned($random(seed)) % P;
            i = 1 + $unsigned($random(seed)) % 100;
            repeat (i)
                @(posedge clk) #2;
            port_words;
            if ($unsigned($random(seed)) % 8 == 0)
                test($unsigned($random(seed)) % 4);
        end
        if (wrong != 0 || stale != 0 || reads < 100 || tests < 3)
            $write("not ");
        $display("ok - seed %0d: %0d words, %0d wrong, %0d stale, %0d bit error tests", first,
                 reads, wrong, stale, tests);
        $finish;
    end
endmodule

`default_nettype wire
