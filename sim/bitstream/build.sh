#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh BOARD BITSTREAM OUT [RTL]: decodes an iCE40 bitstream back to Verilog and makes OUT/bitsim
# of it (bitsim.c), with the board's RTL beside. RTL: the folder of an earlier build, whose RTL is
# taken. Of an ECP5 it is the netlist after place and route, which stands beside the bitstream as
# placed.json, with contents and modes from the bitstream (ecp5_netlist.c); the RTL's RAM gets
# firmware.hex from there. BITSTREAM may be several, with blanks between them: a torus of these, each
#     FILE                     of BOARD, or FILE@BOARD, of another one; RTL beside only if all are one
#     rtl:BOARD[:NAME=VALUE]   the RTL of that board, with its own parameters and another one; an
#                              ECP5's firmware is $FIRMWARE_HEX
#     golden:BOARD[:...]       the golden model of an ECP5 board (golden_chip.c), of one shape in a
#                              torus; $GOLDEN is the folder with libofr.a and libfw.a
# built once however often it is there. $BOARD_FACTS is the program constraints/board.c, $ECP5_NETLIST
# ecp5_netlist.c. Status not 0: the last line on stderr says which step failed; its output is in
# OUT/STEP.log.

set -e
board=$1 bitstreams=$2 out=$3 rtl=${4:-$3}
. sim/bitstream/facts.sh
of_board "$board"
port() { # PATTERN: the one port of the board's top that it matches
    sed -n "s/.*\"port\": \"\($1\)[\"\[].*/\1/p" "constraints/$pins_of.json" | sort -u
}
here=sim/bitstream
compiler=gcc cxx=${CXX:-g++} ccache=$(command -v ccache || :)
if command -v clang++-14 > /dev/null; then
    compiler=clang cxx=clang++-14
fi

step() { # NAME COMMAND...
    log=$1
    shift
    "$@" > "$out/$log.log" 2>&1 && return 0
    line=$(grep -E -i 'error' "$out/$log.log" | head -n 1)
    [ -n "$line" ] || line=$(tail -n 1 "$out/$log.log")
    echo "bitstream: $board: $log: $line" >&2
    exit 1
}

# library FOLDER PREFIX TOP OPTIONS...: TOP as Verilator's PREFIX, in OUT/FOLDER.
inc=$(verilator --getenv VERILATOR_ROOT)/include
library() {
    folder=$1 prefix=$2 module=$3
    shift 3
    step "$folder" verilator --cc --build --compiler $compiler -O3 --language 1800-2017 --noassert -Wno-fatal \
        --x-assign fast -Irtl/regs -Irtl/link -Irtl/link/phy --prefix "$prefix" --top-module "$module" \
        --Mdir "$out/$folder" -CFLAGS -std=gnu++17 -MAKEFLAGS "CXX=$cxx OPT_FAST=-O2 OPT_SLOW=-O0 OBJCACHE=$ccache" "$@"
}

# verilated PREFIX NAME TOP OPTIONS...: a chip's library and what wraps it, in OUT/PREFIX.
verilated() {
    prefix=$1 name=$2 module=$3 led=$(port 'led[_n]*') lit=1
    shift 3
    [ "$led" = led ] || lit=0
    library "$prefix" "$prefix" "$module" "$@"
    step "$prefix-shim" $cxx -O2 -std=gnu++17 -I$here -Itests/lib -I"$out/$prefix" -isystem "$inc" \
        -isystem "$inc/vltstd" -DTOP="$prefix" -DHEADER="\"$prefix.h\"" -DOPS="chip_$prefix" \
        -DNAME="\"$name\"" -DPORTS="$ports" -DWIRES="$wires" "-DCLOCK=$(port 'clk[0-9]*')" "-DLED=$led" \
        -DLEDS="$(count "$led")" -DLIT="$lit" -DFLASH="$flash" ${root:+"-DROOT=\"$root\"" "-DSERIAL=$at"} \
        -c -o "$out/$prefix/chip.o" $here/chip.cpp
}

# The Verilated chip $this of $file.
decoded() {
    case $fpga in
    ice40-*)
        flash=1
        step unpack iceunpack "$file" "$out/unpacked.asc"
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
        verilated "$this" bits decoded --x-initial 0 -DNO_ICE40_DEFAULT_ASSIGNMENTS \
            $models "$cells" "$out/decoded.v"
        ;;
    ecp5-*)
        flash=0
        made=$(dirname "$file")
        tools=$(sh tests/ecp5_tools.sh) || exit 1
        eval "$tools"
        : "${ecpunpack:?}"
        # Its tools see the folder they run in, and no other.
        cp "$file" "$out/image.bin"
        step unpack sh -c 'cd "$1" && "$2" --input image.bin --textcfg unpacked.config' - "$out" "$ecpunpack"
        step decode sh -c '"$1" "$2/placed.json" "$3/unpacked.config" > "$3/decoded.v"' - \
            "${ECP5_NETLIST:?}" "$made" "$out"
        models="rtl/top/test/EHXPLLL.v rtl/top/test/LUT4.v" init="-GINIT=\"$made/firmware.hex\""
        verilated "$this" bits netlist --x-initial 0 rtl/top/test/EHXPLLL.v rtl/top/test/DP16KD.v \
            rtl/top/test/MULT18X18D.v "$out/decoded.v"
        ;;
    *)
        echo "bitstream: $board: nothing decodes $fpga" >&2
        exit 2
        ;;
    esac
}

# The RTL of a board as the Verilated chip $this, whose serial number is not in it but is set when it runs.
from_rtl() { # BOARD[:NAME=VALUE]
    of_board "${1%%:*}"
    case $1 in
    *:*) parameters="$parameters ${1#*:}" ;;
    esac
    # Nothing drives the serial number but chip.cpp then, in a copy of the file that has it.
    case $fpga in
    ice40-*)
        flash=1 own=rtl/top/$top.v in=$top at=${top}__DOT__number models=rtl/top/test/SB_PLL40_CORE.v firmware=
        from='\.serial(SERIAL)' to='.serial(number)'
        declared='s/^    logic \[24:0\] count_q/    logic [63:0] number;\n&/'
        ;;
    *)
        flash=0 own=rtl/top/ecp5_board.v in=ecp5_board at=${top}__DOT__chip__DOT__serial
        models="rtl/top/test/EHXPLLL.v rtl/top/test/LUT4.v" firmware="-GINIT=\"${FIRMWARE_HEX:?}\""
        from='\.Z(serial\[i\])' to='.Z()' declared=
        ;;
    esac
    root=${this}___024root.h
    printf '`verilator_config\npublic_flat_rw -module "%s" -var "%s"\n' "$in" "${at##*__DOT__}" > "$out/serial.vlt"
    sed "s/$from/$to/; $declared" "$own" > "$out/${own##*/}"
    step serial grep -q -F -e "$to" "$out/${own##*/}"
    files=$(echo "$files" | sed "s|$own|$out/${own##*/}|")
    # shellcheck disable=SC2046,SC2086
    verilated "$this" "${1%%:*}" "$top" --x-initial unique $(echo "$parameters" | sed 's/[A-Z_]*=/-G&/g') \
        $firmware $files $models "$out/serial.vlt"
    root=
}

# A parameter of a board's top: as the board has it, else as the top does.
value() { # NAME
    echo "$parameters" | tr ' ' '\n' | sed -n "s/^$1=//p" | tail -n 1 | grep . ||
        cat "rtl/top/$top.v" rtl/top/ecp5_board.v | grep -oE "\.$1\([0-9]+\)|parameter int +$1 += +[0-9_]+" |
        sed 's/.*[(=] *//; s/[_)]//g' | head -n 1
}

# The golden model of a board as the chip $this, and below its links the RTL of their physical layers.
from_model() { # BOARD[:NAME=VALUE]
    of_board "${1%%:*}"
    case $1 in
    *:*) parameters="$parameters ${1#*:}" ;;
    esac
    if [ -n "$model" ]; then
        echo "bitstream: golden:$1: a torus has golden boards of one kind" >&2
        exit 2
    fi
    case $fpga in
    ice40-*)
        echo "bitstream: golden:$1: cables that nothing trains have no golden model; ulx3s-85f-small has its router" >&2
        exit 2
        ;;
    esac
    shape='' parts=''
    for name in N W L C TICK WIRES; do
        shape="$shape -DSHAPE_$name=$(value $name)" parts="$parts -G$name=$(value $name)"
    done
    number=$(value LINK_SERIAL)
    shape="$shape -DSHAPE_SERIAL=$number -DSHAPE_SHARED=0 -DSHAPE_CRC=16 -DSHAPE_CELLS=0 -DSHAPE_TAPS=1 -DSHAPE_HALF=1"
    hz=$((clock_mhz * 1000000)) baud=$(value BAUD)
    includes="-Isim/cosim -Isim/model -Ifirmware -Itests/lib -I$here"
    # shellcheck disable=SC2086
    library "$this" Vofr_link_cabled ofr_link_cabled --x-initial unique $parts "-GSERIAL=$number" \
        rtl/link/*.v rtl/link/phy/*.v rtl/router/ofr_buffer.v
    # shellcheck disable=SC2086
    step "$this-shim" $cxx -O2 -std=gnu++17 $includes "-I$out/$this" -isystem "$inc" -isystem "$inc/vltstd" $shape \
        -DSHAPE_MIXED=0 -c -o "$out/$this/phy_rtl.o" sim/cosim/phy_rtl.cpp
    # shellcheck disable=SC2086
    step "$this-shim" "${CC:-gcc}" -O2 -std=c11 -Wall -Wextra -Werror $includes $shape "-DOPS=chip_$this" \
        "-DNAME=\"golden:${1%%:*}\"" "-DPORTS=$ports" "-DWIRES=$wires" "-DCLOCK_HZ=$hz" \
        "-DDIVISOR=$(((hz + baud / 2) / baud))" "-DTUNE=$(value TUNE)" -c -o "$out/$this/golden_chip.o" $here/golden_chip.c
    for part in golden_soc link_report; do
        step $part "${CC:-gcc}" -O2 -std=c11 -Wall -Wextra -Werror $includes -c -o "$out/$this/$part.o" sim/cosim/$part.c
    done
    ld -r -o "$out/$this/chip.o" "$out/$this/phy_rtl.o" "$out/$this/golden_chip.o" "$out/$this/golden_soc.o" \
        "$out/$this/link_report.o"
    cp "$out/$this/Vofr_link_cabled__ALL.a" "$out/$this/${this}__ALL.a"
    model="$GOLDEN/libfw.a $GOLDEN/libofr.a"
}

mkdir -p "$out"
rm -rf "$out"/bits* "$out/bitsim"
bits='' root='' known=' ' model=
for bitstream in $bitstreams; do
    this=bits$(($(echo "$bits" | wc -w) + 1))
    case $known in
    *" $bitstream="*) this=${known##*" $bitstream="} this=${this%% *} ;;
    *)
        case $bitstream in
        rtl:*) from_rtl "${bitstream#rtl:}" ;;
        golden:*) from_model "${bitstream#golden:}" ;;
        *)
            of_board "$board"
            file=${bitstream%@*}
            [ "$file" = "$bitstream" ] || of_board "${bitstream##*@}"
            decoded
            ;;
        esac
        known="$known$bitstream=$this "
        ;;
    esac
    bits="$bits $this"
done
of= beside=
for one in $bits; do
    of="$of X($one)"
    case "$beside " in
    *" $out/$one/chip.o "*) ;;
    *) beside="$beside $out/$one/chip.o $out/${one}/${one}__ALL.a" ;;
    esac
done
is_rtl=
case $known in
*rtl:* | *golden:* | *=bits2*) ;;
*)
    is_rtl='X(rtl)' beside="$beside $rtl/rtl/chip.o $rtl/rtl/rtl__ALL.a"
    # What has no reset may start with anything, but in a torus with what the chip does: where words of
    # a cable begin hangs on it. $CABLED: one whose cables lead to itself.
    unset=unique
    { [ "$bits" = ' bits1' ] && [ -z "$CABLED" ]; } || unset=0
    # shellcheck disable=SC2086
    [ "$rtl" != "$out" ] || verilated rtl rtl "$top" --x-initial $unset \
        "-GSERIAL=64'h$serial" $(echo "$parameters" | sed 's/[A-Z_]*=/-G&/g') ${init:+"$init"} $files $models
    ;;
esac

step bitsim-c "${CC:-gcc}" -O2 -std=c11 -Wall -Wextra -Werror "-DBITS=$of" "-DRTL=$is_rtl" -Isim/cosim \
    -I$here -c -o "$out/bitsim.o" $here/bitsim.c
for part in spi_flash unix_listen; do
    step $part "${CC:-gcc}" -O2 -std=c11 -Wall -Wextra -Werror -Isim/cosim -c -o "$out/$part.o" sim/cosim/$part.c
done
for part in verilated verilated_threads; do
    step $part $cxx -O2 -std=gnu++17 -isystem "$inc" -isystem "$inc/vltstd" -c \
        -o "$out/$part.o" "$inc/$part.cpp"
done
# shellcheck disable=SC2086
step link $cxx -o "$out/bitsim" "$out/bitsim.o" "$out/spi_flash.o" "$out/unix_listen.o" $beside $model \
    "$out/verilated.o" "$out/verilated_threads.o" -lpthread -latomic
