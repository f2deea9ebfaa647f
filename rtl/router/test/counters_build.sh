#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One test of the counters.
# Usage: counters_build.sh N-SMALL-START PROGRAM VERILOG FOLDER OBJECT...
set -e
build=$1 program=$2 verilog=$3 folder=$4
shift 4
n=${build%%-*} rest=${build#*-}
small=${rest%%-*} start=${rest#*-} top=ofr_counters
[ "$small" = 0 ] || top=ofr_counters_small
mkdir -p "$folder"
rm -f "$program" # Verilator's own makefile does not see that the objects are newer
[ "$small" = 0 ] || set -- "-GSTART=$(printf %d "$start")" "$@"
objects=
for o; do
    case $o in -G*) objects="$objects $o" ;; *) objects="$objects $PWD/$o" ;; esac
done
# shellcheck disable=SC2086
verilator --cc --exe --build -O3 -Wno-fatal --language 1800-2017 --x-assign unique \
    --x-initial unique -Irtl/regs --top-module $top "-GN=$n" \
    -CFLAGS "-O2 -I$PWD/rtl/router/test -I$PWD/tests/lib -DCOUNTERS_SMALL=$small -DRTL_TOP=V$top \
        -DRTL_HEADER='\"V$top.h\"'" \
    --Mdir "$folder/v" -o "$PWD/$program" "$verilog" "$PWD/rtl/router/test/counters_shim.cpp" \
    $objects > "$folder/log" 2>&1 < /dev/null || {
    cat "$folder/log"
    exit 1
}
