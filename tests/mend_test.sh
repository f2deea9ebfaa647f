#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A torus that is kept going by `program --around --watch`, while cables are pulled and put back: what is
# missing is led around, and when all is back so is the preset. TAP. Every wait is bounded.
. tests/boards.sh

watcher=
clean_up_watcher() {
    [ -n "$watcher" ] && kill "$watcher" 2>/dev/null && wait "$watcher" 2>/dev/null
    clean_up
}
trap clean_up_watcher EXIT

order() { # a word to the simulator
    "$B/bin/boardsim" --sockets "$dir" "$@" > "$dir/out" 2>&1
}

printed() { # N lines of the watcher that say $2, at least
    for _ in $(seq 3000); do
        [ "$(grep -c "$2" "$dir/watch")" -ge "$1" ] && return 0
        sleep 0.1
    done
    cp "$dir/watch" "$dir/out"
    return 1
}

# at the board that the watcher has, which says whose it is
beside() {
    timeout 600 "$B/bin/torusctl" info -t "unix:$dir/board1.sock" > "$dir/out" 2>&1 &&
        grep -q 'is shared at unix:' "$dir/watch"
}

# all N boards, by address
all_answer() {
    torus ping --all && [ "$(grep -c '^[0-9a-f]\{16\} ' "$dir/out")" -eq "$1" ]
}

try() { # sizes, boards, a cable, another one, a command that has the watcher as its own, links
    start --dims "$1" --boards golden --link "$6"
    check "$1: discover" torus discover --assign
    # At another board than this test's own commands
    # shellcheck disable=SC2086
    timeout 600 "$B/bin/torusctl" $5 -t "unix:$dir/board1.sock" program --timeout 6 \
        --retry "$retry" --routing ofr --around --watch 0.5 > "$dir/watch" 2>&1 &
    watcher=$!
    check "$1: the preset, all cables are there" printed 1 "routing ofr.*generation 1$"
    check "$1: a cable is pulled" order cut "$3"
    check "$1: led around" printed 1 "destination table on at $2 of $2 boards"
    check "$1: all boards answer" all_answer "$2"
    check "$1: traffic between all" torus run --pattern uniform,neighbour --load 0.3
    check "$1: another one is pulled" order cut "$4"
    check "$1: led around both" printed 2 "destination table on at $2 of $2 boards"
    check "$1: all boards answer again" all_answer "$2"
    check "$1: traffic between all again" torus run --pattern uniform,neighbour --load 0.3
    check "$1: one is put back" order join "$3"
    check "$1: led around the other" printed 3 "destination table on at $2 of $2 boards"
    check "$1: both are back" order join "$4"
    check "$1: so is the preset" printed 2 'routing ofr.*generation [0-9]*$'
    check "$1: traffic as before" torus run --pattern uniform,neighbour --load 0.3
    [ -z "$5" ] || check "$1: others get there through $5 all the while" beside
    check "$1: info" torus info
    check "$1: nothing leads around" says 'routing ofr, tie both.*generation [0-9]*$'
    kill "$watcher"
    wait "$watcher"
    check "$1: the watcher ends when it is told to" [ $? -eq 0 ]
    watcher=
    check "$1: and the simulator" stop
}

try 4x4 16 5.x+ 2.y+ '' reliable
try 3x3x3 27 5.x+ 13.z- serve plain
finish
