#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Boards by name, coordinates that stay, what has changed, and traffic stopped from outside, against
# golden boards. TAP.
. tests/boards.sh

quiet_torus() { # only its standard output in $dir/out
    timeout 600 "$B/bin/torusctl" --timeout 120 -t "unix:$dir/board0.sock" "$@" \
        > "$dir/out" 2> "$dir/err"
}

# edit PYTHON: of the file of the torus, `d`; `board(x, y)` is the one there. Into $dir/edited.json
edit() {
    python3 - "$dir/torus.json" "$dir/edited.json" "$1" << 'PY'
import json, sys
with open(sys.argv[1]) as f:
    d = json.load(f)
board = lambda x, y: next(b for b in d["boards"] if b["at"] == [x, y])
exec(sys.argv[3])
with open(sys.argv[2], "w") as f:
    json.dump(d, f)
PY
}

start --dims 4x3 --boards golden
check 'discover' quiet_torus discover --format json --assign
cp "$dir/out" "$dir/torus.json"
check 'program' torus program --routing por

# --- Names ----------------------------------------------------------------------------------------
serial() { # X Y
    python3 -c 'import json, sys
print(next(b["serial"] for b in json.load(open(sys.argv[1]))["boards"]
           if b["at"] == [int(sys.argv[2]), int(sys.argv[3])]))' "$dir/torus.json" "$1" "$2"
}
{
    echo '# our rack'
    echo "$(serial 1 2)  left"
    printf '0x%s "rack 2, top" # the old one\r\n\n' "$(serial 3 0)"
    echo 'deadbeef elsewhere'
} > "$dir/names"
check 'names: ping' quiet_torus --names "$dir/names" ping --at left --format json
check 'names: it is there' json 'd["boards"][0]["at"] == [1, 2] and d["boards"][0]["name"] == "left"'
check 'names: ping all shows them' torus --names "$dir/names" ping --all
check 'names: in the text' says '1,2.*left$'
check 'names: with blanks' says '3,0.*rack 2, top$'
check 'names: discover' torus --names "$dir/names" discover
check 'names: shows them, too' says '(3,0).*rack 2, top$'
check 'names: bandwidth' quiet_torus --names "$dir/names" bandwidth 'rack 2, top' left --format json
check 'names: from there to there' json 'd["streams"][0]["from"] == [3, 0] and
    d["streams"][0]["to"] == [1, 2]'
check 'names: latency' quiet_torus --names "$dir/names" latency 0,0 left --format csv
check 'names: to there' says '^"0,0","1,2"'
check 'names: trace' quiet_torus --names "$dir/names" trace left 'rack 2, top' --format json
check 'names: along links from there' json 'd["from"] == [1, 2] and d["to"] == [3, 0]'
check 'names: reg' quiet_torus --names "$dir/names" reg --at left NODE.COORD --format csv
check 'names: of it' says 'NODE.COORD.Y,0x014,11:8,2,'
check 'names: counters' quiet_torus --names "$dir/names" counters --at left --format json
check 'names: of it' json '[b["at"] for b in d["boards"]] == [[1, 2]]'
check 'names: of no board here' status 2 torus --names "$dir/names" ping --at elsewhere
check 'names: says so' says 'board 00000000deadbeef "elsewhere" is not in this torus$'
check 'names: in one line' one_line
check 'names: unknown' status 2 torus --names "$dir/names" ping --at right
check 'names: says what a place is' says "place 'right': write X,Y or X,Y,Z.* or a name of the file"
check 'names: without the file' status 2 torus ping --at left
check 'names: says what a place is, without' says "'left': write X,Y or X,Y,Z, each from 0 to 15$"
# Everywhere else: behind each place in text, besides in JSON and CSV.
named() {
    quiet_torus --names "$dir/names" "$@"
}
check 'names: counters of all' named counters
check 'names: in each row' says '^(1,2) "left"  *delivered '
check 'names: those that have none as before' says '^(0,0)  *delivered '
check 'names: counters, JSON' named counters --format json
check 'names: places stay, names besides' json '
    sorted(b["name"] for b in d["boards"] if b["name"]) == ["left", "rack 2, top"] and
    all(b["at"] == [1, 2] for b in d["boards"] if b["name"] == "left")'
cp "$dir/out" "$dir/named.json"
check 'names: counters, CSV' named counters --format csv
check 'names: a column more' says '^at,counter,value,name$'
check 'names: in it' says '^"3,0",delivered,[0-9]*,"rack 2, top"$'
torus run --load 0.1
quiet_torus counters --format json
cp "$dir/out" "$dir/later.json"
check 'names: of a file of counters' "$B/bin/torusctl" diff "$dir/named.json" "$dir/later.json"
"$B/bin/torusctl" diff "$dir/named.json" "$dir/later.json" > "$dir/out"
check 'names: diff shows them' says '^ *(1,2) "left"  *injected '
printf '{"links": [{"counter": "adaptive.flits", "above": 1, "per": "total"}]}\n' > "$dir/rules"
"$B/bin/torusctl" diff --thresholds "$dir/rules" "$dir/named.json" "$dir/later.json" > "$dir/out" 2>&1
check 'names: a bad link' says '^torusctl: bad link: [xy][+-] of (1,2) "left": '
check 'names: trace, text' named trace left 0,0
check 'names: from left' says '^ *(1,2) "left"  '
check 'names: trace, CSV' named trace left 'rack 2, top' --format csv
check 'names: its columns' says '^at,port,to,packets,share,name,to_name$'
check 'names: trace of a path' named trace --path x+
check 'names: latency, text' named latency left 0,0
check 'names: both ways' says '^ *(0,0)  *(1,2) "left"  '
check 'names: latency, JSON' named latency left 0,0 --format json
check 'names: besides' json '[(p["from_name"], p["to_name"]) for p in d["pairs"]] ==
    [("left", None), (None, "left")]'
check 'names: latency of all' named latency --all --together --cycles 100
check 'names: its head' says ' rack 2, top .* left '
check 'names: link' named link
check 'names: both ends' says '^.* x+ .*[0-9a-f]\{16\}.* "left"'
check 'names: link, JSON' named link --format json
check 'names: four ends of it, four at it' json '
    [sum(l[key] == "left" for l in d["links"]) for key in ("name", "peer_name")] == [4, 4]'
check 'names: time' named time --format json
check 'names: in its rows' json '[c["at"] for c in d["clocks"] if c["name"] == "left"] == [[1, 2]]'
check 'names: snapshot' named snapshot --all --format json
check 'names: in its clocks' json '
    [c["at"] for c in d["clocks"]["boards"] if c["name"] == "left"] == [[1, 2]]'
check 'names: bench' named bench --load 0.1 --format json --links
check 'names: of links' json 'any(l["name"] == "left" for l in d["runs"][0]["links"])'
check 'names: an error' status 2 torus --names "$dir/names" latency left left
check 'names: in the text of it' says '^torusctl: a stream from (1,2) "left" to itself$'

# In a file of destinations.
destinations() { # FROM TO MODE
    "$B/bin/torusctl" program --print --delta 1 | sed '$d'
    printf ', "destinations": [{"from": %s, "to": %s, "mode": "%s"}]}\n' "$1" "$2" "$3"
}
destinations '"left"' '"rack 2, top"' escape > "$dir/pins"
check 'names: destinations' torus --names "$dir/names" program "$dir/pins"
check 'names: are on' says 'destination table on at'
pins() { # of the board at 1,2, to that at 3,0
    quiet_torus trace 1,2 3,0 --format json
}
check 'names: packets go from there to there' pins
cp "$dir/out" "$dir/by_name"
destinations '[1, 2]' '[3, 0]' escape > "$dir/pins"
torus program "$dir/pins"
pins
check 'names: as by coordinates' cmp "$dir/by_name" "$dir/out"
destinations '"left"' '"nobody"' escape > "$dir/pins"
check 'names: destinations, unknown' status 2 torus --names "$dir/names" program "$dir/pins"
check 'names: where, and what' \
    says 'pins: line [0-9]*, column .*destinations.0..to: no board of the file of --names is called "nobody"'
check 'names: in one line' one_line
destinations '"elsewhere"' '[0, 0]' escape > "$dir/pins"
check 'names: destinations, not here' status 2 torus --names "$dir/names" program "$dir/pins"
check 'names: where, and who' \
    says 'line .*destinations.0..from: board 00000000deadbeef "elsewhere" is not in this torus$'
check 'names: in one line' one_line
destinations '"left"' '"left"' escape > "$dir/pins"
check 'names: destinations, to itself' status 2 torus --names "$dir/names" program "$dir/pins"
check 'names: where' says 'pins: line [0-9]*, column .*destinations.0.'
check 'names: destinations, without the file' status 2 torus program "$dir/pins"
check 'names: says so' says 'destinations.0..from: 2 coordinates from 0 to 15, or with --names a name$'
check 'names: in one line' one_line
check 'names: programmed as before' torus program --routing por
check 'names: no file' status 2 torus --names "$dir/none" ping
check 'names: says so' says 'none: No such file'
check 'names: a folder' status 2 torus --names "$dir" ping
check 'names: in one line' one_line
bad_names() { # TEXT WORDS: what is said of such a line 2
    printf 'c0ffee first\n%b\n' "$1" > "$dir/bad"
    check "names: $2" status 2 torus --names "$dir/bad" ping
    check "names: $2, with the line" says "bad: line 2: .*$2"
    check "names: $2, in one line" one_line
}
bad_names 'xyz name' 'serial number'
bad_names '12345678123456781 name' 'serial number'
bad_names 'c0ffee second' 'this board was named before'
bad_names '0C0FFEE second' 'this board was named before'
bad_names 'beef first' 'another board has this name'
bad_names 'beef 1,1' 'begins with one'
bad_names 'beef' 'begins with one'
bad_names 'beef two words' 'begins with one'
bad_names 'beef "open' 'begins with one'
bad_names 'beef abcdefghijklmnopqrstuvwxyzabcdefghijkl' 'up to 31 letters'
bad_names "$(printf '%0300d' 0)" 'longer than'

# --- What has changed -----------------------------------------------------------------------------
check 'diff: nothing' torus discover --diff "$dir/torus.json"
check 'diff: says so' says 'no change: 12 boards'
edit 'b = board(2, 1); b["serial"] = "1"'
check 'diff: a board replaced' status 1 quiet_torus discover --diff "$dir/edited.json" --format json
check 'diff: just that' json '[(c["change"], c["at"], c["before"]) for c in d["changes"]] ==
    [("replaced", [2, 1], "0000000000000001")] and d["changes"][0]["after"] == d["changes"][0]["serial"]'
check 'diff: as text' status 1 torus discover --diff "$dir/edited.json"
check 'diff: a row' says '^replaced  *(2,1)'
edit 'b = board(1, 2); b["serial"] = "1"'
check 'diff: a board replaced that has a name now' \
    status 1 quiet_torus discover --diff "$dir/edited.json" --names "$dir/names" --format json
check 'diff: just that, no cable' json '[(c["change"], c["at"]) for c in d["changes"]] == [("replaced", [1, 2])]'
edit 'a, b = board(0, 0), board(1, 0); a["serial"], b["serial"] = b["serial"], a["serial"]'
check 'diff: two boards exchanged' status 1 quiet_torus discover --diff "$dir/edited.json" --format json
check 'diff: both moved, no cable' json 'sorted(
    (c["change"], c["before"], c["after"]) for c in d["changes"]) ==
    [("moved", "(0,0)", "(1,0)"), ("moved", "(1,0)", "(0,0)")]'
edit '
a, b = board(3, 2), board(0, 2)
a["cables"][0] = None; b["cables"][1] = None'
check 'diff: a cable that was not there' status 1 quiet_torus discover --diff "$dir/edited.json" \
    --format json
check 'diff: once' json '[(c["change"], c["before"]) for c in d["changes"]] == [("cable", None)] and
    (d["changes"][0]["at"], d["changes"][0]["port"], d["changes"][0]["after"]) in
    [([3, 2], "x+", "x- of (0,2)"), ([0, 2], "x-", "x+ of (3,2)")]'
edit '
d["boards"] = [b for b in d["boards"] if b["at"] != [1, 1]] + [dict(board(1, 1), serial="2", at=None)]
at = {b["serial"]: i for i, b in enumerate(d["boards"])}
for b in d["boards"]: b["cables"] = [None] * 4'
check 'diff: one gone, one new' status 1 quiet_torus discover --diff "$dir/edited.json" --format json
check 'diff: both said' json 'sorted(c["change"] for c in d["changes"] if c["change"] != "cable") ==
    ["gone", "new"]'
edit 'd["sizes"] = [3, 4]
for b in d["boards"]: b["at"] = [b["at"][1], b["at"][0]]'
check 'diff: other sizes' status 1 torus discover --diff "$dir/edited.json"
check 'diff: said' says 'a torus of 3x4 before, of 4x3 now'

# --- Coordinates that stay ------------------------------------------------------------------------
edit '
for b in d["boards"]: b["at"] = [(b["at"][0] + 1) % 4, (b["at"][1] + 2) % 3]
board(0, 0)["serial"] = "1"'
check 'keep: other coordinates than by serial number' quiet_torus discover --format json --assign \
    --keep "$dir/edited.json"
kept='all(b["at"] == [(o["at"][0] + 1) % 4, (o["at"][1] + 2) % 3]
    for b in d["boards"] for o in json.load(open(sys.argv[1][:-3] + "torus.json"))["boards"]
    if b["serial"] == o["serial"])'
check 'keep: all moved together' json "$kept"
check 'keep: the boards have them' torus program --routing ofr
check 'keep: and by address' quiet_torus ping --at 1,2 --format json
check 'keep: the one that was the origin' json "d['boards'][0]['serial'] == '$(serial 0 0)'"
check 'keep: discovered again, without the file' quiet_torus discover --format json
check 'keep: they stay' json "$kept"
edit 'a, b = board(0, 0), board(1, 0); a["serial"], b["serial"] = b["serial"], a["serial"]'
check 'keep: boards that were moved' status 1 torus discover --assign --keep "$dir/edited.json"
check 'keep: each is said' says "board $(serial 0 0) was at (1,0) and is at (0,0)"
check 'keep: and that nothing is written' says 'nothing is assigned$'
check 'keep: nothing is' quiet_torus ping --at 1,2 --format json
check 'keep: not even at one' json "d['boards'][0]['serial'] == '$(serial 0 0)'"
bad_file() { # EDIT WORDS
    edit "$1"
    for option in --keep --diff; do
        check "$option: $2" status 2 torus discover "$option" "$dir/edited.json"
        check "$option: $2: with line and column" says "edited.json: line [0-9]*, column .*$2"
        check "$option: $2: in one line" one_line
    done
}
bad_file 'd["sizes"] = None' 'sizes: 2 or 3 numbers'
bad_file 'd["sizes"] = [17, 4]' 'sizes.0.: from 1 to 16'
bad_file 'd["colour"] = 1' 'unknown key "colour"'
bad_file 'del d["boards"]' '"boards" is missing'
bad_file 'd["boards"] = []' 'boards: a list'
bad_file 'board(1, 1)["at"] = [4, 0]' 'at: no place in the torus'
bad_file 'board(1, 1)["serial"] = 5' 'an object, with "serial"'
bad_file 'board(1, 1)["serial"] = "5x"' 'an object, with "serial"'
bad_file 'board(1, 1)["serial"] = board(2, 1)["serial"]' 'it was there before'
bad_file 'board(1, 1)["cables"][2]["board"] = 99' 'cables.2.: null, or a board of the file'
bad_file 'board(1, 1)["cables"] = [None] * 7' 'cables: a list, of up to 6'
check 'keep: no file' status 2 torus discover --keep "$dir/none"
check 'keep: in one line' one_line

# --- Coordinates in messages: as many as the torus has dimensions -----------------------------------
for command in 'ping --at 9,1' 'reg --at 9,1 NODE.TIME' 'latency 0,0 9,1' 'trace 9,1 0,0'; do
    # shellcheck disable=SC2086
    check "two dimensions: $command" status 2 torus $command
    check "two dimensions: $command: two coordinates" says '(9,1) is outside'
done
check 'two dimensions: a pattern that does not exist' status 2 torus run --pattern bitreverse
check 'two dimensions: two sizes' says 'does not exist in 4x3: '

# --- Stopped from outside -------------------------------------------------------------------------
check 'stop: nothing runs' torus stop
check 'stop: says how many' says '^the generators of 12 boards are stopped$'
"$B/bin/torusctl" -t "unix:$dir/board5.sock" run --load 0.1 --cycles 20000000 > "$dir/run" 2>&1 &
running=$!
leased() {
    quiet_torus ping --format json && json 'd["boards"][0]["leased"]'
}
generates() {
    quiet_torus reg GEN.STATUS.RUNNING --format csv && grep -q ',1,0x1' "$dir/out"
}
check 'stop: somebody runs' wait_for 120 leased
check 'stop: is refused' status 2 torus stop
check 'stop: says whose it is' says 'has the write lease.*lab'
check 'stop: and how to' says 'calls itself lab; wait until it is free, or take it over with --take-over$'
check 'stop: in one line' one_line
others_token() {
    (export XDG_STATE_HOME="$dir/other"; torus "$@")
}
for key in '' '--key 5'; do
    # shellcheck disable=SC2086
    check "stop: not with another user's token $key" status 2 others_token stop --take-over $key
    check 'stop: says so' says 'calls itself lab; it is not one of yours to take over: wait until it is free$'
    check 'stop: in one line' one_line
done
check 'stop: taken over' torus stop --take-over
wait "$running"
check 'stop: the other one is told' [ $? = 2 ]
cp "$dir/run" "$dir/out"
check 'stop: what it is told' says 'the write lease .*is lost'
check 'stop: in one line' one_line

# killed: its generators go on, as nobody stops them.
"$B/bin/torusctl" -t "unix:$dir/board5.sock" run --load 0.1 --cycles 20000000 > "$dir/run" 2>&1 &
running=$!
check 'stop: somebody runs again' wait_for 120 leased
check 'stop: its generators do' wait_for 120 generates
kill -KILL "$running"
wait "$running" 2> /dev/null
check 'stop: killed, they still do' generates
check 'stop: after somebody who was killed' torus stop --take-over
check 'stop: silence' eval '! generates'
check 'stop: and a run as before' torus run --load 0.1
check 'ends' stop
finish
