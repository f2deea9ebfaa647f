# SPDX-License-Identifier: Apache-2.0
# Reset: stack pointer to the top of RAM (the linker script says where), gp to where the linker
# reaches all state from, .data from its load
# address where that is another one (flash), .bss zeroed, main().

    .section .text.start, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la      gp, __global_pointer$
    .option pop
    la      sp, _stack_top
    la      a0, _data_start
    la      a1, _data_end
    la      a2, _data_load
    beq     a0, a2, 2f
1:  bgeu    a0, a1, 2f
    lw      a3, 0(a2)
    sw      a3, 0(a0)
    addi    a0, a0, 4
    addi    a2, a2, 4
    j       1b
2:  la      a0, _bss_start
    la      a1, _bss_end
3:  bgeu    a0, a1, 4f
    sw      zero, 0(a0)
    addi    a0, a0, 4
    j       3b
4:  call    main
5:  j       5b
