#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the properties that stand in the modules (`ifdef OFR_CHECK) with Yosys alone: by induction
# over time, or by property directed reachability (its yosys-abc), which finds invariants itself. And
# shows that the same proof fails for copies in which what it is about is broken. TAP. make formal.
# FULL=1 (make formal): also the proofs of ofr_input, a minute or two each.
set -u
. tests/tap.sh
B=${B:-build}
work=$B/formal
shown=$work/log
mkdir -p "$work"

read='read_verilog -formal -sv -DOFR_CHECK -Irtl/regs'

# prove FILE MODULE PARAMETERS
prove()
{
    timeout 120 yosys -p "$read $1; chparam $3 $2
        prep -flatten -top $2; async2sync; dffunmap; opt -fast
        sat -verify -prove-asserts -set-assumes -tempinduct -maxsteps 12" > "$work/log" 2>&1 &&
        grep -q 'Induction step proven: SUCCESS' "$work/log"
}

# reach FILES MODULE PARAMETERS [CUT]: no reachable state breaks a property. FILES: FILE... for
# `read_verilog`. CUT: registers whose values do not matter, any in every cycle.
reach()
{
    timeout 600 yosys -p "$read $1; chparam $3 $2
        hierarchy -top $2; proc; flatten; ${4:+cutpoint $4;} memory_map; async2sync; dffunmap
        delete -output o:*; opt -fast; opt_clean -purge; setundef -undriven -anyseq; simplemap
        dfflegalize -cell \$_DFF_P_ 01; techmap; opt_expr; opt_clean; abc -g AND -fast; opt_clean
        write_aiger -zinit $work/$2.aig" > "$work/log" 2>&1 &&
        timeout 600 yosys-abc -c "read_aiger $work/$2.aig; fold; strash; scorr; dc2; $engine" \
            > "$work/log" 2>&1 &&
        grep -q 'Disproved = 0. Undecided = 0' "$work/log"
}

engine='pdr -a'

# broken MODULE SED: a copy of it with that change in $work
broken()
{
    sed "$2" "rtl/router/$1.v" > "$work/$1.v"
    ! cmp -s "$work/$1.v" "rtl/router/$1.v" || echo "# nothing to break in $1: $2"
}

# twin MODULE PARAMETERS DESCRIPTION SED: a copy with that change, which must fail by a counterexample
twin()
{
    broken "$1" "$4"
    prove "$work/$1.v" "$1" "$2"
    [ $? = 1 ] && grep -q 'model found: FAIL\|Reached maximum number of time steps\|proof did fail' \
        "$work/log"
    result $? "$1, $3: the proof fails"
}

# reach_twin MODULE FILES PARAMETERS DESCRIPTION [CUT]: likewise, after `broken`. One state is enough,
# found by going through the cycles from reset on.
reach_twin()
{
    engine='bmc3 -F 100 -T 500'
    reach "$2" "$1" "$3" "${5-}"
    [ $? = 1 ] && grep -q 'was asserted in frame' "$work/log"
    result $? "$1, $4: a state that breaks it is found"
    engine='pdr -a'
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

ring='rtl/router/test/ofr_ring.v; read_verilog -sv'
check 'a ring of four nodes, C = 2: a slot stays free, and a node knows it, under stale credits' \
    reach "$ring rtl/router/ofr_credit.v" ofr_ring '-set C 2'
broken ofr_credit 's/one_left\[v-1\] = full\[v\] .*/one_left[v-1] = full[v];/'
reach_twin ofr_ring "$ring $work/ofr_credit.v" '-set C 2' 'entered on one slot'

rules='rtl/router/ofr_flit_rules.v rtl/router/ofr_switch.v'
for inputs in 5 7; do
    check "ofr_output, $inputs inputs: one owner, one grant, nobody waits for more than the others' grants, whole packets" \
        reach "rtl/router/ofr_output.v $rules" ofr_output "-set INPUTS $inputs -set W 1"
done

# output_twin PARAMETERS DESCRIPTION SED
output_twin()
{
    broken ofr_output "$3"
    reach_twin ofr_output "$work/ofr_output.v $rules" "$1" "$2"
}
output_twin '-set INPUTS 5 -set W 1' 'the round robin stands still' \
    's/^        if (new_q \&\& !same_turn)$/        if (new_q \&\& !same_turn \&\& !owner[0])/'
output_twin '-set INPUTS 5 -set W 1' 'two are chosen' \
    's/win\[i\] = ask\[i\] \&\& !(/win[i] = ask[i] \&\& i != 3 || ask[i] \&\& !(/'
output_twin '-set INPUTS 7 -set W 1' 'an owner by the wrong code' \
    's/odd_q\[j\]  <= granted \&\& (win\[2\*j + 1\] || (j < 2/odd_q[j]  <= granted \&\& (win[2*j + 1] || (j < 1/'
output_twin '-set INPUTS 5 -set W 1' 'granted before the tail has crossed' \
    's/free      = !owned_q || (tail_here/free      = !owned_q || (1'"'"'b1/'
output_twin '-set INPUTS 5 -set W 1' 'a flit at the pins is overwritten' \
    's/can_load     = !tx_valid || tx_ready/can_load     = 1'"'"'b1/'

if [ -n "${FULL:-}" ]; then
    parts='ofr_input ofr_arrival ofr_slots ofr_candidate ofr_stream'
    others="rtl/router/ofr_route.v rtl/router/ofr_bearing.v rtl/router/ofr_bearings.v"
    others="$others rtl/router/ofr_buffer.v $rules"
    shape='-set W 64 -set L 4 -set C 2 -set LUTRAM 0'
    any='w:candidate.flit_q w:candidate.order_q' # whatever the headers are
    # files [MODULE]: of the input, that module from $work
    files()
    {
        for part in $parts; do
            [ "$part" = "${1-}" ] && echo "$work/$part.v" || echo "rtl/router/$part.v"
        done
        echo "$others"
    }
    check 'ofr_input: no word read as it is written, one stream at a time, whole packets, each leaves' \
        reach "$(files | tr '\n' ' ')" ofr_input "$shape" "$any"
    while read -r module change text; do
        broken "$module" "$change"
        reach_twin ofr_input "$(files "$module" | tr '\n' ' ')" "$shape" "$text" "$any"
    done <<'T'
ofr_stream s/stream_offset_q.!=.write_offset;/1'b1;/ reading overtakes writing
ofr_stream s/can_take.=.!stream_q.||.*/can_take=1'b1;/ granted before the tail has gone
ofr_arrival s/at_end....=.open_q.*/at_end=1'b0;/ a packet longer than a slot goes on
ofr_arrival s/in_abort_q.<=.rx_abort.*/in_abort_q<=1'b0;/ one that is cut off is not filled up
T
fi
finish
