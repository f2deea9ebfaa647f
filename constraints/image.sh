#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# image.sh BOARD OUT [SERIAL]: the image of the flash as far as it is used, of the bitstream that
# bitstream.sh has left in OUT: with firmware and serial number, in seconds. Started by `make bitstream`;
# $BOARD_FACTS is the program constraints/board.c, $PATCH constraints/patch.c; the firmware is $FIRMWARE for
# iCE40, the image that runs from the flash, and $FIRMWARE_HEX for ECP5, the words of the RAM. SERIAL: 16
# hex digits, the board's serial number instead of that of constraints/BOARD.json.
#
# On an iCE40 the firmware stands behind the bitstream, and has the serial number in its second and third word
# (firmware/flash.S). An ECP5's bitstream has a pattern in its RAM, which ecpbram replaces, and the serial
# number in look-up tables, which $PATCH sets.
#
# Result: OUT/flash.bin, or OUT/flash-SERIAL.bin. Exit status 0; 1: a tool failed, or the firmware does not
# fit; 2: no such board or serial number, no bitstream or firmware. One line then, and an image of before stays.

set -e
board=$1 out=$2
facts=$("$BOARD_FACTS" facts "$board") || exit 2
eval "$facts"
: "${fpga:?}" "${serial:?}" "${flash_kib:?}" "${firmware_kib:?}"
own=$(sh constraints/serial.sh "${3:-$serial}") || exit 2
failed() {
    echo "bitstream: $board: $1" >&2
    exit 1
}
here() { # NAME COMMAND...: in OUT: tools from PyPI see the folder they run in, and no other
    name=$1
    shift
    (cd "$out" && exec timeout "${STEP_SECONDS:-1800}" "$@") > "$out/$name.log" 2>&1 && return 0
    [ $? != 124 ] ||
        failed "$name: ended after ${STEP_SECONDS:-1800} s, its limit: more by STEP_SECONDS=... make ..."
    line=$(grep -E '^[^ ]*(ERROR|Error):' "$out/$name.log" | head -n 1)
    failed "$name: ${line:-$(tail -n 1 "$out/$name.log")}"
}
wanted() { # FILE...: what all is made of
    for file in "$@"; do
        [ -s "$file" ] && continue
        echo "bitstream: $board: $file is not there, or empty; first: make bitstream BOARD=$board" >&2
        exit 2
    done
}
room() { # FILE KIB OF: it has that much
    bytes=$(wc -c < "$1") || exit 1
    [ "$bytes" -le $(($2 * 1024)) ] || failed "$1: $bytes bytes, and there are $2 KiB for the $3"
}
image=$out/flash${3:+-$own}.bin new=$out/flash.bin.new
trap 'rm -f "$new"' EXIT
trap 'exit 1' INT TERM HUP
case $fpga in
ice40-hx8k)
    wanted "$out/bitstream.bin" "$FIRMWARE"
    room "$out/bitstream.bin" "$firmware_kib" bitstream
    room "$FIRMWARE" $((flash_kib - firmware_kib)) 'firmware, behind the bitstream in the flash'
    [ "$(od -An -v -tx1 -j4 -N8 "$FIRMWARE" | tr -d ' ')" = ffffffffffffffff ] ||
        failed "$FIRMWARE has no room for a serial number in its second and third word"
    { cp "$out/bitstream.bin" "$new" &&
        dd if="$FIRMWARE" of="$new" bs=1024 seek="$firmware_kib" status=none; } 2> "$out/image.log" ||
        failed "$(tail -n 1 "$out/image.log")"
    bytes= # in octal, from the last byte on
    for byte in $(echo "$own" | sed 's/../0x& /g'); do
        bytes=$(printf '\\%03o' "$byte")$bytes
    done
    # shellcheck disable=SC2059 # its format is the bytes
    printf "$bytes" | dd of="$new" bs=1 seek=$((firmware_kib * 1024 + 4)) conv=notrunc status=none
    ;;
ecp5-*)
    wanted "$out/bitstream.config" "$out/placed.json" "$FIRMWARE_HEX"
    tools=$(sh tests/ecp5_tools.sh) || exit 1
    eval "$tools"
    : "${ecppack:?}" "${ecpbram:?}"
    # One word a line, the rest of the RAM zero.
    tr -d '\r' < "$FIRMWARE_HEX" | tr -s ' ' '\n' | awk -v words=$((firmware_kib * 256)) '
        /^@0*$/ { next }
        /./ { print; n++ }
        END { for (; n < words; n++) print "00000000"; exit n > words }' > "$out/firmware.hex" ||
        failed "the firmware does not fit into $firmware_kib KiB"
    "$PATCH" "$out/bitstream.config" "$out/placed.json" "$own" > "$out/serial.config" || exit 1
    here firmware "$ecpbram" --input serial.config --output image.config --from pattern.hex \
        --to firmware.hex
    here image "$ecppack" --compress --input image.config --bit flash.bin.new
    ;;
esac
mv "$new" "$image"
