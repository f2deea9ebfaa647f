#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Channels from a host: libtorus' calls (channel_calls.c) and torusctl channel, golden boards 2x2,
# and a golden one with an RTL one. Twins: a library that does not look what has become of a channel
# after it has sent; one that takes what is not there yet; one that asks anew, with another number,
# where an answer got lost; one that takes an answer whose bulk frames have not all come; one that
# leaves to software what goes to the pins; one that keeps an end whose opening was refused; a
# torusctl that does not look whether ends that it leaves are free; one that reads a file without an
# end. TAP.
. tests/boards.sh
where=unix:$dir/board0.sock

status() { # STATUS COMMAND...
    wanted=$1
    shift
    "$@"
    [ $got = "$wanted" ]
}
says() { grep -q "$1" "$dir/out"; }
unsaid() { ! says "$1"; }

# file BYTES: to be sent
file() {
    head -c "$1" rtl/regs/outflank.json > "$dir/file"
}
sizes() { # FROM TO SIZE...: a file of each, in one message
    from=$1 to=$2
    shift 2
    for size in "$@"; do
        file "$size"
        torus channel --message 1048576 "$from" "$to" "$dir/file" && says equal || return 1
    done
}

start --dims 2x2 --boards golden --channels 8 --wait
check 'golden: programmed' torus program
check 'golden: calls' calls "$B/host/channel_calls" 60
check 'golden: files of some sizes' sizes 0,0:4 1,1:7 0 1 3 4 5 52 53 104 105 208 209
file 1000
check 'golden: a file in messages' torus channel --message 70 --format json 0,1:0 0,0:0 "$dir/file"
check 'golden: as many as there are' json 'd["messages"] == 15 and d["bytes"] == 1000 and d["verdict"] == "equal"'
check 'golden: between two ends of a board' sizes 0,0:5 0,0:6 60
check 'golden: ends' torus --format json channel 0,0
check 'golden: which are open, and why they ended' json 'len(d["ends"]) == 8 and
    d["ends"][4]["state"] == "ended" and d["ends"][4]["reason"] == "closed" and
    d["ends"][4]["heard"] == 209 and d["ends"][7]["has"] == "pins"'
check 'golden: an end goes back to its pins' torus channel 0,0:4 --release --format json
check 'and is theirs' json 'd["ends"][0]["has"] == "pins"'
check 'golden: two are joined there' torus channel 0,0:4 1,1:6 --format json
check 'and stay so' json 'd["ends"][0]["has"] == "pins" and d["ends"][0]["state"] == "open" and d["ends"][0]["peer_end"] == 6'
check 'which no file goes over: status 2' status 2 torus channel 0,0:4 1,1:7 "$dir/file"
check 'said' says 'busy'
check 'golden: closed from the other end' torus channel 1,1:6 --close
check 'closed, both' torus channel 0,0:4
check 'said' says 'ended *closed'
check 'two cannot be closed: status 2' status 2 torus channel 0,0:4 1,1:6 --close
check 'an end that is not open is not closed: status 2' status 2 torus channel 0,1:5 --close
check 'a node outside: status 2' status 2 torus channel 0,0:1 4,0:1 "$dir/file"
check 'said' says 'outside of the torus'
check 'an end that there is not: status 2' status 2 torus channel 0,0:1 1,0:9 "$dir/file"
check 'said' says 'ends 0 to 7'
check 'all is no place to look at: status 2' status 2 torus channel all
check 'not one board alone is aborted: status 2' status 2 torus channel 0,0 --abort
check 'said' says 'PLACE:END, or all'
check 'no file: status 2' status 2 torus channel 0,0:1 1,0:1 "$dir/nothing"
check 'said, with the reason' says "nothing': No such file"
check 'a folder: status 2' status 2 torus channel 0,0:1 1,0:1 "$dir"
check 'said' says "directory"
endless() { # TORUSCTL: in 400 MB
    (ulimit -v 400000; timeout 60 "$1" -t "$where" channel 0,0:1 1,0:1 /dev/zero) > "$dir/out" 2>&1
    got=$?
}
check 'a file without an end: status 2' status 2 endless "$B/bin/torusctl"
check 'said' says "/dev/zero': it is longer than 64 MiB"
check 'twin: one that reads all of it: ends otherwise' status 2 endless "$B/twin/endless/torusctl"
check 'twin: found out' unsaid "longer than"
check 'an end without a number: status 2' status 2 torus channel 0,0:1 1,0 "$dir/file"
check 'an end by a word: status 2' status 2 torus channel 0,0:x
check 'golden: ended well' stop

# The only cable to a board pulled under way: in a cycle within the 40,000 bytes.
cut() { # TORUSCTL
    start --dims 2x1 --boards golden --channels 8 --wait --at '60000:cut 0.x+' && torus program || return 1
    file 40000
    timeout 100 "$1" --timeout 1 --retry 0.3 -t "$where" channel --message 70 0,0:4 1,0:7 "$dir/file" \
        > "$dir/out" 2>&1
    got=$? why="status $got"
    [ $got = 1 ] || [ $got = 2 ]
}
bytes() { # some of them had gone, no more were taken than had
    sed -n 's/^torusctl: of 40000 bytes \([0-9]*\) had gone, \([0-9]*\) were taken$/\1 \2/p' "$dir/out" > "$dir/bytes"
    read -r gone taken < "$dir/bytes" && [ "$gone" -gt 0 ] && [ "$gone" -lt 40000 ] && [ "$taken" -gt 0 ] &&
        [ "$taken" -le "$gone" ]
}
kept='(0,0) end 4 and (1,0) end 7 stay taken: once there is a way .*channel all --abort, both with --take-over'
check 'a board cut off under way: an error' cut "$B/bin/torusctl"
check 'how many bytes had gone' bytes
check 'which ends stay taken, and what to do' says "$kept"
check 'the cable is back' boardsim --sockets "$dir" join 0.x+
check 'what was said to do frees them' torus channel all --abort --take-over
check 'so that a file goes again' sizes 0,0:4 1,0:7 60
check 'cut off: ended well' stop
check 'twin: one that does not look at the ends: an error' cut "$B/twin/cut/torusctl"
check 'twin: found out' unsaid "$kept"
stop

start --dims 2x1 --boards golden --channels 8 --wait --logic "$B/host/nobody_takes.so"
check 'a logic that never takes: programmed' torus program
check 'a logic that never takes: joined' torus channel 0,0:4 1,0:4
check 'and aborted' torus channel 1,0:4 --abort
check 'its end is not free: status 2' status 2 torus channel 0,0:4 1,0:2 "$dir/file"
check 'said, and when it will be' says 'end 4 is busy: ended.*the logic at its pins.*free once that has'
check 'all others go on' sizes 0,0:2 1,0:2 60
check 'a logic that never takes: ended well' stop

start --dims 2x2 --boards golden
check 'no channels: programmed' torus program
check 'no channels: status 2' status 2 torus channel 0,0
check 'no channels: said' says 'built without channels'
check 'no channels: ended well' stop

start --dims 2x2 --boards golden --channels 8 --wait
check 'twins: programmed' torus program
check 'twin: one that does not look what has become of it: found out' found "$B/twin/channel_looks/calls" 4
stop
start --dims 2x2 --boards golden --channels 8 --wait
torus program
check 'twin: one that forgets borders: found out' found "$B/twin/channel_border/calls" 5
stop
start --dims 2x2 --boards golden --channels 8 --wait
torus program
check 'twin: one that leaves ends to software: found out' found "$B/twin/channel_pins/calls" 4
stop

start --dims 2x2 --boards golden --channels 8 --wait
torus program
check 'twin: one that keeps an end whose opening was refused: found out' found "$B/twin/channel_owner/calls" 4
stop

start --dims 2x2 --boards golden --channels 8 --wait
torus program
check 'frames lost, damaged, repeated, both ways: calls' calls "$B/host/channel_calls" 20 7 7
stop
start --dims 2x2 --boards golden --channels 8 --wait
torus program
check 'twin: one that asks anew: found out' found "$B/twin/channel_anew/calls" 20 7
stop
start --dims 2x2 --boards golden --channels 8 --wait
torus program
check 'twin: one that does not miss bulk frames: found out' found "$B/twin/channel_frames/calls" 2 7
stop

# The board plugged into is golden, as an RTL board's serial line takes a thousand cycles a request
start --dims 2x1 --boards gr --link reliable --channels 8
check 'mixed: programmed' torus program
check 'mixed: calls' calls "$B/host/channel_calls" 5 0 0 385
check 'mixed: a file from the RTL board' sizes 1,0:4 0,0:7 60
check 'mixed: RTL equals the golden model' stop
finish
