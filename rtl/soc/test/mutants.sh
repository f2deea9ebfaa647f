# SPDX-License-Identifier: Apache-2.0
# Breaks the SoC on purpose, a way a line of mutants.txt (name|file|ram, flash, ahead or small|sed expression), and
# shows that the tests notice.
# Usage: SOC_RAM=... SOC_FLASH=... SOC_AHEAD=... SOC_SMALL=... mutants.sh build DIR VERILATE SOURCES OBJECTS | mutants.sh run DIR
set -e
what=$1 dir=$2 verilate=${3-} all=${4-} objects=${5-}
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
        sources=$(echo "$all" | sed "s|$file|$m/$(basename "$file")|")
        case $kind in
        ram) options=$SOC_RAM ;;
        flash) options=$SOC_FLASH ;;
        ahead) options=$SOC_AHEAD ;;
        small) options=$SOC_SMALL ;;
        esac
        rm -f "$m/test"
        sh -c "$verilate $options -Wno-fatal --Mdir $m/v -o $PWD/$m/test $sources $objects" \
            >"$m/log" 2>&1 </dev/null || { cat "$m/log"; exit 1; }
    else
        image=$dir/monitor_flash.bin
        case $kind in
        ram) set -- ram ;;
        flash) set -- flash "$image" ;;
        ahead) set -- -q flash "$image" ;;
        small) set -- -b flash "$image" ;;
        esac
        out=$("$m/test" "$@" </dev/null) && status=0 || status=$?
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
