#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No circle of calls between boardsim's files, and a row in the README for each.
set -u
. tests/tap.sh
: "${B:=build}" "${CC:=gcc}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
readme=sim/cosim/README.md

# The rows between this head and the next one.
rows() {
    sed -n '/^## Files of boardsim/,/^## /p' "$readme" | sed -n 's/^| \(.*\) |.*|$/\1/p'
}
# Its files, as the README has them.
files() {
    rows | grep -o '`[a-z_]*\.c`' | tr -d '`' | sed 's/\.c$//'
}
objects() {
    for file in $(files); do echo "$B/cosim/board/$file.o"; done
}
# What is linked, and nothing else, has a row.
all_have_a_row() {
    sed -n 's/^BS_C := //p' sim/cosim/boardsim.mk | tr ' ' '\n' | sort > "$work/made"
    files | sort > "$work/said"
    diff "$work/made" "$work/said" | sed 's/^/# /'
    [ -s "$work/made" ] && cmp -s "$work/made" "$work/said" || return 1
    for file in $(files); do # and its header, if it has one
        [ ! -f "sim/cosim/$file.h" ] || rows | grep -q "\`$file\.h\`" ||
            { echo "# $file.h has no row"; return 1; }
    done
}
# shellcheck disable=SC2046
check 'boardsim: no circle of calls' sh tests/circles.sh $(objects)
check 'boardsim: every file has its row in the README' all_have_a_row

# Twin: the lowest file calls the highest but one.
echo 'struct sim; void step_batch(struct sim *s); void die(const char *, ...);
void die(const char *format, ...) { (void)format; step_batch(0); }' > "$work/basics.c"
twin() { # shellcheck disable=SC2046
    "$CC" -c -o "$work/basics.o" "$work/basics.c" || return 1
    ! sh tests/circles.sh "$work/basics.o" $(objects | grep -v /basics.o) > "$work/out" 2>&1 &&
        grep -q '/basics.o' "$work/out" && grep -q '/steps.o' "$work/out"
}
check 'twin: a call from the lowest file to a high one is found' twin
finish
