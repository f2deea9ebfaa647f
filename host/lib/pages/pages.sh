#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libtorus' manual pages, a page a group of functions, out of libtorus.h: pages.sh FOLDER writes
# them there, and for each other function of a page a link to it; pages.sh lists the files. Each has the
# program beside this file as its example.
set -eu
here=$(dirname "$0")

awk_page() {
    awk "$@" -f "$here/pages.awk" "$here/../libtorus.h"
}

while IFS='|' read -r page title groups; do
    for f in $(awk_page -v names_only=1 -v groups="$groups"); do
        if [ $# = 0 ]; then
            echo "$f.3"
        elif [ "$f" = "$page" ]; then
            awk_page -v page="$page" -v title="$title" -v groups="$groups" \
                -v example="$here/$page.c" > "$1/$page.3"
        else
            echo ".so man3/$page.3" > "$1/$f.3"
        fi
    done
done << GROUPS
torus_open|connections to a board, their options, errors|Version and errors|Byte streams|Handle
torus_discover|boards, cables, names and single registers|Boards
torus_links|links: state, counters, a bound of their error rate, bit error tests|Links
torus_channel_open|streams between ends of boards|Channels
torus_group_open|messages and collectives|Messages and collectives
torus_tree_open|collectives in hardware|Collectives in hardware
torus_user_load|users' programs on boards|A user's programs
torus_datagram_send|single packets between boards|Datagrams
torus_program|routings and their tables|Programming
torus_lease|who may write: the lease and the key|The write lease
torus_run|traffic, clocks and counters measured|Measuring
GROUPS
