#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Datagrams from a host: libtorus' calls (datagram_calls.c) and torusctl datagram, on golden boards 2x2,
# and a golden one with an RTL one. Twins: a library that does not look what has become of a datagram;
# one that takes the rest of another's; one that goes on with what another has begun to give. TAP.
. tests/boards.sh

equal() { # DATAGRAMS ARGUMENTS...
    datagrams=$1
    shift
    torus datagram --format csv "$@" &&
        awk -F, -v n="$datagrams" 'NR == 2 { exit !($(NF - 2) == n && $NF == "equal") }' "$dir/out"
}
refused() { # WORDS ARGUMENTS...: one line, status 2
    words=$1
    shift
    torus datagram "$@"
    [ $got = 2 ] && [ "$(wc -l < "$dir/out")" = 1 ] && grep -q "$words" "$dir/out"
}

head -c 200 /dev/zero | tr '\0' 'q' > "$dir/file"
: > "$dir/empty"
start --dims 2x2 --boards golden --channels 8 --wait
check 'programmed' torus program
check 'calls' calls "$B/host/datagram_calls"
check 'a file' equal 4 0,0 1,1 "$dir/file"
check 'in small ones, derouting, to an end' equal 20 0,1 1,0 "$dir/file" --message 10 --class deroute --end 15
check 'an empty one' equal 1 0,0 0,0 "$dir/empty"
check 'what a board counts' torus datagram 0,1
check 'is shown' grep -Eq '^ *pins +4 ' "$dir/out"
check 'longer than a packet' refused 'at most' 0,0 1,0 "$dir/file" --message 57
check 'a node outside' refused 'outside of the torus' 0,0 2,0 "$dir/file"
check 'no file' refused 'No such file' 0,0 1,0 "$dir/nothing"
check 'a file without an end' refused 'longer than 64 MiB: one call' 0,0 1,0 /dev/zero
truncate -s 67108864 "$dir/most"
truncate -s 67108865 "$dir/over"
check 'one of 64 MiB is read' refused 'at most' 0,0 1,0 "$dir/most" --message 57
check 'a byte more is not' refused 'longer than 64 MiB: one call' 0,0 1,0 "$dir/over" --message 57
check 'ended well' stop

for twin in count=nowhere rest=left first=left; do
    start --dims 2x2 --boards golden --channels 8 --wait
    torus program
    check "twin: ${twin%=*}: found out" found "$B/twin/datagram_${twin%=*}/calls" "${twin#*=}"
    stop
done

# The board plugged into is golden, as an RTL board's serial line takes a thousand cycles a request
start --dims 2x1 --boards gr --link reliable --channels 8
check 'mixed: programmed' torus program
check 'mixed: calls' calls "$B/host/datagram_calls" all
check 'mixed: half ones' calls "$B/host/datagram_calls" left
check 'mixed: RTL equals the golden model' stop

start --dims 2x1 --boards golden --wait
torus program
check 'boards without' refused 'built without datagrams' 0,0
check 'nor do they send' refused 'built without datagrams' 0,0 1,0 "$dir/file"
check 'ended well' stop
finish
