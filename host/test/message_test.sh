#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Messages and collectives: libtorus' calls (message_calls.c), by one process and by three at
# three boards, golden boards 2x2, and an RTL board among them. FULL=1: messages up to 1 MiB. Twins:
# a library that does not look whether members do the same; one that writes beyond the room for a message; one that
# leaves a barrier at once; one that does not tell the others what has gone wrong; one that does not
# wait for another host's turn. TAP.
. tests/boards.sh


start --dims 2x2 --boards golden --channels 8 --wait
check 'golden: programmed' torus program
large=4096 limit=1800
[ -z "${FULL:-}" ] || large=1048576
# A packet of these boards has 52 bytes.
check "golden: every length up to 4 packets, some up to $large" \
    calls "$B/host/message_calls" 210 $large
check 'golden: ended well' stop

for twin in room=messages same=others held=others abort=others turns=others; do
    start --dims 2x2 --boards golden --channels 8 --wait
    torus program
    check "twin: ${twin%=*}: found out" found "$B/twin/message_${twin%=*}/calls" 5 0 "${twin#*=}"
    stop
done

start --dims 2x2 --boards grgg --link reliable --channels 8
check 'mixed: programmed' torus program
check 'mixed: collectives' calls "$B/host/message_calls" 0 0 few
check 'mixed: RTL equals the golden model' stop
finish
