#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parameters of the SoC that are not legal end elaboration; legal ones do not. TAP.
set -u
. tests/tap.sh
work=${B:-build}/rtl/soc/parameters
top=ofr_soc sources=$(echo rtl/soc/*.v rtl/core/*.v rtl/soc/test/picorv32.v)
word=ofr_soc_parameters_out_of_range
. tests/elaborate.sh

for tool in $tools; do
    taken "$tool" FLASH=1 RAM_BYTES=64 UART_DIVISOR=4 RX_DEPTH=4 TIMER_BITS=33
    taken "$tool" CORE=1 RAM_BYTES=100 UART_DIVISOR=65535 RX_DEPTH=512
    for bad in CORE=2 FLASH=2 RAM_BYTES=60 RAM_BYTES=102 UART_DIVISOR=3 UART_DIVISOR=65536 RX_DEPTH=2 \
        RX_DEPTH=100 RX_DEPTH=1024 TIMER_BITS=32 TIMER_BITS=65 \
        FLASH_OFFSET=6 FLASH_OFFSET=16777216 FLASH_WAKE_CYCLES=512 CLOCK_HZ=0; do
        refused "$tool" $bad
    done
done
finish
