#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make demo [DIMS=4x4] [LOADS=0.2,0.5,0.8] [PATTERNS=all] [ROUTINGS='abr por ofr'] [VIA=socket]
# [LINK=reliable]: a torus of simulated RTL boards, brought up and measured by the host through one
# board's UART, with the golden model beside every board. The default is one load, and in 3D, where
# 64 boards are slow, a lower one and one pattern.
#
# VIA: how the host reaches its board. socket: the simulator's; usb: torusctl, libftdi and libusb on
# a machine that umockdev makes up; guest: in a real kernel, in QEMU. Over usb and guest the same is
# done over the socket beside it, and must come to the same: both with WAIT=1, where the boards' time
# stands still while the host thinks, so that nothing depends on how fast it is.
set -u
. tests/wait.sh
B=${B:-build}
unset USER # the label of a lease: a guest has none, and all must send the same requests
DIMS=${DIMS:-4x4} VIA=${VIA:-socket} WAIT=${WAIT:-} LINK=${LINK:-reliable}
case $VIA in
socket | usb | guest) ;;
*) echo "demo: VIA=$VIA: say socket, usb or guest" >&2; exit 2 ;;
esac
. host/test/guest_machine.sh
if [ "$VIA" = guest ] && [ -n "$(guest_missing)" ]; then
    echo "demo: VIA=guest: $(guest_missing); make guest gets what is missing" >&2
    exit 2
fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
log=$dir/boardsim.log
: > "$log"

sim= guest_pid= other=
finish() {
    trap - EXIT INT TERM
    [ -n "$sim" ] && kill "$sim" 2>/dev/null && wait "$sim"
    [ -n "$other" ] && kill "$other" 2>/dev/null && wait "$other"
    guest_stop
    rm -rf "$dir"
    exit "$1"
}
trap 'finish 2' INT TERM
trap 'finish 1' EXIT

# --- Over USB, and over the socket beside it ------------------------------------------------------
# What must be the same: all but names of files and ports, and the speed.
the_same() {
    sed -e '/^boardsim: .*\.sock/d' -e '/^boardsim: USB/d' -e 's/, [0-9]* cycles a second//' "$1"
}

if [ "$VIA" != socket ] && [ -z "$WAIT" ]; then
    VIA=socket WAIT=1 sh "$0" > "$dir/socket" 2>&1 &
    other=$!
    { WAIT=1 sh "$0"; echo $? > "$dir/status"; } 2>&1 | tee "$dir/$VIA"
    status=$(cat "$dir/status")
    [ "$status" -eq 0 ] || finish "$status"
    wait "$other"
    status=$?
    other=
    [ $status -eq 0 ] || { echo 'demo: over the socket:'; cat "$dir/socket"; finish $status; }
    the_same "$dir/socket" > "$dir/socket.same"
    the_same "$dir/$VIA" > "$dir/$VIA.same"
    if ! diff "$dir/socket.same" "$dir/$VIA.same" > "$dir/diff"; then
        printf '\n== over the socket (<) and over %s (>) it DIFFERS\n' "$VIA"
        head -n 20 "$dir/diff"
        finish 1
    fi
    counters=$(grep -c '^([0-9,]*)  *[a-z0-9+.-]*[a-z_]  *[0-9]*$' "$dir/$VIA.same")
    printf '\n== over %s all is as over the socket: %s counters that are not 0, and each cycle\n' \
        "$VIA" "$counters"
    [ "$counters" -gt 0 ] || finish 1
    finish 0
fi

# --- The demo -------------------------------------------------------------------------------------
# Sent again after `retry` seconds: 64 boards take about a second for a request.
case $DIMS in
*x*x*) patterns=${PATTERNS:-butterfly} loads=${LOADS:-0.4} retry=5 ;;
*) patterns=${PATTERNS:-uniform,butterfly,transposition,bitreverse} loads=${LOADS:-0.6} retry=1 ;;
esac
options="--timeout 120 --retry $retry" boards=
if [ -n "$WAIT" ]; then # one request after the other, none repeated
    options="--timeout 600 --retry ${RETRY:-120} --window 1"
    boards='--wait --threads 1 --usbip 0'
fi

say() {
    printf '\n== %s\n' "$*"
}

# torusctl on that board. Each a session of its own, of the same number whatever VIA is.
session=0
ctl() {
    session=$((session + 1))
    # shellcheck disable=SC2086
    must $torus --session $session "$@"
}

must() {
    "$@" || { status=$?; cat "$log"; finish "$status"; }
}

# Shows the simulator's latest word on the snapshots since the last time, all else it said, and the
# cycle it is at.
shown=0
verdict() {
    [ -z "$sim" ] || must ask_simulator "$sim" "$log"
    tail -n +$((shown + 1)) "$log" | awk '/: snapshot .* equals/ { last = $0; next }
        / cycle [0-9]+$/ { cycle = $0; next } { print }
        END { if (last != "") print last; if (cycle != "") print cycle }'
    shown=$(wc -l < "$log")
}

say "boardsim: a $DIMS torus of boards, each the RTL with the firmware on its soft core"
# shellcheck disable=SC2086
start_simulator "$log" "$B/bin/boardsim" --dims "$DIMS" --sockets "$dir" --link "$LINK" $boards ||
    { cat "$log"; finish 2; }
port=$(sed -n 's/.*127.0.0.1 port //p' "$log")
case $VIA in
socket) torus="$B/bin/torusctl $options -t unix:$dir/board0.sock" ;;
usb) torus="$B/tests/usb_machine ${DROP:+--drop $DROP} $port $B/bin/torusctl $options -t usb" ;;
guest)
    must guest_start "$dir/guest"
    must guest plug "$port"
    torus="guest torusctl $options -t usb"
    ;;
esac
verdict

say "torusctl discover --assign"
ctl discover --assign
verdict
for routing in ${ROUTINGS:-abr por ofr}; do
    say "torusctl program --routing $routing"
    ctl program --routing $routing
    verdict
    say "torusctl run --pattern $patterns --load $loads"
    ctl run --pattern "$patterns" --load "$loads"
    verdict
done
say "torusctl counters: the last run's, all boards"
ctl counters
sleep 1
say "golden model"
verdict
kill "$sim"
wait "$sim"
status=$?
sim=
verdict
[ $status -eq 0 ] && ! grep -q 'DIFFER' "$log" && grep -q 'equals the golden' "$log" || finish 1
[ -z "$WAIT" ] || finish 0

# --- Where OutFlank Routing wins ------------------------------------------------------------------
# 4x4 is too small for a way round a crowd: a detour twice as long as the minimal way or more never
# pays. So golden boards, of which 64 answer in seconds.
say "the same tools on 8x8 golden boards: tornado, where all minimal ways go round the same side"
start_simulator "$log" "$B/bin/boardsim" --dims 8x8 --boards golden --sockets "$dir" --link "$LINK" ||
    { cat "$log"; finish 2; }
torus="$B/bin/torusctl $options -t unix:$dir/board0.sock"
ctl discover --assign > "$dir/out"
for routing in dor abr ofr; do
    ctl program --routing $routing > "$dir/out"
    ctl run --pattern tornado,uniform --load 0.9 > "$dir/$routing"
done
sed -n 1,2p "$dir/dor"
for pattern in tornado uniform; do
    for routing in dor abr ofr; do
        grep "^$pattern " "$dir/$routing" || finish 1
    done
done
echo "Tornado: OFR goes round the other side when the links of the short way are full (columns OIDN and
WIDN: the parts of the packets that did). Uniform: no side is emptier than another, so hardly a packet
is derouted, but each waits some 20 cycles for its decision, which packets of ABR do not."
kill "$sim"
wait "$sim"
sim=
finish 0
