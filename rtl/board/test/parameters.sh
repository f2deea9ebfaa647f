#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parameters of a board's parts that are not legal end elaboration, each in the part that uses it; legal
# ones do not. The router's, the SoC's and the layers' of a link have tests of their own. TAP.
set -u
. tests/tap.sh
work=${B:-build}/rtl/board/parameters
. tests/elaborate.sh

# part MODULE LEGAL ILLEGAL...: words of PARAM=VALUE, more than one separated by spaces
part()
{
    top=$1 word=$1_parameters_out_of_range legal=$2
    shift 2
    for tool in $tools; do
        # shellcheck disable=SC2086
        taken "$tool" $legal
        for bad; do
            # shellcheck disable=SC2086
            refused "$tool" $bad
        done
    done
}

link=$(echo rtl/link/*.v rtl/link/phy/*.v rtl/router/ofr_buffer.v)
sources="rtl/board/ofr_links.v $link"
part ofr_links 'LINK=2 TUNE=30 TIME=1' LINK=3 'LINK=0 TIME=1' 'LINK=2 TUNE=5' 'LINK=2 TUNE=31'
sources=$link
part ofr_link_phy 'CELLS=1 WIRES=16 TAPS=32 HALF=64' CELLS=4 'CELLS=1 WIRES=17' TAPS=2 \
    'CELLS=1 TAPS=33' 'CELLS=1 TAPS=0' 'CELLS=3 TAPS=2' 'CELLS=1 HALF=0' 'CELLS=1 HALF=65' \
    'CELLS=1 SHARED=1 W=16 WIRES=8'
part ofr_link 'SHARED=1 SERIAL=0 TIME=1' SHARED=2 SERIAL=5 TIME=2 TICK=7 L=12
sources=$(echo rtl/ofr/*.v)
part ofr_unit 'MUL=0 N=2' MUL=2 N=4 C=9
users=$(echo rtl/channel/*.v rtl/datagram/*.v rtl/collective/*.v)
sources=$(echo rtl/local/*.v "$users" rtl/router/ofr_buffer.v)
part ofr_local 'GEN=0 CHECK=0 PINS=0 DATAGRAMS=2 CHANNELS=2 COLLECTIVES=1' GEN=2 CHECK=2 PINS=2 \
    'CHANNELS=8 COLLECTIVES=5' 'CHANNELS=3 COLLECTIVES=3' COLLECTIVES=1
sources=$(echo rtl/channel/*.v)
part ofr_channels 'ENDS=4 PAIRS=4' 'ENDS=4 PAIRS=5'
sources=$(echo rtl/board/*.v rtl/local/*.v "$users" rtl/router/*.v rtl/ofr/*.v rtl/link/*.v)
sources="$sources $(echo rtl/user/*.v rtl/core/ofr_core.v rtl/core/rv32i.v) rtl/soc/ofr_ram.v rtl/soc/ofr_timer.v"
part ofr_node 'COUNT=0 MUL=0 LINKS=1 CHANNELS=3 USER=3' COUNT=2 LINKS=2 'LINKS=0 PHY=1' \
    'CHANNELS=2 USER=3' USER=1
finish
