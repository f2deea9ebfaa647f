#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Boards of RTL at their pins, cabled to a torus (`make soak`): of three kinds that fit each other, ULX3S,
# Colorlight i9 and the ECP5 evaluation board, and the golden model of a ULX3S beside them; of ULX3S with six
# wires a cable, and in the build that joins iCE40HX8K-B-EVNs (with these: bitstream_test.sh). Every cable is
# of another length, its wires of others. Found, programmed, traffic, counters of each; a twin without one cable.
. tests/tap.sh
. tests/wait.sh
B=${B:-build}
export FIRMWARE_HEX="$B/firmware/fw.hex" GOLDEN="${GOLDEN:-$B}"
out=$B/sim/pins
. sim/bitstream/session.sh

divisor=434 # of 50 MHz

# start KIND OPTIONS...
start() {
    kind=$1
    shift
    start_simulator "$dir/log" "$out/$kind/bitsim" --seed "${SEED:-1}" --divisor $divisor \
        --socket "$dir/board.sock" "$@"
}
whole() { # KIND DIMS: such a torus does what a torus does
    start "$1" --dims "$2"
    does_all "$2" "$1: "
    check "$1: all links' ends are up" torus link
    says ' UP ' || says ' up '
    result $? "$1: as torusctl link says"
    sed 's/^/# /' "$dir/out"
    check "$1: it ends well" stop
    sed 's/^/# /' "$dir/log"
}

check 'mixed: ULX3S, Colorlight i9, ECP5-EVN, golden' \
    built ulx3s-85f 'rtl:ulx3s-85f rtl:colorlight-i9 rtl:ecp5-evn golden:ulx3s-85f' "$out/mixed"
whole mixed 2x2x1
start mixed --dims 2x2x1 --pull 0:0
check 'twin: without one of its cables, which is down, the others are up' up 'x-,y+,y-'
stop
wide=rtl:ulx3s-85f-wide
check 'wide: ULX3S with six wires a cable' built ulx3s-85f-wide "$wide $wide $wide $wide" "$out/wide"
whole wide 2x2
divisor=364 # of 41.9
small=rtl:ulx3s-85f-small
check 'small: ULX3S with 16-bit flits' built ulx3s-85f-small "$small $small $small $small" "$out/small"
whole small 2x2
check 'all cables of all boards are up, their LEDs say' [ "$(grep -c 'led 3[0-9a-f]$' "$dir/log")" = 4 ]
check 'a small one and its golden model' built ulx3s-85f-small "$small golden:ulx3s-85f-small" "$out/pair"
for n in 0 1; do
    leds $n "$out/pair/bitsim" --dims 2x1 --seed "${SEED:-1}" --cycles 1300000 --pull 0:0 --pull 0:1
done
check 'an Icepi Zero, which has five LEDs' built icepi-zero rtl:icepi-zero "$out/five"
five() { # LEDS NAME CYCLES OPTIONS
    leds=$1 name=$2 cycles=$3
    shift 3
    lit 0 "$leds" "$name" "$out/five/bitsim" --dims 1x1 --seed "${SEED:-1}" --cycles "$cycles" "$@"
}
"$out/five/bitsim" --loop 0:0 > "$dir/out" 2>&1
[ $? = 2 ] && [ "$(grep -c . "$dir/out")" = 1 ] && says 'loop: with --dims'
result $? 'refused: --loop without --dims'
all='--loop 0:0 --loop 0:1 --loop 0:2 --loop 0:3'
five 01 'the second is dark: no cable' 1300000
five 01 'one that is up' 1300000 --loop 0:0
# shellcheck disable=SC2086 # words
five 09 'all' 1300000 $all
five 0b 'the second is lit: one that is up' 17000000 --loop 0:0
five 13 'one with a wire that is open' 17000000 --loop 0:0 --open 0:0:1
finish
