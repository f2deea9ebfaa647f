#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# boardsim --link reliable: golden, RTL and mixed tori over cables with bit errors do what they do
# over wires, no link falls, and RTL boards equal the golden model. Broken twin: no CRC. TAP.
. tests/boards.sh

# met: since start, frames were damaged, and no link fell.
met() {
    why=$(grep 'boardsim: links:' "$dir/log")
    grep -q 'links: .* [1-9][0-9]* damaged frames, .* 0 falls' "$dir/log"
}

# works NAME LOAD: a torus from discover to traffic
works() {
    check "$1: discover" torus discover --assign
    check "$1: program" torus program --routing ofr
    check "$1: every packet once and intact" torus run --pattern uniform --load "$2"
    check "$1: ping all" torus ping --all
    check "$1: no difference" stop
    check "$1: frames were damaged, no link fell" met
}

start --dims 4x4 --boards golden --link reliable --bit-errors 1e-4 --spread 20
works 'golden 4x4 at 1e-4' 0.3
start --dims 2x2 --link reliable --bit-errors 1e-4 --spread 8
works 'RTL 2x2 at 1e-4' 0.6
start --dims 2x2x2 --boards rggrgrrg --link reliable --bit-errors 1e-5 --bursts 1e-5
works 'mixed 2x2x2 at 1e-5 and with bursts' 0.3

# Without the CRC damaged flits reach the routers
sim_real=$B
B=$B/twin/crc
start --dims 4x4 --boards golden --link reliable --bit-errors 1e-4
B=$sim_real
twin() {
    torus --timeout 20 discover --assign && torus --timeout 20 program --routing ofr &&
        torus --timeout 20 run --pattern uniform --load 0.3 && torus --timeout 20 ping --all
    [ $? -ne 0 ]
}
check 'no CRC: caught' twin
kill "$sim" && wait "$sim"
sim=

for bad in '--link fast' '--bit-errors 1e-4' '--link reliable --bit-errors x' \
    '--link reliable --spread 31' '--link reliable --ppm 10' '--spread 3'; do
    # shellcheck disable=SC2086
    check "boardsim $bad: refused" status 2 boardsim $bad
    check "boardsim $bad: in one line" one_line
done
finish
