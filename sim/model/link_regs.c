// SPDX-License-Identifier: Apache-2.0
#include "link_regs.h"

#include "ofr_regs.h"

#include <string.h>

enum { UP, SINCE, LONGEST, FALLS, FRAMES, CRC, RETRY, PORT_BYTES = 0x40 };

void ofr_link_regs_init(struct ofr_link_regs *regs, const struct ofr_shape *shape)
{
    memset(regs, 0, sizeof *regs);
    regs->ports = 2U * shape->n;
    regs->tick = shape->links;
    regs->bits = shape->link_bits;
}

static uint32_t more(uint32_t value, unsigned by)
{
    return value > UINT32_MAX - by ? UINT32_MAX : value + by;
}

// What counters are after a tick in which all that happened, and at whose end the link is up or
// not.
static void count(struct ofr_link_regs_port *p, bool up)
{
    const uint32_t *old = p->shown;
    uint32_t *next = p->next;
    next[UP] = more(old[UP], up);
    next[SINCE] = up != p->up ? 0 : more(old[SINCE], 1);
    next[LONGEST] = !up && old[UP] && next[SINCE] > old[LONGEST] ? next[SINCE] : old[LONGEST];
    next[FALLS] = more(old[FALLS], p->fell);
    next[FRAMES] = more(old[FRAMES], p->frames);
    next[CRC] = more(old[CRC], p->bad);
    next[RETRY] = more(old[RETRY], p->retries);
}

void ofr_link_regs_step(struct ofr_link_regs *regs, const struct ofr_link_status status[OFR_LINKS],
                        const bool link_up[OFR_LINKS], bool tick)
{
    for (unsigned i = 0; i < regs->ports; i++) {
        struct ofr_link_regs_port *p = &regs->port[i];
        p->now = status[i];
        if (tick) {
            memcpy(p->shown, p->next, sizeof p->shown);
            count(p, link_up[i]);
            p->up = link_up[i];
            p->frames = p->retries = p->bad = 0;
            p->fell = false;
        }
        p->frames += p->now.frame;
        p->retries += p->now.retry;
        p->bad += p->now.bad;
        p->fell |= p->now.down;
    }
}

uint32_t ofr_link_regs_read(const struct ofr_link_regs *regs, unsigned offset)
{
    unsigned i = (offset - OFR_LINKS_UP) / PORT_BYTES, at = (offset - OFR_LINKS_UP) % PORT_BYTES;
    if (offset < OFR_LINKS_UP || i >= regs->ports)
        return 0;
    const struct ofr_link_regs_port *p = &regs->port[i];
    switch (OFR_LINKS_UP + at) {
    case OFR_LINKS_STATE:
        return (uint32_t)p->now.state << OFR_LINKS_STATE_NOW_LSB |
               (uint32_t)p->now.why << OFR_LINKS_STATE_WHY_LSB |
               (uint32_t)regs->tick << OFR_LINKS_STATE_TICK_LSB |
               (uint32_t)regs->bits << OFR_LINKS_STATE_BITS_LSB;
    case OFR_LINKS_PEER_LOW:
        return (uint32_t)p->now.peer;
    case OFR_LINKS_PEER_HIGH:
        return (uint32_t)(p->now.peer >> 32);
    default:
        return at / 4 < OFR_LINK_COUNTERS ? p->shown[at / 4] : 0;
    }
}
