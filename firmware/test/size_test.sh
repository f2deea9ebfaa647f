#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Do the images fit? .text + .data below 16 KiB; the flash build's RAM, stack included, within
# 2 KiB. The stack's bound is that of the deepest chain of calls (stack.awk), which refuses graphs
# that have none. Last, the linker scripts must refuse an image that does not fit.
set -u
. tests/tap.sh
: "${B:=build}" "${RV:=riscv64-unknown-elf-}"

no_bound() # a line more of a call graph in which main() calls f(): no bound is found
{
    {
        printf '%s\n' 'node: { title: "main" label: "main\nm.c:1:1\n16 bytes (static)" }' \
            'edge: { sourcename: "main" targetname: "f" label: "m.c:2:2" }' \
            'node: { title: "f" label: "f\nf.c:1:1\n32 bytes (static)" }'
        printf '%s\n' "$@"
    } > "$B/firmware/graph.ci"
    ! awk -f firmware/test/stack.awk "$B/firmware/graph.ci" > /dev/null 2>&1
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
    stack=$(awk -f firmware/test/stack.awk "$dir"/image.rv.ci)
    bss=$(symbol "$elf" _bss_end)
    room=$(symbol "$elf" _stack_size)
    top=$(symbol "$elf" _stack_top)
    check "$build: code and data $(($1 + $2)) of 16384 bytes" [ $(($1 + $2)) -lt 16384 ]
    check "$build: stack at most ${stack:-?} of $room bytes" [ "${stack:-99999}" -le "$room" ]
    check "$build: RAM used to $bss, stack from $((top - room)) to $top" \
        [ "$((bss + room))" -le "$top" ]
done
check "flash: RAM $((bss + stack)) of 2048 bytes, stack included" [ $((bss + stack)) -le 2048 ]

check "a stack of two frames has a bound" eval '! no_bound'
check "a recursion has none" no_bound \
    'edge: { sourcename: "f" targetname: "main" label: "f.c:2:2" }'
check "a call by pointer has none" no_bound \
    'edge: { sourcename: "f" targetname: "__indirect_call" label: "f.c:2:2" }'
check "a frame that varies has none" no_bound \
    'node: { title: "g" label: "g\ng.c:1:1\n32 bytes (dynamic)" }'

too_big() # linker script: an image with 2 KiB more of data does not link
{
    printf '%s\n' '.bss' '.globl state_too' 'state_too: .zero 14336' > "$B/firmware/big.s"
    "${RV}gcc" -march=rv32i -misa-spec=2.2 -mabi=ilp32 -c -o "$B/firmware/big.o" \
        "$B/firmware/big.s" &&
        ! "${RV}gcc" -march=rv32i -misa-spec=2.2 -mabi=ilp32 -nostdlib -T "$1" \
            "$B"/firmware/start.rv.o "$B"/firmware/image.rv.o "$B/firmware/big.o" -lgcc -o "$B/firmware/big.elf" 2> "$B/firmware/big.log" &&
        grep -q 'no room for the stack\|overflowed' "$B/firmware/big.log"
}
check "ram.ld refuses what does not fit" too_big firmware/ram.ld
check "flash.ld refuses what does not fit" too_big firmware/flash.ld
finish
