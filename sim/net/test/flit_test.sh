#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim --engine flit: its records, the same for the same seed; mistakes; what must hold in every
# cycle, checked while it runs, and twins with a rule left out that are found. TAP.
. sim/net/test/torussim.sh

short='--engine flit --topology 6x5 --batches 5 --batch-cycles 200 --warm-up 200'
# shellcheck disable=SC2086
for routing in dally-seitz duato chaos dor ofr; do
    "$sim" run $short --routing $routing --load 0.7 --format json > "$work/out"
    json 'o["engine"].startswith("flit-") and o["end"] == "complete" and
        o["packets"] == o["consumed"] + o["in_flight"] + o["waiting"] and
        o["flit_hops"] >= 20 * o["packet_hops"] and abs(o["accepted_load"] - 0.7) < 0.15 and
        o["load"] == 0.7 and o["load_unit"] == "fulgham" and o["node_latency_cycles"] ==
        (3 if o["routing"] in ("dally-seitz", "dor") else 4) and
        o["service"] == {"chaos": "output", "dor": None, "ofr": None}.get(o["routing"], "input") and
        o["throttle_slots"] == (1 if o["service"] is None else None) and "slots" not in o and
        o["eta"] == (1 if o["routing"] == "ofr" else None) and
        o["units"]["latency_cycles"] == "cycles"'
    result $? "a record of $routing"
done
# shellcheck disable=SC2086
{
    "$sim" sweep $short --load 0.2:0.8:0.3 --jobs 1 --format json > "$work/one"
    "$sim" sweep $short --load 0.2:0.8:0.3 --jobs 3 --format json > "$work/three"
}
clockless() { sed -E 's/"(wall_s|flit_hops_per_s)": ?[^,}]*/"\1":0/g' "$1"; }
[ -s "$work/one" ] && [ "$(clockless "$work/one")" = "$(clockless "$work/three")" ]
result $? 'the same records on one thread and on three'
# shellcheck disable=SC2086
"$sim" saturate $short --topology 4x4 --format json > "$work/out"
json '0.3 < o["records"][0]["saturation_load"] <= 1.3'
result $? 'a saturation point'

# Replicates: the mean and Student's interval of their records, of which t is 4.303 for three.
# shellcheck disable=SC2086
{
    "$sim" sweep $short --load 0.7 --seed 1,2,3 --format json > "$work/single"
    "$sim" sweep $short --load 0.7 --replicates 3 --format json > "$work/out"
}
json '(lambda s, one, sum: len(one) == 3 and len(sum) == 1 and sum[0]["replicates"] == 3 and
    one[0]["replicates"] == 1 and min(x["accepted_load_ci95"] for x in one) > 0 and
    sum[0]["end"] == "complete" and all(2 * abs(all_ - each) < 1e-5 * each for all_, each in (
    (sum[0][f], s.mean(x[f] for x in one)) for f in ("accepted_load", "latency_cycles"))) and
    all(abs(all_ - each) < 1e-3 * each for all_, each in (
    (sum[0][i], 4.302653 * s.stdev(x[f] for x in one) / 3 ** 0.5) for f, i in
    (("accepted_load", "accepted_load_ci95"), ("latency_cycles", "latency_ci95_cycles")))))(
    __import__("statistics"), json.load(open("'"$work"'/single"))["records"], o["records"])'
result $? 'replicates, with their interval'
# shellcheck disable=SC2086
"$sim" saturate $short --topology 4x4 --replicates 3 --output-reuse with-head --tie plus --format json > "$work/out"
json '(lambda r: r["replicates"] == 3 and 0 <= r["below_saturated"] <= 3 and 1 <= r["at_saturated"] <= 3 and
    r["at_4n_saturated"] is True and r["below_4n_saturated"] in (True, False))(o["records"][0])'
result $? 'what stands behind a saturation point'

# Two nodes: each channel carries one way half of what the load of 1 is.
"$sim" run --engine flit --topology mesh:4x4 --duplex full --message-words 4 \
    --load-unit phits --load 0.9 --traffic complement --format json > "$work/out"
json 'o["saturated"] and o["topology"] == "mesh:4x4" and o["accepted_load"] <= 0.5 and
    o["generated_load"] > 0.85'
result $? 'more than the bisection carries is saturated'

sed 's/"step": 0.01/"step": 0.07/' sim/net/study/experiments/fulgham-4.4.json > "$work/step.json"
refuse 'eta goes with --routing por or ofr only' run --engine flit --eta 1
refuse 'preset goes with' run --engine flit --preset ofr-2013
refuse 'slots goes with --engine packet' run --engine flit --routing ofr --slots 4
refuse 'ratio goes with --engine packet' run --engine flit --routing ofr --ratio 1
refuse 'service goes with --routing dally-seitz' run --engine flit --routing ofr --service output
refuse 'throttle must be 0 to 1' run --engine flit --routing ofr --throttle 2
refuse 'escape-throttle must be 0 to 2' run --engine flit --routing dor --escape-throttle 2
refuse 'rings' run --engine flit --routing abr --topology mesh:4x4
refuse 'bubbles are of packets' run --engine flit --routing abr --switching wormhole
refuse 'valiant goes with --engine packet' run --engine flit --routing valiant
refuse 'messages goes with --engine packet' run --engine flit --messages 4
refuse 'lanes goes with --engine flit' run --lanes 2
refuse 'lanes goes with --routing dally-seitz only' run --engine flit --routing duato --lanes 2
refuse 'class goes with --routing triplex only' run --engine flit --routing duato --class oblivious
refuse 'class goes with' sweep --engine flit --routing duato,dally-seitz --class oblivious --out "$work/none"
refuse 'one for each dimension of torus:4x4' run --engine flit --topology 4x4 --link-latency 2x3x4
refuse 'link-latency 0: must be' run --engine flit --link-latency 0
refuse 'link-latency 2x: must be' run --engine flit --link-latency 2x
refuse 'link-latency 1001: must be' run --engine flit --link-latency 1001
refuse 'link-latency 2 does not go with --routing chaos' run --engine flit --routing chaos --link-latency 2
refuse 'link-latency 2 does not go with --flow same-cycle' run --engine flit --switching wormhole --link-latency 2
refuse 'link-latency goes with --engine flit' run --link-latency 2
refuse 'link-latency goes with' run --engine flit --topology dragonfly:2 --link-latency 2
refuse 'flow goes with --switching wormhole' run --engine flit --flow next-cycle
refuse 'eta goes with' run --routing abr --eta 1
refuse 'deroute-after goes with' reproduce fulgham-5.5 --deroute-after 3 --out "$work/none"
refuse 'duato goes with --engine flit' run --routing duato
refuse 'mesh.*goes with --engine flit' run --topology mesh:4x4
refuse 'no such engine' run --engine fly
refuse 'no such load-unit' run --engine flit --load-unit fly
refuse 'topology' run --engine flit --topology mesh:torus:4x4
refuse 'topology' run --engine flit --topology mesh:
refuse 'message-words.*1 to' run --engine flit --message-words 0
refuse 'tie random' run --engine flit --tie random
refuse 'tie alternate goes with' run --tie alternate
refuse 'tie alternate goes with' run --engine flit --routing ofr --tie alternate
refuse 'tie both does not go with' run --engine flit --routing dally-seitz --tie both
refuse 'output-reuse goes with' run --engine flit --routing duato --switching wormhole --output-reuse with-head
refuse 'more than a message a cycle' run --engine flit --load-unit phits --load 21
refuse 'lanes.*1 to 4' run --engine flit --lanes 5
refuse 'batches.*2 to' run --engine flit --batches 1
refuse '2^31 cycles' run --engine flit --batches 10000 --batch-cycles 1000000
refuse 'threads 257: must be 1 to 256' run --engine flit --threads 257
refuse 'packet only' run --engine flit --links "$work/none"
refuse 'packet only' saturate --engine flit --factor 2
refuse 'packet only' explain --engine flit --src 0,0 --dst 1,1 --topology 4x4
refuse 'packet only' limit --engine flit
refuse 'up to 256' check-deadlock --engine flit --topology 17x16 --routing triplex
refuse 'triplex goes with --engine flit' run --routing triplex
refuse 'output does not go with' run --engine flit --routing triplex --class non-minimal --service output
refuse 'no such class' run --engine flit --routing triplex --class fly
refuse 'chaos does not go with --switching wormhole' run --engine flit --routing chaos --switching wormhole
refuse 'multiqueue goes with --routing chaos only' run --engine flit --multiqueue 5
refuse 'precedence goes with' run --engine flit --routing chaos --service input --precedence none
refuse 'multiqueue.*2 to 32' run --engine flit --routing chaos --multiqueue 1
refuse 'chaos goes with --engine flit' run --routing chaos
refuse 'fixed-order goes with' run --engine flit --routing chaos --service input --fixed-order restricted
refuse 'in-order.*0 to 1' run --engine flit --routing triplex --in-order 2
refuse 'n = 1 to 12' run --engine flit --topology 2x2x2x2x2x2x2x2x2x2x2x2x2
refuse 'more than 6 dimensions go with --engine flit' run --topology 2x2x2x2x2x2x2
refuse 'ofr goes up to 6 dimensions' run --engine flit --routing ofr --topology 2x2x2x2x2x2x2
refuse 'more than 63 a node' run --engine flit --topology 3x3x3x3x3x3 --lanes 4
refuse 'buffer-packets.*1 to 16' run --engine flit --buffer-packets 0
refuse 'unrestricted-vcs.*1 to 8' run --engine flit --routing duato --unrestricted-vcs 9
refuse 'unrestricted-vcs goes with' run --engine flit --unrestricted-vcs 2
refuse 'unrestricted-vcs goes with' run --engine flit --routing chaos --unrestricted-vcs 1
refuse 'more than 63 a node' run --engine flit --topology 3x3x3x3x3 --routing duato --unrestricted-vcs 5
refuse 'buffer-packets.*1 to 16' run --engine flit --buffer-packets 17
refuse 'buffer-packets goes with' run --engine flit --switching wormhole --buffer-packets 1
refuse 'buffer-packets goes with' run --engine flit --routing chaos --buffer-packets 2
refuse 'buffer-packets goes with' run --engine flit --topology dragonfly:2 --buffer-packets 2
refuse 'at most 65535 words a buffer' run --engine flit --buffer-packets 16 --long-words 4096
refuse 'throttle must be 0 to 5' run --engine flit --routing ofr --buffer-packets 3 --throttle 6
refuse 'buffer-words.*1 to' run --engine flit --switching wormhole --buffer-words 0
refuse 'step' reproduce "$work/step.json" --out "$work/none"
refuse 'up to 2048' check-deadlock --engine flit --topology 64x64
refuse 'bitreverse.*mesh:5x5' run --engine flit --topology mesh:5x5 --traffic bitreverse
refuse 'no shorter runs' reproduce rdr --quick --out "$work/none"

# Every option with every routing.
. sim/net/test/options.sh
small() {
    case $1 in
    d[au]* | triplex | chaos) echo '--engine flit --topology 4x4 --warm-up 1 --batches 2 --batch-cycles 2' ;;
    *) echo '--topology 4x4 --messages 1 --message-packets 1' ;;
    esac
}
{
    flit_options
    cat << 'EOF'
preset ofr
tie both
eta 1
delta 1
idn oidn
count-used all
throttle 1
escape-throttle 1
transit-throttle 1
node-throttle 1
nak-gate 1
nak-ports 1
source-gate 1
ratio 1
above-mean 1
decide once
smooth 1
means gates
messages 2
message-packets 2
mix 1:1
arrivals staggered
on-fraction 0.5
on-messages 2
pace 2
placement random
rounds 2
burst 2
injection pipelined
injection-rate 2
hotspots 1
hotspot-weight 0.1
slots 4
packet-bytes 100
ack-bytes 5
int-latency 10
int-bandwidth 10
ext-latency 10
ext-bandwidth 10
watchdog 500
load-unit phits
warm-up 2
batches 3
batch-cycles 3
saturation-test backlog
EOF
} > "$work/options"
every_option 'dor abr por ofr dally-seitz duato triplex chaos' small \
    '--NAME (goes|go|and|needs|is)|--NAME .*goe?s? with' < "$work/options" > "$work/table"
cp "$work/table" "$work/out"
: > "$work/err"
[ ! -s "$work/table" ]
result $? 'an option either is in the record or is refused, with every routing'
small_flit() { small duato; }
every_option 'dor rdr abr por ofr' small_flit '--NAME (goes with|needs)' < "$work/options" > "$work/table"
cp "$work/table" "$work/out"
: > "$work/err"
[ ! -s "$work/table" ]
result $? "and with the packet engine's routings"

"$sim" check-deadlock --engine flit --topology mesh:4x3 --routing duato --format json > "$work/out"
[ $? = 0 ] && json 'o["verdict"] == "acyclic" and o["topology"] == "mesh:4x3"'
result $? 'check-deadlock of the flit engine'
"$sim" check-deadlock --engine flit --topology 5x5 --routing triplex --switching wormhole \
    --format json > "$work/out"
[ $? = 0 ] && json 'o["verdict"] == "acyclic" and o["dependencies"] == 2548'
result $? 'and of wormhole Triplex'

"$sim" check-deadlock --engine flit --topology 5x4 --routing ofr --format json > "$work/out"
[ $? = 0 ] && json 'o["verdict"] == "cyclic but escapable" and o["rings"] == 26'
result $? 'and of ofr'

"$sim" check-deadlock --engine flit --topology 5x5 --routing chaos --format json > "$work/out"
[ $? = 0 ] && json 'o["verdict"] == "cyclic but escapable" and o["rings"] == 50'
result $? 'and of packet exchange'
"$sim" check-deadlock --engine flit --topology 5x5 --routing chaos > "$work/out" &&
    grep -q '; 50 rings, one a link, over which packets are exchanged$' "$work/out" && ! grep -q 'two free slots' "$work/out" &&
    "$sim" check-deadlock --engine flit --topology dragonfly:2 --routing ofar > "$work/out" &&
    grep -q '; 1 ring, which nothing enters without two free slots$' "$work/out"
result $? 'what keeps a ring from being full is said as it is'

cube=2x2x2x2x2x2x2x2
"$sim" check-deadlock --engine flit --topology $cube --routing duato --format json > "$work/out"
[ $? = 0 ] && json 'o["verdict"] == "acyclic"'
result $? 'and of a hypercube of eight dimensions'
cube=2x2x2x2x2x2x2x2x2x2
"$sim" run --engine flit --topology $cube --routing duato --traffic complement --load 0.2 --warm-up 300 --batches 2 \
    --batch-cycles 200 --format json > "$work/out"
json 'o["topology"] == "torus:'$cube'" and abs(o["accepted_load"] - 0.2) < 0.02 and
    o["flit_hops"] >= 200 * o["consumed"] and o["latency_cycles"] > 11 * 4 + 10 + 19'
result $? 'a run of one of ten'

# Curves of this engine.
"$sim" reproduce fulgham-4.13 --row 'Bit reversal' --warm-up 500 --batches 2 --batch-cycles 200 --jobs 1 \
    --out "$work/curves" --format json > "$work/out"
json 'len(o["values"]) == 112 and all(0 < v["load"] <= 0.4 and (0 < v["value"] < 0.6 if v["field"] == "accepted_load"
    else v["field"] == "latency_cycles" and v["value"] > 10) for v in o["values"])'
result $? 'curves of the flit engine'
grep -q 'set multiplot layout 2,1 ' "$work/curves/fulgham-4.13.gp" && grep -q "^set ylabel 'latency (cycles)'" "$work/curves/fulgham-4.13.gp" &&
    grep -q "^set xlabel 'offered load (1: what the bisection carries)'" "$work/curves/fulgham-4.13.gp"
result $? 'a panel for loads and one for latencies'
# Styles of both panels' seven curves, in png and in svg: fourteen, each four times.
sed -n "s/^plot //p" "$work/curves/fulgham-4.13.gp" | tr , '\n' | sed -n "s/.* pt \(.*\) title .*/\1/p" |
    sort | uniq -c | awk '$1 != 4 { bad = 1 } END { exit bad || NR != 7 }'
result $? 'a curve looks the same in both'

# The defaults of wormhole switching, and its load: a message per 80 cycles at 1.
"$sim" run --engine flit --topology 16x16 --switching wormhole --routing triplex --class non-minimal \
    --load 0.1 --warm-up 1000 --batches 2 --batch-cycles 4000 --format json > "$work/out"
json 'o["duplex"] == "full" and o["message_words"] == 40 and o["buffer_words"] == 1 and
    o["rule_4"] == "full" and o["deroute_after_cycles"] == 160 and o["deroute_probability"] == 0.1 and
    o["node_latency_cycles"] == 4 and abs(o["packets"] - 9000 * 256 * 0.1 / 80) < 250 and
    abs(o["flit_hops"] - 40 * 8 * o["consumed"]) < 0.05 * o["flit_hops"]'
result $? 'a record of wormhole Triplex'

# checked NAME FILE SED: $work/NAME, torussim that looks at every cycle, with that change in FILE.c
checked()
{
    sed "$3" "sim/net/flit/$2.c" > "$work/$1.c"
    rest=sim/net/flit/sim.c
    [ "$2" != sim ] || rest=''
    objects=$B/sim/net/study/experiments.o
    for source in sim/net/*/*.c; do
        case $source in
        sim/net/test/* | sim/net/flit/sim.c | "sim/net/flit/$2.c") continue ;;
        esac
        objects="$objects $B/${source%.c}.o"
    done
    # shellcheck disable=SC2046,SC2086
    gcc -std=c11 -O1 -DNET_FLIT_CHECKED $net_flags -o "$work/$1" \
        "$work/$1.c" $rest $objects "$B/net/libofr.a" -ljansson -lm -lpthread \
        $(pkg-config --libs ompi-c 2> "$work/pkg")
    [ "$3" = '' ] || ! cmp -s "$work/$1.c" "sim/net/flit/$2.c"
}
# shellcheck disable=SC2086
runs() { "$work/$1" run $short --load "$2" --routing "$3" ${4-} > "$work/out" 2> "$work/err"; }
worm='--switching wormhole --message-words 9 --long-words 30'
deep='--buffer-packets 3 --long-words 30'
behind="--switching wormhole --message-words 1 --buffer-words 3"
checked good sim '' && runs good 1.2 dally-seitz && runs good 1.2 duato && runs good 1.2 triplex &&
    runs good 0.5 dally-seitz "$worm" && runs good 0.5 duato "$worm" &&
    runs good 0.5 triplex "$worm --class non-minimal --in-order 0.2" && runs good 1.2 chaos &&
    runs good 1.2 dor && runs good 1.2 rdr && runs good 1.2 abr && runs good 1.2 ofr '--traffic complement' &&
    runs good 0.9 por '--topology 2x5x3 --duplex full --long-words 30 --throttle 0' &&
    runs good 1.2 chaos '--service input --multiqueue 2 --duplex full' &&
    runs good 0.9 dally-seitz '--link-latency 4' && runs good 0.9 duato '--link-latency 1x7 --duplex full' &&
    runs good 0.4 triplex "$worm --flow next-cycle --link-latency 3x2 --buffer-words 5" &&
    runs good 2 dor '--throttle 0 --link-latency 5 --duplex full' && runs good 1.2 ofr '--link-latency 3 --message-words 2' &&
    runs good 0.9 chaos '--topology mesh:6x5 --switching store-and-forward --long-words 30' &&
    runs good 1.2 dally-seitz "$deep --switching store-and-forward" && runs good 1.2 duato '--buffer-packets 2 --unrestricted-vcs 3' &&
    runs good 0.5 triplex "$worm --class non-minimal --unrestricted-vcs 2" &&
    runs good 1.2 triplex "$deep --class non-minimal --deroute-after 5 --deroute-probability 0.1" &&
    runs good 2 dor "$deep --throttle 0 --link-latency 9 --duplex full" && runs good 1.5 ofr "$deep --traffic complement"
result $? 'nothing is found in what ships'
one_more='&(struct net_flit_depth){sim->depth.packets + 1, sim->depth.middle}'
checked entry sim "s/net_flit_accepts(&sim->depth, &in->b)/net_flit_accepts(\\$one_more, \\&in->b)/" &&
    ! runs entry 1.2 dally-seitz '--long-words 30' && grep -q 'took a packet too soon' "$work/err" &&
    ! runs entry 1.2 dally-seitz "$deep" && grep -q 'took a packet too soon' "$work/err"
result $? 'a buffer that takes a packet too soon is found'
checked lost sim 's/net_flit_come(out, slot, 1);/net_flit_come(out, slot, sim->now % 1009 != 0);/' &&
    ! runs lost 0.5 dally-seitz && grep -q 'lost or doubled' "$work/err"
result $? 'a word that is lost is found'
checked full sim 's/return in->b.words < sim->room ||/return true ||/' && ! runs full 0.5 duato "$worm" &&
    grep -q 'too full' "$work/err"
result $? 'wormhole: a word that goes where there is no room is found'
checked behind sim 's/if (!out->b.out && !net_flit_accepts(&sim->depth, &in->b))/if (0)/' &&
    ! runs behind 0.5 dally-seitz "$behind" && grep -q 'took a packet too soon' "$work/err"
result $? 'wormhole: a header that goes into a buffer behind one that has not begun to leave is found'
checked order sim 's/if (out\[i\].waits || p->class != NET_OBLIVIOUS)/if (1)/' &&
    ! runs order 1.2 triplex '--class oblivious' && grep -q 'is overtaken' "$work/err"
result $? 'a message in order that is overtaken is found'
checked unseen wire 's/net_flit_come(seen, net_flit_newest(seen), 1);/net_flit_come(seen, net_flit_newest(seen), sim->now % 1009 != 0);/'
[ $? = 0 ] && ! runs unseen 0.5 dally-seitz '--link-latency 4' && grep -q 'lost or doubled' "$work/err"
result $? 'a word on a link that its end does not count is found'
checked half wire 's/return sim->config->flit.full ||/return true ||/'
[ $? = 0 ] && ! runs half 0.5 dally-seitz '--link-latency 4' && grep -q 'both directions' "$work/err"
result $? 'a half-duplex link that turns while words are on it is found'
one='--message-words 1'
checked turn sim 's/n->group = (uint8_t)group;/n->group = 0;/' &&
    ! runs turn 0.5 dally-seitz "$one --output-reuse with-head" &&
    grep -q 'a packet starves' "$work/err"
result $? 'a group that is always served before another is found'
checked place sim 's/n->pointer\[group\] = (uint8_t)(place + 1);/n->group = (uint8_t)group;/'
[ $? = 0 ] && ! runs place 0.7 dally-seitz "$one --duplex full" && grep -q 'a packet starves' "$work/err" &&
    ! runs place 0.7 dally-seitz "$one --duplex full --service output" && grep -q 'a packet starves' "$work/err"
result $? 'the first place of a group always first is found, output-driven, too'
checked injected sim 's/sim->groups = c->torus.n + 1u/sim->groups = c->torus.n/' &&
    ! runs injected 0.5 dally-seitz && grep -q 'a packet starves' "$work/err"
result $? 'an injection buffer that is never served is found'
checked ring bubble 's/? NET_NEED_ENTERS/? NET_NEED_GOES_ON/'
[ $? = 0 ] && ! runs ring 2 dor '--throttle 0' && grep -q 'has no bubble' "$work/err" &&
    ! runs ring 3 dor '--throttle 0 --buffer-packets 2 --topology 8 --traffic tornado' && grep -q 'has no bubble' "$work/err"
result $? 'a ring of escape channels that is entered with one slot is found'
checked slot bubble 's/ + net_flit_headers(&ch->seen\[port & 1\]\[vc\].b);/;/'
[ $? = 0 ] && ! runs slot 2 dor '--throttle 0' && grep -q 'has no bubble' "$work/err"
result $? 'and one of which the buffer beyond is not looked at'
checked far bubble 's/ch->seen\[port & 1\]/ch->in[port \& 1]/'
[ $? = 0 ] && ! runs far 2 dor '--throttle 0 --link-latency 30 --duplex full' && grep -q 'has no bubble' "$work/err"
result $? 'and one of which what is on its way there is not'
# packet exchange NAME SED: a twin without the rule is stuck, and what is wrong is found.
exchange()
{
    checked "$1" chaos "$2" && ! runs "$1" 2 chaos '--multiqueue 2 --traffic complement' && grep -q 'no room for a packet exchange' "$work/err" &&
        ! "$work/$1" check-deadlock --engine flit --topology 6x5 --routing chaos > "$work/out" &&
        grep -q 'a ring by itself, in which packets are not exchanged' "$work/out"
}
exchange no_room 's/return !end.out && !end.in;/return !end.out;/'
result $? 'packet exchange without its room is found, at once and by check-deadlock'
exchange outputs 's/return !end.out && !end.in;/return true;/'
result $? 'and without the rule'
checked never chaos 's/return !end.out && end.in;/return false;/'
[ $? = 0 ] && ! "$work/never" check-deadlock --engine flit --topology 6x5 --routing chaos > "$work/out" &&
    grep -q 'a ring by itself, in which packets are not exchanged' "$work/out" &&
    ! "$work/never" run $short --load 2 --traffic complement --routing chaos --multiqueue 2 --batch-cycles 5000 --watchdog 100 > "$work/out" 2> "$work/err" &&
    grep -q '^end  *stuck' "$work/out"
result $? 'no exchange: found, and a run is stuck'
circling='--topology 2x2x5 --traffic complement --message-words 7 --node-latency 2 --duplex full'
checked draws chaos 's/(may == queue(sim) ||/(may ||/' &&
    ! runs draws 3 chaos "$circling --multiqueue 4 --batch-cycles 20000" && grep -q 'goes on and on' "$work/err" &&
    runs good 3 chaos "$circling --multiqueue 4 --batch-cycles 2000"
result $? 'a deroute drawn of part of the multiqueue: packets that circle for ever are found'
checked away relation 's/unsigned port = 2 \* dim + way;/unsigned port = 2 * dim + !way;/' &&
    ! runs away 0.1 chaos '--message-words 1 --node-latency 1 --batch-cycles 20000' && grep -q 'goes on and on' "$work/err"
result $? 'a packet that never arrives is found'
checked classes relation 's/s->classes == 2 && !wrap_ahead(minus, from, until)/0/'
[ $? = 0 ] && "$work/classes" check-deadlock --engine flit --topology 6x5 > "$work/out"
[ $? = 1 ] && grep -q 'a cycle' "$work/out"
result $? 'Dally and Seitz without classes: the cycle is found'
"$work/classes" run --engine flit --topology 8 --traffic tornado --lanes 1 --load 2 --batch-cycles 20000 \
    > "$work/out" 2> "$work/err"
[ $? = 1 ] && grep -q '^end  *stuck' "$work/out" && grep -q 'nothing accepted' "$work/err"
result $? 'and a run is stuck'

finish
