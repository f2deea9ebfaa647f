# SPDX-License-Identifier: Apache-2.0
# For tests of a board's bitstream, which take it in with a dot: what there is to know of $board, their
# first argument, its image and its flash, and how it is built, made a torus of, and run with wrong bits.
# shellcheck shell=sh
B=${B:-build}
board=$1
out=$B/bitstream/$board
export FIRMWARE="$B/firmware/flash.bin" FIRMWARE_HEX="$B/firmware/fw.hex"
facts=$("$BOARD_FACTS" facts "$board") || exit 2
eval "$facts"
: "${fpga:?}" "${clock_mhz:?}" "${pins_of:?}" "${parameters?}"
sh sim/bitstream/settings.sh "$board" || exit 2
image=$out/bitstream.bin flash="--flash $out/flash.bin"
case $fpga in
ecp5-*) image=$out/flash.bin flash= ;;
esac
divisor=$(((clock_mhz * 1000000 + 57600) / 115200))
ulx3s=rtl:ulx3s-85f-small:BAUD=3000000 # beside it in a torus, for build.sh
golden=golden:${ulx3s#rtl:}
. sim/bitstream/session.sh

flashes= # those of a torus
image() { sh constraints/image.sh "$board" "$out" "$@"; } # [SERIAL]
flow() {
    sh constraints/bitstream.sh "$board" "$out" > "$dir/out" 2>&1 && image > "$dir/out" 2>&1
}
numbered() { # N...: the flashes of these, behind those that there are
    for n in "$@"; do
        check "a torus: the flash of board $n" image 00000000000000a$n
        flashes="$flashes --flash $out/flash-00000000000000a$n.bin"
    done
}
in_torus() { # FOLDER OPTIONS
    run=$1
    shift
    # shellcheck disable=SC2086 # two words each
    start_simulator "$dir/log" "$out/$run/bitsim" $flashes --dims "${dims:-2x2}" --straight \
        --seed "${SEED:-1}" --divisor "$divisor" --socket "$dir/board.sock" "$@"
}
flips() { # FOLDER OPTIONS: what build.sh unpacked there
    unpacked=$1/unpacked.asc
    shift
    "$B/sim/flips" --asc "$unpacked" --pcf "constraints/$board.pcf" --package ct256 --seed "${SEED:-1}" "$@" \
        > "$dir/out" 2>&1
}
