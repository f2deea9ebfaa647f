#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Boards that are reset and cables that are pulled while a torus runs: reliable links fall and come up
# again, re-based, and then every cable delivers both ways; RTL boards equal their golden models. Plain
# ones, where boards that were not reset at once have not one time, deliver to the board that was. A broken
# twin: links that are not re-based. TAP.
. tests/boards.sh
program=$B/bin/boardsim

tell() { # ORDER: to the simulator
    timeout 120 "$program" --sockets "$dir" "$@" > "$dir/out" 2>&1
    got=$?
    why="boardsim $*: status $got"
    return $got
}

# The users' packets that have gone out of each port so far, board and port first.
ledger() {
    ask_simulator "$sim" "$dir/log" && cat "$dir/ledger"
}
some_traffic() {
    now=$(ledger | awk '{ sum += $3 } END { print sum + 0 }')
    [ "$now" -gt "$1" ]
}

# Traffic of all boards, in the background: so long that an order comes in its middle.
traffic() {
    before=$(ledger | awk '{ sum += $3 } END { print sum + 0 }')
    timeout 600 "$B/bin/torusctl" --timeout 3 --retry "$retry" -t "unix:$dir/board0.sock" run \
        --pattern uniform --load 0.5 --cycles "$cycles" > "$dir/run" 2>&1 &
    run=$!
    wait_for 120 some_traffic $((before + 50))
}
# It ends in one line that says what is wrong.
traffic_fails() {
    wait "$run"
    got=$?
    why="the run: status $got, $(cat "$dir/run")"
    [ $got -ge 1 ] && [ "$(grep -c '^torusctl: ' "$dir/run")" = 1 ]
}
traffic_ends() { # what was on the cable is lost, and the run may say so
    wait "$run"
    got=$?
    why="the run: status $got, $(cat "$dir/run")"
    [ $got = 0 ] || [ $got = 1 ]
}

# All that is sent arrives, and packets go out of every port that has a cable.
both_ways() {
    ledger > "$dir/ledger.before"
    torus discover --assign && torus program --routing abr &&
        torus --format json run --pattern uniform --load 0.3 || return 1
    json 'd["runs"][0]["sent"] > 100 and d["runs"][0]["sent"] == d["runs"][0]["received"]' || return 1
    ledger > "$dir/ledger.after"
    used=$(paste -d ' ' "$dir/ledger.before" "$dir/ledger.after" | awk '$6 > $3 { print $1 "." $2 }')
    why="of $ports ports with a cable only these have sent: $(echo "$used" | tr '\n' ' ')"
    [ "$(echo "$used" | wc -l)" = "$ports" ]
}

named() { # WORD: discover ends with status $1 and says so
    status "$1" torus discover && says "$2"
}

began() { # KIND PORTS OPTIONS...: a torus, programmed; so many ports have a cable
    kind=$1
    ports=$2
    shift 2
    start --ledger "$dir/ledger" "$@"
    torus discover --assign && torus program --routing ofr
}

reset_under_traffic() { # BOARD
    check "$kind: traffic is under way" traffic
    check "$kind: board $1 is reset" tell reset "$1"
    check "$kind: the run ends in one line" traffic_fails
    check "$kind: discover names the board" named 0 'is not configured, others are'
    check "$kind: afterwards every cable delivers" both_ways
}
cable_under_traffic() { # CABLE: pulled and put back
    check "$kind: traffic again" traffic
    check "$kind: a cable is pulled" tell cut "$1"
    check "$kind: and plugged in again" tell join "$1"
    check "$kind: the run ends" traffic_ends
    check "$kind: afterwards every cable delivers" both_ways
    check "$kind: a cable is pulled" tell cut "$1"
    check "$kind: discover names it" named 1 'no cable from'
    check "$kind: and plugged in again" tell join "$1"
    check "$kind: discover finds a torus" status 0 torus discover
}

cycles=40000
check 'golden 3x3 begins' began golden 36 --boards golden --dims 3x3 --link reliable
reset_under_traffic 4
cable_under_traffic 5.y-
for order in 'reset 9' 'reset -1' 'reset 1x' 'cut 4.z+' 'cut 4.x+:3.x-' 'join 4.x+' 'join 9.x+' 'frob 3' \
    reset cut; do
    # shellcheck disable=SC2086
    check "refused: $order" status 2 tell -- $order
    check "refused: $order: one line" one_line
done
check 'a second simulator in the folder is refused' status 2 tell --dims 2x2 --boards golden
check 'it says so' says 'another simulator listens there'
check 'and the first one is still there' torus ping
check 'no cable in the torus' status 0 tell cut 4.x+
check 'refused: pulled twice' status 2 tell cut 4.x+
check 'another cable' status 0 tell join 4.x+:0.y-
check 'discover names it' named 1 'goes to y- of '
check 'boardsim ends well' stop
check 'refused: nobody there' status 2 tell reset 1
check 'refused: nobody there: one line' one_line
for order in nonsense 50:nonsense '50:reset 9' -1:reset; do
    check "refused: --at $order" status 2 boardsim --dims 2x1 --boards golden --sockets "$dir" \
        --cycles 64 --at "$order"
    check "refused: --at $order: one line" test "$(grep -vc '^Try ' "$dir/out")" = 1
done

check 'golden 3x2x2, clocks of their own begin' began clocks 48 --boards golden --dims 3x2x2 --ppm 200 --link reliable
reset_under_traffic 4
check 'boardsim ends well' stop

# One RTL board among golden ones, which is reset; FULL=1 (make soak): two of each.
boards=grgg
[ -z "${FULL:-}" ] || boards=rrgg
check 'RTL and golden 2x2 begins' began RTL 8 --boards $boards --dims 2x2 --link reliable
reset_under_traffic 1
cable_under_traffic 1.x-
check 'RTL boards equal their golden models' stop

# In given cycles: the same session twice.
at() {
    boardsim --dims 2x1 --boards rg --link plain --sockets "$dir" --cycles 4096 --at '1000:reset 1' \
        --at '2000:cut 0.x+' --at '2500:join 0.x+'
}
check '--at: RTL and golden board' at
check '--at: what was done' says 'join 0.x+, at cycle 2560'

# Plain links: from all neighbours to the board that was reset. Twin: they come up without being re-based.
inward() {
    shorter="timeout 60 $B/bin/torusctl --timeout 3 -t unix:$dir/board0.sock"
    { $shorter discover --assign && $shorter program --routing abr; } > "$dir/out" 2>&1 || return 1
    for from in 0,1 2,1 1,0 1,2; do
        $shorter trace --load 0.9 $from 1,1 > "$dir/out" 2>&1 || return 1
    done
}
reset_once() {
    torus discover --assign && torus program --routing ofr || return 1
    traffic
    tell reset 4
    wait "$run"
}
start --boards golden --ledger "$dir/ledger" --dims 3x3
reset_once
check 'plain links: afterwards every cable delivers to the board' inward
check 'plain links: boardsim ends well' stop
B=$B/twin/rebase
start --boards golden --ledger "$dir/ledger" --dims 3x3
B=${B%/twin/rebase}
reset_once
check 'twin: without re-basing a reset kills cables' eval '! inward'
stop > /dev/null
finish
