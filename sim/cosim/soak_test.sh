#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# soak.sh on one shape for seconds: it fills its time, adds up, goes on after having been killed,
# and a router that loses a credit ends it. TAP.
set -u
. tests/wait.sh
. tests/tap.sh
B=${B:-build}
shape=2_32_8_8_1
dir=$B/soak_test
shown=$dir/log
mkdir -p "$dir"
rm -rf "$dir/soak" "$dir/soak.state"
mkdir -p "$dir/lockstep/$shape"
program=$dir/lockstep/$shape/lockstep
real=$B/lockstep/$shape/lockstep

twin() # options of the program
{
    printf '#!/bin/sh\nexec %s "$@" %s\n' "$real" "$1" > "$program"
    chmod +x "$program"
}

soak() # hours
{
    B=$dir HOURS=$1 JOBS=2 SLOT=2 PROGRAMS=lockstep/$shape/lockstep sh sim/cosim/soak.sh > "$dir/log" 2>&1
}

twin ''
begin=$(date +%s)
soak 0.0015
result $? "a soak of 5 seconds passes"
[ $(($(date +%s) - begin)) -ge 5 ]
result $? "it fills its time"
slot=0 done_cycles=0
. "$dir/soak.state"
first=$done_cycles slots=$slot
[ "$first" -gt 100000 ] && [ "$slots" -ge 1 ]
result $? "its state counts router-cycles"

# Killed outright: what it had counted stays. The log is emptied here: the soak before has left its
# own "good" there, and the shell in the background may not have begun when it is first looked at.
: > "$dir/log"
B=$dir HOURS=1 JOBS=1 SLOT=1 PROGRAMS=lockstep/$shape/lockstep sh sim/cosim/soak.sh > "$dir/log" 2>&1 &
pid=$!
wait_for 300 grep -q good "$dir/log"
kill -KILL $pid
wait $pid 2> /dev/null
. "$dir/soak.state"
[ "$slot" -gt "$slots" ] && [ "$done_cycles" -gt "$first" ]
result $? "killed: what it had done is kept"
second=$done_cycles slots=$slot
soak 0.0015 # 5 seconds: of 1 the clock's next may have begun before it looks
result $? "it goes on"
grep -q "from slot $slots; $second router-cycles" "$dir/log"
result $? "from where it was"
. "$dir/soak.state"
[ "$done_cycles" -gt "$second" ] && grep -q "$done_cycles of 1000000000" "$dir/log"
result $? "and says how far it is"
echo "slot=$slot done_cycles=999999999 runs=0" > "$dir/soak.state"
soak 0.0015
grep -q 'over 1 billion router-cycles' "$dir/log"
result $? "past the billion it says so"

# One that counts runs, of a torus
mkdir -p "$dir/bin"
printf '#!/bin/sh\necho "$*" >> %s/asked\necho "ok 1 - a"\necho "ok 2 - b"\nsleep 1\n' "$dir" > "$dir/bin/heal"
chmod +x "$dir/bin/heal"
rm -f "$dir/soak.state" "$dir/asked"
B=$dir HOURS=0.001 JOBS=2 SLOT=1 PROGRAMS=bin/heal:4x4 sh sim/cosim/soak.sh > "$dir/log" 2>&1
. "$dir/soak.state"
[ "$done_cycles" = 0 ] && [ "$runs" = $((4 * slot)) ] && [ "$runs" -gt 0 ]
result $? "other runs are counted"
grep -qx -e '--torus 4x4 --seconds 1 --seed 100100000' "$dir/asked"
result $? "with its torus, for a time, with a seed of its own"
echo "slot=$slots done_cycles=0 runs=0" > "$dir/soak.state"

# The broken twin
twin '--break 300 --torus 3x3'
slots=$(sed 's/.*slot=\([0-9]*\).*/\1/' "$dir/soak.state")
soak 0.01
[ $? = 1 ] && grep -q 'FAILED' "$dir/log" && grep -q 'in the RTL' "$dir/log"
result $? "a lost credit ends the soak"
grep -q "slot=$slots " "$dir/soak.state"
result $? "and will be run again"
B=$dir HOURS=no PROGRAMS=lockstep/$shape/lockstep sh sim/cosim/soak.sh > "$dir/log" 2>&1
[ $? = 2 ]
result $? "HOURS=no: refused with status 2"
finish
