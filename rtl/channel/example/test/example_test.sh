#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two boards of the example, set up over a UART as a host does it, their channels joined: each gets a
# thousand right answers from the other. The waveforms are of this run, each picture of its JSON. A
# twin, where ends 0 are joined with each other and nobody answers, is found out. TAP.
. tests/tap.sh
: "${B:=build}"
here=rtl/channel/example
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
shown="$work/run $work/out"

sh $here/draw.sh "$work" > "$work/run" 2> "$work/out" &&
    grep -q '^board 0: 1000 answers or more, right$' "$work/run" &&
    grep -q '^board 1: 1000 answers or more, right$' "$work/run"
result $? 'two boards: all answers are right, both ways'
for scene in sent received; do
    cmp "$work/$scene.json" "$here/$scene.json" > "$work/out" 2>&1
    result $? "$scene: the waveform is of this RTL; if it was changed on purpose: make docs"
    grep -q "^<!-- $(sha256sum < $here/$scene.json | cut -c 1-64) -->\$" $here/$scene.svg &&
        grep -q "$scene.svg" $here/README.md
    result $? "$scene: the picture is of its JSON, and shown"
done
(cd "$B/firmware" && exec "$OLDPWD/$B/channel/example" +twin) > "$work/run" 2>&1
grep -q '^board 0: .* wrong$' "$work/run"
result $? 'twin: nobody answers, which is found out'
finish
