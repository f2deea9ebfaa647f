#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bitstream.sh BOARD OUT [SERIAL]: from Verilog to a bitstream, and to the image of the whole flash
# as far as it is used: bitstream and firmware. Started by `make bitstream`; $BOARD_FACTS is the
# program constraints/board.c, $FIRMWARE the firmware's image. SERIAL: 16 hex digits, the board's
# serial number instead of that of constraints/BOARD.json.
#
# What was made of the same inputs is kept; only the firmware behind it is new then.
#
# Results: OUT/bitstream.bin, its sum in OUT/sha256, OUT/flash.bin; for tests OUT/bitstream.asc, the
# tools' logs and figures. Nothing in them depends on the day, the folder or the machine. Exit status
# 0; 1: a tool failed, or the clock is missed; 2: no such board or serial number.

set -e
board=$1 out=$2
facts=$("$BOARD_FACTS" facts "$board") || exit 2
eval "$facts"
: "${fpga:?}" "${package:?}" "${top:?}" "${serial:?}" "${synth:?}" "${seed:?}" "${clock_mhz:?}"
: "${firmware_kib:?}" "${files:?}" "${inputs:?}"
serial=${3:-$serial}
case $serial in
*[!0-9a-fA-F]*) serial=bad ;;
esac
if [ ${#serial} != 16 ]; then
    echo "bitstream: SERIAL=${3:-}: a serial number is 16 hex digits" >&2
    exit 2
fi

step() { # NAME COMMAND...: its output to a log; on failure the log's last error
    name=$1
    shift
    timeout "${STEP_SECONDS:-1800}" "$@" > "$out/$name.log" 2>&1 && return 0
    line=$(grep -E '^[^ ]*(ERROR|Error):' "$out/$name.log" | head -n 1)
    [ -n "$line" ] || line=$(tail -n 1 "$out/$name.log")
    echo "bitstream: $board: $name: $line" >&2
    exit 1
}

mkdir -p "$out"
if [ "$(cat "$out/made-from" 2> /dev/null)" = "$inputs $serial" ]; then
    fpga=none
else
    find "$out" -maxdepth 1 -type f -exec rm -f {} +
fi
pins=constraints/$board.pcf
case $fpga in
none) ;;
ice40-hx8k)
    echo "bitstream: $board: synthesis, some 2 minutes"
    rm -rf "$out/verilog"
    mkdir "$out/verilog"
    "$BOARD_FACTS" verilog "$board" "$out/verilog"
    step synthesize sh -c 'cd "$1" && yosys -p "$2"' - "$out/verilog" "
        read_verilog -sv -I. $(for f in $files; do basename "$f"; done | tr '\n' ' ')
        chparam -set SERIAL 64'h$serial $top
        synth_ice40 $synth -top $top
        write_json ../netlist.json"
    echo "bitstream: $board: place and route, some 2 minutes"
    step place nextpnr-ice40 --hx8k --package "$package" --pcf "$pins" \
        --json "$out/netlist.json" --freq "$clock_mhz" --seed "$seed" --timing-allow-fail \
        --asc "$out/bitstream.asc" --report "$out/report.json" --write "$out/placed.json"
    step pack icepack "$out/bitstream.asc" "$out/bitstream.bin"
    ;;
*)
    echo "bitstream: $board: no flow for $fpga" >&2
    exit 2
    ;;
esac
if [ "$(wc -c < "$out/bitstream.bin")" -gt $((firmware_kib * 1024)) ]; then
    echo "bitstream: $board: longer than the $firmware_kib KiB before the firmware" >&2
    exit 1
fi
sha256sum "$out/bitstream.bin" | cut -c 1-64 | tr -d '\n' > "$out/sha256"
cp "$out/bitstream.bin" "$out/flash.bin.new"
dd if="$FIRMWARE" of="$out/flash.bin.new" bs=1024 seek="$firmware_kib" 2> /dev/null
mv "$out/flash.bin.new" "$out/flash.bin"
echo "$inputs $serial" > "$out/made-from"
