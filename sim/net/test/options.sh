#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every option with every routing: it is in the key of the record, or refused in a line with what it goes
# with, and nothing is written. For tests that source torussim.sh.

# every_option ROUTINGS SMALL WORDS: of each "NAME VALUE" of stdin; prints what is not so. SMALL: a command
# that prints the other options for a routing. WORDS: what a line that refuses it says, NAME in it for its
# name.
every_option() {
    while read -r name value; do
        for routing in $1; do
            small=$($2 "$routing" | sed "s/--$name [^ ]*//")
            words=$(echo "$3" | sed "s/NAME/$name/g")
            rm -f "$work/point"
            # shellcheck disable=SC2086
            "$sim" sweep $small --routing $routing --load 0.1 --$name $value --out "$work/point" \
                > "$work/out" 2> "$work/err"
            case $? in
            0) grep -q "\"key\":\"[^\"]* $name=" "$work/point" || echo "$name, $routing: ignored" ;;
            2) grep -q -E -e "$words" "$work/err" && [ "$(wc -l < "$work/err")" = 1 ] &&
                [ ! -e "$work/point" ] || echo "$name, $routing: $(cat "$work/err")" ;;
            *) echo "$name, $routing: status" ;;
            esac
        done
    done
}

# Those of the flit engine on a torus, with values that are not the defaults.
flit_options() {
    cat << 'EOF'
switching store-and-forward
duplex full
message-words 4
long-words 4
long-share 0.1
buffer-words 2
buffer-packets 2
flow next-cycle
lanes 1
unrestricted-vcs 2
node-latency 2
link-latency 2
service output
selection random
fixed-order unrestricted
escape empty
output-reuse with-head
multiqueue 3
precedence none
queue-after 3
class oblivious
in-order 0.5
rule-4 full
deroute-after 3
deroute-probability 0.1
deroute-injected yes
self sends
EOF
}
