#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Links' pins with the cells of the ECP5 and the iCE40, double data rate, in simulation: the cells' models
# against what Lattice says of them (the iCE40's is Yosys'), then two physical layers over a cable with
# skew, every pair of pins: both train, find delays a fifth of a bit or more from the edges, and words
# come in order. SEED replays; LONG=1: all pairs, and twins of the pins. TAP.
. tests/tap.sh
work=${B:-build}/rtl/top/link_pins
mkdir -p "$work"
shown=$work/log
seed=${SEED:-1}
echo "# SEED=$seed"
ice40=$(dirname "$(command -v yosys)")/../share/yosys/ice40/cells_sim.v
models='rtl/top/test/IDDRX1F.v rtl/top/test/ODDRX1F.v rtl/top/test/DELAYF.v'

# runs OPTIONS FILE...: Icarus
runs()
{
    # shellcheck disable=SC2086
    iverilog -g2012 -DNO_ICE40_DEFAULT_ASSIGNMENTS -Irtl/link/phy -Irtl/link $1 -s bench -o "$work/sim" $2 \
        > "$work/log" 2>&1 && timeout 100 vvp -n "$work/sim" > "$work/log" 2>&1
}

cat > "$work/cells.v" << 'V'
`timescale 1ps / 1ps
module bench;
    reg clk = 1, load = 0, move = 0, down = 0, a = 0, d0 = 0, d1 = 0, d = 0, bad = 0;
    wire d_pin = d;
    wire q, q0, q1, z, flag, pad;
    wire [1:0] in;
    ODDRX1F o (.SCLK(clk), .RST(1'b0), .D0(d0), .D1(d1), .Q(q));
    IDDRX1F i (.SCLK(clk), .RST(1'b0), .D(d), .Q0(q0), .Q1(q1));
    DELAYF #(.DEL_VALUE(3)) e (.A(a), .LOADN(load), .MOVE(move), .DIRECTION(down), .Z(z), .CFLAG(flag));
    SB_IO #(.PIN_TYPE(6'b010001)) so (.PACKAGE_PIN(pad), .LATCH_INPUT_VALUE(1'b0), .CLOCK_ENABLE(1'b1),
        .INPUT_CLK(1'b0), .OUTPUT_CLK(clk), .OUTPUT_ENABLE(1'b1), .D_OUT_0(d0), .D_OUT_1(d1));
    SB_IO #(.PIN_TYPE(6'b000000)) si (.PACKAGE_PIN(d_pin), .LATCH_INPUT_VALUE(1'b0), .CLOCK_ENABLE(1'b1),
        .INPUT_CLK(clk), .OUTPUT_CLK(1'b0), .OUTPUT_ENABLE(1'b0), .D_OUT_0(1'b0), .D_OUT_1(1'b0),
        .D_IN_0(in[0]), .D_IN_1(in[1]));
    // What went in, 0 the youngest: sampled in the two halves of a period, at the output's and the input's
    reg [1:0] sent [0:3];
    reg risen, risen1, fallen;
    integer n, seen;
    task says(input integer what, input reg ok);
        if (!ok) begin
            $display("wrong %0d at %0d", what, n);
            bad = 1;
        end
    endtask
    task moves(input reg way);
        begin
            #50 down = way;
            #50 move = 1;
            #50 move = 0;
        end
    endtask
    task late(input integer steps); // by so many steps of 25 ps
        begin
            #9000 a = !a;
            #(steps * 25 - 1) says(5, z !== a);
            #2 says(6, z === a);
        end
    endtask
    initial begin
        for (n = 0; n < 200; n = n + 1) begin
            // A rising edge: outputs' first halves after it
            d0 = $urandom; d1 = $urandom;
            d = $urandom;
            #4999 clk = 1;
            {sent[3], sent[2], sent[1], sent[0]} = {sent[2], sent[1], sent[0], d1, d0};
            risen1 = risen; risen = d;
            #1 if (n > 4) begin
                says(1, q === sent[1][0]);
                says(2, q0 === risen1 && q1 === fallen);
                says(3, pad === sent[0][0] && in[0] === risen);
            end
            d = $urandom;
            #4999 clk = 0;
            fallen = d;
            #1 if (n > 4) begin
                says(1, q === sent[1][1]);
                says(2, q0 === risen1);
                says(3, pad === d1 && in[1] === fallen && in[0] === risen);
            end
        end
        load = 0; #100 load = 1;
        late(3);
        for (n = 0; n < 20; n = n + 1) moves(0);
        late(23);
        for (n = 0; n < 7; n = n + 1) moves(1);
        late(16);
        for (n = 0; n < 20; n = n + 1) moves(1);
        says(7, flag === 1);
        #9000 a = !a; #1 says(8, z === a);
        for (n = 0; n < 140; n = n + 1) moves(0);
        says(9, flag === 1);
        late(127);
        #50 load = 0; #50 load = 1;
        late(3);
        $display("cells %0s", bad ? "wrong" : "as documented");
        $finish;
    end
endmodule
V
says() { grep -q "$1" "$work/log"; }
runs '' "$work/cells.v $models $ice40"
check 'cells: bits leave and come in the order of the edges; the delay goes by steps of 25 ps, 0 to 127' \
    says '^cells as documented'
# swapped CELL SED DESCRIPTION
swapped()
{
    sed "$2" "rtl/top/test/$1.v" > "$work/$1.v"
    if cmp -s "$work/$1.v" "rtl/top/test/$1.v"; then
        result 1 "nothing to break in $1.v"
        return
    fi
    runs '' "$work/cells.v $work/$1.v $(echo "$models" | sed "s|rtl/top/test/$1.v||") $ice40"
    check "$3: caught" says '^wrong'
}
swapped IDDRX1F 's/Q0     <= !RST \&\& rise_q/Q0     <= !RST \&\& D/' 'an input whose first bit comes a period early'
swapped ODDRX1F 's/second_q <= !RST \&\& wait_q/second_q <= !RST \&\& pair_q[1]/' 'an output whose second bit is of the next pair'
swapped DELAYF 's/else if (!CFLAG)/else/' 'a delay that goes over its end'

cat > "$work/cable.v" << 'V'
`timescale 1ps / 1ps
module bench;
    parameter A = 2, B = 2, SEED = 1, TAPS = 4;
    localparam WIRES = 2, W = 16, BIT = 6666;
    reg [1:0] clk = 0, rst = 3;
    integer seed = SEED, n, e, w, skew [0:1][0:2], words [0:1], bad = 0, since;
    reg [W-1:0] tx [0:1], next [0:1];
    wire [1:0] up, ready, valid, tx_clk;
    wire [W-1:0] word [0:1];
    wire [WIRES-1:0] out [0:1];
    reg  [WIRES-1:0] in [0:1];
    reg  [1:0] rx_clk = 0;
    wire [5*WIRES-1:0] tap [0:1];
    wire [6*WIRES-1:0] width [0:1];
    always #(BIT)     clk[0] = !clk[0];
    always #(BIT + 1) clk[1] = !clk[1]; // 150 ppm slower
    genvar g, v;
    generate
        for (g = 0; g < 2; g = g + 1) begin : side
            localparam CELLS = g ? B : A;
            ofr_link_phy #(.W(W), .WIRES(WIRES), .CELLS(CELLS), .TAPS(CELLS == 2 ? TAPS : 1),
                           .HALF(TAPS * BIT / 2 / 3200)) phy (
                .clk(clk[g]), .rst(rst[g]), .retrain(1'b0), .bert(1'b0), .hold(1'b0), .tune(5'd8),
                .up(up[g]), .tx_word(tx[g]), .tx_ready(ready[g]), .rx_valid(valid[g]), .rx_word(word[g]),
                .tap(tap[g]), .width(width[g]),
                .cable_tx_clk(tx_clk[g]), .cable_tx(out[g]), .cable_rx_clk(rx_clk[g]), .cable_rx(in[g])
            );
            initial begin // as after configuration
                phy.u_rx.divide_q = 0;
                phy.u_rx.alive_q = 0;
                phy.u_rx.flip_q = 0;
                phy.u_rx.slot_q = 0;
                phy.u_rx.beat_q = 0;
                phy.u_rx.tap_q = 0;
                phy.u_rx.place_q = 0;
            end
            if (CELLS == 1) begin : plain
                initial #(BIT * 100) {phy.g_plain.u_pins.g_double.first_q, phy.g_plain.u_pins.g_double.second_q} = 0;
            end
            // A quarter of a period is half a bit
            always @(tx_clk[g]) rx_clk[1-g] <= #(skew[1-g][WIRES] + BIT / 2) tx_clk[g];
            for (v = 0; v < WIRES; v = v + 1) begin : lane
                always @(out[g][v]) in[1-g][v] <= #(skew[1-g][v]) out[g][v];
            end
            always @(posedge clk[g]) begin
                if (ready[g]) tx[g] <= tx[g] + 1;
                if (valid[g]) begin
                    if (words[g] != 0 && word[g] !== next[g]) bad = bad + 1;
                    next[g]  <= word[g] + 1;
                    words[g] <= words[g] + 1;
                end
            end
        end
    endgenerate
    // Where in its bit an input with cells of the ECP5 is sampled: how far from its ends
    task margin(input integer s, input integer wire_);
        integer at, reach, best, t;
        begin
            best = 0;
            for (t = 0; t < TAPS; t = t + 1) begin
                at = (1000 * BIT + BIT / 2 + skew[s][WIRES] - skew[s][wire_] - t * (128 / TAPS) * 25) % BIT;
                reach = at < BIT - at ? at : BIT - at;
                if (reach > best) best = reach;
            end
            at = (1000 * BIT + BIT / 2 + skew[s][WIRES] - skew[s][wire_] -
                  tap[s][5*wire_ +: 5] * (128 / TAPS) * 25) % BIT;
            reach = at < BIT - at ? at : BIT - at;
            $display("end %0d wire %0d: %0d ps from an edge, could be %0d, %0d delays", s, wire_, reach,
                     best, width[s][6*wire_ +: 6]);
            if (reach < BIT / 5) bad = bad + 1;
        end
    endtask
    initial begin
        for (e = 0; e < 2; e = e + 1) begin
            in[e] = 0; tx[e] = $urandom(seed); words[e] = 0;
            for (w = 0; w <= WIRES; w = w + 1)
                if ((e ? B : A) == 2) skew[e][w] = $urandom(seed) % (3 * BIT);
                else skew[e][w] = $urandom(seed) % 4 * BIT + $urandom(seed) % (BIT / 8);
        end
        #(BIT * 200) rst = 0;
        for (n = 0; n < 30 && up != 3; n = n + 1) #(BIT * 2000);
        #(BIT * 20000);
        $display("up %0d after %0d cycles, words %0d and %0d, wrong %0d", up, n * 1000, words[0], words[1], bad);
        if (A == 2) begin margin(0, 0); margin(0, 1); end
        if (B == 2) begin margin(1, 0); margin(1, 1); end
        if (up == 3 && !bad && words[0] > 2000 && words[1] > 2000) $display("cable good");
        $finish;
    end
endmodule
V
phy="$(echo rtl/link/phy/ofr_link_phy*.v) rtl/link/ofr_link_fifo.v"
pins='rtl/top/ofr_link_pins_ecp5.v rtl/top/ofr_link_pins_ice40.v'
name() { echo "plain ECP5 iCE40" | cut -d' ' -f"$1"; }
for pair in '2 3' ${LONG:+'3 1' '2 2'}; do
    a=${pair% *} b=${pair#* }
    runs "-Pbench.A=$a -Pbench.B=$b -Pbench.SEED=$seed" "$work/cable.v $phy $pins $models $ice40"
    says '^cable good'
    result $? "$(name "$a") and $(name "$b"): $(grep '^up' "$work/log")"
done
[ -n "${LONG:-}" ] || {
    finish
    exit
}
# broken FILE SED DESCRIPTION A
broken()
{
    sed "$2" "rtl/top/$1" > "$work/$1"
    if cmp -s "$work/$1" "rtl/top/$1"; then
        result 1 "nothing to break in $1"
        return
    fi
    runs "-Pbench.A=$4 -Pbench.B=1 -Pbench.SEED=$seed" \
        "$work/cable.v $phy $work/$1 $(echo "$pins" | sed "s|rtl/top/$1||") $models $ice40"
    says '^up' && ! says '^cable good'
    result $? "$3: caught"
}
broken ofr_link_pins_ecp5.v 's/.Q0(rx_fall\[w\]), .Q1(rx_rise\[w\])/.Q1(rx_fall[w]), .Q0(rx_rise[w])/' \
    'ECP5, the two bits of a beat exchanged' 2
broken ofr_link_pins_ice40.v 's/rx_fall <= risen/rx_fall <= fallen/; s/rx_rise <= fallen/rx_rise <= risen/' \
    'iCE40, the same' 3
finish
