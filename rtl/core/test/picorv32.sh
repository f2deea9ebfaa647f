#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# PicoRV32 as the core: the SoC's tests, and small and large boards brought up. For `make soak`.
# Takes picorv32.v from $PICORV32, else from PyPI's pythondata-cpu-picorv32 where that is installed;
# skipped where it is in neither. TAP.
set -u
. tests/tap.sh
B=${B:-build}
work=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM
shown=$work/log
unset MAKEFLAGS MFLAGS MAKELEVEL
: "${PICORV32:=$(python3 -c 'import pythondata_cpu_picorv32 as p
print(p.data_location + "/picorv32.v")' 2> /dev/null)}"
if [ ! -f "$PICORV32" ]; then
    echo 'ok 1 - PicoRV32 # SKIP no picorv32.v: give PICORV32=path'
    echo 1..1
    exit 0
fi

with=$B/picorv32
made() { make CORE=picorv32 PICORV32="$PICORV32" B="$with" "$@" > "$work/log" 2>&1; }

run() # NAME TEST
{
    made "$2" && B=$with "$2" > "$work/log" 2>&1
    result $? "PicoRV32: $1"
}
run "SoC, firmware in RAM" "$with/tests/soc_ram"
run "SoC, firmware in flash" "$with/tests/soc_flash"
made "$with/bin/boardsim" "$with/bin/torusctl"
result $? "PicoRV32: boards"
for test in small_boards_test boards_test; do
    B=$with sh tests/$test.sh > "$work/log" 2>&1
    result $? "PicoRV32: $test"
done
finish
