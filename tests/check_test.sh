#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make check has a test of every folder with sources (tests.mk, CHECK_*; make has written them to
# build/tests/check): no folder is left out, none is there that is not one any more, and each has a test
# that make builds of a file of the folder, or that lies in it or names it.
set -u
export LC_ALL=C
. tests/tap.sh
: "${B:=build}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Every folder with sources, at any depth; its folder `test` goes with it, but host/test, which is of all
# of host.
folders() {
    { git ls-files 2> /dev/null || find . -path ./build -prune -o -type f -print | sed 's|^\./||'; } |
        grep -E '\.(c|h|cpp|v|vh|py|S|ld|sh)$' |
        sed -n 's|/[^/]*$||p' | sed '\|^host/test$|!s|/test$||' | grep -v '^\.' | sort -u
}

complete() { # TABLE
    folders | join -v 1 - "$1" | sed 's/.*/# &: make check has no test of it/' > "$work/said"
    folders | join -v 2 - "$1" | sed 's/ .*//; s/.*/# &: make check has tests of it, it has no sources/' \
        >> "$work/said"
    awk 'NF < 2 { print "# " $1 ": make check has no test of it" }' "$1" >> "$work/said"
    sort -u "$work/said"
    [ ! -s "$work/said" ]
}

# What make would build a test of, and the test itself where that is a script.
of_folder() { # FOLDER TEST
    case $2 in "$1"/*) return 0 ;; "$B"/*) ;; *) grep -q "$1\|$(basename "$1")" "$2" && return 0 ;; esac
    awk -v target="$2" -v own="^$1/(test/)?[^/]*\$" '
        index($0, target ":") == 1 { for (i = 2; i <= NF; i++) want[$i] }
        /^[^#\t].*:/ { split($0, part, ":"); needs[part[1]] = needs[part[1]] " " part[2] }
        END { n = 1; list[1] = target; seen[target]
              for (i = 1; i <= n; i++) { if (list[i] ~ own) exit 0
                  c = split(needs[list[i]], p, " ")
                  for (j = 1; j <= c; j++) if (!(p[j] in seen)) { seen[p[j]]; list[++n] = p[j] } }
              exit 1 }' "$work/rules"
}

belong() { # TABLE
    wrong=0
    while read -r folder tests; do
        found=0
        for t in $tests; do of_folder "$folder" "$t" && found=1 && break; done
        [ $found = 1 ] || { echo "# $folder: none of its tests is of it: $tests"; wrong=1; }
    done < "$1"
    return $wrong
}

sort "$B/tests/check" > "$work/table"
env -u MAKEFLAGS -u MFLAGS make -pnq B="$B" check 2> /dev/null > "$work/rules"
check 'every folder with sources has its tests' complete "$work/table"
check 'and they are of it' belong "$work/table"

# Twins: a folder that is left out; one without tests; one with another folder's.
twin() { # WHAT SED-SCRIPT FOLDER: found
    sed "$2" "$work/table" > "$work/twin"
    ! "$1" "$work/twin" > "$work/out" && grep -q "^# $3: " "$work/out"
}
check 'twin: a folder that is left out is named' twin complete '/^rtl\/link /d' rtl/link
check 'twin: one that lies in another' twin complete '\|^sim/net/packet |d' sim/net/packet
check 'twin: a folder without a test is named' twin complete 's|^sim/bitstream .*|sim/bitstream|' \
    sim/bitstream
check "twin: a folder with another one's test is named" twin belong \
    's|^constraints .*|constraints rtl/regs/regs_test.sh|' constraints
check "twin: or the test of the one that it lies in" twin belong \
    's|^rtl/link/phy .*|rtl/link/phy rtl/link/test/fifo_test.sh|' rtl/link/phy
finish
