#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parameters of the collective block that are not legal end elaboration; legal ones do not. TAP.
set -u
. tests/tap.sh
work=${B:-build}/rtl/collective/parameters
top=ofr_collective sources=$(echo rtl/collective/*.v)
word=ofr_collective_parameters_out_of_range
. tests/elaborate.sh

for tool in $tools; do
    taken "$tool" W=64 CHILDREN=3
    for bad in W=48 CHILDREN=0 CHILDREN=5; do
        refused "$tool" $bad
    done
done
finish
