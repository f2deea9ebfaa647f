#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Boards with clocks of their own (boardsim --ppm). Over reliable links they keep one time: snapshots,
# and that time, are as far apart as torusctl says, by the simulator's own time, and what is measured is
# what boards with one clock measure. Over plain links everything arrives, RTL boards equal their golden
# models, and what needs one time is refused. TAP.
# SEED=n: other clocks (1). FULL=1 (make soak): RTL boards measured and latched under traffic as golden
# ones are, and 2x2 of them; without it two RTL boards, equal to their golden models. And 4x4 golden boards
# in place of 3x2.
. tests/boards.sh
seed=${SEED:-1}
echo "# seed $seed"

# The simulator's word on how far apart these are.
apart() { # 'latest snapshots are' or NODE.TIME
    ask_simulator "$sim" "$dir/log"
    sed -n "s/.*$1 \\([0-9]*\\)\\( cycles apart.*\\)*\$/\\1/p" "$dir/log" | tail -n 1
}

# The counters at one instant; what is said and what is so in $said and $so.
within() {
    torus snapshot --all || return 1
    said=$(sed -n 's/^latched at most \([0-9]*\) cycles apart.*/\1/p' "$dir/out")
    so=$(apart 'latest snapshots are')
    why="latched $so cycles apart, said at most $said"
    echo "# $why"
    [ "$so" -le "$said" ]
}

leased() {
    torus --format json ping && says '"leased": true'
}

# Whether the generators' packets have come on since the first look, by more flits than anything else
# sends; management goes in another VC.
before=
traffic() {
    torus counters
    now=$(awk '/adaptive.flits/ { sum += $NF } END { print sum + 0 }' "$dir/out")
    before=${before:-$now}
    [ $((now - before)) -gt 300000 ]
}

# timed TORUSCTL-ARGUMENTS...: which goes by the one time, and says how exact that is.
timed() {
    torus "$@" || return 1
    said=$(sed -n 's/.*at most \([0-9.]*\) cycles apart.*/\1/p' "$dir/out")
    so=$(apart NODE.TIME) # whole cycles
    why="NODE.TIME $so cycles apart, said at most $said"
    echo "# $why"
    [ "${so:-9999}" -le "$(awk "BEGIN { print int(${said:--2} + 1) }")" ]
}

# The same of boards that share a clock, to be compared with: one line of CSV.
measure() { # FILE
    torus --format csv bench --routing abr --load 0.4 --cycles 20000 && tail -n 1 "$dir/out" > "$1"
}
same_time() { # DIMS: what is measured on golden boards that share a clock
    start --dims "$1" --boards golden --link reliable
    torus program --routing ofr
    measure "$dir/one"
    stop
}

# Accepted load within 2%, mean lifetime within 2% and what is said of the clocks, p99 within a bin
# of the histogram (12%) and that.
agrees() { # FILE: measured where clocks differ
    why="$(cat "$1") against $(cat "$dir/one")"
    echo "# $why"
    paste -d, "$1" "$dir/one" | awk -F, '
        function near(a, b, part, more) {
            return a <= b * (1 + part) + more && a >= b * (1 - part) - more
        }
        { exit !($5 > 0 && near($5, $23, 0.02, 0) && near($7, $25, 0.02, $18) &&
              near($8, $26, 0.12, $18)) }'
}

# Nothing is set on a board; hosts only look.
alone() {
    torus --format json reg NODE.TIME_ADD --at 1,0 && says '"value": 0[,}]'
}

# A torus of boards that keep one time.
whole() { # NAME DIMS BOARDSIM-OPTIONS...
    what=$1
    same_time "$2"
    dims=$2
    shift 2
    start --seed "$seed" --dims "$dims" --link reliable "$@"
    check "$what: discover" torus discover
    check "$what: program" torus program --routing ofr
    check "$what: the time is as good as is said" timed time
    check "$what: latched at one instant, as far as is said" within
    check "$what: trace" torus trace 0,0 1,1
    check "$what: every packet arrives, with its lifetime" says '^[1-9][0-9]* packets, .*lifetime [1-9]'
    check "$what: bench" measure "$dir/own"
    check "$what: measures what boards with one clock do" agrees "$dir/own"
    check "$what: run, on that time" timed run --load 0.2
    check "$what: latency" timed latency --all --together
    check "$what: bandwidth" timed bandwidth 0,0 1,1
    check "$what: nothing was set" alone
    # Traffic, through another board, while the counters are latched: until its host is killed.
    "$B/bin/torusctl" --session 5555 --timeout 120 --retry 10 -t "unix:$dir/board1.sock" run \
        --pattern uniform --load 0.4 --cycles 200000000 > "$dir/run" 2>&1 &
    run=$!
    check "$what: a host measures" wait_for 120 leased
    check "$what: traffic runs" wait_for 240 traffic
    check "$what: latched while traffic runs" within
    check "$what: which still runs" kill -0 "$run"
    kill -KILL "$run"
    wait "$run" 2>/dev/null
    check "$what: the next host stops it" torus --take-over program --routing ofr
}

golden=3x2
[ -z "${FULL:-}" ] || golden=4x4
whole "200 ppm, golden $golden" $golden --boards golden --ppm 100
check "200 ppm, golden $golden: ends" stop

rtl=2x1 count=2 far=1,0
[ -z "${FULL:-}" ] || rtl=2x2 count=4 far=1,1
if [ -n "${FULL:-}" ]; then
    whole "200 ppm, RTL $rtl" $rtl --ppm 100
else
    start --seed "$seed" --dims $rtl --ppm 100 --link reliable
    check "200 ppm, RTL $rtl: program" torus program --routing ofr
    check "200 ppm, RTL $rtl: latched at one instant, as far as is said" within
    check "200 ppm, RTL $rtl: the time is as good as is said" timed time
fi
check "200 ppm, RTL $rtl: boards equal their golden models to the end" stop
cp "$dir/log" "$dir/out"
check "200 ppm, RTL $rtl: every counter, too" says "all $count boards equals the golden"

start --seed "$seed" --dims 2x2 --ppm 100 --no-shadow
check '200 ppm, RTL 2x2, no golden models: says where it is' ask_simulator "$sim" "$dir/log"
check '200 ppm, RTL 2x2, no golden models: ends' stop

# Plain links, clocks up to 30% off: elastic buffers that fill and empty all the time.
start --seed "$seed" --dims $rtl --ppm 300000 --latency 5
[ -z "${FULL:-}" ] || check "30%, RTL $rtl: discover" torus discover
check "30%, RTL $rtl: program" torus program --routing ofr
check "30%, RTL $rtl: trace" torus trace --load 0.9 0,0 $far
check "30%, RTL $rtl: every packet arrives; no lifetime is made up" says \
    '^[1-9][0-9]* packets, .*lifetime not known, as the boards'
check "30%, RTL $rtl: boards equal their golden models to the end" stop

start --seed "$seed" --dims 4x4 --boards golden --ppm 300000
check '30%, golden 4x4: discover' torus discover
check '30%, golden 4x4: program' torus program --routing por
for command in time 'snapshot --all' 'run --load 0.2' 'latency 0,0 1,1'; do
    # shellcheck disable=SC2086
    check "30%, golden 4x4: $command: no one time: status 2" status 2 torus $command
    check "30%, golden 4x4: $command: in one line" one_line
    check "30%, golden 4x4: $command: said" says 'not one NODE.TIME, and keep none'
done
check '30%, golden 4x4: ends' stop

# Elastic buffers that take what comes: it is more than fits.
streams() {
    for to in 1,0 2,0; do
        torus trace --load 0.95 --cycles 4000 0,0 $to &&
            torus trace --load 0.95 --cycles 4000 $to 0,0
    done
}
build=$B
B=$build/twin/elastic
start --seed "$seed" --dims 3x3 --boards golden --ppm 300000 --latency 1
B=$build
torus program --routing ofr
streams
stop
check '30%, golden 3x3: broken twin: buffers that are never full: found out' \
    grep -q 'the elastic buffer at port [0-3] of board [0-9]* overflows' "$dir/log"
start --seed "$seed" --dims 3x3 --boards golden --ppm 300000 --latency 1
torus program --routing ofr
streams
check '30%, golden 3x3: as they are, they hold' stop

# One clock for all: nothing of that is said.
start --dims 3x2 --boards golden
check 'one clock: program' torus program --routing ofr
check 'one clock: latency' torus latency --all --together
check 'one clock: trace' torus trace 0,0 1,1
check 'one clock: lifetimes' says 'lifetime [1-9][0-9.]* cycles'
check 'one clock: snapshot' torus snapshot --all
check 'one clock: time' torus time
check 'one clock: says so' says 'at most 0.0 cycles apart'
check 'one clock: run' torus run --load 0.3
why='clocks of their own are spoken of'
check 'one clock: and nothing is said of it' eval '! grep -q apart "$dir/out"'
check 'one clock: ends' stop

check 'boardsim: too many ppm' status 2 boardsim --ppm 500001
check 'boardsim: in one line' one_line

finish
