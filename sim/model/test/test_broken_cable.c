// SPDX-License-Identifier: Apache-2.0
// A 4x4 torus of golden nodes with one dead cable, its destination tables as around.h makes them
// (held against an independent walk in test_around.c): every pair delivers, in every class, alone
// and at overload, user packets and management; and with the tables off the pairs whose dimension
// order crosses the cable do not.
#include "around.h"
#include "node.h"
#include "packet.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum { K = 4, NODES = K * K, PORTS = 4, FLITS = 16, PACKETS = 3 };

static const struct ofr_torus TORUS = {.n = 2, .k = {K, K}};

struct net {
    struct ofr_node node[NODES];
    void *memory[NODES];
    unsigned dead_node, dead_port; // one end of the dead cable; dead_port PORTS: none
    // What the local ports deliver
    unsigned index[NODES];
    uint64_t header[NODES];
    uint32_t last_seq[NODES][NODES]; // source, destination: SEQ + 1
    bool ordered[NODES][NODES];      // ... must go up
};

static unsigned neighbour(unsigned n, unsigned port)
{
    struct ofr_coord at = ofr_neighbour(&TORUS, ofr_node_coord(&TORUS, n), port);
    return ofr_node_id(&TORUS, &at);
}

static bool alive(const struct net *net, unsigned n, unsigned port)
{
    if (net->dead_port == PORTS)
        return true;
    bool here = n == net->dead_node && port == net->dead_port;
    bool there = neighbour(n, port) == net->dead_node && (port ^ 1) == net->dead_port;
    return !here && !there;
}

static void write_node(struct net *net, unsigned n, unsigned offset, uint32_t value)
{
    bool error = false;
    ofr_node_write(&net->node[n], offset, value, &error);
    assert_false(error);
}

static unsigned word(unsigned n)
{
    struct ofr_coord c = ofr_node_coord(&TORUS, n);
    return ofr_coord_word(&c, 2);
}

// Takes note of a delivered flit: SEQ of a pair in order goes up.
static void watch(struct net *net, unsigned n, const struct ofr_flit *lo)
{
    if (!lo->valid)
        return;
    if (net->index[n] < 4)
        net->header[n] |= lo->data << (16 * net->index[n]);
    net->index[n]++;
    if (!lo->last)
        return;
    struct ofr_header h = ofr_header_unpack(net->header[n]);
    struct ofr_coord from = {{h.source & 15, h.source >> 4 & 15}};
    unsigned s = ofr_node_id(&TORUS, &from);
    if (h.kind == OFR_PKT_KIND_GEN && net->ordered[s][n]) {
        assert_true(h.seq + 1U > net->last_seq[s][n]);
        net->last_seq[s][n] = h.seq + 1U;
    }
    net->index[n] = 0;
    net->header[n] = 0;
}

static void step(struct net *net)
{
    struct ofr_node_in in[NODES];
    memset(in, 0, sizeof in);
    for (unsigned n = 0; n < NODES; n++) {
        for (unsigned p = 0; p < PORTS; p++) {
            const struct ofr_router_out *from = ofr_node_out(&net->node[neighbour(n, p)]);
            if (!alive(net, n, p))
                continue;
            in[n].link_up[p] = true;
            in[n].tx_ready[p] = true;
            in[n].rx[p] = from->tx[p ^ 1];
            memcpy(in[n].tx_credit[p], from->rx_credit[p ^ 1], OFR_VCS);
        }
        watch(net, n, &ofr_node_out(&net->node[n])->lo);
    }
    for (unsigned n = 0; n < NODES; n++)
        ofr_node_step(&net->node[n], &in[n]);
}

static void net_new(struct net *net, unsigned dead_node, unsigned dead_port)
{
    static const struct ofr_shape shape = {
        .n = 2, .flit_bits = 16, .slots = 4, .unit_mul = 1, .slot_flits = FLITS};
    memset(net, 0, sizeof *net);
    net->dead_node = dead_node;
    net->dead_port = dead_port;
    for (unsigned n = 0; n < NODES; n++) {
        struct ofr_coord c = ofr_node_coord(&TORUS, n);
        net->memory[n] = malloc(ofr_node_size(&shape));
        assert_true(ofr_node_init(&net->node[n], &shape, n, net->memory[n]));
        write_node(net, n, OFR_NODE_SIZE, K | K << 8);
        write_node(net, n, OFR_NODE_COORD, c.c[0] | (unsigned)c.c[1] << 8);
        write_node(net, n, OFR_NODE_SEED, 77 * n + 1);
        write_node(net, n, OFR_NODE_WATCHDOG, 12);
        write_node(net, n, OFR_NODE_CONTROL, 1);
        write_node(net, n, OFR_GEN_LENGTH, FLITS | PACKETS << 16);
        write_node(net, n, OFR_GEN_SEED, 12345 * n + 7);
    }
    for (unsigned i = 0; i < 300; i++) // checkers and tables clear themselves
        step(net);
}

static void net_free(struct net *net)
{
    for (unsigned n = 0; n < NODES; n++)
        free(net->memory[n]);
}

// ---- The tables ---------------------------------------------------------------------------------

// Dimension order from s to t does not cross the dead cable.
static bool escape_clean(const struct net *net, unsigned s, unsigned t)
{
    struct ofr_coord to = ofr_node_coord(&TORUS, t);
    while (s != t) {
        struct ofr_coord from = ofr_node_coord(&TORUS, s);
        unsigned port = (unsigned)ofr_escape_port(&TORUS, &from, &to);
        if (!alive(net, s, port))
            return false;
        s = neighbour(s, port);
    }
    return true;
}

// One entry, committed, and no other any more.
static void pin(struct net *net, unsigned n, unsigned t, unsigned value)
{
    while (ofr_node_read(&net->node[n], OFR_PINS_CLEAR))
        step(net);
    step(net);
    write_node(net, n, OFR_PINS_ADDR, word(t));
    write_node(net, n, OFR_PINS_DATA, value);
    write_node(net, n, OFR_PINS_CONTROL, 1);
}

static void write_tables(struct net *net, unsigned modes[8])
{
    struct ofr_table table;
    uint8_t up[NODES] = {0};
    uint16_t entry[NODES * NODES];
    struct ofr_programmed p = {.torus = TORUS, .tie = OFR_TIE_BOTH, .table = &table, .up = up};
    void *memory = malloc(ofr_around_bytes(&TORUS));
    assert_non_null(memory);
    ofr_table_reset(&table, 2);
    for (unsigned n = 0; n < NODES; n++)
        for (unsigned port = 0; port < PORTS; port++)
            up[n] |= (uint8_t)(alive(net, n, port) << port);
    ofr_around(&p, entry, memory);
    free(memory);
    for (unsigned s = 0; s < NODES; s++) {
        for (unsigned t = 0; t < NODES; t++) {
            unsigned e = entry[s * NODES + t];
            modes[e >> OFR_PINS_DATA_MODE_LSB]++;
            net->ordered[s][t] = e >> OFR_PINS_DATA_MODE_LSB >= OFR_PINS_DATA_MODE_ESCAPE;
            if (t % K == 0)
                write_node(net, s, OFR_PINS_ADDR, word(t));
            write_node(net, s, OFR_PINS_DATA, e);
        }
        write_node(net, s, OFR_PINS_CONTROL, 1);
    }
}

// ---- Traffic ------------------------------------------------------------------------------------

static void start(struct net *net, unsigned n, unsigned pattern, unsigned cls, unsigned messages,
                  unsigned period)
{
    write_node(net, n, OFR_GEN_MESSAGES, messages);
    write_node(net, n, OFR_GEN_PERIOD, period);
    write_node(net, n, OFR_GEN_START, ofr_node_read(&net->node[n], OFR_NODE_TIME) + 4);
    write_node(net, n, OFR_GEN_CONTROL,
               1 | cls << OFR_GEN_CONTROL_CLASS_LSB | pattern << OFR_GEN_CONTROL_PATTERN_LSB);
}

// Steps until every node is drained and idle; false after `limit` cycles.
static bool drain(struct net *net, unsigned limit)
{
    for (unsigned i = 0; i < limit; i++) {
        bool idle = true;
        for (unsigned n = 0; n < NODES; n++)
            idle = idle && ofr_node_idle(&net->node[n]);
        if (idle && i > 10)
            return true;
        step(net);
    }
    return false;
}

static uint64_t counter(struct net *net, unsigned n, unsigned index)
{
    write_node(net, n, OFR_COUNT_SNAPSHOT, 0);
    return ofr_counters_value(&net->node[n].counters, index);
}

static uint64_t sum(struct net *net, unsigned index)
{
    uint64_t total = 0;
    for (unsigned n = 0; n < NODES; n++)
        total += counter(net, n, index);
    return total;
}

static uint32_t sum_register(struct net *net, unsigned offset)
{
    uint32_t total = 0;
    for (unsigned n = 0; n < NODES; n++)
        total += ofr_node_read(&net->node[n], offset);
    return total;
}

// All 16 nodes at once, each to the node `ahead` of it in number: every pair has its turn.
static void every_pair(struct net *net, unsigned cls)
{
    uint32_t received = ofr_node_read(&net->node[0], OFR_CHECK_RECEIVED);
    for (unsigned ahead = 1; ahead < NODES; ahead++) {
        memset(net->last_seq, 0, sizeof net->last_seq); // a run counts SEQ from 0
        for (unsigned s = 0; s < NODES; s++) {
            write_node(net, s, OFR_GEN_TARGET, word((s + ahead) % NODES));
            start(net, s, OFR_GEN_CONTROL_PATTERN_FIXED, cls, 1, 256);
        }
        assert_true(drain(net, 5000));
        received += PACKETS;
        for (unsigned t = 0; t < NODES; t++)
            assert_int_equal(ofr_node_read(&net->node[t], OFR_CHECK_RECEIVED), received);
    }
    assert_int_equal(sum_register(net, OFR_CHECK_ERRORS), 0);
}

// A management packet from s to t by address.
static void send(struct net *net, unsigned s, unsigned t)
{
    write_node(net, s, OFR_NI_TX_HEAD, word(t) | word(t) << 16);
    write_node(net, s, OFR_NI_TX_DATA, s << 16);
    write_node(net, s, OFR_NI_TX_SEND, 0);
}

static void every_management_pair(struct net *net)
{
    for (unsigned ahead = 1; ahead < NODES; ahead++) {
        for (unsigned s = 0; s < NODES; s++)
            send(net, s, (s + ahead) % NODES);
        assert_true(drain(net, 5000));
        for (unsigned t = 0; t < NODES; t++) {
            uint32_t status = ofr_node_read(&net->node[t], OFR_NI_STATUS);
            assert_int_equal(status, OFR_NI_STATUS_TX_READY_MASK | OFR_NI_STATUS_RX_VALID_MASK);
            ofr_node_read(&net->node[t], OFR_NI_RX_DATA);
            uint32_t source = ofr_node_read(&net->node[t], OFR_NI_RX_DATA);
            assert_int_equal(source >> 16, (t + NODES - ahead) % NODES);
            write_node(net, t, OFR_NI_RX_NEXT, 0);
            step(net);
        }
    }
}

// Uniform traffic beyond what the local ports take, all classes; management in between.
static void overload(struct net *net, unsigned cycles)
{
    uint32_t received = sum_register(net, OFR_CHECK_RECEIVED);
    memset(net->last_seq, 0, sizeof net->last_seq);
    for (unsigned s = 0; s < NODES; s++)
        start(net, s, OFR_GEN_CONTROL_PATTERN_UNIFORM, s % 3, 0, 256 * FLITS * PACKETS);
    for (unsigned i = 0; i < cycles; i++)
        step(net);
    uint32_t before = sum_register(net, OFR_CHECK_RECEIVED);
    for (unsigned s = 0; s < NODES; s++)
        send(net, s, (s + NODES / 2 + 1) % NODES);
    for (unsigned i = 0; i < 4000; i++)
        step(net);
    for (unsigned t = 0; t < NODES; t++) {
        assert_true(ofr_node_read(&net->node[t], OFR_NI_STATUS) & OFR_NI_STATUS_RX_VALID_MASK);
        write_node(net, t, OFR_NI_RX_NEXT, 0);
    }
    assert_true(sum_register(net, OFR_CHECK_RECEIVED) > before); // it still moves
    for (unsigned s = 0; s < NODES; s++)
        write_node(net, s, OFR_GEN_CONTROL, 0);
    assert_true(drain(net, 20000));
    uint32_t sent = sum_register(net, OFR_GEN_SENT);
    assert_int_equal(sum_register(net, OFR_CHECK_RECEIVED), received + sent);
    assert_int_equal(sum_register(net, OFR_CHECK_ERRORS), 0);
    assert_true(sent > NODES * cycles / FLITS / 4);
}

static void no_watchdog(struct net *net)
{
    for (unsigned n = 0; n < NODES; n++)
        assert_false(ofr_node_out(&net->node[n])->watchdog);
}

// ---- Tests --------------------------------------------------------------------------------------

static struct net net; // large

static void test_every_cable(void **state)
{
    (void)state;
    unsigned modes[8] = {0};
    uint64_t pinned = 0;
    for (unsigned n = 0; n < NODES; n++) {
        for (unsigned port = 0; port < PORTS; port += 2) {
            net_new(&net, n, port);
            write_tables(&net, modes);
            for (unsigned cls = OFR_PKT_CLASS_INORDER; cls <= OFR_PKT_CLASS_DEROUTE; cls++)
                every_pair(&net, cls);
            every_management_pair(&net);
            if (n % 5 == 0)
                overload(&net, 5000);
            no_watchdog(&net);
            assert_int_equal(sum(&net, OFR_COUNTER_DISCARDED), 0);
            pinned += sum(&net, OFR_COUNTER_PINNED);
            net_free(&net);
        }
    }
    print_message("# entries: %u free, %u minimal, %u escape, %u IDN; %llu packets pinned\n",
                  modes[0], modes[1], modes[2], modes[3], (unsigned long long)pinned);
    assert_true(modes[0] && modes[2] && modes[3] && pinned);
    assert_int_equal(modes[4], 0); // one dead cable cuts nobody off
}

// The broken twin: entries are there, but off. Each pair alone, in order: those whose way crosses
// the cable are discarded before it, and only those.
static void test_tables_off(void **state)
{
    (void)state;
    unsigned modes[8] = {0}, lost = 0;
    for (unsigned pair = 0; pair < NODES * NODES; pair++) {
        unsigned s = pair / NODES, t = pair % NODES;
        if (s == t)
            continue;
        net_new(&net, 5, 0);
        write_tables(&net, modes);
        for (unsigned n = 0; n < NODES; n++)
            write_node(&net, n, OFR_PINS_CONTROL, 0);
        assert_true(drain(&net, 1000)); // the shadow table is a copy of the other one then
        write_node(&net, s, OFR_GEN_TARGET, word(t));
        start(&net, s, OFR_GEN_CONTROL_PATTERN_FIXED, OFR_PKT_CLASS_INORDER, 1, 256);
        bool clean = escape_clean(&net, s, t);
        lost += !clean;
        assert_true(drain(&net, 500));
        assert_int_equal(ofr_node_read(&net.node[t], OFR_CHECK_RECEIVED), clean ? PACKETS : 0);
        assert_int_equal(sum(&net, OFR_COUNTER_DISCARDED), clean ? 0 : PACKETS);
        assert_int_equal(sum(&net, OFR_COUNTER_PINNED), 0);
        net_free(&net);
    }
    print_message("# %u of 240 pairs cross the dead cable\n", lost);
    assert_true(lost > 0);
}

// An unreachable destination: discarded here and counted, user packets and management; directed
// packets go all the same.
static void test_unreachable(void **state)
{
    (void)state;
    net_new(&net, 0, PORTS);
    for (unsigned cls = OFR_PKT_CLASS_INORDER; cls <= OFR_PKT_CLASS_DEROUTE; cls++) {
        pin(&net, 0, 1, OFR_PINS_DATA_MODE_UNREACHABLE << OFR_PINS_DATA_MODE_LSB);
        write_node(&net, 0, OFR_GEN_TARGET, word(1));
        start(&net, 0, OFR_GEN_CONTROL_PATTERN_FIXED, cls, 5, 256);
        assert_true(drain(&net, 1000));
        send(&net, 0, 1);
        assert_true(drain(&net, 1000));
        assert_int_equal(counter(&net, 0, OFR_COUNTER_DISCARDED), (cls + 1) * (5 * PACKETS + 1));
        assert_int_equal(counter(&net, 0, OFR_COUNTER_INJECTED), 0);
        assert_int_equal(counter(&net, 0, OFR_COUNTER_PINNED), 0);
        assert_int_equal(ofr_node_read(&net.node[1], OFR_CHECK_RECEIVED), 0);
    }
    assert_int_equal(ofr_node_read(&net.node[1], OFR_NI_STATUS), OFR_NI_STATUS_TX_READY_MASK);
    write_node(&net, 0, OFR_NI_TX_HEAD, OFR_PKT_CLASS_DIRECTED << OFR_PKT_CLASS_LSB); // port x+
    write_node(&net, 0, OFR_NI_TX_SEND, 0);
    assert_true(drain(&net, 1000));
    assert_true(ofr_node_read(&net.node[1], OFR_NI_STATUS) & OFR_NI_STATUS_RX_VALID_MASK);
    // A q outside the torus: discarded and counted as any target outside
    pin(&net, 0, 1, OFR_PINS_DATA_MODE_IDN << OFR_PINS_DATA_MODE_LSB | 0x04);
    uint64_t discarded = counter(&net, 0, OFR_COUNTER_DISCARDED);
    start(&net, 0, OFR_GEN_CONTROL_PATTERN_FIXED, OFR_PKT_CLASS_DEROUTE, 1, 256);
    assert_true(drain(&net, 1000));
    assert_int_equal(counter(&net, 0, OFR_COUNTER_DISCARDED), discarded + PACKETS);
    net_free(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cable),
        cmocka_unit_test(test_tables_off),
        cmocka_unit_test(test_unreachable),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
