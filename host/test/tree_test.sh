#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Collectives in hardware: libtorus' calls (tree_calls.c) and torusctl collective, on golden boards,
# also around a dead cable. Twins: a library that does not look at a verdict; one that takes boards of
# another group; one that reduces by another operation; one that scatters and gathers in the order of the
# list; one that ends a scatter with the first part. TAP.
. tests/boards.sh
limit=600

equal() { # MEMBERS ARGUMENTS...
    members=$1
    shift
    torus collective --format csv "$@" &&
        awk -F, -v m="$members" 'NR == 2 { exit !($1 == m && $NF == "equal") }' "$dir/out"
}
refused() { # WORDS ARGUMENTS...: one line, status 2
    words=$1
    shift
    torus collective "$@"
    [ $got = 2 ] && [ "$(wc -l < "$dir/out")" = 1 ] && grep -q "$words" "$dir/out"
}

start --dims 3x3 --boards golden --channels 8 --wait
check 'programmed' torus program
check 'calls' calls "$B/host/tree_calls"
[ -z "${FULL:-}" ] || check 'FULL: each operation behind each' calls "$B/host/tree_calls" pairs
check 'all' equal 9 all --words 3
check 'some, in a chain, with another root' equal 3 0,0 2,1 1,2 --root 2,1 --chain --words 20
check 'a vector of no words' equal 2 0,0 2,2 --words 0
check 'a node outside' refused 'outside of the torus' 0,0 3,0
check 'a member twice' refused 'twice' 0,0 1,0 0,0
check 'a root that is no member' refused 'no member' 0,0 1,0 --root 2,2
check 'a group that stays' torus collective 0,0 1,0 --stay
check 'another one with its boards' refused 'in a group.*--clear' all
check 'is ended' torus collective 0,0 1,0 --clear
check 'and all are free' equal 9 all --words 1
check 'ended well' stop

for twin in verdict=broken taken=taken type=broken order=broken more=broken; do
    start --dims 3x3 --boards golden --channels 8 --wait
    torus program
    check "twin: ${twin%=*}: found out" found "$B/twin/tree_${twin%=*}/calls" "${twin#*=}"
    stop
done

start --dims 3x3 --boards golden --channels 8 --wait --cable 0.x+ --cable 4.y-
check 'two cables are dead: programmed around' torus program --around
check 'two cables are dead: a tree of all' equal 9 all --words 2
check 'two cables are dead: a chain' equal 9 all --chain --words 2
check 'two cables are dead: ended well' stop

start --dims 2x1 --boards golden --wait
torus program
check 'boards without' refused 'built without collectives' all
check 'ended well' stop
finish
