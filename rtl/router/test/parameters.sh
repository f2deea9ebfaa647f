#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parameters that are not legal end elaboration in Verilator, Yosys and Icarus, with a word; legal
# ones do not. TAP.
set -u
. tests/tap.sh
B=${B:-build}
work=$B/parameters
mkdir -p "$work"
word=ofr_router_parameters_out_of_range

# elaborate TOOL PARAM=VALUE...
elaborate()
{
    tool=$1 as=
    shift
    for p; do
        case $tool in
        verilator) as="$as -G$p" ;;
        yosys) as="$as -chparam ${p%%=*} ${p#*=}" ;;
        iverilog) as="$as -Pofr_router.$p" ;;
        esac
    done
    # shellcheck disable=SC2086
    case $tool in
    verilator) verilator --lint-only --language 1800-2017 -Irtl/regs --top-module ofr_router $as \
        rtl/router/*.v ;;
    yosys) yosys -q -p "read_verilog -sv -Irtl/regs rtl/router/*.v
        hierarchy -check -top ofr_router $as" ;;
    iverilog) iverilog -g2012 -Irtl/regs -s ofr_router $as -o /dev/null rtl/router/*.v ;;
    esac > "$work/log" 2>&1
}

shown=$work/log
for tool in verilator yosys iverilog; do
    elaborate "$tool" N=3 W=64 L=4 C=5
    result $? "$tool: N=3 W=64 L=4 C=5"
    for bad in N=4 N=1 W=24 W=128 L=2048 L=12 'L=4 W=32' C=1 C=9; do
        # shellcheck disable=SC2086
        elaborate "$tool" $bad
        [ $? != 0 ] && grep -q $word "$work/log"
        result $? "$tool: $bad is refused"
    done
done
finish
