#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the tests of torussim's command line share; they source this, and end with finish. TAP.
# shellcheck disable=SC2034
set -u
. tests/wait.sh
: "${B:=build}"
sim=$B/bin/torussim
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0 bad=0

result() # status name
{
    n=$((n + 1))
    if [ "$1" = 0 ]; then
        echo "ok $n - $2"
        return
    fi
    echo "not ok $n - $2"
    bad=1
    for file in out err; do
        [ ! -s "$work/$file" ] || { echo "# --- $file:"; tail -n 8 "$work/$file"; }
    done | cut -c 1-400 | sed 's/^\(# \)\{0,1\}/# /'
}

# A mistake: exit status 2, one line on stderr, nothing on stdout, no $work/new.
refuse() # word that the line must contain, then torussim's arguments
{
    word=$1
    shift
    timeout 120 "$sim" "$@" > "$work/out" 2> "$work/err"
    status=$?
    [ $status -eq 2 ] && [ ! -s "$work/out" ] && [ ! -e "$work/new" ] &&
        grep -q -e "$word" "$work/err" && [ "$(grep -vc '^Try ' "$work/err")" -eq 1 ]
    result $? "refused: $*"
}

# json EXPRESSION about $work/out (o)
json() { python3 -c "import json,sys; o = json.load(open('$work/out')); sys.exit(not ($1))"; }

# Without what depends on the clock
steady() { sed -E 's/"(wall_s|packet_hops_per_s)": ?[^,}]*/"\1":0/g'; }

# broken NAME FILE SED: $work/NAME, torussim with that change in FILE.c
broken()
{
    sed "$3" "sim/net/$2.c" > "$work/$2.c"
    if cmp -s "$work/$2.c" "sim/net/$2.c"; then
        echo "# nothing to break: $3"
        return 1
    fi
    objects=$(find "$B/sim/net" -name '*.o' ! -name "$2.o")
    # shellcheck disable=SC2046,SC2086
    gcc -std=c11 -O2 -D_GNU_SOURCE -Isim/model -Isim/net -o "$work/$1" "$work/$2.c" $objects \
        "$B/libofr.a" -ljansson -lm -lpthread $(pkg-config --libs ompi-c 2> "$work/pkg")
}

finish()
{
    echo "1..$n"
    exit $bad
}
