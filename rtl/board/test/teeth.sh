#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each guard of the node's registers taken out of a copy of the model: test_node finds it. TAP.
set -u
. tests/tap.sh
B=${B:-build}
work=$B/node/teeth
shown=$work/log
mkdir -p "$work"

# twin DESCRIPTION SED, of sim/model/node.c
twin()
{
    sed "$2" sim/model/node.c > "$work/node.c"
    if cmp -s "$work/node.c" sim/model/node.c; then
        result 1 "$1: nothing to break"
        return
    fi
    gcc -std=c11 -O2 -Isim/model -Ifirmware -c -o "$work/node.o" "$work/node.c" &&
        g++ -o "$work/test_node" "$B/node/test_node.o" "$work/node.o" "$B/node/v/node_shim.o" \
            "$B"/node/v/verilated*.o "$B/node/v/Vofr_node__ALL.a" "$B/libofr.a" -lpthread \
            > "$work/log" 2>&1 || { result 1 "$1: builds"; return; }
    "$work/test_node" > "$work/log" 2>&1
    [ $? = 1 ] && grep -q 'in the RTL, .* in the model' "$work/log"
    result $? "$1: test_node finds it"
}

twin 'topology written while configured' 's/return !node->config.configured \&\& node->drained/return node->drained/'
twin 'topology written while not drained' 's/return !node->config.configured \&\& node->drained/return !node->config.configured/'
twin 'drained, a cycle late' 's/node->drained = out->drained/node->drained = ofr_router_out(node->router)->drained/;s/ofr_router_step(node->router, \&router, \&node->config);/&node->drained = ofr_router_out(node->router)->drained;/'
twin 'COORD outside SIZE' 's/value \& OFR_NODE_CONTROL_CONFIGURED_MASK \&\& !ofr_inside/false \&\& !ofr_inside/'
twin 'THRESHOLD of C or more' 's/OFR_NODE_ROUTING_THRESHOLD_BITS) >=$/OFR_NODE_ROUTING_THRESHOLD_BITS) >= 16 +/'
twin 'ESCAPE 3' 's/OFR_NODE_ROUTING_ESCAPE_NEVER)$/99)/'
twin 'SEED the same on all boards after a reset' 's/(uint32_t)(serial ^ serial >> 32)/1/'
twin 'registers of the links shown before their tick is over' 's/^    ofr_link_regs_step(\&node->links, in->link, in->link_up, in->link_tick);/&\n    for (unsigned i = 0; i < 4; i++) memcpy(node->links.port[i].shown, node->links.port[i].next, sizeof node->links.port[i].shown);/'
finish
