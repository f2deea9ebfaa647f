#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bitstream_test.sh BOARD: is the board's bitstream what it should be? It is built, decoded and run
# beside the RTL, from the image that goes into the board's flash: output pins equal in every cycle,
# from configuration on, while torusctl finds the board and asks it things.
# `make bitstream-test` starts it; it takes minutes.
. tests/tap.sh
. tests/wait.sh
B=${B:-build}
board=$1
out=$B/bitstream/$board
export FIRMWARE="$B/firmware/flash.bin"
dir=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
export XDG_STATE_HOME="$dir" XDG_RUNTIME_DIR="$dir" USER=lab
sim=
shown="$dir/out $dir/log"
clean_up() {
    [ -n "$sim" ] && kill "$sim" 2> /dev/null && wait "$sim" 2> /dev/null
    rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 2' INT TERM

torus() {
    timeout 900 "$B/bin/torusctl" --timeout 300 --retry 30 -t "unix:$dir/board.sock" "$@" \
        > "$dir/out" 2>&1
}
says() { grep -q -e "$1" "$dir/out"; }
logged() { grep -q -e "$1" "$dir/log"; }
built() { sh sim/bitstream/build.sh "$@" > "$dir/out" 2>&1; }
stop() {
    kill "$sim" && wait "$sim"
    status=$?
    sim=
    return $status
}

flow() { sh constraints/bitstream.sh "$board" "$out" > "$dir/out" 2>&1; }
check 'the bitstream is built' flow
[ $failed = 0 ] || finish
check 'it is that of constraints/README.md' \
    grep -q "^| $board | [0-9a-f]* | $(cat "$out/sha256") |" constraints/README.md
check 'it decodes, and Verilator takes it' built "$board" "$out/bitstream.bin" "$out/sim"
[ $failed = 0 ] || finish

"$out/sim/bitsim" --flash "$out/flash.bin" --socket "$dir/board.sock" > "$dir/log" 2>&1 &
sim=$!
began() { logged 'bitsim: seed' || ! kill -0 "$sim" 2> /dev/null; }
wait_for 300 began
check 'ping' torus ping -c 2
sed 's/^/# /' "$dir/out"
check 'discover' torus discover
sed 's/^/# /' "$dir/out"
check 'one board' says '^1 board'
check 'with its serial number' says 0000000000000001
check 'program' torus program --routing ofr
check 'it ends well' stop
sed 's/^/# /' "$dir/log"
check 'all output pins were equal in every cycle' logged 'all output pins were equal'
check 'the first byte came in the same cycle' sh -c \
    "[ \$(sed -n 's/.*first byte in cycle //p' '$dir/log' | sort | uniq -c | \
        awk '{ print \$1 }') = 2 ]"

finish
