#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Small boards, as an iCE40 HX8K has room for: 16-bit flits, no generator or checker, the firmware
# runs from SPI flash with 2 KiB of RAM. The RTL boots, is discovered, programmed and read out.
. tests/boards.sh

retry=5 # seconds: they take so long, and each repeat costs them as much again
start --dims 2x1 --boards small
check 'small 2x1: discover' torus discover
check 'small 2x1: found as a torus of 2 boards' says '2 boards, a 2x1 torus'
check 'small 2x1: program' torus program --routing ofr
check 'small 2x1: ping all' torus ping --all
check 'small 2x1: counters' torus counters
check 'small 2x1: run says what is missing' status 2 torus run --pattern uniform
check 'small 2x1: in one line' one_line
check 'small 2x1: which is the generator' says 'built without a traffic generator'
check 'small 2x1: ends well' stop
cp "$dir/log" "$dir/out"
check 'small 2x1: every counter equals the golden model' says 'all 2 boards equals the golden'
check 'small 2x1: nothing differs' status 1 grep -q 'DIFFER\|differs\|trap' "$dir/log"

check 'boardsim: small boards beside others' status 2 boardsim --dims 2x1 --boards sr
check 'boardsim: in one line' one_line
check 'boardsim: says why' says 'no cable joins them'
check 'boardsim: small boards in 3D' status 2 boardsim --dims 2x2x1 --boards small
check 'boardsim: in one line' one_line

finish
