// SPDX-License-Identifier: Apache-2.0
#include "local.h"

#include "packet.h"

#include <string.h>

bool ofr_local_init(struct ofr_local *l, unsigned n, unsigned flit_bits, unsigned slot_flits)
{
    if ((n != 2 && n != 3) || (flit_bits != 16 && flit_bits != 32 && flit_bits != 64) ||
        slot_flits < ofr_min_flits(flit_bits) || slot_flits > 1024)
        return false;
    memset(l, 0, sizeof *l);
    ofr_ni_init(&l->ni, n, flit_bits);
    ofr_gen_init(&l->gen, n, flit_bits, slot_flits);
    ofr_check_init(&l->check, n, flit_bits);
    return true;
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
    ofr_check_step(&l->check, &to_check, in->time, in->config);
    if (take) {
        l->busy = !out.last;
        l->ni_turn = turn;
    }
}

uint32_t ofr_local_read(struct ofr_local *l, unsigned offset)
{
    return ofr_ni_read(&l->ni, offset) | ofr_gen_read(&l->gen, offset) |
           ofr_check_read(&l->check, offset);
}

bool ofr_local_write(struct ofr_local *l, unsigned offset, uint32_t value,
                     const struct ofr_config *config)
{
    ofr_check_write(&l->check, offset, value);
    return ofr_ni_write(&l->ni, offset, value, config) && ofr_gen_write(&l->gen, offset, value);
}

bool ofr_local_idle(const struct ofr_local *l)
{
    return ofr_ni_idle(&l->ni) && ofr_gen_idle(&l->gen) && ofr_check_idle(&l->check);
}
