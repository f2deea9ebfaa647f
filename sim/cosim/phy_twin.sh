#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# phy_twin.sh STEM FILE...: the Verilog files to build build/phy/STEM from. With STEM SHAPE.TWIN, copies
# of which a protection is taken out, in build/phy/STEM/rtl. For phy.mk.
set -eu
stem=$1 rtl=${B:-build}/phy/$1/rtl
shift
case $stem in
*.*) ;;
*) echo "$@"; exit ;;
esac
mkdir -p "$rtl"
cp "$@" "$rtl"
broken() { # FILE SED
    sed "$2" "$rtl/$1" > "$rtl/new"
    ! cmp -s "$rtl/new" "$rtl/$1" || { echo "$stem: nothing to break in $1: $2" >&2; exit 1; }
    mv "$rtl/new" "$rtl/$1"
}
case ${stem#*.} in
align) # words begin anywhere
    broken ofr_link_phy_rx.v "s/if (seeks || lockeds) begin/if (1'b1) begin/" ;;
skew) # all wires are delayed by the same
    broken ofr_link_phy_rx.v 's/seen\[~place_q\[4\*g+1 +: 3\]\]/seen[4]/' ;;
track) # the sampling point stays where the first training found it
    broken ofr_link_phy_rx.v "s/(later_q\[w\] ? to_earlier/(1'b0 \&\& later_q[w] ? to_earlier/" ;;
retrain) # once up, it stays so
    broken ofr_link_phy.v 's/if (rst || stopped || retrain || /if (rst || /'
    broken ofr_link_phy_rx.v "s/ended_q <= 1'b1/ended_q <= 1'b0/" ;;
slip) # double data rate: a beat may begin with either bit
    broken ofr_link_phy_rx.v "s/if (DDR != 0 \&\& control \&\& miss_q/if (1'b0 \&\& control \&\& miss_q/" ;;
eye) # the first delay that is good, not the middle of the row
    broken ofr_link_phy_eye.v 's/tap_q   <= best;/tap_q   <= first;/' ;;
slide) # of four ends: words slip as they are found
    broken ofr_link_four.v 's/ && !(seeks || lockeds);/;/' ;;
overrun) # words are read more slowly than they come, and written over those that wait
    broken ofr_link_phy.v 's/assign rready   = SHARED == 0 || !just_q;/assign rready   = !just_q;/'
    broken ofr_link_fifo.v 's/assign writes  = wvalid \&\& !full;/assign writes  = wvalid;/' ;;
*)
    echo "phy_twin.sh: no twin ${stem#*.}" >&2
    exit 2
    ;;
esac
ls "$rtl"/*.v
