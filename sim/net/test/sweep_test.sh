#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim sweep and saturate: the same points as `run`, in any number of threads; stop and resume;
# mistakes. And: without the bubble rule, or with a leak of slots, the watchdog ends a run. TAP.
. sim/net/test/torussim.sh

grid='--topology 4x4x4 --routing dor,rdr,abr,por,ofr --traffic uniform,bitreverse --load 0.2:0.6:0.4
    --seed 1,2 --messages 8'
# shellcheck disable=SC2086
{
    "$sim" sweep $grid --jobs 1 --format json | steady > "$work/one"
    "$sim" sweep $grid --jobs 3 --format json --out "$work/all" | steady > "$work/three"
}
[ -s "$work/one" ] && cmp -s "$work/one" "$work/three"
result $? 'the same records on one thread and on three'
python3 -c "import json; r = json.load(open('$work/one'))['records']
names = ('routing', 'traffic', 'load_gamma0', 'seed')
assert len(r) == 40 and len({json.dumps([x[k] for k in names]) for x in r}) == 40"
result $? 'all combinations are there'
"$sim" run --topology 4x4x4 --routing por --traffic bitreverse --load 0.6 --seed 2 --messages 8 \
    --format json > "$work/run"
python3 -c "import json; a = json.load(open('$work/run'))
b, = [x for x in json.load(open('$work/one'))['records'] if (x['routing'], x['traffic'],
    x['load_gamma0'], x['seed']) == ('por', 'bitreverse', 0.6, 2)]
assert a['mean_lifetime_us'] == b['mean_lifetime_us'] and a['por_ratio'] == b['por_ratio']"
result $? 'a point of a sweep is what run says'
# Replicates in the table: means, with their intervals.
for kind in 'mean_ci95_low_us accepted_ci95_gamma0 --routing abr' \
    'accepted_load_ci95 latency_ci95_cycles --engine flit --warm-up 100 --batches 3 --batch-cycles 200'; do
    # shellcheck disable=SC2086
    set -- $kind
    names="$1 $2"
    shift 2
    "$sim" sweep --topology 4x4 --load 0.2,0.6 --replicates 3 "$@" > "$work/text"
    "$sim" sweep --topology 4x4 --load 0.2,0.6 --replicates 3 "$@" --format json > "$work/json"
    python3 -c "import json; lines = [l.split() for l in open('$work/text')]
records = json.load(open('$work/json'))['records']
assert len(lines) == 3 and len(records) == 2
for line, r in zip(lines[1:], records):
    for name in '$names'.split():
        its = float(line[lines[0].index(name)])
        assert abs(its - r[name]) < 6e-5 and (its > 0 or r is records[0]), (name, its)"
    result $? "a table of replicates has $names"
done

# A file that ends within a line, as a killed program may leave it.
{ head -n 25 "$work/all"; sed -n 26p "$work/all" | head -c 30; } > "$work/part"
# shellcheck disable=SC2086
"$sim" sweep $grid --format json --out "$work/part" --resume | steady > "$work/resumed"
cmp -s "$work/one" "$work/resumed" && [ "$(wc -l < "$work/part")" = 40 ]
result $? '--resume runs what is missing, and only that'
sort "$work/part" | steady > "$work/a"
sort "$work/all" | steady > "$work/b"
[ "$(head -n 25 "$work/part")" = "$(head -n 25 "$work/all")" ] && cmp -s "$work/a" "$work/b"
result $? 'the file has all points then, the old lines untouched'
"$sim" sweep --topology 8x8x8 --load 0.1:1:0.01 --messages 4 --out "$work/cut" \
    > "$work/text" 2> "$work/err" &
sweep=$!
wait_for 300 [ -s "$work/cut" ]
kill -INT "$sweep"
wait "$sweep"
[ $? = 1 ] && grep -q 'points are done; --resume' "$work/err" &&
    [ "$(($(wc -l < "$work/text") - 1))" = "$(wc -l < "$work/cut")" ]
result $? 'Ctrl-C: the finished points are written'
! grep -q '\[=' "$work/err"
result $? 'no progress bar in a pipe'

"$sim" saturate --topology 4x4x4 --preset ofr-2013 --routing abr --traffic tornado --format json \
    --jobs 2 > "$work/out"
g=$(python3 -c "import json
print(json.load(open('$work/out'))['records'][0]['gamma_star_gamma0'])")
python3 -c "import json; r, = json.load(open('$work/out'))['records']
assert r['mean_ci95_low_us'] is None and r['gamma_steady_gamma0'] is None
assert abs(r['source_wait_us'] + r['network_latency_us'] - r['mean_lifetime_us']) < 1e-6"
result $? 'with the lifetime there and its parts; one run has no interval'
mean() { "$sim" run --topology 4x4x4 --preset ofr-2013 --routing abr --traffic tornado --load "$1" |
    awk '$1 == "mean_lifetime_us" { print $2 }'; }
awk -v g="$g" -v base="$(mean 0.1)" -v at="$(mean "$g")" \
    -v over="$(mean "$(awk -v g="$g" 'BEGIN { print g + 0.05 }')")" \
    'BEGIN { exit !(g > 0.1 && at <= 1.2 * base && over > 1.2 * base) }'
result $? "gamma* $g is the last load within 1.2 times the base"

# In steps of 0.01 it lies within a step of 0.05 of that, and says what was accepted there.
"$sim" saturate --topology 4x4x4 --messages 4 --traffic bitreverse --step 0.01 --format json > "$work/out" &&
    json 'o["records"][0]["step_gamma0"] == 0.01'
fine=$(python3 -c "import json; print(json.load(open('$work/out'))['records'][0]['gamma_star_gamma0'])")
"$sim" saturate --topology 4x4x4 --messages 4 --traffic bitreverse --format json > "$work/out" &&
    json "0 <= round($fine - o['records'][0]['gamma_star_gamma0'], 9) < 0.05 and
        o['records'][0]['accepted_gamma0'] > 0.1 and 0.9 < o['records'][0]['fairness'] <= 1"
result $? "gamma* in steps of 0.01 is $fine"
# A file that cannot grow, as on a full disk, ends with a whole line.
(
    trap '' XFSZ
    ulimit -f 16
    exec "$sim" sweep --topology 4 --messages 2 --load 0.1:0.9:0.1 --out "$work/short" > /dev/null 2> "$work/err"
)
[ $? = 1 ] && grep -q 'short could not be written' "$work/err" && [ -s "$work/short" ] && [ "$(tail -c 1 "$work/short" | wc -l)" = 1 ]
result $? 'of a full disk every line is whole'
"$sim" sweep --topology 4 --messages 2 --load 0.1:0.9:0.1 --out "$work/short" --resume > "$work/out" 2> "$work/err" &&
    [ "$(wc -l < "$work/short")" = 9 ]
result $? 'and --resume goes on'
(
    ulimit -v 300000
    exec "$sim" sweep --topology 64x64x64 --messages 1 --jobs 1 > "$work/out" 2> "$work/err"
)
[ $? = 1 ] && [ "$(cat "$work/err")" = 'torussim: out of memory: 0 of 1 points are done' ]
result $? 'without memory: one line'
# A point that a list names twice is one, run once; by two threads as well.
"$sim" sweep --topology 4x4x4 --messages 4 --seed 1,1 --routing ofr,ofr --jobs 2 --out "$work/twice" --format csv > "$work/out"
[ $? = 0 ] && [ "$(wc -l < "$work/twice")" = 1 ] && [ "$(wc -l < "$work/out")" = 5 ] && [ "$(sort -u "$work/out" | wc -l)" = 2 ]
result $? 'a point that is named several times is run once'
refuse 'step 0.03' saturate --step 0.03
refuse 'for saturate' sweep --step 0.01

refuse 'load' sweep --load 0.1,-1
refuse 'load' sweep --load 1:0:0.1
refuse 'load' sweep --load 0.1,,0.2
refuse 'no such routing' sweep --routing abr,fly
refuse 'bitreverse.*powers of two' sweep --topology 10x10x10 --traffic uniform,bitreverse
refuse 'there already' sweep --out "$work/all"
refuse 'needs --out' sweep --resume
refuse 'jobs' sweep --jobs 0
refuse 'not for it' saturate --load 0.3
head -c 100 /dev/zero | tr '\0' 'x' > "$work/junk" && echo >> "$work/junk"
cp "$work/junk" "$work/junk2"
refuse 'line 1: not a record' sweep --out "$work/junk" --resume
cmp -s "$work/junk" "$work/junk2"
result $? 'a file that is none of ours is left alone'
printf 'a line that does not end' > "$work/junk"
cp "$work/junk" "$work/junk2"
refuse 'line 1: not a record' sweep --out "$work/junk" --resume
cmp -s "$work/junk" "$work/junk2"
result $? 'nor one whose only line does not end'
sed 's/"record":{.*}}/"record":{}}/' "$work/all" > "$work/damaged"
refuse 'line 1: not a record' sweep --out "$work/damaged" --resume
refuse 'not a file' sweep --out /dev/full --resume
{ head -n 1 "$work/all" && head -c 1100000 /dev/zero | tr '\0' 1; } > "$work/damaged"
refuse 'line 2: the line is longer' sweep --out "$work/damaged" --resume
# Two that write one file would tear each other's lines.
: > "$work/held"
# shellcheck disable=SC2086
flock "$work/held" "$sim" sweep $grid --out "$work/held" --resume > "$work/out" 2> "$work/err"
[ $? = 2 ] && grep -q 'another torussim is writing it' "$work/err" && [ ! -s "$work/held" ]
result $? 'a file that another one writes is refused'

stuck='--topology 4x4 --watchdog 1 --ext-latency 1000000 --messages 2000'
for again in '' --resume; do
    # shellcheck disable=SC2086
    "$sim" sweep $stuck --load 0.3 --out "$work/stuck" $again > "$work/out" 2> "$work/err"
    [ $? = 1 ] && grep -q 'ofr, uniform at load 0.3: stuck at .*node' "$work/err" &&
        grep -q '^uniform .* stuck ' "$work/out"
    result $? "a point that is stuck is named, and is no success${again:+, nor with --resume}"
done
# shellcheck disable=SC2086
"$sim" saturate $stuck --out "$work/stuck2" > "$work/out" 2> "$work/err"
[ $? = 1 ] && grep -q 'at load 0.1: stuck at' "$work/err" && ! grep -q -e --resume "$work/err"
result $? 'saturate: also'

ring='--topology 8 --routing dor --traffic tornado --load 4 --slots 2 --throttle 0
    --injection stop-and-wait --injection-rate 40 --messages 4'
# shellcheck disable=SC2086
"$sim" run $ring > "$work/out" && grep -q '^end  *drained' "$work/out"
result $? 'a crowded ring drains'
# shellcheck disable=SC2086
broken bubble packet/part \
    's/\(struct net_outputs outputs = .*\)/\1 outputs.escape.need = NET_NEED_SLOT;/' &&
    { "$work/bubble" run $ring > "$work/out" 2> "$work/err"; [ $? = 1 ]; } &&
    grep -q 'full: VS2 queue' "$work/err"
result $? 'without the bubble it deadlocks, and the watchdog names the full queue'
broken leak packet/links 's/net_used(links, node, first & 3)\[port\]--;//' &&
    { "$work/leak" run --topology 4x4 > "$work/out" 2> "$work/err"; [ $? = 1 ]; } &&
    grep -q 'full' "$work/err"
result $? 'slots that are never freed: the watchdog ends the run'

# GCC drops calls of what only fetches, unless they are inlined: half of the speed at k = 32.
asked=$(grep -c '__builtin_prefetch(' sim/net/packet/ahead.h)
fetches() { [ "$(objdump -d "$1" | grep -c -E '[[:space:]](prefetch|prfm)')" -ge "$asked" ]; }
fetches "$B/sim/net/packet/part.o"
result $? "all $asked fetches into the cache are in the program"
sed 's/inline __attribute__((always_inline))$/ /' sim/net/packet/ahead.h > "$work/ahead.h"
broken dropped packet/part "s|packet/ahead.h|$work/ahead.h|" && ! fetches "$work/dropped"
result $? 'a program without them is found out'

# One simulation on several threads: the records are the same; what that needs is looked for.
threads='--topology 8x4x4 --load 0.8 --messages 4 --message-packets 30 --format csv'
# same PROGRAM THREADS
same()
{
    for n in 1 "$2"; do
        # shellcheck disable=SC2086
        "$1" run $threads --threads "$n" | sed -E 's/(,[^,]*){4}$//' > "$work/on$n" || return 1
    done
    cmp -s "$work/on1" "$work/on$2"
}
for n in 2 3 8; do
    same "$sim" "$n"
    result $? "the same record on $n threads"
done
broken unordered packet/part 's/if (own + others > 1 && /if (0 \&\& /' && ! same "$work/unordered" 3
result $? 'without an order of simultaneous arrivals it is not'
broken unseen packet/part 's/net_ack_late(/net_ack(/' && ! same "$work/unseen" 2
result $? 'nor where an ACK from another thread frees its slot late'
broken hasty packet/net 's/times->ext_latency + times->ext_ack;/2 * times->ext_packet;/' &&
    ! same "$work/hasty" 2
result $? 'nor with windows longer than the look-ahead'
finish
