#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make riscv-tests` without riscv-tests: what it says when they are not there, and whether it sees
# what passes and what fails, in a folder laid out like theirs.
set -u
. tests/tap.sh
B=${B:-build}
work=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM
shown=$work/log
unset MAKEFLAGS MFLAGS MAKELEVEL DIR

refuses() # NAME MAKE'S ARGUMENTS...: one line on stderr, status 2
{
    name=$1
    shift
    make "$@" > /dev/null 2> "$work/log"
    [ $? = 2 ] && [ "$(wc -l < "$work/log")" = 1 ] && grep -q 'DIR=.*isa/rv32ui' "$work/log"
    result $? "$name"
}

refuses "no DIR: one line and status 2" riscv-tests
refuses "a DIR that is not there: one line and status 2" riscv-tests DIR="$work/nothing"
refuses "a DIR without the tests: one line and status 2" riscv-tests DIR="$work"

# Two that pass, one that fails in case 3, one that traps as it must, one that does not but must.
mkdir -p "$work/t/isa/rv32ui" "$work/t/isa/macros/scalar"
cat > "$work/t/isa/macros/scalar/test_macros.h" << 'END'
#define CASE(n, want, ...) \
    li TESTNUM, n; __VA_ARGS__; li x7, want; bne x14, x7, fail
END
write() # NAME CODE
{
    {
        printf '#include "riscv_test.h"\n#include "test_macros.h"\nRVTEST_RV32U\n'
        printf 'RVTEST_CODE_BEGIN\n%s\n' "$2"
        printf '    bne x0, TESTNUM, pass\nfail: RVTEST_FAIL\npass: RVTEST_PASS\nRVTEST_CODE_END\n'
        printf '    .data\nRVTEST_DATA_BEGIN\nword: .word 0x12345678\nRVTEST_DATA_END\n'
    } > "$work/t/isa/rv32ui/$1.S"
}
write add '    li x1, 5; li x2, 7
    CASE(2, 12, add x14, x1, x2)'
write lw '    la x1, word
    CASE(2, 0x12345678, lw x14, 0(x1))'
write ma_data '    la x1, word
    CASE(2, 0x123456, lw x14, 1(x1))'
make riscv-tests DIR="$work/t" > "$work/log" 2>&1
[ $? = 0 ] && [ "$(grep -c '^ok .*rv32ui' "$work/log")" = 3 ]
result $? "programs that pass, and a misaligned one that traps: status 0"
(cd "$work" && make -C "$OLDPWD/rtl/core" riscv-tests DIR=t) > "$work/log" 2>&1
[ $? = 0 ] && [ "$(grep -c '^ok .*rv32ui' "$work/log")" = 3 ]
result $? "the same from rtl/core, DIR from where make was started"
write sub '    li x1, 5; li x2, 7
    CASE(2, -2, sub x14, x1, x2)
    CASE(3, 3, sub x14, x2, x1)'
write csr '    csrr x14, mcycle'
write ma_data '    la x1, word
    CASE(2, 0x12345678, lw x14, 0(x1))'
make riscv-tests DIR="$work/t" > "$work/log" 2>&1
[ $? = 2 ] && grep -q '^not ok .*rv32ui sub: case 3 fails' "$work/log" &&
    grep -q '^not ok .*rv32ui csr: traps at 8000.*, cause 1' "$work/log" &&
    grep -q '^not ok .*rv32ui ma_data: does not trap' "$work/log" &&
    [ "$(grep -c '^ok .*rv32ui' "$work/log")" = 2 ]
result $? "one that fails, one that traps and one that does not are told"
finish
