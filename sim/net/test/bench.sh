#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Speed of torussim: packet-hops per second on one core, OFR, uniform, load 0.5, by the wall clock
# and by the processor's time, with memory.
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
