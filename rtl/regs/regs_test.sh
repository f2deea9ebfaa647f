#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The checked-in register files are what outflank.json says, and a definition that contradicts
# itself is refused: exit status 2, one line that names the place, no file written.

B=${B:-build}
gen=$B/regs/gen_regs
def=rtl/regs/outflank.json
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/tap.sh
shown=$dir/err

generate() { # DEFINITION
    rm -f "$dir/vh" "$dir/h" "$dir/md"
    "$gen" "$1" "$dir/vh" "$dir/h" "$dir/md" 2> "$dir/err"
}

generate $def
result $? 'outflank.json is well-formed'
for pair in vh:rtl/regs/ofr_defs.vh h:firmware/ofr_regs.h md:rtl/regs/README.md; do
    cmp "$dir/${pair%%:*}" "${pair#*:}" > "$dir/err" 2>&1
    result $? "${pair#*:} is up to date (make regs)"
done

# Both languages must agree on every name and value.
sed -n "s/^\`define \(OFR_[A-Z0-9_]*\) /\1 /p" "$dir/vh" | sed "s/'h/0x/" > "$dir/a"
sed -n 's/^#define \(OFR_[A-Z0-9_]*\) /\1 /p' "$dir/h" | sed 's/OFR_U32(\(.*\))/\1/' > "$dir/b"
[ -s "$dir/a" ] && cmp "$dir/a" "$dir/b" > "$dir/err" 2>&1
result $? 'Verilog and C have the same names and values'

refused() { # NAME, SED SCRIPT, TEXT of the message
    sed "$2" $def > "$dir/def.json"
    if cmp -s "$dir/def.json" $def; then
        result 1 "refused: $1: the edit changed nothing, this test is out of date"
        return
    fi
    generate "$dir/def.json"
    status=$?
    message=$(cat "$dir/err")
    files=$(ls "$dir" | grep -c -E '^(vh|h|md)')
    [ $status = 2 ] && [ "$(wc -l < "$dir/err")" = 1 ] && [ "$files" = 0 ] &&
        case $message in *"$3"*) true ;; *) false ;; esac
    result $? "refused: $1 (status $status, $files files)"
}

refused 'not JSON' '2s/,$//' 'def.json:3:'
refused 'a key given twice' 's/"name": "SEED",/"name": "SEED", "name": "SEED",/' 'duplicate'
refused 'an unknown key' 's/"guarded"/"gaurded"/' 'unknown key "gaurded"'
refused 'a missing offset' '0,/"offset": 16, /s///' '"offset" is missing'
refused 'overlapping fields' 's/"name": "ETA", "lsb": 4/"name": "ETA", "lsb": 3/' \
    'OFR.PARAM.ETA: field overlaps another one'
refused 'a field beyond 32 bits' \
    's/"name": "RX_DROPPED", "lsb": 16/"name": "RX_DROPPED", "lsb": 17/' \
    'NI.STATUS.RX_DROPPED: field ends at bit 32, beyond 32 bits'
refused 'a header field beyond 16 bits' 's/"name": "KIND", "lsb": 12/"name": "KIND", "lsb": 13/' \
    'packet.SOURCE.KIND: field ends at bit 16, beyond 16 bits'
refused 'a header field twice' 's/"name": "SRC_Y"/"name": "DEST_Y"/' \
    'duplicate generated name OFR_PKT_DEST_Y_LSB'
refused 'overlapping registers' 's/"name": "COORD", "offset": 20/"name": "COORD", "offset": 16/' \
    'NODE.COORD: register overlaps another one at offset 16'
refused 'an odd offset' 's/"name": "COORD", "offset": 20/"name": "COORD", "offset": 18/' \
    'offset 18 is not a multiple of 4'
refused 'a register beyond its block' 's/"name": "TIE", "offset": 28/"name": "TIE", "offset": 256/' \
    "NODE.TIE: offset 256 is beyond the block's 256 bytes"
refused 'two registers of a name' 's/"name": "COORD"/"name": "SIZE"/' 'duplicate generated name'
refused 'two blocks at an offset' 's/"name": "NI", "offset": 768/"name": "NI", "offset": 512/' \
    'block overlaps another one at offset 512'
refused 'a reset outside the fields' 's/"reset": 65793/"reset": 65825/' \
    'NODE.SIZE: reset 0x00010121 sets bits outside the fields'
refused 'a value that does not fit' 's/"DIRECTED": 3/"DIRECTED": 4/' \
    'packet.ROUTE.CLASS: value DIRECTED does not fit 2 bits'
refused 'two values the same' 's/"DIRECTED": 3/"DIRECTED": 2/' "is the same as another's"
refused 'an unknown access' '0,/"access": "ro"/s//"access": "r"/' '"access" is not ro, rw or wo'
refused 'a name in lower case' 's/"name": "COORD"/"name": "Coord"/' 'characters other than A-Z'
refused 'bases the same' 's/"TIMER": 1342181376/"TIMER": 1342177280/' 'the same base as'
refused 'a base that is not there' 's/"base": "TIMER"/"base": "CLOCK"/' 'not an entry of "map"'
refused 'counters that do not add up' 's/"node_base": 84/"node_base": 80/' '"node_base" is 80, but'
more='{"name": "MORE", "doc": "", "fields": [{"name": "M", "lsb": 0, "bits": 1, "doc": ""}]}'
refused 'five header words' 's/{"name": "DEST", "doc"/'"$more"', &/' \
    'there are 5 header words, not 4'
rm -f "$dir/def.json"
generate "$dir/def.json"
status=$?
[ $status = 2 ] && [ "$(wc -l < "$dir/err")" = 1 ]
result $? 'refused: no such file'

finish
