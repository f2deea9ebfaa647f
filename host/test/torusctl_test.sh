#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torusctl used wrongly: one clear line on stderr that names what was wrong, nothing on stdout,
# exit status 2, and never a hang.
set -u
: "${B:=build}"
ctl=$B/bin/torusctl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0 bad=0

refuse() # word that the line must contain, then arguments
{
    n=$((n + 1))
    word=$1
    shift
    timeout 20 "$ctl" "$@" > "$work/out" 2> "$work/err"
    status=$?
    if [ $status -eq 2 ] && [ ! -s "$work/out" ] && grep -q -e "$word" "$work/err" &&
        [ "$(grep -vc '^Try ' "$work/err")" -eq 1 ]; then
        echo "ok $n - $*"
    else
        echo "not ok $n - $*: status $status"
        sed 's/^/# /' "$work/err" "$work/out"
        bad=1
    fi
}

nowhere=unix:$work/nothing
refuse discover
refuse 'where the board is' discover
refuse "'explode'" explode -t "$nowhere"
refuse 'unix:PATH' ping -t carrier-pigeon
refuse 'No such file' ping -t "$nowhere"
refuse 'No such file' discover -t "$nowhere"
refuse 'No such file' run -t "$nowhere"
refuse "'xml'" ping -t "$nowhere" --format xml
refuse "'soon'" ping -t "$nowhere" --timeout soon
refuse "'8'" ping -t "$nowhere" --window 8
refuse "'70000'" ping -t "$nowhere" --session 70000
refuse "'0'" ping -t "$nowhere" --key 0
refuse "'16'" program -t "$nowhere" --threshold 16
refuse "'two'" ping -t "$nowhere" two
refuse 'too long' ping -t "unix:$(printf '%0200d' 0)"

# A dead UART: somebody listens but never answers.
if command -v python3 > /dev/null; then
    python3 - "$work/dead" << 'PY' &
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(9)
kept = []
s.settimeout(60)
try:
    while True:
        kept.append(s.accept())
except OSError:
    pass
PY
    dead=$!
    tries=0
    while [ ! -S "$work/dead" ] && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    for command in ping discover info program run counters; do
        refuse 'no answer' "$command" -t "unix:$work/dead" --timeout 0.5
    done
    refuse "'sideways'" program -t "unix:$work/dead" --routing sideways
    refuse "'maybe'" program -t "unix:$work/dead" --tie maybe
    refuse 'either' program -t "unix:$work/dead" --resume --abort
    refuse "'zigzag'" run -t "unix:$work/dead" --pattern uniform,zigzag
    refuse "'-1'" run -t "unix:$work/dead" --load=-1
    refuse "'9'" counters -t "unix:$work/dead" --at 9
    kill $dead
else
    n=$((n + 1))
    echo "ok $n - dead UART # SKIP no python3"
fi
echo "1..$n"
exit $bad
