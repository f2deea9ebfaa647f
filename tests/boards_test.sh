#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job, end to end: torusctl against boardsim's boards, RTL and golden, good and bad input.
# TAP. Every wait is bounded; what it starts it ends.
set -u
B=${B:-build}
dir=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
number=0 failed=0 sim=

finish() {
    [ -n "$sim" ] && kill "$sim" 2>/dev/null && wait "$sim" 2>/dev/null
    rm -rf "$dir"
}
trap finish EXIT
trap 'exit 2' INT TERM

# check NAME COMMAND...: COMMAND's output in $dir/out.
check() {
    name=$1
    shift
    number=$((number + 1))
    if "$@"; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        failed=$((failed + 1))
        sed 's/^/# /' "$dir/out" "$dir/log" 2>/dev/null | tail -40
    fi
}

# start OPTIONS...: a simulator in the background.
start() {
    "$B/bin/boardsim" --sockets "$dir" "$@" > "$dir/log" 2>&1 &
    sim=$!
    tries=0
    until grep -q '^boardsim: .* boards' "$dir/log"; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || return 1
        sleep 0.05
    done
}

stop() {
    kill "$sim" 2>/dev/null
    wait "$sim"
    status=$?
    sim=
    return $status
}

torus() {
    timeout 300 "$B/bin/torusctl" -t "unix:$dir/board0.sock" "$@" > "$dir/out" 2>&1
}

# status N COMMAND...: it must end with that status.
status() {
    wanted=$1
    shift
    "$@"
    [ $? -eq "$wanted" ]
}

says() {
    grep -q -- "$1" "$dir/out"
}

boardsim() {
    timeout 60 "$B/bin/boardsim" "$@" > "$dir/out" 2>&1
}

one_line() {
    [ "$(wc -l < "$dir/out")" -eq 1 ]
}

# --- RTL boards, the golden model beside them -----------------------------------------------------
start --dims 2x2
check 'RTL 2x2: discover' torus discover
check 'RTL 2x2: found as a 2x2 torus of 4 boards' says '4 boards, a 2x2 torus'
check 'RTL 2x2: program' torus program --routing ofr
check 'RTL 2x2: run' torus run --pattern uniform,bitreverse --load 0.6
check 'RTL 2x2: counters' torus counters
check 'RTL 2x2: ping all' torus ping --all
check 'RTL 2x2: ends well' stop
cp "$dir/log" "$dir/out"
check 'RTL 2x2: every counter equals the golden model' says 'all 4 boards equals the golden'
check 'RTL 2x2: nothing differs' status 1 grep -q 'DIFFER\|differs' "$dir/log"

start --dims 2x2x2 --boards rggrgrrg
check 'RTL and golden boards mixed, 3D: discover' torus discover
check 'mixed: a 2x2x2 torus' says '8 boards, a 2x2x2 torus'
check 'mixed: program' torus program --routing por
check 'mixed: run' torus run --pattern uniform --load 0.3
check 'mixed: RTL boards equal their shadows to the end' stop

start --dims 2x1 --break 3000
check 'broken twin: discover still works' torus discover
check 'broken twin: program' torus program --routing abr
check 'broken twin: run' torus run --pattern neighbour --load 0.5
check 'broken twin: a wrong credit in the golden model is found' status 1 stop

# --- Golden boards --------------------------------------------------------------------------------
start --dims 3x5 --boards golden
check 'golden 3x5: not configured yet, says so' status 2 torus run --pattern uniform
check 'golden 3x5: and what to do' says 'run program first'
check 'golden 3x5: discover' torus discover
check 'golden 3x5: program' torus program --routing ofr
check 'golden 3x5: patterns that exist' torus run --pattern all --load 0.3
check 'golden 3x5: the others are named' says 'bitreverse is skipped'
check 'golden 3x5: refused when asked for alone' status 2 torus run --pattern bitreverse
check 'golden 3x5: in one line' one_line
check 'golden 3x5: ping outside' status 2 torus ping --at 3,0
check 'golden 3x5: in one line' one_line
check 'golden 3x5: JSON' torus --format json counters
check 'golden 3x5: ends' stop

start --dims 4x4 --boards golden --cable 5.x+:7.y- --cable 0.x+
check 'golden 4x4 mis-cabled: discover fails the check' status 1 torus discover
check 'golden 4x4 mis-cabled: names the swapped cable' says 'it should go to'
check 'golden 4x4 mis-cabled: names the missing one' says 'no cable from x+'
check 'golden 4x4 mis-cabled: ends' stop

# A host that is there before the first cycle; 256 sockets take long enough to stop it in between.
"$B/bin/boardsim" --sockets "$dir" --dims 16x16 --boards golden > "$dir/log" 2>&1 &
sim=$!
tries=0
until [ -S "$dir/board1.sock" ] || [ $tries -ge 100000 ]; do
    tries=$((tries + 1))
done
kill -STOP "$sim"
torus discover &
early=$!
sleep 0.3
kill -CONT "$sim"
wait "$early"
check 'golden 16x16: a host that comes early finds them all too' says '256 boards, a 16x16 torus'
check 'golden 16x16: ends' stop

start --dims 16x16 --boards golden
check 'golden 16x16: discover' torus discover
check 'golden 16x16: 256 boards' says '256 boards, a 16x16 torus'
check 'golden 16x16: program' torus program --routing ofr
check 'golden 16x16: run' torus run --pattern transpose --load 0.2
check 'golden 16x16: ends' stop

# --- Bad input ------------------------------------------------------------------------------------
check 'boardsim: a size of 17' status 2 boardsim --dims 17x4
check 'boardsim: in one line' one_line
check 'boardsim: unknown kinds' status 2 boardsim --boards zz
check 'boardsim: a cable of no board' status 2 boardsim --cable 16.x+ --sockets "$dir"
check 'torusctl: nobody there' status 2 torus discover
check 'torusctl: in one line' one_line

echo "1..$number"
[ $failed -eq 0 ]
