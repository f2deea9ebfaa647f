#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# boardsim's reliable links: golden, RTL and mixed tori over cables with bit errors do what they do
# over wires, no link falls, and RTL boards equal the golden model; so do boards with clocks of their
# own. Broken twins: no CRC; a physical layer that lets no receiver catch up. TAP.
. tests/boards.sh

# met: since start, frames were damaged, and no link fell.
met() {
    why=$(grep 'boardsim: links:' "$dir/log")
    grep -q 'links: .* [1-9][0-9]* damaged frames, .* 0 falls' "$dir/log"
}

# in_the_end COMMAND...: while a plug is out boards may not answer, or packets be missing.
in_the_end() {
    for _ in 1 2 3 4 5 6 7 8; do
        torus --timeout 20 "$@" && return 0
    done
    return 1
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

# One plug after the other is out for a while: routers whose links fall and come back equal the golden
# model, and when that is over the torus works as before
pulls= from=20000
for port in 0.x+ 1.y+ 2.x+ 0.y+ 0.x+ 1.y+ 2.x+ 0.y+; do
    pulls="$pulls --pull $port@$from-$((from + 3000))"
    from=$((from + 30000))
done
# shellcheck disable=SC2086
start --dims 2x2 --link reliable $pulls
check 'RTL 2x2, plugs pulled: discover' in_the_end discover --assign
check 'RTL 2x2, plugs pulled: program' in_the_end program --routing ofr
check 'RTL 2x2, plugs pulled: every packet once and intact' in_the_end run --pattern uniform --load 0.6
check 'RTL 2x2, plugs pulled: no difference' stop
fell() {
    why=$(grep 'boardsim: links:' "$dir/log")
    grep -q 'links: .* [1-9][0-9]* falls' "$dir/log"
}
check 'RTL 2x2, plugs pulled: links fell' fell

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

# Clocks of their own: the farthest apart that the links' physical layer makes up for
own_clocks='--boards rrgr --dims 2x2 --link reliable --ppm 3000 --bit-errors 1e-4'
# shellcheck disable=SC2086
start $own_clocks
check 'clocks of their own: discover' torus discover --assign
check 'clocks of their own: ping all' torus ping --all
check 'clocks of their own: no difference' stop
check 'clocks of their own: frames were damaged, no link fell' met
overflows() {
    B=$B/twin/block
    mkdir -p "$B/firmware" && cp "$sim_real/firmware/fw.hex" "$B/firmware/" # for RTL boards
    # shellcheck disable=SC2086
    status 2 boardsim --threads 1 --sockets "$dir" --cycles 100000 $own_clocks
    fell=$?
    B=$sim_real
    [ $fell = 0 ] && says 'the FIFO of the link at port .* overflows'
}
check 'words without pause: the FIFO overflows' overflows

for bad in '--link fast' '--link plain --bit-errors 1e-4' '--link reliable --bit-errors x' \
    '--link reliable --pull 0.x+' '--link reliable --pull 0.x+@9-9' '--link plain --pull 0.x+@1-2' \
    '--link reliable --spread 31' '--ppm 3001' '--link plain --spread 3'; do
    # shellcheck disable=SC2086
    check "boardsim $bad: refused" status 2 boardsim $bad
    check "boardsim $bad: in one line" one_line
done
finish
