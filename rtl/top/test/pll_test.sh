#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The models of the PLLs: the rate that it says, when it locks, the settings that it refuses; of the
# ECP5's look-up table; and the clocks that ecp5_board.v refuses.
. tests/tap.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
shown=$work/out

# pll PARAMETERS: 3000 cycles with them; prints the cycle in which LOCK rises
pll() {
    cat > "$work/bench.v" << V
module bench;
    reg clk = 0, was = 0;
    reg resetb = 0;
    integer n = 0;
    wire out, lock;
    SB_PLL40_CORE #(.FEEDBACK_PATH("SIMPLE"), .PLLOUT_SELECT("GENCLK"), $1) pll (
        .REFERENCECLK(clk), .PLLOUTGLOBAL(out), .LOCK(lock), .RESETB(resetb), .BYPASS(1'b0));
    always @(posedge out) begin
        n <= n + 1;
        resetb <= 1;
        if (lock && !was) \$display("lock %0d", n);
        was <= lock;
        if (n == 3000) \$finish;
    end
    always #1 clk = !clk;
endmodule
V
    iverilog -g2012 -o "$work/sim" "$work/bench.v" rtl/top/test/SB_PLL40_CORE.v > "$work/out" 2>&1 &&
        timeout 60 vvp -n "$work/sim" > "$work/out" 2>&1
}
says() { grep -q "$1" "$work/out"; }

good='.DIVR(4'\''d0), .DIVF(7'\''d63), .DIVQ(3'\''d4), .FILTER_RANGE(3'\''d1)'
with() { echo "$good" | sed "s/$1/$2/"; }
pll "$good"
check '12 MHz times 64 by 16' says '^PLL: 48000 kHz'
check 'it locks' says '^lock 24[0-9][0-9]$'
for bad in "d63 d127" "d63 d40" "4'd0 4'd1" "3'd4 3'd6" "3'd1 3'd2"; do
    pll "$(with "${bad% *}" "${bad#* }")"
    check "refused: $bad" says 'outside of its limits'
    ! says '^lock'
    result $? "refused: $bad: it does not run"
done
pll "$good, .DELAY_ADJUSTMENT_MODE_FEEDBACK(\"DYNAMIC\")"
check 'a mode without a model' says 'without a model'

cat > "$work/bench.v" << 'V'
module bench;
    reg clk = 0, was = 0;
    integer n = 0, k;
    wire out, lock;
    reg [3:0] in = 0;
    wire z;
    wire os, other;
    EHXPLLL #(.CLKFB_DIV(2), .CLKOP_DIV(12), .CLKOS_ENABLE("ENABLED")) second (.CLKI(clk),
        .CLKFB(other), .CLKOP(other), .CLKOS(os), .LOCK(), .RST(1'b0));
    wire none;
    always @(clk) #0 if (os !== clk || none !== 1'b0) $display("CLKOS is wrong");
    EHXPLLL #(.CLKFB_DIV(2), .CLKOP_DIV(12)) pll (.CLKI(clk), .CLKFB(out), .CLKOP(out), .CLKOS(none), .LOCK(lock),
        .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1),
        .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0));
    LUT4 #(.INIT(16'h8a31)) lut (.A(in[0]), .B(in[1]), .C(in[2]), .D(in[3]), .Z(z));
    always @(posedge out) begin
        n <= n + 1;
        if (lock && !was) $display("lock %0d", n);
        was <= lock;
        if (n == 3000) $finish;
    end
    always #1 clk = !clk;
    initial for (k = 15; k >= 0; k = k - 1) begin
        in = k;
        #1 $write("%b", z);
    end
endmodule
V
models() {
    iverilog -g2012 -o "$work/sim" "$work/bench.v" rtl/top/test/EHXPLLL.v rtl/top/test/LUT4.v \
        > "$work/out" 2>&1 && timeout 60 vvp -n "$work/sim" > "$work/out" 2>&1
}
check "the ECP5's models" models
! says 'CLKOS is wrong'
result $? 'the second output of its PLL, where it is enabled, and where not'
check 'its PLL locks' says 'lock 24[0-9][0-9]$'
check 'its look-up table' says '^1000101000110001'
clocked() { # PARAMETERS: does ecp5_board.v take this clock?
    # shellcheck disable=SC2046 # names of files
    iverilog -g2012 -Irtl/regs -Irtl/link -Irtl/link/phy -s ecp5_board -o "$work/sim" $(for p in $1; do echo "-Pecp5_board.$p"; done) \
        rtl/top/ecp5_board.v rtl/top/test/EHXPLLL.v rtl/top/test/LUT4.v \
        $(ls rtl/board/*.v rtl/router/*.v rtl/ofr/*.v rtl/local/*.v rtl/soc/*.v rtl/core/*.v) \
        > "$work/out" 2>&1
}
check '25 MHz by 2 is taken' clocked ''
check '25 MHz by 2 times 57 by 17 is taken' clocked 'CLKI_DIV=2 CLKFB_DIV=3 CLKOP_DIV=19 CLKOS_DIV=17'
for bad in CLKOP_DIV=20 CLKOP_DIV=6 'CLKI_DIV=3 CLKFB_DIV=6' CLKOS_DIV=129 'CLKOP_DIV=20 CLKOS_DIV=20'; do
    ! clocked "$bad" && says 'ecp5_board_clock_out_of_range'
    result $? "refused: $bad"
done

finish
