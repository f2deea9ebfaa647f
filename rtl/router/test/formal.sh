#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the properties that stand in the modules (`ifdef FORMAL) by induction over time, with Yosys
# alone, for several parameters; and shows that the same proof fails for copies in which what it is
# about is broken. TAP. make formal.
set -u
. tests/tap.sh
B=${B:-build}
work=$B/formal
shown=$work/log
mkdir -p "$work"

# prove FILE MODULE PARAMETERS
prove()
{
    timeout 120 yosys -p "read_verilog -formal -sv -Irtl/regs $1; chparam $3 $2
        prep -flatten -top $2; async2sync; dffunmap; opt -fast
        sat -verify -prove-asserts -set-assumes -tempinduct -maxsteps 12" > "$work/log" 2>&1 &&
        grep -q 'Induction step proven: SUCCESS' "$work/log"
}

# twin MODULE PARAMETERS DESCRIPTION SED: a copy with that change, which must fail by a counterexample
twin()
{
    sed "$4" "rtl/router/$1.v" > "$work/$1.v"
    if cmp -s "$work/$1.v" "rtl/router/$1.v"; then
        result 1 "$1, $3: nothing to break"
        return
    fi
    prove "$work/$1.v" "$1" "$2"
    [ $? = 1 ] && grep -q 'model found: FAIL\|Reached maximum number of time steps\|proof did fail' \
        "$work/log"
    result $? "$1, $3: the proof fails"
}

for c in 2 3 4 5 6 7 8; do
    check "ofr_credit, C = $c: never more than C in use; a ring is entered on two slots, under stale credits" \
        prove rtl/router/ofr_credit.v ofr_credit "-set C $c"
done
twin ofr_credit '-set C 8' 'a ring is entered on one slot' \
    's/one_left\[v-1\] = full\[v\] .*/one_left[v-1] = full[v];/'
twin ofr_credit '-set C 4' 'a full VC is not seen' 's/full\[v\] = .*;/full[v] = 1'"'"'b0;/'
twin ofr_credit '-set C 8' 'not re-based' 's/rebase ? base/1'"'"'b0 ? base/'
twin ofr_credit '-set C 8' 'sends that are not counted' 's/rebase || (sends \&\& /rebase || (sends \&\& !used_q[0] \&\& /'
twin ofr_credit '-set C 8' 'a link that is down' 's/if (rst || !link_up) begin/if (rst) begin/'

for inputs in 5 7; do
    check "ofr_output, $inputs inputs: one owner, one grant, and nobody waits for more than the others' grants" \
        prove rtl/router/ofr_output.v ofr_output "-set INPUTS $inputs -set W 1"
done
twin ofr_output '-set INPUTS 5 -set W 1' 'the round robin stands still' \
    's/^        if (granted \&\& !same_turn)$/        if (granted \&\& !same_turn \&\& !win[0])/'
twin ofr_output '-set INPUTS 5 -set W 1' 'two are chosen' 's/win\[i\] = ask\[i\] \&\& !(/win[i] = ask[i] \&\& i != 3 || ask[i] \&\& !(/'
twin ofr_output '-set INPUTS 7 -set W 1' 'an owner by the wrong code' 's/odd_q\[j\]  <= granted \&\& (win\[2\*j + 1\] || (j < 2/odd_q[j]  <= granted \&\& (win[2*j + 1] || (j < 1/'
finish
