#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bitstream_test.sh BOARD: is the board's bitstream what it should be? It is built, decoded and run
# beside the RTL, from the image that goes into the board's flash: output pins equal in every cycle,
# from configuration on, while torusctl finds the board and asks it things. Then the same with a bit of
# it wrong, the broken twins. `make bitstream-test` starts it; it takes minutes. Of an ECP5 it is the
# netlist after place and route that is run, with the bitstream's contents, and compared with it
# (ecp5_netlist.c). Four of an iCE40's with cables are run once more as a torus, beside four of its RTL,
# their counters' accounts compared with the golden model's; and two with two ULX3S, one of RTL and one golden, whose
# traffic goes through them. 32 bits are wrong until a board alone has answered (more of that:
# wrong_bits_test.sh). SEED: of the bits, and replays. BRIEF=1: only until a board has answered a ping, as `boardsim
# --boards b`, which is what `make test` has of it, for an iCE40.
. tests/tap.sh
. tests/wait.sh
. sim/bitstream/board.sh

check 'the bitstream is built' flow
[ $failed = 0 ] || finish
check 'it is that of constraints/README.md' \
    grep -q "^| $board | [0-9a-f]* | $(cat "$out/sha256") |" constraints/README.md
case $fpga in
ice40-*) # each line of what it says is in the README
    check 'times of its pins' sh -c 'sh constraints/pin_times.sh "$1" "$2" > "$3"' - "$board" "$out" "$dir/times"
    written() { # FILE
        [ "$(grep -c . "$1")" = 6 ] && [ "$(grep -c -x -F -f "$1" constraints/README.md)" = 6 ]
    }
    check 'they are those of constraints/README.md' written "$dir/times"
    sed 's/^\(y- .*\)[0-9]$/\1x/' "$dir/times" > "$dir/wrong"
    ! written "$dir/wrong"
    result $? 'twin: another time is found'
    ;;
esac
if [ -n "${BRIEF:-}" ]; then # as boardsim has it
    alone="$B/bin/boardsim --dims 1x1 --boards b --bitstream $board --sockets $dir"
    simulator=$alone socket=board0.sock
    # shellcheck disable=SC2086 # words
    $simulator --cycles 1600 > "$dir/log" 2>&1
    result $? 'boardsim: it decodes, and Verilator takes it'
else
    alone="$out/sim/bitsim $flash"
    simulator="$alone --divisor $divisor --socket $dir/board.sock --record 0:$dir/session"
    check 'it decodes, and Verilator takes it' built "$board" "$image" "$out/sim"
fi
[ $failed = 0 ] || finish

# shellcheck disable=SC2086 # words
start_simulator "$dir/log" $simulator
check 'ping' torus ping -c 2
sed 's/^/# /' "$dir/out"
if [ -z "${BRIEF:-}" ]; then
    check 'discover' torus discover
    sed 's/^/# /' "$dir/out"
    check 'one board' says '^1 board'
    check 'with its serial number' says 0000000000000001
    check 'program' torus program --routing ofr
    check 'counters' torus counters --all
else
    ! logged 'is built'
    result $? 'boardsim: kept, not built again'
fi
check 'it ends well' stop
cycles=300000 # its links have had their time to come up
if [ -n "${BRIEF:-}" ]; then
    # shellcheck disable=SC2086 # words
    lit 0 01 'LEDs, no cable: out of reset' $alone --cycles $cycles
    # shellcheck disable=SC2086
    lit 0 21 'jumpers from x+ to x+: and a cable is up' $alone --cycles $cycles --cable 0.x+:0.x+
elif [ -n "$flash" ]; then
    # shellcheck disable=SC2086
    leds 0 $alone --dims 1x1 --straight --cycles $cycles
fi
sed 's/^/# /' "$dir/log"
check 'all output pins were equal in every cycle' logged 'all output pins were equal'
check 'the first byte came in the same cycle' sh -c \
    "[ \$(sed -n 's/.*first byte in cycle //p' '$dir/log' | sort | uniq -c | \
        awk '{ print \$1 }') = 2 ]"
[ -z "${BRIEF:-}" ] || finish

# Four of them, each with a serial number of its own, cabled to a 2x2 torus at their pins: what boards with
# cables are for.
of_four() {
    images='' dims=2x2 said=2x2
    ! grep -q '"port": "cable_tx_clk\[4\]"' "constraints/$pins_of.json" || dims=2x2x1 said=2x2x1
    case " $parameters " in
    *' N=2 '*) said=2x2 ;;
    esac
    for n in 1 2 3 4; do
        check "a torus of four: board $n" image 00000000000000a$n
        images="$images $out/flash-00000000000000a$n.bin"
    done
    check 'they decode, and Verilator takes them' built "$board" "$images" "$out/torus"
    start_simulator "$dir/log" "$out/torus/bitsim" --dims $dims --seed "$SEED" --divisor "$divisor" \
        --socket "$dir/board.sock"
    does_all "$said"
    stop
    leds='3[0-9a-f]'
    # It has five LEDs; where the second is lit, the fourth tells only that one cable is up
    [ "$board" != icepi-zero ] || leds='0[9bdf]'
    check 'all cables of all boards are up' [ "$(grep -c "led $leds\$" "$dir/log")" = 4 ]
    sed 's/^/# /' "$dir/log"
    start_simulator "$dir/log" "$out/torus/bitsim" --dims $dims --seed "$SEED" --divisor "$divisor" \
        --socket "$dir/board.sock" --pull 0:0
    check 'twin: without one of its cables, which is down, the others are up' up 'x-,y+,y-'
    stop
}

if [ -z "$flash" ]; then
    # Twins. What is refused: a wrong entry of a look-up table, one that depends on all its inputs so
    # that all entries count; a flip-flop that starts with the other value; a switch of the routing
    # that is missing, and one that is set beside. What runs: a bit of the firmware, another serial
    # number; the RTL has the right ones.
    twin=$dir/twin
    mkdir "$twin"
    printf '# SEED=%s\n' "${SEED:=1}"
    refused() { # NAME KIND MESSAGE COUNT: that many lines of KIND, drawn, one at a time
        awk -v kind="$2" -v seed="$SEED" -v count="$4" '
            function depends_on_all(table, i, entry, found) {
                for (i = 1; i < 16; i *= 2) {
                    for (entry = found = 0; entry < 16; entry++)
                        if (int(entry / i) % 2 == 0 &&
                            substr(table, 16 - entry, 1) != substr(table, 16 - entry - i, 1))
                            found = 1
                    if (!found)
                        return 0
                }
                return 1
            }
            BEGIN { srand(seed) }
            /^\.tile/ { tile = $2 }
            NR == FNR {
                if ($2 ~ /\.MODE$/ && $3 == "CCU2") # of its table not all entries count
                    carry[tile, substr($2, 1, 6)]
                next
            }
            kind == "table" && /^word: SLICE..K.\.INIT / && !((tile, substr($2, 1, 6)) in carry) &&
                depends_on_all($3) { line[n++] = FNR }
            kind == "start" && /^enum: SLICE..REG.\.REGSET / { line[n++] = FNR }
            (kind == "missing" || kind == "beside") && /^arc: .* [NESW0-9_]*[HV]0/ { line[n++] = FNR }
            END {
                for (i = 0; n && i < count; i++)
                    print line[int(rand() * n)], int(rand() * 16)
            }' "$out/sim/unpacked.config" "$out/sim/unpacked.config" > "$twin/lines"
        found=0
        while read -r line bit; do
            awk -v kind="$2" -v line="$line" -v bit="$bit" '
                function other(digit) { return digit == "1" ? "0" : "1" }
                NR == line && kind == "table" {
                    print $1, $2, substr($3, 1, bit) other(substr($3, bit + 1, 1)) substr($3, bit + 2)
                    next
                }
                NR == line && kind == "start" {
                    print $1, $2, $3 == "SET" ? "RESET" : "SET"
                    next
                }
                NR == line && kind == "missing" { next }
                NR == line && kind == "beside" { print $1, $2, other_source }
                $1 == "arc:" && $3 != other_source { other_source = $3 }
                { print }' "$out/sim/unpacked.config" > "$twin/wrong.config"
            ! "$ECP5_NETLIST" "$out/placed.json" "$twin/wrong.config" > /dev/null 2> "$dir/out" &&
                says "$3" && found=$((found + 1))
        done < "$twin/lines"
        [ "$found" = "$4" ]
        result $? "twins: $1: $found of $4 refused"
    }
    refused 'a wrong entry in a look-up table' table "which is not the netlist's" 8
    refused 'a flip-flop that starts with the other value' start 'in the netlist' 4
    refused 'a switch is missing' missing 'does not join' 8
    refused 'a switch too many' beside 'what no net does' 4

    differs() { # NAME IMAGE
        cp "$out/placed.json" "$out/firmware.hex" "$twin/"
        cp "$2" "$twin/image"
        check "twin: $1: it decodes" built "$board" "$twin/image" "$twin" "$out/sim"
        start_simulator "$dir/log" "$twin/bitsim" --divisor "$divisor" --socket "$dir/board.sock" \
            --cycles 20000000
        timeout 300 "$B/bin/torusctl" --timeout 30 --retry 5 -t "unix:$dir/board.sock" ping \
            > "$dir/out" 2>&1
        wait "$sim"
        sim=
        logged 'pins DIFFER'
        result $? "twin: $1: it differs from the RTL"
        sed 's/^/# /' "$dir/log"
    }
    # The lowest bit of the firmware's first instruction: no instruction then.
    wrong_firmware() {
        tools=$(sh tests/ecp5_tools.sh) || return 1
        eval "$tools"
        : "${ecpbram:?}" "${ecppack:?}"
        sed '1{s/3$/2/;s/7$/6/;s/[bB]$/a/;s/[fF]$/e/;}' "$out/firmware.hex" > "$twin/wrong.hex"
        cp "$out/serial.config" "$out/pattern.hex" "$twin/"
        ! cmp -s "$twin/wrong.hex" "$out/firmware.hex" && (
            cd "$twin" && "$ecpbram" --input serial.config --output wrong.config \
                --from pattern.hex --to wrong.hex && "$ecppack" --input wrong.config --bit wrong.bin
        ) > "$dir/out" 2>&1
    }
    check 'twin: a bit of the firmware is flipped' wrong_firmware
    differs 'a bit of the firmware' "$twin/wrong.bin"
    grep -q '"port": "cable_' "constraints/$pins_of.json" && of_four
    check 'twin: another serial number' image 00000000000000a1
    differs 'another serial number' "$out/flash-00000000000000a1.bin"
    finish
fi

wrong_bits() { # OPTIONS
    flips "$out/sim" --flash "$out/flash.bin" --session "$dir/session" "$@"
}
check 'a second decoder, run through it again: the same pins in every cycle' wrong_bits
[ $failed = 0 ] || finish
# Till it has answered: when it was asked hangs on how fast this machine is
answered=$(awk '/^rx/ { print $2 + 3000000; exit }' "$dir/session")
check 'of 32 bits that are wrong, some are found' wrong_bits --count 32 --least 1 --cycles "$answered"
sed 's/^/# /' "$dir/out"
grep -q '"port": "cable_' "constraints/$pins_of.json" || finish

# Four of it in a torus, alike but for the serial numbers in their flashes.
numbered 1 2 3 4
managed() { # OF SERIAL: what is done with a torus of four small boards, with its counters in $dir/OF at the end
    finds_four 2x2 "$2" "$1: "
    check "$1: program" torus program --routing abr
    check "$1: ping all" torus ping --all
    check "$1: all of them answer" [ "$(grep -c 'x+,x-,y+,y-' "$dir/out")" = 4 ]
    check "$1: counters" torus counters --format json
    cp "$dir/out" "$dir/$1"
}
# Two runs of a 2x2 torus. How many requests the host makes hangs on how fast the UART is, as it asks until
# something is done; so of the counters of packets the accounts are compared, exactly: in each board what was
# injected and what came over its four cables is what was delivered and what left. All others are the same
# in both, but how often links were tried again or began anew, which their start is part of.
same_accounts() { # FILE [FILE]: of one, its accounts alone
    python3 - "$@" << 'PY'
import json, sys
PORTS, LONG = ("x+", "x-", "y+", "y-"), 16 # of management's packets, flits
wrong = []
def others(path):
    with open(path) as f:
        at = {tuple(b["at"]): {k: v for k, v in b["counters"].items() if v is not None}
              for b in json.load(f)["boards"]}
    flits = lambda b, port: sum(v for k, v in at[b].items() if k.startswith(port) and k.endswith(".flits"))
    for x, y in at:
        b, beside, above = (x, y), (1 - x, y), (x, 1 - y)
        came = sum(flits(beside, p) for p in PORTS[:2]) + sum(flits(above, p) for p in PORTS[2:])
        left = sum(flits(b, p) for p in PORTS)
        if LONG * at[b]["injected"] + came != LONG * at[b]["delivered"] + left or not left:
            wrong.append(f"{path}, {b}: injected {at[b]['injected']}, delivered {at[b]['delivered']} "
                         f"packets; {came} flits came, {left} left")
    return {(b, k): v for b in at for k, v in at[b].items()
            if k not in ("injected", "delivered") and not k.endswith((".flits", ".retry", ".reset"))}
one, *two = map(others, sys.argv[1:])
two = two[0] if two else one
wrong += [f"{k}: {one.get(k)}, {two.get(k)}" for k in sorted(one.keys() | two.keys()) if one.get(k) != two.get(k)]
print(*wrong, f"{len(one)} other counters; {len(wrong)} wrong", sep="\n")
sys.exit(bool(wrong) or not one)
PY
}
four=$flashes
check 'it is built, with four of its RTL beside' built "$board" "$image $image $image $image" "$out/torus"
in_torus torus
check 'the cables of board 0 are up' up 'x+,x-,y+,y-'
managed bitstreams '00000000000000a[1-4]'
check 'link' torus link
check 'it ends well' stop
check 'all cables of all boards are up' [ "$(grep -c 'led 3[0-9a-f]$' "$dir/log")" = 4 ]
check 'all output pins of all four were equal in every cycle' logged 'all output pins were equal'
sed 's/^/# /' "$dir/log"
in_torus torus --alone --pull 0:0
check 'twin: without one of its cables, which is down, the others are up' up 'x-,y+,y-'
stop
flashes="--flash $out/flash.bin"
in_torus torus --alone
check 'the cables are up, with one serial number for all' up 'x+,x-,y+,y-'
! torus discover && says 'another board has this number'
result $? 'twin: boards of one serial number: discover says so'
sed 's/^/# /' "$dir/out"
stop

# The same with boards that the golden model runs beside, and both cables of each ring of two. Of the seeds
# the first one whose serial numbers are in the order of boards, as above.
start_simulator "$dir/log" "$B/bin/boardsim" --dims 2x2 --boards small --seed 31 --sockets "$dir" \
    --cable 1.x+:0.x- --cable 3.x+:2.x- --cable 2.y+:0.y- --cable 3.y+:1.y-
socket=board0.sock
managed golden ' [0-9a-f]\{16\} '
stop
socket=board.sock
check 'golden: every counter equals the golden model' logged 'every counter of all 4 boards equals the golden'
! logged 'DIFFER'
result $? 'golden: none differs'
sed 's/^/# /' "$dir/log" | tail -n 3
same_accounts "$dir/bitstreams" "$dir/golden" > "$dir/out"
result $? "the bitstreams' counters: their accounts are right, as the golden model's, all others the same"
sed 's/^/# /' "$dir/out"
sed 's/\("delivered": *\)\([0-9]\)/\11\2/' "$dir/bitstreams" > "$dir/wrong"
same_accounts "$dir/wrong" "$dir/golden" > "$dir/out"
[ $? = 1 ]
result $? 'twin: another count of packets is found'
sed 's/\("discarded": *\)0/\11/' "$dir/bitstreams" > "$dir/wrong"
same_accounts "$dir/wrong" "$dir/golden" > "$dir/out"
[ $? = 1 ]
result $? 'twin: another count of something else is found'

# Bit errors: what only links that find them do.
flashes=$four
in_torus torus --errors 100000 --cycles 4000000
wait "$sim"
sim=
check 'with bit errors on all cables: all output pins of all four were equal in every cycle' \
    logged 'all output pins were equal'
sed 's/^/# /' "$dir/log"

# On the desk: two of them, and two ULX3S, one RTL and one the golden model, which have generators and checkers, and
# the host, at 3 Mb/s. Each stream goes by both of the others, and back the other goes. There are bit errors on all cables; one is loose.
check 'desk: two of it and two ULX3S are built, one RTL, one golden' \
    built "$board" "$image $ulx3s $golden $image" "$out/desk"
slow=$socket
in_torus desk --host "1:14:$dir/fast.sock" --errors 1000000 --loose 0:0
desk_up() { # PREFIX: the ULX3S' cables, and the other's
    socket=fast.sock
    check "desk: $1the cables of a ULX3S are up" up 'x+,x-,y+,y-' 300
    socket=$slow
    check "desk: $1those of an iCE40HX8K are, too" up 'x+,x-,y+,y-'
    socket=fast.sock
}
desk_up ''
managed desk '00000000000000a[1-4]'
streams() { # OPTIONS
    check "desk: streams between the ULX3S, $*" torus bandwidth --warmup 2000 "$@" 1,0 0,1
    sed 's/^/# /' "$dir/out"
}
streams --load 1 --cycles 60000
! torus run && says 'some of them, are built without'
result $? 'desk: a run of all is refused, as some have no generator'
! torus bandwidth 0,0 0,1 && says 'at (0,0) is built without a traffic generator'
result $? 'desk: as is a stream from one of those'
check 'desk: link' torus link
sed 's/^/# /' "$dir/out"
kill -USR1 "$sim"
wait_for 60 logged '0:0 is out'
# A ring of two needs one cable.
check 'desk: discovered without it' torus discover
check 'desk: one row goes round no more' [ "$(grep -c '^ *( 0, [01])--( 1, [01]) *$' "$dir/out")" = 1 ]
kill -USR1 "$sim"
wait_for 60 logged 'in again'
desk_up 'plugged in again: '
check 'desk: discovered again' torus discover
check 'desk: programmed again' torus program --routing abr
check 'desk: all answer' torus ping --all
streams --load 0.5 --cycles 20000
check 'desk: all registers of an iCE40HX8K' torus reg --at 0,0
check 'desk: counters again' torus counters --format json
cp "$dir/out" "$dir/desk"
check 'desk: it ends well' stop
! logged 'golden model'
result $? "desk: the golden board's link ends were the RTL's in every cycle"
sed 's/^/# /' "$dir/log"
mended 16 "$dir/desk" > "$dir/out"
result $? 'desk: bit errors were found at all 16 ends, and mended'
sed 's/^/# /' "$dir/out"
finish
