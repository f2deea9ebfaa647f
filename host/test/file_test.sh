#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files as long as a command takes, and a byte longer: one line says what to do, before anything is
# opened. Twin: a torusctl that takes a byte more. TAP.
set -u
. tests/tap.sh
: "${B:=build}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work" XDG_RUNTIME_DIR="$work"

refused() { # WORDS TORUSCTL FILE: one line with them, status 2
    "$2" -t "unix:$work/nothing" load "$3" > "$work/out" 2>&1
    [ $? = 2 ] && [ "$(wc -l < "$work/out")" = 1 ] && grep -q "$1" "$work/out"
}
truncate -s 16777216 "$work/most"
truncate -s 16777217 "$work/over"
check 'load: 16 MiB are read, and more than a core has' refused 'longer than 128 KiB' "$B/bin/torusctl" "$work/most"
check 'load: a byte more is refused, with what to do' \
    refused "over': it is longer than 16 MiB: give .* \.bin" "$B/bin/torusctl" "$work/over"
check 'twin: one that takes a byte more reads it' refused 'longer than 128 KiB' "$B/twin/over/torusctl" "$work/over"
finish
