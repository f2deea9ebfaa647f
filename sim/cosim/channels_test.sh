#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Boards with channels: software's ends, by registers, of RTL and golden boards joined with each
# other, over a real torus; one that takes nothing keeps neither others nor management waiting; RTL
# equals the golden model all the time. So do collectives over them. TAP.
. tests/boards.sh

LISTEN=2 OPEN=1 CLOSE=3

reg() { # AT NAME[=VALUE]...
    at=$1
    shift
    torus reg --at "$at" "$@"
}
# join FROM END TO END CONN: two ends, which software has
join() {
    reg "$3" CHANNEL.SELECT="$4" CHANNEL.ATTACH=1 \
        CHANNEL.PEER=$(($5 << 16 | $2 << 12 | ${1#*,} << 4 | ${1%,*})) CHANNEL.COMMAND=$LISTEN &&
        reg "$1" CHANNEL.SELECT="$2" CHANNEL.ATTACH=1 \
            CHANNEL.PEER=$(($5 << 16 | $4 << 12 | ${3#*,} << 4 | ${3%,*})) CHANNEL.COMMAND=$OPEN
}
# sends AT END WORD BYTES: a message of one beat; comes: it is what is at the other end, and taken
sends() {
    reg "$1" CHANNEL.SELECT="$2" CHANNEL.TX_END="$4" CHANNEL.TX_DATA="$3"
}
comes() {
    reg "$1" CHANNEL.SELECT="$2" &&
        is_so "$1" CHANNEL.RX $(($4 << 4 | 3)) && is_so "$1" CHANNEL.RX_DATA "$3" &&
        reg "$1" CHANNEL.RX_NEXT=0
}
is_so() { # AT REGISTER VALUE
    reg "$1" --format csv "$2" && awk -F, -v v=$(($3)) 'NR == 2 { exit $4 != v }' "$dir/out"
}
refused() { # AT WRITES...: with status 2
    reg "$@"
    [ $got = 2 ]
}
# fills AT END: messages until there is no more room at this end, as the other one takes nothing
fills() {
    one='CHANNEL.TX_END=4 CHANNEL.TX_DATA=7'
    # shellcheck disable=SC2086
    refused "$1" CHANNEL.SELECT="$2" $one $one $one $one $one $one $one $one $one $one $one $one
}
both() { # NAME, RTL and golden
    join 0,0 2 1,0 3 "$1" && is_so 0,0 CHANNEL.STATE.STATE 3 && is_so 1,0 CHANNEL.STATE.STATE 3
}

start --dims 2x1 --boards rg --link reliable --channels 8
check 'the torus is programmed' torus program
check 'eight ends' is_so 0,0 CHANNEL.SHAPE.ENDS 8
check 'golden: eight ends' is_so 1,0 CHANNEL.SHAPE.ENDS 8
check 'RTL and golden are joined' both 1
check 'a message to the golden board' sends 0,0 2 0x64636261 4
check 'is there' comes 1,0 3 0x64636261 4
check 'an empty one to the RTL board' sends 1,0 3 0 0
check 'is there' comes 0,0 2 0 0
check 'one of three bytes' sends 1,0 3 0x636261 3
check 'is there' comes 0,0 2 0x636261 3
check 'a beat that is not there is not taken' refused 0,0 CHANNEL.RX_NEXT=0
check 'an end that is open is not opened' refused 0,0 CHANNEL.COMMAND=$OPEN
check 'nor given to the pins' refused 0,0 CHANNEL.ATTACH=0
check 'an end that there is not' refused 0,0 CHANNEL.SELECT=8
check 'a peer outside of the torus' refused 0,0 CHANNEL.SELECT=5 CHANNEL.PEER=2
check 'five bytes of four' refused 0,0 CHANNEL.SELECT=2 CHANNEL.TX_END=5
check 'two ends of the RTL board are joined' join 0,0 4 0,0 6 9
check 'its consumer takes nothing: there is no room at last' fills 0,0 4
check 'another end has room: a message' sends 0,0 2 0x7a 1
check 'is there' comes 1,0 3 0x7a 1
check 'management goes on' torus ping --all
check 'an end is closed' reg 0,0 CHANNEL.SELECT=2 CHANNEL.COMMAND=$CLOSE
check 'in good order' is_so 0,0 CHANNEL.STATE.REASON 0
check 'at the other end too' is_so 1,0 CHANNEL.STATE.STATE 6
check 'and opened anew' both 2
group='COLLECTIVE.ATTACH=1 COLLECTIVE.CONTROL=2'
to_group='CHANNEL.ATTACH=2'
gives() { # AT OPERATION WORD: a message of one word
    reg "$1" COLLECTIVE.TX_OP="$2" COLLECTIVE.TX_END=4 COLLECTIVE.TX_DATA="$3"
}
# A group of two, whose root is the RTL board: its end 1 with the golden one's end 0
forms() {
    reg 1,0 CHANNEL.SELECT=0 $to_group CHANNEL.PEER=$((7 << 16 | 1 << 12)) \
        CHANNEL.COMMAND=$LISTEN COLLECTIVE.PLACE=1 $group &&
        reg 0,0 CHANNEL.SELECT=1 $to_group CHANNEL.PEER=$((7 << 16 | 1)) CHANNEL.COMMAND=$OPEN \
            COLLECTIVE.PLACE=0x10 COLLECTIVE.SIZE_LOW=1 $group
}
has_sum() { # AT WORD: it, and a good verdict
    is_so "$1" COLLECTIVE.RX 0x41 && is_so "$1" COLLECTIVE.RX_DATA "$2" &&
        reg "$1" COLLECTIVE.RX_NEXT=0 && is_so "$1" COLLECTIVE.RX 11 &&
        reg "$1" COLLECTIVE.RX_NEXT=0
}
is_told() { # AT RX REASON
    is_so "$1" COLLECTIVE.RX "$2" && is_so "$1" COLLECTIVE.STATE.REASON "$3" &&
        reg "$1" COLLECTIVE.RX_NEXT=0
}
ALLREDUCE=5 BARRIER=0 BROADCAST=1
check 'NODE.SHAPE says that there are collectives' is_so 0,0 NODE.SHAPE.COLLECTIVE 1
check 'RTL and golden are a group' forms
check 'the golden board gives its part of a sum' gives 1,0 $ALLREDUCE 5
check 'the RTL board has nothing yet' is_so 0,0 COLLECTIVE.RX 0
check 'and gives its own' gives 0,0 $ALLREDUCE 0xfffffff7
check 'it has the sum' has_sum 0,0 0xfffffffc
check 'so has the other one' has_sum 1,0 0xfffffffc
check 'one began a broadcast' gives 0,0 $BROADCAST 9
check 'the place is not changed meanwhile' refused 0,0 COLLECTIVE.PLACE=0
check 'the other one a barrier' reg 1,0 COLLECTIVE.TX_OP=$BARRIER COLLECTIVE.TX_END=0 COLLECTIVE.TX_DATA=0
check 'they do not do the same: both are told' is_told 1,0 15 2
check 'they do not do the same: both are told, RTL' is_told 0,0 15 2
check 'one is alone in a barrier' reg 0,0 COLLECTIVE.TX_OP=$BARRIER COLLECTIVE.TX_END=0 COLLECTIVE.TX_DATA=0
check 'and leaves it' reg 0,0 COLLECTIVE.CONTROL=1
check 'with that verdict' is_told 0,0 15 4
check 'one sum, one failure' is_so 1,0 COLLECTIVE.COUNT 0x10001
check 'RTL equals the golden model' stop

start --dims 2x1 --boards golden
check 'no channels: programmed' torus program
check 'no channels: no ends' is_so 0,0 CHANNEL.SHAPE 0
check 'no channels: NODE.SHAPE says so' is_so 0,0 NODE.SHAPE.CHANNEL 0
check 'no channels: no collectives' is_so 0,0 COLLECTIVE.SHAPE 0
check 'no channels: NODE.SHAPE says so, too' is_so 0,0 NODE.SHAPE.COLLECTIVE 0
check 'no channels: ended well' stop
finish
