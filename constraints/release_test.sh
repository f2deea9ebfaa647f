#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make release`'s packing, on made-up bitstreams: what is in the package, the same bytes on another day by
# another user's mask, what is refused, and a broken twin.
. tests/tap.sh
B=${B:-build}
BOARD_FACTS=$PWD/$B/constraints/board
work=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM
shown=$work/err
BITSTREAMS=$work/made FIRMWARE=$work/firmware.bin FIRMWARE_HEX=$work/firmware.hex
export BOARD_FACTS BITSTREAMS FIRMWARE FIRMWARE_HEX
boards='icepi-zero ulx3s-85f'
archive=outflank-bitstreams-$(sh tests/version.sh)

# Here, but with no table of these inputs, whose bytes made-up bitstreams would have to be.
mkdir -p "$work/tree/constraints"
for each in *; do [ "$each" = constraints ] || ln -s "$PWD/$each" "$work/tree/$each"; done
cp constraints/* "$work/tree/constraints/"
cd "$work/tree" || exit 2
sed -i 's/^| \([a-z0-9-]*\) | [0-9a-f]\{16\} |/| \1 | 0 |/' constraints/README.md

built() { # BOARD: as bitstream.sh leaves it
    eval "$("$BOARD_FACTS" facts "$1")"
    rm -rf "${BITSTREAMS:?}/$1"
    mkdir -p "$BITSTREAMS/$1"
    echo "bits of $1" > "$BITSTREAMS/$1/bitstream.bin"
    echo "flash of $1" > "$BITSTREAMS/$1/flash.bin"
    sha256sum < "$BITSTREAMS/$1/bitstream.bin" | cut -c 1-64 | tr -d '\n' > "$BITSTREAMS/$1/sha256"
    # shellcheck disable=SC2154 # of the facts
    echo "$inputs $serial" > "$BITSTREAMS/$1/made-from"
    echo '{"fmax": {"clk": {"achieved": 61.5}}, "utilization": {"TRELLIS_COMB": {"used": 4,
        "available": 24288}, "DP16KD": {"used": 1, "available": 56}}}' > "$BITSTREAMS/$1/report.json"
    echo '{"modules": {"top": {"cells": {}}}}' > "$BITSTREAMS/$1/placed.json"
}
release() { # OUT BOARD...
    timeout 60 sh "${script:-constraints/release.sh}" "$@" > "$work/out" 2> "$work/err"
}
pack() { # OUT MASK: made with this mask, on a day of its own
    # shellcheck disable=SC2086
    (umask "$2" && for b in $boards; do built "$b"; done &&
        find "$BITSTREAMS" "$FIRMWARE" -exec touch -d "@$((1700000000 - $2 * 1000))" {} + &&
        release "$work/$1" $boards)
}
echo firmware > "$FIRMWARE"
echo 00000013 > "$FIRMWARE_HEX"

check 'two boards' pack one 022
check 'where it says' grep -q "^release: $work/one/$archive.tar.gz\$" "$work/out"
tar -tzf "$work/one/$archive.tar.gz" | grep -v '/$' | sed "s|^$archive/||" | sort > "$work/list"
printf '%s\n' LICENSE README.md SHA256SUMS firmware/flash.bin firmware/fw.hex \
    icepi-zero/bitstream.bin icepi-zero/flash.bin ulx3s-85f/bitstream.bin ulx3s-85f/flash.bin |
    sort | cmp -s - "$work/list"
result $? 'all that is in it, nothing else'
mkdir "$work/unpacked"
check 'it unpacks' tar -xzf "$work/one/$archive.tar.gz" -C "$work/unpacked"
sums() { (cd "$work/unpacked/$archive" && sha256sum --quiet -c SHA256SUMS > "$work/err" 2>&1); }
check 'its sums are those of its files' sums
[ "$(wc -l < "$work/unpacked/$archive/SHA256SUMS")" = 8 ]
result $? 'of all but the sums themselves'
echo >> "$work/unpacked/$archive/ulx3s-85f/flash.bin"
! sums
result $? 'a file that is another is found'
check 'its README has the figures' grep -q '^| icepi-zero | .* | 4 of 24288 | 1 of 56 | 50 MHz | 61.5 MHz |$' \
    "$work/unpacked/$archive/README.md"
check 'once more, files of another day and mask' pack two 077
check 'the same bytes' cmp "$work/one/$archive.tar.gz" "$work/two/$archive.tar.gz"

script=$work/twin.sh
for option in --mtime=@0 --mode=u=rwX,go=rX; do
    sed "s/ $option//" constraints/release.sh > "$script"
    ! cmp -s "$script" constraints/release.sh
    result $? "twin: without $option"
    sed -i 's/^umask 022$/:/' "$script"
    pack three 022
    sleep 1 # an archive has the time to the second
    pack four 077
    ! cmp -s "$work/three/$archive.tar.gz" "$work/four/$archive.tar.gz"
    result $? 'twin: other bytes'
done
script=

# What is in a folder, byte by byte.
content() { (cd "$1" && find . -type f -exec sha256sum {} + | LC_ALL=C sort) 2> /dev/null; }
refused() { # NAME WORD ARGUMENTS...: status 2, one line, nothing made; a package of before stays
    name_of=$1 word=$2
    shift 2
    release "$work/new" "$@"
    [ $? = 2 ] && [ "$(wc -l < "$work/err")" = 1 ] && grep -q -e "$word" "$work/err" &&
        [ -z "$(ls -A "$work/new" 2> /dev/null)" ]
    result $? "refused: $name_of"
    rm -rf "$work/new"
    release "$work/one" "$@"
    [ $? = 2 ] && [ "$(ls -A "$work/one")" = "$listed" ] && [ "$(content "$work/one")" = "$held" ]
    result $? "refused: $name_of: what was there stays"
}
held=$(content "$work/one") listed=$(ls -A "$work/one")
refused 'no board' 'no board'
refused 'a board that there is not' 'BOARD is one of' orangecrab
refused 'a board twice' 'icepi-zero: twice' $boards icepi-zero
mv "$FIRMWARE_HEX" "$work/aside"
refused 'no firmware' 'firmware.hex is not there' $boards
mv "$work/aside" "$FIRMWARE_HEX"
real=$BOARD_FACTS
BOARD_FACTS=$work/signalled # by a hand at the keyboard, after the first board
cat > "$BOARD_FACTS" << EOF
#!/bin/sh
[ "\$1 \$2" != 'result ulx3s-85f' ] || kill -\$SIGNAL \$PPID
exec "$real" "\$@"
EOF
chmod +x "$BOARD_FACTS"
for SIGNAL in INT TERM HUP; do
    export SIGNAL
    refused "SIG$SIGNAL on the way" 'ended by a signal: nothing' $boards
done
BOARD_FACTS=$real
mkdir "$work/tools" # a disk that is full
printf '#!/bin/sh\necho gzip: no space left >&2\nexit 1\n' > "$work/tools/gzip"
chmod +x "$work/tools/gzip"
path=$PATH PATH=$work/tools:$PATH
refused 'a tool that fails' 'no space left' $boards
PATH=$path
check 'over a package that is there' release "$work/one" $boards
[ "$(content "$work/one")" = "$held" ] && [ "$(ls -A "$work/one")" = "$listed" ]
result $? 'the same, and nothing beside it'
refused 'one that was not built' 'make bitstream BOARD=ecp5-evn' icepi-zero ecp5-evn
echo other >> "$BITSTREAMS/icepi-zero/bitstream.bin"
refused 'a bitstream that is another than was built' 'has been changed' $boards
built icepi-zero
echo "0123456789abcdef 0000000000000001" > "$BITSTREAMS/icepi-zero/made-from"
refused 'one of other inputs' 'not of these inputs' $boards
built icepi-zero
rm "$BITSTREAMS/icepi-zero/report.json"
refused 'one without its figures' 'icepi-zero' $boards
# shellcheck disable=SC2154
built icepi-zero
printf '| icepi-zero | %s | %064d | 1 |\n' "$inputs" 7 >> constraints/README.md
refused 'other bytes than the table has for the same inputs' 'not the bytes' $boards
finish
