#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `boardsim --boards` with bitstreams among them: what it makes of its options (at_pins.c, boards.sh), what it
# refuses, and that it builds but once. A folder like the top one has a build.sh whose bitsim prints how it was
# started, and exits with 3. With a bitstream: build/tests/bitstream_ping.
. tests/tap.sh
B=${B:-build}
dir=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 2' INT TERM
shown=$dir/out
from=$PWD
case $B in
/*) build=$B ;;
*) build=$from/$B ;;
esac
board=ice40hx8k-b-evn
bits=build/bitstream/$board
built=$dir/built
export built

mkdir -p "$dir/top/sim/bitstream" "$dir/top/$bits"
cd "$dir/top" || exit 2
ln -s "$from/constraints" "$from/rtl" "$from/tests" "$from/firmware" .
ln -s "$from/sim/cosim" "$from/sim/model" sim/
ln -s "$from/sim/bitstream/boards.sh" "$from/sim/bitstream/facts.sh" sim/bitstream/
for part in constraints firmware sim libofr.a libfw.a; do
    ln -s "$build/$part" build/
done
cat > sim/bitstream/build.sh << 'SH'
echo "$@" >> "$built"
[ -z "$FAILS" ] || exit 1
echo 'for word; do echo "$word"; done; exit 3' > "$3/bitsim"
chmod +x "$3/bitsim"
SH
: > "$built"
boardsim() { B=build "$build/bin/boardsim" --sockets "$dir" "$@" > "$dir/out" 2>&1; }
ends() { # STATUS OPTIONS
    wanted=$1
    shift
    boardsim "$@"
    [ $? = "$wanted" ]
}
count() { grep -c . "$built"; }
refused() { # WORDS OPTIONS: by one line, and nothing is built
    words=$1 before=$(count)
    shift
    ends 2 "$@" && [ "$(grep -c . "$dir/out")" = 1 ] && grep -q -e "$words" "$dir/out" && [ "$(count)" = "$before" ]
    result $? "refused: $*"
}

refused "$bits/bitstream.bin is not there, .*make bitstream BOARD=$board\$" --boards bb --dims 2x1
facts=$("$build/constraints/board" facts $board)
eval "$facts"
: "${inputs:?}" "${serial:?}"
echo bits > $bits/bitstream.bin
echo "0 $serial" > $bits/made-from
refused 'of other inputs' --boards bb --dims 2x1
echo "$inputs $serial" > $bits/made-from

# told WORDS...: bitsim got these
told() { printf '%s\n' "$@" | diff - "$dir/out" > "$dir/diff" || { sed 's/^/# /' "$dir/diff"; false; }; }
check "bitsim's exit status" ends 3 --boards bbrg --dims 2x2
check 'what is built' [ "$(cat "$built")" = "$board  $bits/bitstream.bin $bits/bitstream.bin \
rtl:ulx3s-85f-small:BAUD=3000000 golden:ulx3s-85f-small:BAUD=3000000 $bits/bbrg-ulx3s-85f-small" ]
check 'it says so' grep -q "^boardsim: $bits/bbrg-ulx3s-85f-small/bitsim is built" "$dir/out"
check 'again' ends 3 --boards bbrg --dims 2x2
check 'it is built once' [ "$(count)" = 1 ]
flash=$bits/flash-00000000000000a
check 'how it is started' told --dims 2x2 --seed 1 --straight \
    --flash ${flash}1.bin --host "0:365:$dir/board0.sock" --flash ${flash}2.bin --host "1:365:$dir/board1.sock" \
    --flash ${flash}3.bin --host "2:14:$dir/board2.sock" --flash ${flash}4.bin --host "3:14:$dir/board3.sock"
check 'all options' ends 3 --boards bbrg --dims 2x2 --link phy --seed 7 --cycles 100 --bit-errors 1e-6 --no-shadow \
    --cable 0.x+ --cable 1.x- --cable 2.y- --cable 3.y+:3.y+
head -n 16 "$dir/out" > "$dir/head" && mv "$dir/head" "$dir/out"
check 'how those are said: a cable is pulled once' told --dims 2x2 --seed 7 --cycles 100 --errors 1000000 --alone \
    --pull 0:0 --pull 2:3 --loop 3:2 --straight
check 'jumpers, and then nothing, and the other way round' ends 3 --boards bbrg --dims 2x2 \
    --cable 0.x+:0.x+ --cable 0.x+ --cable 2.y+ --cable 2.y+:2.y+ --cable 1.y-:1.y- --cable 3.y+
head -n 15 "$dir/out" > "$dir/head" && mv "$dir/head" "$dir/out"
check 'the last word counts' told --dims 2x2 --seed 1 --pull 0:0 --pull 2:2 --loop 2:2 --loop 1:3 --pull 3:2 --straight
echo other > $bits/bitstream.bin
FAILS=1 check 'another bitstream: a build that fails' ends 1 --boards bbrg --dims 2x2
check 'another bitstream: it is built again' ends 3 --boards bbrg --dims 2x2
check 'for that, and no more often' [ "$(count)" = 3 ]
together() { # four at one time, each another torus of the same bitstream
    for dims in 2x1 3x1 4x1 5x1; do
        (B=build "$build/bin/boardsim" --sockets "$dir" --boards bitstream --dims $dims > "$dir/out-$dims" 2>&1; echo $? > "$dir/ended-$dims") &
    done
    wait
    [ "$(cat "$dir"/ended-*)" = "$(printf '3\n3\n3\n3')" ] || { cat "$dir"/out-* > "$dir/out"; false; }
}
for round in 1 2 3; do
    check "four that are started together, $round" together
done
check 'all alike, by a word' ends 3 --boards bitstream --dims 1x1
check 'all alike: what is built' grep -q -x "$board  $bits/bitstream.bin $bits/b" "$built"
check 'beside another one' ends 3 --boards br --beside $board --dims 2x1
check 'beside another one: what is built' grep -q -x "$board  $bits/bitstream.bin rtl:$board $bits/br-$board" "$built"

# An ECP5's serial number is in its bitstream; image.sh, which puts it there, needs a true one.
bits=build/bitstream/icepi-zero
facts=$("$build/constraints/board" facts icepi-zero)
eval "$facts"
mkdir $bits stubs
echo bits > $bits/bitstream.bin
echo "$inputs $serial" > $bits/made-from
ln -s "$from"/constraints/* stubs/
rm stubs/image.sh constraints
mv stubs constraints
# shellcheck disable=SC2016 # it has these
echo 'echo "$3" > "$2/flash-$3.bin"' > constraints/image.sh
check 'an ECP5' ends 3 --boards bbrg --dims 2x2 --bitstream icepi-zero
check 'an ECP5: what is built' grep -q -x "icepi-zero  $bits/flash-00000000000000a1.bin \
$bits/flash-00000000000000a2.bin rtl:icepi-zero golden:icepi-zero $bits/bbrg-icepi-zero" "$built"
check 'an ECP5: again' ends 3 --boards bbrg --dims 2x2 --bitstream icepi-zero
check 'an ECP5: how it is started' told --dims 2x2 --seed 1 --host "0:434:$dir/board0.sock" \
    --host "1:434:$dir/board1.sock" --host "2:434:$dir/board2.sock" --host "3:434:$dir/board3.sock"

for option in '--latency 3' '--link plain' '--link reliable' '--spread 2' '--bursts 1e-6' '--misfit 0' '--channels 8' \
    '--threads 1' '--break 100' '--ppm 100' --wait --pty '--usbip 0' '--ledger x' '--at 100:reset' \
    '--pull 0.x+@1-2'; do
    # shellcheck disable=SC2086 # words
    refused "^boardsim: --[a-z-]*: has no meaning" --boards bb --dims 2x1 $option
done
refused 'write 4 letters' --boards bbr --dims 2x2
refused 'write 4 letters' --boards bbs --dims 2x2
refused 'write 16 letters' --boards bb
refused '20 boards; .* up to 16' --boards bitstream --dims 4x5
refused 'a torus of 2 dimensions, and --dims has 3' --boards bb --dims 2x1x1
refused 'ulx3s-85f has 6 cables' --boards br --dims 2x1 --beside ulx3s-85f
refused 'no board "nothing"' --boards bb --dims 2x1 --bitstream nothing
refused 'no board "nothing"' --boards bg --dims 2x1 --beside nothing
refused "$board has no golden model" --boards bg --dims 2x1 --beside $board
refused 'none of them is r or g' --boards bb --dims 2x1 --beside ulx3s-85f-small
refused 'goes with a b' --boards rr --dims 2x1 --bitstream $board
refused 'goes with a b' --dims 2x1 --beside $board
refused 'make bitstream BOARD=ulx3s-12f' --boards bb --dims 2x1 --bitstream ulx3s-12f
refused 'none be plugged in' --boards bb --dims 2x1 --cable 0.x+:1.y-
refused 'none be plugged in' --boards bb --dims 2x1 --cable 2.x+
refused 'one bit of a whole number' --boards bb --dims 2x1 --bit-errors 1e-12
refused 'one bit of a whole number' --boards bb --dims 2x1 --bit-errors 0.4
refused 'No such file' --boards bb --dims 2x1 --sockets "$dir/nowhere"
cd "$dir" || exit 2
refused 'from the top folder' --boards bb --dims 2x1
cd "$from" || exit 2
finish
