#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Replicates, run length, links, histogram at the command line; and twins of the statistics and the
# arrivals that their tests find out. TAP.
. sim/net/test/torussim.sh

# An interval comes from the seeds, and holds their mean; each is a point of its own.
few='--topology 4x4x4 --messages 12 --load 0.5'
# shellcheck disable=SC2086
"$sim" run $few --replicates 4 --seed 3 --format json > "$work/out"
# shellcheck disable=SC2086
"$sim" sweep $few --seed 3,4,5,6 --format json --out "$work/points" > "$work/each"
python3 -c "import json
o = json.load(open('$work/out')); r = json.load(open('$work/each'))['records']
v = [x['mean_lifetime_us'] for x in r]; m = sum(v) / 4
half = 3.18245 * (sum((x - m) ** 2 for x in v) / 3 / 4) ** .5
assert o['replicates'] == 4 and o['seed'] == 3 and abs(o['mean_lifetime_us'] - m) < 1e-6
assert abs(o['mean_ci95_low_us'] - (m - half)) < 1e-5 * m and half > 0
assert abs(o['mean_ci95_high_us'] - (m + half)) < 1e-5 * m
assert abs(o['p99_us'] - sum(x['p99_us'] for x in r) / 4) < 1e-5"
result $? 'replicates: mean and interval of the seeds that follow'
# shellcheck disable=SC2086
"$sim" sweep $few --replicates 2 --seed 3,5 --format json --out "$work/points" --resume | steady > "$work/a"
[ "$(wc -l < "$work/points")" = 4 ] && python3 -c "import json
a, b = json.load(open('$work/a'))['records']
assert a['replicates'] == b['replicates'] == 2 and (a['seed'], b['seed']) == (3, 5)
assert a['accepted_ci95_gamma0'] > 0"
result $? 'replicates of sweep are its points: none is run twice'

# Runs of N messages hide that a network fills up; those of 4 N show it.
claim='--topology 4x4x4 --traffic bitreverse --messages 8 --step 0.01 --replicates 3 --format json'
# shellcheck disable=SC2086
"$sim" saturate $claim --routing abr --out "$work/claim" > "$work/out" &&
    json '(lambda r: r["gamma_steady_gamma0"] < r["gamma_star_gamma0"] - 0.02 and r["sure"] and
        r["below_4n_times"] <= 1.2 and r["above_4n_times"] is None and r["replicates"] == 3 and
        r["below_times"] < 1.2)(o["records"][0])'
result $? 'the load that holds with 4 N messages is below gamma* of N'
steady_load=$(python3 -c "import json; print(json.load(open('$work/out'))['records'][0]['gamma_steady_gamma0'])")
lines=$(wc -l < "$work/claim")
sed -i '/gamma_steady_gamma0/d' "$work/claim"
# shellcheck disable=SC2086
"$sim" saturate $claim --routing abr --out "$work/claim" --resume > "$work/again" &&
    [ "$(steady < "$work/again" | grep -v '"runs"')" = "$(steady < "$work/out" | grep -v '"runs"')" ] &&
    [ "$(wc -l < "$work/claim")" = "$lines" ]
result $? '--resume takes the points and comes to the same'
base=$("$sim" run --topology 4x4x4 --traffic bitreverse --messages 8 --routing abr --load 0.1 |
    awk '$1 == "mean_lifetime_us" { print $2 }')
for times in 1 1.01; do
    "$sim" run --topology 4x4x4 --traffic bitreverse --messages 32 --routing abr \
        --load "$(awk -v g="$steady_load" -v t="$times" 'BEGIN { print t == 1 ? g : g + 0.01 }')" |
        awk -v b="$base" '$1 == "mean_lifetime_us" { print ($2 <= 1.2 * b) }'
done > "$work/verdicts"
[ "$(tr -d '\n' < "$work/verdicts")" = 10 ]
result $? "which single runs say, too ($steady_load)"
broken brief run/claim 's/LONGER = 4/LONGER = 1/'
# shellcheck disable=SC2086
"$work/brief" saturate $claim --routing abr > "$work/out" &&
    json 'o["records"][0]["gamma_steady_gamma0"] == o["records"][0]["gamma_star_gamma0"]'
result $? 'a program without the longer runs is found out'
broken alike cli/run 's/config.seed += i;//'
# shellcheck disable=SC2086
"$work/alike" run $few --replicates 3 --format json > "$work/out" &&
    json 'o["mean_ci95_low_us"] == o["mean_ci95_high_us"]'
result $? 'and one whose replicates are one run'
refuse 'replicates 0' run --replicates 0
refuse 'too large' run --seed 9223372036854775807 --replicates 2
refuse 'too large' saturate --seed 9223372036854775807 --replicates 2
refuse 'factor 1' saturate --factor 1
refuse 'factor is for saturate' sweep --factor 2
refuse 'of one run' run --replicates 2 --links "$work/x"

# Arrivals, lengths.
refuse 'arrivals onoff only' run --on-fraction 0.3
refuse 'mix and --message-packets' run --mix 1:1 --message-packets 4
refuse 'mix 0:1' run --mix 0:1
refuse 'mix 1:0' run --mix 1:0
refuse 'mix x' run --mix 1:1,x
refuse 'at most 8' run --mix 1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1
refuse 'at most 3.2' run --arrivals bernoulli --load 4
refuse 'active and --arrivals' run --active 2 --arrivals burst
refuse 'no such arrivals' run --arrivals poisson
"$sim" run --topology 4x4 --arrivals bernoulli --format json > "$work/out" &&
    json 'o["messages"] == 3072 and o["message_packets"] == 1 and o["injection"] == "pipelined" and
        abs(o["offered_gamma0"] - 0.5) < 0.02 and abs(o["accepted_gamma0"] - o["offered_gamma0"]) < 0.02'
result $? 'Bernoulli: single packets, as many as otherwise, at the load'
"$sim" run --topology 4x4 --preset ofr-2013 --mix 1:3,96:1 --format json > "$work/out" &&
    json 'o["mix"] == "1:3,96:1" and o["message_packets"] is None and o["injection"] == "stop-and-wait"
        and o["messages"] == 124'
result $? 'a mix of lengths; the paper'"'"'s preset has its injection'

# reproduce: the same as saturate.
cat > "$work/table.json" << 'E'
{"title": "T", "field": "gamma_star_gamma0", "label": "gamma*", "sizes": [4],
 "rows": [{"name": "B", "options": {"traffic": "bitreverse", "messages": 8}}],
 "series": [{"name": "ABR", "options": {"routing": "abr"}}]}
E
"$sim" reproduce "$work/table.json" --step 0.01 --replicates 3 --out "$work/folder" --format json \
    > "$work/out" 2> "$work/err" &&
    json '(lambda v: v["value"] == v["gamma_steady_gamma0"] == '"$steady_load"' < v["gamma_star_gamma0"] and v["sure"] and
        v["replicates"] == 3 and v["accepted_gamma0"] > 0.3)(o["values"][0])' &&
    grep -q '4 N messages, in steps of 0.01; 3 replicates' "$work/folder/table.txt"
result $? 'reproduce has the load that saturate has'
lines=$(wc -l < "$work/folder/points.jsonl")
"$sim" reproduce "$work/table.json" --step 0.01 --replicates 3 --out "$work/folder" --resume --format json \
    2> "$work/err" | cmp -s - "$work/out" && [ "$(wc -l < "$work/folder/points.jsonl")" = "$lines" ]
result $? 'and takes its points again'
refuse 'are for gamma' reproduce ofr-fig4 --replicates 2

# Links and lifetimes: the sums are those of the record.
"$sim" run --topology 4x3 --active 12 --routing abr --links "$work/links" --histogram "$work/histogram" --format json \
    > "$work/out"
python3 -c "import csv, json
o = json.load(open('$work/out'))
f = open('$work/links'); assert f.readline().startswith('# torussim run --topology torus:4x3 ')
r = list(csv.DictReader(f)); assert len(r) == 48 and r[5]['node'] == '1' and r[5]['port'] == 'x-'
assert sum(int(x['packets']) for x in r) == o['packet_hops'] + o['naks']
u = [float(x['use']) for x in r]
assert abs(max(u) - o['link_use_max']) < 1e-5 and abs(sum(u) / 48 - o['link_use_mean']) < 1e-5
f = open('$work/histogram'); f.readline(); r = list(csv.DictReader(f))
assert sum(int(x['packets']) for x in r) == o['consumed']
assert float(r[-1]['low_us']) <= o['max_us'] < float(r[-1]['high_us'])"
result $? 'links and histogram'
refuse 'it is there already' run --links "$work/links"
refuse 'both are' run --links "$work/x" --histogram "$work/x"
refuse 'No such file' run --histogram "$work/no/such"

# fails TEST NAME ROOM/FILE SED CASE: a twin of FILE.c with which that case of TEST fails
fails()
{
    broken "$2" "$3" "$4" || return 1
    # shellcheck disable=SC2046,SC2086
    gcc -std=c11 -O2 $net_flags -Isim/model/test -o "$work/$2" \
        "sim/net/test/$1.c" "$work/$2.c" sim/model/test/exact_random.c \
        $(echo "$objects" | tr ' ' '\n' | grep -v cli/torussim.o) "$B/net/libofr.a" -lcmocka -ljansson -lm \
        -lpthread $(pkg-config --libs ompi-c 2> "$work/pkg") || return 1
    ! "$work/$2" > "$work/out" 2>&1 && grep -q -E "(FAILED|not ok).*$5" "$work/out"
}
fails test_steady normal measure/steady 's/if (within(middle, degrees) < 0.95)/if (middle < 1.96)/' student
result $? 'the normal quantile for Student'"'"'s is found out'
fails test_steady cold measure/steady 's/return best \* 20.*/return 0 * best;/' warm_ups
result $? 'a warm-up that is never found'
fails test_steady whole traffic/arrivals 's/draw >> 32 < a->birth/draw >> 32 < a->birth * 9 \/ 10/' queue
result $? 'a load that is a tenth too low, by the queue'
fails test_arrivals together traffic/arrivals 's/\* 0x1p-53 \* a->period/* 0x1p-53 * 0/' phases
result $? 'nodes that are all in one phase'
fails test_arrivals always traffic/arrivals 's/on = on ? .*;/on = true;/' rates
result $? 'nodes that are never off'
fails test_net impatient packet/net 's/ready += packets/ready += 2 * packets/' least_lifetimes
result $? 'a verdict that takes generators for slower than they are'
fails test_net patient packet/net 's/sum += born > at ? (ready - born)/sum += born > at ? 0/' least_lifetimes
result $? 'a verdict that forgets what a backlog costs those that are unborn'
finish
