#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh BOARD BITSTREAM OUT [RTL]: decodes an iCE40 bitstream back to Verilog and makes OUT/bitsim
# of it (bitsim.c), with the board's RTL beside. RTL: the folder of an earlier build, whose RTL is
# taken. Of an ECP5 it is the netlist after place and route, which stands beside the bitstream as
# placed.json, with contents and modes from the bitstream (ecp5_netlist.c); the RTL's RAM gets
# firmware.hex from there. $BOARD_FACTS is the program constraints/board.c, $ECP5_NETLIST
# ecp5_netlist.c. Status not 0: the last line on stderr says which step failed; its output is in
# OUT/STEP.log.

set -e
board=$1 bitstream=$2 out=$3 rtl=${4:-$3}
facts=$("$BOARD_FACTS" facts "$board") || exit 2
eval "$facts"
: "${fpga:?}" "${package:?}" "${pins_of:?}" "${top:?}" "${serial:?}" "${files:?}"
port() { # PATTERN: the one port of the board's top that it matches
    sed -n "s/.*\"port\": \"\($1\)[\"\[].*/\1/p" "constraints/$pins_of.json" | sort -u
}
here=sim/bitstream
compiler=gcc cxx=${CXX:-g++} ccache=$(command -v ccache || :)
if command -v clang++-14 > /dev/null; then
    compiler=clang cxx=clang++-14
fi

step() { # NAME COMMAND...
    name=$1
    shift
    "$@" > "$out/$name.log" 2>&1 && return 0
    line=$(grep -E -i 'error' "$out/$name.log" | head -n 1)
    [ -n "$line" ] || line=$(tail -n 1 "$out/$name.log")
    echo "bitstream: $board: $name: $line" >&2
    exit 1
}

# verilated PREFIX TOP OPTIONS...: PREFIX's library and what wraps it, in OUT/PREFIX.
verilated() {
    prefix=$1 module=$2
    shift 2
    step "$prefix" verilator --cc --build --compiler $compiler -O3 --language 1800-2017 --noassert \
        -Wno-fatal -Irtl/regs -Irtl/link --prefix "$prefix" --top-module "$module" --Mdir "$out/$prefix" \
        -CFLAGS -std=gnu++17 -MAKEFLAGS "CXX=$cxx OPT_FAST=-O2 OPT_SLOW=-O0 OBJCACHE=$ccache" "$@"
    inc=$(verilator --getenv VERILATOR_ROOT)/include
    step "$prefix-shim" $cxx -O2 -std=gnu++17 -I$here -Itests/lib -I"$out/$prefix" -isystem "$inc" \
        -isystem "$inc/vltstd" -DTOP="$prefix" -DHEADER="\"$prefix.h\"" -DOPS="chip_$prefix" \
        -DNAME="\"$prefix\"" "-DCLOCK=$(port 'clk[0-9]*')" "-DLED=$(port 'led[_n]*')" -DFLASH="$flash" \
        -c -o "$out/$prefix/chip.o" $here/chip.cpp
}

mkdir -p "$out"
rm -rf "$out/bits" "$out/bitsim"
case $fpga in
ice40-*)
    flash=1
    step unpack iceunpack "$bitstream" "$out/unpacked.asc"
    # The ports' directions go out of the module's head: the decoder declares its ports a second time,
    # as wire or reg.
    step decode sh -c 'icebox_vlog -s -c -d "$1" -p "$2" -n decoded "$3" > "$4/raw.v"' - \
        "$package" "constraints/$pins_of.pcf" "$out/unpacked.asc" "$out"
    awk '/^module/ {
            split($0, head, /[()]/)
            count = split(head[2], port, /, */)
            names = ""
            for (i = 1; i <= count; i++) {
                name = port[i]
                sub(/^(input|output) (\[[0-9:]*\] )?/, "", name)
                names = names (i > 1 ? ", " : "") name
            }
            print head[1] "(" names ");"
            for (i = 1; i <= count; i++)
                print port[i] ";"
            next
        }
        { print }' "$out/raw.v" > "$out/decoded.v"
    models=rtl/top/test/SB_PLL40_CORE.v init=
    cells=$(dirname "$(command -v yosys)")/../share/yosys/ice40/cells_sim.v
    verilated bits decoded --x-assign fast --x-initial 0 -DNO_ICE40_DEFAULT_ASSIGNMENTS \
        $models "$cells" "$out/decoded.v"
    ;;
ecp5-*)
    flash=0
    made=$(dirname "$bitstream")
    tools=$(sh tests/ecp5_tools.sh) || exit 1
    eval "$tools"
    : "${ecpunpack:?}"
    # Its tools see the folder they run in, and no other.
    cp "$bitstream" "$out/image.bin"
    step unpack sh -c 'cd "$1" && "$2" --input image.bin --textcfg unpacked.config' - "$out" "$ecpunpack"
    step decode sh -c '"$1" "$2/placed.json" "$3/unpacked.config" > "$3/decoded.v"' - \
        "${ECP5_NETLIST:?}" "$made" "$out"
    models="rtl/top/test/EHXPLLL.v rtl/top/test/LUT4.v" init="-GINIT=\"$made/firmware.hex\""
    verilated bits netlist --x-assign fast --x-initial 0 rtl/top/test/EHXPLLL.v rtl/top/test/DP16KD.v \
        rtl/top/test/MULT18X18D.v "$out/decoded.v"
    ;;
*)
    echo "bitstream: $board: nothing decodes $fpga" >&2
    exit 2
    ;;
esac
# shellcheck disable=SC2086
[ "$rtl" != "$out" ] || verilated rtl "$top" --x-assign fast --x-initial unique \
    "-GSERIAL=64'h$serial" ${init:+"$init"} $files $models

step bitsim-c "${CC:-gcc}" -O2 -std=c11 -Wall -Wextra -Werror -Isim/cosim -I$here -c \
    -o "$out/bitsim.o" $here/bitsim.c
step flash-c "${CC:-gcc}" -O2 -std=c11 -Wall -Wextra -Werror -Isim/cosim -c \
    -o "$out/spi_flash.o" sim/cosim/spi_flash.c
[ "$rtl" != "$out" ] || for part in verilated verilated_threads; do
    step $part $cxx -O2 -std=gnu++17 -isystem "$inc" -isystem "$inc/vltstd" -c \
        -o "$out/rtl/$part.o" "$inc/$part.cpp"
done
step link $cxx -o "$out/bitsim" "$out/bitsim.o" "$out/spi_flash.o" "$out/bits/chip.o" \
    "$rtl/rtl/chip.o" "$out/bits/bits__ALL.a" "$rtl/rtl/rtl__ALL.a" "$rtl/rtl/verilated.o" \
    "$rtl/rtl/verilated_threads.o" -lpthread -latomic
