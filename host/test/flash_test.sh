#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torusctl flash and make flash, with an openFPGALoader that only notes what it is told. TAP.
. tests/tap.sh
: "${B:=build}"
ctl=$PWD/$B/bin/torusctl
work=$(mktemp -d) || exit 1
shown="$work/out $work/err $work/told"
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/none"
cat > "$work/bin/openFPGALoader" << 'L'
#!/bin/sh
for a; do echo "$a"; done > "${TOLD:?}"
exit "${LOADER_STATUS:-0}"
L
chmod +x "$work/bin/openFPGALoader"
export TOLD="$work/told"
PATH=$work/bin:$PATH
part() { # BOARD: the FPGA that its image is for, as ecppack writes it
    sed -n 's/.*"fpga": "ecp5-\(.*\)".*/\1/p' "constraints/$1.json" | tr a-z A-Z | sed 's/^UM/LFE5UM/; s/^[0-9]/LFE5U-&/'
}
image() { # BOARD: beginning and end of one
    case $1 in
    ice40*)
        printf '\377\000\000\377\176\252\231\176bits'
        head -c "$(($(sed -n 's/.*"firmware_kib": \([0-9]*\).*/\1/p' "constraints/$1.json") * 1024))" /dev/zero
        ;;
    *)
        printf '\377\000Part: %s-6CABGA381\000\377\377\275\263bits' "$(part "$1")"
        printf '\254\023\136\000\000\000\377\377\377\377'
        ;;
    esac
}
image ulx3s-85f > "$work/image"
image ice40hx8k-b-evn > "$work/ice40"

flash() { timeout 60 env PATH="${only:-$PATH}" "$ctl" flash "$@" > "$work/out" 2> "$work/err" < /dev/null; }
told() { printf '%s\n' "$@" | cmp -s - "$TOLD"; }
refused() { # NAME WORD ARGUMENTS...: status 2, one line with the word, and the loader is not started
    name=$1 word=$2
    shift 2
    rm -f "$TOLD"
    flash "$@"
    [ $? = 2 ] && [ "$(wc -l < "$work/err")" = 1 ] && grep -q -e "$word" "$work/err" && [ ! -e "$TOLD" ]
    result $? "refused: $name"
}

check 'an ECP5' flash --board ulx3s-85f "$work/image"
check 'what the loader is told' told -b ulx3s --file-type bit --write-flash "$work/image"
check 'an iCE40, one of several boards' flash --board ice40hx8k-b-evn --chip FT1A "$work/ice40"
check 'what the loader is told' told -b ice40_generic --ftdi-serial FT1A --write-flash "$work/ice40"
LOADER_STATUS=3 flash --board ulx3s-85f "$work/image"
[ $? = 1 ] && [ "$(wc -l < "$work/err")" = 1 ] && grep -q 'has not written' "$work/err"
result $? 'a loader that fails: status 1'

for json in constraints/*.json; do
    board=$(basename "$json" .json)
    image "$board" > "$work/its"
    check "a board of constraints/: $board" flash --board "$board" "$work/its"
done
cp "$work/image" "$work/--x.bin"
(cd "$work" && flash --board ulx3s-85f -- --x.bin)
check 'an image with the name of an option' told -b ulx3s --file-type bit --write-flash ./--x.bin
for wrong in ulx3s-45f:image ice40hx8k-b-evn:image ulx3s-85f:ice40 icepi-zero:image ecp5-evn:image; do
    refused "what is for another FPGA: $wrong" 'not one for this board' --board "${wrong%:*}" "$work/${wrong#*:}"
done
head -c 200 "$work/ice40" > "$work/bare"
head -c 40 "$work/image" > "$work/cut"
refused "an iCE40's bitstream without firmware" 'no firmware' --board ice40hx8k-b-evn "$work/bare"
refused "an ECP5's that is cut off" 'end is not there' --board ulx3s-85f "$work/cut"
echo bits > "$work/bits"
refused 'what is no image' 'not one for this board' --board ice40hx8k-b-evn "$work/bits"
refused 'one of several boards that have no FTDI chip' FT1A --board colorlight-i9 --chip FT1A "$work/image"
refused 'a board that there is not' 'ulx3s-85f.*colorlight-i9$' --board 5a-75b "$work/image"
refused 'no board' 'ulx3s-85f' "$work/image"
refused 'no image' 'make bitstream' --board ulx3s-85f
refused 'an image that is not there' 'No such file' --board ulx3s-85f "$work/other"
refused 'a folder' 'not a file' --board ulx3s-85f "$work/none"
# make flash, and make bitstream before it begins: what SERIAL is
for serial in xyz 12 "a'b" ';echo hi' '00000000000000a1 00000000000000a2' ../../x 0000000000000000; do
    for goal in flash bitstream; do
        MAKEFLAGS='' make -s "$goal" B="$B" BOARD=icepi-zero SERIAL="$serial" > "$work/out" 2> "$work/err"
        [ $? = 2 ] && [ "$(grep -c 'a serial number is 16 hex digits' "$work/err")" = 1 ] && [ ! -s "$work/out" ]
        result $? "make $goal refuses SERIAL=$serial"
    done
done
# A bitstream that is of other inputs is not written. In a build folder of its own, as it need not be built.
stale=$work/build/bitstream/icepi-zero
mkdir -p "$stale" "$work/build/bin" "$work/build/constraints"
eval "$("$B/constraints/board" facts icepi-zero)"
cp -p "$B/constraints/board" "$work/build/constraints/"
image icepi-zero > "$stale/flash.bin"
made() { # FROM
    echo "$1" > "$stale/made-from"
    MAKEFLAGS='' make -s flash MAKE=true B="$work/build" BOARD=icepi-zero SERIAL= \
        -o "$work/build/constraints/board" > "$work/out" 2> "$work/err"
}
made "0123456789abcdef ${serial:?}"
[ $? = 2 ] && grep -q 'of other inputs than there are now; first: make bitstream BOARD=icepi-zero' "$work/err"
result $? 'make flash: a bitstream of other inputs'
cp "$ctl" "$work/build/bin/"
rm -f "$TOLD"
check 'make flash: one of these' made "${inputs:?} $serial"
check 'what the loader is told' told -b icepi-zero --file-type bit --write-flash "$stale/flash.bin"
MAKEFLAGS='' make -s flash B="$B" BOARD=icepi-zero SERIAL=00000000000000CC > "$work/out" 2> "$work/err"
grep -q 'flash-00000000000000cc.bin is not there' "$work/err"
result $? 'capital letters are the same number'
only=$work/none refused 'no loader' 'not installed' --board ulx3s-85f "$work/image"
finish
