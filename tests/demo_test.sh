#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make demo over USB: on a made-up machine, and in a real kernel where one can be had; a
# short form, two boards with one load and one routing. TAP. FULL=1: the whole demo, 4x4 (make soak).
. tests/boards.sh
. host/test/guest_machine.sh

if [ -z "${FULL:-}" ]; then
    export DIMS=2x1 LOADS=0.3 PATTERNS=uniform ROUTINGS=ofr LINK=plain
fi

demo() {
    timeout 1500 sh tests/demo.sh > "$dir/out" 2>&1
}

over() {
    began=$(date +%s)
    VIA=$1 demo
    status=$?
    echo "# $(($(date +%s) - began)) s: $(tail -n 1 "$dir/out")"
    return $status
}

export VIA=nowhere
check 'demo: an unknown VIA' status 2 demo
check 'demo: in one line' one_line
check 'demo: the whole demo over USB' over usb
check 'demo: to the same counters' says 'over usb all is as over the socket: [1-9]'
if [ -z "${FULL:-}" ]; then
    export VIA=usb DROP=0.1 RETRY=0.3
    check 'demo, twin: frames lost on the way, and sent again' status 1 demo
    check 'demo, twin: are found' says 'it DIFFERS'
    unset DROP RETRY
fi
missing=$(guest_missing)
if [ -n "$missing" ]; then
    skip 'a real kernel' "$missing: make guest gets it"
else
    check 'demo: the whole demo in a real kernel' over guest
    check 'demo: to the same counters, too' says 'over guest all is as over the socket: [1-9]'
fi

finish
