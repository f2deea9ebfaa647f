#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One time: NODE.TIME of boards over reliable links, by the simulator's own, from a million cycles
# after the links are up on, with cables of random length: a cycle between neighbours at most, and
# between any two boards 1 and half their distance. Broken twins: a servo that takes the cable for
# no part of what it measures; one that keeps no rate. TAP.
# SEED=n: other clocks and cables (1).
. tests/tap.sh
B=${B:-build}
seed=${SEED:-1}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
echo "# seed $seed"

# one_time BOARDSIM OPTIONS...: did the boards keep one time, as closely as is asked?
one_time() {
    sim=$1
    shift
    timeout 600 "$sim" --threads 1 --sockets "$dir" --seed "$seed" --spread 30 "$@" > "$dir/log" 2>&1 || return 2
    grep 'one time' "$dir/log" | sed 's/^/# /'
    sed -n 's/.*neighbours at most \([0-9.]*\) cycles apart, any two boards \([-0-9.]*\) more.*/\1 \2/p' \
        "$dir/log" | awk '{ seen = 1; good = $1 <= 1 && $2 <= 1 } END { exit seen ? !good : 2 }'
}
good() { # NAME OPTIONS...
    name=$1
    shift
    one_time "$B/bin/boardsim" "$@"
    result $? "$name"
}
twin() { # TWIN NAME OPTIONS...
    name="broken twin: $2: found out" sim=$B/twin/$1/bin/boardsim
    shift 2
    one_time "$sim" "$@"
    [ $? = 1 ]
    result $? "$name"
}

good 'golden 3x2, clocks alike' --dims 3x2 --boards golden --cycles 1100000
good 'golden 3x2, 2 ppm apart' --dims 3x2 --boards golden --ppm 1 --cycles 1150000
good 'golden 3x2, 200 ppm apart' --dims 3x2 --boards golden --ppm 100 --cycles 1150000
good 'RTL and golden 2x1, 200 ppm apart, bit errors' \
    --dims 2x1 --boards rg --ppm 100 --bit-errors 1e-6 --cycles 1100000
twin time_cable 'the cable is no part of it' --dims 3x1 --boards golden --ppm 1000 --cycles 1100000
twin time_rate 'no rate is kept' --dims 3x1 --boards golden --ppm 1000 --cycles 1100000
finish
