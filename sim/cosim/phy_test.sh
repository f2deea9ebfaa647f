#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Links at the pins: latency of a header, the bit error test, and the physical layer's protections
# broken in copies of the RTL (phy_twin.sh), each of which must be noticed. TAP. B: the build folder.
set -u
. tests/tap.sh
B=${B:-build}
work=$B/phy/teeth
w8=3_32_128_8_0_1_8_16_8 w32=3_32_64_8_0_1_8_16_32
four=2_16_16_2_0_0_10_16_2_0_1_1_mixed # ends of which some are one of four
double=3_32_128_8_0_1_8_16_4_1_8_4 # four wires, two bits a cycle each, eight delays
mkdir -p "$work"
shown=$work/log

# latency SHAPE CYCLES: at most, from pin to pin of two boards without a cable's delay
latency()
{
    "$B/phy/$1/link_cable" --latency --kind 0 --tune 12 --runs 1 --seed 3 --cycles 200000 > "$work/log" 2>&1
    most=$(sed -n 's/^# latency mean .* most //p' "$work/log")
    [ -n "$most" ] && [ "$most" -le "$2" ]
    result $? "$1: a header takes $(sed -n 's/^# latency //p' "$work/log") cycles (at most $2)"
}
latency $w32 12
latency $w8 29
latency 2_16_32_4_1_0_10_16_3 60
latency 2_16_16_4_0_1_11_16_1 132
latency $double 32

for rate in 1e-4 1e-2; do
    for shape in $w8 $double; do
        "$B/phy/$shape/link_cable" --bert --errors $rate --runs 2 --cycles 150000 > "$work/log" 2>&1
        result $? "bit error test at $rate: $(sed -n 's/^# bert: //p' "$work/log" | head -n 1)"
    done
done

# rate SHAPE BITS: a cycle, at least
rate()
{
    "$B/phy/$1/link_cable" --verbose --kind 0 --tune 12 --runs 1 --seed 3 --cycles 30000 > "$work/log" 2>&1 &&
        bits=$(sed -n 's/^# end 0: \(.*\) bits a cycle/\1/p' "$work/log") &&
        awk -v is="$bits" -v least="$2" 'BEGIN { exit !(is >= least) }'
    result $? "$1: $bits bits a cycle come, slots of control words not counted (at least $2)"
}
rate $w8 7.9
rate $double 7.9
rate 2_16_32_4_1_0_10_16_3 2.6

# Wire 0 is the one by which the others are looked for: without it there are no eyes
for wire in 0 5 8; do
    "$B/phy/$w8/link_cable" --stuck $wire --kind 0 --tune 12 --runs 2 --cycles 60000 > "$work/log" 2>&1
    result $? "one way, wire $wire of 8 is stuck (8: all dead): no end comes up, the eyes tell which"
done
for wire in 2 4; do
    "$B/phy/$double/link_cable" --stuck $wire --kind 0 --tune 12 --runs 2 --cycles 60000 > "$work/log" 2>&1
    result $? "double data rate, wire $wire of 4 (4: all): the same"
done

# Sampling points follow the edges: skew that moves slowly by a fifth of a bit; a training too short to
# tell two points apart (seed 60097)
"$B/phy/$w8/link_cable" --kind 0 --creep --tune 12 --runs 3 --cycles 60000 > "$work/log" 2>&1
result $? "all wires' skew moves by a fifth of a bit: the link stays up"
"$B/phy/$w8/link_cable" --kind 0 --tune 12 --runs 1 --seed 60097 --cycles 150000 > "$work/log" 2>&1
result $? "trained onto the wrong one of two sampling points: two damaged frames a wire at most"
"$B/phy/$w8.track/link_cable" --kind 0 --tune 12 --runs 1 --seed 60097 --cycles 150000 > "$work/log" 2>&1
[ $? = 1 ] && grep -q -E '^# .*(damaged|fell)' "$work/log"
result $? "the same without tracking: caught"

# twin SHAPE.NAME KIND PATTERN DESCRIPTION
twin()
{
    # shellcheck disable=SC2086
    "$B/phy/$1/link_cable" --kind $2 --runs 6 --cycles 60000 > "$work/log" 2>&1
    [ $? = 1 ] && grep -q -E "^# .*($3)" "$work/log"
    result $? "$4: caught"
}
twin $w8.align '0 --tune 12' 'not up' "words begin anywhere"
twin $w8.skew '0 --tune 12' 'not up' "skew not taken out"
twin $w8.track '0 --creep --tune 12' 'damaged|fell' "no tracking of a skew that moves slowly"
twin $w8.retrain 7 'not up and empty' "no training anew when a wire's skew moves"
twin $double.slip '0 --tune 12' 'not up' "double data rate, a beat that begins with the other bit"
twin $double.eye '0 --tune 12' "could be|fell" "double data rate, the first delay that is good"
twin $four.slide '8 --tune 12 --seed 2' 'not up' "four ends, words slip as they are found"
twin $w32.overrun '0 --tune 12' 'not up|damaged|FIFO' "the FIFO overrun"

# Wrong use: one line and status 2
for bad in '--kind 10' '--stuck 9' '--seed x' '--errors 2' '--tune 7' 'word' '--cycles -1'; do
    # shellcheck disable=SC2086
    "$B/phy/$w8/link_cable" $bad > /dev/null 2> "$work/log"
    [ $? = 2 ] && [ -s "$work/log" ]
    result $? "link_cable $bad: refused with status 2"
done
finish
