# SPDX-License-Identifier: Apache-2.0
# Breaks the SoC on purpose, a way a line of mutants.txt (name|file|ram or flash|sed expression), and
# shows that the tests notice.
# Usage: SOC_RAM=... SOC_FLASH=... mutants.sh build DIR VERILATE SOURCES OBJECTS | mutants.sh run DIR
set -e
what=$1 dir=$2
n=0 bad=0
while IFS='|' read -r name file kind expression; do
    n=$((n + 1))
    m=$dir/m$n
    if [ "$what" = build ]; then
        mkdir -p "$m"
        sed "$expression" "$file" >"$m/new"
        if cmp -s "$m/new" "$file"; then
            echo "mutant $n, $name: its expression changes nothing" >&2
            exit 1
        fi
        mv "$m/new" "$m/$(basename "$file")"
        sources=$(echo "$4" | sed "s|$file|$m/$(basename "$file")|")
        options=$SOC_RAM
        if [ "$kind" = flash ]; then options=$SOC_FLASH; fi
        sh -c "$3 $options -Wno-fatal --Mdir $m/v -o $PWD/$m/test $sources $5" \
            >"$m/log" 2>&1 </dev/null || { cat "$m/log"; exit 1; }
    else
        image=
        if [ "$kind" = flash ]; then image=$dir/monitor_flash.bin; fi
        out=$("$m/test" "$kind" $image </dev/null) && status=0 || status=$?
        caught=$(printf '%s\n' "$out" | sed -n 's/^not ok [0-9]* - //p' | head -1)
        if [ $status = 1 ] && [ -n "$caught" ]; then
            echo "ok $n - mutant: $name: caught by: $caught"
        else
            echo "not ok $n - mutant: $name: not caught (status $status)"
            bad=1
        fi
    fi
done <rtl/soc/test/mutants.txt
[ "$what" = build ] || echo "1..$n"
exit $bad
