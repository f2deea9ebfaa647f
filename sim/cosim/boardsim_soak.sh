#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# boardsim's threads under ThreadSanitizer (`make soak`): golden boards, one of RTL among them, plain and reliable
# links, clocks of their own; a twin in which a race is found.
. tests/tap.sh
B=${B:-build}
dir=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
shown=$dir/out

# The Verilated boards read fw.hex beside the program
mkdir -p "$B/twin/firmware"
cp "$B/firmware/fw.hex" "$B/twin/firmware/"
runs() { # PROGRAM OPTIONS
    program=$1
    shift
    timeout 600 "$program" --cycles 20032 --sockets "$dir" "$@" > "$dir/out" 2>&1
}
for options in '--dims 4x2 --boards golden' '--dims 4x2 --boards golden --link plain' \
    '--dims 3x3 --boards golden --threads 3' '--dims 2x2 --boards rggg' '--dims 4x2 --boards golden --ppm 200'; do
    for n in 1 2 3 4; do
        # shellcheck disable=SC2086 # words
        check "$options, $n" runs "$B/races/boardsim" $options
    done
done
found=1
for n in $(seq 40); do
    runs "$B/twin/races/boardsim" --dims 4x2 --boards golden || found=0
    [ $found != 0 ] || break
done
grep -q 'data race.*step' "$dir/out" || found=1
result $found "twin: boards that are stepped before there is a stretch are found, in run $n"
finish
