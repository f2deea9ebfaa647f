#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim under mpirun: points on 2 ranks: the same records as with one, a file that is gone on with,
# mistakes; one simulation on 8 ranks: the same to the bit as one thread; twins that show that all
# ranks work and that what one has done reaches the others. TAP.
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

# Commands that do not use ranks would each do all by itself.
while read -r alone; do
    # shellcheck disable=SC2086
    two timeout 300 "$sim" $alone > "$work/out"
    [ $? = 2 ] && [ ! -s "$work/out" ] && [ "$(grep -c '^torussim: .*without mpirun' "$work/err")" = 1 ] &&
        [ "$(grep -c '^torussim: ' "$work/err")" = 1 ] && [ ! -e "$work/all-view.png" ] && [ ! -e "$work/new" ]
    result $? "refused in a line by one rank: ${alone%%"$work"*}"
done << E
limit --topology 4x4
check-deadlock --topology 4x4
explain --topology 4x4 --src 0,0 --dst 1,1 --used 1,2,3,4
view $work/all
record --out $work/new true
E
two "$sim" fly > "$work/out"
[ $? = 2 ] && [ ! -s "$work/out" ] && [ "$(grep -c '^torussim: ' "$work/err")" = 1 ]
result $? 'no such command: a line by one rank'
two "$sim" --help > "$work/out" && [ "$(grep -c '^Usage' "$work/out")" = 1 ] &&
    two "$sim" run --help > "$work/out" && [ "$(grep -c '^Usage' "$work/out")" = 1 ] &&
    two "$sim" --version > "$work/out" && [ "$(wc -l < "$work/out")" = 1 ]
result $? 'help and version: once'
timeout 600 mpirun -np 1 "$sim" limit --topology 4 > "$work/out" 2> "$work/err" && grep -q '^uniform  *any' "$work/out"
result $? 'one process of mpirun is none of several'

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

# One simulation on all ranks. They share the cores: one that waits lets another work.
export OMPI_MCA_mpi_yield_when_idle=1
on() { ranks=$1; shift; timeout 600 mpirun -np "$ranks" --oversubscribe --bind-to none "$@" 2> "$work/err"; }
on 8 "$B/net/ranks_nets" 60 > "$work/out"
result $? "60 random nets on 8 ranks: $(grep -m 1 seed "$work/out")"

point='--topology 8x4x4 --load 0.8 --messages 4 --message-packets 30 --watchdog 50
    --format csv'
record() { sed -E 's/(,[^,]*){4}$//'; } # without what depends on the clock
# same PROGRAM RANKS [OPTION...]
same()
{
    program=$1 ranks=$2
    shift 2
    # shellcheck disable=SC2086
    "$program" run $point > "$work/one.csv" && on "$ranks" "$program" run $point "$@" > "$work/all.csv"
    record < "$work/one.csv" > "$work/one"
    record < "$work/all.csv" | cmp -s "$work/one" - && [ "$(wc -l < "$work/one")" = 2 ]
}
same "$sim" 8
result $? 'run: the same record on 8 ranks, printed once'
same "$sim" 3 --threads 2
result $? 'and on 3 with two threads each'
# shellcheck disable=SC2086
"$sim" run $point --replicates 2 | record > "$work/one"
# shellcheck disable=SC2086
on 3 "$sim" run $point --replicates 2 | record > "$work/two"
[ "$(wc -l < "$work/two")" = 2 ] && cmp -s "$work/one" "$work/two"
result $? 'replicates: the same'
# shellcheck disable=SC2086
"$sim" run $point --links "$work/l1" --histogram "$work/h1" > "$work/out" &&
    on 3 "$sim" run $point --links "$work/l3" --histogram "$work/h3" > "$work/out" &&
    cmp -s "$work/l1" "$work/l3" && cmp -s "$work/h1" "$work/h3"
result $? 'links and histogram: the same'
on 2 "$sim" run --topology 8 --ext-latency 0 --messages 2 --format csv | record > "$work/two"
"$sim" run --topology 8 --ext-latency 0 --messages 2 --format csv | record | cmp -s - "$work/two"
result $? 'without latency, where one rank has all nodes'
on 2 "$sim" run --topology 8 --messages 2000 --watchdog 1 --ext-latency 1000000 > "$work/out"
[ $? = 1 ] && grep -q '^end  *stuck' "$work/out" && [ "$(grep -c 'nothing accepted' "$work/err")" = 1 ]
result $? 'a run that is stuck: exit status 1, said once'
for bad in '--active 8' '--engine flit --routing duato'; do
    # shellcheck disable=SC2086
    on 2 "$sim" run --topology 4x4x4 $bad > "$work/out"
    [ $? = 2 ] && [ ! -s "$work/out" ] && [ "$(grep -c 'without mpirun' "$work/err")" = 1 ]
    result $? "$bad under mpirun: one line, exit status 2"
done
on 2 "$sim" run --links "$work/l1" > "$work/out"
[ $? = 2 ] && [ ! -s "$work/out" ] && [ "$(grep -c '^torussim: ' "$work/err")" = 1 ] && cmp -s "$work/l1" "$work/l3"
result $? 'a file that is there already: the same'

broken hasty packet/net 's/times->ext_latency + times->ext_ack;/2 * times->ext_packet;/' &&
    ! same "$work/hasty" 2
result $? 'windows longer than the look-ahead are found out'
broken behind packet/swap 's/at = unpack(.*);/{ & boxes[MAIL_NAK].count = 0; }/' &&
    ! same "$work/behind" 2
result $? 'so are packets with NAKs that stay behind'
broken apart packet/net 's/^        add_ranks(&sum);/        ;/' &&
    ! same "$work/apart" 2
result $? 'so are ranks whose sums are their own'
broken without run/ranks 's/ifdef NET_MPI/if 0/' &&
    { OMPI_COMM_WORLD_SIZE=2 "$work/without" run > "$work/out" 2> "$work/err"; [ $? = 2 ]; } &&
    [ ! -s "$work/out" ] && [ "$(grep -c 'built without MPI' "$work/err")" = 1 ]
result $? 'built without MPI: mpirun is refused in one line, exit status 2'

finish
