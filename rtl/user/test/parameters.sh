#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parameters of ofr_user that are not legal end elaboration; legal ones do not. TAP.
set -u
. tests/tap.sh
work=${B:-build}/rtl/user/parameters
top=ofr_user word=ofr_user_parameters_out_of_range
sources="$(echo rtl/user/*.v rtl/core/*.v) rtl/soc/ofr_ram.v rtl/soc/ofr_timer.v rtl/soc/test/picorv32.v"
. tests/elaborate.sh

for tool in $tools; do
    taken "$tool" W=64 ENDS=16 RAM_BYTES=131072 CONSOLE=1024 TIMER_BITS=33
    for bad in W=8 W=24 W=128 ENDS=0 ENDS=17 RAM_BYTES=512 RAM_BYTES=3000 RAM_BYTES=262144 CONSOLE=4 \
        CONSOLE=100 CONSOLE=2048 TIMER_BITS=32 TIMER_BITS=65; do
        refused "$tool" $bad
    done
done
finish
