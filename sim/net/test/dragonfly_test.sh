#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim on a Dragonfly: its records, mistakes, options that go with one routing only; what must
# hold in every cycle, checked while it runs, and twins with a rule left out that are found. TAP.
. sim/net/test/torussim.sh

short='--engine flit --topology dragonfly:2 --warm-up 500 --batches 5 --batch-cycles 200'
for routing in minimal valiant ugal pb par ofar; do
    # shellcheck disable=SC2086
    "$sim" run $short --routing $routing --load 0.15 --format json > "$work/out"
    json 'o["engine"].startswith("dragonfly-") and o["topology"] == "dragonfly:4x2x2" and
        o["end"] == "complete" and o["load_unit"] == "phits" and o["message_words"] == 8 and
        o["packets"] == o["consumed"] + o["in_flight"] + o["waiting"] + o["refused"] and
        o["flit_hops"] == 8 * o["packet_hops"] and abs(o["accepted_load"] - 0.15) < 0.03 and
        abs(o["total_latency_cycles"] - o["latency_cycles"] - o["source_wait_cycles"]) < 1e-3 and
        abs(o["latency_cycles"] - o["base_cycles"] - o["local_wait_cycles"] -
            o["global_wait_cycles"] - o["ring_wait_cycles"]) < 1e-3 and
        abs(sum(o["share_r%d" % r] for r in range(4)) - 4) < 1e-3 and
        o["misrouting"] == {"minimal": None, "ofar": "mm"}.get(o["routing"], "rrg") and
        o["local_vcs"] == (4 if o["routing"] == "par" else 3) and "lanes" in o'
    result $? "a record of $routing"
done
# shellcheck disable=SC2086
{
    "$sim" sweep $short --routing ofar,pb --traffic adv+1,uniform --load 0.2:0.6:0.2 --jobs 1 --format json > "$work/one"
    "$sim" sweep $short --routing ofar,pb --traffic adv+1,uniform --load 0.2:0.6:0.2 --jobs 3 --format json > "$work/three"
}
clockless() { sed -E 's/"(wall_s|flit_hops_per_s|cpu_s|peak_memory_mb)": ?[^,}]*/"\1":0/g' "$1"; }
[ -s "$work/one" ] && [ "$(clockless "$work/one")" = "$(clockless "$work/three")" ]
result $? 'the same records on one thread and on three'

# same PROGRAM SETTINGS: one simulation on 1, 2, 3 and 9 threads has the same record
same()
{
    for n in 1 2 3 9; do
        # shellcheck disable=SC2086
        timeout 300 "$1" run $short $2 --threads $n --format json > "$work/on" 2> "$work/err" || return 1
        clockless "$work/on" > "$work/on$n"
        [ -s "$work/on$n" ] && cmp -s "$work/on1" "$work/on$n" || return 1
    done
}
for settings in '--routing valiant --load 0.4' '--routing pb --traffic adv+1 --load 0.3 --global-latency 7' \
    '--routing ofar --misrouting nrg --traffic adv+2 --load 0.6' '--routing par --load 0.01 --global-latency 1' \
    '--routing ofar --misrouting nrg --ring physical --traffic adv+2 --load 0.6 --global-latency 5' \
    '--routing valiant --allocator random --load 0.6' '--routing par --allocator round-robin --load 0.6' \
    '--routing pb --load 0.0004 --congested-words 0' '--routing ofar --load 0.0004'; do
    same "$sim" "$settings"
    result $? "the same on any number of threads: $settings"
done

at='run --engine flit --topology dragonfly:2'
# shellcheck disable=SC2086
{
    refuse 'goes with --engine flit' run --topology dragonfly:2
    refuse 'does not go on a Dragonfly' $at --routing duato
    refuse 'does not go on a Dragonfly' $at --routing dor
    refuse 'does not go on a Dragonfly' $at --traffic bitreverse
    refuse 'goes with --topology dragonfly' run --engine flit --routing ofar
    refuse 'goes with --engine packet' run --engine flit --routing valiant
    refuse 'goes with --engine flit' run --routing pb
    refuse 'needs a Dragonfly' run --traffic adv+1
    refuse 'adv+N' $at --traffic adv+0
    refuse 'adv' $at --traffic adv
    refuse 'there are 9 groups' $at --traffic adv+9
    refuse 'no such allocator' $at --allocator first
    refuse 'allocator goes with --topology dragonfly' run --engine flit --allocator random
    refuse 'topology' run --engine flit --topology dragonfly:
    refuse 'topology' run --engine flit --topology dragonfly:1x2x3
    refuse 'topology' run --engine flit --topology dragonfly:4x2
    refuse 'topology' run --engine flit --topology dragonfly:40x20x20
    refuse 'load-unit must be phits' $at --load-unit fulgham
    refuse 'needs 4 local' $at --routing par --local-vcs 3
    refuse 'needs 3 local and 2 global' $at --routing valiant --global-vcs 1
    refuse 'at least 16' $at --routing ofar --local-words 8
    refuse 'more than a message a cycle' $at --load 9
    refuse 'no such ring' $at --routing ofar --ring none
    refuse 'ring goes with --routing ofar only' $at --routing pb --ring physical
    refuse 'no such misrouting' $at --routing ofar --misrouting xyz
    refuse 'goes up to' check-deadlock --engine flit --topology dragonfly:6
    refuse 'switching goes with --topology torus' $at --switching wormhole
}

# Every option of the flit engine with every routing.
. sim/net/test/options.sh
small() {
    echo '--engine flit --topology dragonfly:2 --warm-up 1 --batches 2 --batch-cycles 2'
}
{
    flit_options
    cat << 'EOF'
tie both
load-unit gamma0
saturation-test backlog
misrouting crg
local-misrouting yes
local-vcs 5
global-vcs 3
injection-vcs 2
local-words 64
global-words 64
source-words 64
local-latency 2
global-latency 3
iterations 1
allocator random
priority none
occupancy 0.5
ring-exits 2
ring physical
vc-order hops
ugal-threshold 8
congested-ratio 3
congested-words 8
EOF
} | every_option 'minimal valiant ugal pb par ofar' small '--NAME (goes|must)' > "$work/table"
cp "$work/table" "$work/out"
: > "$work/err"
[ ! -s "$work/table" ]
result $? 'an option either is in the record or is refused, with every routing'

for routing in valiant par; do
    "$sim" check-deadlock --engine flit --topology dragonfly:3 --routing $routing --format json > "$work/out" &&
        json 'o["verdict"] == "acyclic" and o["topology"] == "dragonfly:6x3x3" and o["escape_queues"] > 0'
    result $? "check-deadlock of $routing"
done
"$sim" check-deadlock --engine flit --topology dragonfly:2 --routing ofar > "$work/out" &&
    grep -q 'cyclic but escapable' "$work/out"
result $? 'and of ofar: its ring keeps a bubble'
"$sim" check-deadlock --engine flit --topology dragonfly:2 --routing ofar --ring physical > "$work/out" &&
    grep -q 'cyclic but escapable' "$work/out"
result $? 'and of a physical ring'
# shellcheck disable=SC2086
"$sim" run $short --routing ofar --misrouting nrg --ring physical --traffic adv+1 --load 0.6 --format json > "$work/out" &&
    json 'o["ring"] == "physical" and o["ring_entries"] > 0 and o["ring_wait_cycles"] > 0 and
        o["packets"] == o["consumed"] + o["in_flight"] + o["waiting"] + o["refused"]'
result $? 'a record of a physical ring'

# A figure, as short as can be: its fields are there.
"$sim" reproduce dragonfly-fig6 --warm-up 150 --batches 2 --batch-cycles 30 --jobs 1 --out "$work/fig6" \
    --format json > "$work/out" 2> "$work/err" &&
    json 'len(o["values"]) == 48 and all(0 < v["value"] < 3 for v in o["values"]) and len(o["checks"]) == 6 and
        all(v["field"] == "share_r" + v["row"].split()[1] for v in o["values"])'
result $? 'Figure 6, of a few cycles'

# checked NAME FILE SED: $work/NAME, torussim that looks at every cycle, with that change in FILE.c
checked()
{
    sed "$3" "sim/net/dragonfly/$2.c" > "$work/$1.c"
    objects=$B/sim/net/study/experiments.o sources=
    for source in sim/net/*/*.c; do
        case $source in
        sim/net/test/* | "sim/net/dragonfly/$2.c") continue ;;
        sim/net/dragonfly/parts.c) sources="$sources $source" ;;
        *) objects="$objects $B/${source%.c}.o" ;;
        esac
    done
    # shellcheck disable=SC2046,SC2086
    gcc -std=c11 -O1 -DNET_FLIT_CHECKED $net_flags -o "$work/$1" \
        "$work/$1.c" $sources $objects "$B/net/libofr.a" -ljansson -lm -lpthread \
        $(pkg-config --libs ompi-c 2> "$work/pkg")
    [ "$3" = '' ] || ! cmp -s "$work/$1.c" "sim/net/dragonfly/$2.c"
}
# shellcheck disable=SC2086
runs() { "$work/$1" run $short --load 0.6 --traffic adv+1 $2 > "$work/out" 2> "$work/err"; }
checked good sim '' && runs good '--routing valiant' && runs good '--routing ofar' && runs good '--routing pb' &&
    runs good '--routing ofar --misrouting nrg' && runs good '--routing ofar --misrouting nrg --ring physical'
result $? 'nothing is found in what ships'
checked room sim 's/sim->credit\[out \* sim->vcs + vc\]--;/sim->credit[out * sim->vcs + vc] -= sim->now % 101 != 0;/' &&
    ! runs room '--routing valiant' && grep -q 'room in a buffer is lost' "$work/err"
result $? 'room that is given twice is found'
checked lost sim 's/append(sim, net_df_packet(sim, arrival->item\[i\])->at, arrival->item\[i\]);/if (sim->now % 101) &/' &&
    ! runs lost '--routing valiant' && grep -q 'lost or doubled' "$work/err"
result $? 'a packet that is lost is found'
# Without VCs that rise.
checked vcs relation 's/way.vc = h->globals,//; s/\.vc = h->globals, //; s/if (s->routing == NET_OFAR && !s->by_hops) {/way.vc = 0;\n    &/'
[ $? = 0 ] && "$work/vcs" check-deadlock --engine flit --topology dragonfly:2 --routing valiant > "$work/out"
[ $? = 1 ] && grep -q 'a cycle' "$work/out"
result $? 'virtual channels that do not rise: the cycle is found'
checked bubble relation 's/return kind == NET_DF_ENTER ? 2 : 1;/(void)kind;\n    return 1;/'
[ $? = 0 ] && "$work/bubble" check-deadlock --engine flit --topology dragonfly:2 --routing ofar > "$work/out"
[ $? = 1 ] && grep -q 'entered with a slot' "$work/out"
result $? 'a ring that is entered with one slot is found'
"$work/bubble" check-deadlock --engine flit --topology dragonfly:2 --routing ofar --ring physical > "$work/out"
[ $? = 1 ] && grep -q 'entered with a slot' "$work/out"
result $? 'so is a physical one'
for ring in embedded physical; do
    ! runs bubble "--routing ofar --misrouting nrg --ring $ring --local-words 16 --global-words 16 --ring-exits 0" &&
        grep -q 'has no bubble' "$work/err"
    result $? "and in a run, when it has no bubble: $ring"
done
# Threads that do not keep to what lies between them.
threaded() { checked "$1" parts "$2" && ! same "$work/$1" '--routing valiant --traffic adv+1 --load 0.4'; }
threaded late 's/part->now - now < alone/part->now - now < 2 * alone/'
result $? 'a part that goes on for longer than a global link takes is found'
threaded turns 's/\[~part->turn & 1\]/[part->turn \& 1]/'
result $? 'mail that is taken a turn late is found'
threaded lost 's/i < box->count; i++/i < box->count; i += 2/'
result $? 'mail that is lost is found'

# unit NAME FILE TEST SED WHAT: a twin that sim/net/test/TEST.c finds by its test WHAT: it is built with that change in FILE.c.
unit()
{
    sed "$4" "sim/net/dragonfly/$2.c" > "$work/$1.c"
    ! cmp -s "$work/$1.c" "sim/net/dragonfly/$2.c" || return 1
    objects=$B/sim/net/study/experiments.o
    for source in sim/net/*/*.c; do
        case $source in sim/net/test/* | "sim/net/dragonfly/$2.c" | sim/net/cli/torussim.c) continue ;; esac
        objects="$objects $B/${source%.c}.o"
    done
    # shellcheck disable=SC2046,SC2086
    gcc -std=c11 -O1 $net_flags -o "$work/$1" "$work/$1.c" \
        "sim/net/test/$3.c" $objects "$B/net/libofr.a" -lcmocka -ljansson -lm -lpthread \
        $(pkg-config --libs ompi-c 2> "$work/pkg") || return 1
    "$work/$1" > "$work/out" 2>&1
    grep -q "^not ok .*$5" "$work/out"
}
piggyback() { unit "$1" select test_piggyback "$2" "$3"; }
piggyback deaf 's/sim->shape.routing == NET_PB \&\& is_congested([^;]*;/false;/' told
result $? 'PB that asks nobody is found'
piggyback instant 's/uint32_t when = .*/uint32_t when = sim->now;/' told
result $? 'PB that knows without a delay is found'
piggyback own 's/from == router ? sim->now : sim->now + 1;/sim->now + 2;/' told
result $? 'PB that knows a cycle too soon is found'
piggyback mean 's/c->pb_ratio \* sum/0 * sum/' threshold
result $? 'PB without the mean is found'
piggyback few 's/ + c->pb_words \/ sim->words//' threshold
result $? 'PB without its packets above the mean is found'
piggyback other 's/sim->d.globals + j) \* sim->vcs\];/sim->d.globals + j) * sim->vcs + 1];/' threshold
result $? 'PB that looks at another virtual channel is found'
allocator() { unit "$1" router test_allocator "$2" "$3"; }
allocator recent 's/return served_at(p, x) < served_at(p, y);/return x < y;/' least_recent
result $? 'an allocator that does not look at who was served least recently is found'
allocator robin 's/last = served_last(p) + 1;/last = served_last(p);/' round_robin
result $? 'a round robin that begins with the one served last is found'
allocator unfair 's/p->number << 8 | y, p->sim->now)/p->number << 8 | y, 0)/' random_one
result $? 'a draw that favours some is found'

finish
