#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the programs of riscv-tests' isa/rv32ui for the bench and runs them.
# Usage: riscv_run.sh DIR OUT RUN   DIR: riscv-tests; OUT: folder for what is made; RUN: the program of
# riscv_run.c. Exit status 0 all passed, 1 not, 2 a program does not compile.
set -eu
dir=$1 out=$2 run=$3
here=rtl/core/test
rm -rf "$out"
mkdir -p "$out"
for source in "$dir"/isa/rv32ui/*.S; do
    name=$(basename "$source" .S)
    riscv64-unknown-elf-gcc -march=rv32i -misa-spec=2.2 -mabi=ilp32 -nostdlib -nostartfiles \
        -static -I$here -I"$dir/isa/macros/scalar" -Wl,--no-warn-rwx-segments -T $here/riscv.ld \
        -o "$out/$name.elf" "$source" || {
        echo "riscv-tests: $source does not compile for rv32i" >&2
        exit 2
    }
    riscv64-unknown-elf-objcopy -O binary "$out/$name.elf" "$out/$name.bin"
done
exec "$run" "$out"/*.bin
