// SPDX-License-Identifier: Apache-2.0
// The deadlock checker: nothing in what ships, the cycle in each of the broken relations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "route/deadlock.h"
#include "topo/name.h"

static struct net_config make(const char *torus, enum net_preset preset, enum net_routing routing)
{
    struct net_config c = net_config_default(preset, routing);
    assert_true(net_torus_parse(torus, &c.torus));
    return c;
}

static void what_ships(void **state)
{
    (void)state;
    static const char *const tori[] = {"4x4", "5x3", "8", "3x4x5", "2x6x4", "4x2x1", "2x3x2x4"};
    for (unsigned t = 0; t < 7; t++)
        for (unsigned preset = 0; preset < 3; preset++)
            for (unsigned routing = NET_DOR; routing <= NET_UGAL; routing++)
                for (unsigned tie = NET_TIE_PLUS; tie <= NET_TIE_RANDOM; tie++) {
                    struct net_config c =
                        make(tori[t], (enum net_preset)preset, (enum net_routing)routing);
                    c.tie = (enum net_tie)tie;
                    struct ofr_deadlock d = net_deadlock_check(&c, net_candidates);
                    if (d.verdict != OFR_ESCAPABLE || !d.rings)
                        fail_msg("%s, preset %u, routing %u, tie %u: verdict %u", tori[t], preset,
                                 routing, tie, d.verdict);
                    c.orthants = routing == NET_OFR;
                    d = net_deadlock_check(&c, net_candidates);
                    assert_int_equal(d.verdict, OFR_ESCAPABLE);
                }
    // Without rings there is no cycle.
    struct net_config c = make("2x2x2", NET_PRESET_OFR, NET_OFR);
    assert_int_equal(net_deadlock_check(&c, net_candidates).verdict, OFR_ACYCLIC);
    c = make("1x3", NET_PRESET_OFR, NET_DOR); // nor does anything go on in a ring of 3
    assert_int_equal(net_deadlock_check(&c, net_candidates).verdict, OFR_ACYCLIC);
}

// ---- Broken relations

// Entering a ring with one slot.
static unsigned one_slot(enum net_routing routing, struct net_in in, struct net_head head,
                         struct net_candidate out[NET_MAX_CANDIDATES])
{
    unsigned count = net_candidates(routing, in, head, out);
    if (out[count - 1].need == NET_NEED_ENTERS)
        out[count - 1].need = NET_NEED_GOES_ON;
    return count;
}

// The same for packets from the generator only, or for those of the adaptive VC only.
static unsigned one_slot_injected(enum net_routing routing, struct net_in in, struct net_head head,
                                  struct net_candidate out[NET_MAX_CANDIDATES])
{
    return (in.port == NET_GENERATOR ? one_slot : net_candidates)(routing, in, head, out);
}

static unsigned one_slot_adaptive(enum net_routing routing, struct net_in in, struct net_head head,
                                  struct net_candidate out[NET_MAX_CANDIDATES])
{
    bool adaptive = in.port != NET_GENERATOR && in.vc == NET_ADAPTIVE;
    return (adaptive ? one_slot : net_candidates)(routing, in, head, out);
}

// One escape network for both legs.
static unsigned one_network(enum net_routing routing, struct net_in in, struct net_head head,
                            struct net_candidate out[NET_MAX_CANDIDATES])
{
    head.to_idn = false;
    return net_candidates(routing, in, head, out);
}

// No order of dimensions: the highest first for every other packet.
static unsigned no_order(enum net_routing routing, struct net_in in, struct net_head head,
                         struct net_candidate out[NET_MAX_CANDIDATES])
{
    unsigned count = net_candidates(routing, in, head, out);
    uint8_t port = (uint8_t)(31 - __builtin_clz(head.mu));
    out[count] = out[count - 1];
    out[count].port = port;
    out[count].need =
        in.vc == out[count].vc && in.port == (port ^ 1) ? NET_NEED_GOES_ON : NET_NEED_ENTERS;
    return count + (port != out[count - 1].port);
}

// The adaptive VC only.
static unsigned no_escape(enum net_routing routing, struct net_in in, struct net_head head,
                          struct net_candidate out[NET_MAX_CANDIDATES])
{
    return net_candidates(routing, in, head, out) - 1;
}

// What is shown is a cycle: each queue ends where the next one begins.
static void assert_cycle(const struct net_config *c, const struct ofr_deadlock *d, bool ring)
{
    assert_int_equal(d->verdict, OFR_DEADLOCK);
    assert_int_equal(d->ring, ring);
    assert_true(d->length >= 2 && d->length <= OFR_CYCLE_SHOWN);
    bool turns = false;
    for (unsigned i = 0; i < d->length; i++) {
        const struct ofr_waiting *q = &d->queue[i], *next = &d->queue[(i + 1) % d->length];
        struct ofr_coord to = ofr_neighbour(&c->torus, ofr_node_coord(&c->torus, q->node), q->port);
        assert_int_equal(ofr_node_id(&c->torus, &to), next->node);
        assert_true(q->vc != NET_ADAPTIVE);
        turns = turns || q->port != next->port;
    }
    assert_int_equal(turns, !ring);
}

static void broken(void **state)
{
    (void)state;
    static const char *const tori[] = {"4x4", "4x4x4", "5x3x2"};
    for (unsigned t = 0; t < 3; t++) {
        struct net_config c = make(tori[t], NET_PRESET_OFR, NET_ABR);
        struct ofr_deadlock d = net_deadlock_check(&c, one_slot);
        assert_cycle(&c, &d, true);
        assert_int_equal(d.queue[0].slots, 1);
        d = net_deadlock_check(&c, one_slot_injected);
        assert_cycle(&c, &d, true);
        d = net_deadlock_check(&c, one_slot_adaptive);
        assert_cycle(&c, &d, true);
        d = net_deadlock_check(&c, no_order);
        assert_cycle(&c, &d, false);
        // One network does for ABR, not for OFR, whose packets turn back at their IDN.
        d = net_deadlock_check(&c, one_network);
        assert_int_equal(d.verdict, OFR_ESCAPABLE);
        c = make(tori[t], NET_PRESET_OFR, NET_OFR);
        d = net_deadlock_check(&c, one_network);
        assert_cycle(&c, &d, false);
        d = net_deadlock_check(&c, no_escape);
        assert_int_equal(d.verdict, OFR_NO_ESCAPE);
    }
}

// Each routing that ships without each rule that its escape needs.
static void broken_each(void **state)
{
    (void)state;
    for (unsigned routing = NET_DOR; routing <= NET_UGAL; routing++) {
        struct net_config c = make("4x4x4", NET_PRESET_OFR, (enum net_routing)routing);
        struct ofr_deadlock d = net_deadlock_check(&c, one_slot);
        assert_cycle(&c, &d, true);
        d = net_deadlock_check(&c, no_escape);
        assert_int_equal(d.verdict, OFR_NO_ESCAPE);
        d = net_deadlock_check(&c, no_order);
        assert_cycle(&c, &d, false);
        // One network does for what does not turn back on its way.
        d = net_deadlock_check(&c, one_network);
        if (routing <= NET_ABR || routing == NET_GOAL)
            assert_int_equal(d.verdict, OFR_ESCAPABLE);
        else
            assert_cycle(&c, &d, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_ships), cmocka_unit_test(broken),
                                       cmocka_unit_test(broken_each)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
