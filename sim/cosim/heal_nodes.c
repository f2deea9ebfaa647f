// SPDX-License-Identifier: Apache-2.0
// Boards of heal.c, and a host of few lines, which does what torusctl does (around.h): some time
// after something has changed it has heard of it, and its tables come to force one board after the
// other.
#include "heal.h"

#include "around.h"
#include "packet.h"

#include <stdlib.h>
#include <string.h>

static unsigned word_of(const struct heal *r, uint32_t n)
{
    struct ofr_coord c = ofr_node_coord(&r->torus, n);
    return ofr_coord_word(&c, r->torus.n);
}

size_t heal_node_size(const struct heal *r)
{
    return ofr_node_size(&r->o->shape);
}

void heal_write(struct heal *r, uint32_t n, unsigned offset, uint32_t value)
{
    bool error = false;
    ofr_node_write(&r->node[n], offset, value, &error);
    if (error)
        heal_fail(r, "node %u refuses a write of %x to %x", n, value, offset);
}

void heal_power_up(struct heal *r, uint32_t n)
{
    ofr_node_init(&r->node[n], &r->o->shape, n, r->memory[n]);
    if (heal_rtl()) {
        // Power lost: nothing of before is left; a reset: what it leaves alone is
        if (r->rtl[n] && r->kind == POWER) {
            heal_rtl()->destroy(r->rtl[n]);
            r->rtl[n] = NULL;
        }
        if (!r->rtl[n])
            r->rtl[n] = heal_rtl()->create((uint32_t)rng_next(&r->rtl_rng));
        if (!r->rtl[n])
            abort();
    }
    r->configured[n] = r->ready[n] = false;
}

// All but its destination table; which can be written when it is cleared.
void heal_configure(struct heal *r, uint32_t n)
{
    // Its size is written while no packet is in it: what comes to it meanwhile it discards
    if (!r->node[n].drained)
        return;
    struct ofr_coord c = ofr_node_coord(&r->torus, n);
    const uint8_t *k = r->torus.k;
    bool three = r->torus.n == 3;
    heal_write(r, n, OFR_NODE_SIZE,
               k[0] | (uint32_t)k[1] << 8 | (three ? (uint32_t)k[2] << 16 : 0));
    heal_write(r, n, OFR_NODE_COORD,
               c.c[0] | (uint32_t)c.c[1] << 8 | (three ? (uint32_t)c.c[2] << 16 : 0));
    heal_write(r, n, OFR_NODE_SEED, (uint32_t)rng_next(&r->rng) | 1);
    heal_write(r, n, OFR_NODE_WATCHDOG, HEAL_WATCHDOG);
    heal_write(r, n, OFR_NODE_CONTROL, 1);
    heal_write(r, n, OFR_GEN_LENGTH, r->o->shape.slot_flits | 1U << 16);
    heal_write(r, n, OFR_GEN_SEED, (uint32_t)rng_next(&r->rng) | 1);
    heal_write(r, n, OFR_GEN_MESSAGES, 0);
    heal_write(r, n, OFR_GEN_PERIOD, r->period << 8);
    r->configured[n] = true;
}

void heal_generate(struct heal *r, uint32_t n)
{
    struct ofr_node *node = &r->node[n];
    heal_write(r, n, OFR_GEN_START, ofr_node_read(node, OFR_NODE_TIME) + 4);
    heal_write(r, n, OFR_GEN_CONTROL,
               1 | OFR_PKT_CLASS_DEROUTE << OFR_GEN_CONTROL_CLASS_LSB |
                   OFR_GEN_CONTROL_PATTERN_UNIFORM << OFR_GEN_CONTROL_PATTERN_LSB);
    r->ready[n] = true;
}

uint64_t heal_discarded(struct heal *r, uint32_t n)
{
    heal_write(r, n, OFR_COUNT_SNAPSHOT, 0);
    return ofr_counters_value(&r->node[n].counters, OFR_COUNTER_DISCARDED);
}

// Ports whose link is up at both ends.
void heal_look(const struct heal *r, uint8_t *up)
{
    memset(up, 0, r->nodes);
    for (uint32_t n = 0; n < r->nodes; n++)
        for (unsigned p = 0; p < r->ports; p++) {
            uint32_t far = heal_far(r, n, p);
            if (!r->off[n] && !r->off[far] && r->in[n].link_up[p] && r->in[far].link_up[p ^ 1])
                up[n] |= (uint8_t)(1U << p);
        }
}

void heal_work_out(struct heal *r)
{
    struct ofr_table table;
    struct ofr_programmed p = {
        .torus = r->torus, .tie = OFR_TIE_BOTH, .table = &table, .up = r->told};
    void *memory = malloc(ofr_around_bytes(&r->torus));
    if (!memory)
        abort();
    ofr_table_reset(&table, r->torus.n);
    ofr_around(&p, r->entry, memory);
    free(memory);
}

// Writes a node's table and commits it. False: not yet.
static bool commit(struct heal *r, uint32_t n)
{
    struct ofr_node *node = &r->node[n];
    // A write is of the cycle of the last step, what CLEAR reads is of the next one (node.h)
    if (!ofr_pins_idle(&node->local.pins))
        return false;
    for (uint32_t t = 0; t < r->nodes; t++) {
        heal_write(r, n, OFR_PINS_ADDR, word_of(r, t));
        heal_write(r, n, OFR_PINS_DATA, r->entry[n * r->nodes + t]);
    }
    heal_write(r, n, OFR_PINS_CONTROL, 1);
    return true;
}

void heal_host(struct heal *r)
{
    heal_look(r, r->known);
    bool changed = memcmp(r->known, r->told, r->nodes) != 0, working = false;
    for (uint32_t n = 0; n < r->nodes; n++) {
        changed |= !r->configured[n] && !r->off[n];
        working |= r->commit_at[n] != UINT64_MAX;
    }
    if (changed && !working && r->acts_at == UINT64_MAX && !r->o->no_host)
        r->acts_at = r->cycle + HEAL_HOST_MIN + rng_below(&r->rng, HEAL_HOST_MORE);
    if (r->cycle >= r->acts_at) {
        r->acts_at = UINT64_MAX;
        memcpy(r->told, r->known, r->nodes);
        heal_work_out(r);
        for (uint32_t n = 0; n < r->nodes; n++) {
            if (!r->off[n])
                r->commit_at[n] = r->cycle + rng_below(&r->rng, HEAL_STAGGER);
        }
    }
    for (uint32_t n = 0; n < r->nodes; n++) {
        if (r->off[n])
            r->commit_at[n] = UINT64_MAX;
        if (r->cycle < r->commit_at[n])
            continue;
        if (!r->configured[n])
            heal_configure(r, n);
        if (!r->configured[n] || !commit(r, n))
            continue;
        r->commit_at[n] = UINT64_MAX;
        r->led_at = r->cycle;
        if (r->traffic && !r->ready[n]) {
            heal_generate(r, n);
            r->renumber = true;
        }
    }
}

// Nothing is left to do, and all links are up.
bool heal_settled(const struct heal *r)
{
    bool good = links_up(r->links) && r->acts_at == UINT64_MAX &&
                (r->o->no_host || !memcmp(r->known, r->told, r->nodes));
    for (uint32_t n = 0; n < r->nodes; n++)
        good = good && r->commit_at[n] == UINT64_MAX && r->configured[n] && !r->off[n];
    return good;
}
