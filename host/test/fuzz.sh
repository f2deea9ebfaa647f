#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh NAME SECONDS: libFuzzer on build/fuzz/NAME from its kept corpus, which it does not change, and
# build/fuzz/NAME.seeds, where there are any; what it finds is in build/fuzz. TAP. What a fuzzer says was
# never done is a failure. And its twin must be found out: by an input of that corpus, so that no luck is
# needed. SEED (1) says which inputs are made up.
set -u
: "${B:=build}" "${SEED:=1}"
name=$1 seconds=$2
echo "# seed $SEED"
new=$B/fuzz/$name.corpus
rm -rf "$new" "$B/fuzz/$name-"* "$B/fuzz/$name.twin-"*
mkdir -p "$new"
seeds=$B/fuzz/$name.seeds
[ -d "$seeds" ] || seeds=

fuzz() { # PROGRAM OPTION
    # A leak is a finding too, and 60 s for an input: nothing in it waits.
    ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 timeout $((seconds + 300)) "$1" \
        "$2" -seed="$SEED" -max_len=4096 -timeout=60 -print_final_stats=1 \
        -artifact_prefix="$1-" "$new" "host/test/fuzz_$name/data" ${seeds:+"$seeds"} > "$1.log" 2>&1
}

bad=0
if ! fuzz "$B/fuzz/$name" -max_total_time="$seconds"; then
    echo "not ok 1 - $name: an input is in $B/fuzz/$name-*"
    grep -v '^#[0-9]' "$B/fuzz/$name.log" | tail -n 40 | sed 's/^/# /'
    bad=1
elif grep -q '^never done' "$B/fuzz/$name.log"; then
    echo "not ok 1 - $name: not all was reached"
    sed -n 's/^never done/# &/p' "$B/fuzz/$name.log"
    bad=1
else
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$B/fuzz/$name.log")
    echo "ok 1 - $name: $runs runs"
fi
fuzz "$B/fuzz/$name.twin" -runs=0
if ls "$B/fuzz/$name.twin-crash-"* > /dev/null 2>&1; then
    echo "ok 2 - $name: its twin without a check is found out"
else
    echo "not ok 2 - $name: its twin without a check is not found out"
    tail -n 20 "$B/fuzz/$name.twin.log" | sed 's/^/# /'
    bad=1
fi
echo "1..2"
exit $bad
