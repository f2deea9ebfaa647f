#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The counters of the links' ends, six ports and the shortest tick: nothing lost, nothing twice, however
# fast events come and registers are read; and twins that lose or double some. The same of what physical
# layers have found, and NODE.BERT. TAP. SEED replays.
set -u
. tests/tap.sh
B=${B:-build}
work=$B/node/link_regs
shown=$work/log
mkdir -p "$work"
tb=link_regs_tb
run() { # FILE
    iverilog -g2012 -Irtl/regs -o "$work/tb" "$1" rtl/router/ofr_buffer.v "rtl/board/test/$tb.v" \
        > "$shown" 2>&1 && vvp -n "$work/tb" "+seed=${SEED:-1}" > "$shown" 2>&1
}
run rtl/board/ofr_link_regs.v
grep -q '^ok' "$shown"
result $? "six ports: $(sed -n 's/^\(not \)\{0,1\}ok - //p' "$shown")"

twin() # DESCRIPTION SED
{
    sed "$2" rtl/board/ofr_link_regs.v > "$work/ofr_link_regs.v"
    if cmp -s "$work/ofr_link_regs.v" rtl/board/ofr_link_regs.v; then
        result 1 "$1: nothing to break"
        return
    fi
    run "$work/ofr_link_regs.v"
    grep -q "$3" "$shown"
    result $? "twin, $1: found"
}
wrong='^not ok.* [1-9][0-9]* wrong'
twin 'what a register read has fetched is counted on' 's/ \&\& !read;/;/' "$wrong"
twin 'added before the RAM has shown its word' 's/if (write_q)/if (got_q)/; s/\.we(write_q)/.we(got_q)/' "$wrong"
twin 'an event in the cycle of the tick is lost' "s/<= TICK'(ev_bad\[p\])/<= '0/" "$wrong"
twin 'an engine that takes as long as a tick' 's/\(got_q  *<= run_q\) /\1 \&\& frames_q[1:0] == 0 /' '^not ok.* [1-9][0-9]* ticks too early'

tb=link_phy_regs_tb
run rtl/board/ofr_link_regs.v
grep -q '^ok' "$shown"
result $? "physical layers of six ports: $(sed -n 's/^\(not \)\{0,1\}ok - //p' "$shown")"
twin 'physical layers are read while they count' 's/phy_hold  *<= .*/phy_hold <= 1'"'b0;/" "$wrong"
twin 'they are not waited for' 's/phy_hold  *<= .*/phy_hold <= look_q;/' "$wrong"
twin 'the last port is not held to its end' 's/phy_hold  *<= .*/phy_hold <= run_q;/' "$wrong"
twin 'a bit error test without an end' "s/left_q <= left_q - 24'd1/left_q <= left_q/" '^# .*bert does not end'
finish
