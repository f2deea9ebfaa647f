#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reliable link's goodput and latency against their bars, and its protections broken in a copy of
# the model, of which the ledger of packets must notice each. TAP. B: the build folder.
set -u
. tests/tap.sh
B=${B:-build}
work=$B/link/teeth
w32=3_32_128_8_0_1_8_16 w16=2_16_32_4_0_1_8_16 small=2_16_32_4_1_0_8_16
mkdir -p "$work"

at_least() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a >= b) }'; }

# goodput SHAPE FLITS BAR: full load both ways, without errors, and at 1e-5 at least 90% of that
goodput()
{
    shown=$work/goodput.log
    program=$B/link/$1/lockstep
    "$program" -m --goodput --kind 0 --runs 1 --cycles 300000 --length "$2" > "$work/goodput.log"
    clean=$(sed -n 's/^# goodput //p' "$work/goodput.log")
    at_least "$clean" "$3"
    result $? "$1, packets of $2 flits: $clean of the wire's bits are flits' (bar $3)"
    "$program" -m --goodput --kind 0 --runs 1 --cycles 300000 --length "$2" --errors 1e-5 \
        > "$work/goodput.log"
    bad=$(sed -n 's/^# goodput //p' "$work/goodput.log")
    at_least "$bad" "$(awk -v a="$clean" 'BEGIN { print 0.9 * a }')"
    result $? "$1, packets of $2 flits: $bad at a bit error rate of 1e-5"
}
goodput $w32 128 0.88
goodput $w32 8 0.70
goodput $w16 32 0.80
goodput $w16 8 0.50
goodput $small 32 0.80
goodput $small 8 0.50

# far PROGRAM FLITS: over a cable of 32 cycles each way, where the window is all that is under way
far() { "$1" -m --goodput --kind 0 --runs 1 --cycles 100000 --length "$2" --cable 32; }
# far_goodput SHAPE FLITS BAR
far_goodput()
{
    shown=$work/goodput.log
    far "$B/link/$1/lockstep" "$2" > "$work/goodput.log"
    clean=$(sed -n 's/^# goodput //p' "$work/goodput.log")
    at_least "$clean" "$3"
    result $? "$1, packets of $2 flits, a cable of 32 cycles: $clean (bar $3)"
}
far_goodput $w32 16 0.85
far_goodput $w32 8 0.60
far_goodput $w16 32 0.80
far_goodput $w16 8 0.50
far_goodput $small 8 0.65

# Header latency with a word a cycle, over that of the cable: the most that PROGRAM has
latency()
{
    shown=$work/latency.log
    "$1" -m --latency --kind 0 --runs 1 --length 8 --cycles 400000 > "$shown"
    sed -n 's/^# latency mean .* most //p' "$shown"
}
for most_of in $w32:7 ${w16%_1_8_16}_0_8_16:9 $w16:9; do
    shape=${most_of%:*}
    most=$(latency "$B/link/$shape/lockstep")
    [ "${most:-99}" -le "${most_of#*:}" ]
    result $? "$shape: a header takes $most cycles more than over the plain link (at most ${most_of#*:})"
done

# make_twin NAME SED DESCRIPTION: the model with that change, alone
make_twin()
{
    name=$1 change=$2 text=$3
    shown=$work/$name.log
    sed "$change" sim/model/link.c > "$work/link.c"
    if cmp -s "$work/link.c" sim/model/link.c; then
        echo "# nothing to break: $change" > "$work/$name.log"
        result 1 "$text: broken"
        return 1
    fi
    o=$B/sim/cosim v=$B/link/$w32/v
    gcc -std=c11 -O2 -Isim/model -Ifirmware -c -o "$work/link.o" "$work/link.c" > "$shown" 2>&1 &&
        g++ -o "$work/$name" "$o/link_lockstep.o" "$o/link_bench.o" "$o/link_report.o" "$o/link_port.o" "$o/link_wire.o" \
            "$o/noise.o" "$o/fabric.o" \
            "$work/link.o" "$v/link_rtl.o" "$v"/verilated*.o "$v/Vofr_link__ALL.a" "$B/libofr.a" \
            -lpthread -lm >> "$shown" 2>&1 || {
        result 1 "$text: builds"
        return 1
    }
}
# twin NAME SED DESCRIPTION PATTERN options
twin()
{
    make_twin "$1" "$2" "$3" || return
    pattern=$4
    shift 4
    "$work/$name" -m --runs 12 "$@" > "$shown" 2>&1
    [ $? = 1 ] && grep -q -E "^# .*($pattern)" "$shown"
    result $? "$text: caught"
}

# As it is, on the same runs, nothing is found
shown=$work/sound.log
"$B/link/$w32/lockstep" -m --runs 16 > "$work/sound.log" 2>&1
result $? "unbroken: nothing is found"
# Damage in the moment in which one end is up and the other ready: that one could not ask for SYNC
for run in "$w32 100169" "$small 200113"; do
    "$B/link/${run% *}/lockstep" --runs 1 --seed "${run#* }" > "$work/sound.log" 2>&1
    result $? "${run% *}: an end that loses its place just before it is up"
done
# A board that said it was ready, and is reset before that has come: the other end rises by it
"$B/link/$w16/lockstep" --runs 1 --seed 108100118 > "$work/sound.log" 2>&1
result $? "$w16: a board that is reset just before the other end rises"
# Each acknowledgement would make room for one flit, which would go at once, alone
if make_twin early 's/ < OFR_LINK_EARLY;/ < 16;/' "frames of a flit when the wire is idle"; then
    far "$work/early" 16 > "$shown"
    poor=$(sed -n 's/^# goodput //p' "$shown")
    at_least 0.2 "${poor:-1}"
    result $? "$text: $poor over a cable of 32 cycles"
fi
if make_twin first 's/(before.late || !may)/true/; s/ && !(f->due && f->late)/ \&\& !f->due/' "the time goes before flits that wait"; then
    most=$(latency "$work/first")
    [ "${most:-0}" -gt 7 ]
    result $? "$text: a header takes $most cycles"
fi
twin crc 's/bad = (word ^ r->crc) & looked_at;/bad = false;/' "no CRC check" \
    'CRC lets through' --kind 3
twin order 's/ && w->listens && is_data && gap == 0/ \&\& w->listens \&\& is_data/' \
    "no check of the sequence" 'data|sent|flit' --kind 1 --errors 1e-4
twin rebase 's/t->rebase = true/t->rebase = false/' "credits not re-based" \
    'more than|not up and empty|packets|flit' --kind 6
twin back 's/bool goes_back = w->between && (before.back/bool goes_back = w->between \&\& (false/' \
    "a lost frame not sent again" 'fell at a tame|not up' --kind 1 --errors 1e-4
twin nak 's/ || w->nak;/;/' "a lost frame not asked for" 'fell at a tame|not up' --kind 1 \
    --errors 1e-4
twin full 's/ >= OFR_LINK_WINDOW;/ >= 15;/' "frames overwritten that are not acknowledged" \
    'data|sent|flit|fell' --kind 1 --errors 1e-4
twin ahead 's/if (r->ahead) {/if (false) {/' "a frame's header read too soon is not given back" \
    'data|sent|flit|fell|not up' --kind 1 --errors 1e-4
twin abort 's/o->rx_abort = .*/o->rx_abort = false;/' "a cut packet not aborted" \
    'data|flit' --kind 5
twin silence 's/before.timer == SILENT/before.timer > HOLD/; s/before.stuck == STUCK/false/' \
    "neither silence nor a standstill noticed" \
    'disagreed' --kind 7
twin counts 's/uint16_t)(in->rx_received\[2\] << 8/uint16_t)(in->rx_credit[2] << 8/' \
    "wrong counts told" 're-based' --kind 6
twin header 's/bad = !ofr_link_legal((uint16_t)word);/bad = false;/; s/bad = (word ^ r->crc) & looked_at;/bad = (word ^ r->crc) \& 15;/' \
    "neither the half-word's check nor the CRC whole" 'CRC lets through' --kind 2

# Wrong use: one line and status 2
shown=$work/bad.log
for bad in '--kind 8' '--length 3' '--seed x' '--errors 2' 'word'; do
    # shellcheck disable=SC2086
    "$B/link/$w32/lockstep" $bad > /dev/null 2> "$work/bad.log"
    [ $? = 2 ] && [ -s "$work/bad.log" ]
    result $? "lockstep $bad: refused with status 2"
done
finish
