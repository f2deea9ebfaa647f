#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh NAME SECONDS: libFuzzer on build/fuzz/NAME from its kept corpus, which it does not change;
# what it finds is in build/fuzz. TAP. And its twin, where there is one, must be found out.
set -u
: "${B:=build}"
name=$1 seconds=$2
new=$B/fuzz/$name.corpus
rm -rf "$new" "$B/fuzz/$name-"*
mkdir -p "$new"

fuzz() { # PROGRAM SECONDS
    # A leak is a finding too, and 5 s for an input: nothing in it waits.
    ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 timeout $(($2 + 60)) "$1" \
        -max_total_time="$2" -max_len=4096 -timeout=5 -print_final_stats=1 \
        -artifact_prefix="$B/fuzz/$name-" "$new" "host/test/fuzz_$name/data" \
        > "$B/fuzz/$name.log" 2>&1
}

number=1 bad=0
if fuzz "$B/fuzz/$name" "$seconds"; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$B/fuzz/$name.log")
    echo "ok 1 - $name: $runs runs"
else
    echo "not ok 1 - $name: an input is in $B/fuzz/$name-*"
    grep -v '^#[0-9]' "$B/fuzz/$name.log" | tail -n 40 | sed 's/^/# /'
    bad=1
fi
if [ -x "$B/fuzz/$name.twin" ]; then
    number=2
    if fuzz "$B/fuzz/$name.twin" 30; then
        echo "not ok 2 - $name: its twin without a check is not found out"
        bad=1
    else
        echo "ok 2 - $name: its twin without a check is found out"
        rm -f "$B/fuzz/$name-"*
    fi
fi
echo "1..$number"
exit $bad
