// SPDX-License-Identifier: Apache-2.0
#include "local.h"

#include "ofr_regs.h"

#include <string.h>

bool ofr_local_init(struct ofr_local *l, const struct ofr_shape *shape)
{
    unsigned n = shape->n, w = shape->flit_bits;
    if ((n != 2 && n != 3) || (w != 16 && w != 32 && w != 64) ||
        shape->slot_flits < ofr_min_flits(w) || shape->slot_flits > 1024)
        return false;
    memset(l, 0, sizeof *l);
    l->without = shape->without;
    ofr_ni_init(&l->ni, n, w);
    ofr_gen_init(&l->gen, n, w, shape->slot_flits);
    ofr_check_init(&l->check, n, w);
    return true;
}

// The part whose register block an offset is in is not there.
static bool absent(const struct ofr_local *l, unsigned offset)
{
    unsigned block = offset & ~0xffU;
    return ((l->without & OFR_WITHOUT_GEN) && block == OFR_GEN_CONTROL) ||
           ((l->without & OFR_WITHOUT_CHECK) && block == OFR_CHECK_CONTROL);
}

// Between packets management goes first, also before a user flit that still waits for its VC.
static bool ni_selected(const struct ofr_local *l)
{
    return l->busy ? l->ni_turn : l->ni.out.valid;
}

struct ofr_flit ofr_local_out(const struct ofr_local *l)
{
    return ni_selected(l) ? l->ni.out : l->gen.out;
}

void ofr_local_step(struct ofr_local *l, const struct ofr_local_in *in)
{
    bool turn = ni_selected(l);
    struct ofr_flit out = ofr_local_out(l);
    bool take = out.valid && in->li_ready[out.vc];

    struct ofr_flit to_ni = in->lo, to_check = in->lo;
    bool mgmt = l->receiving ? l->to_ni : in->lo.data >> OFR_PKT_MGMT_LSB & 1;
    to_ni.valid = in->lo.valid && mgmt;
    to_check.valid = in->lo.valid && !mgmt;
    if (in->lo.valid) {
        l->receiving = !in->lo.last;
        l->to_ni = mgmt;
    }

    ofr_ni_step(&l->ni, take && turn, &to_ni, in->config);
    ofr_gen_step(&l->gen, take && !turn, in->time, in->config);
    if (!(l->without & OFR_WITHOUT_CHECK))
        ofr_check_step(&l->check, &to_check, in->time, in->config);
    if (take) {
        l->busy = !out.last;
        l->ni_turn = turn;
    }
}

uint32_t ofr_local_read(struct ofr_local *l, unsigned offset)
{
    if (absent(l, offset))
        return 0;
    return ofr_ni_read(&l->ni, offset) | ofr_gen_read(&l->gen, offset) |
           ofr_check_read(&l->check, offset);
}

bool ofr_local_write(struct ofr_local *l, unsigned offset, uint32_t value,
                     const struct ofr_config *config)
{
    if (absent(l, offset))
        return false;
    ofr_check_write(&l->check, offset, value);
    return ofr_ni_write(&l->ni, offset, value, config) && ofr_gen_write(&l->gen, offset, value);
}

bool ofr_local_idle(const struct ofr_local *l)
{
    bool check = l->without & OFR_WITHOUT_CHECK || ofr_check_idle(&l->check);
    return ofr_ni_idle(&l->ni) && ofr_gen_idle(&l->gen) && check;
}
