#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is cheap to know of every board's bitstream: the record of its pins, and that the table in
# README.md is of what is here. Then the checks themselves, on a copy with mistakes in it, and
# `make bitstream` with wrong words. The bitstream itself: make bitstream-test.
. tests/tap.sh
B=${B:-build}
BOARD_FACTS=$PWD/$B/constraints/board DRAWING=$PWD/$B/constraints/drawing
export BOARD_FACTS
copy=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
trap 'rm -rf "$copy"' EXIT
trap 'exit 2' INT TERM
shown=$copy/out

holds() { "$BOARD_FACTS" "$@" > "$copy/out" 2>&1; }

for file in constraints/*.json; do
    board=$(basename "$file" .json)
    check "$board: the record of its pins" holds pins "$board"
    holds check "$board"
    case $? in
    3) skip "$board: the table is of what is here" "$(sed -n 's/.*# SKIP //p' "$copy/out")" ;;
    *) check "$board: the table is of what is here, it fits and meets its clock" \
        holds check "$board" ;;
    esac
    grep -q '"header": {' "$file" || continue
    same_drawing() {
        "$DRAWING" "$board" > "$copy/drawing" 2> "$copy/out" && cmp "$copy/drawing" "constraints/$board.svg"
    }
    check "$board: its drawing is of the record (make docs)" same_drawing
done

# In a copy: constraints and Verilog.
board=ice40hx8k-b-evn
fresh() {
    rm -rf "$copy/tree"
    mkdir -p "$copy/tree/rtl" "$copy/tree/tests"
    cp tests/ecp5_tools.txt tests/ice40_tools.txt "$copy/tree/tests/"
    cp -R constraints "$copy/tree/"
    cp -R rtl/*/ "$copy/tree/rtl/"
}

# caught NAME FILE SED COMMAND...: with FILE changed so, the command must end with status 1; $wanted
# says another one
wanted=1
caught() {
    name=$1 file=$copy/tree/$2 change=$3
    shift 3
    fresh
    sed "$change" "$file" > "$copy/changed"
    if cmp -s "$file" "$copy/changed"; then
        result 1 "$name: the change changes nothing"
        return
    fi
    cp "$copy/changed" "$file"
    (cd "$copy/tree" && "$BOARD_FACTS" "$@" > "$copy/out" 2>&1)
    [ $? = $wanted ]
    result $? "$name"
}

json=constraints/$board.json
caught 'a pin that is another in the .pcf' constraints/$board.pcf 's/uart_rx B10/uart_rx B11/' \
    pins $board
caught 'a pin without a record' $json '/"port": "flash_csn"/d' pins $board
caught 'a record without a pin' constraints/$board.pcf '/flash_csn/d' pins $board
caught 'a pin of which one source says nothing' $json 's/\["ser_tx", 17\], //' pins $board
caught 'a line without a number' $json 's/"ser_tx", 17/"ser_tx", 0/' pins $board
caught 'two ports at one pin' $json 's/"pin": "B10"/"pin": "B12"/' pins $board
caught 'a pin that one source alone names' $json 's/\["ser_tx", 17\]/null/' pins $board
caught 'sources that are all of one repository' $json \
    's|"repository": "amaranth-lang/amaranth-boards"|"repository": "YosysHQ/picorv32"|' pins $board
caught 'a source without its commit' $json 's/48f729d13c527f3d54ae480e69844e3768e91c93/main/' \
    pins $board

undrawn() { # NAME SED SAYS [BOARD]: the drawing of a header that is recorded so is refused in one line
    fresh
    file=constraints/${4:-icepi-zero}.json
    sed "$2" "$file" > "$copy/tree/$file"
    ! cmp -s "$file" "$copy/tree/$file" &&
        (cd "$copy/tree" && "$DRAWING" "${4:-icepi-zero}" > "$copy/drawing" 2> "$copy/out")
    [ $? = 2 ] && [ "$(wc -l < "$copy/out")" = 1 ] && grep -q "$3" "$copy/out"
    result $? "$1"
}
undrawn 'a wire without a place at the header' '/cable_rx\[3\]/s/, "header": [0-9]*//' 'at pin 0'
undrawn 'two wires at one pin of the header' '/cable_rx\[3\]/s/"header": [0-9]*/"header": 3/' \
    'pin 3 of the header is x+ out, clock, and'
undrawn 'a wire at ground' '/cable_rx\[3\]/s/"header": [0-9]*/"header": 6/' 'is ground, and'
undrawn 'a wire at a supply' '/cable_rx\[3\]/s/"header": [0-9]*/"header": 41/' 'is ground or a supply: see the board, and' ulx3s-85f
undrawn "a wire at another header's supply" '/cable_tx_clk\[0\]/s/"header": 35/"header": 31/' \
    'pin 31 of the header is 3.3 V: leave it open, and' colorlight-i9
undrawn 'headers of fewer pins than are said' 's/"P6", "pins": 30/"P6", "pins": 28/' 'fewer pins than it' colorlight-i9
undrawn 'a pin of which is not said what is printed there' 's/"GP0", //' '79 of 80 pins' ulx3s-85f

! grep -q 'fill="#000000">ground or a supply' constraints/*.svg
result $? 'what may be a supply is not as black as ground'

lpf=constraints/ulx3s-85f.lpf
caught 'a pin that is another in the .lpf' $lpf 's/"uart_rx" SITE "M1"/"uart_rx" SITE "M3"/' \
    pins ulx3s-85f
caught 'a record without a pin in the .lpf' $lpf '/LOCATE COMP "led\[3\]"/d' pins ulx3s-85f
caught 'the same, of a board that has its pins' $lpf '/LOCATE COMP "led\[3\]"/d' pins ulx3s-25f
wanted=2
caught 'pins of a board that there is not' constraints/ulx3s-25f.json 's/ulx3s-85f/ulx3s/' pins ulx3s-25f
caught 'pins of a board that has none of its own' constraints/ulx3s-25f.json \
    's/ulx3s-85f/ulx3s-45f/' pins ulx3s-25f
caught "a top's parameter that is no number" constraints/ulx3s-25f.json 's/"L": 16/"L": "16"/' pins ulx3s-25f
wanted=1

# Against checkouts, which are made up here.
mkdir -p "$copy/source/picosoc"
sources() {
    for n in $(seq 40); do
        sed -n "s/.*\"pin\": \"\([A-Z0-9]*\)\", \"said\": \[\[\"\([^\"]*\)\", $n\].*/set_io \2 \1/p" \
            $json | grep . || echo
    done > "$copy/source/picosoc/hx8kdemo.pcf"
}
sources
check 'a checkout in which the pins are so' holds pins $board "YosysHQ/picorv32=$copy/source"
check 'it is looked at' grep -q '^ok 3.*hx8kdemo.pcf$' "$copy/out"
check 'what is not there is skipped' grep -q '^ok 4.*SKIP' "$copy/out"
sed -i 's/ser_tx B12/ser_tx B1/' "$copy/source/picosoc/hx8kdemo.pcf"
! holds pins $board "YosysHQ/picorv32=$copy/source"
result $? 'a checkout in which one is not'
holds pins $board "YosysHQ/picorv32=$copy/nowhere"
[ $? = 1 ] && grep -q 'nowhere.*No such file' "$copy/out"
result $? 'a checkout that is not there: the file is named'

wanted=3
caught 'Verilog that has changed since the table was made' rtl/top/ice40hx8k_b_evn.v \
    's/25.d0\|count_q + 1/count_q + 2/' check $board
caught 'a constraint that has' constraints/$board.pcf 's/led\[7\] B5/led[7] B6/' check $board
caught 'a seed that has' $json 's/"seed": [0-9]*/"seed": 77/' check $board
caught "a top's parameter that has" $json 's/"seed"/"parameters": {"L": 8}, &/' check $board
wanted=1
inputs() {
    "$BOARD_FACTS" facts $board | grep -o 'inputs=[0-9a-f]*'
}
fresh
(cd "$copy/tree" && before=$(inputs) && sed -i 's/set_io clk12/# a remark\nset_io clk12/' constraints/$board.pcf &&
    sed -i 's/^    logic \[24:0\] count_q/    \/\/ a remark\n&/' rtl/top/ice40hx8k_b_evn.v &&
    [ "$before" = "$(inputs)" ])
result $? 'a remark changes nothing'
caught 'a table that says too many cells' constraints/README.md \
    "s/^\(| $board |[^|]*|[^|]*|\) [0-9]* of/\1 9999 of/" check $board
caught 'a table that says too few MHz' constraints/README.md \
    "s/^\(| $board |.*| \)[0-9.]* MHz |\$/\112.0 MHz |/" check $board

# What a build came to, by parts: a made-up one of an ECP5.
mkdir "$copy/made"
printf '%064d' 7 > "$copy/made/sha256"
echo '{"fmax": {"clk": {"achieved": 61.5}}, "utilization": {"TRELLIS_COMB": {"used": 4,
    "available": 83640}, "DP16KD": {"used": 1, "available": 208}}}' > "$copy/made/report.json"
awk 'BEGIN {
    split("node.routing.a node.routing.g_ofr.unit.b soc.core.c", at, " ")
    printf "{\"modules\": {\"top\": {\"cells\": {\"$odd\": {\"type\": \"TRELLIS_COMB\"}"
    for (i = 1; i <= 3; i++) printf ", \"chip.board.%s\": {\"type\": \"TRELLIS_COMB\"}", at[i]
    print ", \"chip.board.node.routing.r\": {\"type\": \"DP16KD\"}"
    print ", \"chip.board.node.routing.g_ofr.unit.m\": {\"type\": \"MULT18X18D\"}"
    print ", \"chip.board.node.routing.f\": {\"type\": \"TRELLIS_FF\"}}}}}" }' > "$copy/made/placed.json"
check 'figures of a build' holds result ulx3s-85f "$copy/made"
check 'of all' grep -q '| 4 of 83640 | 1 of 208 | 50 MHz | 61.5 MHz |' "$copy/out"
for row in 'router | 1 | 1 | 1 | 0' 'OFR unit | 1 | 0 | 0 | 1' 'core | 1 | 0 | 0 | 0' \
    'counters | 0 | 0 | 0 | 0'; do
    check "of a part: $row" grep -q "^| $row |" "$copy/out"
done

# Wrong words: status 2 and one line.
for words in 'pins ulx3s-85f nope=/tmp:emard/ulx3s=FOLDER or' 'pins ulx3s-85f bogus:no checkout' \
    'facts ulx3s-85f more:usage' 'verilog ulx3s-85f:usage' 'pattern abc:no size' 'pattern -5:no size' \
    'tiles /nope:make bitstream' 'result ulx3s-85f /nope:make bitstream'; do
    # shellcheck disable=SC2086 # words
    holds ${words%:*}
    [ $? = 2 ] && [ "$(wc -l < "$copy/out")" = 1 ] && grep -q -e "${words##*:}" "$copy/out"
    result $? "refused: board ${words%:*}"
done
wrong() { # WORD SCRIPT ARGUMENTS...
    word=$1 script=$2
    shift 2
    timeout 60 sh "constraints/$script.sh" "$@" > "$copy/out" 2>&1
    [ $? = 2 ] && [ "$(wc -l < "$copy/out")" = 1 ] && grep -q -e "$word" "$copy/out" &&
        [ ! -e "$copy/new" ]
    result $? "refused: $script.sh $1 ... ${3:-}"
}
wrong 'BOARD is one of: .*ice40hx8k-b-evn' bitstream orangecrab "$copy/new"
wrong 'outputs only' bitstream colorlight-5a-75b "$copy/new"
wrong 'BOARD is one of' bitstream '' "$copy/new"
wrong 'BOARD is one of' bitstream ../constraints/ice40hx8k-b-evn "$copy/new"
wrong 'BOARD is one of' image orangecrab "$copy/new"
for bad in 12 000000000000000g 0000000000000000 FFFFFFFFFFFFFFFF; do
    wrong '16 hex digits' image $board "$copy/new" $bad
done

# The image of an iCE40's flash: the serial number in the firmware's second and third word, and nothing
# else is another one; of a firmware that has no room for it there is none.
mkdir "$copy/image"
printf 'a bitstream' > "$copy/image/bitstream.bin"
image() { # FIRMWARE [SERIAL]
    FIRMWARE=$1 sh constraints/image.sh ice40hx8k-b-evn "$copy/image" ${2:+"$2"} > "$copy/out" 2>&1
}
eval "$("$BOARD_FACTS" facts ice40hx8k-b-evn)"
at=$((${firmware_kib:?} * 1024))
check 'an image with a serial number' image "$B/firmware/flash.bin" 0123456789ABCDEF
check 'which stands in it' [ "$(od -An -tx1 -j $((at + 4)) -N 8 \
    "$copy/image/flash-0123456789abcdef.bin" | tr -d ' ')" = efcdab8967452301 ]
check 'an image with none of its own' image "$B/firmware/flash.bin" ''
check 'which has that of the record' [ "$(od -An -tx1 -j $((at + 4)) -N 8 "$copy/image/flash.bin" |
    tr -d ' ')" = 0100000000000000 ]
check 'and no other byte differs' [ "$(cmp -l "$copy/image/flash.bin" \
    "$copy/image/flash-0123456789abcdef.bin" | wc -l)" = 8 ]
head -c 4096 /dev/zero > "$copy/image/old"
! image "$copy/image/old" 00000000000000a1 && grep -q 'no room for a serial number' "$copy/out" &&
    [ ! -e "$copy/image/flash-00000000000000a1.bin" ]
result $? 'a firmware without room for a serial number: refused'
held=$(cat "$copy"/image/flash*.bin | sha256sum)
unmade() { # NAME STATUS WORD COMMAND...: one line, and what was made before stays
    name=$1 status=$2 word=$3
    shift 3
    "$@"
    [ $? = "$status" ] && [ "$(wc -l < "$copy/out")" = 1 ] && grep -q -e "$word" "$copy/out" &&
        [ "$(cat "$copy"/image/flash*.bin | sha256sum)" = "$held" ] && [ ! -e "$copy/image/flash.bin.new" ]
    result $? "$name: refused"
}
eval "$("$BOARD_FACTS" facts ice40hx8k-b-evn)"
most=$(((${flash_kib:?} - firmware_kib) * 1024))
cp "$B/firmware/flash.bin" "$copy/image/large"
truncate -s $most "$copy/image/large"
check 'a firmware that just fits' image "$copy/image/large" 0123456789abcdee
rm "$copy/image/flash-0123456789abcdee.bin"
truncate -s $((most + 1)) "$copy/image/large"
unmade 'a firmware larger than the flash' 1 "$((most + 1)) bytes, and there are $((most / 1024)) KiB" \
    image "$copy/image/large"
unmade 'a firmware that is not there' 2 'nowhere is not there' image "$copy/image/nowhere"
: > "$copy/image/none"
unmade 'an empty one' 2 'none is not there, or empty' image "$copy/image/none"
truncate -s $((firmware_kib * 1024 + 1)) "$copy/image/bitstream.bin"
unmade 'a bitstream over the place of the firmware' 1 'KiB for the bitstream' image "$B/firmware/flash.bin"
rm "$copy/image/bitstream.bin"
unmade 'a bitstream that is not there' 2 'first: make bitstream BOARD=ice40hx8k-b-evn' \
    image "$B/firmware/flash.bin"
ecp5() { # FIRMWARE: with tools that sleep
    (cd "$copy/tree" && BOARD_FACTS=$BOARD_FACTS PATCH=true FIRMWARE_HEX=$1 STEP_SECONDS=1 \
        sh constraints/image.sh ulx3s-85f "$copy/image") > "$copy/out" 2>&1
}
fresh
printf 'echo "ecppack=/bin/false ecpbram=%s/sleep"\n' "$copy" > "$copy/tree/tests/ecp5_tools.sh"
printf '#!/bin/sh\nexec sleep 60\n' > "$copy/sleep"
chmod +x "$copy/sleep"
mkdir -p "$copy/tree/tests"
cp constraints/*.sh "$copy/tree/constraints/"
unmade 'an ECP5 that was not built' 2 'bitstream.config is not there' ecp5 "$PWD/$B/firmware/flash.bin"
echo x > "$copy/image/bitstream.config"
echo x > "$copy/image/placed.json"
unmade 'no words of an ECP5' 2 'nowhere is not there' ecp5 "$copy/nowhere"
echo 00000013 > "$copy/words"
unmade 'a step that its limit ends' 1 'firmware: ended after 1 s, its limit' ecp5 "$copy/words"

finish
