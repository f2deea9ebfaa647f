#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random runs with new seeds for HOURS (fractions too), JOBS at a time. What has been done is in
# build/soak.state, written after every slot; a soak that was stopped or killed goes on from there,
# and what was run adds up. A failure ends it and stays the next thing to run until it is gone.
# PROGRAMS: what gets a slot in turn, below build, as lockstep/2_32_8_8_1/linked or bin/heal:4x4, with
# a torus; they count router-cycles, or else their runs, and all but overload take --seconds.
set -u
B=${B:-build}
HOURS=${HOURS:-1}
JOBS=${JOBS:-2}
PROGRAMS=${PROGRAMS:?what is run in turn; make soak gives it}
SLOT=${SLOT:-60} # seconds of a program
state=$B/soak.state
dir=$B/soak
seconds=$(awk "BEGIN { h = \"$HOURS\" + 0; if (h > 0) printf \"%d\", h * 3600 }")
[ -n "$seconds" ] || { echo "soak: HOURS=$HOURS is not a number of hours" >&2; exit 2; }
mkdir -p "$dir"
pids=
trap '[ -z "$pids" ] || kill $pids 2> /dev/null; exit 130' INT TERM

# Slots begun so far: what runs and its seeds follow from it
slot=0 done_cycles=0 runs=0
[ -f "$state" ] && . "$state"
begin=$(date +%s)
end=$((begin + seconds)) before=$done_cycles
set -- $PROGRAMS
echo "soak: $HOURS h from slot $slot; $done_cycles router-cycles and $runs other runs so far"

while left=$((end - $(date +%s))) && [ "$left" -gt 0 ]; do
    eval "what=\${$((slot % $# + 1))}"
    program=$B/${what%:*}
    case $what in *:*) options="--torus ${what#*:}" ;; *) options= ;; esac
    [ "${program##*/}" = overload ] || options="$options --seconds $((left < SLOT ? left : SLOT))"
    pids='' logs=''
    for job in $(seq "$JOBS"); do
        seed=$((1000 + slot * JOBS + job))
        log=$dir/$(echo "$what" | tr / -)-$seed.log
        # shellcheck disable=SC2086 # options are words
        "$program" $options --seed "$((seed * 100000))" > "$log" 2>&1 &
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
        [ -n "$cycles" ] || runs=$((runs + $(grep -c '^ok ' "$log")))
        rm -f "$log"
    done
    slot=$((slot + 1))
    echo "slot=$slot done_cycles=$done_cycles runs=$runs" > "$state.new"
    mv "$state.new" "$state"
    echo "soak: $(date +%H:%M) $what good; $done_cycles router-cycles, 0 mismatches; $runs other runs"
done
took=$(($(date +%s) - begin))
echo "soak: $took s, $((done_cycles - before)) router-cycles," \
    "$(((done_cycles - before) / (took > 0 ? took : 1))) a second"
if [ "$done_cycles" -ge 1000000000 ]; then
    echo "soak: over 1 billion router-cycles in all, 0 mismatches"
else
    echo "soak: $done_cycles of 1000000000 router-cycles in all, 0 mismatches;" \
        "the next soak adds to them"
fi
