#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bitstream_test.sh BOARD: is the board's bitstream what it should be? It is built, decoded and run
# beside the RTL, from the image that goes into the board's flash: output pins equal in every cycle,
# from configuration on, while torusctl finds the board and asks it things. Then the same with a bit of
# it wrong, the broken twins. `make bitstream-test` starts it; it takes minutes. FLIPS=100: so many
# bits, through the whole run (`make soak`), of which LEAST must be found; without, eight,
# until the board has answered. SEED: of the bits, and replays. Of an ECP5 it is the netlist after place
# and route with the bitstream's contents and modes that is run (ecp5_netlist.c), and the twins are
# a look-up table with a wrong entry and another serial number.
. tests/tap.sh
. tests/wait.sh
B=${B:-build}
board=$1
out=$B/bitstream/$board
export FIRMWARE="$B/firmware/flash.bin" FIRMWARE_HEX="$B/firmware/fw.hex"
facts=$("$BOARD_FACTS" facts "$board") || exit 2
eval "$facts"
: "${fpga:?}" "${clock_mhz:?}"
image=$out/bitstream.bin flash="--flash $out/flash.bin"
case $fpga in
ecp5-*) image=$out/flash.bin flash= ;;
esac
divisor=$(((clock_mhz * 1000000 + 57600) / 115200))
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
check 'it decodes, and Verilator takes it' built "$board" "$image" "$out/sim"
[ $failed = 0 ] || finish

# shellcheck disable=SC2086 # two words or none
"$out/sim/bitsim" $flash --divisor "$divisor" --socket "$dir/board.sock" \
    --record "$dir/session" > "$dir/log" 2>&1 &
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

if [ -z "$flash" ]; then
    # Twins. The look-up table is one of the adders', all of whose entries count.
    twin=$dir/twin
    mkdir "$twin"
    awk '!done && /^word: SLICE..K0.INIT 0110011/ {
            sub(/0110011/, "0110010")
            done = 1
        }
        { print }' "$out/sim/unpacked.config" > "$twin/wrong.config"
    ! "$ECP5_NETLIST" "$out/placed.json" "$twin/wrong.config" > /dev/null 2> "$dir/out" &&
        says "which is not the netlist's"
    result $? 'a look-up table with a wrong entry is refused'
    check 'a bitstream with another serial number' \
        sh constraints/bitstream.sh "$board" "$out" 00000000000000a1
    cp "$out/placed.json" "$out/firmware.hex" "$twin/"
    check 'it decodes' built "$board" "$out/flash-00000000000000a1.bin" "$twin" "$out/sim"
    "$twin/bitsim" --divisor "$divisor" --socket "$dir/board.sock" > "$dir/log" 2>&1 &
    sim=$!
    wait_for 300 began
    timeout 300 "$B/bin/torusctl" --timeout 30 --retry 5 -t "unix:$dir/board.sock" ping > "$dir/out" 2>&1
    ! stop && logged 'pins DIFFER'
    result $? 'it differs from the RTL'
    sed 's/^/# /' "$dir/log"
    finish
fi

flips() {
    "$B/sim/flips" --asc "$out/sim/unpacked.asc" --pcf "constraints/$board.pcf" --package ct256 \
        --flash "$out/flash.bin" --session "$dir/session" --seed "${SEED:-1}" "$@" > "$dir/out" 2>&1
}
check 'a second decoder, run through it again: the same pins in every cycle' flips
[ $failed = 0 ] || finish
if [ -n "$FLIPS" ]; then
    # The bar is four in five. A board alone does not get there: nothing goes through its router
    # and OFR unit (README.md).
    least=${LEAST:-$((FLIPS / 5))}
    check "of $FLIPS bits that are wrong, at least $least are found" \
        flips --count "$FLIPS" --least "$least"
else
    check 'of 8 bits that are wrong, some are found' flips --count 8 --least 1 --cycles 1000000
fi
sed 's/^/# /' "$dir/out"
finish
