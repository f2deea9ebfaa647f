#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# deps.sh [build]: sees to it that the Debian packages are there that the programs and `make demo` are
# built from; without the word those of the tests, lint and `make report` too. Installs what is
# missing, after asking, unless it is root or CI (environment variable CI). Exit status 0: all is
# there; 1: something is missing and stays so.

# What another distribution must bring, by its own means: the commands.
packages='make gcc g++ libc6-dev binutils pkg-config verilator ccache gcc-riscv64-unknown-elf
    libjansson-dev libncurses-dev libftdi1-dev libusb-1.0-0-dev'
commands='gcc g++ verilator ccache riscv64-unknown-elf-gcc pkg-config'
case ${1:-} in
build) ;;
'')
    packages="$packages
    git ca-certificates yosys iverilog nextpnr-ice40 fpga-icestorm fpga-icestorm-chipdb
    qemu-system-misc gnuplot-nox graphviz groff-base dpkg-dev libcmocka-dev libgmp-dev
    libumockdev-dev umockdev libopenmpi-dev openmpi-bin
    clang-format clang-tidy clang-14 libclang-rt-14-dev python3 python3-venv"
    commands="$commands yosys iverilog nextpnr-ice40 icepack qemu-system-riscv32 gnuplot clang++-14
    clang-format clang-tidy python3"
    ;;
*)
    echo "deps: $1: say build, or nothing for all" >&2
    exit 2
    ;;
esac

missing=
if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    for c in $commands; do
        command -v "$c" >/dev/null 2>&1 || missing="$missing $c"
    done
    [ -z "$missing" ] && exit 0
    echo "deps: this is not a Debian system; install these commands and try again:$missing" >&2
    exit 1
fi

have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null |
    sed -n 's/ installed$//p')
for p in $packages; do
    case "
$have
" in
    *"
$p
"*) continue ;;
    esac
    # A Python of another origin will do, and a gnuplot of another variant.
    case $p in
    gnuplot*) command -v gnuplot >/dev/null 2>&1 && continue ;;
    python3*) python3 -c 'import ensurepip, venv' 2>/dev/null && continue ;;
    esac
    missing="$missing $p"
done
[ -z "$missing" ] && exit 0

echo "deps: missing Debian packages:$missing"
as_root=
if [ "$(id -u)" != 0 ]; then
    as_root=sudo
    if ! command -v sudo >/dev/null 2>&1; then
        echo "deps: neither root nor sudo; as root: apt-get install$missing" >&2
        exit 1
    fi
    if [ -z "$CI" ]; then
        if ! [ -t 0 ]; then
            echo "deps: no terminal to ask on; run: sudo apt-get install$missing" >&2
            exit 1
        fi
        printf 'Install them now with sudo apt-get install? [y/N] '
        read -r answer
        case $answer in
        [yYjJ]*) ;;
        *)
            echo "deps: not installed; run: sudo apt-get install$missing" >&2
            exit 1
            ;;
        esac
    fi
fi

# A fresh machine has no package lists yet. A failed update is only fatal if the install then is.
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update ||
    echo 'deps: apt-get update failed; trying with the lists that are there' >&2
# shellcheck disable=SC2086
if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
    $missing; then
    echo "deps: apt-get could not install:$missing" >&2
    exit 1
fi
