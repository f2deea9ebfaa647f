#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The user's core wired wrongly into a copy of the node: node_user finds it, by the line named. TAP.
# ONLY=n: twin n alone.
# Usage: user_twins.sh DIR MESSAGES VERILATE SOURCES OBJECTS
set -u
. tests/tap.sh
work=$1 messages=$2 verilate=$3 all=$4 objects=$5
shown=$work/log
mkdir -p "$work"
n=0

# twin DESCRIPTION FAILS SED, of rtl/board/ofr_node.v; FAILS: what node_user says is not so
twin()
{
    n=$((n + 1))
    [ "${ONLY:-$n}" = $n ] || return 0
    sed "$3" rtl/board/ofr_node.v > "$work/ofr_node.v"
    if cmp -s "$work/ofr_node.v" rtl/board/ofr_node.v; then
        result 1 "$1: nothing to break"
        return
    fi
    sources=$(echo "$all" | sed "s|rtl/board/ofr_node.v|$work/ofr_node.v|")
    sh -c "$verilate -Wno-fatal --Mdir $work/v$n -o $PWD/$work/test$n $sources $objects" > "$work/log" 2>&1 ||
        { result 1 "$1: builds"; return; }
    timeout 100 "$work/test$n" "$messages" > "$work/log" 2>&1
    [ $? = 1 ] && grep -q "^not ok [0-9]* - $2" "$work/log"
    result $? "$1: node_user finds it"
}

reach='g_user.user.serve \&\& g_user.user.write_q'
twin "a program's store reaches the board's registers" 'wild stores' \
    "s/assign reg_we   = reg_we_q;/assign reg_we = reg_we_q || $reach;/
     s/assign reg_adr  = reg_adr_q;/assign reg_adr = $reach ? {g_user.user.adr_q[11:2], 2'b0} : reg_adr_q;/
     s/assign reg_wdat = reg_wdat_q;/assign reg_wdat = $reach ? g_user.user.mem_wdata : reg_wdat_q;/"
twin "the board's accesses wait while a program runs" 'no access takes more' \
    's/wire logic   reg_early = /&!g_user.user.run_q \&\& /'
twin "what the board reads is not the core's" 'held after a reset' \
    's/\.reg_rdat(user_rdat), \.reg_err(user_err)/.reg_rdat(), .reg_err(user_err)/;s/^    if (USER != 0) begin : g_user/&\n        assign user_rdat = 32'"'"'d1;/'
twin "its ends are the pins'" 'messages to the own node' \
    's/c_tvalid.USER-1:0. = u_tvalid;//'
twin 'its ends are crossed' 'messages to the own node' \
    's/d_tready.USER-1:0. = u_tready;/d_tready[USER-1:0] = {u_tready[0 +: USER-1], u_tready[USER-1]};/'
finish
