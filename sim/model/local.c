// SPDX-License-Identifier: Apache-2.0
#include "local.h"

#include "packet.h"

#include <string.h>

bool ofr_local_init(struct ofr_local *l, const struct ofr_shape *shape,
                    const struct ofr_local_parts *parts)
{
    struct ofr_channel_shape ends = {.n = shape->n,
                                     .flit_bits = shape->flit_bits,
                                     .slot_flits = shape->slot_flits,
                                     .ends = shape->channels,
                                     .room = shape->room};
    struct ofr_datagram_shape packets = {.n = shape->n,
                                         .flit_bits = shape->flit_bits,
                                         .slot_flits = shape->slot_flits,
                                         .room = shape->datagrams};
    struct ofr_collective_shape group = {.flit_bits = shape->flit_bits,
                                         .children = shape->collectives};
    unsigned n = shape->n, w = shape->flit_bits;
    if ((n != 2 && n != 3) || (w != 16 && w != 32 && w != 64) ||
        shape->slot_flits < ofr_min_flits(w) || shape->slot_flits > 1024)
        return false;
    memset(l, 0, sizeof *l);
    l->without = shape->without;
    ofr_ni_init(&l->ni, n, w);
    ofr_gen_init(&l->gen, n, w, shape->slot_flits);
    ofr_check_init(&l->check, n, w);
    ofr_pins_init(&l->pins, n);
    l->channels = shape->channels ? parts->channels : NULL;
    l->datagrams = shape->datagrams ? parts->datagrams : NULL;
    l->collectives = shape->collectives ? parts->collectives : NULL;
    unsigned pairs = shape->collectives ? shape->collectives + 1U : 0;
    return pairs <= shape->channels &&
           (!l->channels || ofr_channels_init(l->channels, &ends, pairs)) &&
           (!l->datagrams || ofr_datagrams_init(l->datagrams, &packets)) &&
           (!l->collectives || ofr_collectives_init(l->collectives, &group));
}

// The part whose register block an offset is in is not there.
static bool absent(const struct ofr_local *l, unsigned offset)
{
    unsigned block = offset & ~0xffU;
    return ((l->without & OFR_WITHOUT_GEN) && block == OFR_GEN_CONTROL) ||
           ((l->without & OFR_WITHOUT_CHECK) && block == OFR_CHECK_CONTROL) ||
           ((l->without & OFR_WITHOUT_PINS) && block == OFR_PINS_CONTROL);
}

// The header flit as it enters the router.
static uint64_t header_out(const struct ofr_local *l, uint64_t flit,
                           const struct ofr_config *config, bool *pinned)
{
    *pinned = false;
    if (l->without & OFR_WITHOUT_PINS)
        return flit;
    return ofr_pins_apply(&l->pins, flit, ofr_coord_word(&config->me, l->pins.n), pinned);
}

struct ofr_flit ofr_local_out(const struct ofr_local *l, const struct ofr_config *config)
{
    struct ofr_flit out = l->ni_turn ? l->ni.out : l->user;
    bool narrow = l->gen.flit_bits == 16, pinned; // DEST is in the second flit
    uint64_t epoch = (uint64_t)1 << (narrow ? OFR_PKT_EPOCH_LSB - 16 : OFR_PKT_EPOCH_LSB);
    out.vc = l->vc;
    if (!l->busy) {
        bool deroute = (out.data >> OFR_PKT_CLASS_LSB & 3) == OFR_PKT_CLASS_DEROUTE;
        out.data = header_out(l, out.data, config, &pinned);
        out.vc = l->ni_turn ? OFR_LVC_MGMT : deroute ? OFR_LVC_DEROUTE : OFR_LVC_USER;
    }
    if (narrow ? l->busy && l->second : !l->busy)
        out.data = config->epoch ? out.data | epoch : out.data & ~epoch;
    return out;
}

// The flit that is next of the users', and whose. They have turns, a packet each.
static struct ofr_flit next_user(const struct ofr_local *l, unsigned *user)
{
    struct ofr_flit flit[OFR_LOCAL_USERS] = {[OFR_LOCAL_GENERATOR] = l->gen.out};
    if (l->channels)
        flit[OFR_LOCAL_CHANNEL] = ofr_channels_tx(l->channels);
    if (l->datagrams)
        flit[OFR_LOCAL_DATAGRAM] = ofr_datagrams_tx(l->datagrams);
    *user = l->user_turn;
    if (l->user_busy)
        return flit[*user];
    for (unsigned i = 1; i <= OFR_LOCAL_USERS; i++) {
        *user = (l->user_turn + i) % OFR_LOCAL_USERS;
        if (flit[*user].valid)
            return flit[*user];
    }
    *user = OFR_LOCAL_GENERATOR;
    return flit[*user];
}

// Header word ROUTE of the packet that may be at the port in two cycles: a look-up takes that long.
// A packet has 4 flits or more, so one of the user's three is a header at most.
static unsigned next_route(const struct ofr_local *l)
{
    unsigned user;
    if (l->ni.out.valid && !(l->ni_turn && l->busy))
        return (unsigned)l->ni.out.data;
    if (l->user.valid && (l->ni_turn || !l->busy))
        return (unsigned)l->user.data;
    if (l->next.valid && !l->next.last)
        return (unsigned)l->next.data;
    return (unsigned)next_user(l, &user).data;
}

// A cycle of the channels and of the collectives over them.
static void step_channels(struct ofr_local *l, const struct ofr_local_in *in,
                          struct ofr_channels_in *channels)
{
    struct ofr_collectives_in collectives = {.pins = in->collective, .access = in->access};
    struct ofr_collective_out out;
    if (l->collectives) {
        for (unsigned p = 0; p < l->channels->pairs; p++) {
            collectives.from[p] = ofr_channels_from(l->channels, p);
            collectives.to_ready[p] = ofr_channels_to_ready(l->channels, p);
        }
        ofr_collectives_out(l->collectives, &collectives, &out);
        ofr_collectives_step(l->collectives, &collectives);
        channels->collective = &out;
    }
    ofr_channels_step(l->channels, channels);
    channels->collective = NULL; // it was of this cycle
}

// Takes the flit at the port, brings the next one there and looks up what follows. Between packets
// management goes first, also before a user flit that still waits for its VC.
static void step_in(struct ofr_local *l, const struct ofr_local_in *in,
                    const struct ofr_flit *to_users)
{
    struct ofr_flit out = ofr_local_out(l, in->config);
    bool take = out.valid && in->li_ready[out.vc], ni_take = take && l->ni_turn, pinned;
    bool user_moves = !l->user.valid || (take && !l->ni_turn);
    bool next_moves = !l->next.valid || user_moves;
    bool ni_waits = l->ni.out.valid && !ni_take;
    unsigned user;
    struct ofr_flit next = next_user(l, &user);
    bool goes = next.valid && next_moves;
    // A packet has 4 flits or more, so where its header is at the port it has not come in whole. A
    // user's header is directed only where the destination table has no way
    bool lost = take && !l->busy && !l->ni_turn && l->user_busy &&
                l->user_turn == OFR_LOCAL_DATAGRAM &&
                (out.data >> OFR_PKT_CLASS_LSB & 3) == OFR_PKT_CLASS_DIRECTED;

    if (take && !l->busy) {
        header_out(l, l->ni_turn ? l->ni.out.data : l->user.data, in->config, &pinned);
        l->pinned += pinned;
    }
    ofr_pins_step(&l->pins, next_route(l));
    ofr_gen_step(&l->gen, goes && user == OFR_LOCAL_GENERATOR, in->time, in->config);
    if (l->channels) {
        struct ofr_channels_in channels = {.pins = in->pins,
                                           .tx_ready = goes && user == OFR_LOCAL_CHANNEL,
                                           .rx = *to_users,
                                           .access = in->access,
                                           .config = in->config};
        step_channels(l, in, &channels);
    }
    if (l->datagrams) {
        struct ofr_datagrams_in datagram = {.pins = in->datagram,
                                            .tx_ready = goes && user == OFR_LOCAL_DATAGRAM,
                                            .tx_unreachable = lost,
                                            .rx = *to_users,
                                            .access = in->access,
                                            .config = in->config};
        ofr_datagrams_step(l->datagrams, &datagram);
    }
    if (goes) {
        l->user_busy = !next.last;
        l->user_turn = (uint8_t)user;
    }
    if (user_moves)
        l->user = l->next;
    if (next_moves)
        l->next = next;
    if (take) {
        l->second = !l->busy;
        l->busy = !out.last;
        l->vc = out.vc;
    }
    if (!l->busy)
        l->ni_turn = ni_waits && l->ni_known;
    l->ni_known = ni_waits;
}

void ofr_local_step(struct ofr_local *l, const struct ofr_local_in *in)
{
    struct ofr_flit out = ofr_local_out(l, in->config);
    bool ni_take = out.valid && in->li_ready[out.vc] && l->ni_turn;

    struct ofr_flit to_ni = in->lo, to_check = in->lo;
    bool mgmt = l->receiving ? l->to_ni : in->lo.data >> OFR_PKT_MGMT_LSB & 1;
    to_ni.valid = in->lo.valid && mgmt;
    to_check.valid = in->lo.valid && !mgmt;
    if (in->lo.valid) {
        l->receiving = !in->lo.last;
        l->to_ni = mgmt;
    }

    step_in(l, in, &to_check);
    ofr_ni_step(&l->ni, ni_take, &to_ni, in->config);
    if (!(l->without & OFR_WITHOUT_CHECK))
        ofr_check_step(&l->check, &to_check, in->time, in->config);
}

uint32_t ofr_local_read(struct ofr_local *l, unsigned offset)
{
    if (absent(l, offset))
        return 0;
    return ofr_ni_read(&l->ni, offset) | ofr_gen_read(&l->gen, offset) |
           ofr_check_read(&l->check, offset) | ofr_pins_read(&l->pins, offset) |
           (l->channels ? ofr_channels_read(l->channels, offset) : 0) |
           (l->datagrams ? ofr_datagrams_read(l->datagrams, offset) : 0) |
           (l->collectives ? ofr_collectives_read(l->collectives, offset) : 0);
}

bool ofr_local_write(struct ofr_local *l, unsigned offset, uint32_t value,
                     const struct ofr_config *config)
{
    // They see every write of the node's
    bool channels = !l->channels || ofr_channels_write(l->channels, offset, value, config);
    bool collectives = !l->collectives || ofr_collectives_write(l->collectives, offset, value);
    bool datagrams = !l->datagrams || ofr_datagrams_write(l->datagrams, offset, value);
    if (absent(l, offset) || !channels || !collectives || !datagrams)
        return false;
    ofr_check_write(&l->check, offset, value);
    return ofr_ni_write(&l->ni, offset, value, config) && ofr_gen_write(&l->gen, offset, value) &&
           ofr_pins_write(&l->pins, offset, value);
}

bool ofr_local_idle(const struct ofr_local *l)
{
    bool check = l->without & OFR_WITHOUT_CHECK || ofr_check_idle(&l->check);
    bool pins = l->without & OFR_WITHOUT_PINS || ofr_pins_idle(&l->pins);
    bool channels = !l->channels || ofr_channels_idle(l->channels);
    bool datagrams = !l->datagrams || ofr_datagrams_idle(l->datagrams);
    bool collectives = !l->collectives || ofr_collectives_idle(l->collectives);
    return channels && datagrams && collectives && ofr_ni_idle(&l->ni) && ofr_gen_idle(&l->gen) &&
           !l->next.valid && !l->user.valid && check && pins;
}
