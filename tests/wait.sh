# SPDX-License-Identifier: Apache-2.0
# Waiting for events, for scripts that start programs; they source this. No test waits for a time to
# pass and takes something to have happened by then.

# wait_for SECONDS COMMAND...: until COMMAND succeeds. 1: it has not; SECONDS are for a machine that
# is busy with other things, not for how long it should take.
wait_for() {
    looks=$(($1 * 20))
    shift
    until "$@"; do
        [ $looks -gt 0 ] || return 1
        looks=$((looks - 1))
        sleep 0.05
    done
}

# grown FILE LINES WORD: there is a line with WORD after the first LINES.
grown() {
    tail -n +$(($2 + 1)) "$1" | grep -q -e "$3"
}

# start_simulator LOG COMMAND...: boardsim or bitsim in the background, its number in $sim, until its
# sockets are open. 1: it has ended instead.
start_simulator() {
    simulator_log=$1
    shift
    : > "$simulator_log" # at once, or the last one's words would be taken for its
    "$@" > "$simulator_log" 2>&1 &
    sim=$!
    wait_for 300 began_or_ended
    simulator_began
}

simulator_began() {
    grep -q -e '^boardsim: .* boards' -e '^bitsim: seed' "$simulator_log"
}

began_or_ended() {
    simulator_began || ! kill -0 "$sim" 2> /dev/null
}

# ask_simulator PID LOG: boardsim's word on where it is, at the end of its log. 1: it says nothing.
ask_simulator() {
    said_before=$(wc -l < "$2")
    kill -USR1 "$1" && wait_for 120 grown "$2" "$said_before" ': cycle'
}
