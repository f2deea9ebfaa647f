#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parameters of ofr_datagram that are not legal end elaboration; legal ones do not. TAP.
set -u
. tests/tap.sh
work=${B:-build}/datagram/parameters
top=ofr_datagram sources=$(echo rtl/datagram/*.v) word=ofr_datagram_parameters_out_of_range
. tests/elaborate.sh

for tool in $tools; do
    taken "$tool" N=3 W=64 L=256 ROOM=8
    for bad in N=4 N=1 W=24 W=128 L=512 L=4 L=12 'L=8 W=16' ROOM=1 ROOM=3 ROOM=16; do
        # shellcheck disable=SC2086
        refused "$tool" $bad
    done
done
finish
