#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The properties in the modules (`ifdef OFR_CHECK) bite in simulation: with them the example of the
# router alone runs as without, under Icarus; copies of a module in which something is taken out stop
# at one of them. In Verilator: lockstep_checked_* (sim/cosim/cosim.mk). TAP.
. tests/tap.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
shown="$work/log $work/out"

# run [MODULE SED]: the bench with that change in a copy of the module
run()
{
    mkdir -p "$work/rtl"
    cp rtl/router/*.v "$work/rtl"
    if [ $# = 2 ]; then
        sed "$2" "rtl/router/$1.v" > "$work/rtl/$1.v"
        ! cmp -s "rtl/router/$1.v" "$work/rtl/$1.v" || return 1
    fi
    iverilog -g2012 -DOFR_CHECK -Irtl/regs -s ring4_tb -o "$work/ring4" rtl/router/alone/ring4.v \
        rtl/router/alone/test/ring4_tb.v "$work"/rtl/*.v rtl/ofr/*.v > "$work/log" 2>&1 &&
        (cd "$work" && timeout 300 ./ring4 > out 2>&1)
}

# twin MODULE SED TEXT: one of its properties does not hold
twin()
{
    run "$1" "$2" && grep -q "^ERROR: .*/$1.v:" "$work/out"
    result $? "twin: $3: $1 says so"
}

run && grep -q '^12 of 12 flits arrived$' "$work/out" && ! grep -q '^ERROR' "$work/out"
result $? 'all properties hold'
twin ofr_credit 's/rebase || (sends \&\& /rebase || (1'"'"'b0 \&\& sends \&\& /' 'packets sent are not counted'
twin ofr_slots 's/freed\[4\*v +: SW\] <= granted_low\[4\*v +: SW\];/freed[4*v +: 4] <= freed[4*v +: 4];/' \
    'a slot is not credited back'
twin ofr_output 's/owned_q <= granted;/owned_q <= 1'"'"'b0;/' 'an output is not held'
finish
