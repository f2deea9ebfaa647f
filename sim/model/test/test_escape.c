// SPDX-License-Identifier: Apache-2.0
// Can the boards' routing deadlock? Presets on every size, random tables, and the tables around
// dead links, by deadlock.h. FULL=1: all sizes up to 8x8x8, else those that take seconds; SEED=n
// replays. Broken routers (model.mk) are found out by it: there the cycle is printed.
#include "around.h"
#include "exact.h"
#include "ofr_regs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 512, ROUNDS = 300 };

static uint64_t seed;
static bool full; // FULL=1

static struct ofr_torus torus_of(unsigned x, unsigned y, unsigned z)
{
    return (struct ofr_torus){.n = z ? 3 : 2, .k = {(uint8_t)x, (uint8_t)y, (uint8_t)z}};
}

static const char *text_of(const struct ofr_torus *torus)
{
    static char text[32];
    snprintf(text, sizeof text, torus->n == 3 ? "%ux%ux%u" : "%ux%u", torus->k[0], torus->k[1],
             torus->k[2]);
    return text;
}

static void *room(size_t bytes)
{
    static void *memory;
    static size_t has;
    if (bytes > has) {
        memory = realloc(memory, has = bytes);
        assert_non_null(memory);
    }
    return memory;
}

static struct ofr_deadlock check(const struct ofr_programmed *p)
{
    return ofr_deadlock_check(p, room(ofr_deadlock_bytes(&p->torus)));
}

static void say(const struct ofr_programmed *p, const struct ofr_deadlock *d)
{
    static const char *const vcs[] = {"adaptive", "VS1", "VS2"};
    print_message("# %s: %s%s\n", text_of(&p->torus),
                  d->verdict == OFR_DEADLOCK ? "a cycle" : "at a dead link",
                  d->ring ? ", a ring that is entered with one slot" : "");
    for (unsigned i = 0; i < d->length && i < 8; i++) {
        const struct ofr_waiting *q = &d->queue[i];
        struct ofr_coord at = ofr_node_coord(&p->torus, q->node);
        print_message("#   %s %c%c of %u,%u,%u, needs %u\n", vcs[q->vc], "xyz"[q->port / 2],
                      "+-"[q->port % 2], at.c[0], at.c[1], at.c[2], q->slots);
    }
}

// A ring has something that goes on in it from size 4 on.
static void assert_free(const struct ofr_programmed *p)
{
    struct ofr_deadlock d = check(p);
    if (d.verdict != OFR_ACYCLIC && d.verdict != OFR_ESCAPABLE) {
        say(p, &d);
        fail_msg("%s: verdict %u", text_of(&p->torus), (unsigned)d.verdict);
    }
}

// ---- Presets

static struct ofr_table preset(unsigned n, bool oidn, bool widn)
{
    struct ofr_table table;
    ofr_table_reset(&table, n);
    table.oidn = oidn;
    table.widn = widn ? table.widn : 0;
    return table;
}

static void presets_on(unsigned x, unsigned y, unsigned z)
{
    struct ofr_programmed p = {.torus = torus_of(x, y, z)};
    bool rings = x > 3 || y > 3 || z > 3;
    for (unsigned way = 0; way < 6; way++) {
        struct ofr_table table = preset(p.torus.n, way % 3 == 2, way % 3 > 0); // ABR, POR, OFR
        p.table = &table;
        p.tie = way < 3 ? OFR_TIE_PLUS : OFR_TIE_BOTH;
        assert_free(&p);
        assert_int_equal(check(&p).verdict, rings ? OFR_ESCAPABLE : OFR_ACYCLIC);
    }
}

static void presets(void **state)
{
    (void)state;
    unsigned sizes = 0, most = full ? 8 : 4;
    for (unsigned x = 1; x <= 8; x++)
        for (unsigned y = 1; y <= 8; y++, sizes++)
            presets_on(x, y, 0);
    for (unsigned x = 1; x <= most; x++)
        for (unsigned y = 1; y <= most; y++)
            for (unsigned z = 1; z <= most; z++, sizes++)
                presets_on(x, y, z);
    presets_on(8, 5, 7);
    print_message("# %u sizes, 6 settings each\n", sizes + 1);
}

// ---- Random tables

static void random_tables(void **state)
{
    (void)state;
    static uint16_t entry[NODES * NODES];
    static const unsigned modes[] = {OFR_PINS_DATA_MODE_FREE, OFR_PINS_DATA_MODE_MINIMAL,
                                     OFR_PINS_DATA_MODE_ESCAPE, OFR_PINS_DATA_MODE_IDN,
                                     OFR_PINS_DATA_MODE_UNREACHABLE};
    uint64_t random = seed;
    for (unsigned i = 0; i < (full ? 10 * ROUNDS : ROUNDS); i++) {
        unsigned most = full && i % 16 == 0 ? 8 : i % 2 ? 8 : 5;
        bool flat = most == 8 && (!full || i % 16);
        struct ofr_programmed p = {.torus = torus_of(1 + exact_random(&random) % most,
                                                     1 + exact_random(&random) % most,
                                                     flat ? 0 : 1 + exact_random(&random) % most),
                                   .tie = exact_random(&random) & 1,
                                   .entry = entry};
        uint32_t n = ofr_nodes(&p.torus);
        struct ofr_table table;
        exact_random_table(&table, p.torus.n, &random);
        p.table = &table;
        unsigned only = exact_random(&random) % 8; // one mode for all, or any
        for (uint32_t j = 0; j < n * n; j++) {
            unsigned mode = only < 5 ? only : exact_random(&random) % 5;
            // Any IDN, now and then outside of the torus
            struct ofr_coord q = ofr_node_coord(&p.torus, exact_random(&random) % n);
            unsigned word = q.c[0] | (unsigned)q.c[1] << 4 | (unsigned)q.c[2] << 8;
            if (exact_random(&random) % 64 == 0)
                word = exact_random(&random) % (p.torus.n == 3 ? 4096 : 256);
            entry[j] = (uint16_t)(modes[mode] << OFR_PINS_DATA_MODE_LSB | word);
        }
        assert_free(&p);
        p.entry = NULL;
        assert_free(&p);
    }
}

// ---- Tables around dead links

struct cable {
    uint32_t node;
    unsigned port; // a + one
};

// All cables of a torus: their + ends.
static unsigned cables(const struct ofr_torus *torus, struct cable out[3 * NODES])
{
    unsigned count = 0;
    for (uint32_t n = 0; n < ofr_nodes(torus); n++) {
        struct ofr_coord at = ofr_node_coord(torus, n);
        for (unsigned port = 0; port < 2U * torus->n; port += 2)
            if (ofr_existing_ports(torus, &at) >> port & 1)
                out[count++] = (struct cable){n, port};
    }
    return count;
}

// Is there a cable before it of which it is a shift? Along sizes other than 2 all nodes are alike.
static bool is_shift(const struct ofr_torus *torus, struct cable c)
{
    struct ofr_coord at = ofr_node_coord(torus, c.node);
    for (unsigned i = 0; i < torus->n; i++)
        if (torus->k[i] != 2 && at.c[i])
            return true;
    return false;
}

static unsigned tables; // checked

// One end's word that the link is down is enough.
static uint32_t around(const struct ofr_torus *torus, const struct cable *dead, unsigned count,
                       uint64_t *random)
{
    static uint16_t entry[NODES * NODES];
    uint8_t up[NODES];
    struct ofr_table table = preset(torus->n, true, true);
    struct ofr_programmed p = {
        .torus = *torus, .tie = exact_random(random) & 1, .table = &table, .up = up};
    if (exact_random(random) % 4 == 0)
        exact_random_table(&table, torus->n, random);
    memset(up, 0xff, sizeof up);
    for (unsigned i = 0; i < count; i++) {
        struct ofr_coord at = ofr_node_coord(torus, dead[i].node);
        struct ofr_coord to = ofr_neighbour(torus, at, dead[i].port);
        if (exact_random(random) & 1)
            up[dead[i].node] &= (uint8_t) ~(1U << dead[i].port);
        else
            up[ofr_node_id(torus, &to)] &= (uint8_t) ~(1U << (dead[i].port ^ 1));
    }
    uint32_t unreachable = ofr_around(&p, entry, room(ofr_around_bytes(torus)));
    p.entry = entry;
    assert_free(&p);
    tables++;
    return unreachable;
}

static void dead_on(unsigned x, unsigned y, unsigned z, unsigned pairs, uint64_t *random)
{
    struct ofr_torus torus = torus_of(x, y, z);
    struct cable all[3 * NODES];
    unsigned count = cables(&torus, all), above1 = 0, least = 8;
    for (unsigned i = 0; i < torus.n; i++) {
        above1 += torus.k[i] > 1;
        least = torus.k[i] < least ? torus.k[i] : least;
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t lost;
        if (is_shift(&torus, all[i]))
            continue;
        lost = around(&torus, &all[i], 1, random);
        if (above1 > 1 && lost)
            fail_msg("%s: %u pairs are unreachable", text_of(&torus), lost);
        for (unsigned j = 0; j < (pairs ? pairs : count); j++) {
            struct cable two[2] = {all[i], all[pairs ? exact_random(random) % count : j]};
            if (two[0].node == two[1].node && two[0].port == two[1].port)
                continue;
            lost = around(&torus, two, 2, random);
            if (least > 2 && lost)
                fail_msg("%s: %u pairs are unreachable", text_of(&torus), lost);
        }
    }
}

static void dead_links(void **state)
{
    (void)state;
    uint64_t random = seed + 1;
    unsigned most = full ? 8 : 3;
    for (unsigned x = 1; x <= 8; x++)
        for (unsigned y = 1; y <= 8; y++)
            dead_on(x, y, 0, full || x * y <= 25 ? 0 : 3, &random);
    for (unsigned x = 1; x <= most; x++)
        for (unsigned y = 1; y <= most; y++)
            for (unsigned z = 1; z <= most; z++)
                dead_on(x, y, z, full && x * y * z <= 64 ? 0 : 4, &random);
    dead_on(4, 4, 4, 8, &random);
    dead_on(2, 3, 6, 8, &random);
    print_message("# %u tables around dead links\n", tables);
}

// A table that sends packets at a dead link: found, with where they meet it.
static void at_dead_links(void **state)
{
    (void)state;
    struct ofr_torus torus = torus_of(4, 4, 0);
    struct ofr_table table = preset(2, true, true);
    uint16_t entry[16 * 16];
    uint8_t up[16];
    struct ofr_programmed p = {
        .torus = torus, .tie = OFR_TIE_BOTH, .table = &table, .entry = entry, .up = up};
    memset(up, 0xff, sizeof up);
    up[5] &= (uint8_t)~1U; // x+ of (1, 1)
    ofr_around(&p, entry, room(ofr_around_bytes(&torus)));
    assert_free(&p);
    unsigned wrong = 0;
    for (unsigned i = 0; i < 16 * 16; i++) {
        // With more freedom than it has: by dimension order, free, by another node
        uint16_t is = entry[i];
        static const unsigned modes[] = {OFR_PINS_DATA_MODE_FREE, OFR_PINS_DATA_MODE_MINIMAL,
                                         OFR_PINS_DATA_MODE_ESCAPE};
        for (unsigned m = 0; m < 3 && i / 16 != i % 16; m++) {
            entry[i] = (uint16_t)(modes[m] << OFR_PINS_DATA_MODE_LSB);
            struct ofr_deadlock d = check(&p);
            // The order of modes is that of freedom.
            bool looser = modes[m] < (unsigned)is >> OFR_PINS_DATA_MODE_LSB;
            assert_int_equal(d.verdict == OFR_DEAD_LINK, looser);
            if (!looser)
                continue;
            wrong++;
            assert_true((d.queue[0].node == 5 && d.queue[0].port == 0) ||
                        (d.queue[0].node == 6 && d.queue[0].port == 1));
        }
        entry[i] = is;
    }
    print_message("# %u entries too free\n", wrong);
    assert_true(wrong > 100);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets),
        cmocka_unit_test(random_tables),
        cmocka_unit_test(dead_links),
        cmocka_unit_test(at_dead_links),
    };
    full = getenv("FULL");
    seed = exact_seed(argc, argv, 1);
    if (getenv("ONLY")) // for the twins
        cmocka_set_test_filter(getenv("ONLY"));
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("escape", tests, NULL, NULL);
}
