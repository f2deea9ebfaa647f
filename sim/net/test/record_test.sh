#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim record: the three examples under it, what is in the recordings, their replay; programs that
# it must not take; mistakes. A recorder that forgets what waits for what is caught. TAP.
. sim/net/test/torussim.sh

if ! command -v mpirun > "$work/where" || [ ! -s "$B/lib/torussim-record.so" ]; then
    echo '1..0 # SKIP built without MPI'
    exit 0
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpi() { echo "mpirun --oversubscribe --bind-to none -np $1"; }
examples=$B/net/examples

refuse 'out is missing' record mpirun true
refuse 'no program' record --out "$work/new"
refuse 'clock sun' record --out "$work/new" --clock sun true
: > "$work/old"
refuse 'old: it is there already' record --out "$work/old" true
refuse 'No such file' record --out "$work/none/x" true
# All that can be known of the output before the program has run; which leaves $work/ran.
touch_ran="touch $work/ran"
early() { # WORD OUT
    # shellcheck disable=SC2086
    refuse "$1" record --out "$2" $touch_ran
    [ ! -e "$work/ran" ]
    result $? 'before the program has run'
}
ln -s "$work/nowhere" "$work/dangling"
early 'dangling: it is there already' "$work/dangling"
early "out ''" ''
early "a file's name" "$work/none/"
early 'too long' "$work/$(printf '%0255d' 0)"
early 'Not a directory' "$work/old/x"
[ -z "$(find "$work" -name '*.??????' ! -name 'tmp.*')" ]
result $? 'and nothing is left of it'
refuse 'none/such: No such file' record --out "$work/new" none/such
refuse 'Permission denied' record --out "$work/new" "$work/old"
[ -z "$(find "$work" -name 'new*')" ]
result $? 'nothing is left of a program that is not one'

failed() { # WORD NAME COMMAND...: status 1, no recording, nothing left beside it
    word=$1 what=$2
    shift 2
    "$sim" record --out "$work/new" "$@" > "$work/out" 2> "$work/err"
    [ $? = 1 ] && [ "$(grep -c '^torussim record: .* not written' "$work/err")" = 1 ] &&
        grep -q -e "$word" "$work/err" && [ -z "$(find "$work" -name 'new*')" ]
    result $? "$what"
}
failed 'ended with status 1' 'a program that fails is not recorded' false
failed 'no whole recording' 'nor one without MPI' true

# A signal, to torussim or, as from a terminal, to all that it has started.
printf '#!/bin/sh\n: > "%s"\nexec sleep 600\n' "$work/begun" > "$work/slow"
chmod +x "$work/slow"
for to in TERM HUP INT; do
    rm -f "$work/begun"
    # A shell's background job ignores SIGINT.
    python3 -c "import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])" "$sim" record --out "$work/new" "$work/slow" > "$work/out" 2> "$work/err" &
    record=$!
    wait_for 300 test -e "$work/begun" && kill -$to $record
    wait $record
    [ $? = 1 ] && [ "$(cat "$work/err")" = "torussim record: interrupted; $work/new is not written" ] &&
        [ -z "$(find "$work" -name 'new*')" ]
    result $? "SIG$to: the program ends, a line, nothing is left"
done

# Messages: ranks 8 (2x2x2): 21 exchanges of 3 faces each way, 1 + 2 x 20 allreduces of 3 steps, a
# reduce, a broadcast.
# shellcheck disable=SC2046
"$sim" record --out "$work/halo" $(mpi 8) "$examples/halo" 4 20 > "$work/out" 2> "$work/err"
result $? 'the halo exchange is recorded'
grep -q "^$work/halo: 8 ranks, .*, $((8 * (21 * 3 + 41 * 3) + 7 + 7)) messages" "$work/out"
result $? 'with all its messages'
[ "$(grep -c '^send [0-7] 128 [0-9]*[0-9]' "$work/halo")" = $((8 * 21 * 3)) ]
result $? 'faces of 4 x 4 doubles among them'
# shellcheck disable=SC2046
"$sim" record --out "$work/transpose" $(mpi 8) "$examples/transpose" 8 1 > "$work/out" 2> "$work/err"
result $? 'the transform is recorded, on communicators of its own'
# Rows of 2 and columns of 4 or the other way round: 4 transposes each, 8 (1 + 3) messages, and an
# allreduce.
grep -q ", $((4 * 8 * (1 + 3) + 24)) messages" "$work/out"
result $? 'with all its messages'
# shellcheck disable=SC2046
"$sim" record --out "$work/sort" --clock wall $(mpi 5) "$examples/sort" 500 > "$work/out" 2> "$work/err"
result $? 'the sort is recorded, with receives from any source'
# allgather and both all-to-alls 20 each, the chain 4, three allreduces of 4 ranks and one beyond.
grep -q ", $((3 * 20 + 4 + 3 * (2 * 4 + 2))) messages" "$work/out"
result $? 'with all its messages'

for name in halo transpose sort; do
    for routing in dor ofr; do
        "$sim" run --application "$work/$name" --topology 2x2x2 --routing $routing --format json \
            > "$work/out" 2> "$work/err" && json 'o["end"] == "drained" and o["solution_us"] > 0'
        result $? "$name on $routing comes to an end"
    done
done
# Without computation the chain of 41 allreduces, 3 steps each, and 21 exchanges takes at least 144
# messages one after the other of a hop each; without what waits for what, far less.
"$sim" run --application "$work/halo" --topology 2x2x2 --injection pipelined --pace 0 --format json \
    > "$work/out"
json 'o["solution_us"] >= 0.6928 * (41 * 3 + 21)'
result $? 'what waits for what is kept'
sed -E 's/^(send|recv)( [0-9]+)+.*/&#/; s/ after.*#/ after/; s/#/ after/' "$work/halo" > "$work/loose"
"$sim" run --application "$work/loose" --topology 2x2x2 --injection pipelined --pace 0 \
    --format json > "$work/out"
json 'o["solution_us"] < 0.6928 * (41 * 3 + 21)'
result $? 'a recording without it is found out'

# What cannot be recorded.
cat > "$work/odd.c" <<'EOF'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Init(&argc, &argv);
    if (argc == 1) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (argc == 2)
        _Exit(0);
    MPI_Finalize();
    return 0;
}
EOF
# shellcheck disable=SC2046
gcc $(pkg-config --cflags ompi-c) -o "$work/odd" "$work/odd.c" $(pkg-config --libs ompi-c)
# shellcheck disable=SC2046
failed 'MPI_Ibarrier: this call is not recorded' 'a call that is not recorded is named' \
    $(mpi 2) "$work/odd"
# shellcheck disable=SC2046
"$sim" record --out "$work/new" $(mpi 1) "$work/odd" 1 2 > "$work/out" 2> "$work/err"
result $? 'a program that does nothing is one'
# Another's file under that name, made meanwhile, costs neither it nor the recording.
printf '#!/bin/sh\necho mine > "%s"\nexec "$@"\n' "$work/late" > "$work/slow"
# shellcheck disable=SC2046
"$sim" record --out "$work/late" "$work/slow" $(mpi 2) "$examples/halo" 2 2 > "$work/out" 2> "$work/err"
[ $? = 1 ] && [ "$(wc -l < "$work/err")" = 1 ] && [ "$(cat "$work/late")" = mine ] &&
    kept=$(sed -n 's/^torussim record: .*late: File exists; the recording is //p' "$work/err") &&
    "$sim" run --application "$kept" --topology 2x2 > "$work/out" && [ "$(find "$work"/late.* | wc -l)" = 2 ]
result $? 'a name that is taken meanwhile: the recording is kept elsewhere'
finish
