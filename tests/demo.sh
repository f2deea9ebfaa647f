#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make demo [DIMS=4x4] [LOADS=0.2,0.5,0.8] [PATTERNS=all]: a torus of simulated RTL boards, brought
# up and measured by the host through one board's UART, with the golden model beside every board.
# The default is one load, and in 3D, where 64 boards are slow, a lower one and one pattern.
set -u
B=${B:-build}
DIMS=${DIMS:-4x4}
dir=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
log=$dir/boardsim.log

# Sent again after `retry` seconds: 64 boards take about a second for a request.
case $DIMS in
*x*x*) patterns=${PATTERNS:-butterfly} loads=${LOADS:-0.4} retry=5 ;;
*) patterns=${PATTERNS:-uniform,butterfly,transpose,bitreverse} loads=${LOADS:-0.6} retry=1 ;;
esac
torus="$B/bin/torusctl --timeout 120 --retry $retry -t unix:$dir/board0.sock"

sim=
finish() {
    trap - EXIT INT TERM
    [ -n "$sim" ] && kill "$sim" 2>/dev/null && wait "$sim"
    rm -rf "$dir"
    exit "$1"
}
trap 'finish 2' INT TERM
trap 'finish 1' EXIT

say() {
    printf '\n== %s\n' "$*"
}

must() {
    "$@" || { status=$?; cat "$log"; finish "$status"; }
}

# Shows the simulator's latest word on the snapshots since the last time, all else it said, and the
# cycle it is at.
shown=0
verdict() {
    if [ -n "$sim" ]; then
        kill -USR1 "$sim"
        tries=0
        until tail -n +$((shown + 1)) "$log" | grep -q ': cycle' || [ $tries -ge 50 ]; do
            tries=$((tries + 1))
            sleep 0.1
        done
    fi
    tail -n +$((shown + 1)) "$log" | awk '/: snapshot .* equals/ { last = $0; next }
        / cycle [0-9]+$/ { cycle = $0; next } { print }
        END { if (last != "") print last; if (cycle != "") print cycle }'
    shown=$(wc -l < "$log")
}

say "boardsim: a $DIMS torus of boards, each the RTL with the firmware on its soft core"
"$B/bin/boardsim" --dims "$DIMS" --sockets "$dir" > "$log" 2>&1 &
sim=$!
tries=0
until grep -q '^boardsim: .* boards' "$log"; do
    tries=$((tries + 1))
    kill -0 "$sim" 2>/dev/null && [ $tries -lt 300 ] || { cat "$log"; sim=; finish 2; }
    sleep 0.1
done
verdict

say "torusctl discover --assign"
must $torus discover --assign
verdict
for routing in abr por ofr; do
    say "torusctl program --routing $routing"
    must $torus program --routing $routing
    verdict
    say "torusctl run --pattern $patterns --load $loads"
    must $torus run --pattern "$patterns" --load "$loads"
    verdict
done
say "torusctl counters: the last run's, all boards"
must $torus counters
sleep 1
say "golden model"
verdict
kill "$sim"
wait "$sim"
status=$?
sim=
verdict
[ $status -eq 0 ] && ! grep -q 'DIFFER' "$log" && grep -q 'equals the golden' "$log" || finish 1
finish 0
