#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# boards.sh KINDS DIMS SOCKETS BITSTREAM BESIDE OPTIONS...: `boardsim --boards` with a b among its letters
# (sim/cosim/at_pins.c) becomes this, from the top folder. A letter is a board: b the bitstream of the board
# BITSTREAM, as `make bitstream` leaves it, r the RTL of the board BESIDE, g its golden model, cabled to a
# torus of so many dimensions. Has build.sh make bitsim of these, in a folder where it is kept for as long as
# nothing that it is made of changes, and becomes it, with OPTIONS; the UARTs are in the folder SOCKETS. BESIDE
# is '' for what fits: the same board, or beside an iCE40, whose router has no golden model, the ULX3S
# with that router.
#
# Exit status: bitsim's; 2, and one line: not with these boards; 1: a tool failed, build.sh says which.

set -e
unset BOARD_SEED
kinds=$1 dims=$2 sockets=$3 board=$4 beside=$5
shift 5
B=${B:-build}
export BOARD_FACTS="$B/constraints/board" PATCH="$B/constraints/patch" ECP5_NETLIST="$B/sim/ecp5_netlist" GOLDEN="$B" \
    FIRMWARE="$B/firmware/flash.bin" FIRMWARE_HEX="$B/firmware/fw.hex"
refuse() {
    echo "boardsim: --boards $kinds: $1" >&2
    exit 2
}
wanted() { # FILE...
    for file in "$@"; do
        [ -s "$file" ] || refuse "$file is not there; first: make $file"
    done
}
wanted "$BOARD_FACTS"
. sim/bitstream/facts.sh
fitting() { # BOARD: whose facts those are then
    of_board "$1"
    [ "$ports" = $((2 * dims)) ] ||
        refuse "$1 has $ports cables, so a torus of $((ports / 2)) dimensions, and --dims has $dims"
    case $fpga in
    ice40-*) flashed=$1 ;;
    esac
    rate=115200 # baud
    clock=$((clock_mhz * 1000000))
}
made() { # BOARD: there is its bitstream
    if ! sh constraints/made.sh "$1" "$B/bitstream/$1" || [ ! -s "$B/bitstream/$1/bitstream.bin" ]; then
        refuse "$B/bitstream/$1/bitstream.bin is not there, or of other inputs than there are now; first: make bitstream BOARD=$1"
    fi
}
cycles() { # of a bit of its UART
    echo $(((clock + rate / 2) / rate))
}

flashed= # the board whose flash is at its pins
fitting "$board"
folder=$B/bitstream/$board
bit=$(cycles) fpgas=$fpga name=$kinds other=
case $kinds in
*[rg]*)
    case $beside:$fpga in
    :ice40-*) beside=ulx3s-85f-small ;;
    :*) beside=$board ;;
    esac
    fitting "$beside"
    case $kinds:$fpga in
    *g*:ice40-*) refuse "$beside has no golden model; ulx3s-85f-small has its router: leave out --beside" ;;
    esac
    # A request over a faster UART takes a tenth of the cycles.
    if grep -q 'parameter int *BAUD ' "rtl/top/$top.v"; then
        rate=3000000
    fi
    other=$beside bit_beside=$(cycles) fpgas="$fpgas $fpga" name=$kinds-$beside
    [ $rate = 115200 ] || other=$other:BAUD=$rate
    ;;
*) [ -z "$beside" ] || refuse "--beside $beside: none of them is r or g" ;;
esac
made "$board"
[ -z "$flashed" ] || made "$flashed"
wanted "$FIRMWARE" "$FIRMWARE_HEX" "$GOLDEN/libofr.a" "$GOLDEN/libfw.a"
tools=verilator
case "$fpgas " in
*ice40-*) tools="$tools iceunpack icebox_vlog" ;;
esac
case $fpgas in
ecp5-*) wanted "$PATCH" "$ECP5_NETLIST" ;;
esac
for tool in $tools; do
    command -v "$tool" > /dev/null || refuse "$tool is not there; first: make deps"
done

# One at a time makes images and builds, and who is told to end leaves that to what it has begun.
exec 9> "$B/bitstream/boards.lock"
flock 9

# Each has the serial number that bitsim gives to an RTL board in its place: in its flash, or an ECP5 in its bitstream.
[ -z "$flashed" ] || set -- "$@" --straight # nothing trains its cables
n=0 chips='' images=''
for kind in $(echo "$kinds" | sed 's/./& /g'); do
    serial=$(printf %016x $((0xa1 + n))) divisor=$bit
    [ -z "$flashed" ] || {
        sh constraints/image.sh "$flashed" "$B/bitstream/$flashed" "$serial"
        set -- "$@" --flash "$B/bitstream/$flashed/flash-$serial.bin"
    }
    case $kind:$fpgas in
    b:ice40-*) chip=$folder/bitstream.bin ;;
    b:*)
        chip=$folder/flash-$serial.bin
        sh constraints/image.sh "$board" "$folder" "$serial"
        ;;
    r:*) chip=rtl:$other divisor=$bit_beside ;;
    g:*) chip=golden:$other divisor=$bit_beside ;;
    esac
    [ "$kind" != b ] || images="$images $chip"
    chips="$chips $chip"
    set -- "$@" --host "$n:$divisor:$sockets/board$n.sock"
    n=$((n + 1))
done

out=$folder/$name
mkdir -p "$out"
# shellcheck disable=SC2086 # files
made_from=$({
    echo "$chips"
    verilator --version
    cat $images constraints/*.json rtl/*/*.v* rtl/*/*/*.v* sim/bitstream/*.[chs]* sim/cosim/*.[ch]* sim/model/*.h \
        firmware/*.h tests/lib/*.h "$GOLDEN/libofr.a" "$GOLDEN/libfw.a"
} | sha256sum)
if [ "$(cat "$out/made-from" 2> /dev/null)" != "$made_from" ] || [ ! -x "$out/bitsim" ]; then
    rm -f "$out/made-from"
    echo "boardsim: $out/bitsim is built, once, some minutes"
    CABLED=1 sh sim/bitstream/build.sh "$board" "$chips" "$out"
    echo "$made_from" > "$out/made-from"
fi
exec "$out/bitsim" "$@" 9>&-
