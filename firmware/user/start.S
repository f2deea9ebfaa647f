# SPDX-License-Identifier: Apache-2.0
# A program on the user's core: from address 0 on, what the loader tells it, then stack, .bss, main();
# what that returns is the program's exit code.
    .section .text.start, "ax"
    .globl _start, torus_place
_start:
    j       1f
torus_place: # struct torus_place of outflank_user.h, at address 4
    .zero   28
1:  la      sp, _stack_top
    la      a0, _bss_start
    la      a1, _bss_end
2:  bgeu    a0, a1, 3f
    sw      zero, 0(a0)
    addi    a0, a0, 4
    j       2b
3:  call    main
    call    torus_exit
