# SPDX-License-Identifier: Apache-2.0
    .section .init
    .globl _start
_start:
    la sp, stack_top
    call main
    li a0, 0x100000
    li a1, 0x5555
    sw a1, 0(a0)
    j .
