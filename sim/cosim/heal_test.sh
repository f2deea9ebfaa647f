#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cables pulled and put back, boards reset and without power, at random places and times under load
# (heal.c): 3x3, or with FULL=1 (make soak) 100 times on 4x4 and on 4x4x4; with RTL routers and links
# beside the golden ones a board that loses power, or 100 times on 4x4 and 50 on 3x3x3. Broken twins. TAP.
set -u
. tests/tap.sh
B=${B:-build}
shown=$B/heal.log

rtl=$B/lockstep/2_32_8_8_1/heal
rtl3=$B/lockstep/3_32_8_3_1/heal

events() { # TORUS N PROGRAM OPTIONS...
    torus=$1 count=$2
    shift 2
    "$@" --torus "$torus" --events "$count" > "$shown" 2>&1
    got=$?
    grep '^# [0-9s]' "$shown"
    result $got "$1 $torus: $count times, each packet once or accounted for, and all as before"
}
finds() { # DESCRIPTION WHAT PROGRAM OPTIONS...: that line must be there
    name=$1 what=$2
    shift 2
    timeout 300 "$@" > "$shown" 2>&1
    [ $? = 1 ] && grep -q "^# cycle.*$what" "$shown"
    result $? "$name: it is found"
}

if [ -n "${FULL:-}" ]; then
    events 4x4 100 "$B/bin/heal"
    events 4x4x4 100 "$B/bin/heal"
    events 4x4 100 "$rtl"
    events 3x3x3 50 "$rtl3"
else
    events 3x3 5 "$B/bin/heal" # a kind each
    events 3x3 1 "$rtl" --first 4
fi
finds 'nobody leads around' 'no packet from node' "$B/bin/heal" --torus 3x3 --first 5 --events 1 \
    --no-host
finds 'routers not told what was received' 'another packet comes\|that was not sent' \
    "$B/twin/unbased/heal" --torus 3x3 --first 1 --events 2
finds 'frames of before a fall sent after it' 'another packet comes\|that was not sent' \
    "$B/twin/again/heal" --torus 3x3 --first 1 --events 2
finds 'frames of a flit each' 'cycles without a packet' "$B/twin/short/heal" \
    --torus 4x4 --first 31 --events 1
finds 'an end that stays up in silence' 'disagree for too long' \
    "$B/twin/deaf/heal" --torus 3x3 --first 4 --events 1
finds 'RTL, a wrong credit' 'in the RTL' "$rtl" --torus 3x3 --events 1 --break 20000
finds 'RTL links, routers not told what was received' 'tx_rebase is 1 in the RTL' \
    "$B/twin/rtl_unbased/heal" --torus 3x3 --events 1
finds 'RTL routers, a packet that waits for a dead link' 'in the RTL' \
    "$B/twin/rtl_dead/heal" --torus 3x3 --events 1
finds 'RTL links, frames of before a fall sent after it' 'link: .* in the RTL' \
    "$B/twin/rtl_again/heal" --torus 3x3 --events 1
finish
