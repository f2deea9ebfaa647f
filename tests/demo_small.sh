#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make demo on 2x1: the main job from end to end, every counter equal to the golden model's. And with
# a pattern that is not there it says so, and ends.
. tests/tap.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
shown=$work/out

DIMS=2x1 PATTERNS=uniform sh tests/demo.sh > "$work/out" 2>&1
result $? 'the demo comes to its end'
[ "$(grep -c 'every counter of all 2 boards equals' "$work/out")" -ge 4 ]
result $? 'every counter of all boards equals the golden model'"'"'s'
[ "$(sed '/^== .*golden boards/,$d' "$work/out" | grep -c '^uniform  *\(abr\|por\|ofr\) ')" = 3 ]
result $? 'a row for each routing'
awk '$1 == "tornado" { accepted[$2] = $5 }
    END { exit !(accepted["ofr"] > accepted["abr"] && accepted["abr"] > 0) }' "$work/out"
result $? 'tornado on 8x8: OFR accepts more than ABR'
! DIMS=2x1 PATTERNS=nonesuch sh tests/demo.sh > "$work/out" 2>&1 && grep -q 'nonesuch' "$work/out"
result $? 'a pattern that does not exist ends it, with its name'
finish
