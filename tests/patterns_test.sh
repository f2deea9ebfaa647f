#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One list of names for traffic patterns: torusctl, torussim and bench take the same, and the same
# other words for them; one that is unknown is answered with the list.
B=${B:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/tap.sh
shown="$work/out $work/err"

torusctl() { "$B/bin/torusctl" run -t "unix:$work/nobody" --pattern "$1"; }
# A wrong --messages behind it ends them before they run.
bench() { "$B/bin/bench" --pattern "$1" --messages 0; }
torussim() { "$B/bin/torussim" run --topology 4x4x4 --messages 1 --format json --traffic "$1"; }

for tool in torusctl bench torussim; do
    $tool zigzag > "$work/out" 2> "$work/err"
    [ $? = 2 ] && [ ! -s "$work/out" ] && grep -q zigzag "$work/err"
    result $? "$tool: an unknown pattern has exit status 2"
    sed -n 's/.*\(uniform, butterfly, .*\)/\1/p' "$work/err" | tr -d ',' > "$work/$tool"
done
[ "$(wc -w < "$work/torusctl")" = 8 ]
result $? 'the answer has the eight patterns of the boards'
cmp "$work/torusctl" "$work/bench"
result $? "bench's list is torusctl's"
for name in $(cat "$work/torusctl"); do
    grep -q -w "$name" "$work/torussim" || echo "# $name"
done > "$work/out"
[ ! -s "$work/out" ]
result $? "torussim's list has them all"

# taken NAME: by all three; torussim's record has the pattern's own name, in $work/own
taken() {
    torusctl "$1" > "$work/out" 2> "$work/err"
    grep -q 'nobody: No such file' "$work/err" || return 1
    bench "$1" > "$work/out" 2> "$work/err"
    grep -q 'messages 0' "$work/err" || return 1
    torussim "$1" > "$work/out" 2> "$work/err" || return 1
    sed -n 's/.*"traffic": *"\([^"]*\)".*/\1/p' "$work/out" | head -n 1 > "$work/own"
}
for name in $(cat "$work/torusctl"); do
    taken "$name" && [ "$(cat "$work/own")" = "$name" ]
    result $? "$name: taken by all three"
done
while read -r other name; do
    taken "$other" && [ "$(cat "$work/own")" = "$name" ]
    result $? "$other: taken by all three, for $name"
done <<'T'
transpose transposition
rotate3d transposition3d
bit-reverse bitreverse
neighbor neighbour
T
finish
