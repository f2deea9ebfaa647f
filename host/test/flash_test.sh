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
echo bits > "$work/image"

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
check 'an iCE40, one of several boards' flash --board ice40hx8k-b-evn --chip FT1A "$work/image"
check 'what the loader is told' told -b ice40_generic --ftdi-serial FT1A --write-flash "$work/image"
LOADER_STATUS=3 flash --board ulx3s-85f "$work/image"
[ $? = 1 ] && [ "$(wc -l < "$work/err")" = 1 ] && grep -q 'has not written' "$work/err"
result $? 'a loader that fails: status 1'

for json in constraints/*.json; do
    board=$(basename "$json" .json)
    check "a board of constraints/: $board" flash --board "$board" "$work/image"
done
refused 'one of several boards that have no FTDI chip' FT1A --board colorlight-i9 --chip FT1A "$work/image"
refused 'a board that there is not' 'ulx3s-85f' --board 5a-75b "$work/image"
refused 'no board' 'ulx3s-85f' "$work/image"
refused 'no image' 'make bitstream' --board ulx3s-85f
refused 'an image that is not there' 'No such file' --board ulx3s-85f "$work/other"
refused 'a folder' 'not a file' --board ulx3s-85f "$work/none"
only=$work/none refused 'no loader' 'not installed' --board ulx3s-85f "$work/image"
finish
