# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For tests of parameters, which source tap.sh and then this: legal ones elaborate in Verilator, Yosys and
# Icarus, others end that with a word. Set before: `top`, the module; `sources`, its files; `word`; `work`,
# a folder for the log.
tools='verilator yosys iverilog'
include='-Irtl/regs -Irtl/link -Irtl/link/phy'
shown=$work/log
mkdir -p "$work"

# elaborate TOOL PARAM=VALUE...
elaborate()
{
    tool=$1 as=
    shift
    for p; do
        case $tool in
        verilator) as="$as -G$p" ;;
        yosys) as="$as -chparam ${p%%=*} ${p#*=}" ;;
        iverilog) as="$as -P$top.$p" ;;
        esac
    done
    # shellcheck disable=SC2086
    case $tool in
    verilator) verilator --lint-only --language 1800-2017 $include --top-module "$top" $as \
        $sources ;;
    yosys) yosys -q -p "read_verilog -sv -defer $include $sources
        hierarchy -check -top $top $as" ;;
    iverilog) iverilog -g2012 $include -s "$top" $as -o /dev/null $sources ;;
    esac > "$work/log" 2>&1
}

# taken TOOL PARAM=VALUE...
taken()
{
    elaborate "$@"
    result $? "$1: $(shift && echo "$*")"
}

# refused TOOL PARAM=VALUE...
refused()
{
    elaborate "$@"
    [ $? != 0 ] && grep -q "$word" "$work/log"
    result $? "$1: $(shift && echo "$*") is refused"
}
