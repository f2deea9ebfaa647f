#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A board that lets one process in, without a serve: who comes second gets there while the first one
# rests, or is told who has it. And the write lease of a host that is dead ends. Golden boards. TAP.
. tests/boards.sh
pids=
clean_up_turns() {
    # shellcheck disable=SC2086
    [ -z "$pids" ] || kill -9 $pids 2> /dev/null
    clean_up
}
trap clean_up_turns EXIT
at="unix:$dir/board0.sock"

# background NAME COMMAND...: its output in $dir/NAME, its process in $pid.
background() {
    to=$1
    shift
    "$@" > "$dir/$to" 2>&1 9>&- &
    pid=$!
    pids="$pids $pid"
}
# ends PID WANTED: by itself, with that status.
ends() {
    wait "$1"
    [ $? = "$2" ]
}

start --dims 2x2 --boards golden
check 'program' torus program

# --- Who comes second is told who has it, and does not wait for the time-out ------------------------
background held "$B/bin/torusctl" --timeout 600 -t "$at" ping --count 1000000
held=$pid
wait_for 120 [ -s "$dir/held" ] || sleep 2
told() { # COMMAND...
    timeout 120 "$B/bin/torusctl" "$@" --timeout 100000 -t "$at" > "$dir/out" 2>&1
    got=$?
    [ $got = 2 ] && one_line &&
        says "process $held (torusctl) has it: end that first, or let torusctl serve share it"
}
for command in ping discover counters monitor stop serve; do
    check "a board that is taken: $command says by whom" told $command
done
kill "$held"
wait "$held" 2> /dev/null
check 'and then it is free' torus ping
check 'no lock is left' [ -z "$(find "$dir" -name '*.held')" ]
background held "$B/bin/torusctl" --timeout 600 -t "$at" ping --count 1000000
wait_for 120 [ -s "$dir/held" ] || sleep 2
kill -9 "$pid"
wait "$pid" 2> /dev/null
check 'nor one that is in the way, of somebody who was killed' torus ping

# --- Who looks now and then lets others in between ---------------------------------------------------
looked() { # N: so many intervals
    [ "$(grep -c '^interval' "$dir/watch")" -ge "$1" ]
}
between() { # TORUSCTL
    : > "$dir/watch"
    background watch stdbuf -oL "$1" --timeout 600 -t "$at" counters --watch 2 --all
    watch=$pid
    wait_for 120 looked 1 || return 1
    refused=0
    for _ in 1 2 3; do
        torus ping || refused=1
    done
    before=$(grep -c '^interval' "$dir/watch")
    [ $refused = 1 ] || wait_for 120 looked $((before + 1))
    more=$?
    kill "$watch" 2> /dev/null
    wait "$watch" 2> /dev/null
    [ $refused = 0 ] && [ $more = 0 ]
}
check 'counters --watch lets others in, and goes on' between "$B/bin/torusctl"
check 'twin: one that keeps the board is found' eval '! between "$B/twin/keeps/torusctl"'
monitored() {
    background monitor timeout 300 python3 host/test/monitor_test.py count "$B/bin/torusctl" \
        --timeout 60 -t "$at" monitor --watch 2 --count 4
    monitor=$pid
    sleep 1
    for _ in 1 2 3; do
        torus ping || return 1
    done
    ends "$monitor" 0
}
check 'monitor lets others in, and goes on' monitored
background around "$B/bin/torusctl" --timeout 600 -t "$at" program --around --watch 2
wait_for 120 grep -q generation "$dir/around"
check 'program --around --watch lets others in' torus run
check 'and when it is told to end' kill "$pid"
check 'it does' ends "$pid" 0

# --- The lease of a host that is dead ----------------------------------------------------------------
# Taken for two seconds of the boards' time, which go on by the wall clock when nobody asks.
dead() {
    python3 - "$dir/board0.sock" << 'PY'
import socket, struct, sys, zlib
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.settimeout(100)
words = [0xA5 | 5 << 12, 6 | 5 << 3 << 8 | 99 << 16, 1, 0, 0, 77]  # OP_LEASE, take
words.insert(1 + 3, 0)
data = struct.pack("<7I", *words)
s.sendall(data + struct.pack("<I", zlib.crc32(data)))
answer = s.recv(32, socket.MSG_WAITALL)
sys.exit(len(answer) != 32 or answer[5] != 0)
PY
}
check 'dead host: it had the lease' dead
check 'dead host: another one is refused' status 2 torus reg NODE.RING_WAIT=6
check 'dead host: says so' says 'session 99 has the write lease of .*, for [0-9]* s by its clock; wait until it is free, or take it over with --take-over$'
free() {
    sleep 3
    torus reg NODE.RING_WAIT=6
}
check 'dead host: waiting helps' wait_for 120 free
check 'end' stop
finish
