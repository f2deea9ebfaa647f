#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Do the images fit? .text + .data below 16 KiB; the flash build's RAM, stack included, within
# 2 KiB. The stack's bound is the sum of all functions' frames: no recursion, no variable frames.
# Last, the linker scripts must refuse an image that does not fit.
set -u
. tests/tap.sh
: "${B:=build}" "${RV:=riscv64-unknown-elf-}"

frames() # .su files: sum of the frames, or nothing where one is not static
{
    awk -F '\t' '$3 != "static" { print "frame of " $1 " is " $3 > "/dev/stderr"; wrong = 1 }
        { sum += $2 } END { if (!wrong && NR) print sum }' "$@"
}

symbol() # elf, name: value in decimal
{
    printf '%d' "0x$("${RV}nm" "$1" | awk -v name="$2" '$3 == name || $2 == name { print $1 }')"
}

for build in fw flash; do
    elf=$B/firmware/$build.elf
    dir=$B/firmware
    [ $build = flash ] && dir=$dir/flash
    # shellcheck disable=SC2046
    set -- $("${RV}size" "$elf" | tail -1)
    stack=$(frames "$dir"/*.rv.su)
    bss=$(symbol "$elf" _bss_end)
    room=$(symbol "$elf" _stack_size)
    top=$(symbol "$elf" _stack_top)
    check "$build: code and data $(($1 + $2)) of 16384 bytes" [ $(($1 + $2)) -lt 16384 ]
    check "$build: stack at most ${stack:-?} of $room bytes" [ "${stack:-99999}" -le "$room" ]
    check "$build: RAM used to $bss, stack from $((top - room)) to $top" \
        [ "$((bss + room))" -le "$top" ]
done
check "flash: RAM $((bss + stack)) of 2048 bytes, stack included" [ $((bss + stack)) -le 2048 ]

too_big() # linker script: an image with 2 KiB more of data does not link
{
    printf '%s\n' '.bss' '.globl state_too' 'state_too: .zero 14336' > "$B/firmware/big.s"
    "${RV}gcc" -march=rv32i -misa-spec=2.2 -mabi=ilp32 -c -o "$B/firmware/big.o" \
        "$B/firmware/big.s" &&
        ! "${RV}gcc" -march=rv32i -misa-spec=2.2 -mabi=ilp32 -nostdlib -T "$1" \
            "$B"/firmware/*.rv.o "$B/firmware/big.o" -lgcc -o "$B/firmware/big.elf" 2> "$B/firmware/big.log" &&
        grep -q 'no room for the stack\|overflowed' "$B/firmware/big.log"
}
check "ram.ld refuses what does not fit" too_big firmware/ram.ld
check "flash.ld refuses what does not fit" too_big firmware/flash.ld
finish
