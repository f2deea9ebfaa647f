#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The fabric tools of torusctl against golden boards: pictures, streams, counters, plots. TAP.
. tests/boards.sh

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

# quiet_torus ARGUMENTS...: torusctl with only its standard output in $dir/out.
quiet_torus() {
    timeout 300 "$B/bin/torusctl" --timeout 120 -t "unix:$dir/board0.sock" "$@" \
        > "$dir/out" 2> "$dir/err"
}

# count WORD FILE N: WORD is in so many lines.
count() {
    [ "$(grep -c -e "$1" "$2")" -eq "$3" ]
}

# --- Wrong cables, named and drawn ----------------------------------------------------------------
start --dims 6x5 --boards golden --cable 7.x+ --cable 1.x+:22.x- --cable 15.x+:15.y- \
    --cable 26.y+:27.y-
check 'wrong cables: JSON' status 1 quiet_torus --format json discover --svg "$dir/wrong.svg"
check 'wrong cables: each by its kind' json 'sorted(f["kind"] for f in d["faults"]) ==
    ["doubled", "looped", "misplaced"] + 4 * ["missing"]'
check 'wrong cables: and its ends' json 'all(len(f["ends"]) == 2 for f in d["faults"])'
check 'wrong cables: a line each' count '^torusctl:' "$dir/err" 7
cp "$dir/wrong.svg" "$dir/out"
check 'wrong cables: drawn red, missing ones dashed' count 'stroke-dasharray' "$dir/out" 4
check 'wrong cables: all boards' count '>beeb8da1<' "$dir/out" 1
check 'SVG: no such folder' status 2 torus discover --svg "$dir/none/x.svg"
check 'SVG: says which' says "file '.*none/x.svg': No such file"
no_graphviz() {
    mkdir "$dir/empty"
    PATH="$dir/empty" "$B/bin/torusctl" -t "unix:$dir/board0.sock" discover --svg "$dir/x.svg" \
        > "$dir/out" 2>&1
}
check 'SVG: without graphviz' status 2 no_graphviz
check 'SVG: says what to install' says 'is graphviz installed'
check 'wrong cables: ends' stop

echo "1..$number"
[ $failed -eq 0 ]
