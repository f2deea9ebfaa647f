#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# seeds.sh BOARD OUT SEED...: places a board with each of these seeds, by the flow of `make bitstream`, and puts
# what its clocks come to into README.md (seeds.c). Started by `make report`; some ten minutes a placement.
# It is synthesized once, or not at all where OUT has a bitstream of the same inputs. What was placed of them is
# taken, of an ECP5 the bitstream in OUT as well; a row of these inputs and seeds stays as it is, unless $ALL is
# set. Where a seed cannot be routed, and the flow takes the next, it is left out.
#
# Exit status 0; 1: a tool failed; 2: no such board, or a wrong seed.

set -e
board=$1 out=$2
shift 2
. sim/bitstream/facts.sh
of_board "$board"
: "${inputs:?}"
if [ $# -lt 1 ] || [ $# -gt 9 ]; then
    echo "seeds: $board: $# seeds; there must be 1 to 9" >&2
    exit 2
fi
for seed; do
    BOARD_SEED=$seed "$BOARD_FACTS" facts "$board" > /dev/null || exit 2
done
own="| $inputs | .* | $(echo "$*" | sed 's/ /, /g') |"
[ -n "$ALL" ] || ! grep -q "^| $board $own" constraints/README.md || exit 0
reports= netlist=
trap 'rm -f "$out/seeds-netlist.json"' EXIT
if sh constraints/made.sh "$board" "$out" && [ -e "$out/netlist.json" ]; then
    netlist=$out/netlist.json
fi
for seed; do
    export BOARD_SEED="$seed"
    folder=$out
    if [ "${fpga:?}" = ice40-hx8k ] || ! sh constraints/made.sh "$board" "$out"; then
        folder=$out/seed-$seed
        mkdir -p "$folder"
        sh constraints/bitstream.sh "$board" "$folder" "$netlist" > "$folder.said"
        cat "$folder.said"
        placed=$(sed -n 's/.*, seed \([0-9]*\)$/\1/p' "$folder.said" | tail -n 1)
        [ -z "$placed" ] || echo "$placed" > "$folder/seed"
        # Its report is what counts, and one netlist; the rest is a hundred megabytes.
        if [ -z "$netlist" ] && [ -e "$folder/netlist.json" ]; then
            netlist=$out/seeds-netlist.json
            mv "$folder/netlist.json" "$netlist"
        fi
        rm -rf "$folder.said" "$folder/verilog" "$folder/netlist.json" "$folder/placed.json" "$folder"/bitstream.[ac]*
        placed=$(cat "$folder/seed" 2> /dev/null || echo "$seed")
        [ "$placed" = "$seed" ] || {
            echo "seeds: $board: seed $seed cannot be routed"
            continue
        }
    fi
    reports="$reports $seed=$folder/report.json"
done
unset BOARD_SEED
in_use=$(echo "$parameters" | sed -n 's/.*WIRES=\([0-9]*\).*/\1/p')
# shellcheck disable=SC2086 # a list
"${SEEDS_TABLE:?}" "$board" "$inputs" "$clock_mhz" "${in_use:-$wires}" $reports
