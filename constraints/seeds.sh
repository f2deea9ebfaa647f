#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# seeds.sh BOARD OUT SEED...: places a board with each of these seeds, by the flow of `make bitstream`, and puts
# what its clocks come to into README.md (seeds.c). Started by `make report`; some ten minutes a placement.
# What was placed of the same inputs is taken, the bitstream in OUT as well; a row of these inputs and seeds
# stays as it is, unless $ALL is set.
#
# Exit status 0; 1: a tool failed; 2: no such board, or a wrong seed.

set -e
board=$1 out=$2
shift 2
facts=$("${BOARD_FACTS:?}" facts "$board") || exit 2
eval "$facts"
: "${inputs:?}" "${clock_mhz:?}" "${pins_of:?}" "${parameters?}"
for seed; do
    BOARD_SEED=$seed "$BOARD_FACTS" facts "$board" > /dev/null || exit 2
done
own="| $inputs | .* | $(echo "$*" | sed 's/ /, /g') |"
[ -n "$ALL" ] || ! grep -q "^| $board $own" constraints/README.md || exit 0
reports=
for seed; do
    export BOARD_SEED="$seed"
    folder=$out
    sh constraints/made.sh "$board" "$out" || {
        folder=$out/seed-$seed
        sh constraints/bitstream.sh "$board" "$folder"
        # Its report is what counts; the rest is a hundred megabytes.
        rm -rf "$folder/verilog" "$folder/netlist.json" "$folder/placed.json" "$folder"/bitstream.[ac]*
    }
    reports="$reports $seed=$folder/report.json"
done
unset BOARD_SEED
count() { # PORT: how many of it
    grep -c "\"port\": \"$1\[" "constraints/$pins_of.json"
}
wires=$(echo "$parameters" | sed -n 's/.*WIRES=\([0-9]*\).*/\1/p')
# shellcheck disable=SC2086 # a list
"${SEEDS_TABLE:?}" "$board" "$inputs" "$clock_mhz" "${wires:-$(($(count cable_tx) / $(count cable_tx_clk)))}" $reports
