#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Messages through ofr_axis_wishbone into two ends of ofr_channel, and out again: all are right, and every
# access is answered, or refused, as it should be. The waveforms of README.md are of this RTL, each
# picture of its JSON. Twins: a slave without a protection each. TAP.
. tests/tap.sh
. rtl/router/waves/test/drawn.sh
: "${B:=build}"
here=rtl/wrapper
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
shown="$work/out"

run() { timeout 300 "$1" "+seed=${SEED:-1}" "+messages=${MESSAGES:-20000}" $2 > "$work/out" 2>&1; }

run "$B/wrapper/wishbone" && grep -q "right; +seed=${SEED:-1}\$" "$work/out"
result $? "messages of all lengths are right: $(head -n 1 "$work/out")"
MESSAGES=1000
run "$B/wrapper/wishbone_twins" && grep -q 'right; +seed=' "$work/out"
result $? 'the twins, none of them chosen: right'

# twin NUMBER WHAT SAID
twin() {
    ! run "$B/wrapper/wishbone_twins" "+twin=$1" && grep -q "^wrong: $3" "$work/out"
    result $? "twin: $2"
}
twin 1 'a beat is overwritten by the next' 'wb_ack: 1, not 0'
twin 2 'reading takes the beat' 'a beat was taken by an access to'
twin 3 'the bytes of a last beat stay' 'bytes amid a message: '
twin 4 'an access is answered twice' 'wb_ack: 1, not 0'
twin 5 'an end that there is not answers' 'wb_ack: 1, not 0'
twin 6 'an access without CYC' 'wb_\(ack\|err\): 1, not 0'
twin 7 'a last beat of five bytes' '\(wb_ack: 1, not 0\|not refused: \)'
twin 8 'a beat of half a word' '\(wb_ack: 1, not 0\|not refused: \)'

mkdir "$work/json"
sh $here/draw.sh "$work/json" > "$work/out" 2>&1
result $? 'the waveforms are drawn'
are_drawn "$work/json" $here
finish
