// SPDX-License-Identifier: Apache-2.0
// What must be true after every cycle: no packet, no room and no count is lost or doubled, and of
// the escape ring a packet's room is free.
#include <stdlib.h>

#include "dragonfly/sim.h"

// Whether an input VC, by number, is the ring's.
static bool of_ring(const struct net_sim *sim, size_t at)
{
    return net_df_is_ring(&sim->shape, (unsigned)(at / sim->vcs % sim->d.ports),
                          (unsigned)(at % sim->vcs));
}

// Packets on a part's links; adds the room that they and the credits have, and those for the ring.
static uint64_t on_links(const struct net_sim *sim, uint32_t *room, uint64_t *ring)
{
    uint64_t packets = 0;
    for (uint32_t slot = 0; slot < sim->slots; slot++) {
        packets += sim->arrival[slot].count;
        for (uint32_t i = 0; i < sim->arrival[slot].count; i++) {
            uint32_t at = net_df_packet(sim, sim->arrival[slot].item[i])->at;
            if (at != UINT32_MAX) {
                room[at]++;
                *ring += of_ring(sim, at);
            }
        }
        for (uint32_t i = 0; i < sim->credits[slot].count; i++) { // by output: the other end
            uint32_t out = sim->credits[slot].item[i], port = out / sim->vcs;
            unsigned back;
            uint32_t peer =
                net_dragonfly_peer(&sim->d, port / sim->d.ports, port % sim->d.ports, &back);
            room[net_df_port_of(sim, peer, back) * sim->vcs + out % sim->vcs]++;
        }
    }
    return packets;
}

const char *net_df_check(const struct net_sim *sim)
{
    size_t vcs = (size_t)sim->d.routers * sim->d.ports * sim->vcs;
    uint32_t *room = calloc(vcs, sizeof *room); // of each input VC, what is taken or given back
    const char *wrong = NULL;
    uint64_t packets = 0, ring = 0, rings_room = 0;
    for (size_t i = 0; room && i < vcs; i++) {
        uint32_t count = 0;
        for (uint32_t p = sim->queue[i].count ? sim->queue[i].first : NET_DF_NO_PACKET;
             p != NET_DF_NO_PACKET; p = net_df_packet(sim, p)->next) {
            count++;
            if (net_df_packet(sim, p)->at != i)
                wrong = "a packet is not where it says";
        }
        if (count != sim->queue[i].count)
            wrong = "a queue's count is not that of its packets";
        packets += count;
        ring += of_ring(sim, i) ? count : 0;
        room[i] += count;
    }
    for (uint32_t p = 0; room && p < sim->parts; p++)
        packets += on_links(sim->part[p], room, &ring);
    for (size_t i = 0; room && i < vcs; i++) {
        unsigned port = (unsigned)(i / sim->vcs % sim->d.ports), out;
        uint32_t router = (uint32_t)(i / sim->vcs / sim->d.ports);
        if (port >= sim->d.locals || i % sim->vcs >= net_df_vcs(&sim->shape, port))
            continue;
        uint32_t before = net_dragonfly_before(&sim->d, router, port, &out);
        uint32_t credit = sim->credit[net_df_port_of(sim, before, out) * sim->vcs + i % sim->vcs];
        if (room[i] + credit != net_df_room(sim, before, out))
            wrong = "room in a buffer is lost or doubled";
        // Of an embedded ring all links have the virtual channel, but it goes over few of them.
        const struct net_df_header h = {.ring = true};
        if (of_ring(sim, i) && net_df_ring(&sim->shape, &h, before).port == out)
            rings_room += net_df_room(sim, before, out);
    }
    if (room && rings_room && ring >= rings_room)
        wrong = "the escape ring has no bubble";
    free(room);
    const struct net_df_counts sum = net_df_sum(sim);
    if (packets != sum.in_flight || sum.created != sum.refused + sum.delivered + sum.in_flight)
        wrong = "packets are lost or doubled";
    return wrong;
}
