# SPDX-License-Identifier: Apache-2.0
# What there is to know of a board, for build.sh and boards.sh, which take it in with a dot. $BOARD_FACTS is the
# program constraints/board.c.
# shellcheck shell=sh disable=SC2034
count() { # PORT: how many of it
    grep -c "\"port\": \"$1[\"[]" "constraints/${pins_of:?}.json" || :
}
of_board() { # BOARD: as variables; ports: cables at its pins, wires: of each, one way
    facts=$("$BOARD_FACTS" facts "$1") || exit 2
    eval "$facts"
    : "${fpga:?}" "${package:?}" "${pins_of:?}" "${top:?}" "${serial:?}" "${files:?}" "${parameters?}" "${clock_mhz:?}"
    ports=$(count cable_tx_clk)
    wires=$((ports ? $(count cable_tx) / ports : 0))
    case " $parameters " in # those of z are not there
    *' N=2 '*) ports=4 ;;
    esac
}
