// SPDX-License-Identifier: Apache-2.0
// The packets of users that go over each cable, counted where the simulator sees them: by their
// headers on the wires, whatever the boards' counters say. Management is left out.
#include "ledger.h"

#include "basics.h"

#include "ofr_regs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct ledger {
    uint64_t packets[OFR_LINKS];
    bool inside[OFR_LINKS]; // a packet: the next flit is no header
};

void open_ledger(struct sim *s)
{
    if (s->o.ledger)
        s->ledger = allocate(s->boards, sizeof *s->ledger);
}

void ledger_see(struct sim *s, uint32_t n, unsigned p, const struct ofr_flit *flit)
{
    if (!s->ledger || !flit->valid)
        return;
    struct ledger *l = &s->ledger[n];
    if (!l->inside[p])
        l->packets[p] += !(flit->data >> OFR_PKT_MGMT_LSB & 1);
    l->inside[p] = !flit->last;
}

void write_ledger(const struct sim *s)
{
    static const char *const ports[] = {"x+", "x-", "y+", "y-", "z+", "z-"};
    if (!s->ledger)
        return;
    FILE *f = fopen(s->o.ledger, "w");
    if (!f)
        die("--ledger %s: %s", s->o.ledger, strerror(errno));
    for (uint32_t n = 0; n < s->boards; n++)
        for (unsigned p = 0; p < 2U * s->o.torus.n; p++)
            fprintf(f, "%" PRIu32 " %s %" PRIu64 "\n", n, ports[p], s->ledger[n].packets[p]);
    if (fclose(f))
        die("--ledger %s: %s", s->o.ledger, strerror(errno));
}
