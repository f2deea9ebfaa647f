#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves by induction over time, with Yosys alone, what ofr_link_retry.v, ofr_link_pair.v and ofr_link_fifo.v
# promise, and shows that the same proof fails for copies in which what it is about is broken. TAP. make formal.
set -u
. tests/tap.sh
B=${B:-build}
work=$B/formal/link
shown=$work/log
mkdir -p "$work"

induction='sat -verify -prove-asserts -set-assumes -tempinduct -seq 1 -maxsteps 1'
proven() { grep -q 'Induction step proven: SUCCESS' "$work/log"; }

# retry WINDOW ORDER: files of the two modules
retry()
{
    timeout 600 yosys -p "read_verilog -formal -sv -Irtl/link $1 $2 $slow rtl/link/test/ofr_link_retry.v
        prep -flatten -top ofr_link_retry; async2sync; dffunmap; opt_clean; $induction" \
        > "$work/log" 2>&1 && proven
}

# fifo FILE A
fifo()
{
    timeout 600 yosys -p "read_verilog -formal -sv $1; chparam -set W 2 -set A $2 ofr_link_fifo
        prep -flatten -top ofr_link_fifo; memory_map; clk2fflogic; opt_clean; $induction" \
        > "$work/log" 2>&1 && proven
}

# pair FILE: of ofr_link_train; its timer and what it waits for are shown to the proof
pair()
{
    sed -e '/^    logic \[3:0\]  timer_q;/d' -e '/^    logic \[2:0\]  want_q;/d' \
        -e 's/^    output logic  *ev_up,/    output logic [3:0] timer_q, output logic [2:0] want_q,\n&/' \
        "$1" > "$work/train_shown.v"
    timeout 600 yosys -p "read_verilog -formal -sv -Irtl/link $work/train_shown.v $slow rtl/link/test/ofr_link_pair.v
        read_verilog -formal -sv -Irtl/link rtl/link/test/ofr_link_pair_end.v
        prep -flatten -top ofr_link_pair; async2sync; dffunmap; opt_clean; $induction" \
        > "$work/log" 2>&1 && proven
}

# broken FILE SED: a copy, $work/FILE
broken()
{
    rm -f "$work/log" # so that nothing to break is no success
    sed "$2" "rtl/link/$1" > "$work/$1"
    ! cmp -s "$work/$1" "rtl/link/$1"
}
fails() { # DESCRIPTION, status of the proof
    [ "$2" != 0 ] && grep -q -E 'proof did fail' "$work/log" 2> /dev/null
    result $? "$1: the proof fails"
}

window=rtl/link/ofr_link_window.v order=rtl/link/ofr_link_order.v slow=rtl/link/ofr_link_slow.v
retry $window $order
result $? "retry: in order, nothing twice, nothing left out, nothing unverified; no frame written over while it can count"
broken ofr_link_window.v 's/(late_q && !retries) || //' && retry "$work/ofr_link_window.v" $order
fails "retry, that ACK overtook is forgotten" $?
broken ofr_link_window.v 's/assign full    = stored\[3\];/assign full    = \&stored;/' &&
    retry "$work/ofr_link_window.v" $order
fails "retry, places taken anew before they are acknowledged" $?
broken ofr_link_order.v 's/assign in_turn = gap == 0;/assign in_turn = gap[2:0] == 0;/' &&
    retry $window "$work/ofr_link_order.v"
fails "retry, numbers compared modulo 8" $?
broken ofr_link_order.v 's/assign takes   = ok && /assign takes   = (ok || bad) \&\& /' &&
    retry $window "$work/ofr_link_order.v"
fails "retry, damaged frames taken" $?

train=ofr_link_train.v
pair rtl/link/$train
result $? "ends: they disagree for 16 ticks and twice the wire at most; none rises before both have fallen; packets' and slots' counts are whole after training, whatever fell"
while IFS='|' read -r what how; do
    broken $train "$how" && pair "$work/$train"
    fails "ends, $what" $?
done << 'EOF'
down for too short|s/HOLD = 10, SILENT = 7/HOLD = 8, SILENT = 7/
that the other end fell is not heard|s/fall = silent || (hello/fall = silent || (0 \&\& hello/; s/end else if (hello && ((said == .OFR_LINK_DOWN/end else if (0 \&\& ((said == `OFR_LINK_DOWN/
silence is not heard|s/end else if (silent .. (up && stuck)) begin/end else if (up \&\& stuck) begin/
up before the other end has the counts|s/(hello && said == .OFR_LINK_READY))/hello)/
counts of before it fell|s/if (said == .OFR_LINK_DOWN) begin/if (0) begin/
slots that are free not asked for|/end else if (what == want_q) begin/{n;d}
EOF

for a in 2 3; do
    fifo rtl/link/ofr_link_fifo.v $a
    result $? "FIFO of 2^$a words: each comes out once, in its turn, as it went in; one bit crosses at a time"
done
broken ofr_link_fifo.v "s/{2'b11, {(A-1)/{2'b01, {(A-1)/" && fifo "$work/ofr_link_fifo.v" 2
fails "FIFO, written when it is full" $?
broken ofr_link_fifo.v 's/assign rvalid = rgray_q != wgray2_q;/assign rvalid = 1;/' &&
    fifo "$work/ofr_link_fifo.v" 2
fails "FIFO, read when it is empty" $?
broken ofr_link_fifo.v 's/gray = n ^ (n >> 1);/gray = n ^ (n >> 2);/' && fifo "$work/ofr_link_fifo.v" 2
fails "FIFO, another code" $?
broken ofr_link_fifo.v 's/assign writes  = wvalid && !full;/assign writes  = wvalid;/' &&
    fifo "$work/ofr_link_fifo.v" 2
fails "FIFO, it takes what it has no room for" $?
finish
