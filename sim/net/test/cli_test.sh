#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim's command line: what a record and an explanation have in them, and mistakes: one line
# that names what is wrong, nothing on stdout, exit status 2. TAP.
. sim/net/test/torussim.sh

refuse 'no such command' fly
refuse 'no such routing' run --routing fly
refuse 'no such traffic; it is one of uniform, butterfly' run --traffic fly
refuse 'no such preset' run --preset fly
refuse 'topology' run --topology torus:0x8x8
refuse 'topology' run --topology torus:8x8x
refuse 'topology' run --topology torus:2x2x2x2x2x2x2
refuse 'topology' run --topology torus:256x8
refuse 'load' run --load -1
refuse 'load' run --load 0
refuse 'load' run --load x
refuse 'load' run --load nan
refuse 'load' run --load 1e-15
refuse 'injection-rate' run --injection-rate 1e-20
refuse 'more than 71 ms' run --packet-bytes 65535 --ext-bandwidth 0.001
refuse 'seed' run --seed 1.5
refuse 'seed' run --seed 9223372036854775808
refuse 'bitreverse.*powers of two' run --topology torus:10x10x10 --traffic bitreverse
refuse 'transposition.*power of four' run --topology torus:8x8x8 --traffic transposition
refuse 'a cube' run --topology torus:8x8x4 --traffic transposition3d
refuse 'hot spot' run --traffic hotspot
refuse 'hot spot' run --topology torus:4x4 --traffic hotspot --hotspots 16 --hotspot-weight 0.1
refuse 'needs --hotspot-weight' run --traffic hotspot --hotspots 1
refuse 'goes with --traffic hotspot' run --hotspots 1 --hotspot-weight 0.1
refuse 'hotspots : not' run --traffic hotspot --hotspots 1,,2 --hotspot-weight 0.1
refuse 'eta' run --eta 1.03
refuse 'eta' run --eta 16
refuse 'delta' run --delta 16
refuse 'slots' run --slots 1
refuse 'throttle' run --slots 4 --throttle 4
refuse 'escape throttle' run --slots 4 --escape-throttle 5
refuse 'escape throttle' run --slots 4 --escape-throttle 4 --routing dor
refuse 'transit throttle' run --slots 4 --transit-throttle 4
refuse 'ratio' run --ratio -1
refuse 'idn' run --routing abr --idn oidn
for file in /dev/full /tmp; do
    refuse "links $file: it is there already; name a new file" run --topology 2x2 --links $file
    refuse "histogram $file: it is there already" run --topology 2x2 --histogram $file
done
# What would have no effect.
refuse 'means gates goes with --smooth, and --ratio or --above-mean' run --smooth 6 --means gates
refuse 'means gates goes with --smooth' run --ratio 1.5 --means gates
refuse 'nak-ports 5: a node of torus:4x4 has 4 links' run --topology 4x4 --nak-gate 1 --nak-ports 5
refuse 'nak-ports 4: a node of torus:4x2 has 3 links' run --topology 4x2 --nak-gate 1 --nak-ports 4
refuse 'threads does not go with --active' run --active 2 --threads 2
refuse 'format' run --format xml
refuse 'unrecognized' run --frobnicate
for option in trace application links histogram; do
    refuse "$option '': must be a name" run --topology 2x2 --$option ''
done
for command in sweep saturate 'reproduce rdr' 'view Makefile' 'record'; do
    # shellcheck disable=SC2086
    refuse "out '': must be a name" $command --out ''
done
refuse "NAME ''" reproduce ''
refuse "FILE ''" view ''
refuse 'both are' run --topology 2x2 --links "$work/new" --histogram "$work/../${work##*/}/new"
refuse 'application /dev/null: there is no operation' run --topology 2x2 --application /dev/null
# That one line is all, without a hint behind it.
for mistake in 'run --frobnicate' 'view --frobnicate' 'record --frobnicate' 'sweep --load' 'run 4x4' \
    'reproduce --quick=x'; do
    # shellcheck disable=SC2086
    "$sim" $mistake > "$work/out" 2> "$work/err"
    [ $? = 2 ] && [ "$(wc -l < "$work/err")" = 1 ] && [ ! -s "$work/out" ]
    result $? "one line: $mistake"
done
refuse 'needs --src' explain --dst 1,1,1 --used 1,2,3,4,5,6
refuse 'used.*6 numbers' explain --src 0,0,0 --dst 1,1,1 --used 1,2,3
refuse 'used.*0 to 8' explain --src 0,0,0 --dst 1,1,1 --used 1,2,3,4,5,9
refuse 'dst.*0 to 7' explain --src 0,0,0 --dst 1,8,1 --used 1,2,3,4,5,6
refuse 'text or json' check-deadlock --format csv
refuse 'no such routing' check-deadlock --routing fly
refuse 'count-used' explain --src 0,0 --dst 1,1 --topology 4x4 --used 1,2,3,4 --throttle 4 \
    --count-used all

refuse 'no such experiment' reproduce fly
for file in sim/net/study/experiments/*.json; do
    grep -q "[( ]$(basename "$file" .json)[,)]" "$work/err" || echo "$file"
done > "$work/out"
[ ! -s "$work/out" ]
result $? 'which names all that there are'
# Traces: a good one, and what may be wrong with a line.
lines() { printf 'time_ns,src,dst,bytes\n0,0,1,512\n1.5,15,0,513\n%s\n' "$1" > "$work/trace"; }
wrong() { # word, line
    lines "$2"
    refuse "line 4: .*$1" run --topology 4x4 --trace "$work/trace"
}
wrong 'less than' '1.4,0,1,512'
wrong 'less than' '1.49999,0,1,512'
wrong 'bytes' "$(printf '2,1,0,512\r3,1,0,512')"
wrong 'time_ns' 'x,0,1,512'
wrong 'time_ns' '-1,0,1,512'
wrong 'time_ns' 'nan,0,1,512'
wrong 'time_ns' '1e13,0,1,512'
wrong 'src is not a node' '2,16,1,512'
wrong 'dst is not a node' '2,0,16,512'
wrong 'src must' '2,-1,0,512'
wrong 'dst must' '2,1,0x2,512'
wrong 'bytes' '2,1,0,0'
wrong 'bytes' '2,1,0,2147483648'
wrong 'bytes' '2,1,0,512,7'
wrong 'dst must' '2,1,0'
wrong 'time_ns' ' '
lines '2,3,4,5'
refuse 'load do not go' run --topology 4x4 --trace "$work/trace" --load 0.3
refuse 'no load' saturate --topology 4x4 --trace "$work/trace"
refuse 'No such file' run --topology 4x4 --trace "$work/none"
refuse 'Is a directory' run --topology 4x4 --trace "$work"
: > "$work/empty"
refuse 'no message' run --topology 4x4 --trace "$work/empty"
printf '0,1,2,3\0004\n' > "$work/empty"
refuse 'line 1: .*zero byte' run --topology 4x4 --trace "$work/empty"
# What never ends, and a line for which there is no memory, are no end of the file.
for option in trace application; do
    refuse 'line 1: .*zero byte' run --topology 4x4 --$option /dev/zero
done
long() { { echo "$1" && head -c 1100000 /dev/zero | tr '\0' 1; } > "$work/long"; }
long 0,0,1,512
refuse 'line 2: the line is longer than 1 MiB' run --topology 4x4 --trace "$work/long"
long 'torussim-application 1'
refuse 'line 2: the line is longer than 1 MiB' run --topology 4x4 --application "$work/long"

"$sim" run --topology torus:4x4x4 --routing ofr --traffic bitreverse --load 0.40 --preset ofr-2013 \
    --seed 1 --format json > "$work/out"
json 'all(k in o for k in ("mean_lifetime_us", "p50_us", "p99_us", "accepted_gamma0", "saturated",
    "oidn_ratio", "widn_ratio", "por_ratio", "mean_hops", "packets", "packet_hops", "wall_s",
    "packet_hops_per_s", "mean_ci95_low_us", "mean_ci95_high_us", "network_latency_us",
    "source_wait_us", "in_flight", "waiting")) and isinstance(o["saturated"], bool)'
result $? 'a record has all fields'
json 'all(o["units"][k] == "us" for k in o if k.endswith("_us"))'
result $? 'a record carries its units'
json 'abs(o["network_latency_us"] + o["source_wait_us"] - o["mean_lifetime_us"]) < 1e-6 and
    o["packets"] == o["consumed"] == 64 * 32 * 96'
result $? 'wait and latency make the lifetime; all packets consumed'

"$sim" run --topology 4x4 --format csv > "$work/csv"
python3 -c "import csv; r, = csv.DictReader(open('$work/csv')); float(r['mean_lifetime_us'])"
result $? 'CSV has a head and a line'
"$sim" run --topology 4x4 | grep -q '^mean_lifetime_us  *[0-9.]* us$'
result $? 'text has values and units'

"$sim" run --topology 4x4 --trace "$work/trace" --format json > "$work/out"
json 'o["packets"] == o["consumed"] == 1 + 2 + 1 and o["traffic"] == "trace" and
    o["load_gamma0"] is None and o["saturated"] is None'
result $? 'a trace: its packets'
# A pattern as a trace is the pattern: 96 packets every 39321.6 ns at k = 8, load 0.5.
awk 'BEGIN { for (m = 0; m < 8; m++) for (i = 0; i < 64; i++)
    printf "%.1f,%d,%d,49152\r\n", m * 39321.6, i, 63 - i }' > "$work/trace"
"$sim" run --topology 8x8 --messages 8 --load 0.5 --traffic complement --format json > "$work/a"
"$sim" run --topology 8x8 --trace "$work/trace" --format json > "$work/out"
json 'all(o[k] == p[k] for p in [json.load(open("'"$work/a"'"))] for k in ("mean_lifetime_us",
    "p99_us", "max_us", "packet_hops", "oidn_ratio", "widn_ratio", "source_wait_us", "end_us"))'
result $? 'a pattern as a trace gives what the pattern gives'

# A link's use has each packet by its whole time, that of the last one, too: where it is above 1, by less
# than a packet's time. It is not cut off.
"$sim" run --topology 4 --traffic complement --load 1.5 --messages 2 --arrivals bernoulli --seed 10 \
    --ext-latency 100 --message-packets 4 --injection pipelined --links "$work/use" > "$work/out"
awk -F, 'NR > 2 && $NF > 1 { above++; if ($(NF - 1) * (1 - 1 / $NF) > 0.9999) far++ }
    END { exit !(above && !far) }' "$work/use"
result $? 'the use of a link is less than a packet above 1'

# By hand: minimal x+ z-, u = (1 + 2)/2, u* = 1: 2/3 + 2. OIDN (-1,0,1): q = (6,0,3), 5 + 5 hops,
# leaving over x- z+ (z: 3 hops), u = (2 + 4)/2: 1/3 + 2 * 6/10.
"$sim" explain --topology torus:8x8x8 --src 0,0,0 --dst 3,0,5 --used 1,2,3,1,4,2 --slots 8 \
    --tie plus --eta 2 --delta 2 --format json > "$work/out"
json 'o["minimal"] == {"distance": 6, "profit": "8/3"} and o["choice"] == "minimal" and
    o["candidates"][0] == {"kind": "oidn", "lambda": [-1, 0, 1], "q": [6, 0, 3],
    "admissible": True, "distance": 10, "profit": "23/15"} and o["reason"]'
result $? 'explain: a decision by hand'
# The minimal links full: profit 0, so the best candidate goes: WIDN (1,0,0) leaves over x- z-, of
# which x- has room, 8 hops: 1 + 2 * 6/8 with u* = 0.
"$sim" explain --topology torus:8x8x8 --src 0,0,0 --dst 3,0,5 --used 8,0,8,8,8,8 --tie plus \
    --format json > "$work/out"
json 'o["minimal"]["profit"] == "0/1" and o["choice"] == 4 and
    o["candidates"][4]["beta"] == [1, 0, 0] and o["candidates"][4]["profit"] == "5/2"'
result $? 'explain: derouted'
"$sim" explain --topology torus:8x8 --src 0,0 --dst 0,1 --used 8,8,8,8 --format json > "$work/out"
json 'o["choice"] == "minimal" and "less than 2" in o["reason"]'
result $? 'explain: a neighbour'
# k = 2: a mesh axis; its WIDNs and its other side are not admissible and never chosen.
"$sim" explain --topology torus:2x8 --src 0,0 --dst 1,3 --used 8,0,8,0 --format json > "$work/out"
json 'any(not c["admissible"] for c in o["candidates"]) and (o["choice"] == "minimal" or
    o["candidates"][o["choice"]]["admissible"])'
result $? 'explain: inadmissible candidates are listed and not chosen'
"$sim" explain --topology torus:8x8x8 --src 0,0,0 --dst 3,0,5 --used 1,2,3,1,4,2 --tie plus |
    grep -q '^choice: minimal'
result $? 'explain: text'
"$sim" explain --topology torus:8x8x8 --src 0,0,0 --dst 3,0,5 --used 8,0,8,8,8,8 --tie plus \
    --format csv > "$work/csv"
python3 -c "import csv; r = list(csv.DictReader(open('$work/csv')))
c, = [x for x in r if x['chosen'] == 'true']
assert (c['index'], c['kind'], c['vector'], c['profit']) == ('4', 'widn', '1 0 0', '5/2')
assert r[0]['kind'] == 'minimal' and r[0]['profit'] == '0/1'"
result $? 'explain: CSV'
# With 4 slots that the generator needs free, 4 and 5 in use are all that it may have.
"$sim" explain --topology torus:8x8x8 --src 0,0,0 --dst 3,0,5 --used 5,1,2,2,2,5 --tie plus \
    --throttle 4 --format json > "$work/a"
"$sim" explain --topology torus:8x8x8 --src 0,0,0 --dst 3,0,5 --used 8,1,2,2,2,8 --tie plus \
    --format json > "$work/out"
cmp -s "$work/a" "$work/out" && json 'o["choice"] == 0'
result $? 'explain: links that the generator is kept off'

# What cannot be printed is no success.
full()
{
    "$sim" "$@" > /dev/full 2> "$work/err"
    [ $? = 1 ] && [ "$(cat "$work/err")" = 'torussim: standard output could not be written: No space left on device' ]
}
for format in text json csv; do
    full run --topology 2x2 --format $format && full explain --topology 4x4 --src 0,0 --dst 1,2 \
        --used 1,2,3,4 --format $format
    result $? "a full device as output: $format"
done
full --help && full run --help && full limit --topology 4
result $? 'a full device as output: help, limit'
full --version && "$sim" --version | grep -q '^torussim [0-9]*[.][0-9]'
result $? 'a full device as output: the version, which is printed else'
"$sim" run --topology 2x2 >&- 2> "$work/err"
[ $? = 1 ] && grep -q 'standard output' "$work/err"
result $? 'no output at all'

# Of several files on a full disk the first is told.
(
    trap '' XFSZ
    ulimit -f 2
    exec "$sim" run --topology 4x4x4 --links "$work/links" --histogram "$work/lifetimes" > "$work/out" 2> "$work/err"
)
[ $? = 1 ] && [ "$(wc -l < "$work/err")" = 1 ] && grep -q 'links could not be written: File too large' "$work/err" &&
    [ ! -e "$work/links" ] && [ ! -e "$work/lifetimes" ]
result $? 'a full disk: one line'

# A run that is stuck says so and fails.
"$sim" run --topology 4x4 --watchdog 1 --ext-latency 1000000 --messages 2000 \
    > "$work/out" 2> "$work/err"
[ $? = 1 ] && grep -q 'nothing accepted' "$work/err" && grep -q '^end  *stuck' "$work/out"
result $? 'the watchdog ends a run'
# Waiting for the next message is none, however long: a burst, a trace, an application.
for at in '--load 1e-6 --messages 2' '--load 3e-5 --seed 11 --arrivals bernoulli --messages 30'; do
    # shellcheck disable=SC2086
    "$sim" run --topology 2x2 $at > "$work/out" 2> "$work/err" && grep -q '^end  *drained' "$work/out"
    result $? "a pause is not taken for a stuck network: $at"
done
printf '0,0,1,100\n5000000,0,1,100\n' > "$work/pause"
"$sim" run --topology 2x2 --trace "$work/pause" > "$work/out" 2> "$work/err" &&
    grep -q '^end  *drained' "$work/out"
result $? 'nor one of a trace'
{
    printf 'torussim-application 1\nranks 2\nrank 0\n'
    for _ in $(seq 300); do printf 'calc 2003017\nsend 1 8 1\n'; done
    printf 'rank 1\n'
    for _ in $(seq 300); do printf 'recv 0 1\n'; done
} > "$work/pause"
"$sim" run --topology 2x2 --application "$work/pause" > "$work/out" 2> "$work/err" &&
    grep -q '^end  *drained' "$work/out"
result $? 'nor computation of an application'
# One of several replicates that is stuck is named.
"$sim" run --topology 4x4 --watchdog 1 --ext-latency 1000000 --messages 2000 --replicates 2 > "$work/out" 2> "$work/err"
[ $? = 1 ] && grep -q 'seed 1: nothing accepted' "$work/err" && grep -q 'seed 2: nothing' "$work/err"
result $? 'each replicate that is stuck is told by its seed'
# Once it is at it: it has worked for half a second, whenever it got the processor.
"$sim" run --topology 16x16x16 --load 1 --messages 10000 > "$work/out" 2> "$work/err" &
run=$!
worked() { awk '{ exit $14 < 50 }' "/proc/$1/stat"; }
wait_for 300 worked $run
kill -INT $run
wait $run
[ $? = 1 ] && grep -q '^end  *interrupted' "$work/out" && [ "$(cat "$work/err")" = 'torussim: interrupted' ]
result $? 'Ctrl-C ends a run with its record, and a line'
awk '{ v[$1] = $2 } END { exit !(v["packets"] == v["consumed"] + v["in_flight"] + v["waiting"] &&
    v["consumed"] < v["packets"]) }' "$work/out"
result $? 'in which every packet is consumed, in flight or waiting'

# The static check of deadlock
"$sim" check-deadlock --topology 4x4 --format json > "$work/out"
[ $? = 0 ] && json 'o["verdict"] == "cyclic but escapable" and o["rings"] == 16 and o["cycle"] == []'
result $? 'check-deadlock: rings that are escaped from'

# The manual page has the options that the help has.
"$sim" run --help | grep -o -E -e '--[a-z][a-z-]*' | grep -v -E -e '--(help|usage|format)' | sort -u > "$work/help"
grep -o -E '^\.BI? --[a-z-]*' "$B/torussim.1" | sed 's/^.BI* //' | sort -u > "$work/manual"
comm -23 "$work/help" "$work/manual" | grep -v -x -e '--traffic' > "$work/out"
[ "$(wc -l < "$work/help")" -gt 25 ] && [ ! -s "$work/out" ]
result $? 'the manual page has all settings'

# A record and its key have every setting, and the engine with its version.
"$sim" sweep --topology 4x4 --messages 2 --message-packets 4 --injection stop-and-wait --nak-gate 1 --load 0.1 --out "$work/settings" > "$work/out" &&
    "$sim" sweep --engine flit --topology 4x4 --routing dally-seitz,duato,chaos --traffic complement --load 0.1 \
        --batch-cycles 10 --warm-up 10 --out "$work/flit" > "$work/out" &&
    "$sim" sweep --engine flit --topology 4x4 --routing triplex --switching wormhole --load 0.1 \
        --class non-minimal --long-words 20 --flow next-cycle --link-latency 2 --batch-cycles 10 --warm-up 10 --out "$work/worm" > "$work/out" &&
    "$sim" sweep --engine flit --topology 4x4 --routing duato --buffer-packets 2 --unrestricted-vcs 3 --load 0.1 --batch-cycles 10 --warm-up 10 \
        --out "$work/deep" > "$work/out" &&
    "$sim" sweep --engine flit --topology dragonfly:2 --routing pb,ofar --ring physical --allocator random --load 0.1 --batch-cycles 10 \
        --warm-up 10 --out "$work/fly" > "$work/out" &&
    cat "$work/settings" "$work/flit" "$work/worm" "$work/deep" "$work/fly" > "$work/both" &&
    "$sim" --manual | sed -n 's/^\.B --//p' > "$work/names" &&
    while read -r name; do
        case $name in
        trace | active | rounds | burst | hotspots | hotspot-weight) continue ;;
        application | pace | placement | mix | on-fraction | on-messages) continue ;;
        engine) continue ;; # the key begins with it
        esac
        grep -q -E "\"key\":\"(packet|flit|dragonfly)-[0-9]+ [^\"]* $name=" "$work/both" || echo "$name"
    done < "$work/names" > "$work/err"
[ "$(wc -l < "$work/names")" -gt 25 ] && [ ! -s "$work/err" ] && grep -q '"engine":"packet-[0-9]*".*"eta":1.0.*"delta_hops":2.*"idn":"both"' "$work/settings"
result $? 'a record and its key have all settings'
sed 's/packet-[0-9]*/packet-0/g' "$work/settings" > "$work/older"
"$sim" sweep --topology 4x4 --messages 2 --message-packets 4 --injection stop-and-wait --load 0.1 --out "$work/older" --resume \
    > "$work/out" && [ "$(wc -l < "$work/older")" = 2 ]
result $? 'a record of another engine is not taken for ours'

finish
