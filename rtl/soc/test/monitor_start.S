# SPDX-License-Identifier: Apache-2.0
    .section .init
    .globl _start
_start:
    la sp, stack_top
    j main
