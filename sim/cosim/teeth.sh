#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Breaks each protection in a copy of the model and shows that lockstep, the watchdog or the drain
# check catches it. A break is a line of sed; one that changes nothing fails the test. TAP.
# B: the build folder, with lockstep and overload built as cosim.mk says. FULL=1 (make soak): also
# what takes long to be caught in a second way.
set -u
. tests/tap.sh
B=${B:-build}
shape=2_32_8_8_1
work=$B/teeth
full=${FULL:-}

mkdir -p "$work"

# make_broken NAME FILE SED: a program of NAME with that change in sim/model/FILE, both kinds. A
# header is broken for the router only.
make_broken()
{
    rm -rf "$work/model"
    mkdir "$work/model"
    unit=$2
    case $2 in *.h) unit=router.c && cp sim/model/router.c "$work/model" ;; esac
    sed "$3" "sim/model/$2" > "$work/model/$2"
    if cmp -s "$work/model/$2" "sim/model/$2"; then
        echo "# nothing to break in $2: $3"
        return 1
    fi
    gcc -std=c11 -O2 -I"$work/model" -Isim/model -Ifirmware -c -o "$work/broken.o" \
        "$work/model/$unit" || return 1
    v=$B/lockstep/$shape/v
    g++ -o "$work/lockstep_$1" "$B/sim/cosim/lockstep_plain.o" "$work/broken.o" "$v/rtl_router.o" \
        "$v"/verilated*.o "$v/Vofr_lockstep__ALL.a" "$B/liblockstep.a" "$B/libofr.a" -lpthread -lm &&
        gcc -o "$work/overload_$1" "$B/sim/cosim/overload.o" "$B/sim/cosim/golden.o" \
            "$B/sim/cosim/fabric.o" "$work/broken.o" "$B/libofr.a"
}

# The same; a result, where it cannot be made.
broken()
{
    make_broken "$@" || result 1 "$1: broken"
}

# lockstep_catches NAME DESCRIPTION [options]
lockstep_catches()
{
    name=$1 text=$2
    shift 2
    shown=$work/$name.log
    "$work/lockstep_$name" --runs 8 --cycles 100000 "$@" > "$work/$name.log" 2>&1
    status=$?
    grep -m 1 '^# cycle' "$work/$name.log"
    [ $status = 1 ] && grep -q 'in the RTL, .* in the model' "$work/$name.log"
    result $? "$text: lockstep differs"
}

# overload_catches NAME DESCRIPTION PATTERN [options]
overload_catches()
{
    name=$1 text=$2 pattern=$3
    shift 3
    shown=$work/$name.log
    "$work/overload_$name" --cycles 60000 "$@" > "$work/$name.log" 2>&1
    status=$?
    grep -m 1 '^# cycle' "$work/$name.log"
    [ $status = 1 ] && grep -q -E "$pattern" "$work/$name.log"
    result $? "$text"
}

# The programs as they are, on the same runs, find nothing
shown=$work/sound.log
"$B/lockstep/$shape/lockstep" --runs 2 --cycles 100000 > "$work/sound.log" 2>&1
result $? "unbroken: lockstep finds nothing"
"$B/bin/overload" --torus 4x4 --slots 2 --cycles 60000 > "$work/sound.log" 2>&1
result $? "unbroken: no watchdog, and it drains"

broken bubble credit.h 's/goes_on ? 1U : 2U/1U/'
lockstep_catches bubble "bubble rule, one slot instead of two"
overload_catches bubble "bubble rule, one slot instead of two: deadlock, the watchdog latches" \
    'watchdog has latched' --run 28 --cycles 100000 --seed 2

broken holds router.c 's/bool holds = r->hold/bool holds = false \&\& r->hold/'
lockstep_catches holds "a starving entry that the injection threshold still keeps out" \
    --load 1500 --threshold 4

broken through router.c 's/r->hold_through = r->ring_bit/r->hold_through = false/'
lockstep_catches through "a starving entry past which its ring goes on all the time" --load 1500
[ -z "$full" ] ||
    overload_catches through "a starving entry past which its ring goes on: it starves" \
        'watchdog has latched' --run 28 --cycles 200000 --seed 2

broken split route.h 's/ ? OFR_VC_VS2 : OFR_VC_VS1;/ ? OFR_VC_VS2 : OFR_VC_VS2;/'
lockstep_catches split "VS1/VS2 split, always VS2" --torus 8x4 --class 2 \
    --load 1500 --pattern 6 --threshold 0

broken credit router.c \
    's/u->freed\[u->stream_vc\] + 1)/u->freed[u->stream_vc] + (r->out.time % 65536 != 5000))/'
lockstep_catches credit "a credit lost" --load 900
overload_catches credit "a credit lost: it does not drain" 'does not drain' --torus 4x4 --slots 4

broken tie torus.c 's/return tie == OFR_TIE_BOTH ? 3 : 1;/return tie == OFR_TIE_BOTH ? 3 : 2;/'
lockstep_catches tie "a tie turned round" --torus 4x4 --tie 0

broken swap decide.c 's/most.den <= (uint64_t)most.num/most.den < (uint64_t)most.num/'
lockstep_catches swap "a candidate swapped with one of equal profit" --torus 4x4 --class 2

broken bank ofr_unit.c 's/unit->shadow = 3 - unit->shadow/unit->shadow = unit->shadow/'
lockstep_catches bank "a commit under traffic that does not swap the table's banks" --class 2 --life 0

# Life: what a reset, a link that falls, a header that is not true and a setting change
broken rebase router.c 's/if (in->tx_rebase\[p\])/if (false)/'
lockstep_catches rebase "a link that rises is not re-based" --life 1

broken down router.c 's/? (uint8_t)ofr_credit_used/|| true &/'
lockstep_catches down "credits of a link that is down" --life 1

broken dead router.c 's/if (!r->up\[port\])/if (false)/'
lockstep_catches dead "a packet that waits for a dead link" --life 1
overload_catches dead "a packet that waits for a dead link: it blocks those for others" \
    'watchdog has latched|does not drain' --pulled --torus 4x4

broken settle router.c 's/r->settle != SETTLED/false/'
lockstep_catches settle "a node that routes before its tables of coordinates are written" --life 1

broken long router.c 's/next == r->shape.slot_flits - 1U/next == r->shape.slot_flits/'
lockstep_catches long "a packet longer than a slot" --life 1

broken short router.c 's/last \&\& next < MIN_FLITS - 1/last \&\& next < MIN_FLITS - 2/'
lockstep_catches short "a packet of three flits" --life 1

broken none router.c 's/pins->vc >= OFR_VCS) || filling/pins->vc > OFR_VCS) || filling/'
lockstep_catches none "a packet on no VC" --life 1

broken body router.c '/^    if (first)$/{N;s/if (first)\n *\(u->write_vc = u->in.vc\)/\1 % OFR_VCS/}'
lockstep_catches body "a packet whose VC is that of its last flit" --life 1

broken idle router.c 's/(u->in_abort \&\& (u->busy || u->in.valid))/u->in_abort/'
lockstep_catches idle "an abort with no packet under way" --life 1

broken head router.c 's/if (w->discarded)/if (false)/'
lockstep_catches head "the first port's header of two that are dropped at once" --life 2

broken never router.c 's/cfg->escape != OFR_NODE_ROUTING_ESCAPE_EMPTY || /false || /'
lockstep_catches never "injection into the escape VCs although never" --escape 2 --load 1500

broken empty router.c 's/ESCAPE_EMPTY || r->used\[port\]\[ring\]/ESCAPE_EMPTY/'
lockstep_catches empty "injection into an escape VC that is not empty" --escape 1 --load 1500

# A mismatch is reported as it must be: where, both values, a waveform of the last 50 cycles, and a
# command that shows the same again
shown=$work/break.log
program=$B/lockstep/$shape/lockstep
$program --torus 3x4 --break 400 --runs 1 --seed 5 > "$work/break.log" 2>&1
[ $? = 1 ] && grep -q '^# cycle [0-9]*, node [0-9]* (.*), port -\{0,1\}[0-9]*: .* in the RTL, .* in the model$' \
    "$work/break.log"
result $? "a mismatch names cycle, node, port and both values"
replay=$(sed -n 's/^# replay: //p' "$work/break.log" | head -n 1)
vcd=$(echo "$replay" | sed 's/.*--vcd //')
rm -f "$vcd"
shown=$work/replay.log
sh -c "$replay" > "$work/replay.log" 2>&1
[ $? = 1 ] && [ "$(grep -m 1 '^# cycle' "$work/replay.log")" = "$(grep -m 1 '^# cycle' "$work/break.log")" ]
result $? "the replay command shows the same mismatch"
[ "$(grep -c '^#[0-9]' "$vcd")" -ge 100 ] && grep -q '\$var.* tx_valid' "$vcd"
result $? "its waveform has the pins of the last 50 cycles"

# Wrong use: one line and status 2
shown=$work/bad.log
for bad in '--torus 17x2' '--torus 4' '--select 9' '--seed x' '--nonsense' 'word'; do
    # shellcheck disable=SC2086
    $program $bad > /dev/null 2> "$work/bad.log"
    [ $? = 2 ] && [ -s "$work/bad.log" ]
    result $? "lockstep $bad: refused with status 2"
done
finish
