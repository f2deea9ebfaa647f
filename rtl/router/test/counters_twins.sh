#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Breaks the small counters on purpose, a way a line of LIST (name|build|sed expression), and shows
# that their test notices.
# Usage: counters_twins.sh build DIR LIST | counters_twins.sh run DIR LIST   DIR: build/rtl/counters
set -e
what=$1 dir=$2 list=$3
n=0 bad=0
while IFS='|' read -r name build expression; do
    n=$((n + 1))
    twin=$dir/twin$n
    if [ "$what" = build ]; then
        mkdir -p "$twin"
        sed "$expression" rtl/router/ofr_counters_small.v > "$twin/ofr_counters_small.v"
        if cmp -s "$twin/ofr_counters_small.v" rtl/router/ofr_counters_small.v; then
            echo "twin $n, $name: its expression changes nothing" >&2
            exit 1
        fi
        sh rtl/router/test/counters_build.sh "$build" "$twin/test" "$twin/ofr_counters_small.v" \
            "$twin" "$dir/$build.o" "${dir%/rtl/counters}/sim/model/counters.o"
    else
        out=$("$twin/test" < /dev/null) && status=0 || status=$?
        if [ $status = 1 ] && printf '%s\n' "$out" | grep -q '^# seed .*in the RTL'; then
            echo "ok $n - twin: $name: $(printf '%s\n' "$out" | grep -m 1 'in the RTL' | cut -c 3-)"
        else
            echo "not ok $n - twin: $name: not caught (status $status)"
            bad=1
        fi
    fi
done < "$list"
[ "$what" = build ] || echo "1..$n"
exit $bad
