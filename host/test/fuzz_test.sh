#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Is the fuzzer of libtorus complete? Every function of libtorus.h from which that one can be reached
# that parses what a board has sent, exchange(), must be among fuzz_calls.c, whose names are those of the
# seeds that fuzz_seeds has written. Who calls what is read from the machine code of the library.
set -u
. tests/tap.sh
: "${B:=build}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$B/libtorus.so.1" | awk '{ print $3 }' | sort > "$work/public"
[ -s "$work/public" ] || { echo "fuzz_test.sh: the library has no public function" >&2; exit 2; }

# Who calls or takes the address of whom, a pair a line. What is not public goes by its address: files have
# functions of one name. exchange() alone has a name that no other has.
objdump -d --no-show-raw-insn "$B/libtorus.so.1" | awk '
    function node(at, name) {
        sub(/@plt$/, "", name); sub(/^0+/, "", at)
        return name in public || name == "exchange" ? name : at
    }
    FNR == NR { public[$1]; next }
    /^[0-9a-f]+ <.*>:$/ { f = node($1, substr($2, 2, length($2) - 3)); next }
    match($0, /[0-9a-f]+ <[^>+]+>/) {
        split(substr($0, RSTART, RLENGTH - 1), target, " <")
        print f, node(target[1], target[2])
    }
' "$work/public" - | sort -u > "$work/pairs"

reach() { # FUNCTION: the public functions from which it can be reached
    awk -v to="$1" '
        { from[n] = $1; what[n++] = $2 }
        END { got[to] = more = 1
              while (more) { more = 0
                  for (i = 0; i < n; i++) if (what[i] in got && !(from[i] in got)) got[from[i]] = more = 1 }
              for (f in got) print f }' "$work/pairs" | sort > "$work/reaching"
    comm -12 "$work/public" "$work/reaching"
}

parse() { reach exchange > "$work/parse"; [ "$(wc -l < "$work/parse")" -gt 20 ]; }

complete() { # FILE: what the fuzzer calls
    comm -23 "$work/parse" "$1" > "$work/wrong"
    sed 's/.*/# &: parses answers, not among fuzz_calls.c/' "$work/wrong"
    [ ! -s "$work/wrong" ]
}

twin() { # any one of them left out is named
    while read -r call; do
        grep -vx "$call" "$work/calls" > "$work/less"
        complete "$work/less" > "$work/said"
        grep -q "^# $call: parses answers" "$work/said" || return 1
    done < "$work/parse"
}

for seed in "$B/fuzz/host.seeds"/torus_*; do echo "${seed##*/}"; done | sed 's/\..*//' | sort -u > "$work/calls"
check 'public functions parse answers' parse
check 'the fuzzer calls each of them' complete "$work/calls"
check 'twin: one that it does not call is named' twin
finish
