#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lockstep and overload runs with new seeds for HOURS (fractions too), JOBS at a time. What has been
# done is in build/soak.state, written after every slot; a soak that was stopped or killed goes on
# from there, and the router-cycles add up. A failure ends it and stays the next thing to run until
# it is gone. SHAPES: the lockstep programs, as build/lockstep/SHAPE/lockstep; TORI: of overload.
set -u
B=${B:-build}
HOURS=${HOURS:-1}
JOBS=${JOBS:-2}
SHAPES=${SHAPES:?the shapes of lockstep; make soak gives them}
TORI=${TORI-4x4 8x8 4x4x4}
SLOT=${SLOT:-60} # seconds of a lockstep program
state=$B/soak.state
dir=$B/soak
seconds=$(awk "BEGIN { h = \"$HOURS\" + 0; if (h > 0) printf \"%d\", h * 3600 }")
[ -n "$seconds" ] || { echo "soak: HOURS=$HOURS is not a number of hours" >&2; exit 2; }
mkdir -p "$dir"
pids=
trap '[ -z "$pids" ] || kill $pids 2> /dev/null; exit 130' INT TERM

# Slots begun so far: what runs and its seeds follow from it
slot=0 done_cycles=0 overloads=0
[ -f "$state" ] && . "$state"
begin=$(date +%s)
end=$((begin + seconds)) before=$done_cycles
set -- $SHAPES $TORI
echo "soak: $HOURS h from slot $slot; $done_cycles router-cycles of lockstep and" \
    "$overloads of overload so far"

while left=$((end - $(date +%s))) && [ "$left" -gt 0 ]; do
    eval "what=\${$((slot % $# + 1))}"
    for_seconds=$((left < SLOT ? left : SLOT))
    pids='' logs=''
    for job in $(seq "$JOBS"); do
        seed=$((1000 + slot * JOBS + job))
        log=$dir/$what-$seed.log
        case $what in
        *_*) "$B/lockstep/$what/lockstep" --seconds "$for_seconds" --seed "$((seed * 100000))" ;;
        *) SEED=$seed "$B/bin/overload" --torus "$what" ;;
        esac > "$log" 2>&1 &
        pids="$pids $!" logs="$logs $log"
    done
    for log in $logs; do
        pid=${pids# } pid=${pid%% *}
        if ! wait "$pid"; then
            echo "soak: FAILED, see $log"
            grep -E '^not ok|^# ' "$log" | head -n 5
            kill $pids 2> /dev/null
            exit 1
        fi
        pids=${pids# "$pid"}
        cycles=$(sed -n 's/^# \([0-9]*\) router-cycles.*/\1/p' "$log")
        done_cycles=$((done_cycles + ${cycles:-0}))
        [ -n "$cycles" ] || overloads=$((overloads + 1))
        rm -f "$log"
    done
    slot=$((slot + 1))
    echo "slot=$slot done_cycles=$done_cycles overloads=$overloads" > "$state.new"
    mv "$state.new" "$state"
    echo "soak: $(date +%H:%M) $what good; $done_cycles router-cycles, 0 mismatches;" \
        "$overloads of overload"
done
took=$(($(date +%s) - begin))
echo "soak: $took s, $((done_cycles - before)) router-cycles of lockstep," \
    "$(((done_cycles - before) / (took > 0 ? took : 1))) a second"
if [ "$done_cycles" -ge 1000000000 ]; then
    echo "soak: over 1 billion router-cycles in all, 0 mismatches"
else
    echo "soak: $done_cycles of 1000000000 router-cycles in all, 0 mismatches;" \
        "the next soak adds to them"
fi
