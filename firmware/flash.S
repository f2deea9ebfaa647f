# SPDX-License-Identifier: Apache-2.0
# The image in the SPI flash begins here: words 1 and 2 are the board's serial number, bits 31 to 0 and
# 63 to 32, as it is written at flashing (constraints/image.sh); all ones: none, BOARD.SERIAL holds.

    .section .text.entry, "ax"
    .globl _entry
_entry:
    .option push
    .option norvc
    .option norelax
    j       _start
    .option pop
    .globl fw_flash_serial
fw_flash_serial:
    .word   0xffffffff, 0xffffffff
