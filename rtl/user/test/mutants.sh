# SPDX-License-Identifier: Apache-2.0
# Breaks the user's core on purpose, a way a line of mutants.txt (name|file|sed expression), and shows that
# the tests notice. ONLY=n: line n alone.
# Usage: mutants.sh DIR PROGRAMS VERILATE SOURCES OBJECTS
set -e
dir=$1 programs=$2 verilate=$3 all=$4 objects=$5
n=0 bad=0
mkdir -p "$dir"
while IFS='|' read -r name file expression; do
    n=$((n + 1))
    [ "${ONLY:-$n}" = $n ] || continue
    m=$dir/m$n
    mkdir -p "$m"
    sed "$expression" "$file" > "$m/$(basename "$file")"
    if cmp -s "$m/$(basename "$file")" "$file"; then
        echo "not ok $n - mutant: $name: its expression changes nothing"
        bad=1
        continue
    fi
    sources=$(echo "$all" | sed "s|$file|$m/$(basename "$file")|")
    sh -c "$verilate -Wno-fatal --Mdir $m/v -o $PWD/$m/test $sources $objects" > "$m/log" 2>&1 < /dev/null ||
        { cat "$m/log"; exit 1; }
    timeout 100 "$m/test" "$programs" > "$m/out" 2>&1 < /dev/null && status=0 || status=$?
    if [ $status = 1 ] && grep -q '^# cycle' "$m/out"; then
        echo "ok $n - mutant: $name: $(sed -n 's/^# cycle [0-9]*, //p' "$m/out" | head -n 1)"
    else
        echo "not ok $n - mutant: $name: not caught (status $status)"
        bad=1
    fi
done < rtl/user/test/mutants.txt
echo "1..$n"
exit $bad
