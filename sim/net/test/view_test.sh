#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim view: pictures with axes, units and commands, whose data are those of the file; what is
# no record set; twins whose picture is another. TAP.
. sim/net/test/torussim.sh

"$sim" sweep --topology 4x4 --routing abr,ofr --load 0.1,0.3 --seed 1,2,3 --messages 12 \
    --out "$work/points" --format csv > "$work/points.csv" &&
    "$sim" sweep --topology 4x4 --routing abr,ofr --load 0.1,0.3 --replicates 3 --messages 12 \
        --out "$work/points" --resume --format json > "$work/combined.json"
"$sim" run --topology 4x3x2 --traffic uniform --routing abr --messages 12 --links "$work/links.csv" \
    --histogram "$work/lifetimes.csv" > "$work/out"
result $? 'something to look at'

# pictures STEM WORDS...: both pictures are there, and the words in the one that is text
pictures()
{
    stem=$1
    shift
    [ "$(head -c 4 "$stem.png" | tail -c 3)" = PNG ] && [ "$(wc -c < "$stem.png")" -gt 5000 ] || return 1
    # A text may be in several elements, blanks as no-break ones.
    python3 -c "import re, sys
d = open('$stem.svg').read()
t = re.sub(r'\s+', ' ', re.sub('<[^>]*>', '', re.sub('</text>', ' | ', d))).replace('\xa0', ' ').replace('&#160;', ' ')
for w in sys.argv[1:]:
    if w not in t: sys.exit('# not there: ' + w)" "$@"
}
"$sim" view "$work/points" > "$work/out" && grep -q '2 curves of 12 of 12 records' "$work/out" &&
    pictures "$work/points-view" 'load (gamma0)' 'mean lifetime (us)' abr ofr '95% interval' \
        "torussim view $work/points" \
        'torussim sweep --topology torus:4x4 --routing abr,ofr --traffic uniform --seed 1,2,3 --load 0.1,0.3 --messages 12'
result $? 'curves, with axes, units and commands'
values() { sed -n '/^\$c0/,/^EOD/p' "$1.gp" | head -n 4 | tail -n 3; }
values "$work/points-view" > "$work/data"
for from in points.csv combined.json; do
    "$sim" view "$work/$from" --out "$work/other" > "$work/out" && values "$work/other" > "$work/data2"
    cmp -s "$work/data" "$work/data2"
    result $? "the same from $from"
done
python3 -c "import json
o = [r for r in json.load(open('$work/combined.json'))['records'] if r['routing'] == 'abr']
d = [[float(x) for x in l.split()] for l in open('$work/data') if l[0] != 'E']
assert len(d) == 2
for r, (x, y, low, high) in zip(o, d):
    assert x == r['load_gamma0'] and abs(y / r['mean_lifetime_us'] - 1) < 1e-5
    assert abs(low / r['mean_ci95_low_us'] - 1) < 1e-5 and abs(high / r['mean_ci95_high_us'] - 1) < 1e-5"
result $? 'its points are the records, with their intervals'
# Engine flit: other fields, batches' intervals, or replicates'.
flit='--engine flit --topology 4x4 --routing duato,ofr --load 0.2,0.4,0.6 --batches 3 --batch-cycles 200 --warm-up 100'
# shellcheck disable=SC2086
"$sim" sweep $flit --replicates 3 --out "$work/flit" --format csv > "$work/flit.csv" &&
    "$sim" view "$work/flit" > "$work/out" && grep -q '2 curves of 18 of 18 records' "$work/out" &&
    grep -q "title 'ofr'" "$work/flit-view.gp" &&
    pictures "$work/flit-view" 'load (fulgham)' 'latency (cycles)' duato ofr '95% interval' \
            'torussim sweep --engine flit --topology torus:4x4 --routing duato,ofr --traffic uniform --seed 1,2,3 --load 0.2,0.4,0.6'
result $? 'of engine flit'
values() { sed -n '/^\$c0/,/^EOD/p' "$1.gp" | head -n 4 | tail -n 3; }
"$sim" view "$work/flit.csv" --out "$work/other" > "$work/out" && values "$work/flit-view" > "$work/data" &&
    values "$work/other" > "$work/data2" && cmp -s "$work/data" "$work/data2" && grep -q '^0.2 [0-9.]* [0-9.]* [0-9.]*$' "$work/data"
result $? 'the same from its replicates as one record'
"$sim" view "$work/points" -x routing -y accepted_gamma0 --out "$work/bars" > "$work/out" &&
    pictures "$work/bars" routing 'accepted (gamma0)' abr ofr
result $? 'over a setting that is a word'
grep -q '2 curves of 12 of 12 records' "$work/out"
result $? 'a curve for each load, whose points are no replicates of each other'
# The command under a picture makes its records again, whatever defaults follow from topology,
# switching, routing or arrivals; and needs no setting that they give.
made_by()
{
    "$sim" view "$work/first" --out "$work/again" > "$work/out" && python3 -c "import re
texts = [t.replace('\xa0', ' ') for t in re.findall(r\"^set label 9[0-9] '([^']*)'\", open('$work/again.gp').read(), re.M)]
text = ' '.join(texts[:len(texts) // 2])
print(' '.join(text[text.index('torussim sweep'):].split()[1:]))" > "$work/command"
}
again()
{
    made_by
    # shellcheck disable=SC2046
    "$sim" $(cat "$work/command") --format csv > "$work/csv" || return 1
    if grep -q -e "$1" "$work/command"; then
        echo "# $(cat "$work/command")"
        return 1
    fi
    python3 -c "import csv, json
its = list(csv.DictReader(open('$work/csv')))
first = [json.loads(l)['record'] for l in open('$work/first')]
fields = ('routing', 'seed', 'accepted_load', 'accepted_gamma0', 'latency_cycles', 'mean_lifetime_us')
key = lambda r: sorted((f, '%.9g' % r[f] if isinstance(r[f], float) else str(r[f])) for f in fields if r.get(f) not in (None, ''))
number = lambda r: {f: float(v) if f != 'routing' and v else v for f, v in r.items() if f in fields}
assert sorted(key(number({f: r.get(f) for f in fields})) for r in first) == sorted(key(number(r)) for r in its)"
}
short='--warm-up 100 --batches 3 --batch-cycles 200'
while read -r never options; do
    rm -f "$work/first"
    # shellcheck disable=SC2086
    "$sim" sweep $options --load 0.1,0.3 --out "$work/first" > "$work/out" && again "$never"
    result $? "the command of a picture makes it again: $options"
done << EOF
--misrout\|--node-l\|--load-u\|--message-w\|--local-v --engine flit --topology dragonfly:1 --routing valiant,par,ofar --traffic adv+1 $short
--duplex\|--message-w\|--lanes\|--rule --engine flit --topology 4x4 --routing triplex,dally-seitz --switching wormhole $short
--throttle\|--slots --engine flit --topology 4x4 --routing duato,ofr --buffer-packets 3 $short
--messages\|--message-p\|throttle --topology 4x4 --routing abr --arrivals bernoulli --slots 6 --seed 1,2
EOF
# Records of several sweeps, which no single command makes: the first, and what the others have otherwise.
several() # WORDS: the command's last
{
    rm -f "$work/first"
    while read -r options; do
        # shellcheck disable=SC2086
        "$sim" sweep --topology 4x4 --messages 2 --load 0.1,0.3 $options --out "$work/first" --resume > "$work/out" || return 1
    done
    made_by && cat "$work/command" > "$work/out" && grep -q -e "$1\$" "$work/command"
}
several ' --routing abr,ofr .* --messages 2; and with --routing ofr --escape-throttle 8; and with --routing ofr --escape-throttle 8 --ratio 1.5' << 'EOF'
--routing abr,ofr
--routing ofr --escape-throttle 8
--routing ofr --escape-throttle 8 --ratio 1.5
EOF
result $? 'the command of a picture has no list for an option that takes none'
several ' --escape-throttle 8 --messages 2; and with --routing abr --escape-throttle 4' << 'EOF'
--escape-throttle 8
--routing abr
EOF
result $? 'nor leaves out what is a default'
several ' --traffic uniform,tornado --load 0.1,0.3 --messages 2 (6 of these 8 runs)' << 'EOF'
--routing abr,ofr
--routing ofr --traffic tornado
EOF
result $? 'nor claims runs that were not made'
for kind in run saturate; do
    more=$([ $kind = run ] && echo --replicates 2 || echo --step 0.05)
    # shellcheck disable=SC2086
    "$sim" $kind --topology 4 --messages 10 $more --format json > "$work/one.json" &&
        "$sim" view "$work/one.json" -x traffic -y mean_lifetime_us --out "$work/$kind" \
            > "$work/out" 2> "$work/err" && [ ! -s "$work/err" ] &&
        pictures "$work/$kind" "torussim $kind --topology torus:4"
    result $? "a record of $kind"
done

"$sim" view "$work/links.csv" --plane xz --at 1 > "$work/out" && grep -q '6 maps of 4 x 2' "$work/out" &&
    pictures "$work/links-view" 'links x+' 'links z-' 'busy, y = 1' 'use (share of the time)' \
        'torussim run --topology torus:4x3x2 --routing abr --traffic uniform --load 0.5 --messages 12 --links FILE'
result $? 'maps of a plane'
# map PORT: x z use of the picture's and of the file's
map() { sed -n "/^\\\$d$1 /,/^EOD/p" "$work/links-view.gp" | sed '1d;/EOD/,$d' | sort; }
of_file() { awk -F, -v p="$1" '$5 == p && $3 == 1 { print $2, $4, $7 }' "$work/links.csv" | sort; }
[ -n "$(map xp)" ] && [ "$(map xp)" = "$(of_file x+)" ] && [ "$(map ym)" = "$(of_file y-)" ] &&
    map zp | grep -q '^[0-3] 1 NaN$'
result $? 'each is of its port and slice; no link where there is none'
"$sim" view "$work/lifetimes.csv" > "$work/out" && grep -q ' 2304 packets' "$work/out" || {
    packets=$(awk -F, 'NR > 2 { n += $3 } END { print n }' "$work/lifetimes.csv")
    grep -q " $packets packets" "$work/out"
} && pictures "$work/lifetimes-view" 'end of consumption (us)' 'per octave of lifetime (%)' '50%: ' '99%: '
result $? 'a histogram'
median=$("$sim" run --topology 4x3x2 --traffic uniform --routing abr --messages 12 | awk '$1 == "p50_us" { print $2 }')
grep -o '50%: [0-9.]*' "$work/lifetimes-view.gp" | head -n 1 |
    awk -v m="$median" '{ exit !($2 / m > 0.95 && $2 / m < 1.05) }'
result $? "whose median is the record's ($median)"
"$sim" run --topology 8 --messages 2 --links "$work/ring.csv" > "$work/out"
"$sim" view "$work/ring.csv" > "$work/out" && pictures "$work/ring-view" 'links x-'
result $? 'a ring'
"$sim" view "$work/links.csv" > "$work/out"
result $? 'its own pictures are drawn anew'

refuse 'which file' view
refuse 'No such file' view "$work/none"
refuse 'a directory' view "$work"
echo mine > "$work/mine.png"
refuse 'mine.png: it is there' view "$work/points" --out "$work/mine"
[ "$(cat "$work/mine.png")" = mine ]
result $? 'and it is left alone'
refuse 'must end with a name' view "$work/points" --out "$work/"
refuse 'too long' view "$work/points" --out "$work/$(printf '%0151d' 0)"
[ -z "$(find "$work" -name '.*.*' -o -name '0000*')" ]
result $? 'and nothing is written for names that are none'
refuse 'no field fly' view "$work/points" -y fly
refuse 'no record has both' view "$work/points" -y solution_us
refuse 'two of the axes xyz' view "$work/links.csv" --plane xu
refuse 'two of the axes' view "$work/links.csv" --plane xx
refuse 'z must be 0 to 1' view "$work/links.csv" --at 2
refuse 'more coordinates' view "$work/links.csv" --at 0,0
refuse 'go with what run --links' view "$work/points" --plane xy
sed '3s/,[^,]*$//' "$work/links.csv" > "$work/cut.csv"
refuse 'line 3: 6 values' view "$work/cut.csv"
sed '3s/,[^,]*$/,x/' "$work/links.csv" > "$work/cut.csv"
refuse 'link 1: without port or use' view "$work/cut.csv"
sed '3s/,x[+-],/,q?,/' "$work/links.csv" > "$work/cut.csv"
refuse 'link 1: port q?: must be' view "$work/cut.csv"
sed '3s/,[^,]*$/,-1/' "$work/links.csv" > "$work/cut.csv"
refuse 'link 1: use must not' view "$work/cut.csv"
head -n 20 "$work/links.csv" > "$work/cut.csv"
refuse '18 of the 120 links of torus:4x3x2: the file is not whole' view "$work/cut.csv"
sed 1d "$work/cut.csv" > "$work/cut2.csv"
refuse 'link 3: torus:4x1x1 has no such link' view "$work/cut2.csv"
sed '4s/.*/&\n&/' "$work/links.csv" > "$work/cut.csv"
refuse 'link 3: it is there twice' view "$work/cut.csv"
sed 1d "$work/links.csv" > "$work/whole.csv"
"$sim" view "$work/whole.csv" > "$work/out" && grep -q '6 maps of 4 x 3 links' "$work/out"
result $? 'without the command, a whole one is known by its coordinates'
for option in -x -y; do
    refuse 'go with records' view "$work/links.csv" $option port
    refuse 'go with records' view "$work/lifetimes.csv" $option low_us
done
printf 'low_us,high_us,packets\n2,1,5\n' > "$work/cut.csv"
refuse 'bin 1' view "$work/cut.csv"
head -c 300 "$work/points" > "$work/cut"
refuse 'line 1: not a record' view "$work/cut"
echo fly > "$work/fly"
refuse 'neither records' view "$work/fly"
: > "$work/empty"
refuse 'neither records' view "$work/empty"
printf 'engine,x\n' > "$work/empty"
refuse 'nothing in it' view "$work/empty"
PATH=/nowhere "$sim" view "$work/points" > "$work/out" 2> "$work/err"
[ $? = 1 ] && grep -q 'gnuplot' "$work/err"
result $? 'without gnuplot: a line that says so'

# A gnuplot that fails: one line with its first reason, the older pictures as they were, nothing beside them.
mkdir "$work/bin" "$work/drawn"
real=$(command -v gnuplot)
fake() # gnuplot in PATH, from stdin
{
    { echo '#!/bin/sh' && cat; } > "$work/bin/gnuplot" && chmod +x "$work/bin/gnuplot"
}
undrawn() # WORD: of the line
{
    PATH=$work/bin:$PATH timeout 300 "$sim" view "$work/points" --out "$work/drawn/a" > "$work/out" 2> "$work/err"
    [ $? = 1 ] && [ "$(wc -l < "$work/err")" = 1 ] && grep -q "^torussim: gnuplot could not draw .*a.gp: .*$1" "$work/err" &&
        [ "$(cat "$work/drawn/a.png" "$work/drawn/a.svg")" = 'olderolder' ] && [ "$(find "$work/drawn" | wc -l)" = 4 ]
}
"$sim" view "$work/points" --out "$work/drawn/a" > "$work/out" &&
    printf older > "$work/drawn/a.png" && printf older > "$work/drawn/a.svg"
fake << E
sed '\$a plot nothing' "\$1" > "$work/bad.gp"
exec $real "$work/bad.gp"
E
undrawn 'undefined variable: nothing$'
result $? 'gnuplot fails: its reason in a line, no picture'
fake << 'E'
printf '<svg' > a.svg
printf '\n\nfirst\nsecond\n' >&2
exit 3
E
undrawn 'first$'
result $? 'the same of any text'
fake << 'E'
printf '<svg width=640 height=480>' > a.svg
E
undrawn 'a.svg is not whole'
result $? 'a picture that is cut off takes no place'
fake << 'E'
kill -9 $$
E
undrawn 'signal 9'
result $? 'gnuplot that is killed: a line'
fake << E
printf '<svg' > a.svg
: > "$work/begun"
exec sleep 600
E
PATH=$work/bin:$PATH "$sim" view "$work/points" --out "$work/drawn/a" > "$work/out" 2> "$work/err" &
view=$!
wait_for 300 test -e "$work/begun" && kill -TERM $view
wait $view
[ $? = 1 ] && [ "$(wc -l < "$work/err")" = 1 ] && grep -q 'signal 15' "$work/err" && [ "$(find "$work/drawn" | wc -l)" = 4 ]
result $? 'a signal ends gnuplot, and nothing is left'
cp "$work/drawn/a.gp" "$work/a.gp"
(
    trap '' XFSZ
    ulimit -f 1
    exec "$sim" view "$work/points" --out "$work/drawn/a" > "$work/out" 2> "$work/err"
)
[ $? = 1 ] && [ "$(wc -l < "$work/err")" = 1 ] && grep -q 'a.gp could not be written: File too large' "$work/err" &&
    cmp -s "$work/a.gp" "$work/drawn/a.gp" && [ "$(find "$work/drawn" | wc -l)" = 4 ]
result $? 'a script that cannot be written whole takes no place either'
mkdir "$work/b.svg"
"$sim" view "$work/points" --out "$work/b" > "$work/out" 2> "$work/err"
[ $? = 2 ] && grep -q 'b.svg: it is there already' "$work/err"
result $? 'a folder of that name is left alone'

broken slice output/view_links 's/coordinate(row, i) != m->at\[i\]/coordinate(row, i) != 0/' &&
    "$work/slice" view "$work/links.csv" --plane xz --at 1 > "$work/out" && [ "$(map xp)" != "$(of_file x+)" ]
result $? 'a map of another slice is found out'
finish
