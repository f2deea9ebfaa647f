#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A board of the torus has died, and program --around led around it: what torusctl does with those that
# are there. Golden boards, 3x3. Twin: a torusctl that takes all nodes for boards. TAP.
. tests/boards.sh

few() { # the last --timeout counts: an answer that does not come is waited for that long
    torus --timeout 1 "$@"
}
names_it() { # STATUS COMMAND...: it ends so, having said which board is missing
    wanted=$1
    shift
    few "$@"
    [ $got = "$wanted" ] && says 'no board at (1,0)'
}

start --dims 3x3 --boards golden --channels 8 --wait
check 'programmed' torus program
check 'all are there' torus ping --all
check 'a file' torus channel 0,0:4 2,1:4 LICENSE
for port in x+ x- y+ y-; do
    check "board 8: $port is cut" boardsim --sockets "$dir" cut "8.$port"
done
check 'programmed around it: status 1' status 1 few program --around
check 'info: status 1' names_it 1 info
check 'a file to and from those that are there' names_it 0 channel --format json 0,0:4 0,1:4 LICENSE
check 'all of it' says '"verdict": "equal"'
check 'ends of a board' names_it 0 channel 1,1:0
check 'a file to the one that is not: status 2' names_it 2 channel 0,0:3 1,0:4 LICENSE
check 'which is said' says 'no answer from board (1,0)'
check 'all --abort frees the others: status 1' names_it 1 channel all --abort
head -c 100 LICENSE > "$dir/short"
check 'datagrams' names_it 0 datagram 0,0 2,1 "$dir/short"
check 'a group of all others: status 1' names_it 1 collective all
check 'it is right' says ' 8 .*equal'
check 'a group with it: status 2' names_it 2 collective 0,0 1,0
check 'ping of one' names_it 0 ping --at 2,1
check 'ping of all others: status 1' names_it 1 ping --all
check 'registers of one' names_it 0 reg --at 2,0 NODE.ID
check 'osu between two' names_it 0 osu latency --max-size 4 --repetitions 1 2,0 0,1
check 'osu of all others: status 1' names_it 1 osu barrier --repetitions 1
check 'osu: an all-reduce of all others: status 1' names_it 1 osu allreduce --max-size 4 --repetitions 1
check 'b_eff: rings of all others: status 1' names_it 1 b_eff --max-size 2 --repetitions 1
check 'streams between two' names_it 0 bandwidth 0,0 2,1
check 'a stream from the one that is not: status 2' names_it 2 bandwidth 1,0 0,0
check 'latency of all pairs of the others: status 1' names_it 1 latency --all --together --format json
check 'each' [ "$(grep -c '"distance"' "$dir/out")" = $((8 * 7)) ]
check 'one time of all others: status 1' names_it 1 time
check 'a snapshot of all others: status 1' names_it 1 snapshot --all --format csv
check 'each' [ "$(grep -c '^"\|^[0-9]' "$dir/out")" = 8 ]
check 'trace wants all: status 2' names_it 2 trace 0,0 2,1
check 'programs of users: none is built with a core: status 2' names_it 2 start --at all
check 'twin: one that takes all nodes for boards: status 2' status 2 timeout 60 \
    "$B/twin/gaps/torusctl" --timeout 1 -t "unix:$dir/board0.sock" collective all
check 'the cables are back' boardsim --sockets "$dir" join 8.x+
for port in x- y+ y-; do
    check "$port" boardsim --sockets "$dir" join "8.$port"
done
check 'programmed again' few program
check 'a file to where it was missing' torus channel 0,0:3 1,0:4 LICENSE
check 'ended well' stop

# Three boards of 2x2, which are no line of three.
start --dims 2x2 --boards golden --channels 8 --wait
check '2x2: programmed' torus program
for port in x- y-; do
    check "2x2: $port of board 3 is cut" boardsim --sockets "$dir" cut "3.$port"
done
check '2x2: discover: status 1' status 1 few discover
check '2x2: as a 2x2' says '3 boards, a 2x2 torus'
check '2x2: programmed around it: status 1' status 1 few program --around
few channel --format json 0,0:4 0,1:4 LICENSE
[ $got = 0 ] && says '"verdict": "equal"'
result $? '2x2: a file to and from those that are there'
check '2x2: ended well' stop
finish
