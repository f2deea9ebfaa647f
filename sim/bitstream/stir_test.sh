#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stir on a 2x2 torus of boardsim, three of RTL with their golden models beside, one golden: configured
# anew while packets are under way, as parts of tori of up to 16x16, and every counter is the model's.
# The boards are then what they were. And chatter, which says what no host says, to three of them. SEED replays.
. tests/tap.sh
. tests/wait.sh
B=${B:-build}
seed=${SEED:-1}
dir=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
export XDG_STATE_HOME="$dir" XDG_RUNTIME_DIR="$dir" USER=lab
sim=
trap '[ -n "$sim" ] && kill "$sim" 2> /dev/null; rm -rf "$dir"' EXIT
trap 'exit 2' INT TERM
shown="$dir/out $dir/log"
at=unix:$dir/board0.sock

begin() { # OPTIONS
    rm -f "$dir"/*.sock
    # Its time goes on: where a ring is full for a while a request is not answered before it has.
    start_simulator "$dir/log" "$B/bin/boardsim" --dims 2x2 --boards rgrr --seed "$seed" --sockets "$dir" "$@"
}
end() {
    kill "$sim" 2> /dev/null
    wait "$sim"
    sim=
}
stirred() { timeout 600 "$B/sim/stir" "$at" "$1" "$seed" > "$dir/out" 2>&1; }
torus() { timeout 600 "$B/bin/torusctl" -t "$at" "$@" > "$dir/out" 2>&1; }

echo "# SEED=$seed"
begin
check 'five rounds, of which the last is not of the torus as it is' stirred 5
sed 's/^/# /' "$dir/out"
check 'it says what was drawn' [ "$(grep -c '^round .* tie [01]' "$dir/out")" = 5 ]
grep -q 'writes, of which the boards did not take [1-9]' "$dir/out"
result $? 'some of what was drawn is refused'
check 'all boards are where they were, by what they are configured as' torus ping --all
check 'discovered again' torus discover
check 'the torus is what it was' grep -q '^4 boards, a 2x2 torus' "$dir/out"
check 'programmed again' torus program --routing ofr
check 'counters' torus counters
check 'traffic' torus run --load 0.3 --cycles 5000 --warmup 1000
said= # all at once, to two of RTL and the golden one
for n in 0 1 3; do
    timeout 600 "$B/sim/chatter" "$dir/board$n.sock" 12 $((seed + n)) 1 > "$dir/said$n" 2>&1 &
    said="$said $n:$!"
done
for one in $said; do
    wait "${one#*:}"
    result $? "board ${one%:*}: a host that says anything"
    sed 's/^/# /' "$dir/said${one%:*}"
done
check 'boards answer again' torus ping --all
at=unix:$dir/board3.sock
check 'over another one, too' torus ping --all
at=unix:$dir/board0.sock
check 'discovered after that' torus discover
check 'programmed after that, with whose lease it may be' torus program --routing ofr --take-over
end
sed 's/^/# /' "$dir/log"
check "every counter is the golden model's" grep -q "every counter of all 3 boards equals" "$dir/log"
! grep -q -i 'differ' "$dir/log"
result $? 'none differs, in any cycle'

begin --break 100000
check 'twin: stirred' stirred 1
torus counters
end
check 'twin: a credit wrong in a golden model is found' grep -q 'board 0 differs from its golden' "$dir/log"
sed 's/^/# /' "$dir/log" | tail -n 3

for bad in '' "$dir/nothing.sock" "$dir/nothing.sock 1" "$dir/nothing.sock x"; do
    # shellcheck disable=SC2086 # words
    "$B/sim/chatter" $bad > "$dir/out" 2> "$dir/err"
    [ $? = 2 ] && [ ! -s "$dir/out" ] && [ "$(grep -c . "$dir/err")" = 1 ]
    result $? "refused: chatter ${bad#"$dir"}"
done
for bad in '' "$at" "$at x" "$at 1 -1" "$at 1 1 1"; do
    # shellcheck disable=SC2086 # words
    "$B/sim/stir" $bad > "$dir/out" 2> "$dir/err"
    [ $? = 2 ] && [ ! -s "$dir/out" ] && [ "$(grep -c . "$dir/err")" = 1 ]
    result $? "refused: stir ${bad#"$at"}"
done
finish
