#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The model of the iCE40's PLL: the rate that it says, when it locks, the settings that it refuses.
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

finish
