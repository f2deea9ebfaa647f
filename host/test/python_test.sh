#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python module: its numbers and structures are libtorus.h's, in every field; boards, tables, counters,
# registers, channels, groups, collectives in hardware and datagrams on golden boards, its README typed there, users' programs on an RTL one. Twins: a
# module that has a field too few, one that only sums; one that forgets what came of a message before; one whose programs are told
# nothing. TAP.
. tests/boards.sh
export OUTFLANK_LIBRARY="$(cd "$B" && pwd)/libtorus.so" PYTHONDONTWRITEBYTECODE=1
module=host/python

run() { # FOLDER ARGUMENTS...: the test's, with the module there
    in=$1
    shift
    PYTHONPATH=$in timeout 300 python3 host/test/python_test.py "$@" > "$dir/out" 2>&1
}
same_layout() { # FOLDER
    run "$1" layout && "$B/host/python_layout" > "$dir/layout" && cmp -s "$dir/out" "$dir/layout"
}
twin() { # SED
    mkdir -p "$dir/twin"
    sed "$1" $module/outflank.py > "$dir/twin/outflank.py"
    ! cmp -s $module/outflank.py "$dir/twin/outflank.py" || result 1 "twin: $1: changes nothing"
}

check 'structures: as libtorus.h has them' same_layout $module
twin '/"window", ctypes.c_uint/d'
check 'twin: a field too few: found out' eval '! same_layout "$dir/twin"'
twin 's/"TORUS_COUNTERS": 129/"TORUS_COUNTERS": 128/'
check 'twin: a counter too few: found out' eval '! same_layout "$dir/twin"'
start --dims 2x2 --boards golden --channels 8 --wait
check 'boards, tables, counters, channels, groups, datagrams' run $module "unix:$dir/board0.sock"
check 'ended well' stop
start --dims 2x2 --boards golden --channels 8
check 'its README, as typed' run $module readme "unix:$dir/board0.sock"
check 'README: ended well' stop
calls_found() { # NAME SED
    twin "$2"
    start --dims 2x2 --boards golden --channels 8 --wait
    check "twin: $1: found out" eval \
        '! run "$dir/twin" "unix:$dir/board0.sock" && grep -q "not so" "$dir/out"'
    stop
}
calls_found 'one that only sums' 's/def _operation(name):/def _operation(_, name="sum"):/'
calls_found 'one that forgets what came of a message' 's/self._kept += room/self._kept = room/'
calls_found 'one that moves to any end' '/_want_joined(sender, receiver)$/d'
calls_found 'one that hides that a message was cut' 's/return self._ended()/return None/'
start --dims 2x1 --boards gr --link reliable --channels 8 --user
check 'programmed' torus program
check "users' programs" run $module programs "unix:$dir/board0.sock"
twin 's/words = (ctypes.c_uint32 . 4)(.*)$/words = (ctypes.c_uint32 * 4)()/'
check 'twin: one whose programs are told nothing: found out' eval \
    '! run "$dir/twin" programs "unix:$dir/board0.sock" && grep -q "not so" "$dir/out"'
check "users' programs: ended well" stop
finish
