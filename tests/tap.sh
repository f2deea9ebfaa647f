# SPDX-License-Identifier: Apache-2.0
# Results of test scripts, in TAP; they source this from the top of the tree and end with finish.
# shellcheck shell=sh
number=0 failed=0
shown=  # files whose ends are shown with a result that fails

# result STATUS NAME: 0 is good.
result() {
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number - $2"
        return
    fi
    echo "not ok $number - $2"
    failed=1
    for file in $shown; do
        [ ! -s "$file" ] || { echo "# --- ${file##*/}:"; tail -n 15 "$file"; }
    done | cut -c 1-400 | sed 's/^\(# \)\{0,1\}/# /'
}

# check NAME COMMAND...
check() {
    name=$1
    shift
    "$@"
    result $? "$name"
}

# skip NAME WHY
skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# refuse WORD ARGUMENTS...: a mistake in them, to $program: exit status 2, one line with WORD on
# stderr, nothing on stdout, and no $work/new. What it says is in $work/out and $work/err.
refuse() {
    word=$1
    shift
    timeout 120 "$program" "$@" > "$work/out" 2> "$work/err"
    status=$?
    [ $status = 2 ] && [ ! -s "$work/out" ] && [ ! -e "$work/new" ] &&
        grep -q -e "$word" "$work/err" && [ "$(grep -vc '^Try ' "$work/err")" = 1 ]
    result $? "refused: $*"
}

finish() {
    echo "1..$number"
    exit $failed
}
