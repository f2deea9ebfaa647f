// SPDX-License-Identifier: Apache-2.0
#include "packet/swap.h"

#include <stdlib.h>
#include <string.h>

bool net_swap_init(struct net_swap *swap, uint32_t parts)
{
    *swap = (struct net_swap){
        .ranks = (uint32_t)net_ranks(), .rank = (uint32_t)net_rank(), .parts = parts};
    swap->to = calloc(swap->ranks, sizeof *swap->to);
    swap->from = calloc(swap->ranks, sizeof *swap->from);
    return swap->to && swap->from;
}

void net_swap_free(struct net_swap *swap)
{
    for (uint32_t r = 0; r < swap->ranks; r++) {
        if (swap->to)
            free(swap->to[r].bytes);
        if (swap->from)
            free(swap->from[r].bytes);
    }
    free(swap->to);
    free(swap->from);
}

// A parcel has for each pair of parts and each kind of mail: how much there is, and that; where
// there is none at all, nothing.
static void pack(struct net_box *box, struct net_parcel *parcel)
{
    uint32_t count = box->count;
    memcpy(net_parcel_more(parcel, sizeof count), &count, sizeof count);
    if (count)
        memcpy(net_parcel_more(parcel, count * sizeof *box->mail), box->mail,
               count * sizeof *box->mail);
    box->count = 0;
}

static const char *unpack(struct net_box *box, const char *at)
{
    uint32_t count;
    memcpy(&count, at, sizeof count);
    at += sizeof count;
    if (!count)
        return at;
    if (count > box->capacity) { // as a parcel grows
        struct net_parcel grown = {(char *)box->mail, 0, box->capacity * sizeof *box->mail};
        net_parcel_more(&grown, count * sizeof *box->mail);
        box->mail = (struct net_mail *)(void *)grown.bytes;
        box->capacity = (uint32_t)(grown.capacity / sizeof *box->mail);
    }
    memcpy(box->mail, at, count * sizeof *box->mail);
    box->count = count;
    return at + count * sizeof *box->mail;
}

uint64_t net_swap(struct net_swap *swap, struct net_post *posts, uint64_t next)
{
    uint32_t all = swap->ranks * swap->parts, own = swap->rank * swap->parts;
    for (uint32_t r = 0; r < swap->ranks; r++) {
        uint32_t mail = 0;
        swap->to[r].size = 0;
        for (uint32_t pair = 0; r != swap->rank && pair < swap->parts * swap->parts; pair++) {
            uint32_t from = own + pair / swap->parts, to = r * swap->parts + pair % swap->parts;
            struct net_box *boxes = posts[(size_t)from * all + to].box;
            for (int kind = 0; kind < MAIL_KINDS; kind++) {
                mail += boxes[kind].count;
                pack(&boxes[kind], &swap->to[r]);
            }
        }
        if (!mail)
            swap->to[r].size = 0;
    }
    next = net_ranks_swap(next, swap->to, swap->from);
    for (uint32_t r = 0; r < swap->ranks; r++) {
        const char *at = swap->from[r].bytes;
        for (uint32_t pair = 0; swap->from[r].size && pair < swap->parts * swap->parts; pair++) {
            uint32_t from = r * swap->parts + pair / swap->parts, to = own + pair % swap->parts;
            struct net_box *boxes = posts[(size_t)from * all + to].box;
            for (int kind = 0; kind < MAIL_KINDS; kind++)
                at = unpack(&boxes[kind], at);
        }
    }
    return next;
}
