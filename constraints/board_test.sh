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
    grep -q '^  "header"' "$file" || continue
    same_drawing() {
        "$DRAWING" "$board" > "$copy/drawing" 2> "$copy/out" && cmp "$copy/drawing" "constraints/$board.svg"
    }
    check "$board: its drawing is of the record (make docs)" same_drawing
done
skip 'pins and numbers at headers are so in the sources themselves' 'no checkouts of them; build/constraints/board pins'

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
undrawn 'a wire at a supply' '/cable_rx\[3\]/s/"header": [0-9]*/"header": 79/' 'is 5 V: leave it open, and' ulx3s-85f
undrawn "a wire at another header's supply" '/cable_tx_clk\[0\]/s/"header": 35/"header": 31/' \
    'pin 31 of the header is 3.3 V: leave it open, and' colorlight-i9
undrawn 'headers of fewer pins than are said' 's/"P6", "pins": 30/"P6", "pins": 28/' 'fewer pins than it' colorlight-i9
undrawn 'a pin with nothing beside it that may be a supply' 's/\[79, "5 V"\], //' 'pin 79 of the header has nothing beside' ulx3s-85f
undrawn 'a pin of which is not said what is printed there' 's/"GP0", //' 'not said of every pin' ulx3s-85f

! grep -q 'fill="#000000">ground or a supply' constraints/*.svg
result $? 'what may be a supply is not as black as ground'

unnumbered() { # NAME BOARD SED SAYS: a header's numbers that are recorded so are refused
    caught "$1" "constraints/$2.json" "$3" pins "$2"
    check "$1: it says why" grep -q "^# .*$4" "$copy/out"
}
unnumbered 'a header whose numbers no source says' $board '/"J2", "pins"/s/, "numbered": .*}]//' \
    'no source says that it is at pin 13 of J2'
unnumbered 'a wire without a number' $board '/cable_rx\[3\]/s/, "header": [0-9]*//' 'at pin 0: the header has no such'
unnumbered "a wire at another's number, of a header that another board has" ulx3s-85f-wide '/"header": 6}/s/6}/7}/' 'at pin 7: no source calls it'
wanted=2
caught 'the header of a board that has none' constraints/ulx3s-85f-wide.json 's/"header": "ulx3s-85f"/"header": "ulx3s-25f"/' pins ulx3s-85f-wide
check 'the header of a board that has none: it says why' grep -q 'ulx3s-25f has none of its own' "$copy/out"
wanted=1
unnumbered 'a number that is one of the header but for 2^32' $board '/cable_rx\[3\]/s/"header": [0-9]*/"header": 4294967302/' 'the header has no such'
unnumbered 'a header whose parts have more pins than it' ulx3s-85f 's/"pins": 80/"pins": 78/' 'parts have more pins than it'
unnumbered 'a wire beyond the header' $board '/cable_rx\[3\]/s/"header": [0-9]*/"header": 81/' 'at pin 81: the header has no such'
unnumbered 'a number that is another in a name' ecp5-evn 's/"header": 45}/"header": 61}/' \
    'is at pin 21, and J40_05 in'
unnumbered 'one that is of another header there' ecp5-evn 's/"header": 45}/"header": 5}/' 'is at pin 5, and J40_05 in'
unnumbered 'a name with more than a number' ecp5-evn 's/"J40_05"/"J40_05a"/' 'is at pin 5, and J40_05a in'
unnumbered 'a number that one source of two says otherwise' icepi-zero 's/"7", 2/"8", 2/' 'is at pin 7, and 8 in'
unnumbered 'a wire at a pin with another name beside it' ulx3s-85f 's/"header": 6}/"header": 36}/' \
    'no source calls it what is printed there'
unnumbered 'numbers in what is no source' $board 's/"in": "amaranth_boards/"in": "boards/' 'numbered "in" one of the sources'
unnumbered 'names in what is no source' icepi-zero 's/"as": "amaranth_boards/"as": "boards/' 'numbered "in" one of the sources'
unnumbered 'numbers that are said in no way' $board '/"J2"/s/"list"/"lost"/' 'by one of name, list, schematic'
unnumbered 'numbers that are said in two' $board '/"J2"/s/"list"/"name": "J", "list"/' 'by one of name, list, schematic'
unnumbered 'a mistake of a source that is none' colorlight-i9 's/29, "J20"/29, "G20"/' 'G20 at pin 29 is not otherwise'
unnumbered 'a pin that only a mistake numbers' colorlight-i9 '/pmodd/s/ 29,/ 31,/' 'no source says that it is at pin 29 of P2'
caught "a source of numbers without its commit" constraints/icepi-zero.json 's/a49f696232809cede14f8e4de3eb118bd5fbd037/main/' \
    pins icepi-zero

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

# Numbers at the header in checkouts: made from the record, then wrong.
at() { # BOARD WHAT N...: the wires at these places of its header, - where none is: their pins, or the
    record=constraints/$1.json what=$2 # name that the first or second source has for them
    shift 2
    awk -F '"' -v what="$what" -v places="$*" '
        match($0, /"header": [0-9]+}/) {
            is[substr($0, RSTART + 10, RLENGTH - 11)] = what == "pin" ? $8 : $(10 + 2 * what)
        }
        END {
            n = split(places, place, " ")
            for (i = 1; i <= n; i++) printf "%s ", place[i] in is ? is[place[i]] : "-"
        }' "$record"
}
there=$copy/numbers
numbers() { # NAME BOARD REPOSITORY ok|'not ok' [SAYS]: what is said of that checkout's numbers
    holds pins "$2" "$3=$there"
    grep -q "^$4 [0-9]* - $2: the numbers at the header are so in $3, [^#]*$" "$copy/out" &&
        { [ $# = 4 ] || grep -q "^# .*$5" "$copy/out"; }
    result $? "$1"
}
from=amaranth-lang/amaranth-boards list=$there/amaranth_boards/ice40_hx8k_b_evn.py
mkdir -p "$there/amaranth_boards"
# shellcheck disable=SC2046 # words
made() {
    printf 'Connector("j", 2, # J2\n    "%s"\n    "%s"),\nConnector("j", 4, "%s")\n' "$(at $board pin $(seq 20))" \
        "$(at $board pin $(seq 21 40))" "$(at $board pin $(seq 41 80))" > "$list"
}
made
numbers 'a list with the numbers' $board $from ok
sed -i 's/K15/X15/' "$list"
numbers 'one with another pin' $board $from 'not ok' 'has X15 at pin 13, not K15'
made
sed -i 's/K15/A1 K15/' "$list"
numbers 'one in which they are one further' $board $from 'not ok' 'has A1 at pin 13, not K15'
made
sed -i 's/"j", 4/"j", 3/' "$list"
numbers 'one that is not there' $board $from 'not ok' 'has nothing at pin 9, not N3'
made
cat "$list" >> "$list.2" && cat "$list.2" >> "$list"
numbers 'one that is there twice' $board $from 'not ok' 'has nothing at pin 13'
made
sed -i 's/ G14 .*/"),/' "$list"
numbers 'one that ends before' $board $from 'not ok' 'has nothing at pin 21, not J15'
rm "$list"
numbers 'a file that is not there' $board $from 'not ok' 'No such file'

from=litex-hub/litex-boards list=$there/litex_boards/platforms/colorlight_i5.py
mkdir -p "$there/litex_boards/platforms" "$there/src/amaranth_boards"
pmod() { # NAME N: of the header of which pin N is the last of 12 or of 30
    printf '("%s", "%s"),\n' "$1" "$(at colorlight-i9 pin "$2" $(($2 - 2)) $(($2 - 4)) $(($2 - 6)) $(($2 - 1)) $(($2 - 3)) $(($2 - 5)) $(($2 - 7)))"
}
{ pmod pmodd 30; pmod pmode 42; pmod pmodf 60; pmod pmodg 72; pmod pmodi 102; pmod pmodk 132; } > "$list"
numbers 'lists at places of their own' colorlight-i9 $from ok
sed -i 's/J20/G20/' "$list"
numbers 'one of them with another pin' colorlight-i9 $from 'not ok' 'has G20 at pin 30, not J20'
from=wuxx/Colorlight-FPGA-Projects list=$there/src/amaranth_boards/colorlight_i9_r7_2.py
# shellcheck disable=SC2046 # words
for p in 2 3 4 5 6; do
    printf 'Connector("p",  %d, "%s"),\n' $p "$(at colorlight-i9 pin $(seq $((p * 30 - 59)) $((p * 30 - 30))))"
done > "$list"
numbers 'a mistake that is no longer there' colorlight-i9 $from 'not ok' 'has G20 at pin 29, not J20'
sed -i 's/G20 J20/J20 G20/' "$list"
numbers 'a mistake that is' colorlight-i9 $from ok

mkdir -p "$there/wiringPi"
# shellcheck disable=SC2046 # words
printf 'static int physToGpioR2 [64] =\n{\n  -1, // 0\n  %s\n} ;\n' "$(at icepi-zero 2 $(seq 40))" > "$there/wiringPi/wiringPi.c"
numbers "a list of another source's names" icepi-zero WiringPi/WiringPi ok
sed -i 's/ 1 / -1 /' "$there/wiringPi/wiringPi.c"
numbers 'one that has none there' icepi-zero WiringPi/WiringPi 'not ok' 'has -1 at pin 28, not 1'
sed -i 's/-1, /-1, -1, /' "$there/wiringPi/wiringPi.c"
numbers 'one of them one further' icepi-zero WiringPi/WiringPi 'not ok' 'not 2$'

# shellcheck disable=SC2046 # words
made() {
    for j in 1 2; do
        printf 'L Connector_Generic:Conn_02x20_Odd_Even J%d\nU 1 1 58E6B835\nP %d000 2000\n' $j $j
        n=0
        for name in $(at ulx3s-85f 1 $(seq $((j * 40 - 39)) $((j * 40)))); do
            printf 'Text GLabel %d %d 0    60   Input ~ 0\n%s\n' $((j * 1000 - 200 + n % 2 * 500)) \
                $((1100 + n / 2 * 100)) "$(echo "$name" | tr 'gpn' 'GPN' | tr -d '[]')"
            n=$((n + 1))
        done
    done > "$there/gpio.sch"
}
made
numbers 'a schematic with the numbers' ulx3s-85f emard/ulx3s ok
sed -i 's/^GP0$/GX/; s/^GN0$/GP0/; s/^GX$/GN0/' "$there/gpio.sch"
numbers 'one in which two are the other way round' ulx3s-85f emard/ulx3s 'not ok' 'has GN0 at pin 6, not gp\[0\]'
made
sed -i 's/Even J2/Even J3/' "$there/gpio.sch"
numbers 'one without that connector' ulx3s-85f emard/ulx3s 'not ok' 'J2 in gpio.sch has nothing at pin 6'
made
sed -i 's/Text GLabel 1300 1300/Text GLabel 1300 1301/' "$there/gpio.sch"
numbers 'one with a label beside the pin' ulx3s-85f emard/ulx3s 'not ok' 'has nothing at pin 6, not gp\[0\]'

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
