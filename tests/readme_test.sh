#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The documents are true: links in them lead somewhere, files that tests/ADDING.md names are there,
# and README's quickstart does what it says when it is typed.
. tests/tap.sh
: "${B:=build}"
work=$(mktemp -d) || exit 1
shown="$work/out $work/err"
trap 'rm -rf "$work"' EXIT

# FILE: relative links in it that lead nowhere
dead_links() {
    grep -o '](\([^)#]*\)' "$1" | sed 's/^](//' | grep -v -e '^http' -e '^$' | while read -r link; do
        [ -e "$(dirname "$1")/$link" ] || echo "$1: $link"
    done
}
documents=$(find . -name '*.md' -not -path "./$B/*" -not -path './.git/*')
for d in $documents; do dead_links "$d"; done > "$work/out"
[ ! -s "$work/out" ]
result $? 'links lead somewhere'
echo 'See [that](nowhere/at/all.md).' > "$work/twin.md"
[ -n "$(dead_links "$work/twin.md")" ]
result $? 'twin: one that does not is found'

# Paths in backticks; what is a pattern must match something.
grep -o '`[a-z]*/[^`, ]*`' tests/ADDING.md | tr -d '`' | sort -u | while read -r path; do
    # shellcheck disable=SC2086
    ls -d $path > /dev/null 2>&1 || echo "$path"
done > "$work/out"
[ ! -s "$work/out" ]
result $? 'files that ADDING.md names are there'

# The first block after ## Quickstart, its sockets in a folder of ours
sed -n '/^## Quickstart/,$p' README.md | sed -n '/^```$/,/^```$/p' | sed '1d;/^```$/,$d' |
    sed "s#/tmp/boards#$work/boards#; s#build/bin#$B/bin#" > "$work/commands"
mkdir "$work/boards"
{
    # boardsim, its first line, says when its sockets are there: a person types slower than it starts
    echo "$(sed -n '1s/ &.*//p' "$work/commands") > '$work/sim' 2>&1 &"
    echo "trap 'kill \$!' EXIT"
    echo "for i in \$(seq 600); do grep -q ' boards, ' '$work/sim' && break; sleep 0.1; done"
    echo 'set -e'
    sed -e 1d -e '/^kill/d' "$work/commands"
} > "$work/script"
timeout 300 sh "$work/script" > "$work/out" 2> "$work/err"
[ ! -s "$work/err" ] && grep -q '9 boards, a 3x3 torus' "$work/out" &&
    [ "$(grep -c '^uniform  *ofr ' "$work/out")" = 3 ] && grep -q 'adaptive.flits' "$work/out"
result $? 'the quickstart, typed: boards found, programmed, measured, counted'
finish
