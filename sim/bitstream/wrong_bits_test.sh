#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# wrong_bits_test.sh BOARD: is a wrong bit of an iCE40's bitstream found by what it does? Two of it and six
# ULX3S of RTL, a 4x2 torus, are set up in all ways that can be drawn (stir.c), with traffic, bit errors
# and cables that are pulled; then two of it and two ULX3S, a 2x2 with both cables of each ring of two.
# FLIPS (100) bits of all, one at a time, are wrong through both runs (flips.c). LEAST (four in five) must be
# found; the others are listed. `make bitstream-test` with FLIPS, and `make soak`. ROUNDS (5, 6 in the 2x2):
# before cables are pulled, three times in the 4x2, once in the 2x2. SEED: of what is drawn; the same bits and
# rounds, but when a request comes hangs on the machine.
. tests/tap.sh
. tests/wait.sh
export FLIPS="${FLIPS:-100}"
. sim/bitstream/board.sh

stirred() { # ROUNDS SEED
    timeout 7200 "$STIR" "unix:$dir/fast.sock" "$@" > "$dir/out" 2>&1
    result $? "$1 rounds"
    sed 's/^/# /' "$dir/out"
}
programmed() { # ROUTING
    check 'discover' torus discover
    check "all boards, $dims" says "^$boards boards, a $dims torus$"
    check "program, $1" torus program --routing "$1"
}
moved() { [ "$(grep -c "$loose is $1" "$dir/log")" = "$2" ]; } # WHERE TIMES
turn() { # NUMBER ROUNDS SEED: a session's
    programmed ofr
    stirred "$2" "$3"
    check 'discovered again' torus discover
    check 'programmed again' torus program --routing ofr
    check 'counters' torus counters
    kill -USR1 "$sim"
    wait_for 60 moved out "$1"
    torus ping -c 10 # a while, with some of their cables out
    kill -USR1 "$sim"
    wait_for 60 moved in "$1"
    check 'the cables of board 0 are up again' up 'x+,x-,y+,y-' 300
    programmed abr
    check 'all answer' torus ping --all
}
ended() {
    check 'it ends well' stop
    sed 's/^/# /' "$dir/log"
}
check 'the bitstream is built' flow
[ $failed = 0 ] || finish

dims=4x2 boards=8 loose=6:3
numbered 1 2 3 4 5 6 7 8
check 'six ULX3S and two of it are built, for a 4x2' \
    built "$board" "$ulx3s $image $ulx3s $ulx3s $ulx3s $ulx3s $image $ulx3s" "$out/stirred"
in_torus stirred --host "0:14:$dir/fast.sock" --record "1:$out/stirred/first" --record "6:$out/stirred/last" \
    --errors 1000000 --loose 1:1 --loose 1:2 --loose 1:3 --loose 6:0 --loose 6:2 --loose 6:3
socket=fast.sock
check 'the cables of board 0 are up' up 'x+,x-,y+,y-' 300
for turn in 1 2 3; do
    turn $turn "${ROUNDS:-5}" $((3 * ${SEED:-1} + turn - 3))
done
ended

# 2x2, with the host at a ULX3S
dims=2x2 boards=4 loose=0:0
flashes=
numbered 1 2 3 4
check 'two ULX3S and two of it are built, for a 2x2' built "$board" "$image $ulx3s $ulx3s $image" "$out/desk"
in_torus desk --host "1:14:$dir/fast.sock" --record "0:$out/desk/first" --record "3:$out/desk/last" \
    --errors 1000000 --loose 0:0 --loose 0:2 --loose 3:1 --loose 3:3
check 'the cables of board 1 are up' up 'x+,x-,y+,y-' 300
turn 1 "${ROUNDS:-6}" $((100 + ${SEED:-1}))
ended

check "of $FLIPS bits that are wrong, at least ${LEAST:=$((FLIPS * 4 / 5))} are found" flips \
    "$out/stirred" --flash "$out/flash-00000000000000a2.bin" --session "$out/stirred/first" \
    --flash "$out/flash-00000000000000a7.bin" --session "$out/stirred/last" \
    --flash "$out/flash-00000000000000a1.bin" --session "$out/desk/first" \
    --flash "$out/flash-00000000000000a4.bin" --session "$out/desk/last" --count "$FLIPS" --least "$LEAST"
# With the part of the board whose cells most are of in the bit's tile.
"$BOARD_FACTS" tiles "$out" > "$dir/tiles"
awk 'NR == FNR { at = $1 " " $2; sub(/^[0-9]+ [0-9]+ /, ""); part[at] = $0; next }
    match($0, /tile [0-9]+ [0-9]+/) {
        at = substr($0, RSTART + 5, RLENGTH - 5)
        here = at in part ? part[at] : "only wires"
        print "#", $0 "; " here
        drawn[here]++
        found[here] += /^found/
        next
    }
    { print "#", $0 }
    END { for (here in drawn) print "# " here ": " found[here] " of " drawn[here] }' \
    "$dir/tiles" "$dir/out"
finish
