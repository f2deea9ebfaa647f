#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim limit: its three forms say the same, mistakes are refused. TAP.
. sim/net/test/torussim.sh

refuse 'paths' limit --paths
refuse 'paths any,some: must be a list' limit --paths any,some
refuse 'gap 0: must be' limit --gap 0
refuse 'gap x: not a number' limit --gap x
refuse 'passes 0' limit --passes 0
refuse 'load has no meaning' limit --load 0.5
refuse 'trace has no meaning' limit --trace "$work/none"
for option in arrivals=bernoulli slots=4 eta=2 mix=1:1; do
    refuse "${option%=*} has no meaning" limit "--$option"
done
refuse 'no such traffic' limit --traffic tornado,,uniform
refuse 'power of four' limit --traffic uniform,transposition
refuse 'phase goes with' limit --traffic butterfly,uniform --phase 1
refuse 'phase 9: must be 0 to 8' limit --traffic butterfly --phase 9
refuse 'hot spots' limit --traffic hotspot
refuse 'uniform: no packet leaves its node' limit --topology 1x1
refuse 'bitreverse: no packet leaves' limit --traffic uniform,bitreverse --topology 2
refuse 'hotspot: more than 4194304 pairs' limit --topology 64x64 --traffic hotspot --hotspots 1 \
    --hotspot-weight 0.1

"$sim" limit --topology 8x8x8 --traffic tornado,complement --format json > "$work/out"
json 'len(o) == 6 and all(x["lower_gamma0"] <= x["upper_gamma0"] <= 1.01 * x["lower_gamma0"]
    for x in o)'
result $? "six limits, bounds within 1%"
json '[x["paths"] for x in o] == 2 * ["any", "minimal", "idn"] and
    all(x["lower_gamma0"] <= e + 1e-6 and e - 1e-6 <= x["upper_gamma0"]
        for x, e in zip(o, [8/15, 1/3, 8/15, 1/2, 1/2, 1/2]))'
result $? "they are those of tornado and complement"
"$sim" limit --topology 8x8x8 --traffic tornado,complement --format csv > "$work/csv"
python3 - "$work" <<'EOF'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/csv")))
records = json.load(open(sys.argv[1] + "/out"))
text = lambda v: "" if v is None else "%.6g" % v if isinstance(v, float) else str(v)
sys.exit([{k: text(v) for k, v in r.items()} for r in records] != rows)
EOF
result $? "CSV says what JSON says"
"$sim" limit --topology 8x8x8 --traffic tornado,complement > "$work/text"
awk 'NR > 1 { print $1, $2 }' "$work/text" | tr '\n' ' ' | grep -q \
    '^tornado any tornado minimal tornado idn complement any complement minimal complement idn $'
result $? "text names them in the same order"

"$sim" limit --topology 8x8x8 --traffic bitreverse --paths any --passes 1 > "$work/out" 2> "$work/err"
[ $? = 1 ] && grep -q 'apart after 1 passes' "$work/err" && grep -q '^bitreverse  *any' "$work/out"
result $? "bounds that are further apart than asked: printed, said, status 1"

(
    ulimit -v 100000
    exec "$sim" limit --topology 64x64x64 > "$work/out" 2> "$work/err"
)
[ $? = 1 ] && [ "$(cat "$work/err")" = 'torussim: limit of uniform: out of memory' ] && [ ! -s "$work/out" ]
result $? "without memory: one line, and no table"

timeout 60 "$sim" limit --topology 255x255 --paths any > "$work/out" && grep -q 'any *1.0000 *1.0000' "$work/out"
result $? "65,025 nodes, whose shifts are a group of two vectors'"

# In its first look at all flows, which would take a minute.
"$sim" limit --topology 255x255 --traffic transposition --paths any > "$work/out" 2> "$work/err" &
run=$!
worked() { awk '{ exit $14 < 50 }' "/proc/$1/stat"; }
wait_for 300 worked $run
kill -INT $run
gone() { ! kill -0 "$1" 2> /dev/null; }
wait_for 10 gone $run || kill -KILL $run
wait $run
[ $? = 1 ] && grep -q interrupted "$work/err" && [ "$(wc -l < "$work/err")" = 1 ]
result $? "Ctrl-C ends it at once"
finish
