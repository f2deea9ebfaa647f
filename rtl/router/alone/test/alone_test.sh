#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example of the router alone, as its README has it: Icarus takes it, all flits arrive at the
# right node in order, four cycles a router after they were sent; and a bench that sends to
# another node is found out.
. tests/tap.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
shown="$work/log $work/out"

build() { # BENCH
    iverilog -g2012 -Irtl/regs -s ring4_tb -o "$work/ring4" rtl/router/alone/ring4.v "$1" \
        rtl/router/*.v rtl/ofr/*.v > "$work/log" 2>&1
}
run() { (cd "$work" && ./ring4 > out 2>&1); }

# The flits of a packet to node $1, its tail marked, from the cycle it was sent in on.
arrived() {
    awk -v node="$1" '
        $0 ~ "sends a packet to node " node "$" { sent = $2 + 0 }
        $4 + 0 == node && $5 == "gets" {
            # a router each, the first and the last included: a hop more is four cycles more
            if ($2 + 0 != sent + 4 * (node + 1) + n) late = 1
            if (n && $6 !~ sprintf("^da7a%04x", n)) wrong = 1
            tail = / the tail$/
            n++
        }
        END { exit !(n == 6 && tail && !wrong && !late) }' "$work/out"
}

build rtl/router/alone/test/ring4_tb.v && run && [ -s "$work/ring4.vcd" ]
result $? 'Icarus builds and runs it, and there are waveforms'
grep -q '^12 of 12 flits arrived$' "$work/out"
result $? 'all flits arrive, no others'
arrived 1
result $? 'those to node 1: in order, in the cycle they should'
arrived 2
result $? 'those to node 2: in order, in the cycle they should'
sed 's/send(4.d2)/send(4'"'"'d3)/' "rtl/router/alone/test/ring4_tb.v" > "$work/twin.v"
! cmp -s rtl/router/alone/test/ring4_tb.v "$work/twin.v" && build "$work/twin.v" && run && ! arrived 2
result $? 'twin: a packet to another node is found out'
finish
