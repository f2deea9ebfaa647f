#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The test runner itself: each way to fail must be counted as a failure.

B=${B:-build}
run=$(pwd)/$B/tests/run_tests
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/tap.sh
shown=out
cd "$dir" || exit 1

script() { # NAME: text on stdin
    { echo '#!/bin/sh'; cat; } > "$1"
    chmod +x "$1"
}

expect() { # NAME, LAST LINE, STATUS, runner's arguments
    name=$1 last=$2 status=$3
    shift 3
    "$run" -l log "$@" > out 2>&1
    got=$?
    line=$(tail -n 1 out)
    if [ "$line" = "$last" ] && [ $got = "$status" ]; then
        result 0 "$name"
    else
        result 1 "$name: '$line' (status $got), expected '$last' ($status)"
    fi
}

echo 'echo "ok 1 - a"; echo "ok 2 - b"; echo 1..2' | script good
echo 'echo "ok 1 - a"; echo "not ok 2 - b"; exit 1' | script bad
echo 'echo "not ok 1 - b"; exit 0' | script bad_status_0
echo 'echo "ok 1 - a"; exit 3' | script status
echo 'echo "ok 1 - a"; kill -SEGV $$' | script crash
echo 'echo "ok 1 - a"; sleep 600' | script slow
echo 'true' | script silent
echo 'echo 1..3; echo "ok 1 - a"' | script short
echo 'echo "ok 1 - a # SKIP no such tool"; echo "not ok 2 # SKIP cmocka"; echo "ok 3"' | script skip
echo 'echo "ok 1 # SKIP why"' | script only_skip
echo 'echo "1..0 # SKIP why"' | script plan_skip
echo 'echo "ok 1"' | script good1
echo 'echo "okay"; echo "ok 1 - x"; echo "not okay"; printf "ok 2 - no line end"' | script near
echo '(while :; do touch alive; sleep 0.05; done) & until [ -e alive ]; do sleep 0.05; done
    echo "ok 1 - a"' | script leaves
echo 'test "$CMOCKA_MESSAGE_OUTPUT" = TAP && ! read -r x && echo "ok 1"' | script environment

expect 'good' '2 passed, 0 failed' 0 ./good
expect 'a failure' '1 passed, 1 failed' 1 ./bad
expect 'a failure that ends with 0' '0 passed, 1 failed' 1 ./bad_status_0
expect 'a status' '1 passed, 1 failed' 1 ./status
expect 'a crash' '1 passed, 1 failed' 1 ./crash
expect 'a hang' '1 passed, 1 failed' 1 -t 5 ./slow # seconds: it must have come to its result
expect 'no result' '0 passed, 1 failed' 1 ./silent
expect 'fewer than planned' '1 passed, 1 failed' 1 ./short
expect 'skips' '1 passed, 0 failed' 0 ./skip
[ "$(tail -n 2 out | head -n 1)" = '2 skipped' ] && grep -q 'SKIP no such tool' out
result $? 'what was skipped is said before the last line'
expect 'a whole test skipped' '1 passed, 0 failed' 0 ./plan_skip ./good1
expect 'only skips is no success' '0 passed, 0 failed' 1 ./only_skip
expect 'near misses' '2 passed, 0 failed' 0 ./near
expect 'a missing test' '0 passed, 1 failed' 1 ./nowhere
expect 'no test at all' '0 passed, 0 failed' 1
expect 'sums, in parallel' '7 passed, 1 failed' 1 -j 3 ./good ./bad ./skip ./near \
    ./environment
"$run" -l log ./leaves > out 2>&1
rm -f alive
sleep 1
[ ! -e alive ] && grep -q '^1 passed, 0 failed' out
result $? 'what a test leaves running is stopped'
expect 'wrong use' 'usage: run_tests [-j JOBS] [-t SECONDS] [-l LOGDIR] [-v] TEST...' 2 -j 0 ./good
finish
