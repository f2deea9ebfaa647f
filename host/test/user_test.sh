#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Users' programs from a host: libtorus' calls (user_calls.c), torusctl load, start and console, on an
# RTL board with a user's core beside a golden one that has none. An endless loop and a wild store
# leave the board manageable. Twins: a library that loads over a program that runs; one that leaves
# its ends; one that starts what was not loaded. FULL=1: also the examples on a ring of two RTL
# boards, sums and the stencil equal to the host's. TAP.
. tests/boards.sh
programs=$B/firmware/user

# image FILE WORD...: a program: over the place that it is told, then these words
image() {
    python3 - "$@" << 'PY'
import struct, sys
words = [0x0200006F] + 7 * [0] + [int(w, 0) for w in sys.argv[2:]]
open(sys.argv[1], "wb").write(b"".join(struct.pack("<I", w) for w in words))
PY
}
refused() { # WORDS ARGUMENTS...: one line, status 2
    words=$1
    shift
    torus "$@"
    [ $got = 2 ] && one_line && says "$words"
}
twin() { # NAME ARGUMENTS...
    which=$1
    shift
    timeout 120 "$B/twin/user_$which/torusctl" --timeout 5 -t "unix:$dir/board0.sock" "$@" > "$dir/out" 2>&1
}
calls() { timeout 120 "$B/host/user_calls" "unix:$dir/board0.sock" > "$dir/out" 2>&1; }
console() { # EXPRESSION of b, the board's row
    torus console --at 1,0 --wait 20 --format json && json "[b for b in d['boards']] and (lambda b: $1)(d['boards'][0])"
}
manageable() {
    torus ping --all && torus counters && torus reg --at 1,0 NODE.SEED=0x600d &&
        torus reg --at 1,0 NODE.SEED && says 0x600d
}

# jacobi NODES SEED STEPS: what each node's program is to print, by firmware/user/jacobi.h
jacobi() {
    python3 - "$@" << 'PY'
import sys
nodes, seed, steps = map(int, sys.argv[1:])
ROWS, COLS = 6, 8
def first(row, col):
    x = seed ^ (row << 16 | col)
    for _ in range(3):
        x = (x ^ x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x = (x ^ x << 5) & 0xFFFFFFFF
    return x & 0xFFFFFF
all = ROWS * nodes
cell = [[first(r, c) for c in range(COLS)] for r in range(all)]
for _ in range(steps):
    cell = [[(cell[r - 1][c] + cell[(r + 1) % all][c] + cell[r][c - 1] + cell[r][(c + 1) % COLS]) >> 2
             for c in range(COLS)] for r in range(all)]
for n in range(nodes):
    print("sum", sum(map(sum, cell[ROWS * n:ROWS * (n + 1)])) & 0xFFFFFFFF)
PY
}

# An endless loop; a store to the board's registers, and endless; a message begun, and endless
image "$dir/endless.bin" 0x6f
image "$dir/wild.bin" 0x400000b7 0x0010a023 0x6f
image "$dir/begins.bin" 0x600010b7 0x0020a623 0x6f
# Sends argument 0 from end 0, waits for what comes at end 1, prints it and ends with it
image "$dir/letter.bin" 0x600010b7 0x00400113 0x0020a223 0x00c02103 0x0020a623 0x0300a103 \
    0xfe010ee3 0x0380a103 0x0200ae23 0x600000b7 0x0020a423 0x0020a623
: > "$dir/empty.bin"
head -c 40 "$programs/jacobi.elf" > "$dir/cut.elf"
head -c 20000 /dev/zero | tr '\0' 'o' > "$dir/large.bin"

start --dims 2x1 --boards gr --link reliable --channels 8 --user
check 'programmed' torus program
check 'start of none that was loaded' refused '(1,0): no program is loaded' start
twin starts start
check 'twin: one that does not look: starts it' says started
check 'calls' calls
# A load that is cut, over a program that is there: a mixture of both, which is not started. Its board's
# own host sees how far it is.
far() {
    "$B/bin/torusctl" --retry "$retry" -t "unix:$dir/board1.sock" --format json reg USER.MEM_ADDR > "$dir/far" 2>&1 &&
        at=$(sed -n 's/.*"value": \([0-9]*\).*/\1/p' "$dir/far" | head -n 1) && [ "$at" != "$was" ] && [ "$at" -gt 100 ]
}
cut_load() { # TORUSCTL
    was=
    far
    was=$at
    "$1" --timeout 120 --retry "$retry" -t "unix:$dir/board0.sock" load "$programs/jacobi.bin" --at 1,0 > "$dir/load" 2>&1 &
    load=$!
    wait_for 60 far || return 1
    kill $load
    wait $load
    [ $? = 2 ]
}
check 'twin: half of a program that looks whole' cut_load "$B/twin/user_first/torusctl"
! refused 'no program is loaded' start && says started
result $? 'twin: is started'
torus start --hold
check 'a load is cut' cut_load "$B/bin/torusctl"
check 'what is there is not started' refused '(1,0): no program is loaded' start
check 'a board without a core' refused "without a user's core" load "$programs/hello.bin" --at 0,0
check 'a board outside' refused 'outside of the torus' load "$programs/hello.bin" --at 5,0
check 'no file' refused 'No such file' load "$dir/nothing"
check 'an empty file' refused 'it is empty' load "$dir/empty.bin"
check 'a folder' refused 'directory' load "$dir"
check 'a file without an end' refused 'longer than 16 MiB' load /dev/zero
check 'a piece of an ELF file' refused 'ELF header' load "$dir/cut.elf"
check 'an ELF file of this machine' refused 'RV32' load "$B/bin/torusctl"
check 'no program' refused 'no program' load rtl/regs/outflank.json --at 1,0
check 'more than there is memory' refused 'the memory at (1,0) has 16384' load "$dir/large.bin"
check 'a place that is none' refused 'write X,Y' load "$programs/hello.bin" --at 1.0
check 'no number' refused 'write numbers' start --argument 1,x
check 'an option that does nothing' refused 'hold' start --hold --ring

check 'a program that sends a letter' torus load "$dir/letter.bin"
check 'a ring, and started' torus start --ring --argument 65
check 'whose ends these are' torus --format json channel 1,0
check 'is said' json '[e["has"] for e in d["ends"]] == 4 * ["user"] + 4 * ["pins"]'
check 'what it has printed' console 'b["text"] == "A" and b["state"] == "ended" and b["code"] == 65 and b["at"] == [1, 0]'
check 'is taken' console 'b["text"] == ""'

check 'a wild store: loaded' torus load "$dir/wild.bin" --at 1,0
check 'started' torus start --at 1,0
check 'stops the program, at its address' console 'b["state"] == "stopped" and "nothing is" in b["cause"] and b["pc"] == "0x24" and b["address"] == "0x40000000"'
check 'the board is as it was' manageable
check 'an endless loop: loaded, started' torus load "$dir/endless.bin"
check 'started' torus start
check 'runs' torus console --format json
check 'says so' json 'd["boards"][0]["state"] == "running"'
check 'the board is manageable' manageable
check 'twin: one that does not hold it: does not load' status 2 twin holds load "$dir/wild.bin"
check 'held' torus start --hold
check 'and loaded again' torus load "$dir/begins.bin"
check 'a message that does not end' torus start --ring
check 'twin: one that leaves its ends: loads' twin ends load "$dir/endless.bin"
check 'which cannot be joined' status 2 torus start --ring
check 'over it: loaded' torus load "$dir/endless.bin"
check 'joined, and started' torus start --ring
check 'the board is manageable still' manageable
check 'ended well' stop

start --dims 2x1 --boards golden --channels 8
check 'golden boards: programmed' torus program
check 'have none' refused "none is built with a user's core" load "$programs/hello.bin"
check 'ended well' stop
refuse_sim() { boardsim --dims 2x1 --cycles 1 "$@"; [ $? != 0 ] && says user; }
check 'boardsim: golden boards have none' refuse_sim --boards golden --channels 8 --user
check 'boardsim: goes with channels' refuse_sim --boards rtl --user

if [ -n "${FULL:-}" ]; then
    start --dims 3x1 --boards grr --link reliable --channels 8 --user
    check 'FULL: programmed' torus program
    check 'FULL: a program by its ELF file' torus load "$programs/hello.elf"
    check 'FULL: a ring, and started' torus start --ring --argument 40
    check 'FULL: ended' torus console --wait 60 --format json
    check 'FULL: what they have printed' json '[b["text"] for b in d["boards"]] == ["hello from 0 of 2\n42 has come back\n", "hello from 1 of 2\n"]'
    check 'FULL: collectives' torus load "$programs/sums.bin"
    check 'FULL: started' torus start --ring --argument 7
    check 'FULL: ended' torus console --wait 60 --format json
    check 'FULL: sums and largest of both' json '[b["text"] for b in d["boards"]] == 2 * ["sum 819, largest 546\n"]'
    check 'FULL: a stencil' torus load "$programs/jacobi.bin"
    check 'FULL: started' torus start --ring --argument 7,5
    check 'FULL: ended' torus console --wait 60 --format json
    jacobi 2 7 5 > "$dir/sums"
    check 'FULL: equal to the host' json "[b['text'] for b in d['boards']] == open('$dir/sums').read().splitlines(keepends=True)"
    check 'FULL: ended well' stop
fi
finish
