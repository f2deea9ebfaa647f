#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Speed of torussim: packet-hops per second on one core, OFR, uniform, load 0.5, by the wall clock
# and by the processor's time, with memory; then of its flit engine.
: "${B:=build}"
echo 'torussim run --routing ofr --traffic uniform --load 0.5: packet-hops per second'
for size in 8x8x8:32 16x16x16:8 32x32x32:2; do
    "$B/bin/torussim" run --topology "torus:${size%:*}" --messages "${size#*:}" --injection stop-and-wait \
        --load 0.5 |
        awk -v size="${size%:*}" '{ v[$1] = $2 }
            END { printf "  %-9s %5.2f M by wall clock, %5.2f M by processor time; %d MB\n", size,
                  v["packet_hops_per_s"] / 1e6, v["packet_hops"] / v["cpu_s"] / 1e6,
                  v["peak_memory_mb"] }'
done

# Of the flit engine: instructions by callgrind, start and end included, over words that went over
# a channel; cost is linear where loads and lengths of run have the same.
echo 'torussim run --engine flit --topology torus:8x8x8 --message-words 8 --load 0.3 --load-unit gamma0 --duplex full'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flit()
{
    "$@" "$B/bin/torussim" run --engine flit --topology torus:8x8x8 --message-words 8 --load "$load" \
        --load-unit gamma0 --duplex full --warm-up 2000 --batches 10 --batch-cycles "$batch" 2> "$work/err"
}
load=0.3 batch=2000
flit env |
    awk '{ v[$1] = $2 } END { printf "  %.1f M flit-hops a second of processor time; ",
                              v["flit_hops"] / v["cpu_s"] / 1e6 }'
load=0.0001 batch=100000
flit env | awk '{ v[$1] = $2 } END { printf "load 0.0001: a million cycles in %.3f s\n", v["cpu_s"] }'
for point in 0.1:200 0.3:200 0.3:400; do
    load=${point%:*} batch=${point#*:}
    if command -v valgrind > "$work/which"; then
        flit valgrind --tool=callgrind --callgrind-out-file="$work/callgrind" |
            awk -v load="$load" -v cycles="$((2000 + 10 * batch))" -v err="$work/err" '
                $1 == "flit_hops" { hops = $2 }
                END { while ((getline line < err) > 0)
                          if (split(line, word, " ") && word[2] == "Collected")
                              printf "  load %s, %d cycles: %.0f instructions a flit-hop (asked: 400)\n",
                                     load, cycles, word[4] / hops }'
    else
        echo '  instructions: valgrind is not there'
    fi
done

# One simulation on two threads: pairs in turn, so that a machine whose speed drifts does not matter;
# both processors must be idle. Before and after each how far they are from each other, by which
# pairs are sorted, as a virtual machine's may be moved apart. Two of one thread, each on a
# processor, say what any program can have.
one()
{
    "$@" "$B/bin/torussim" run --engine flit --topology torus:8x8x8 --message-words 8 --load "$load" \
        --load-unit gamma0 --duplex full --warm-up 2000 --batches 10 --batch-cycles "$batch" \
        --threads "$threads" | awk '$1 == "wall_s" { print $2 }'
}
load=0.3 batch=300
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    threads=1
    near=$("$B/net/round_trip") single=$(one env)
    one taskset -c 0 > "$work/side" &
    beside=$(one taskset -c 1)
    wait $!
    threads=2
    echo "$near $single $beside $(cat "$work/side") $(one env) $("$B/net/round_trip")"
done | awk '
    function median(a, n,    i, j, t) {
        for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++)
            if (a[j] < a[i]) { t = a[i]; a[i] = a[j]; a[j] = t }
        return a[int((n + 1) / 2)]
    }
    { place = $1 < 150 && $6 < 150 ? "shared cache" : $1 >= 150 && $6 >= 150 ? "no shared cache" : "moved"
      i = ++n[place]; ratio[place, i] = $2 / $5; most[place, i] = $2 / $3 + $2 / $4; ns[place, i] = $1 }
    END { for (place in n) {
              for (i = 1; i <= n[place]; i++) { r[i] = ratio[place, i]; m[i] = most[place, i]; s[i] = ns[place, i] }
              printf "  two threads, %s (there and back %.0f ns), median of %d: %.2f times one (asked: 1.7); two programs %.2f\n",
                     place, median(s, n[place]), n[place], median(r, n[place]), median(m, n[place]) } }'
