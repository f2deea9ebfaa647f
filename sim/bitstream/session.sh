# SPDX-License-Identifier: Apache-2.0
# For tests of bitsim, which take it in with a dot: a folder, $dir, the simulator, $sim, which is ended with
# them, and torusctl at its socket. What they print is in $dir/log and $dir/out.
dir=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
export XDG_STATE_HOME="$dir" XDG_RUNTIME_DIR="$dir" USER=lab
sim=
socket=board.sock
shown="$dir/out $dir/log"
clean_up() {
    [ -n "$sim" ] && kill "$sim" 2> /dev/null && wait "$sim" 2> /dev/null
    rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 2' INT TERM

torus() {
    timeout 3600 "$B/bin/torusctl" --timeout 1200 --retry "${retry:-30}" -t "unix:$dir/$socket" "$@" \
        > "$dir/out" 2>&1
}
says() { grep -q -e "$1" "$dir/out"; }
logged() { grep -q -e "$1" "$dir/log"; }
built() { sh sim/bitstream/build.sh "$@" > "$dir/out" 2>&1; }
lit() { # N LEDS NAME COMMAND...: bitsim, ended by itself: which of board N's LEDs are, in hexadecimal
    shown_by=$1 leds=$2 name=$3
    shift 3
    "$@" > "$dir/leds" 2>&1 && grep -q "board $shown_by: led $leds\$" "$dir/leds"
    result $? "board $shown_by: $name"
}
leds() { # N COMMAND...: of bitsim, in which board N has no cables; what it shows of jumpers from its ports to themselves
    n=$1 # its heartbeat is dark by then
    shift
    lit "$n" 01 'LEDs, no cable: out of reset' "$@"
    lit "$n" 21 'jumpers from x+ to x+: and a cable is up' "$@" --loop "$n:0"
    lit "$n" 41 'one of them open: and over one that is not up a clock comes' "$@" --loop "$n:0" --open "$n:0:1"
    lit "$n" 61 'another one is good: both' "$@" --loop "$n:0" --loop "$n:3" --open "$n:0:1"
    lit "$n" 31 'jumpers from every port to itself: all are up' "$@" --loop "$n:0" --loop "$n:1" --loop "$n:2" --loop "$n:3"
}
stop() {
    kill "$sim" && wait "$sim"
    status=$?
    sim=
    return $status
}
up() { # PORTS [TIMES]: whether these of board 0, and no others, come up: 2^20 bits after reset, some ten answers
    for _ in $(seq "${2:-12}"); do
        torus ping && says "[( ]$1[) ]" && return 0
    done
    return 1
}
finds_four() { # DIMS SERIAL PREFIX: all of them, with serial numbers of that kind
    check "${3}discover" torus discover
    sed 's/^/# /' "$dir/out"
    check "${3}four boards, cabled right" says "^4 boards, a $1 torus$"
    check "${3}each with its serial number" [ "$(grep -c "$2" "$dir/out")" = 4 ]
}
# A ULX3S' counters of flits stand still but for a measurement; those of errors do not.
mended() { # ENDS FILE: so many ends found frames damaged and had them sent again, nobody poisoned a packet
    python3 - "$@" << 'PY'
import json, sys
with open(sys.argv[2]) as f:
    boards = [b["counters"] for b in json.load(f)["boards"]]
ends = [(b[f"{p}.crc"], b[f"{p}.retry"]) for b in boards for p in ("x+", "x-", "y+", "y-")]
seen = [e for e in ends if min(e) > 0]
print(f"{sum(e[0] for e in ends)} frames damaged, {sum(e[1] for e in ends)} retries at {len(seen)} ends")
sys.exit(len(seen) != int(sys.argv[1]) or any(b["poisoned"] for b in boards))
PY
}
does_all() { # DIMS [PREFIX]: four boards at their pins do what a torus does
    check "${2-}the cables of board 0 are up" up 'x+,x-,y+,y-'
    finds_four "$1" '00000000000000a[1-4]' "${2-}"
    check "${2-}program" torus program --routing ofr
    check "${2-}traffic" torus run --load 0.02 --cycles 40000 --warmup 4000
    sed 's/^/# /' "$dir/out"
    check "${2-}counters" torus counters
}
