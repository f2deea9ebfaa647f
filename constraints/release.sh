#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# release.sh OUT BOARD...: packs what `make bitstream` has built of each board into
# OUT/outflank-bitstreams-VERSION.tar.gz: bitstream, image of the flash, firmware, sums, a README.
# Started by `make release`, which builds them first. $BOARD_FACTS is the program constraints/board.c,
# $BITSTREAMS the folder that has a folder a board, $FIRMWARE and $FIRMWARE_HEX as in bitstream.sh.
# The same inputs give the same bytes: nothing depends on the day, the user, the folder or the machine.
# Exit status 0; 2, and one line, and OUT is as it was: wrong use, or a bitstream that is not there, is of
# other inputs, or is not the bytes that constraints/README.md has for these inputs; or a signal ended it.

set -e
: "${BOARD_FACTS:?}" "${BITSTREAMS:?}" "${FIRMWARE:?}" "${FIRMWARE_HEX:?}"
die() {
    echo "release: $*" >&2
    exit 2
}
[ $# -ge 2 ] || die "no board: BOARDS='ulx3s-85f ...', of constraints/"
out=$1
shift
version=$(sh tests/version.sh)
name=outflank-bitstreams-$version
for file in "$FIRMWARE" "$FIRMWARE_HEX"; do
    [ -s "$file" ] || die "$file is not there, or empty; first: make bitstream BOARD=$1"
done
mkdir -p "$out" || exit 2

# All is made in a folder beside, and put in place whole: whoever finds a package finds all of it.
umask 022
new=$(mktemp -d "$out/.release.XXXXXX") || exit 2
# A tool that failed has said so.
trap 'status=$?; rm -rf "$new"; [ $status = 0 ] || exit 2' EXIT
trap 'die "ended by a signal: nothing was packed"' INT TERM HUP
tree=$new/$name
mkdir "$tree" "$tree/firmware"
cp LICENSE "$tree/"
cp "$FIRMWARE" "$tree/firmware/flash.bin"
cp "$FIRMWARE_HEX" "$tree/firmware/fw.hex"
cat > "$tree/README.md" << TEXT
# Outflank $version: bitstreams

Of each board its bitstream (\`bitstream.bin\`), and the image of its flash (\`flash.bin\`: the bitstream and
the firmware). \`sha256sum -c SHA256SUMS\` looks whether all is as it was packed. Onto a board that is
plugged in, with openFPGALoader installed:

    torusctl flash --board BOARD BOARD/flash.bin
    torusctl -t usb ping

All images have serial number 0000000000000001: good for one board. Boards of one torus each need a
number of their own: \`make bitstream BOARD=... SERIAL=...\` in the source tree, and constraints/README.md
there, which also says what to buy, what the LEDs show, and what to do when nothing answers.
\`firmware/\` has the firmware alone: as it stands in an iCE40 board's flash, and the words of an ECP5's RAM.

Whoever has a source tree whose inputs are these (\`inputs\`: of the Verilog, the pins and the flow) gets
these bytes from it.
TEXT
for board in "$@"; do
    facts=$("$BOARD_FACTS" facts "$board") || exit 2
    eval "$facts"
    : "${inputs:?}" "${fpga:?}"
    made=$BITSTREAMS/$board
    sh constraints/made.sh "$board" "$made" && [ -s "$made/flash.bin" ] ||
        die "$board: $made is not of these inputs; first: make bitstream BOARD=$board"
    sum=$(sha256sum < "$made/bitstream.bin" | cut -c 1-64)
    [ "$sum" = "$(cat "$made/sha256")" ] || die "$board: $made/bitstream.bin has been changed"
    known=$(sed -n "s/^| $board | $inputs | \([0-9a-f]*\) .*/\1/p" constraints/README.md)
    [ "${known:-$sum}" = "$sum" ] ||
        die "$board: not the bytes that constraints/README.md has for these inputs: other tools?"
    [ ! -e "$tree/$board" ] || die "$board: twice among the boards"
    mkdir "$tree/$board"
    cp "$made/bitstream.bin" "$made/flash.bin" "$tree/$board/"
    { printf '\n## %s, %s\n\n' "$board" "$fpga" && "$BOARD_FACTS" result "$board" "$made"; } \
        >> "$tree/README.md" || exit 2
done
(cd "$tree" && find . -type f ! -name SHA256SUMS | sed 's|^\./||' | LC_ALL=C sort |
    xargs -d '\n' sha256sum > ../SHA256SUMS && mv ../SHA256SUMS .)
# Owner, mode, time and order of all: the same everywhere.
LC_ALL=C tar --format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner \
    --mode=u=rwX,go=rX -cf "$new/$name.tar" -C "$new" "$name"
gzip -9n "$new/$name.tar"
trap '' INT TERM HUP
[ ! -e "$out/$name" ] || mv "$out/$name" "$new/old"
mv "$tree" "$out/"
mv -f "$new/$name.tar.gz" "$out/"
echo "release: $out/$name.tar.gz"
