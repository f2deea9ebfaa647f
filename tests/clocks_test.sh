#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Boards with clocks of their own (boardsim --ppm): everything arrives, RTL boards equal their golden
# models, and snapshots are as far apart as torusctl says, by the simulator's own time. TAP.
# SEED=n: other clocks (1).
. tests/boards.sh
seed=${SEED:-1}
echo "# seed $seed"

# The simulator's word on how far apart the latest snapshots are.
apart() {
    ask_simulator "$sim" "$dir/log"
    sed -n 's/.*latest snapshots are \([0-9]*\) cycles apart/\1/p' "$dir/log" | tail -n 1
}

# snapshot TORUSCTL: the counters at one instant; what it says and what is so in $said and $so.
window=4
snapshot() {
    timeout 600 "$1" --timeout 120 --retry 100 --window $window -t "unix:$dir/board0.sock" \
        snapshot --all --watch 0.2 > "$dir/out" 2>&1 || return 1
    said=$(sed -n 's/^latched at most \([0-9]*\) cycles apart.*/\1/p' "$dir/out")
    so=$(apart)
    why="latched $so cycles apart, said at most $said"
    echo "# $why"
}

within() {
    snapshot "$B/bin/torusctl" && [ "$so" -le "$said" ]
}

# A host that takes all clocks for equally fast.
beyond() {
    snapshot "$B/twin/rate/torusctl" && [ "$so" -gt "$said" ]
}

leased() {
    torus --format json ping && says '"leased": true'
}

# Whether the generators' packets have come on since the last look; management goes in another VC.
before=
traffic() {
    torus counters
    now=$(grep 'adaptive.flits' "$dir/out")
    [ -n "$before" ] && [ "$now" != "$before" ] && return
    before=$now
    false
}

# A torus of boards: everything but what needs one clock.
whole() { # NAME BOARDSIM-OPTIONS...
    what=$1
    shift
    start --seed "$seed" "$@"
    check "$what: discover" torus discover
    check "$what: program" torus program --routing ofr
    check "$what: counters" torus counters
    check "$what: latched at one instant, as far as is said" within
    check "$what: trace" torus trace 0,0 1,1
    check "$what: every packet arrives; no lifetime is made up" says \
        '^[1-9][0-9]* packets, .*lifetime not known, as the boards'
    # Traffic, through another board, while the counters are latched: until its host is killed.
    "$B/bin/torusctl" --session 5555 --timeout 120 --retry 10 -t "unix:$dir/board1.sock" run \
        --pattern uniform --load 0.4 --cycles 200000000 > "$dir/run" 2>&1 &
    run=$!
    check "$what: a host measures" wait_for 120 leased
    check "$what: traffic runs" wait_for 120 traffic
    check "$what: latched while traffic runs" within
    check "$what: which still runs" kill -0 "$run"
    kill -KILL "$run"
    wait "$run" 2>/dev/null
    check "$what: the next host stops it" torus --take-over 5555 program --routing ofr
    # All of it arrives, or torusctl would say that packets are lost.
    check "$what: loads and lifetimes are refused" \
        status 2 torus run --pattern uniform --load 0.4 --cycles 50000
    check "$what: says why" says "the boards' clocks differ"
    check "$what: in one line" one_line
    check "$what: bench, likewise" status 2 torus bench --routing abr --load 0.1
    check "$what: says why, too" says "the boards' clocks differ"
    check "$what: latency, likewise" status 2 torus latency 0,0 1,0
}

whole '200 ppm, golden 4x4' --dims 4x4 --boards golden --ppm 100
check '200 ppm, golden 4x4: ends' stop

whole '200 ppm, RTL 2x2' --dims 2x2 --ppm 100
check '200 ppm, RTL 2x2: boards equal their golden models to the end' stop
cp "$dir/log" "$dir/out"
check '200 ppm, RTL 2x2: every counter, too' says 'all 4 boards equals the golden'

# Clocks up to 30% off: elastic buffers that fill and empty all the time.
start --seed "$seed" --dims 2x2 --ppm 300000 --latency 5
check '30%, RTL 2x2: discover' torus discover
check '30%, RTL 2x2: program' torus program --routing ofr
check '30%, RTL 2x2: trace' torus trace --load 0.9 0,0 1,1
check '30%, RTL 2x2: latched at one instant, as far as is said' within
check '30%, RTL 2x2: boards equal their golden models to the end' stop

# How close clocks are compared depends on the cycles in between: the same ones on every machine, as
# time stands still while the host thinks. Else the twin's error may be within what it says.
window=1
start --seed "$seed" --dims 4x4 --boards golden --ppm 300000 --wait
check '30%, golden 4x4: discover' torus discover
check '30%, golden 4x4: program' torus program --routing por
check '30%, golden 4x4: latched at one instant, as far as is said' within
check '30%, golden 4x4: broken twin: the clocks have one rate: found out' beyond
check '30%, golden 4x4: ends' stop

# Elastic buffers that take what comes: it is more than fits.
build=$B
B=$build/twin/elastic
start --seed "$seed" --dims 4x4 --boards golden --ppm 300000 --latency 1
B=$build
torus program --routing ofr
torus run --pattern neighbour --load 0.95
stop
check '30%, golden 4x4: broken twin: buffers that are never full: found out' \
    grep -q 'the elastic buffer at port [0-3] of board [0-9]* overflows' "$dir/log"
start --seed "$seed" --dims 4x4 --boards golden --ppm 300000 --latency 1
torus program --routing ofr
torus run --pattern neighbour --load 0.95
check '30%, golden 4x4: as they are, they hold' stop

# One clock for all: nothing of that is said.
start --dims 3x2 --boards golden
check 'one clock: program' torus program --routing ofr
check 'one clock: run' torus run --load 0.3
check 'one clock: latency' torus latency --all
check 'one clock: trace' torus trace 0,0 1,1
check 'one clock: lifetimes' says 'lifetime [1-9][0-9.]* cycles'
check 'one clock: ends' stop

check 'boardsim: too many ppm' status 2 boardsim --ppm 500001
check 'boardsim: in one line' one_line

echo "1..$number"
[ $failed -eq 0 ]
