#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torusctl used wrongly: one clear line on stderr that names what was wrong, nothing on stdout,
# exit status 2, and never a hang.
set -u
. tests/wait.sh
. tests/tap.sh
: "${B:=build}"
ctl=$B/bin/torusctl
program=$ctl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
shown="$work/out $work/err"

nowhere=unix:$work/nothing
refuse discover
refuse 'where the board is' discover
refuse "'explode': say one of list, discover" explode -t "$nowhere"
refuse "register '=3': write NAME=VALUE" reg -t "$nowhere" =3
refuse "register 'NODE': a block has no value, say which" reg -t "$nowhere" NODE=3
refuse "place or port 'q': write .* or a port, as x+" bert -t "$nowhere" 0,0 q
refuse "place 'q': write X,Y" bert -t "$nowhere" q x+
for json in 'program' 'discover --diff' 'diff --thresholds'; do
    # shellcheck disable=SC2086
    refuse "file '$work/none': No such file or directory\$" $json "$work/none" \
        $([ "${json#diff}" = "$json" ] && echo "-t $nowhere" || echo /dev/null /dev/null)
done
refuse "$work/tty0: No such file or directory; is the board plugged in" ping -t "tty:$work/tty0"
refuse 'unix:PATH' ping -t carrier-pigeon
for empty in unix: tty: usb:; do
    refuse "$empty: say usb, usb:SERIAL, unix:PATH" ping -t $empty
done
refuse 'No such file' ping -t "$nowhere"
refuse 'No such file' discover -t "$nowhere"
refuse 'No such file' run -t "$nowhere"
refuse "'xml'" ping -t "$nowhere" --format xml
refuse "'soon'" ping -t "$nowhere" --timeout soon
refuse "'8'" ping -t "$nowhere" --window 8
refuse "'70000'" ping -t "$nowhere" --session 70000
refuse "'16'" program -t "$nowhere" --threshold 16
for stem in ./ "it's" "$(printf '%0297d' 0)"; do
    refuse 'must end with a name' bench -t "$nowhere" --plot "$stem"
done
refuse "'two'" ping -t "$nowhere" two
refuse 'one argument too many' bandwidth -t "$nowhere" 0,0 1,1 2,2
refuse 'too long' ping -t "unix:$(printf '%0200d' 0)"

refuse "'1.9'" ping -t "$nowhere" --session 1.9
refuse "' 9'" ping -t "$nowhere" --session ' 9'
refuse "'0x10'" ping -t "$nowhere" --session 0x10
refuse "'65536'" ping -t "$nowhere" --session 65536
refuse "'18446744073709551617'" run -t "$nowhere" --seed 18446744073709551617
refuse "'1e3'" run -t "$nowhere" --cycles 1e3
for key in 0 123456789012345678 0x12 -1 12g '' ' 12'; do
    refuse '16 hexadecimal digits' run -t "$nowhere" --key "$key"
done

# An option that does not apply to a command is refused, before it or after it.
refuse '--routing does not apply.*: program, bench$' run -t "$nowhere" --routing abr
refuse '--routing does not apply.*: program, bench$' --routing abr run -t "$nowhere"
refuse '--format does not apply' --format json monitor -t "$nowhere"
refuse '--watch does not apply' -w 1 info -t "$nowhere"
refuse '--transport does not apply' -t "$nowhere" diff a b
refuse 'with --watch' counters -t "$nowhere" --count 3
refuse 'with --routing' bench -t "$nowhere" --tie plus
refuse 'with --format json' bench -t "$nowhere" --links
refuse 'the one that was cut short' program -t "$nowhere" --resume --routing abr
refuse 'programs nothing' program --print --abort
refuse 'prints nothing' channel all --abort --format json
refuse 'prints nothing' collective all --clear --format csv
refuse 'that --print prints' program -t "$nowhere" --dimensions 3

# Help, manual page and completion are of the same commands and options. options_* COMMAND, sorted.
options_of_help() {
    "$ctl" $1 --help | sed 's/^ *-., \(--\)/\1/; s/^ *\(--[a-z-]*\).*/\1/; /^--[a-z]/!d' | sort -u
}
options_of_page() { # without --help, --usage
    sed 's/\\-/-/g' "${page:-$B/torusctl.1}" |
        awk -v want="$1" '/^\.S[SH] / { on = $1 == ".SS" && $2 == want } on' |
        grep -e '^.B .*--' -e '^Options described below' | sed 's/=.*//' |
        grep -o -e '--[a-z][a-z-]*' | sort -u
}
options_of_completion() {
    bash -c 'source "$1"; COMP_WORDS=(torusctl $2 --) COMP_CWORD=2
        _torusctl 2> /dev/null; printf "%s\n" "${COMPREPLY[@]}"' bash "$B/torusctl.bash" "$1" |
        sort -u
}
commands=$("$ctl" --help | sed -n '/^Commands:/,/^`/s/^  \([a-z_]*\) .*/\1/p')
check 'there are commands' [ "$(echo "$commands" | wc -w)" -ge 14 ]
same_options() {
    for command in $commands; do
        options_of_help "$command" > "$work/help"
        { options_of_page "$command"; printf '%s\n' --help --usage --version; } | sort > "$work/page"
        options_of_completion "$command" > "$work/completion"
        cmp -s "$work/help" "$work/page" && cmp -s "$work/help" "$work/completion" && continue
        echo "# $command:"
        diff "$work/help" "$work/page" | sed 's/^/# help, page: /'
        diff "$work/help" "$work/completion" | sed 's/^/# help, completion: /'
        return 1
    done
}
check 'help, page and completion name the same options' same_options
page=$work/twin.1
sed '/^\.B .*thresholds/d' "$B/torusctl.1" > "$page"
check 'twin: a page without one is found' eval '! same_options > /dev/null'
page=
completed=$(bash -c 'source "$1"; COMP_WORDS=(torusctl "") COMP_CWORD=1; _torusctl 2> /dev/null
    echo "${COMPREPLY[@]}"' bash "$B/torusctl.bash")
check 'and the same commands' [ "$completed" = "$(echo $commands)" ]
check 'the page has a section for each' [ "$(sed -n 's/^\.SS \([a-z_]*\).*/\1/p' "$B/torusctl.1" |
    tr '\n' ' ')" = "$(echo $commands) " ]
check 'with examples' [ "$(grep -c '^EXAMPLES$' "$B/torusctl.1")" = "$(echo "$commands" | wc -w)" ]
check 'groff takes the page' [ -z "$(groff -man -Tutf8 -ww "$B/torusctl.1" 2>&1 > /dev/null)" ]
check '--version' sh -c "'$ctl' --version | grep -q '^torusctl [0-9.]*$'"

# Names of traffic: the same as torussim's, where it has one; the old ones are taken, too.
patterns=$("$ctl" run --pattern nothing 2>&1 | sed 's/.*some of //; s/,//g')
in_torussim() {
    for pattern in $patterns; do
        "$B/bin/torussim" run --help | tr -d ',\n' | grep -q " $pattern " ||
            { echo "# $pattern: torussim run --help has it not"; return 1; }
    done
}
check 'patterns have names' [ "$(echo "$patterns" | wc -w)" = 8 ]
check 'the same in torussim' in_torussim
refuse 'No such file' run -t "$nowhere" --pattern transpose,rotate3d,transposition3d

# Each option with each command that has not got it: refused, and the commands that have it are named.
all_elsewhere() {
    for command in $commands; do
        options_of_help "$command" > "$work/has.$command"
    done
    sort -u "$work"/has.* > "$work/all"
    for command in $commands; do
        for option in $(comm -13 "$work/has.$command" "$work/all"); do
            "$ctl" "$command" -t "$nowhere" "$option" 1 > "$work/out" 2> "$work/err"
            status=$?
            [ $status = 2 ] && [ ! -s "$work/out" ] && [ "$(wc -l < "$work/err")" = 1 ] &&
                grep -q -e 'does not apply' "$work/err" && continue
            echo "# $command $option: status $status"
            sed 's/^/# /' "$work/err"
            return 1
        done
    done
}
check 'every option is refused by every command that it is not of' all_elsewhere

# Output that cannot be written.
if [ -c /dev/full ]; then
    full() { # ARGUMENTS...: status 2, one line
        "$ctl" "$@" > /dev/full 2> "$work/err"
        status=$?
        [ $status = 2 ] && [ "$(wc -l < "$work/err")" = 1 ] &&
            grep -q 'standard output: No space left' "$work/err" && return 0
        echo "# $*: status $status"
        sed 's/^/# /' "$work/err"
        return 1
    }
    check 'no room: program --print' full program --print
    check 'no room: --help' full --help
    check 'no room: --version' full --version
    closed() {
        "$ctl" program --print >&- 2> "$work/err"
        [ $? = 2 ] && [ "$(wc -l < "$work/err")" = 1 ]
    }
    check 'a closed output is an error, too' closed
fi

# Tables from files: what is wrong is said with the file, before anything is opened.
good=$work/good.json
"$ctl" program --print > "$good" && cmp -s "$good" host/torusctl/ofr-2d.json &&
    "$ctl" program --print "$good" | cmp -s - "$good" &&
    "$ctl" program --print --routing por --dimensions 3 > "$work/por.json" &&
    "$ctl" program --print "$work/por.json" | cmp -s - "$work/por.json"
result $? '--print prints the example, and a file that reads back the same'

refuse_file() # word that the line must contain, sed script that spoils the good file
{
    sed "$2" "$good" > "$work/bad.json"
    if cmp -s "$good" "$work/bad.json"; then echo "# $2 changed nothing"; failed=1; fi
    refuse "bad.json: .*$1" program "$work/bad.json" -t "$nowhere"
    if ! grep -q 'bad.json: line [0-9]*, column [0-9]*: ' "$work/err"; then
        echo '# without line and column'
        failed=1
    fi
}
refuse 'none.json' program "$work/none.json" -t "$nowhere"
refuse 'a folder' program "$work" -t "$nowhere"
refuse_file 'line 3, column' '3s/,/;/'
refuse_file 'line 7, column' '7,$d'
refuse_file 'line 5.*duplicate' '5s/.*/"class": "minimal",/'
refuse_file 'file: unknown key "colour"' 's/"delta"/"colour"/'
refuse_file 'file: "delta" is missing' '/"delta"/d'
refuse_file 'dimensions: a whole number from 2 to 3' 's/"dimensions": 2/"dimensions": 4/'
refuse_file 'table\[0\].lambda\[0\]: a list of 3' 's/"dimensions": 2/"dimensions": 3/'
refuse_file 'class: one of "inorder"' 's/"deroute"/"sideways"/'
refuse_file 'select: one of "most-free"' 's/"most-free"/1/'
refuse_file 'tie: one of "plus", "both"' 's/"both"/"none"/'
refuse_file 'threshold (or "half")' 's/"half"/16/'
refuse_file 'threshold (or "half")' 's/"half"/"full"/'
refuse_file 'delta: a whole number' 's/"delta": 2/"delta": 2.5/'
refuse_file 'delta: a whole number' 's/"delta": 2/"delta": -1/'
refuse_file 'eta: a multiple' 's/"eta": 2/"eta": 2.01/'
refuse_file 'eta: a multiple' 's/"eta": 2/"eta": 16/'
refuse_file 'rules\[1\]' 's/"a", "b"/"a", "c"/'
refuse_file 'widn\[0\]: a whole number from 1 to 3' 's/"widn": \[1/"widn": [0/'
refuse_file 'widn\[2\]: a whole number from 1 to 3' 's/, 3\]/, 4]/'
refuse_file 'oidn: true or false' 's/"oidn": true/"oidn": 1/'
refuse_file 'line 13, column 34: table\[0\].lambda\[0\]\[1\]: unknown' '13s/\[1, -1\]/[1, 2]/'
refuse_file 'unknown lambda' 's/\[1, -1\]/[1, "1"]/'
refuse_file 'lambda\[0\]: a list of 2' 's/\[1, -1\]/[1]/'
refuse_file 'at most 8 vectors' 's/\[1, -1\]/[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1]/'
refuse_file '"x" was there before' 's/"equal": "y"/"equal": "x"/'
refuse_file 'equal: "z"' 's/"equal": "y"/"equal": "z"/'
refuse_file 'table: a list of sets' '12,$c\
"table": 7}'

# Destinations.
sed '$d' "$good" > "$work/open.json"
cat >> "$work/open.json" << 'END'
,  "destinations": [
    {"from": [0, 1], "to": [2, 1], "mode": "idn", "via": [0, 2]},
    {"from": "all", "to": [3, 3], "mode": "escape"},
    {"from": [1, 0], "to": [2, 3], "mode": "free"},
    {"from": [1, 1], "to": [2, 3], "mode": "minimal"},
    {"from": [1, 2], "to": [2, 3], "mode": "unreachable"}
  ]
}
END
"$ctl" program --print "$work/open.json" > "$work/with.json" &&
    "$ctl" program --print "$work/with.json" | cmp -s - "$work/with.json" &&
    grep -q '"from": \[0, 1\], "to": \[2, 1\], "mode": "idn", "via": \[0, 2\]' "$work/with.json" &&
    [ "$(grep -c '"from"' "$work/with.json")" -eq 5 ]
result $? '--print prints destinations, and reads them back'
good=$work/with.json
refuse_file 'file: unknown key "destination"' 's/"destinations"/"destination"/'
refuse_file 'destinations: a list' '/"destinations"/,$c\
"destinations": 3}'
refuse_file 'destinations\[1\]: unknown key "form"' 's/"from": "all"/"form": "all"/'
refuse_file 'destinations\[2\]: "mode" is missing' 's/, "mode": "free"//'
refuse_file 'destinations\[2\].mode: one of "free", "minimal"' 's/"mode": "free"/"mode": "fast"/'
refuse_file 'destinations\[2\].from: 2 coordinates' 's/"from": \[1, 0\]/"from": "some"/'
refuse_file 'destinations\[2\].from: 2 coordinates' 's/"from": \[1, 0\]/"from": [1, 0, 0]/'
refuse_file 'destinations\[0\].to: 2 coordinates' 's/"to": \[2, 1\]/"to": [2, 16]/'
refuse_file 'destinations\[0\].to: 2 coordinates' 's/"to": \[2, 1\]/"to": "all"/'
refuse_file 'destinations\[0\].via: 2 coordinates' 's/"via": \[0, 2\]/"via": [0, -1]/'
refuse_file 'destinations\[0\]: "via" is missing' 's/, "via": \[0, 2\]//'
refuse_file 'destinations\[1\]: "via" without mode' 's/"escape"/"escape", "via": [0, 0]/'
refuse_file 'destinations\[3\]: the same from and to' 's/"from": \[1, 1\]/"from": [1, 0]/'
refuse_file 'destinations\[2\]: the same from and to' 's/"to": \[2, 3\], "mode": "free"/"to": [3, 3], "mode": "free"/'
refuse_file 'destinations\[2\]: from and to are the same' 's/"from": \[1, 0\]/"from": [2, 3]/'
refuse 'says all about the routing' program "$good" --routing abr -t "$nowhere"
refuse 'one argument too many' program "$good" "$good" -t "$nowhere"
refuse 'one argument too many' info "$good" -t "$nowhere"

# A dead UART: somebody listens but never answers.
if command -v python3 > /dev/null; then
    python3 - "$work/dead" << 'PY' &
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1] + ".new")
s.listen(9)
os.rename(sys.argv[1] + ".new", sys.argv[1]) # there only now, when a host can connect
kept = []
s.settimeout(600)
try:
    while True:
        kept.append(s.accept())
except OSError:
    pass
PY
    dead=$!
    wait_for 120 [ -S "$work/dead" ]
    for command in ping discover info program run counters; do
        refuse 'no answer' "$command" -t "unix:$work/dead" --timeout 0.5
    done
    refuse "'sideways'" program -t "unix:$work/dead" --routing sideways
    refuse "'maybe'" program -t "unix:$work/dead" --tie maybe
    refuse 'either' program -t "unix:$work/dead" --resume --abort
    refuse "'zigzag': say all, or some of uniform, butterfly, transposition, .*neighbour$" \
        run -t "unix:$work/dead" --pattern uniform,zigzag
    refuse "'-1'" run -t "unix:$work/dead" --load=-1
    refuse "'9'" counters -t "unix:$work/dead" --at 9
    refuse "'x+,q-'" ping -t "unix:$work/dead" --path x+,q-
    refuse "'x+,'" trace -t "unix:$work/dead" --path x+,
    refuse 'two places' bandwidth -t "unix:$work/dead"
    refuse 'two places' latency -t "unix:$work/dead" 1,1
    refuse "'1;1'" trace -t "unix:$work/dead" '1;1' 0,0
    refuse 'either two places' latency -t "unix:$work/dead" --all 0,0
    refuse "load '0.1,0.2'" latency -t "unix:$work/dead" --load 0.1,0.2 0,0 1,1
    refuse 'one of --at' ping -t "unix:$work/dead" --at 0,0 --path x+
    kill $dead

    # Firmware of another version: says so, in a frame of its own version, as protocol.h has it.
    # Where that frame is damaged it is none.
    python3 - "$work/newer" "$work/noise" << 'PY' &
import os, socket, struct, sys, threading, zlib
def serve(path, damage):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path + ".new")
    listener.listen(9)
    os.rename(path + ".new", path)
    listener.settimeout(600)
    try:
        while True:
            host = listener.accept()[0]
            host.settimeout(600)
            while len(frame := host.recv(32, socket.MSG_WAITALL)) == 32:
                word = list(struct.unpack("<7I", frame[:28]))
                word[0] = word[0] & ~0xf000 | 6 << 12
                word[1] = word[1] & ~0xff00 | 14 << 8 | 0x80
                body = struct.pack("<7I", *word)
                host.sendall(body + struct.pack("<I", zlib.crc32(body) ^ damage))
    except OSError:
        pass
for path, damage in (sys.argv[1], 0), (sys.argv[2], 1):
    threading.Thread(target=serve, args=(path, damage)).start()
PY
    newer=$!
    wait_for 120 [ -S "$work/newer" ]
    wait_for 120 [ -S "$work/noise" ]
    for command in ping discover info program run counters 'snapshot --all'; do
        # shellcheck disable=SC2086
        refuse 'version 6 of the protocol, this program version 5' -t "unix:$work/newer" $command
    done
    refuse 'no answer' -t "unix:$work/noise" --timeout 0.5 ping
    kill $newer
else
    skip 'dead UART' 'no python3'
fi
finish
