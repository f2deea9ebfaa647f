# SPDX-License-Identifier: Apache-2.0
# Breaks the core on purpose, a way a line of mutants.txt (name|sed expression), and shows that the
# tests notice.
# Usage: mutants.sh build DIR LIST VERILATE OBJECTS | mutants.sh run DIR LIST
set -e
what=$1 dir=$2 list=$3
n=0
bad=0
while IFS='|' read -r name expression; do
    n=$((n + 1))
    # A sed expression may hold | itself: read put the rest of the line into it.
    if [ "$what" = build ]; then
        mkdir -p "$dir/m$n"
        sed "$expression" rtl/core/rv32i.v >"$dir/m$n/rv32i.new"
        if cmp -s "$dir/m$n/rv32i.new" rtl/core/rv32i.v; then
            echo "mutant $n, $name: its expression changes nothing" >&2
            exit 1
        fi
        cmp -s "$dir/m$n/rv32i.new" "$dir/m$n/rv32i.v" ||
            cp "$dir/m$n/rv32i.new" "$dir/m$n/rv32i.v"
        rm -f "$dir/m$n/test"
        sh -c "$4 -Wno-fatal --Mdir $dir/m$n/v -o $PWD/$dir/m$n/test $dir/m$n/rv32i.v rtl/core/ofr_core.v \
            $PWD/rtl/core/test/core_shim.cpp $5" >"$dir/m$n/log" 2>&1 </dev/null ||
            { cat "$dir/m$n/log"; exit 1; }
    else
        out=$("$dir/m$n/test" </dev/null) && status=0 || status=$?
        caught=$(printf '%s\n' "$out" | sed -n 's/^not ok [0-9]* - //p' | head -1)
        if [ $status = 1 ] && [ -n "$caught" ]; then
            echo "ok $n - mutant: $name: caught by: $caught"
        else
            echo "not ok $n - mutant: $name: not caught (status $status)"
            bad=1
        fi
    fi
done <"$list"
[ "$what" = build ] || echo "1..$n"
exit $bad
