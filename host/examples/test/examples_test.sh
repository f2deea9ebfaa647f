#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples, host/examples/common, jacobi, sort and gradients, on golden boards, small: equal to the
# host's result; their twins are not; kernels that are given what cannot be; wrong use; a logic that boardsim
# cannot take. FULL=1: random sizes, tori of three dimensions, RTL boards, two processes and four, jacobi on RTL boards'
# user cores and its twin. TAP.
. tests/boards.sh

example() { # PROGRAM OPTIONS...
    program=$1
    shift
    timeout 1200 "$B/examples/$program" "unix:$dir/board0.sock${more:-}" "$@" > "$dir/out" 2>&1
    got=$?
    why="$program $*: status $got"
    return $got
}
# Equal and status 0; or found out, status 1.
equal() { example "$@" && grep -q 'equal to the host' "$dir/out" && ! grep -q WRONG "$dir/out"; }
found() { example "$@"; [ $got = 1 ] && grep -q WRONG "$dir/out"; }
refused() { # WORDS PROGRAM OPTIONS...: one line, status 2
    words=$1
    shift
    example "$@"
    [ $got = 2 ] && one_line && says "$words"
}
no_logic() { # WORDS OPTIONS...
    words=$1
    shift
    boardsim --dims 2x1 --boards golden --sockets "$dir" --cycles 64 "$@"
    [ $? = 2 ] && one_line && says "$words"
}
begin() { # LOGIC OPTIONS...
    logic=$1
    shift
    start --boards golden --channels 8 --logic "$B/examples/$logic" "$@"
}
seed=${SEED:-$(($(date +%s) % 1000000000))}
echo "# seed $seed; again: SEED=$seed $0"
drawn() { # LEAST MOST: into $n
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    n=$(($1 + seed / 65536 % ($2 - $1 + 1)))
}

check 'no such file: one line, status 2' no_logic 'cannot open' --channels 8 --logic "$dir/none.so"
check 'a library that is no logic' no_logic 'no outflank_logic' --channels 8 --logic "$B/libtorus.so"
head -c 3000 "$B/examples/jacobi.so" > "$dir/cut.so"
check 'a library that is cut short' no_logic 'cut short' --channels 8 --logic "$dir/cut.so"
check 'logic without channels' no_logic 'goes with --channels' --logic "$B/examples/jacobi.so"

large=${FULL:+large}
begin jacobi.so --dims 2x2
# shellcheck disable=SC2086
check 'jacobi: kernels that are given what cannot be' example test/kernel_calls jacobi $large
drawn 1 8; w=$n; drawn 1 8; h=$n; drawn 1 5; i=$n; drawn 1 9999
check "jacobi: 1x1 and 2x2 boards, $((2 * w))x$((2 * h)) cells" equal jacobi $((2 * w))x$((2 * h)) "$i" --random "$n"
check 'jacobi: once more, on the same boards' equal jacobi 8x6 3 --tiles 2x1
check 'jacobi: tiles that do not fit' refused 'cannot be cut' jacobi 7x8 1
check 'jacobi: more tiles than boards' refused 'has 2x2 boards' jacobi 8x8 1 --tiles 4x1
check 'jacobi: a grid that is too large' refused 'take a smaller' jacobi 512x8 1
check 'jacobi: no number' refused 'ITERATIONS is a number' jacobi 8x8 many
check 'jacobi: a file that cannot be written' refused 'cannot be written' jacobi 8x8 1 --grid "$dir/no/grid"
check 'jacobi: no such board' status 2 "$B/examples/jacobi" "unix:$dir/none.sock" 8x8 1 2> "$dir/out"
soft="--soft $B/examples/soft/jacobi.bin"
# shellcheck disable=SC2086
check 'jacobi: a program where there is no user core' refused "without a user's core" jacobi 8x8 1 $soft
# shellcheck disable=SC2086
check 'jacobi: a grid that is too large for one' refused 'memory for 48x48' jacobi 50x8 1 $soft
check 'jacobi: no such program' refused 'no program can be read' jacobi 8x8 1 --soft "$dir/none.bin"
check 'jacobi: ended well' stop

begin twin/jacobi.so --dims 2x1
check 'twin: a kernel that drops its last halo column: found out' found jacobi 8x4 3 --random 5
stop

begin gradients.so --dims 2x2
# shellcheck disable=SC2086
check 'gradients: kernels that are given what cannot be' example test/kernel_calls gradients $large
drawn 1 40
check "gradients: 2x2, $n words, a chain; and by libtorus" equal gradients "$n" 3 --host
check "gradients: a tree" equal gradients "$n" 2 --shape tree
check 'twin: another reduction: found out' found twin/gradients 5 1
check 'gradients: a vector that is too long' refused 'WORDS is a number' gradients 4097 1
check 'gradients: no such shape' refused 'chain or tree' gradients 5 1 --shape ring
check 'gradients: ended well' stop

start --boards golden --channels 8 --dims 2x2
drawn 4 150
check "sort: 2x2, $n keys" equal sort "$n" --seed "$n" --one
more=,unix:$dir/board3.sock
check 'sort: two processes at two boards' equal sort 64 --kind reverse
more=
check 'twin: what has come is not sorted: found out' found twin/sort 64
check 'sort: fewer keys than boards' refused 'fewer than' sort 3
check 'sort: no such kind' refused 'random, equal' sort 64 --kind other
check 'sort: ended well' stop

start --boards golden --dims 2x1
check 'boards without channels' refused 'without channels' sort 64
stop

[ -n "${FULL:-}" ] || finish
for dims in 3x2 4x4 5x1; do
    begin jacobi.so --dims $dims
    for run in 1 2 3 4 5; do
        drawn 1 9; w=$n; drawn 1 9; h=$n; drawn 1 8; i=$n; drawn 1 9999
        check "jacobi: $dims, run $run" equal jacobi $((${dims%x*} * w))x$((${dims#*x} * h)) "$i" --random "$n"
    done
    stop
    begin gradients.so --dims $dims
    for run in 1 2 3; do
        drawn 1 300
        check "gradients: $dims, $n words" equal gradients "$n" 2
        check "gradients: $dims, $n words, a tree" equal gradients "$n" 2 --shape tree
    done
    stop
done
begin gradients.so --dims 2x2x3
check 'gradients: three dimensions, a chain' equal gradients 200 2
check 'gradients: a tree wants another kernel' refused 'take --shape chain' gradients 200 2 --shape tree
stop
for dims in 2x1 2x2; do # most of the time goes into loading
    start --boards rtl --link reliable --channels 8 --user --dims $dims
    drawn 1 6; w=$n; drawn 1 6; h=$n; drawn 1 5; i=$n; drawn 1 9999
    # shellcheck disable=SC2086
    check "jacobi: on user cores, $dims boards, $((2 * w))x$((2 * h)) cells" equal jacobi $((2 * w))x$((2 * h)) "$i" \
        --random "$n" $soft
    stop
done
start --boards rtl --link reliable --channels 8 --user --dims 2x1
check 'twin: a program that drops its right halo column: found out' found jacobi 4x4 3 --random 5 \
    --soft "$B/examples/twin/soft/jacobi.bin"
stop
start --boards golden --channels 8 --dims 3x3
for kind in random equal sorted reverse; do
    check "sort: 3x3, 3000 keys, $kind" equal sort 3000 --kind $kind --seed "$n"
done
more=,unix:$dir/board4.sock,unix:$dir/board2.sock,unix:$dir/board8.sock
check 'sort: four processes' equal sort 500
more=
stop
for dims in 2x1 1x2; do
    start --boards rg --link reliable --channels 8 --logic "$B/examples/jacobi.so" --dims $dims
    check "jacobi: RTL and golden, $dims" equal jacobi 8x8 4 --random "$n"
    check 'RTL equals the golden model' stop
done
start --boards rr --link reliable --channels 8 --logic "$B/examples/gradients.so" --dims 2x1
check 'gradients: two RTL boards' equal gradients 60 2
check 'RTL equals the golden model' stop
finish
