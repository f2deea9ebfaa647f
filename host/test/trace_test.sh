#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torusctl trace lists just the links that packets took, with how many, by the simulator's own ledger
# of what went over its cables. TAP.
. tests/boards.sh

: "${SEED:=1}"
echo "# seed $SEED (SEED replays)"

# ledger FILE: what the simulator has counted until now.
ledger() {
    ask_simulator "$sim" "$dir/log" && cp "$dir/ledger" "$1"
}

# compare DIMS: the JSON of trace in $dir/out with the ledgers before and after.
compare() {
    python3 - "$1" "$dir/out" "$dir/before" "$dir/after" << 'PY'
import json, sys
k = [int(n) for n in sys.argv[1].split("x")]
with open(sys.argv[2]) as f:
    d = json.load(f)
def ledger(name):
    with open(name) as f:
        return {(int(n), p): int(c) for n, p, c in (line.split() for line in f)}
before, after = ledger(sys.argv[3]), ledger(sys.argv[4])
took = {link: after[link] - before[link] for link in after if after[link] > before[link]}
# Board 0 has not the lowest serial number: coordinates differ from the simulator's by a shift.
said = {}
for h in d["hops"]:
    at = h["at"]
    said[tuple(at), h["port"]] = h["packets"]
def shifted(by):
    out = {}
    for (n, p), c in took.items():
        at = [n % k[0], n // k[0] % k[1]] + ([n // k[0] // k[1]] if len(k) == 3 else [])
        out[tuple((a + b) % s for a, b, s in zip(at, by, k)), p] = c
    return out
shifts = [[x, y, z] for x in range(k[0]) for y in range(k[1])
          for z in range(k[2] if len(k) == 3 else 1)]
if not any(shifted(by) == said for by in shifts) or not said:
    print("# packets took", took, "trace says", said)
    sys.exit(1)
PY
}

torusctl=bin/torusctl # or a twin's
traced() { # DIMS A B OPTIONS...
    dims=$1 a=$2 b=$3
    shift 3
    ledger "$dir/before" && timeout 600 "$B/$torusctl" --timeout 120 -t "unix:$dir/board0.sock" \
        --format json trace "$a" "$b" "$@" > "$dir/out" 2>&1 && ledger "$dir/after" &&
        compare "$dims"
}

for dims in 5x3 4x4 3x4x5; do
    start --dims "$dims" --boards golden --ledger "$dir/ledger"
    case $dims in
    5x3) routings='abr ofr dor rdr' ;;
    4x4) routings='por' ;;
    *) routings='ofr' ;;
    esac
    for routing in $routings; do
        check "$dims: program $routing" torus program --routing $routing
        case $dims in
        3x4x5) zero=0,0,0 pairs="0,0,0:1,0,0 0,0,0:1,2,2 2,3,1:0,1,4" ;;
        *) zero=0,0 pairs="0,0:1,0 0,0:2,1 1,2:3,0" ;;
        esac
        for pair in $pairs; do
            check "$dims $routing: ${pair%:*} to ${pair#*:}" traced "$dims" "${pair%:*}" "${pair#*:}"
        done
        check "$dims $routing: at full load" traced "$dims" "$zero" "${pair#*:}" --load 1
    done
    check "$dims: management besides makes no difference" torus ping --all
    check "$dims: a length like management's is refused" status 2 torus trace "$zero" "${pair#*:}" \
        --length 8
    check "$dims: says why" says 'length .8.: twice that of management'
    if [ "$dims" = 5x3 ]; then
        torusctl=twin/escapes/torusctl
        check "$dims: twin: one that takes management for traffic is found" \
            eval "! traced $dims 0,0 1,0 > /dev/null"
        torusctl=bin/torusctl
    fi
    check "$dims: ends" stop
done
finish
