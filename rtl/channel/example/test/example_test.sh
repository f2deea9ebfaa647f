#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two boards of the example, set up over a UART as a host does it, their channels joined: each gets a
# thousand right answers from the other. The example has 40 lines at most, none crammed. The waveforms
# are of this run, each picture of its JSON. Twins: ends 0 are joined with each other and nobody
# answers; an example with a line more, one with two statements in a line. TAP.
. tests/tap.sh
. rtl/router/waves/test/drawn.sh
: "${B:=build}"
here=rtl/channel/example
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
shown="$work/run $work/out"

# Lines of a file: 40 at most, of 100 columns, no two statements in one. A comment does not count as one
is_short() { # FILE
    awk '{ code = $0; sub("//.*", "", code) }
         length($0) > 100 || code ~ /;.*;/ { print FILENAME ":" NR ": crammed: " $0; bad = 1 }
         END { if (NR > 40) { print FILENAME ": " NR " lines, not 40"; bad = 1 } exit bad }' "$1"
}
is_short $here/two_channels.v > "$work/out"
result $? 'the example: 40 lines at most, none crammed'
sed 's/^endmodule/\n\n&/' $here/two_channels.v > "$work/twin.v"
! is_short "$work/twin.v" > "$work/out" && grep -q '41 lines, not 40' "$work/out"
result $? 'twin: an example of 41 lines is found'
sed '/^    assign s_axis_tvalid/{N;s/\n */ /}' $here/two_channels.v > "$work/twin.v"
! is_short "$work/twin.v" > "$work/out" && grep -q 'crammed: ' "$work/out"
result $? 'twin: two statements in a line are found'

sh $here/draw.sh "$work" > "$work/run" 2> "$work/out" &&
    grep -q '^board 0: 1000 answers or more, right$' "$work/run" &&
    grep -q '^board 1: 1000 answers or more, right$' "$work/run"
result $? 'two boards: all answers are right, both ways'
are_drawn "$work" $here
(cd "$B/firmware" && exec "$OLDPWD/$B/channel/example" +twin) > "$work/run" 2>&1
grep -q '^board 0: .* wrong$' "$work/run"
result $? 'twin: nobody answers, which is found out'
finish
