#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cables pulled and put back, boards reset and without power, at random places and times under load
# (heal.c): 3x3, or with FULL=1 (make soak) 100 times on 4x4 and on 4x4x4. Broken twins. TAP.
set -u
. tests/tap.sh
B=${B:-build}
shown=$B/heal.log

events() { # TORUS N OPTIONS...
    torus=$1 count=$2
    shift 2
    "$B/bin/heal" --torus "$torus" --events "$count" "$@" > "$shown" 2>&1
    got=$?
    grep '^# [0-9s]' "$shown"
    result $got "$torus: $count times, each packet once or accounted for, and all as before"
}
finds() { # DESCRIPTION WHAT PROGRAM OPTIONS...: that line must be there
    name=$1 what=$2
    shift 2
    timeout 300 "$@" > "$shown" 2>&1
    [ $? = 1 ] && grep -q "^# cycle.*$what" "$shown"
    result $? "$name: it is found"
}

if [ -n "${FULL:-}" ]; then
    events 4x4 100
    events 4x4x4 100
else
    events 3x3 5 # a kind each
fi
finds 'nobody leads around' 'no packet from node' "$B/bin/heal" --torus 3x3 --first 5 --events 1 \
    --no-host
finds 'routers not told what was received' 'another packet comes\|that was not sent' \
    "$B/twin/unbased/heal" --torus 3x3 --first 1 --events 2
finds 'frames of before a fall sent after it' 'another packet comes\|that was not sent' \
    "$B/twin/again/heal" --torus 3x3 --first 1 --events 2
finds 'frames of a flit whenever the wire is idle' 'a packet has waited' "$B/twin/early/heal" \
    --torus 4x4 --first 31 --events 1
finish
