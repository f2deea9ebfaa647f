#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Sees to it that the Debian packages that Outflank is built and tested with are there: installs
# what is missing, after asking, unless it is root or CI (environment variable CI). Exit status 0:
# all is there; 1: something is missing and stays so.

packages='make gcc g++ libc6-dev binutils pkg-config git ca-certificates
    verilator ccache yosys iverilog nextpnr-ice40 fpga-icestorm fpga-icestorm-chipdb
    gcc-riscv64-unknown-elf qemu-system-misc
    libjansson-dev gnuplot-nox graphviz libncurses-dev groff-base dpkg-dev libcmocka-dev libgmp-dev
    libftdi1-dev libusb-1.0-0-dev libumockdev-dev umockdev libopenmpi-dev openmpi-bin
    clang-format clang-tidy clang-14 libclang-rt-14-dev python3 python3-venv'

# What another distribution must bring, by its own means.
commands='gcc g++ verilator ccache yosys iverilog nextpnr-ice40 icepack riscv64-unknown-elf-gcc
    qemu-system-riscv32 gnuplot clang++-14 clang-format clang-tidy pkg-config python3'

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
