#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Streams: a serial line's settings and lock, over pseudo-terminals; the list of what there is. TAP.
. tests/boards.sh

check 'a serial line: raw, at --baud, for one process alone' \
    python3 host/test/stream_test.py "$B/bin/torusctl"
start --dims 2x2 --boards golden --pty
pty=$(sed -n 's/^board 3: //p' "$dir/log")
over_pty() {
    timeout 600 "$B/bin/torusctl" -t "tty:$pty" "$@" > "$dir/out" 2>&1
}
check 'boards behind terminals: discover' over_pty discover --format json
check 'boards behind terminals: program' over_pty program
# Nobody has a terminal open any more: it waits, and does not ask over and over.
idle() {
    before=$(cut -d' ' -f14,15 "/proc/$sim/stat") && sleep 2 &&
        after=$(cut -d' ' -f14,15 "/proc/$sim/stat") && why="ticks $before, then $after" &&
        [ $((${after% *} + ${after#* } - ${before% *} - ${before#* })) -le 20 ]
}
check 'boards behind terminals: an idle simulator sleeps' idle
check 'boards behind terminals: end' stop

# RTL boards' time goes on while nobody asks them anything, but slowly.
start --dims 2x1 --no-shadow
check 'RTL boards: answer' torus ping
check 'RTL boards: a simulator that nobody asks rests' wait_for 5 idle
check 'RTL boards: answer again' torus ping
goes_on() {
    ask_simulator "$sim" "$dir/log" && sleep 0.2 && ask_simulator "$sim" "$dir/log" &&
        [ "$(grep -c ': cycle' "$dir/log")" = 2 ] &&
        [ "$(grep ': cycle' "$dir/log" | sort -u | wc -l)" = 2 ]
}
check 'RTL boards: their time goes on' goes_on
check 'RTL boards: end' stop

cat > "$dir/list.c" << 'C'
#include <libtorus.h>
#include <stdio.h>
int main(void)
{
    static struct torus_stream stream[4096]; // other tests have simulators too
    unsigned count = torus_list(stream, 4096);
    for (unsigned i = 0; i < count && i < 4096; i++)
        printf("%s, %s\n", stream[i].where, stream[i].what);
    return count == 0;
}
C
check 'list: compiles' "${CC:-gcc}" -Ihost/lib -o "$dir/list" "$dir/list.c" "$B/libtorus.a" -lftdi1 -lusb-1.0
start --dims 2x2 --boards golden
list() {
    "$dir/list" > "$dir/out"
}
check 'list' list
check 'list: a simulator, each board' [ "$(grep -c "^unix:$dir/board[0-3].sock, simulated board" "$dir/out")" = 4 ]
check 'list: ends' stop
check 'list: again' [ "$("$dir/list" > "$dir/out"; echo $?)" -le 1 ]
check 'list: the simulator is gone' [ "$(grep -c "$dir" "$dir/out")" = 0 ]
finish
