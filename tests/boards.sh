#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the tests of torusctl against boardsim share; they source this. TAP. Every wait is bounded;
# what it starts it ends. The test ends with finish.
set -u
. tests/wait.sh
. tests/tap.sh
B=${B:-build}
dir=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
export XDG_STATE_HOME="$dir" XDG_RUNTIME_DIR="$dir" # where torusctl keeps its token, finds a serve
export USER=lab                                     # what it calls itself
sim= why= shown="$dir/out $dir/log"
retry=0.5 # seconds before torusctl repeats a request

clean_up() {
    [ -n "$sim" ] && kill "$sim" 2>/dev/null && wait "$sim" 2>/dev/null
    rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 2' INT TERM

# check NAME COMMAND...: COMMAND's output in $dir/out; $why, where it fails, may say more.
check() {
    name=$1 why=
    shift
    if "$@"; then
        result 0 "$name"
    else
        result 1 "$name"
        [ -z "$why" ] || echo "# $why"
    fi
}

# start OPTIONS...: a simulator in the background. With plain links, since most tests are about
# something else, and reliable ones take half as much time again: --link reliable where they matter.
start() {
    # One thread: tests share the machine, and threads that meet every cycle suffer from others.
    start_simulator "$dir/log" "$B/bin/boardsim" --threads 1 --sockets "$dir" --link plain "$@"
}

stop() {
    kill "$sim" 2>/dev/null
    wait "$sim"
    status=$?
    sim= why="boardsim ended with status $status"
    return $status
}

torus() {
    timeout 600 "$B/bin/torusctl" --timeout 120 --retry "$retry" -t "unix:$dir/board0.sock" "$@" \
        > "$dir/out" 2>&1
    got=$?
    why="torusctl $*: status $got"
    return $got
}

# json EXPRESSION: of the JSON in $dir/out, `d`, must be true.
json() {
    python3 - "$dir/out" "$1" << 'PY'
import json, sys
with open(sys.argv[1]) as f:
    d = json.load(f)
if not eval("(" + sys.argv[2] + ")"):
    print("# not so:", sys.argv[2])
    sys.exit(1)
PY
}

# status N COMMAND...: it must end with that status.
status() {
    wanted=$1
    shift
    "$@"
    got=$?
    why="status $got, not $wanted"
    [ $got -eq "$wanted" ]
}

says() {
    why="the output does not say: $1"
    grep -q -- "$1" "$dir/out"
}

boardsim() {
    timeout 60 "$B/bin/boardsim" "$@" > "$dir/out" 2>&1
}

one_line() {
    [ "$(wc -l < "$dir/out")" -eq 1 ]
}

# calls, found PROGRAM ARGUMENTS...: a program of libtorus' calls on the boards at $where; all of it is so;
# something is not. In $limit seconds.
where=$dir limit=300
calls() {
    program=$1
    shift
    timeout "$limit" "$program" "$where" "$@" > "$dir/out" 2>&1 && ! grep -q '^not ok' "$dir/out"
}
found() {
    program=$1
    shift
    timeout "$limit" "$program" "$where" "$@" > "$dir/out" 2>&1
    [ $? = 1 ] && grep -q '^not ok' "$dir/out"
}
