#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torusctl serve: one process has the board, all other tools are as they are without it. Against
# golden boards, by socket and by terminal. TAP.
. tests/boards.sh
python=host/test/serve_test.py
boards="$dir"
log=$dir/log
shown="$dir/out $dir/log $dir/serve0 $dir/serve5"
servers=

# serve N [WHERE]: shares board N, until it is ended. Its word is in $dir/serveN.
serve() {
    n=$1
    shift
    : > "$dir/serve$n"
    [ $# -gt 0 ] || set -- -t "unix:$boards/board$n.sock"
    "$B/bin/torusctl" serve --timeout 120 "$@" > "$dir/serve$n" 2>&1 &
    eval "server$n=$!"
    servers="$servers $!"
    wait_for 120 served "$dir/serve$n" "$!"
    grep -q '^torusctl: board [0-9a-f]* is shared at unix:' "$dir/serve$n"
}
served() {
    grep -q . "$1" || ! kill -0 "$2" 2> /dev/null
}
end() { # N [SIGNAL]: its status in $got
    eval "pid=\$server$1"
    kill -"${2:-TERM}" "$pid"
    wait "$pid"
    got=$?
}
clean_up_all() {
    # shellcheck disable=SC2086
    [ -z "$servers" ] || kill $servers 2> /dev/null
    clean_up
}
trap clean_up_all EXIT

# ctl N ARGUMENTS...: torusctl at board N as if there were no serve.
ctl() {
    n=$1
    shift
    timeout 600 "$B/bin/torusctl" "$@" --timeout 120 -t "unix:$boards/board$n.sock"
}
shared() {
    sed -n 's/.*shared at unix:\([^ ]*\).*/\1/p' "$dir/serve$1"
}
# Nobody but serve has the board: a tool that did not find it would wait in vain.
quiet() {
    "$@" > "$dir/out" 2>&1
}

start --dims 4x4 --boards golden
check 'serve: starts' serve 0
check 'serve: its socket is for its user alone' [ "$(stat -c '%a %F' "$(shared 0)")" = '600 socket' ]
check 'serve: and the folder' [ "$(stat -c %a "$(dirname "$(shared 0)")")" = 700 ]
check 'a tool that names the board gets there: discover' quiet ctl 0 discover
check 'program' quiet ctl 0 program --routing ofr
check 'list' quiet "$B/bin/torusctl" list
check 'list: names it' says "^unix:$(shared 0) .*serve shares"
twice() {
    timeout 60 "$B/bin/torusctl" serve -t "unix:$boards/../$(basename "$boards")/board0.sock" \
        > "$dir/out" 2>&1
    got=$?
    why="status $got"
    [ $got = 2 ] && one_line && says "shared already by process $server0 (torusctl)"
}
check 'a second serve, by another name of the board, is refused in one line' twice

# --- With a command of its own, at board 7 ---------------------------------------------------------
own() { # ARGUMENTS...: serve with them; what it says itself is in $dir/log
    timeout 120 "$B/bin/torusctl" serve -t "unix:$boards/board7.sock" "$@" > "$dir/out" 2> "$dir/log"
    got=$?
    why="status $got"
}
own_ends() {
    own info --format json
    [ $got = 0 ] && grep -q 'is shared at unix:' "$dir/log" && python3 -m json.tool < "$dir/out" > /dev/null
}
check 'serve with a command: its output is the command'\''s, and they end together' own_ends
own_status() {
    own diff /dev/null /dev/null
    [ $got = 2 ]
}
check 'with its status' own_status
own_unknown() {
    own frobnicate
    [ $got = 2 ] && [ "$(wc -l < "$dir/log")" = 1 ] && grep -q "command 'frobnicate': " "$dir/log"
}
check 'one that is none, before the board is shared' own_unknown
own_wrong() {
    for wrong in 'serve' 'counters --watch 0' 'info --all' 'run --load='; do
        # shellcheck disable=SC2086
        own $wrong
        [ $got = 2 ] && [ "$(grep -vc '^Try' "$dir/log")" = 1 ] && ! grep -q 'is shared' "$dir/log" || return 1
    done
    own counters --help
    [ $got = 0 ] && [ ! -s "$dir/log" ]
}
check 'one with a wrong option, too' own_wrong
own_told() { # it ends its command when it is told to end
    serve 7 -t "unix:$boards/board7.sock" counters --watch 0.2 && wait_for 60 grep -q injected "$dir/serve7"
    watcher=$(pgrep -P "$server7")
    ctl 7 info > "$dir/out" 2>&1 || return 1
    end 7
    why="status $got, command $watcher"
    [ "$got" = 0 ] && [ -n "$watcher" ] && ! kill -0 "$watcher" 2> /dev/null
}
check 'told to end it ends its command, and other tools were let in' own_told

own_orphan() { # it is killed: its command, which would find the board itself, ends with it
    serve 7 -t "unix:$boards/board7.sock" counters --watch 0.2 && wait_for 60 grep -q injected "$dir/serve7"
    watcher=$(pgrep -P "$server7")
    end 7 KILL
    [ -n "$watcher" ] && wait_for 60 eval "! kill -0 $watcher 2> /dev/null"
}
check 'killed, its command ends too' own_orphan

# --- All at once ----------------------------------------------------------------------------------
# together A B: two watchers, a monitor and a run at once; the first and the run at board A, the
# others at B. All must end well.
together() {
    # One watcher and the run with the same session number: serve keeps them apart.
    ctl "$1" counters --watch 0.2 --count 8 --format csv --session 77 > "$dir/watch1" 2> "$dir/err1" &
    one=$!
    ctl "$2" counters --watch 0.2 --count 8 --format csv --session 77 > "$dir/watch2" 2> "$dir/err2" &
    two=$!
    python3 host/test/monitor_test.py count "$B/bin/torusctl" --timeout 120 \
        -t "unix:$boards/board$2.sock" monitor --watch 0.2 --count 8 > "$dir/monitor" 2>&1 &
    three=$!
    good=0
    ctl "$1" run --load 0.3,0.3,0.3 --length 16 --format json --session 77 > "$dir/with" 2> "$dir/err3" ||
        good="run $?"
    wait $one || good="$good, watch 1 $?"
    wait $two || good="$good, watch 2 $?"
    wait $three || good="$good, monitor $?"
    why="status $good"
    cat "$dir/err1" "$dir/err2" "$dir/err3" > "$dir/out"
    [ "$good" = 0 ] && [ ! -s "$dir/out" ]
}
alone() {
    ctl 0 run --load 0.3 --length 16 --format json > "$dir/alone" 2> "$dir/out"
}
check 'run, alone' alone
check 'two watchers, a monitor and a run through one serve' together 0 0
check 'no torn row' python3 $python rows "$dir/watch1" "$dir/watch2"
torn() { # a row of one snapshot with a value of the next one
    awk -F, -v OFS=, '!done && $3 ~ /adaptive.flits$/ && $5 > 3000 { $5 += 640; done = 1 } 1' "$dir/watch1" > "$dir/torn"
    ! python3 $python rows "$dir/torn" > "$dir/out"
}
check 'twin: a torn row is found' torn
check 'the same run as alone' python3 $python runs "$dir/alone" "$dir/with"
check 'a serve for another board of the torus' serve 5
check 'two watchers, a monitor and a run through two boards' together 0 5
check 'no torn row' python3 $python rows "$dir/watch1" "$dir/watch2"
check 'the same run as alone' python3 $python runs "$dir/alone" "$dir/with"

# --- What monitor says of a run ---------------------------------------------------------------------
run_seen() { # at load 0.4 a link of 4x4 has 0.2
    python3 host/test/monitor_test.py count "$B/bin/torusctl" --timeout 120 \
        -t "unix:$boards/board0.sock" monitor --count 1 > "$dir/monitor" 2>&1
    grep -q 'link load *mean *\(1[5-9]\|2[0-4]\)\.' "$dir/monitor"
}
load_of_a_run() {
    "$B/bin/torusctl" run --load 0.4 --cycles 100000000 --timeout 120 -t "unix:$boards/board0.sock" \
        > "$dir/out" 2>&1 &
    run=$!
    wait_for 5 run_seen
    seen=$?
    kill -INT $run
    wait $run
    why="$(grep -o 'link load *mean *[0-9.]*' "$dir/monitor")"
    return $seen
}
check 'monitor: the load of a run' load_of_a_run

# --- Guests that are slow, dead or send nonsense ---------------------------------------------------
with_rogues() { # seven of them while an honest one works
    : > "$dir/rogues"
    timeout 300 python3 $python rogues "$(shared 0)" > "$dir/rogues" 2>&1 &
    rogues=$!
    wait_for 120 grep -q 'all here' "$dir/rogues" || return 1
    quiet ctl 0 ping --count 40 && quiet ctl 0 counters && quiet ctl 0 program --routing abr
    honest=$?
    kill $rogues 2> /dev/null
    wait $rogues 2> /dev/null
    return $honest
}
check 'seven that are slow, dead or send nonsense harm nobody' with_rogues
killed() {
    for what in counters 'run --load 0.2' discover; do
        # shellcheck disable=SC2086
        "$B/bin/torusctl" $what -t "unix:$boards/board0.sock" > "$dir/killed" 2>&1 &
        victim=$!
        sleep 0.0$((victim % 10))
        kill -9 $victim 2> /dev/null
        wait $victim 2> /dev/null
        quiet ctl 0 ping || return 1
    done
}
check 'tools that are killed halfway harm nobody' killed

# --- The end --------------------------------------------------------------------------------------
# A tool that asks all the time, until serve or the board is gone: one line, status 2.
asking() {
    : > "$dir/asked"
    ctl 0 ping --count 1000000 --format csv > "$dir/asked" 2> "$dir/asking" &
    asker=$!
    wait_for 120 grep -q '^[0-9]' "$dir/asked"
}
asker_ends() {
    wait $asker
    got=$?
    cp "$dir/asking" "$dir/out"
    why="status $got"
    [ $got = 2 ] && one_line
}
check 'SIGTERM: somebody asks' asking
ends_clean() {
    socket=$(shared 0)
    end 0 TERM
    why="status $got"
    [ $got = 0 ] && [ ! -e "$socket" ] && [ ! -e "$socket.lock" ] &&
        [ "$(wc -l < "$dir/serve0")" = 1 ]
}
check 'SIGTERM: ends with status 0, its socket is gone' ends_clean
check 'SIGTERM: who asked ends in one line' asker_ends
check 'then the board is reached as before' quiet ctl 0 ping
check 'serve again' serve 0
left_behind() {
    socket=$(shared 0)
    kill -9 "$server0"
    wait "$server0" 2> /dev/null
    [ -S "$socket" ] && quiet ctl 0 ping
}
check 'one that is killed leaves its socket, and tools reach the board themselves' left_behind
check 'the next one takes the socket over' serve 0
check 'and is found' quiet ctl 0 info
check 'SIGINT: somebody asks' asking
board_gone() {
    kill -9 "$sim"
    wait "$sim" 2> /dev/null
    sim=
    wait "$server0"
    got=$?
    why="status $got"
    tail -n 1 "$dir/serve0" > "$dir/out"
    [ $got = 2 ] && says 'the connection to it broke' && [ "$(wc -l < "$dir/serve0")" = 2 ] &&
        [ ! -e "$(shared 0)" ]
}
check 'the board goes away: one line, status 2, its socket is gone' board_gone
check 'the board goes away: who asked ends in one line' asker_ends

# --- Tools that stay outlive the serve that they go through ------------------------------------------
# Each looks at the boards through a serve, which then ends; it is to go on at the board itself.
looks() { # N: so many in all
    [ "$(grep -c "$look" "$dir/stays")" -ge "$1" ]
}
seen() {
    grep -c "$look" "$dir/stays"
}
# stays LOOK TORUSCTL COMMAND...: in the background, its word in $dir/stays; each LOOK in there is one.
stays() {
    look=$1
    shift
    : > "$dir/stays"
    stdbuf -oL "$@" --timeout 600 -t "unix:$boards/board0.sock" --debug > "$dir/stays" 2>&1 9>&- &
    stayer=$!
    wait_for 120 looks 1
}
gone_on() { # the serve has ended: two more looks
    before=$(seen)
    wait_for "${patience:-120}" ended_or_looks $((before + 2))
    why="$before looks before, $(seen) after"
    looks $((before + 2))
}
ended_or_looks() {
    looks "$1" || ! kill -0 "$stayer" 2> /dev/null
}
stop_it() {
    kill "$stayer" 2> /dev/null
    wait "$stayer" 2> /dev/null
    grep -v -e ' -> ' -e ' <- ' "$dir/stays" | tail -n 5 > "$dir/out"
}
# While a tool looks at the board itself: a look may take longer than the second that serve waits.
serve_between_looks() {
    for _ in $(seq 100); do
        serve 0 && return 0
    done
    return 1
}
outlives() { # SIGNAL LOOK TORUSCTL COMMAND...
    signal=$1
    shift
    serve 0 && stays "$@" || return 1
    end 0 "$signal"
    gone_on
    good=$?
    serve_between_looks && [ $good = 0 ] && gone_on # and with a new one
    good=$?
    end 0 TERM
    stop_it
    return $good
}
# In the middle of a look: the serve stands still, a request is under way, and then it is killed.
asked() { # N: requests
    [ "$(grep -c ' -> ' "$dir/stays")" -gt "$1" ]
}
in_a_look() { # LOOK TORUSCTL COMMAND...
    serve 0 && stays "$@" || return 1
    kill -STOP "$server0"
    before=$(grep -c ' -> ' "$dir/stays")
    wait_for 120 asked "$before"
    end 0 KILL
    gone_on
    good=$?
    stop_it
    return $good
}
# The same, and its socket is there a little longer than its connections, as when a process is killed:
# who comes back at once is let in, and broken again.
slow_to_end() { # LOOK TORUSCTL COMMAND...
    serve 0 && stays "$@" || return 1
    kill -STOP "$server0"
    before=$(grep -c ' -> ' "$dir/stays")
    wait_for 120 asked "$before"
    rm "$(shared 0)"
    : > "$dir/ending"
    timeout 300 python3 "$python" ending "$(shared 0)" > "$dir/ending" 2>&1 9>&- &
    ending=$!
    wait_for 120 grep -q listens "$dir/ending"
    end 0 KILL
    gone_on
    good=$?
    stop_it
    kill $ending 2> /dev/null
    wait $ending && [ $good = 0 ]
}
start --dims 2x2 --boards golden
boards="$dir"
check 'program' quiet ctl 0 program
for signal in TERM KILL; do
    check "counters --watch outlives a serve (SIG$signal)" outlives $signal '^interval' \
        "$B/bin/torusctl" counters --watch 0.5
done
check 'in the middle of a look, too' in_a_look '^interval' "$B/bin/torusctl" counters --watch 0.5
check 'and one whose socket is there a little longer' slow_to_end '^interval' "$B/bin/torusctl" counters --watch 0.5
# What waits for ever need not be waited for as long: its looks are half a second apart
check 'twin: one that keeps the connection is found' eval \
    '! patience=20 outlives TERM "^interval" "$B/twin/keeps/torusctl" counters --watch 0.5'
check 'program --around --watch outlives a serve' outlives TERM ' <- .* watch ' \
    "$B/bin/torusctl" program --around --watch 0.5
check 'in the middle of a look, too' in_a_look ' <- .* watch ' "$B/bin/torusctl" program --around --watch 0.5
check 'and one whose socket is there a little longer' slow_to_end ' <- .* watch ' \
    "$B/bin/torusctl" program --around --watch 0.5
monitor_outlives() {
    serve 0 || return 1
    timeout 300 python3 host/test/monitor_test.py count "$B/bin/torusctl" --timeout 120 \
        -t "unix:$boards/board0.sock" monitor --watch 0.5 --count 6 > "$dir/monitor" 2>&1 9>&- &
    three=$!
    wait_for 120 grep -q '^shown' "$dir/monitor"
    end 0 TERM
    wait $three
    why="status $?"
    [ "$why" = 'status 0' ]
}
check 'monitor outlives a serve' monitor_outlives
board_and_serve() { # both: then the watcher ends, in one line
    serve 0 && stays '^interval' "$B/bin/torusctl" counters --watch 0.5 || return 1
    kill -9 "$sim"
    wait "$sim" 2> /dev/null
    sim=
    wait "$server0"
    wait $stayer
    got=$?
    why="status $got"
    grep '^torusctl:' "$dir/stays" > "$dir/out"
    [ $got = 2 ] && one_line && says 'is the board or the simulator running?'
}
check 'the board itself is gone: one line' board_and_serve

# --- Another place, other streams -------------------------------------------------------------------
start --dims 2x2 --boards golden --pty
pty=$(sed -n 's/^board 3: //p' "$dir/log")
ln -s "$pty" "$dir/line"
chmod 755 "$dir/outflank"
check 'a serial line, where the folder is open to others' serve 0 -t "tty:$dir/line" --tcp 0
check 'the socket is elsewhere' sh -c "case $(shared 0) in /tmp/outflank-$(id -u)/*) ;; *) false ;; esac"
over() { # ARGUMENTS...
    timeout 300 "$B/bin/torusctl" --timeout 120 "$@" > "$dir/out" 2>&1
}
both() {
    over -t "tty:$pty" discover & one=$!
    timeout 300 "$B/bin/torusctl" --timeout 120 -t "$pty" counters --help > /dev/null & two=$!
    wait $one && wait $two
}
check 'a serial line: two tools at once, by two names' both
check 'a serial line: program' over -t "tty:$pty" program
port=$(sed -n 's/.* and tcp:\([0-9]*\)$/\1/p' "$dir/serve0")
check 'TCP' over -t "tcp:$port" ping
check 'a second serve on the line is refused' status 2 over serve -t "$pty"
check 'in one line' says 'shared already by process'
check 'TCP: no such port' status 2 over -t tcp:70000 ping
check 'TCP: says so' says 'a port from 1 to 65535'
check 'the port is taken' status 2 over serve -t "tty:$(sed -n 's/^board 2: //p' "$log")" --tcp "$port"
check 'in one line' one_line
check 'it says so' says 'Address already in use'
end 0 INT
check 'SIGINT: status 0' [ $got = 0 ]
check 'the line is free again' over -t "tty:$pty" ping
check 'the simulator ends' stop
finish
