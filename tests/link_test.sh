#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torusctl link: states, both ends, counters, outages and the bound of errors of every link, of golden
# boards and RTL ones, whose registers equal the golden model's; links whose ends do not fit; plain
# ones. A broken twin: golden ends without CRC differ from RTL's. TAP.
. tests/boards.sh

# Every end of every link of d as `discover` has it in $dir/torus.
ends_fit() {
    json '(lambda t: len(d["links"]) == sum(c is not None for b in t["boards"] for c in b["cables"])
        and all(l["state"] == "up" and l["serial"] == t["boards"][l["board"]]["serial"]
                and l["peer"] == t["boards"][t["boards"][l["board"]]["cables"][
                    ["x+", "x-", "y+", "y-", "z+", "z-"].index(l["port"])]["board"]]["serial"]
                for l in d["links"]))(json.load(open("'"$dir"'/torus")))'
}
# The bound is that of a Poisson distribution.
bounds_fit() {
    json 'd["confidence"] == 0.99 and all(abs(sum(__import__("math").exp(
        -m + k * __import__("math").log(m) - __import__("math").lgamma(k + 1))
        for k in range(l["crc"] + 1)) - 0.01) < 1e-6
        for l in d["links"] for m in [l["bits"] * l["error_rate_below"]])'
}
knows() { # whose plug at 0.x+ was out once
    torus discover --format json && cp "$dir/out" "$dir/torus" &&
        torus link --format json --confidence 99 && ends_fit && bounds_fit &&
        json 'sum(l["crc"] for l in d["links"]) > 0 and sum(l["retries"] for l in d["links"]) > 0
            and all(l["frames"] > 0 and l["up"] >= l["since"] > 0 for l in d["links"])
            and [(l["board"], l["port"]) for l in d["links"] if l["falls"] == 1] == '"$1"'
            and all((l["falls"] == 1) == (l["longest_outage"] > 0) for l in d["links"])
            and all(l["why"] == "silence" or l["falls"] == 0 or l["why"] == "other end fell"
                    for l in d["links"])'
}
# The last five columns are of physical layers, which golden boards have none of.
csv() {
    torus link --format csv && why= &&
        [ "$(head -n 1 "$dir/out")" = "board,port,serial,state,peer,since,up,falls,why,longest_outage,frames,crc,retries,bits,error_rate_below,locked,eyes,wire_bits,wire_errors,wire_error_rate_below" ] &&
        [ "$(wc -l < "$dir/out")" = "$1" ] && [ "$(grep -c '[0-9],,,,,$' "$dir/out")" = $(($1 - 1)) ]
}

start --dims 3x3 --boards golden --link reliable --bit-errors 1e-4 --spread 8 --pull 0.x+@6000-9000
check 'golden 3x3: every link' knows '[(0, "x+"), (1, "x-")]'
check 'golden 3x3: CSV' csv 37
check 'golden 3x3: a table' torus link
check 'golden 3x3: ends' stop

start --dims 2x1 --link reliable --bit-errors 1e-4 --pull 0.x+@6000-9000
check 'RTL 2x1: every link' knows '[(0, "x+"), (1, "x-")]'
check 'RTL 2x1: its registers are as the golden model says' stop

# A cable that is pulled for good
start --dims 2x2 --boards golden --link reliable --pull 0.x+@6000-100000000
out() { # the cable, after a while
    for _ in 1 2 3 4 5 6 7 8; do
        torus discover
        status 1 torus link --format json && return 0
    done
    return 1
}
check 'cable out: status 1' out
sed -i '/^torusctl: /d' "$dir/out"
check 'cable out: its end is down' json '[(l["state"], l["falls"]) for l in d["links"]
    if (l["board"], l["port"]) == (0, "x+")] == [("down", 1)]'
check 'cable out: ends' stop

start --dims 2x2 --boards golden --link reliable --misfit 3
check 'ends that do not fit: link, status 1' status 1 torus link --format json
check 'ends that do not fit: link says why' json 'sum(l["state"] == "failed" and
    l["why"] == "slots differ" and l["error_rate_below"] is None for l in d["links"]) == 2'
check 'ends that do not fit: discover, status 1' status 1 torus discover
check 'ends that do not fit: discover says which and why' says \
    'link at port y+ of board [0-9a-f]* does not come up, its two ends do not fit: slots differ'
torus discover --format json
sed -i '/^torusctl: /d' "$dir/out"
check 'ends that do not fit: as faults' \
    json 'sum(f["kind"] == "link" for f in d["faults"]) == 2'
check 'ends that do not fit: ends' stop

start --dims 2x2 --boards golden
check 'plain links: of which only the state is known' torus link --format json --all
check 'plain links: nothing is made up' json 'len(d["links"]) == 16 and
    sum(l["state"] == "up" for l in d["links"]) == 8 and all(l["crc"] is None and
    l["since"] is None and l["why"] is None for l in d["links"])'
for bad in '--confidence 0' '--confidence 100' '--confidence x' 'now'; do
    # shellcheck disable=SC2086
    check "link $bad: refused" status 2 torus link $bad
    check "link $bad: in one line" one_line
done
check 'plain links: ends' stop

# Golden ends that take every frame for good are not what RTL's are
B=$B/twin/crc
differs() {
    status 1 boardsim --dims 2x1 --threads 1 --sockets "$dir" --cycles 20000 --link reliable \
        --bit-errors 1e-3 &&
        says 'board . differs from its golden model: .* link'
}
check 'no CRC in the golden model: RTL ends differ' differs
finish
