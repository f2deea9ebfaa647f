#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every option of every command, in every way to use the command: it does something there, or it is
# refused with one line before anything is opened. A command's options are those of its help, so one
# that is in neither list of a mode below is found. TAP. CTL: another torusctl.
set -u
. tests/tap.sh
: "${B:=build}"
ctl=${CTL:-$B/bin/torusctl}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work" XDG_RUNTIME_DIR="$work"

# Files that options take.
echo 1234 > "$work/secret"
chmod 600 "$work/secret"
echo 'c0ffee left' > "$work/names"
printf '{"links": [{"counter": "crc", "above": 0, "per": "total"}]}\n' > "$work/rules"
printf '{"sizes": [1, 1], "boards": [{"serial": "00000000c0ffee00", "at": [0, 0], "cables": [null, null, null, null]}], "faults": []}\n' \
    > "$work/torus"
"$ctl" program --print > "$work/table"

value() { # OPTION: what it is given
    case $1 in
    format) echo =json ;;
    transport) echo "=unix:$work/nothing" ;;
    baud) echo =9600 ;;
    key) echo =abc ;;
    key-file) echo "=$work/secret" ;;
    names) echo "=$work/names" ;;
    keep | diff) echo "=$work/torus" ;;
    svg | plot) echo "=$work/picture" ;;
    thresholds) echo "=$work/rules" ;;
    at | root) echo =0,0 ;;
    path) echo =x+ ;;
    routing) echo =abr ;;
    tie) echo =plus ;;
    pattern) echo =uniform ;;
    load) echo =0.2 ;;
    length) echo =8 ;;
    confidence) echo =90 ;;
    dimensions) echo =3 ;;
    timeout | retry | watch | time | wait) echo =5 ;;
    record) echo "=$work/record" ;;
    cable) echo =flat ;;
    session | window | count | delta | threshold | warmup | cycles | message | seed | end) echo =3 ;;
    repetitions | rings | words | argument) echo =3 ;;
    class) echo =deroute ;;
    max-size) echo =8 ;;
    tcp) echo =0 ;;
    chip) echo =FT1A ;;
    esac # the others have none
}

options_of_help() {
    "$ctl" "$1" --help | sed 's/^ *-., \(--\)/\1/; /^ *--/!d; s/^ *--\([a-z-]*\).*/\1/' |
        grep -v -x -e help -e usage -e version | sort -u
}

# A board is asked, or would be: there is none here.
opens() { # ARGUMENTS...
    timeout 60 "$ctl" "$@" > "$work/out" 2> "$work/err" < /dev/null
    [ $? = 2 ] && [ "$(wc -l < "$work/err")" = 1 ] && grep -q 'No such file' "$work/err"
}
prints() {
    timeout 60 "$ctl" "$@" > "$work/out" 2> "$work/err" < /dev/null && [ ! -s "$work/err" ]
}
# OPTION ARGUMENTS...: refused by name.
refuses() {
    named=$1
    shift
    timeout 60 "$ctl" "$@" > "$work/out" 2> "$work/err" < /dev/null
    [ $? = 2 ] && [ ! -s "$work/out" ] && grep -q -e "$named" "$work/err" &&
        [ "$(grep -vc '^Try ' "$work/err")" = 1 ] && ! grep -q 'No such file' "$work/err"
}

# mode HOW 'ARGUMENTS' 'DO SOMETHING' 'REFUSED': HOW is opens or prints. What the arguments have is
# in neither list.
mode() {
    how=$1 line=$2 does=$3 refused=$4 bad=
    # shellcheck disable=SC2086
    set -- $line
    command=$1
    commands="$commands $command"
    for option in $does $refused; do
        echo "$option"
    done | sort > "$work/listed"
    options_of_help "$command" > "$work/has"
    for word in "$@"; do
        case $word in --*) word=${word%%=*}; echo "${word#--}" ;; -t) echo transport ;; esac
    done >> "$work/listed"
    sort "$work/listed" | uniq -d | sed 's/^/# twice: /'
    sort "$work/listed" | cmp -s - "$work/has" ||
        { bad=1; sort "$work/listed" | diff - "$work/has" | sed -n 's/^[<>]/# in one only: &/p'; }
    "$how" "$@" || { bad=1; echo "# $how not: $line"; }
    for option in $does; do
        "$how" "$@" "--$option$(value "$option")" && continue
        bad=1
        echo "# --$option is refused: $(cat "$work/err")"
    done
    for option in $refused; do
        refuses "--$option" "$@" "--$option$(value "$option")" && continue
        bad=1
        echo "# --$option is taken, or not named: $(head -n 1 "$work/err")"
    done
    [ -z "$bad" ]
    result $? "options: $line"
}

board="timeout debug retry session" # of whatever asks a board; the socket has no rate
writing="key key-file take-over"
stream="length warmup cycles"
t="-t unix:$work/nothing"
commands=

mode prints list format ''
mode opens "flash --board=ulx3s-85f $work/none" chip ''
mode opens "diff $work/none $work/none" 'format all thresholds' ''
discover_mode() {
    mode opens "discover $t" "$board window names format assign keep diff svg" "baud $writing"
}
discover_mode
mode opens "discover $t --assign" "$board window names format keep diff svg $writing" baud
mode opens "discover $t --diff=$work/torus" "$board window names format assign keep svg" \
    "baud $writing"
mode opens "link $t" "$board window names format all confidence" baud
mode opens "info $t" "$board names format" baud
routing='routing tie threshold delta'
mode opens "program $t" "$board window names format $writing $routing around resume abort" \
    'baud dimensions watch print'
mode opens "program $t $work/table" "$board window names format $writing around resume abort" \
    "print baud $routing dimensions watch"
for cut in resume abort; do
    other=$(echo abortresume | sed "s/$cut//")
    mode opens "program $t --$cut" "$board window names format $writing" \
        "baud $routing dimensions watch around print $other"
done
mode opens "program $t --around" "$board window names format $writing $routing watch print" \
    'baud dimensions resume abort'
mode opens "program $t --around --watch=5" "$board window names format $writing $routing" \
    'baud dimensions resume abort print'
mode opens "program $t --around --print" "$board window names $routing" \
    "baud dimensions resume abort watch format $writing"
mode prints 'program --print' "$routing dimensions" \
    "transport baud $board window names format $writing around watch resume abort"
mode prints "program --print $work/table" '' \
    "transport baud $board window names format $writing $routing dimensions around watch resume abort"
refused_delta() { refuses --delta program $t --routing=abr --delta=1; }
check 'program: Delta of a routing that has none' refused_delta
many="pattern load gamma $stream message"
mode opens "run $t" "$board window names format $writing $many seed" baud
mode opens "run $t --pattern=tornado,uniform" \
    "$board window names format $writing load gamma $stream message seed" baud
mode opens "run $t --pattern=tornado" "$board window names format $writing load gamma $stream message" \
    'baud seed'
mode opens "bench $t" "$board window names format $writing $many seed plot routing" \
    'baud tie threshold histogram links'
mode opens "bench $t --routing=abr" "$board window names format $writing $many seed plot tie threshold" \
    'baud histogram links'
mode opens "bench $t --format=json" "$board window names $writing $many seed plot routing histogram links" \
    'baud tie threshold'
mode opens "bench $t --pattern=tornado" \
    "$board window names format $writing load gamma $stream message plot routing" \
    'baud tie threshold histogram links seed'
mode opens "counters $t" "$board window names format all at watch" 'baud count thresholds'
mode opens "counters $t --at=0,0" "$board window format all names" 'baud count thresholds watch'
mode opens "counters $t --watch=5" "$board window names format all count thresholds" 'baud at'
mode opens "snapshot $t --all" "$board window names format" baud
mode opens "time $t" "$board window names format" baud
mode opens "monitor $t" "$board window names watch count" baud
mode opens "ping $t" "$board format count at path all names" 'baud window'
mode opens "ping $t --at=0,0" "$board format count names" 'baud window path all'
mode opens "ping $t --names=$work/names --at=left" "$board format count window" 'baud path all'
mode opens "ping $t --path=x+" "$board format count names" 'baud window at all'
mode opens "ping $t --all" "$board format count names" 'baud window at path'
mode opens "trace $t 0,0 1,1" "$board window names format $writing $stream load" 'baud path'
mode opens "trace $t --path=x+" "$board names format" "baud window $writing $stream load"
mode opens "bandwidth $t 0,0 1,1" "$board window names format $writing $stream load" baud
mode opens "latency $t 0,0 1,1" "$board window names format $writing $stream load" \
    'baud all together'
mode opens "latency $t --all" "$board window names format $writing $stream load together" baud
mode opens "latency $t --all --together" "$board window names format $writing $stream load" baud
mode opens "bert $t 0,0 x+" "$board window names format $writing time confidence record" 'baud cable'
mode opens "bert $t 0,0 1,0 --record=$work/record" "$board window names format $writing time confidence cable" baud
mode opens "channel $t 0,0" "$board names format $writing" 'baud message abort close release'
mode opens "channel $t all --abort" "$board names $writing" 'baud format message close release'
mode opens "channel $t 0,0:1" "$board names format $writing abort close release" 'baud message'
mode opens "channel $t 0,0:1 1,0:2" "$board names format $writing" 'baud message abort close release'
mode opens "channel $t 0,0:1 1,0:2 $work/rules" "$board names format $writing message" 'baud abort close release'
mode opens "datagram $t 0,0" "$board names format $writing" 'baud message class end'
mode opens "datagram $t 0,0 1,0 $work/rules" "$board names format $writing message class end" baud
mode opens "collective $t all" "$board names format $writing root chain words stay clear" baud
mode opens "collective $t all --stay" "$board names format $writing root chain" 'baud words clear'
mode opens "collective $t 0,0 1,0 --clear" "$board names $writing" 'baud format root chain words stay'
mode opens "load $t $work/rules" "$board window names format $writing at" baud
mode opens "load $t $work/rules --at=0,0" "$board format names $writing" 'baud window'
mode opens "start $t" "$board window names format $writing at ring argument hold" baud
mode opens "start $t --at=0,0" "$board names format $writing ring argument hold" 'baud window'
mode opens "start $t --hold" "$board window names format $writing at" 'baud ring argument'
mode opens "console $t" "$board names format $writing at wait" baud
mode opens "b_eff $t" "$board window names format $writing max-size repetitions rings seed plot" baud
mode opens "b_eff $t --rings=0" "$board window names format $writing max-size repetitions plot" 'baud seed'
mode opens "osu $t bw 0,0 1,1" "$board window names format $writing max-size repetitions plot" baud
mode opens "osu $t allreduce" "$board window names format $writing max-size repetitions plot" baud
mode opens "osu $t barrier" "$board window names format $writing repetitions" 'baud max-size plot'
mode opens "reg $t" "$board format at" "baud window names $writing"
mode opens "reg $t --at=0,0 NODE.COORD" "$board format names" "baud window $writing"
mode opens "reg $t --names=$work/names --at=left NODE.COORD" "$board format window" "baud $writing"
mode opens "reg $t NODE.RING_WAIT=6" "$board format at $writing" 'baud window names'
mode opens "key $t set $work/secret" "$board $writing" baud
mode opens "key $t clear" "$board $writing" baud
mode opens "serve $t" 'timeout debug window tcp' baud
mode opens "stop $t" "$board window names $writing" baud

# Values that are not there, of every option that takes one; and lists, whose argument's name has a
# comma, with nothing beside one.
empty_values() {
    bad=
    for command in $commands; do
        "$ctl" "$command" --help | sed -n 's/^ *\(-., \)\{0,1\}--\([a-z-]*\)=\([^ ]*\).*/\2 \3/p' > "$work/takes"
        while read -r option argument; do
            set -- ''
            case $argument in *,*) set -- '' , "$(value "$option" | cut -c 2-)," ",x" "x,,x" ;; esac
            for given in "$@"; do
                refuses "$given" "$command" "--$option=$given" && continue
                bad=1
                echo "# $command --$option='$given': $(head -n 1 "$work/err")"
            done
        done < "$work/takes"
        looked=$((${looked:-0} + $(wc -l < "$work/takes")))
    done
    [ -z "$bad" ] && [ "$looked" -gt 200 ]
}
check 'no empty value, and no empty place in a list' empty_values
for command in program reg diff flash trace key; do
    check "no empty argument: $command" refuses "''" "$command" ''
done

# What has a rate.
for where in tty:$work/nothing /dev/nothing/at/all; do
    check "a rate of $where" opens ping -t "$where" --baud=9600
done
check 'no rate of a port' refuses --baud ping -t tcp:1 --baud=9600
check 'the key once' refuses 'either --key or --key-file' run $t --key=1 --key-file="$work/secret"
[ "$("$ctl" --help | sed -n '/^Commands:/,/^`/s/^  \([a-z_]*\) .*/\1/p' | sort)" = \
    "$(printf '%s\n' $commands | sort -u)" ]
result $? 'every command is here'

# In a shell of its own: its results are not ours.
twin() {
    (ctl=$B/twin/idle/torusctl && discover_mode > "$work/twin")
    grep -q '^not ok' "$work/twin" && grep -q '^# --take-over is taken' "$work/twin"
}
check 'twin: one that takes options that do nothing is found' twin
finish
