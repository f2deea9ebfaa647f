// SPDX-License-Identifier: Apache-2.0
#include "pins.h"

#include "packet.h"

#include <string.h>

// Bits of a header word, or of an entry's q, that name a node.
static unsigned node_mask(const struct ofr_pins *p)
{
    return p->n == 3 ? 0xfff : 0xff;
}

void ofr_pins_init(struct ofr_pins *p, unsigned n)
{
    memset(p, 0, sizeof *p);
    p->n = (uint8_t)n;
    p->clearing = true;
}

void ofr_pins_step(struct ofr_pins *p, unsigned route)
{
    p->entry = p->read;
    p->active = p->on;
    p->read = p->table[p->bank][route & node_mask(p)];
    p->on = p->enable;
    p->was_clearing = p->clearing;
    if (p->clearing && p->copy && !p->got) {
        p->kept = p->table[p->bank][p->clear_addr];
        p->got = true;
    } else if (p->clearing) {
        p->table[!p->bank][p->clear_addr] =
            p->copy && p->enable ? p->kept : OFR_PINS_DATA_MODE_FREE;
        p->got = false;
        p->clearing = p->clear_addr != node_mask(p);
        p->clear_addr = (uint16_t)((p->clear_addr + 1) & node_mask(p));
    }
}

static uint64_t with_class(uint64_t flit, unsigned cls)
{
    return (flit & ~((uint64_t)3 << OFR_PKT_CLASS_LSB)) | (uint64_t)cls << OFR_PKT_CLASS_LSB;
}

uint64_t ofr_pins_apply(const struct ofr_pins *p, uint64_t flit, unsigned me, bool *pinned)
{
    unsigned cls = flit >> OFR_PKT_CLASS_LSB & 3, q = p->entry & node_mask(p);
    *pinned = false;
    if (!p->active || cls == OFR_PKT_CLASS_DIRECTED)
        return flit;
    switch (p->entry >> OFR_PINS_DATA_MODE_LSB) {
    case OFR_PINS_DATA_MODE_MINIMAL:
        *pinned = cls == OFR_PKT_CLASS_DEROUTE;
        return *pinned ? with_class(flit, OFR_PKT_CLASS_MINIMAL) : flit;
    case OFR_PINS_DATA_MODE_IDN:
        if (q != me) {
            *pinned = true;
            flit &= ~((uint64_t)0xfff << OFR_PKT_TARGET_X_LSB | (uint64_t)1 << OFR_PKT_LEG_LSB);
            return with_class(flit | (uint64_t)q << OFR_PKT_TARGET_X_LSB, OFR_PKT_CLASS_INORDER);
        }
        // fall through
    case OFR_PINS_DATA_MODE_ESCAPE:
        *pinned = cls != OFR_PKT_CLASS_INORDER;
        return with_class(flit, OFR_PKT_CLASS_INORDER);
    case OFR_PINS_DATA_MODE_UNREACHABLE:
        return with_class(flit | (uint64_t)15 << OFR_PKT_TARGET_X_LSB, OFR_PKT_CLASS_DIRECTED);
    default:
        return flit;
    }
}

uint32_t ofr_pins_read(const struct ofr_pins *p, unsigned offset)
{
    switch (offset) {
    case OFR_PINS_CONTROL:
        return p->enable;
    case OFR_PINS_CLEAR:
        return p->clearing;
    case OFR_PINS_ADDR:
        return p->addr;
    default:
        return 0;
    }
}

static void clear(struct ofr_pins *p, bool copy)
{
    p->clearing = true;
    p->copy = copy;
    p->got = false;
    p->clear_addr = 0;
}

bool ofr_pins_write(struct ofr_pins *p, unsigned offset, uint32_t v)
{
    unsigned mode = v >> OFR_PINS_DATA_MODE_LSB & 7;
    switch (offset) {
    case OFR_PINS_CONTROL:
        if (!(v & OFR_PINS_CONTROL_ENABLE_MASK)) {
            p->enable = false;
            break;
        }
        if (p->clearing || p->was_clearing)
            return false;
        p->enable = true;
        p->bank = !p->bank;
        clear(p, true);
        break;
    case OFR_PINS_CLEAR:
        clear(p, v & OFR_PINS_CLEAR_COPY_MASK);
        break;
    case OFR_PINS_ADDR:
        p->addr = (uint16_t)(v & node_mask(p));
        break;
    case OFR_PINS_DATA:
        if (p->clearing || p->was_clearing || mode > OFR_PINS_DATA_MODE_UNREACHABLE)
            return false;
        p->table[!p->bank][p->addr] =
            (uint16_t)(mode << OFR_PINS_DATA_MODE_LSB | (v & node_mask(p)));
        p->addr = (uint16_t)((p->addr + 1) & node_mask(p));
        break;
    default:
        break;
    }
    return true;
}

bool ofr_pins_idle(const struct ofr_pins *p)
{
    return !p->clearing && !p->was_clearing;
}
