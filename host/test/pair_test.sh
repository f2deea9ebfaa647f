#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libtorus' calls each behind each (pair_calls.c) on 2x2 boards, and messages of all sizes on 4x4
# (size_calls.c), golden boards. FULL=1: all pairs, on RTL boards too some; all sizes to 1 MiB. Twins: a library
# that leaves what has come at an aborted end; one that counts what a broken stream took; one that
# closes a group and not its streams; one that ends a group in hardware and not its streams; one that
# leaves a scatter of which messages are missing without its end. TAP.
. tests/boards.sh

seed=${SEED:-$(($(date +%s) % 1000000000))}
export SEED=$seed
echo "# seed $seed; again: SEED=$seed $0"
pairs=12 each=20 largest=256 limit=3000
[ -z "${FULL:-}" ] || pairs=0 each=210 largest=1048576 limit=20000 # sizes to 1 MiB: some two hours

start --dims 2x2 --boards golden --channels 8 --wait
check 'pairs: programmed' torus program
check "pairs: $pairs of them (0: all)" calls "$B/host/pair_calls" $pairs
check 'pairs: ended well' stop
start --dims 4x4 --boards golden --channels 8 --wait
check 'sizes: programmed' torus program
check "sizes: every length to $each, some to $largest" calls "$B/host/size_calls" $each $largest
check 'sizes: ended well' stop
if [ -n "${FULL:-}" ]; then
    start --dims 2x2 --boards grgg --link reliable --channels 8
    check 'pairs, RTL: programmed' torus program
    check 'pairs, RTL: some' calls "$B/host/pair_calls" 20
    check 'pairs, RTL: RTL equals the golden model' stop
fi
for twin in left=send/abort counts=abort/messages group=barrier/group-close tree=tree-barrier/tree-close \
    more=tree-break/tree-scatter; do
    pair=${twin#*=}
    start --dims 2x2 --boards golden --channels 8 --wait
    torus program
    check "twin: ${twin%=*}: found out" found "$B/twin/pair_${twin%=*}/calls" "${pair%/*}" "${pair#*/}"
    stop
done
finish
