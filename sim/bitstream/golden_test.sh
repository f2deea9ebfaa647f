#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Golden boards at their pins (golden_chip.c), two of a small ULX3S, both cables of each ring of two, bit errors on
# them: found, programmed, traffic, what is damaged is mended; LEDs, with jumpers from ports to themselves; a twin whose
# links take damaged frames; options of bitsim that are refused.
. tests/tap.sh
. tests/wait.sh
B=${B:-build}
export GOLDEN="${GOLDEN:-$B}"
. sim/bitstream/session.sh
out=$B/sim/golden
retry=3 # seconds, as the first request may come during reset
kind=golden:ulx3s-85f-small:BAUD=3000000

start() { # FOLDER OPTIONS
    run=$1
    shift
    start_simulator "$dir/log" "$run/bitsim" --dims 2x1 --seed "${SEED:-1}" --divisor 14 \
        --socket "$dir/board.sock" "$@"
}
mkdir -p "$out"
check 'two golden boards are built' built ulx3s-85f-small "$kind $kind" "$out/boards"
start "$out/boards" --errors 20000 --loose 0:0
check 'the cables of board 0 are up' up 'x+,x-' 2000
check 'discover' torus discover
check 'two boards' says '^2 boards, a 2x1 torus$'
check 'each with its serial number' [ "$(grep -c '00000000000000a[12]' "$dir/out")" = 2 ]
check 'program' torus program --routing ofr
check 'traffic' torus run --load 0.05 --cycles 40000 --warmup 4000
sed 's/^/# /' "$dir/out"
check 'as much is accepted as is offered, within 2%' says ' 0.0500 *[0-9.]* *0.0\(49\|50\)'
check 'counters' torus counters --format json
cp "$dir/out" "$dir/counters"
mended 4 "$dir/counters" > "$dir/out"
result $? 'bit errors were found at all four ends, and mended'
sed 's/^/# /' "$dir/out"
kill -USR1 "$sim"
wait_for 60 logged '0:0 is out'
check 'a cable is pulled' up 'x-' 2000
kill -USR1 "$sim"
wait_for 60 logged 'in again'
check 'and put back: up again' up 'x+,x-' 2000
check 'all answer' torus ping --all
check "it ends well: the golden links' ends were the RTL's in every cycle" stop
sed 's/^/# /' "$dir/log"

lit 0 40 "LEDs in reset: none has been found to be silent yet" "$out/boards/bitsim" --dims 2x1 --cycles 16000
leds 0 "$out/boards/bitsim" --dims 2x1 --seed "${SEED:-1}" --cycles 1300000 --pull 0:0 --pull 0:1 # 2^20 bits, and more

# Links whose model takes every frame for good, beside those of the RTL.
twin=$out/twin
mkdir -p "$twin"
cp "$B/libofr.a" "$B/libfw.a" "$twin/"
sed 's/bad = (word ^ r->crc) & looked_at;/bad = false;/' sim/model/link.c > "$twin/link.c"
! cmp -s sim/model/link.c "$twin/link.c" &&
    ${CC:-gcc} -O2 -std=c11 -Isim/model -Ifirmware -c -o "$twin/link.o" "$twin/link.c" &&
    ar r "$twin/libofr.a" "$twin/link.o"
result $? 'twin: a model that takes damaged frames is built'
GOLDEN=$twin check 'twin: built' built ulx3s-85f-small "$kind $kind" "$twin/boards"
start "$twin/boards" --errors 20000 --cycles 2000000
! wait "$sim"
result $? 'twin: it ends by itself'
sim=
check "twin: the RTL's end is another" logged 'in the RTL, .* in the golden model$'
sed 's/^/# /' "$dir/log"

refused() { # WORDS BOARD: by one line
    sh sim/bitstream/build.sh ulx3s-85f-small "$2" "$dir/refused" > "$dir/out" 2>&1
    [ $? = 2 ] && [ "$(grep -c . "$dir/out")" = 1 ] && says "$1"
    result $? "refused: $2"
}
refused 'ulx3s-85f-small has its router' golden:ice40hx8k-b-evn
refused 'there is no board "nothing"' golden:nothing
wrong() { # WORDS OPTIONS: bitsim, by one line
    words=$1
    shift
    "$out/boards/bitsim" --dims 2x1 --cycles 16 "$@" > "$dir/out" 2>&1
    [ $? = 2 ] && [ "$(grep -c . "$dir/out")" = 1 ] && says "$words"
    result $? "refused: $(echo "$*" | cut -c 1-60)"
}
wrong 'BOARD:PORT' --loop 2:0
wrong 'BOARD:PORT' --loop 0:4
wrong 'BOARD:PORT' --loop 0
wrong 'is that of --loose 0:0' --loose 0:0 --loop 0:0
wrong 'is that of --loose 0:0' --loose 0:0 --loop 1:1
wrong 'is that of --loose 1:1' --loose 1:1 --pull 1:1 --loop 0:0
wrong 'BOARD:PORT:WIRE' --open 0:0
wrong 'BOARD:PORT:WIRE' --open 0:0:3
wrong 'there is no cable' --pull 0:2
wrong 'there is no cable' --loose 0:2
wrong 'up to 96' $(for _ in $(seq 97); do echo --loop 0:0; done)
"$out/boards/bitsim" --loop 0:0 > "$dir/out" 2>&1
[ $? = 2 ] && [ "$(grep -c . "$dir/out")" = 1 ] && says 'boards, and 2 are built in'
result $? 'refused: one board where two are built in'
finish
