#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim under mpirun with 2 ranks: the same records as with one; a file that is gone on with;
# mistakes; twins that show that both ranks work and that what one has done reaches the other. TAP.
. sim/net/test/torussim.sh

if ! command -v mpirun > "$work/where" || ! ldd "$sim" | grep -q libmpi; then
    echo '1..0 # SKIP built without MPI'
    exit 0
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
two() { timeout 600 mpirun -np 2 --oversubscribe --bind-to none "$@" 2> "$work/err"; }

grid='--topology 4x4x4 --routing abr,ofr --traffic uniform,bitreverse --load 0.2:0.6:0.4 --seed 1,2
    --messages 8'
# shellcheck disable=SC2086
"$sim" sweep $grid --jobs 1 --format json | steady > "$work/one"
# shellcheck disable=SC2086
two "$sim" sweep $grid --format json --out "$work/all" | steady > "$work/two"
[ -s "$work/one" ] && cmp -s "$work/one" "$work/two"
result $? 'the same records on one rank and on two'
# shellcheck disable=SC2086
two "$sim" sweep $grid --format json --jobs 2 | steady > "$work/two"
cmp -s "$work/one" "$work/two"
result $? 'and on two with two threads each'
[ "$(wc -l < "$work/all")" = 16 ] && [ "$(sed 's/","record".*//' "$work/all" | sort -u | wc -l)" = 16 ]
result $? 'the file has every point once'
{ head -n 5 "$work/all"; sed -n 6p "$work/all" | head -c 30; } > "$work/part"
# shellcheck disable=SC2086
two "$sim" sweep $grid --format json --out "$work/part" --resume | steady > "$work/two"
cmp -s "$work/one" "$work/two" && [ "$(wc -l < "$work/part")" = 16 ] &&
    [ "$(head -n 5 "$work/part")" = "$(head -n 5 "$work/all")" ]
result $? '--resume runs what is missing, and only that'

gamma='--topology 4x4x4 --preset ofr-2013 --routing abr,por --traffic tornado --messages 8'
# shellcheck disable=SC2086
"$sim" saturate $gamma --jobs 1 --format json | steady > "$work/one"
# shellcheck disable=SC2086
two "$sim" saturate $gamma --format json | steady > "$work/two"
[ -s "$work/one" ] && cmp -s "$work/one" "$work/two"
result $? 'saturate: the same'
study='rdr --packet-bytes 2048 --message-packets 4 --format csv'
# shellcheck disable=SC2086
"$sim" reproduce $study --jobs 1 --out "$work/r1" > "$work/one" 2> "$work/err"
# shellcheck disable=SC2086
two "$sim" reproduce $study --out "$work/r2" > "$work/two"
[ -s "$work/one" ] && cmp -s "$work/one" "$work/two" && [ -s "$work/r2/rdr-10.svg" ] &&
    [ "$(wc -l < "$work/r1/points.jsonl")" = "$(wc -l < "$work/r2/points.jsonl")" ]
result $? 'reproduce: the same'

two "$sim" sweep --routing fly > "$work/out"
[ $? = 2 ] && [ ! -s "$work/out" ] && [ "$(grep -c 'no such routing' "$work/err")" = 1 ]
result $? 'a mistake: one line, exit status 2'
two "$sim" sweep --out "$work/all" > "$work/out"
[ $? = 2 ] && [ ! -s "$work/out" ] && grep -q 'there already' "$work/err"
result $? 'a mistake that only the first rank sees'
two "$sim" sweep --topology 8 --messages 2000 --watchdog 1 --ext-latency 1000000 > "$work/out"
[ $? = 1 ]
result $? 'a run that is stuck: exit status 1'

# shellcheck disable=SC2086
"$sim" sweep $grid --jobs 1 --format json | steady > "$work/one"
# shellcheck disable=SC2086
broken idle run/pool 's/: next(pool);/: UINT32_MAX;/' &&
    two "$work/idle" sweep $grid --format json | steady > "$work/two"
cmp -s "$work/one" "$work/two"
result $? 'the second rank alone gets all tasks done'
# shellcheck disable=SC2086
broken mute run/store 's/net_ranks_tell(line);/(void)line;/' &&
    { two "$work/mute" sweep $grid --format json > "$work/two"; [ $? = 1 ]; } &&
    grep -q 'of 16 points are done' "$work/err"
result $? 'without its records the first says what is missing'

finish
