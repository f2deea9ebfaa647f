#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ice40.c and flips.c on a small design with what the boards have: carries, flip-flops with enable, set
# and reset, block RAMs of every width, clocks that come over cables, whose edges are in any half of
# the PLL's, one of them passed on by a table, and clocks that go out. Placed and routed, run from its
# configuration, and compared with Icarus on the source, a hash of the pins in every cycle; then with
# bits flipped. SEED replays.
. tests/tap.sh
B=${B:-build}
seed=${SEED:-1}
dir=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 2' INT TERM
shown="$dir/out"
cycles=20000

cat > "$dir/top.v" << 'V'
module top (input clk12, uart_rx, flash_miso,
            output uart_tx, flash_csn, flash_sck, flash_mosi, output [7:0] led,
            input [1:0] cable_rx_clk, input [3:0] cable_rx,
            output [1:0] cable_tx_clk, output [3:0] cable_tx);
    wire clk, locked;
    SB_PLL40_CORE #(.FEEDBACK_PATH("SIMPLE"), .PLLOUT_SELECT("GENCLK"), .DIVR(4'd0), .DIVF(7'd63),
        .DIVQ(3'd4), .FILTER_RANGE(3'd1)) pll (.REFERENCECLK(clk12), .PLLOUTGLOBAL(clk),
        .LOCK(locked), .RESETB(1'b1), .BYPASS(1'b0));
    reg [31:0] x = 0;
    reg [15:0] sum = 0, a [0:255], a_q = 0;
    reg [7:0]  b [0:511], b_q = 0, low = 0;
    reg [3:0]  c [0:1023], c_q = 0;
    reg [1:0]  d [0:2047], d_q = 0;
    reg        seen = 0;
    integer i;
    initial begin
        for (i = 0; i < 2048; i = i + 1) d[i] = i * 5;
        for (i = 0; i < 1024; i = i + 1) c[i] = i * 7;
        for (i = 0; i < 512; i = i + 1) b[i] = i * 11;
        for (i = 0; i < 256; i = i + 1) a[i] = i * 4099;
    end
    always @(posedge clk) begin
        x <= {x[30:0], x[31] ^ x[21] ^ x[1] ^ x[0] ^ !uart_rx};
        seen <= seen || !uart_rx;
        if (x[3]) a[x[15:8]] <= sum;
        if (x[4]) b[x[16:8]] <= sum[11:4] ^ x[7:0];
        if (x[5]) c[x[17:8]] <= x[7:4];
        if (x[6]) d[x[18:8]] <= x[1:0];
        a_q <= a[x[23:16]];
        b_q <= b[x[24:16]];
        if (x[2]) c_q <= c[x[25:16]];
        d_q <= d[x[26:16]];
        if (x[9:8] == 0) sum <= 16'h5a5a;
        else if (x[10]) sum <= sum + a_q + {b_q, c_q, d_q};
        if (!locked) low <= 0;
        else low <= low + {7'd0, a_q > sum};
    end
    assign led = low;
    reg slip = 0;
    always @(posedge clk) slip <= x[7:6] == 0;
    wire [1:0] bit_clk;
    assign bit_clk[0] = cable_rx_clk[0];
    (* keep *) SB_LUT4 #(.LUT_INIT(16'hff00)) pass (.I0(1'b0), .I1(1'b0), .I2(1'b0),
        .I3(cable_rx_clk[1]), .O(bit_clk[1]));
    genvar p;
    generate
        for (p = 0; p < 2; p = p + 1) begin : end_of
            reg [15:0] word = 0;
            reg [3:0]  beat = 0;
            reg [1:0]  came = 0, sent = 0;
            reg        slips = 0;
            always @(posedge bit_clk[p]) begin
                word <= {word[13:0], cable_rx[2*p +: 2]};
                slips <= slip;
                if (!slips) beat <= beat + 1;
            end
            always @(posedge clk) begin
                came <= {came[0], beat[3]};
                sent <= word[15:14] ^ x[1:0] ^ {2{came[1]}};
            end
            assign cable_tx_clk[p] = !clk;
            assign cable_tx[2*p +: 2] = sent;
        end
    endgenerate
    assign uart_tx = ^sum;
    assign flash_csn = 1'b1;
    assign flash_sck = b_q[0] ^ c_q[3];
    assign flash_mosi = (a_q < {b_q, b_q}) ^ d_q[1] ^ seen ^ flash_miso;
endmodule
V
cat > "$dir/bench.v" << V
module bench;
    reg clk = 0, rx = 1, was = 1;
    wire tx, csn, sck, mosi;
    wire [7:0] led;
    reg [63:0] hash = 64'hcbf29ce484222325;
    integer n, f, c, s = $seed;
    reg [1:0] cable_clk = 0, turns;
    reg [3:0] cable = 0;
    reg [15:0] first;
    wire [1:0] cable_tx_clk;
    wire [3:0] cable_tx;
    wire [63:0] pins = {cable_tx, 6'd0, cable_tx_clk, led, mosi, sck, csn, tx};
    wire [15:0] brought = {8'd0, cable, 2'd0, cable_clk};
    top top (clk, rx, 1'b1, tx, csn, sck, mosi, led, cable_clk, cable, cable_tx_clk, cable_tx);
    // A half: a cable's clock turns over, or not; its wires change as it falls. All clocks at once.
    task half(input level);
        begin
            turns = \$random(s);
            cable = cable ^ (\$random(s) & {{2{turns[1] && cable_clk[1]}}, {2{turns[0] && cable_clk[0]}}});
            {clk, cable_clk} = {level, cable_clk ^ turns};
            #1 hash = (hash ^ pins) * 64'h100000001b3;
        end
    endtask
    initial begin
        f = \$fopen("$dir/session");
        c = \$fopen("$dir/session.cables", "wb");
        for (n = 0; n < $cycles; n = n + 1) begin
            if (\$random(s) % 37 == 0) rx = !rx;
            if (rx != was) \$fdisplay(f, "rx %0d %0d", n, rx);
            was = rx;
            half(0);
            first = brought;
            half(1);
            \$fwrite(c, "%u", {brought, first});
        end
        \$fdisplay(f, "end %0d %h", n, hash);
        \$finish;
    end
endmodule
module SB_LUT4 #(parameter [15:0] LUT_INIT = 0) (input I0, I1, I2, I3, output O);
    assign O = LUT_INIT[{I3, I2, I1, I0}];
endmodule
V
printf 'set_io clk12 J3\nset_io uart_rx B10\nset_io uart_tx B12\nset_io flash_csn R12
set_io flash_sck R11\nset_io flash_mosi P12\nset_io flash_miso P11\nset_io led[0] C3\nset_io led[1] B3
set_io led[2] C4\nset_io led[3] C5\nset_io led[4] A1\nset_io led[5] A2\nset_io led[6] B4
set_io led[7] B5\n' > "$dir/pins"
grep -E '_clk\[[01]\]|_[rt]x\[[0-3]\]' constraints/ice40hx8k-b-evn.pcf >> "$dir/pins"
echo 'not a flash' > "$dir/flash"

made() { # through the bits themselves, as a board's is
    yosys -q -p "read_verilog $dir/top.v; synth_ice40 -top top; write_json $dir/top.json" &&
        nextpnr-ice40 --hx8k --package ct256 --pcf "$dir/pins" --json "$dir/top.json" \
            --asc "$dir/placed.asc" -q && icepack "$dir/placed.asc" "$dir/top.bin" &&
        iceunpack "$dir/top.bin" "$dir/top.asc"
} > "$dir/out" 2>&1
simulated() {
    iverilog -g2012 -o "$dir/sim" "$dir/bench.v" "$dir/top.v" rtl/top/test/SB_PLL40_CORE.v \
        > "$dir/out" 2>&1 && timeout 60 vvp -n "$dir/sim" > "$dir/out" 2>&1
}
flips() {
    timeout 300 "$B/sim/flips" --asc "$dir/top.asc" --pcf "$dir/pins" --package ct256 \
        --flash "$dir/flash" --session "${session:-$dir/session}" --seed "$seed" "$@" \
        > "$dir/out" 2>&1
}
echo "# seed $seed"
check 'a small design is placed and routed' made
check 'and simulated' simulated
[ $failed = 0 ] || finish
check 'its configuration does the same in every cycle' flips
check 'of 80 bits that are wrong, in two threads, 50 or more are found' flips --count 80 --least 50
sed 's/^/# /' "$dir/out"
cp "$dir/out" "$dir/together"
grep ': bit' "$dir/out" > "$dir/whole"
flips --count 80 --beginning 100 && grep ': bit' "$dir/out" | cmp -s - "$dir/whole"
result $? 'what the beginning does not find the rest does: the same in the same cycles'
# They ran side by side, lanes of one chip: each alone does the same.
alone() {
    for bit in $(sed -n 's/.* bit \([0-9]*\),.*/\1/p' "$dir/together" | head -n 6); do
        flips --bit "$bit"
        grep " bit $bit," "$dir/out" > "$dir/line"
        [ -s "$dir/line" ] && grep -q -x -F -f "$dir/line" "$dir/together" || return 1
    done
}
check 'six of them alone, the same in the same cycle' alone
sed 's/^rx 7.*//' "$dir/session" | grep . > "$dir/other"
cp "$dir/session.cables" "$dir/other.cables"
session=$dir/other flips
[ $? = 1 ] && grep -q 'NOT those' "$dir/out"
result $? 'a session that is another is not taken for the same'
session=
flips --bit 99999999
[ $? = 2 ] && [ "$(wc -l < "$dir/out")" -le 3 ] && grep -q 'too large' "$dir/out"
result $? 'refused: a bit that there is not'
# make bitstream-test says so before it builds.
for bad in FLIPS=0 FLIPS=08 FLIPS=9999999999 LEAST=x ROUNDS=-1 SEED=1e3 'BOARD=icepi-zero FLIPS=3'; do
    # shellcheck disable=SC2086 # words
    MAKEFLAGS='' timeout 60 make -s bitstream-test B="$B" BOARD=ice40hx8k-b-evn $bad > "$dir/out" 2>&1
    [ $? = 2 ] && [ "$(grep -c '^bitstream-test: ' "$dir/out")" = 1 ]
    result $? "refused: $bad"
done
finish
