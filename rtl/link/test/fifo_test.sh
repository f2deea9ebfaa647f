#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ofr_link_fifo simulated: two clocks with jitter, 0 and 200 ppm apart both ways; and what it may not
# do: a writer that is faster for good loses words, and says so. TAP. SEED replays.
set -u
. tests/tap.sh
B=${B:-build}
work=$B/link/fifo
shown=$work/log
mkdir -p "$work"
iverilog -g2012 -Irtl/link -o "$work/tb" rtl/link/ofr_link_fifo.v rtl/link/test/fifo_tb.v > "$shown" 2>&1
result $? "builds"
run() { vvp -n "$work/tb" "+seed=${SEED:-1}" "+ppm=$1" "+every=$2" > "$shown" 2>&1; }
for ppm in 0 200; do
    run $ppm 1
    grep -q '^ok' "$shown"
    result $? "a word a cycle, reader $ppm ppm faster: $(sed -n 's/^ok - //p' "$shown")"
done
run -200 2
grep -q '^ok' "$shown"
result $? "a word in 2 cycles, reader 200 ppm slower: $(sed -n 's/^ok - //p' "$shown")"
run -20000 1
grep -q '^not ok.* [1-9][0-9]* lost' "$shown"
result $? "a word a cycle, reader 2% slower: lost words are noticed"
finish
