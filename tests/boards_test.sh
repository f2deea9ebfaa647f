#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main job, end to end: torusctl against boardsim's boards, RTL and golden, good and bad input.
# TAP. Every wait is bounded; what it starts it ends. FULL=1: 256 boards are programmed and run, too.
. tests/boards.sh

# --- RTL boards, the golden model beside them -----------------------------------------------------
start --dims 2x2
check 'RTL 2x2: discover' torus discover
check 'RTL 2x2: found as a 2x2 torus of 4 boards' says '4 boards, a 2x2 torus'
check 'RTL 2x2: program' torus program --routing ofr
check 'RTL 2x2: run' torus run --pattern uniform,bitreverse --load 0.6
check 'RTL 2x2: counters' torus counters
check 'RTL 2x2: ping all' torus ping --all
check 'RTL 2x2: ends well' stop
cp "$dir/log" "$dir/out"
check 'RTL 2x2: every counter equals the golden model' says 'all 4 boards equals the golden'
check 'RTL 2x2: nothing differs' status 1 grep -q 'DIFFER\|differs' "$dir/log"

start --dims 2x2x2 --boards rggrgrrg
check 'RTL and golden boards mixed, 3D: discover' torus discover
check 'mixed: a 2x2x2 torus' says '8 boards, a 2x2x2 torus'
check 'mixed: program' torus program --routing por
check 'mixed: run' torus run --pattern uniform --load 0.3
check 'mixed: RTL boards equal their shadows to the end' stop

start --dims 2x1 --break 3000
check 'broken twin: discover still works' torus discover
check 'broken twin: program' torus program --routing abr
check 'broken twin: run' torus run --pattern neighbour --load 0.5
check 'broken twin: a wrong credit in the golden model is found' status 1 stop

# --- Golden boards --------------------------------------------------------------------------------
start --dims 3x5 --boards golden
check 'golden 3x5: not configured yet, says so' status 2 torus run --pattern uniform
check 'golden 3x5: and what to do' says 'run program first'
check 'golden 3x5: discover' torus discover
check 'golden 3x5: program' torus program --routing ofr
check 'golden 3x5: patterns that exist' torus run --pattern all --load 0.3
check 'golden 3x5: the others are named' says 'bitreverse is skipped'
check 'golden 3x5: refused when asked for alone' status 2 torus run --pattern bitreverse
check 'golden 3x5: in one line' one_line
check 'golden 3x5: ping outside' status 2 torus ping --at 3,0
check 'golden 3x5: in one line' one_line
check 'golden 3x5: JSON' torus --format json counters
all_counters() { # of 15 boards, as a JSON parser reads them
    python3 - "$dir/out" << 'PY'
import json, sys
with open(sys.argv[1]) as f:
    d = json.load(f)
boards = d["boards"]
good = (d["sizes"] == [3, 5] and sorted(b["at"] for b in boards) == [[x, y] for x in range(3) for y in range(5)]
        and all(len(b["counters"]) == 5 * 12 + 9 + 2 * 12 for b in boards)
        and all(type(v) is int and v >= 0 for b in boards for v in b["counters"].values())
        and sum(b["counters"]["delivered"] for b in boards) > 1000)
sys.exit(0 if good else "# other counters than these boards have")
PY
}
check 'golden 3x5: JSON: every counter of every board' all_counters
head -c 3000 "$dir/out" > "$dir/cut" && mv "$dir/cut" "$dir/out"
check 'golden 3x5: JSON, twin: one that is cut off is found' eval '! all_counters 2> /dev/null'
check 'golden 3x5: ends' stop

start --dims 4x4 --boards golden --cable 5.x+:7.y- --cable 0.x+
check 'golden 4x4 mis-cabled: discover fails the check' status 1 torus discover
check 'golden 4x4 mis-cabled: names the swapped cable' says 'it should go to'
check 'golden 4x4 mis-cabled: names the missing one' says 'no cable from x+'
check 'golden 4x4 mis-cabled: ends' stop

# A host that is there before the first cycle: the simulator cannot say that its sockets are open, as
# it does before that cycle, while the pipe that it says it to is full.
mkfifo "$dir/full"
exec 7<> "$dir/full"
yes | dd of="$dir/full" oflag=nonblock bs=4096 iflag=fullblock 2>/dev/null
"$B/bin/boardsim" --threads 1 --sockets "$dir" --link plain --dims 16x16 --boards golden > "$dir/full" 2>&1 &
sim=$!
wait_for 300 [ -S "$dir/board255.sock" ]
torus discover &
early=$!
connected() { # one socket listens, the other has come
    [ "$(grep -c "$dir/board0.sock" /proc/net/unix)" -ge 2 ]
}
check 'golden 16x16: a host that comes early is there' wait_for 300 connected
cat <&7 > "$dir/log" &
drain=$!
wait "$early"
check 'golden 16x16: a host that comes early finds them all too' says '256 boards, a 16x16 torus'
if [ -n "${FULL:-}" ]; then
    check 'golden 16x16: program' torus program --routing ofr
    check 'golden 16x16: run' torus run --pattern transposition --load 0.2
fi
check 'golden 16x16: ends' stop
kill "$drain"
wait "$drain" 2>/dev/null
exec 7>&-

# --- A table of one's own -------------------------------------------------------------------------
start --dims 4x3 --boards golden
"$B/bin/torusctl" program --print | sed 's/"delta": 2/"delta": 1/; s/"eta": 2/"eta": 1.5/' \
    > "$dir/mine.json"
check 'own table: programmed from the start' torus program "$dir/mine.json"
check 'own table: said so' says 'routing custom, tie both, threshold 4 slots, Delta 1, generation 1'
check 'own table: traffic' torus run --pattern uniform --load 0.5
check 'own table: info' torus info
check 'own table: known to everybody' says 'routing custom'
sed 's/"delta": 1/"delta": 2/' "$dir/mine.json" > "$dir/bad.json"
check 'own table: Delta above k/2' status 2 torus program "$dir/bad.json"
check 'own table: says how much' says 'at most 1, half the size in dimension y'
check 'own table: in one line' one_line
"$B/bin/torusctl" program --print --routing ofr --dimensions 3 --delta 1 > "$dir/bad.json"
check 'own table: of 3 dimensions' status 2 torus program "$dir/bad.json"
check 'own table: says so' says 'a table of 3 dimensions'
head -c 200 "$dir/mine.json" > "$dir/bad.json"
check 'own table: truncated' status 2 torus program "$dir/bad.json"
check 'own table: with line and column' says 'bad.json: line 1[0-9], column'
sed 's/\[1, -1\]/[1, 3]/' "$dir/mine.json" > "$dir/bad.json"
check 'own table: unknown lambda' status 2 torus program "$dir/bad.json"
check 'own table: where' says 'lambda\[0\]\[1\]: unknown lambda'
check 'own table: info again' torus info
check 'own table: nothing of that was sent' says 'Delta 1, generation 1'
check 'own table: ends' stop

# --- A broken cable -------------------------------------------------------------------------------
# Destinations for a 4x4 torus without the cable from x+ of ($2, $3): each pair whose way in
# dimension order crosses it goes by way of mode $1, "idn" by a node from which neither leg does;
# all others by the escape channels.
destinations() {
    "$B/bin/torusctl" program --print | sed '$d'
    awk -v mode="$1" -v cx="$2" -v cy="$3" '
    function crosses(x, y, tx,   up) {
        up = (tx - x + 4) % 4 <= 2
        for (; x != tx; x = (x + (up ? 1 : 3)) % 4)
            if (y == cy && x == (up ? cx : (cx + 1) % 4))
                return 1
        return 0
    }
    BEGIN {
        print ", \"destinations\": ["
        for (s = 0; s < 16; s++)
            for (t = 0; t < 16; t++) {
                x = s % 4; y = int(s / 4); tx = t % 4
                if (s == t)
                    continue
                printf "%s{\"from\": [%d, %d], \"to\": [%d, %d], \"mode\": \"%s\"", comma,
                    x, y, tx, int(t / 4), crosses(x, y, tx) ? mode : "escape"
                comma = "},\n"
                if (!crosses(x, y, tx) || mode != "idn")
                    continue
                for (q = 0; crosses(x, y, q % 4) || crosses(q % 4, int(q / 4), tx); q++);
                printf ", \"via\": [%d, %d]", q % 4, int(q / 4)
            }
        print "}]}"
    }'
}

pulled() { # the cable, as discover names it
    sed -n 's/^torusctl: no cable from x+ of (\([0-9]\),\([0-9]\)).*/\1 \2/p' "$dir/out"
}

start --dims 4x4 --boards golden --cable 5.x+
check 'broken cable: discover names it' status 1 torus discover
# shellcheck disable=SC2046
destinations idn $(pulled) > "$dir/round.json"
check 'broken cable: no preset' status 1 torus program --routing ofr
check 'broken cable: says what to do' says 'only a table with destinations'
check 'broken cable: destinations' torus program "$dir/round.json"
check 'broken cable: all have them' says 'destination table on at 16 of 16 boards'
all_from_everywhere() {
    for board in 0 3 5 6 10 15; do
        timeout 60 "$B/bin/torusctl" -t "unix:$dir/board$board.sock" ping --all > "$dir/out" 2>&1 &&
            [ "$(grep -c "^[0-9a-f]\{16\} " "$dir/out")" -eq 16 ] || return 1
    done
}
check 'broken cable: all boards answer each other' all_from_everywhere
check 'broken cable: traffic across it' torus run --pattern neighbour --load 0.5
check 'broken cable: traffic between all' torus run --pattern uniform,complement,tornado --load 0.3
check 'broken cable: info' torus info
check 'broken cable: the table is known' says 'routing custom.*on at 16 of 16'
check 'broken cable: ends' stop

start --dims 4x4 --boards golden --cable 5.x+
check 'broken cable, twin: discover' status 1 torus discover
# shellcheck disable=SC2046
destinations escape $(pulled) > "$dir/straight.json"
check 'broken cable, twin: destinations that do not go round it' \
    status 2 torus program "$dir/straight.json"
check 'broken cable, twin: in one line, where they lead' \
    says 'straight.json: packets on their way to ([0-3],[0-3]) come to a missing cable, x[+-] of'
check 'broken cable, twin: in one line' one_line
check 'around: a preset' torus program --routing ofr --around
check 'around: all have them' says 'destination table on at 16 of 16 boards'
check 'around: all boards answer each other' all_from_everywhere
check 'around: traffic across it' torus run --pattern neighbour --load 0.5
check 'around: traffic between all' torus run --pattern uniform,complement,tornado --load 0.3
torus program --routing ofr --around --print
cp "$dir/out" "$dir/around.json"
check 'around: printed as a file, which is another way to it' torus program "$dir/around.json"
check 'around: not with destinations of its own' \
    status 2 torus program "$dir/around.json" --around
check 'around: says so' says 'destinations: --around works them out'
check 'around: ends' stop

start --dims 4x2 --boards golden --cable 5.x+ --cable 0.x+ --cable 2.x-
check 'around, no way: discover' status 1 torus discover
check 'around, no way: programmed as far as there are ways' \
    status 1 torus --timeout 6 program --routing ofr --around
check 'around, no way: the pairs are listed' says '^torusctl: unreachable: ([0-3],[01]) to ([0-3],[01])$'
check 'around, no way: ends' stop

# A tree is left, a comb: most pairs have no way in two legs, boards among them that all are asked over.
comb=$(for y in 0 1 2 3 4 5 6 7; do
    echo "--cable $((7 + 8 * y)).x+"
    for x in 0 1 2 3 4 5 6 7; do
        [ $x = 0 ] && [ $y != 7 ] || echo "--cable $((x + 8 * y)).y+"
    done
done)
# shellcheck disable=SC2086
start --dims 8x8 --boards golden $comb
check 'around, a comb: discover' status 1 torus discover
check 'around, a comb: programmed as far as there are ways' \
    status 1 torus --timeout 6 program --routing ofr --around
check 'around, a comb: says that boards are cut off' says 'these destinations cut boards off'
check 'around, a comb: the pairs are listed' \
    eval '[ "$(grep -c "^torusctl: unreachable: ([0-7],[0-7]) to ([0-7],[0-7])\$" "$dir/out")" = 2612 ]'
check 'around, a comb: ends' stop

start --dims 4x4 --boards golden
check 'cut off: discover' torus discover --assign
sed 's/"mode": "[a-z]*"\(, "via": [^}]*\)*}/"mode": "unreachable"}/' "$dir/round.json" \
    > "$dir/cut.json"
sed 's/"to": \[0, 0\]/"to": [0, 4]/' "$dir/cut.json" > "$dir/bad.json"
check 'cut off: a destination outside' status 2 torus program "$dir/bad.json"
check 'cut off: where' says 'bad.json: destinations\[[0-9]*\].to: (0,4) is outside of the 4x4 torus'
check 'cut off: in one line' one_line
check 'cut off: nothing of it was written' torus info
check 'cut off: nothing is on' says 'routing none$'
check 'cut off: every board by every other, said so' \
    status 1 torus --timeout 6 program "$dir/cut.json"
check 'cut off: and what to do' says 'these destinations cut boards off'
check 'cut off: no list of what the file says itself' eval '! says unreachable:'
check 'cut off: not by address' status 2 torus --timeout 6 info
check 'cut off: taken back' torus --timeout 6 program --routing ofr
check 'cut off: all there again' torus ping --all
check 'cut off: the table is off' torus info
check 'cut off: and not mentioned' says 'routing ofr, tie both, threshold 4 slots, Delta 2, generation 2$'
check 'cut off: ends' stop

# --- Two hosts, killed hosts ----------------------------------------------------------------------
# host N ARGUMENTS...: torusctl at board N, its output in $dir/out.N
host() {
    at=$1
    shift
    timeout 120 "$B/bin/torusctl" --session $((1000 + at)) --timeout 60 \
        -t "unix:$dir/board$at.sock" "$@" > "$dir/out.$at" 2>&1
}

# Both program at the same time: each gets it done, or is told in one line who is in its way.
two_at_once() {
    for round in 1 2 3 4 5 6; do
        host 0 program --routing abr &
        first=$!
        host 9 program --routing ofr
        b=$?
        wait "$first"
        a=$?
        for n in "0 $a" "9 $b"; do
            [ "${n#* }" -eq 0 ] && continue
            [ "${n#* }" -eq 2 ] && [ "$(wc -l < "$dir/out.${n% *}")" -eq 1 ] &&
                grep -q 'has the write lease' "$dir/out.${n% *}" && continue
            cp "$dir/out.${n% *}" "$dir/out"
            why="round $round: the host at board ${n% *} ended with ${n#* }"
            return 1
        done
        cat "$dir/out.0" "$dir/out.9" > "$dir/out"
        why="round $round: neither got it done"
        [ "$a" -eq 0 ] || [ "$b" -eq 0 ] || return 1
        torus info || return 1
    done
}

# A program whose connection ends after so many frames, as if it were killed: what is left is whole,
# or said to be mixed and mended by --resume or --abort in turns. The dead session has the lease.
cut_short() {
    mixed=0
    for frames in 5 7 9 11 13 14 14 15 15 16; do
        python3 - "$dir/cut.sock" "$dir/board3.sock" "$frames" << 'PY' &
import os, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1] + ".new")
listener.listen(1)
os.rename(sys.argv[1] + ".new", sys.argv[1]) # there only now, when a host can connect
listener.settimeout(60)
board = socket.socket(socket.AF_UNIX)
board.connect(sys.argv[2])
board.settimeout(60)
host = listener.accept()[0]
os.unlink(sys.argv[1])
host.settimeout(60)
try:
    for n in range(int(sys.argv[3])):
        for source, target in (host, board), (board, host):
            left = 32
            while left:
                got = source.recv(left)
                target.sendall(got)
                left -= len(got) or left
except OSError:
    pass
PY
        relay=$!
        wait_for 60 [ -S "$dir/cut.sock" ]
        # No request is sent twice: that would be one of the frames.
        timeout 60 "$B/bin/torusctl" --session 77 --retry 60 -t "unix:$dir/cut.sock" \
            program --routing por > "$dir/out" 2>&1
        got=$?
        why="cut short after $frames frames: status $got"
        [ $got -eq 2 ] && one_line || return 1
        wait "$relay"
        torus info
        case $? in
        0) torus --take-over program --routing ofr || return 1 ;;
        1)
            mixed=$((mixed + 1))
            says '--resume or --abort' || return 1
            mend=--resume
            [ $((mixed % 2)) -eq 0 ] && mend=--abort
            torus --take-over program "$mend" || return 1
            torus info || return 1
            ;;
        *) return 1 ;;
        esac
    done
    why="cut short: $mixed of 10 times half programmed, said so and mended"
    echo "# $why"
    [ $mixed -ge 2 ]
}

start --dims 4x4 --boards golden
check 'two hosts: discover' torus discover --assign
check 'two hosts: both program at once' two_at_once
"$B/bin/torusctl" --session 5555 -t "unix:$dir/board5.sock" run --pattern uniform --load 0.1 \
    --cycles 200000000 > "$dir/out.5" 2>&1 &
measuring=$!
leased() {
    torus --format json ping && says '"leased": true'
}
check 'two hosts: one measures' wait_for 60 leased
check 'two hosts: who programs while the other measures is refused' \
    status 2 torus program --routing abr
check 'two hosts: says who has the lease' says 'session 5555 has the write'
check 'two hosts: in one line' one_line
check 'two hosts: looking is free' torus info
kill -KILL "$measuring"
wait "$measuring" 2>/dev/null
check 'two hosts: a dead one is taken over' torus --take-over program --routing abr
if command -v python3 > /dev/null; then
    check 'program cut short: whole, or said and mended' cut_short
fi
check 'two hosts: ends' stop

# --- Bad input ------------------------------------------------------------------------------------
check 'boardsim: a size of 17' status 2 boardsim --dims 17x4
check 'boardsim: in one line' one_line
check 'boardsim: no cycles below 0' status 2 boardsim --cycles -1 --sockets "$dir"
check 'boardsim: nor beyond 64 bits' status 2 boardsim --cycles 18446744073709551616 --sockets "$dir"
check 'boardsim: unknown kinds' status 2 boardsim --boards zz
check 'boardsim: no bitstream of that board' status 2 boardsim --boards bb --dims 2x1 --bitstream nothing
check 'boardsim: a cable of no board' status 2 boardsim --cable 16.x+ --sockets "$dir"
check 'torusctl: nobody there' status 2 torus discover
check 'torusctl: in one line' one_line

finish
