// SPDX-License-Identifier: Apache-2.0
// What the programs of riscv-tests (isa/rv32ui) want from their surroundings, for a core without
// CSR on the bench (core_bench.h): instead of riscv-tests' env/p. The verdict goes to the bench's
// UART as a byte: 0 passed, else the number of the case that failed; then a store ends the run.
#ifndef RISCV_TEST_H
#define RISCV_TEST_H

#define TESTNUM gp

#define RVTEST_RV32U
#define RVTEST_RV64U

// Assembler, to clang-format nonsense.
// clang-format off
#define RVTEST_CODE_BEGIN \
    .section .text.init;  \
    .globl _start;        \
    _start:               \
    li TESTNUM, 0;
#define RVTEST_CODE_END

#define RVTEST_VERDICT(byte) \
    li t5, 0x10000000;       \
    sb byte, 0(t5);          \
    li t5, 0x00100000;       \
    sw x0, 0(t5);            \
    j .
#define RVTEST_PASS RVTEST_VERDICT(x0)
#define RVTEST_FAIL RVTEST_VERDICT(TESTNUM)

#define EXTRA_DATA
#define RVTEST_DATA_BEGIN EXTRA_DATA .align 4; .globl begin_signature; begin_signature:
#define RVTEST_DATA_END   .align 4; .globl end_signature; end_signature:
// clang-format on

#endif
