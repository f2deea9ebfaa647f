#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the tests of torussim's command line share; they source this, and end with finish. TAP.
# shellcheck disable=SC2034
set -u
. tests/wait.sh
. tests/tap.sh
: "${B:=build}"
sim=$B/bin/torussim
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
shown="$work/out $work/err" program=$sim
# As net.mk compiles it.
net_flags='-D_GNU_SOURCE -Isim/model -Ifirmware -Isim/net -include sim/net/topo/dims.h'

# json EXPRESSION about $work/out (o)
json() { python3 -c "import json,sys; o = json.load(open('$work/out')); sys.exit(not ($1))"; }

# Without what depends on the clock
steady() { sed -E 's/"(wall_s|packet_hops_per_s)": ?[^,}]*/"\1":0/g'; }

# broken NAME ROOM/FILE SED: $work/NAME, torussim with that change in FILE.c
broken()
{
    sed "$3" "sim/net/$2.c" > "$work/$1.c"
    if cmp -s "$work/$1.c" "sim/net/$2.c"; then
        echo "# nothing to break: $3"
        return 1
    fi
    objects=$B/sim/net/study/experiments.o
    for source in sim/net/*/*.c; do
        case $source in sim/net/test/* | "sim/net/$2.c") continue ;; esac
        objects="$objects $B/${source%.c}.o"
    done
    # shellcheck disable=SC2046,SC2086
    gcc -std=c11 -O2 $net_flags -o "$work/$1" "$work/$1.c" $objects \
        "$B/net/libofr.a" -ljansson -lm -lpthread $(pkg-config --libs ompi-c 2> "$work/pkg")
}
