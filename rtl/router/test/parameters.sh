#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parameters of the router that are not legal end elaboration; legal ones do not. TAP.
set -u
. tests/tap.sh
work=${B:-build}/parameters
top=ofr_router sources=$(echo rtl/router/*.v) word=ofr_router_parameters_out_of_range
. tests/elaborate.sh

for tool in $tools; do
    taken "$tool" N=3 W=64 L=4 C=5
    for bad in N=4 N=1 W=24 W=128 L=2048 L=12 'L=4 W=32' C=1 C=9; do
        # shellcheck disable=SC2086
        refused "$tool" $bad
    done
done
finish
