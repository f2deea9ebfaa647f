#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make example-NAME and make example-plot-NAME: example.sh NAME run|plot. Golden boards, the kernel at
# their channels' pins, the host's program; plot draws the picture of the README, by gnuplot. KERNEL=soft:
# of jacobi, RTL boards with the kernel as a program on their user cores.
set -eu
. tests/wait.sh
: "${B:=build}"
name=$1 here=host/examples/$1
dir=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX")
export XDG_STATE_HOME="$dir" XDG_RUNTIME_DIR="$dir"
sim=
stop() {
    [ -z "$sim" ] || { kill "$sim" && wait "$sim" || true; } 2> /dev/null
    sim=
}
trap 'stop; rm -rf "$dir"' EXIT
trap 'exit 2' INT TERM

# boards DIMS OPTIONS...
boards() {
    stop
    dims=$1
    shift
    [ ! -f "$B/examples/$name.so" ] || set -- --logic "$B/examples/$name.so" "$@"
    start_simulator "$dir/log" "$B/bin/boardsim" --dims "$dims" --boards golden --link plain --channels 8 \
        --wait --sockets "$dir" "$@" || { cat "$dir/log" >&2; exit 2; }
}
# The same of RTL boards with a user's core. Their time goes on: programs compute between two requests.
soft_boards() {
    stop
    start_simulator "$dir/log" "$B/bin/boardsim" --dims "$1" --boards rtl --user --channels 8 --sockets "$dir" ||
        { cat "$dir/log" >&2; exit 2; }
}
host() {
    "$B/examples/$name" "unix:$dir/board0.sock" "$@"
}
both() { # by two processes, at two boards
    "$B/examples/$name" "unix:$dir/board0.sock,unix:$dir/board3.sock" "$@"
}
draw() { # gnuplot's words from stdin
    { echo 'set terminal pngcairo size 900,420 noenhanced font "Sans,10"; set grid'
      echo "set output '$here/$name.png'"; cat; } > "$dir/gp"
    (gnuplot "$dir/gp")
    echo "$here/$name.png"
}

case $name-$2-${KERNEL:-} in
*-) ;;
jacobi-run-soft)
    soft_boards 2x2
    host 8x8 4 --soft "$B/examples/soft/jacobi.bin"
    exit
    ;;
*)
    echo "example.sh: KERNEL=$KERNEL: soft, or none, and only for example-jacobi" >&2
    exit 2
    ;;
esac
case $name-$2 in
jacobi-run)
    boards 2x2
    host 64x64 20
    boards 4x4
    host 64x64 20
    ;;
jacobi-plot)
    boards 2x2
    host 64x64 300 --grid "$dir/grid"
    for dims in 2x2 4x2 4x4; do
        boards $dims
        for size in 32 64; do
            host ${size}x$size 20 | awk 'NR == 4 { split($1, t, "x"); print t[1] * t[2], $6 }' >> "$dir/speed$size"
        done
    done
    draw << GP
set multiplot layout 1,2
set title '64x64 cells, 300 iterations, 4 boards: degrees'; set size ratio -1; set yrange [65:0]; set xrange [0:65]
plot '$dir/grid' matrix with image notitle, '-' with lines lw 2 lc rgb 'white' notitle
32.5 0
32.5 65

0 32.5
65 32.5
e
set title 'faster than one board'; set size noratio; set key left top; set xlabel 'boards'; set autoscale
set xrange [0:*]; set yrange [0:*]
plot x with lines dt 2 lc rgb 'gray' title 'boards', '$dir/speed64' using 1:2 with linespoints title '64x64 cells', \\
    '$dir/speed32' using 1:2 with linespoints title '32x32 cells'
GP
    ;;
gradients-run)
    boards 4x4
    host 64 10 --host
    host 256 10
    host 256 5 --shape tree
    ;;
gradients-plot)
    boards 4x4
    host 64 20 --loss "$dir/loss"
    for n in 16 32 64 128 256 512 1024; do
        for shape in chain tree; do
            host $n 1 --shape $shape | sed -n "s|^all-reduce: .* to \([0-9]*\) cycles; .*latency: \([0-9]*\), .*board: \([0-9]*\) .*|$n \1 \2 \3|p" >> "$dir/$shape"
        done
    done
    draw << GP
set multiplot layout 1,2
set title 'all-reduce on 16 boards: cycles'; set logscale xy; set xlabel 'words'; set key left top
plot '$dir/chain' using 1:2 with linespoints title 'chain', '$dir/tree' using 1:2 with linespoints title 'tree', \\
    '$dir/chain' using 1:3 with lines dt 2 title '2n(p-1)/p and latency', '$dir/chain' using 1:4 with lines dt 3 title 'through one board, at least'
unset logscale; set title 'training, 64 weights: mean error'; set xlabel 'step'; set yrange [0:*]
plot '$dir/loss' with lines notitle
GP
    ;;
sort-run)
    boards 2x2
    host 1024 --one
    both 1024
    boards 4x4
    host 1024
    ;;
sort-plot)
    boards 2x2
    for n in 64 128 256 512 1024 2048; do
        host $n --one | sed -n "s|^pieces.*: \([0-9]*\) cycles; the wires would take \([0-9]*\); .*: \([0-9]*\) cycles, the wires \([0-9]*\)|$n \1 \2 \3 \4|p" >> "$dir/cycles"
    done
    draw << GP
set title 'keys on four boards: cycles of NODE.TIME'; set logscale xy; set xlabel 'keys'; set key left top
plot '$dir/cycles' using 1:4 with linespoints title 'to one board and back', '$dir/cycles' using 1:2 with linespoints title 'from each to each', \\
    '$dir/cycles' using 1:5 with lines dt 2 title 'to one board and back, wires', '$dir/cycles' using 1:3 with lines dt 2 title 'from each to each, wires'
GP
    ;;
*)
    echo "example.sh: $name $2: jacobi, sort or gradients; run or plot" >&2
    exit 2
    ;;
esac
