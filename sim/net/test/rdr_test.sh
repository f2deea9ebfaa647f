#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim reproduce rdr: the orderings and the bound of 2 GB/s, with packets of 128 bytes so that
# it is short (`torussim reproduce rdr` has those of 32); broken twins that must fail. TAP.
. sim/net/test/torussim.sh

short='--packet-bytes 128 --message-packets 64'
# shellcheck disable=SC2086
"$sim" reproduce rdr $short --out "$work/rdr" --format json > "$work/out" 2> "$work/err"
result $? 'DOR against RDR: all that the document claims'
json 'len(o["checks"]) == 19 and all(c["holds"] for c in o["checks"]) and
    len(o["values"]) == 4 * 4 * 21'
result $? 'with 19 checks and all distributions'
json 'all(a["value"] <= b["value"] for a, b in zip(o["values"], o["values"][1:])
    if (a["row"], a["series"]) == (b["row"], b["series"]))'
result $? 'which rise'
[ "$(grep -c '"naks":0,"refused":0' "$work/rdr/points.jsonl")" = 16 ]
result $? 'no queue was ever full'
grep -q '^19 of 19 hold' "$work/rdr/rdr.txt" &&
    python3 -c "import sys
d = open('$work/rdr/rdr-10.svg').read()
sys.exit(not (len(d) > 20000 and 'DOR, 10 messages' in d and d.rstrip().endswith('</svg>')))"
result $? 'the text and the picture'
# Finite queues, with the escape.
# shellcheck disable=SC2086
"$sim" reproduce rdr $short --slots 8 --ack-bytes 10 --row '250 nodes' --out "$work/finite" \
    > "$work/out" 2> "$work/err" && grep -q '^2 of 2 hold' "$work/out" &&
    grep -q '"refused":[1-9]' "$work/finite/points.jsonl"
result $? 'finite queues: one row, its bounds'

# fails NAME LINE: that twin is found out, by a check of that line
fails()
{
    # shellcheck disable=SC2086
    "$work/$1" reproduce rdr $short --row '250 nodes' --out "$work/out-$1" > "$work/out" \
        2> "$work/err"
    [ $? = 1 ] && grep -q "^NO  *$2" "$work/out"
}
broken many packet/part 's/\(struct net_outputs outputs = .*\)/\1 outputs.adaptive = head.mu;/' &&
    fails many 'DOR, 250 nodes: the fastest'
result $? 'DOR on many paths is found to exceed the bound'
broken one packet/part 's/outputs.adaptive = net_one_dimension(.*);/outputs.adaptive = 0;/' &&
    fails one 'RDR, 250 nodes: the fastest'
result $? 'RDR on one path is found not to'

refuse 'even number' run --active 3
refuse 'at most that of the nodes' run --active 514
refuse 'active.*2 to' run --active 0
refuse 'rounds' run --active 2 --rounds 0
refuse 'rounds.*must' run --active 2 --rounds 100001
refuse 'burst.*must' run --active 2 --burst 10001
refuse '2^28' run --active 2 --burst 10000 --message-packets 1000000
refuse 'with --active only' run --burst 2
refuse 'active and --load do not' run --active 2 --load 0.3
refuse 'active and --traffic do not' run --active 2 --traffic tornado
refuse 'trace and --active do not' run --active 2 --trace "$work/none"
refuse 'injection fly' run --injection fly
refuse 'slots must be 2 to 80' run --active 2 --routing ofr --slots 81
refuse 'slots.*must be 2 to 60000' run --active 2 --routing rdr --slots 60001 --throttle 1
refuse 'no load to look for' saturate --active 2
refuse 'active is not for it' reproduce rdr --active 100
change() { sed "$1" sim/net/study/experiments/rdr.json > "$work/changed.json"; }
again() { refuse "$1" reproduce "$work/changed.json" --out "$work/new"; }
change 's/"latency_q\*_us"/"mean_hops"/' && again 'series DOR.*goes without quantiles'
change 's/"quantiles": true/"quantiles": false/' && again 'series DOR.*goes with quantiles'
change 's/"title": "DOR"/"titel": "DOR"/' && again 'panel 1'
change 's/"series": \["DOR"\]/"series": ["ABR"]/' && again 'no series ABR'
change 's/"DOR x10", 1\]/"DOR x10", 0.99]/' && again 'check 12.*fraction'
change 's/\[\[1, "250 nodes"/[[1, "251 nodes"/' && again 'no row 251 nodes'
change 's/"above": 0/"over": 0/' && again 'check 1'
change 's/"quantiles": true/"quantiles": true, "loads": [0.1]/' && again 'do not go together'

finish
