// SPDX-License-Identifier: Apache-2.0
#include "collectives.h"

#include "ofr_regs.h"

#include <string.h>

enum { SOON = 64 }; // cycles, more than a beat that the block has room for needs

bool ofr_collectives_init(struct ofr_collectives *c, const struct ofr_collective_shape *shape)
{
    memset(c, 0, sizeof *c);
    return ofr_collective_init(&c->block, shape);
}

// ---- Pins ---------------------------------------------------------------------------------------

static struct ofr_collective_in block_in(const struct ofr_collectives *c,
                                         const struct ofr_collectives_in *in)
{
    struct ofr_collective_in block = {.has_parent = c->parent,
                                      .children = c->children,
                                      .leave = c->leave,
                                      .drop = c->drop,
                                      .clear = c->clear};
    memcpy(block.size, c->size, sizeof block.size);
    memcpy(block.from, in->from, sizeof block.from);
    memcpy(block.to_ready, in->to_ready, sizeof block.to_ready);
    if (c->attached) {
        block.s = c->beat;
        block.s.valid = c->waits;
        block.s_user = c->user;
        block.m_ready = c->take;
    } else if (in->pins) {
        block.s = in->pins->s;
        block.s_user = in->pins->s_user;
        block.m_ready = in->pins->m_ready;
    }
    return block;
}

void ofr_collectives_out(const struct ofr_collectives *c, const struct ofr_collectives_in *in,
                         struct ofr_collective_out *out)
{
    struct ofr_collective_in block = block_in(c, in);
    ofr_collective_out(&c->block, &block, out);
    out->s_ready = out->s_ready && !c->attached;
    out->m.valid = out->m.valid && !c->attached;
}

// What the registers go by. At rest: nothing has begun, and nothing of the operation before is
// still to be taken.
static struct ofr_collectives_seen see(const struct ofr_collectives *c, bool s_valid)
{
    return (struct ofr_collectives_seen){
        .free = !c->block.busy && !s_valid && !c->block.m.valid,
        .ready = c->attached && !c->waits,
        .comes = c->attached && c->block.m.valid,
    };
}

void ofr_collectives_step(struct ofr_collectives *c, const struct ofr_collectives_in *in)
{
    struct ofr_collective_in block = block_in(c, in);
    struct ofr_collective_out out;
    ofr_collective_out(&c->block, &block, &out);
    c->accessed = in->access;
    c->timed |= in->access;
    if (in->access)
        c->seen = see(c, block.s.valid);
    if (c->was && !c->block.busy) {
        c->good += !c->block.reason;
        c->failed += c->block.reason != 0;
    }
    c->was = c->block.busy;
    if (c->waits && out.s_ready) {
        c->waits = false;
        c->beat.last = false;
    }
    c->take = c->leave = c->clear = false;
    c->drop = 0;
    ofr_collective_step(&c->block, &block);
}

// ---- Registers ----------------------------------------------------------------------------------

// Software that takes no cycles: the block has those that it needs, in which nothing else happens.
static void finish(struct ofr_collectives *c, bool beat)
{
    const struct ofr_collectives_in none = {.pins = NULL};
    for (unsigned i = 0;
         i < SOON && (c->take || c->leave || c->clear || c->drop || (beat && c->waits)); i++)
        ofr_collectives_step(c, &none);
}

static uint32_t sizes(const struct ofr_collectives *c, unsigned child)
{
    return c->size[child] | (uint32_t)c->size[child + 1] << OFR_COLLECTIVE_SIZE_LOW_CHILD1_LSB;
}

uint32_t ofr_collectives_read(struct ofr_collectives *c, unsigned offset)
{
    finish(c, !c->timed);
    const struct ofr_collectives_in none = {.pins = NULL};
    struct ofr_collective_in block = block_in(c, &none);
    struct ofr_collective_out out;
    ofr_collective_out(&c->block, &block, &out);
    struct ofr_collectives_seen seen = see(c, block.s.valid);
    switch (offset) {
    case OFR_COLLECTIVE_SHAPE:
        return c->block.shape.children;
    case OFR_COLLECTIVE_PLACE:
        return (uint32_t)c->parent << OFR_COLLECTIVE_PLACE_PARENT_LSB |
               (uint32_t)c->children << OFR_COLLECTIVE_PLACE_CHILDREN_LSB;
    case OFR_COLLECTIVE_SIZE_LOW:
        return sizes(c, 0);
    case OFR_COLLECTIVE_SIZE_HIGH:
        return sizes(c, 2);
    case OFR_COLLECTIVE_STATE:
        return (uint32_t)out.busy << OFR_COLLECTIVE_STATE_BUSY_LSB |
               (uint32_t)out.reason << OFR_COLLECTIVE_STATE_REASON_LSB |
               (uint32_t)out.broken << OFR_COLLECTIVE_STATE_BROKEN_LSB |
               (uint32_t)out.waits << OFR_COLLECTIVE_STATE_WAITS_LSB;
    case OFR_COLLECTIVE_COUNT:
        return (uint32_t)c->good << OFR_COLLECTIVE_COUNT_GOOD_LSB |
               (uint32_t)c->failed << OFR_COLLECTIVE_COUNT_FAILED_LSB;
    case OFR_COLLECTIVE_ATTACH:
        return c->attached;
    case OFR_COLLECTIVE_TX:
        return seen.ready;
    case OFR_COLLECTIVE_RX: {
        uint32_t bytes = 0;
        for (unsigned i = 0; i < 8; i++)
            bytes += out.m.keep >> i & 1;
        return !seen.comes ? 0
                           : 1U << OFR_COLLECTIVE_RX_VALID_LSB |
                                 (uint32_t)out.m.last << OFR_COLLECTIVE_RX_LAST_LSB |
                                 (uint32_t)out.m.user << OFR_COLLECTIVE_RX_FAILED_LSB |
                                 (uint32_t)out.m_end << OFR_COLLECTIVE_RX_VERDICT_LSB |
                                 bytes << OFR_COLLECTIVE_RX_BYTES_LSB;
    }
    case OFR_COLLECTIVE_RX_HIGH:
        return seen.comes ? (uint32_t)(out.m.data >> 32) : 0;
    case OFR_COLLECTIVE_RX_DATA:
        return seen.comes ? (uint32_t)out.m.data : 0;
    default:
        return 0;
    }
}

static bool is_refused(const struct ofr_collectives *c, const struct ofr_collectives_seen *seen,
                       unsigned offset, uint32_t value)
{
    switch (offset) {
    case OFR_COLLECTIVE_PLACE:
    case OFR_COLLECTIVE_SIZE_LOW:
    case OFR_COLLECTIVE_SIZE_HIGH:
    case OFR_COLLECTIVE_ATTACH:
        return !seen->free;
    case OFR_COLLECTIVE_CONTROL:
        return (value & OFR_COLLECTIVE_CONTROL_CLEAR_MASK) && !seen->free;
    case OFR_COLLECTIVE_TX_END:
        return !seen->ready ||
               (value & OFR_COLLECTIVE_TX_END_BYTES_MASK) > c->block.shape.flit_bits / 8U;
    case OFR_COLLECTIVE_TX_OP:
    case OFR_COLLECTIVE_TX_HIGH:
    case OFR_COLLECTIVE_TX_DATA:
        return !seen->ready;
    case OFR_COLLECTIVE_RX_NEXT:
        return !seen->comes;
    default:
        return false;
    }
}

static void command(struct ofr_collectives *c, uint32_t value)
{
    c->leave = value & OFR_COLLECTIVE_CONTROL_LEAVE_MASK;
    c->clear = value & OFR_COLLECTIVE_CONTROL_CLEAR_MASK;
    c->drop =
        (uint8_t)((value & OFR_COLLECTIVE_CONTROL_DROP_MASK) >> OFR_COLLECTIVE_CONTROL_DROP_LSB) &
        (uint8_t)((2U << c->block.shape.children) - 1);
}

static void set_sizes(struct ofr_collectives *c, unsigned child, uint32_t value)
{
    for (unsigned i = child; i < child + 2 && i < c->block.shape.children; i++)
        c->size[i] = value >> (i % 2 * OFR_COLLECTIVE_SIZE_LOW_CHILD1_LSB) &
                     OFR_COLLECTIVE_SIZE_LOW_CHILD0_MASK;
}

bool ofr_collectives_write(struct ofr_collectives *c, unsigned offset, uint32_t value)
{
    if (!c->accessed)
        finish(c, true);
    struct ofr_collectives_seen seen = c->accessed ? c->seen : see(c, c->attached && c->waits);
    bool ok = !is_refused(c, &seen, offset, value);
    c->accessed = false;
    if (!ok)
        return false;
    switch (offset) {
    case OFR_COLLECTIVE_PLACE:
        c->parent = value & OFR_COLLECTIVE_PLACE_PARENT_MASK;
        c->children = (uint8_t)(value >> OFR_COLLECTIVE_PLACE_CHILDREN_LSB &
                                ((1U << c->block.shape.children) - 1));
        break;
    case OFR_COLLECTIVE_SIZE_LOW:
        set_sizes(c, 0, value);
        break;
    case OFR_COLLECTIVE_SIZE_HIGH:
        set_sizes(c, 2, value);
        break;
    case OFR_COLLECTIVE_CONTROL:
        command(c, value);
        break;
    case OFR_COLLECTIVE_ATTACH:
        c->attached = value & OFR_COLLECTIVE_ATTACH_REGISTERS_MASK;
        c->beat.last = false;
        break;
    case OFR_COLLECTIVE_TX_OP:
        c->user = value & (OFR_COLLECTIVE_TX_OP_OP_MASK | OFR_COLLECTIVE_TX_OP_TYPE_MASK |
                           OFR_COLLECTIVE_TX_OP_MORE_MASK);
        break;
    case OFR_COLLECTIVE_TX_END:
        c->beat.last = true;
        c->beat.keep = (uint8_t)((1U << (value & OFR_COLLECTIVE_TX_END_BYTES_MASK)) - 1);
        break;
    case OFR_COLLECTIVE_TX_HIGH:
        c->high = value;
        break;
    case OFR_COLLECTIVE_TX_DATA:
        c->beat.data = (c->block.shape.flit_bits == 64 ? (uint64_t)c->high << 32 : 0) |
                       (c->block.shape.flit_bits == 16 ? value & 0xffff : value);
        c->waits = true;
        break;
    case OFR_COLLECTIVE_RX_NEXT:
        c->take = true;
        break;
    default:
        break;
    }
    return true;
}

void ofr_collectives_refused(struct ofr_collectives *c)
{
    c->accessed = false;
}

bool ofr_collectives_idle(const struct ofr_collectives *c)
{
    return !c->waits && !c->take && !c->leave && !c->clear && !c->drop && !c->was &&
           !c->block.busy && !c->block.to;
}
