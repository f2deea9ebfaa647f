#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lockstep and overload runs with new seeds for HOURS (fractions too), two at a time. Where it ended
# is in build/soak.state; the next soak goes on from there. Stops at the first failure, whose log it
# names. A soak is done with 1 billion router-cycles of lockstep and more.
set -u
B=${B:-build}
HOURS=${HOURS:-1}
JOBS=${JOBS:-2}
state=$B/soak.state
dir=$B/soak
seconds=$(awk "BEGIN { h = \"$HOURS\" + 0; if (h > 0) printf \"%d\", h * 3600 }")
[ -n "$seconds" ] || { echo "soak: HOURS=$HOURS is not a number of hours" >&2; exit 2; }
shapes=$(ls "$B/lockstep")
mkdir -p "$dir"
# Next seed, router-cycles and overload runs so far
seed=1000 done_cycles=0 overloads=0
[ -f "$state" ] && . "./$state"
end=$(($(date +%s) + seconds))
echo "soak: $HOURS h from seed $seed, $done_cycles router-cycles so far"

while [ "$(date +%s)" -lt "$end" ]; do
    for shape in $shapes overload; do
        [ "$(date +%s)" -lt "$end" ] || break
        pids='' logs=''
        for job in $(seq "$JOBS"); do
            log=$dir/$shape-$seed.log
            if [ "$shape" = overload ]; then
                SEED=$seed "$B/bin/overload" > "$log" 2>&1 &
            else
                "$B/lockstep/$shape/lockstep" --total 10000000 --seed "$((seed * 1000))" \
                    > "$log" 2>&1 &
            fi
            pids="$pids $!" logs="$logs $log"
            seed=$((seed + 1))
        done
        set -- $logs
        for pid in $pids; do
            if ! wait "$pid"; then
                echo "soak: FAILED, see $1"
                grep -E '^not ok|^# ' "$1" | head -n 5
                exit 1
            fi
            cycles=$(sed -n 's/^# \([0-9]*\) router-cycles.*/\1/p' "$1")
            done_cycles=$((done_cycles + ${cycles:-0}))
            [ "$shape" = overload ] && overloads=$((overloads + 1))
            rm -f "$1"
            shift
        done
        printf 'seed=%s done_cycles=%s overloads=%s\n' "$seed" "$done_cycles" "$overloads" > "$state"
        echo "soak: $(date +%H:%M) $shape good; $done_cycles router-cycles, 0 mismatches;" \
            "$overloads rounds of overload"
    done
done
[ "$done_cycles" -ge 1000000000 ] && echo "soak: over 1 billion router-cycles, 0 mismatches"
exit 0
