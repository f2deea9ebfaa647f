#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Small boards, as an iCE40 HX8K has room for: 16-bit flits, no generator or checker, the firmware
# runs from SPI flash with 2 KiB of RAM. The RTL boots, is discovered, programmed and read out.
. tests/boards.sh

retry=5 # seconds: they take so long, and each repeat costs them as much again
start --dims 2x1 --boards small
check 'small 2x1: discover' torus discover
check 'small 2x1: found as a torus of 2 boards' says '2 boards, a 2x1 torus'
check 'small 2x1: with the serial numbers in their flashes, not that of the hardware, one for all' \
    [ "$(grep -c 0000000000000001 "$dir/out")" = 0 ]
check 'small 2x1: program' torus program --routing ofr
check 'small 2x1: ping all' torus ping --all
check 'small 2x1: counters, JSON' torus counters --format json
check 'small 2x1: what they do not count is null, all else a number' json '[
    {n for n, v in b["counters"].items() if v is None} for b in d["boards"]] == 2 * [{
    n for n in d["boards"][0]["counters"] if "stall" in n or "packets" in n or "high" in n or
    "local" in n or n[2:5] == ".vs" or n in ("refused", "hops")}]'
cp "$dir/out" "$dir/before.json"
check 'small 2x1: counters, CSV' torus counters --format csv
check 'small 2x1: nothing there' says '"0,0",x+.adaptive.stall_credit,$'
check 'small 2x1: a number there' says '"0,0",x+.adaptive.flits,[0-9]'
check 'small 2x1: counters, all' torus counters --all
check 'small 2x1: in text' says '(0,0) *x+.adaptive.stall_credit *-$'
check 'small 2x1: the difference' sh -c \
    "$B/bin/torusctl diff --all '$dir/before.json' '$dir/before.json' > '$dir/out'"
check 'small 2x1: none of what is not counted' says 'refused *-  *-  *-  *-'
echo '{"links": [{"counter": "vs1.stall_credit", "above": 0, "per": "total"}]}' > "$dir/rules"
check 'small 2x1: no rule on what is not counted' status 1 \
    sh -c "$B/bin/torusctl diff --thresholds '$dir/rules' '$dir/before.json' '$dir/before.json' \
        > /dev/null 2> '$dir/out'"
check 'small 2x1: says so' says 'judged by vs1.stall_credit: these boards do not count it$'
check 'small 2x1: NODE.TIME_ADD is written' torus reg NODE.TIME_ADD=5 --at 1,0
check 'small 2x1: and read' torus --format json reg NODE.TIME_ADD --at 1,0
check 'small 2x1: 0, for want of all that NODE.TIME is set for' says '"value": 0[,}]'
check 'small 2x1: NODE.RING_WAIT' torus --format json reg NODE.RING_WAIT
check 'small 2x1: for cables of two wires' says '"value": 11[,}]'
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
