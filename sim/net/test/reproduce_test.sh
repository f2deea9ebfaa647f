#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim reproduce: a table and curves of small experiments, what is said to be within the
# paper's figures, plots; stop and resume; every way of cutting off a file, and other mistakes. TAP.
. sim/net/test/torussim.sh
top=$(pwd)

cat > "$work/table.json" << 'E'
{
  "title": "A table",
  "field": "gamma_star_gamma0",
  "label": "gamma*",
  "sizes": [4],
  "options": {"preset": "ofr-2013", "messages": 8},
  "rows": [
    {"name": "Tornado", "options": {"traffic": "tornado"}},
    {"name": "It's long", "options": {"traffic": "transposition"}, "sizes": {"4": {"topology": "8x8"}}}
  ],
  "series": [
    {"name": "ABR", "options": {"routing": "abr"}},
    {"name": "OFR", "options": {"routing": "ofr", "eta": 2.5}}
  ],
  "tolerance": 0.05,
  "paper": {"4": {"from": "nowhere", "rows": {"Tornado": {"ABR": 0.1, "OFR": 1.9}}}}
}
E
cat > "$work/curves.json" << 'E'
{
  "title": "Curves",
  "label": "us",
  "sizes": [4],
  "rows": [{"name": "Tornado", "options": {"traffic": "tornado", "messages": 4}}],
  "series": [
    {"name": "time", "field": "mean_lifetime_us", "options": {"routing": "abr"}},
    {"name": "hops", "field": "mean_hops", "options": {"routing": "abr"}},
    {"name": "POR", "field": "por_ratio", "options": {"routing": "por"}}
  ],
  "loads": "0.1:1.9:0.2",
  "until": 1.2
}
E

# py EXPRESSION about $work/a.json (o)
py() { python3 -c "import json,sys; o = json.load(open('$work/a.json')); sys.exit(not ($1))"; }

"$sim" reproduce "$work/table.json" --out "$work/t" --jobs 2 --format json > "$work/a.json" \
    2> "$work/err"
[ $? = 1 ]
result $? 'a table off the paper by more than the tolerance: exit status 1'
py 'o["compared"] == 2 and o["within"] == sum(v["within"] is True for v in o["values"]) < 2 and
    len(o["values"]) == 4'
result $? 'and it says how many are within'
g=$("$sim" saturate --topology 8x8 --preset ofr-2013 --messages 8 --eta 2.5 --traffic transposition \
    --routing ofr --format csv | python3 -c "import csv,sys
print(next(csv.DictReader(sys.stdin))['gamma_star_gamma0'])")
py "[v['value'] for v in o['values'] if (v['row'], v['series']) == (\"It's long\", 'OFR')] == [$g]"
result $? "gamma* is that of saturate ($g)"
# Fewer messages at load 0.1, by which gamma* goes: that run alone has them, and no more than are asked for.
base() { # MESSAGES, and those of the rows' others: what the runs of Tornado had, by load 0.1 or not
    sed "s/{\"traffic\": \"tornado\"}/&, \"base_messages\": $1/" "$work/table.json" > "$work/base.json"
    "$sim" reproduce "$work/base.json" --row Tornado --messages "$2" --out "$work/base-$1-$2" > /dev/null 2>&1
    python3 -c "import json,sys
runs = [json.loads(line)['record'] for line in open(sys.argv[1])]
print(*sorted({(r['load_gamma0'] > 0.1, r['messages']) for r in runs}))" "$work/base-$1-$2/points.jsonl"
}
[ "$(base 2 8)" = '(False, 2) (True, 8)' ]
result $? 'gamma* by a shorter run at load 0.1'
[ "$(base 8 2)" = '(False, 2) (True, 2)' ]
result $? 'which is never longer than the others'
# A series beside which the paper's values stand without being counted.
scored() # ABR's "scored"
{
    sed "s/{\"name\": \"ABR\",/& \"scored\": $1,/; s/\"OFR\": 1.9/\"OFR\": $(python3 -c "import json
print(*(v['value'] for v in json.load(open('$work/t/table.json'))['values']
        if (v['row'], v['series']) == ('Tornado', 'OFR')))")/" "$work/table.json" > "$work/scored.json"
    "$sim" reproduce "$work/scored.json" --out "$work/t$1" > "$work/out" 2> "$work/err"
}
scored false && grep -q '^1 of 1 are within' "$work/out" &&
    grep -q '^not counted, 0 of 1: ABR$' "$work/out" &&
    grep -q '^Tornado .* (0.100)!' "$work/out" && cp "$work/tfalse/scored.json" "$work/a.json" &&
    py '(o["compared"], o["within"]) == (1, 1) and
        [v["within"] for v in o["values"] if v["row"] == "Tornado"] == [None, True]'
result $? 'a series that is not counted: its figure beside, marked, but exit status 0'
! scored true && grep -q '^1 of 2 are within' "$work/out" && ! grep -q 'not counted' "$work/out"
result $? 'and counted it is off'
for f in png svg; do
    python3 -c "import sys
d = open('$work/t/table-4.$f', 'rb').read()
sys.exit(not (len(d) > 5000 and (d[:8] == b'\x89PNG\r\n\x1a\n' and d[-8:-4] == b'IEND'
    if '$f' == 'png' else b'Tornado' in d and d.rstrip().endswith(b'</svg>'))))"
    result $? "the plot: $f"
done
python3 -c "import csv,json,sys
t = list(csv.DictReader(open('$work/t/table.csv')))
o = json.load(open('$work/t/table.json'))['values']
sys.exit(not ([float(x['value']) for x in t] == [x['value'] for x in o]))" &&
    grep -q "^It's long " "$work/t/table.txt"
result $? 'text, JSON and CSV are in the folder'
lines=$(wc -l < "$work/t/points.jsonl")
"$sim" reproduce "$work/table.json" --out "$work/t" --resume > "$work/out" 2> "$work/err"
[ "$(wc -l < "$work/t/points.jsonl")" = "$lines" ] && grep -q limited "$work/t/points.jsonl"
result $? '--resume of what is done runs nothing, early verdicts included'
# The search for gamma* may begin anywhere.
for start in 0.15 0.95 1.9; do
    sed "s/\"ABR\": 0.1, \"OFR\": 1.9/\"ABR\": $start, \"OFR\": $start/" "$work/table.json" \
        > "$work/start.json"
    "$sim" reproduce "$work/start.json" --row Tornado --out "$work/s$start" --format csv \
        2> "$work/err" | cut -d, -f1-6
done | sort | uniq -c > "$work/out"
[ "$(grep -c '^ *3 ' "$work/out")" = 3 ] && [ "$(wc -l < "$work/out")" = 3 ]
result $? 'gamma* is the same wherever the search begins'
lines=$(wc -l < "$work/s0.15/points.jsonl")
"$sim" reproduce "$work/start.json" --row Tornado --out "$work/s0.15" --resume > "$work/out" \
    2> "$work/err"
[ "$(wc -l < "$work/s0.15/points.jsonl")" = "$lines" ]
result $? 'and what the folder has is not looked for again from elsewhere'

"$sim" reproduce "$work/curves.json" --out "$work/c" --jobs 1 --format json > "$work/a.json" \
    2> "$work/err"
result $? 'curves'
grep -q '^set xrange \[0:1.9\]' "$work/c/curves.gp"
result $? 'their picture goes up to the last load'
grep -q "^set .*title '.*'torussim reproduce .*curves.json" "$work/c/curves.gp"
result $? 'and by what command it was made'
py 'all(v["value"] <= 1.2 * o["values"][0]["value"] for v in o["values"] if v["series"] == "time")
    and 2 <= sum(v["series"] == "time" for v in o["values"]) ==
    sum(v["series"] == "hops" for v in o["values"]) < 10'
result $? 'a curve ends at 1.2 times its first value'
[ "$(wc -l < "$work/c/points.jsonl")" -lt 21 ]
result $? 'two series of one routing share its points'

# The key of several rows stands beside the curves, not on them: once for each panel.
sed 's/"rows": .*/"rows": [{"name": "One", "options": {"messages": 4}}, {"name": "Two", "options": {"messages": 2}}],/
    s/"name": "hops"/&, "panel": "hops"/; s/"loads": .*/"loads": [0.1, 0.2],/' "$work/curves.json" > "$work/rows.json"
"$sim" reproduce "$work/rows.json" --out "$work/rows" > "$work/out" 2> "$work/err" &&
    grep -q '^set multiplot layout 3,2 ' "$work/rows/rows.gp" &&
    awk '/^set key/ { shown = 1 } /^unset key/ { shown = 0 } /^plot NaN/ { keys += shown }
        /^plot \$/ { curves++; on += shown } END { exit !(keys == 4 && curves == 8 && !on) }' "$work/rows/rows.gp"
result $? 'the key of several rows and panels stands beside the curves'

cp "$work/rows.json" "$work/fig-4.8.json"
"$sim" reproduce "$work/fig-4.8.json" --row Two --out "$work/named" > "$work/out" 2> "$work/err" &&
    [ -s "$work/named/fig-4.8.csv" ] && [ -s "$work/named/fig-4.8-4.svg" ] && [ ! -e "$work/named/fig-4.csv" ]
result $? 'files are named as the experiment is, with a dot in its name, too'

# Cut off after the first points and within a line.
mkdir "$work/r"
{ head -n 3 "$work/c/points.jsonl"; sed -n 4p "$work/c/points.jsonl" | head -c 50; } \
    > "$work/r/points.jsonl"
"$sim" reproduce "$work/curves.json" --out "$work/r" --jobs 3 --resume --format json \
    > "$work/b.json" 2> "$work/err"
cmp -s "$work/a.json" "$work/b.json" &&
    [ "$(head -n 3 "$work/r/points.jsonl")" = "$(head -n 3 "$work/c/points.jsonl")" ]
result $? '--resume runs what is missing, on other threads, to the same values'
"$sim" reproduce ofr-table3 --size 8 --out "$work/k" --jobs 1 > "$work/out" 2> "$work/err" &
sim_pid=$!
wait_for 300 [ -s "$work/k/points.jsonl" ]
kill -INT "$sim_pid"
wait "$sim_pid"
[ $? = 1 ] && grep -q 'cells are not done; --resume' "$work/err" && [ -s "$work/k/points.jsonl" ] &&
    grep -q '^Butterfly/FFT  *[0-9-]' "$work/out" && grep -q '^Bit-Reverse  *- ' "$work/out" &&
    [ -s "$work/k/ofr-table3-8.png" ]
result $? 'Ctrl-C: the finished points are written and shown'
"$sim" reproduce fair-ties --size 24 --row Butterfly/FFT --out "$work/none" > "$work/out" 2>&1 &&
    grep -q '^Butterfly/FFT  *-' "$work/out" && [ -s "$work/none/fair-ties-24.svg" ]
result $? 'a row that is not there at a size'
! grep -q '\[=' "$work/err"
result $? 'no progress bar in a pipe'
PATH=/nowhere "$sim" reproduce "$work/curves.json" --out "$work/c" --resume > "$work/out" \
    2> "$work/err"
[ $? = 1 ] && grep -q 'gnuplot' "$work/err" && [ -s "$work/c/curves.gp" ] && [ -s "$work/out" ]
result $? 'without gnuplot: the table, and a line that says so'

# Names are names, in a picture and in CSV.
cat > "$work/odd.json" << 'E'
{"title": "Valiant's\nsystem(\"touch pwned\")\n#", "label": "it's us", "sizes": [2], "loads": [0.1],
 "options": {"messages": 1}, "rows": [{"name": "'"}],
 "series": [{"name": "a \"b\", c", "field": "mean_lifetime_us"}]}
E
"$sim" reproduce "$work/odd.json" --out "$work/odd" --format csv > "$work/csv" 2> "$work/err"
[ $? = 0 ] && [ -s "$work/odd/odd-2.png" ] && [ ! -e "$work/odd/pwned" ] &&
    python3 -c "import csv; r, = csv.DictReader(open('$work/csv'))
assert (r['row'], r['series'], r['field']) == ('\'', 'a \"b\", c', 'mean_lifetime_us')"
result $? 'quotes, line ends and commas in names'
rm -r "$work/odd"
"$sim" reproduce "$work/odd.json" --out "$work/odd" 2> "$work/err" | true
wait_for 120 [ -s "$work/odd/odd-2.svg" ] && [ -s "$work/odd/odd.csv" ]
result $? 'nobody reads the table: the files are there'
rm -r "$work/odd"
"$sim" reproduce "$work/odd.json" --out "$work/odd" >&- 2> "$work/err"
[ $? = 1 ] && grep -q 'standard output' "$work/err" && [ "$(wc -l < "$work/odd/points.jsonl")" = 1 ]
result $? 'no output at all: nothing of it is in the points'
cp "$work/odd.json" "$work/odd/"
(cd "$work/odd" && exec "$top/$sim" reproduce odd.json --out . --resume) > "$work/out" 2> "$work/err"
[ $? = 2 ] && grep -q 'over the experiment' "$work/err" && cmp -s "$work/odd.json" "$work/odd/odd.json"
result $? 'an experiment is not written over by its table'
mkdir "$work/theirs"
echo mine > "$work/theirs/odd.csv"
"$sim" reproduce "$work/odd.json" --out "$work/theirs" > "$work/out" 2> "$work/err"
[ $? = 2 ] && [ "$(ls "$work/theirs")" = odd.csv ] && [ "$(cat "$work/theirs/odd.csv")" = mine ]
result $? 'nor are files of others'
for picture in changed.gp changed-4.png changed-4.svg; do
    rm -rf "$work/theirs" && mkdir "$work/theirs" && echo mine > "$work/theirs/$picture"
    cp "$work/curves.json" "$work/changed.json"
    "$sim" reproduce "$work/changed.json" --out "$work/theirs" > "$work/out" 2> "$work/err"
    [ $? = 2 ] && [ "$(ls "$work/theirs")" = $picture ] && [ "$(cat "$work/theirs/$picture")" = mine ] &&
        grep -q "$picture is there already" "$work/err" && [ "$(wc -l < "$work/err")" = 1 ]
    result $? "nor are others' pictures and scripts: $picture"
done
"$sim" reproduce "$work/odd.json" --out "$work/stuck" --watchdog 1 --ext-latency 1000000 \
    --messages 2000 > "$work/out" 2> "$work/err"
[ $? = 1 ] && grep -q 'at load 0.1: stuck at' "$work/err" && ! grep -q -e --resume "$work/err"
result $? 'a run that is stuck is named'

off() # word, experiment, options
{
    because=$1
    shift
    refuse "$because" reproduce --out "$work/new" "$@"
}
off 'there is no such experiment' fly
off 'there is no such experiment' fulgham-5.7
off 'No such file' fly.json
off 'No such file' ./fly.json
off 'which experiment'
off 'load is not for it' ofr-fig4 --load 0.3
off 'no row Tornado' ofr-fig4 --row Tornado
off 'size 0' ofr-fig4 --size 0
off 'transposition.*power of four' ofr-fig4 --size 2
off 'size 7: .* dragonfly:6' dragonfly-fig6 --size 7
off 'size 8: .* mesh:16x16' fulgham-5.4 --size 8
change() { sed "$1" "$work/table.json" > "$work/changed.json"; }
change 's/"eta"/"etta"/' && off 'series OFR.*etta' "$work/changed.json"
change 's/"ABR", /&"scored": 5, /' && off 'series 1' "$work/changed.json"
change 's/2\.5/2.51/' && off 'OFR.*eta must' "$work/changed.json"
change 's/"abr"/"fly"/' && off 'Tornado, ABR.*no such routing' "$work/changed.json"
change 's/"title"/"titel"/' && off 'title' "$work/changed.json"
change 's/"tornado"/[1]/' && off 'row Tornado.*traffic' "$work/changed.json"
change 's/gamma_star_gamma0/mean_hops/' && off 'goes with loads' "$work/changed.json"
for wrong in -1 4294967298; do
    change "s/\"options\": {\"traffic\": \"tornado\"}/&, \"base_messages\": $wrong/" && off 'base_messages' "$work/changed.json"
done
change 's/"field": .*/"field": 5,/' && off 'field: must be a text' "$work/changed.json"
change 's/"options": {"preset".*/"options": 5,/' && off 'options must be' "$work/changed.json"
change 's/"options": {"traffic": "tornado"}/"options": [1]/' && off 'row Tornado' "$work/changed.json"
change 's/"sizes": {"4": .*}}/"sizes": {"4": 5}}/' && off 'row It' "$work/changed.json"
change 's/"sizes": {"4"/"sizes": {"four"/' && off 'size four' "$work/changed.json"
change "s/It's long/Tornado/" && off 'Tornado: it is there twice' "$work/changed.json"
change 's/0\.05/"x"/' && off 'tolerance' "$work/changed.json"
change 's/"Tornado": {"ABR"/"Tornada": {"ABR"/' && off 'no row Tornada' "$work/changed.json"
change 's/{"ABR": 0.1/{"ABC": 0.1/' && off 'no series ABC' "$work/changed.json"
change 's/"ABR": 0.1/"ABR": [1]/' && off 'series ABR: must be a number' "$work/changed.json"
change 's/"messages": 8/"seed": 9007199254740993/' && off 'no row Fly' "$work/changed.json" --row Fly
curve() { sed "$1" "$work/curves.json" > "$work/changed.json"; }
curve 's/mean_hops/mean_hop/' && off 'no field mean_hop' "$work/changed.json"
curve 's/"loads": .*/"loads": [1e300],/' && off 'at most 100' "$work/changed.json"
curve 's/"until": 1.2/"until": "x"/' && off 'until' "$work/changed.json"
curve 's/"loads": .*/"quantiles": true, "panels": [],/; s/"field": "[a-z_]*"/"field": "latency_q*_us"/' &&
    off 'panels' "$work/changed.json"
off 'a directory' "$work"
off 'too long' "$work/table.json" --out "$(printf '%0401d' 0)"
cut=0 good=0 size=$(($(wc -c < "$work/table.json") - 3))
while [ $cut -lt $size ]; do
    head -c $cut "$work/table.json" > "$work/cut.json"
    rm -rf "$work/new"
    timeout 120 "$sim" reproduce "$work/cut.json" --out "$work/new" > "$work/out" 2> "$work/err"
    [ $? -eq 2 ] && [ ! -s "$work/out" ] && [ ! -e "$work/new" ] &&
        grep -q 'cut.json: line [0-9]*: ' "$work/err" && [ "$(wc -l < "$work/err")" -eq 1 ] &&
        good=$((good + 1))
    cut=$((cut + 7))
done
[ $good = $(((size + 6) / 7)) ]
result $? "refused: the file cut off anywhere ($good places)"

finish
