#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A cable pulled, or a board that begins anew, in the middle of a collective, in hardware and by software, by
# one process and by two (fault_calls.c): in a cycle drawn over the call, which a calm run has told. Golden
# boards. Twins: a library that leaves the ends of boards that did not answer; one that ends a group in
# hardware and not its streams. FULL=1: more of it, and barriers, and one process of software's. TAP.
. tests/boards.sh

seed=${SEED:-$(($(date +%s) % 1000000000))}
echo "# seed $seed; again: SEED=$seed $0"
drawn() { # LEAST MOST: into $n
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    n=$(($1 + seed / 65536 % ($2 - $1 + 1)))
}
boards() {
    start --dims 3x2 --boards golden --channels 8 --wait "$@" && torus program --window 1
}
# calm WHAT: nothing happens; the call's cycles into $from and $to
calm() {
    boards
    calls "$B/host/fault_calls" "$1" calm
    good=$?
    from=$(sed -n 's/^# cycles \([0-9]*\) .*/\1/p' "$dir/out")
    to=$(sed -n 's/^# cycles [0-9]* \([0-9]*\)$/\1/p' "$dir/out")
    stop && [ $good = 0 ] && [ "$to" -gt "$from" ]
}
# order cut|reset: into $order, of a cable or board drawn
order() {
    drawn 0 8
    case $1 in
    reset) order="reset $((n % 6))" ;;
    *) [ "$n" -lt 6 ] && order="cut $n.x+" || order="cut $((n - 6)).y+" ;;
    esac
}
# meets WHAT ORDER: in a cycle drawn over the call
meets() {
    drawn 0 1000
    at=$((from + (to - from) * n / 1000))
    boards --at "$at:$2"
    check "$1, cycles $from to $to: $2 at $at" calls "$B/host/fault_calls" "$1" "$at"
    check "$1: ended well" stop
}

# twin NAME WHAT: over the cycles of a calm run of it
twin() {
    at=$(((from + to) / 2))
    boards --at "$at:reset 4"
    check "twin: $1: found out" found "$B/twin/fault_$1/calls" "$2" "$at"
    stop
}

kinds='sum groups' runs=1
[ -z "${FULL:-}" ] || kinds='barrier sum group groups' runs=20
for what in $kinds; do
    check "$what: nothing happens" calm $what
    for run in $(seq $runs); do
        drawn 0 1
        first=cut second=reset
        [ "$n" = 0 ] || first=reset second=cut
        order $first
        meets $what "$order"
        [ -n "${FULL:-}" ] || continue
        order $second
        meets $what "$order"
    done
    case $what in
    sum) twin drop sum ;;
    groups) twin left groups ;;
    esac
done
finish
