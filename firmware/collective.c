// SPDX-License-Identifier: Apache-2.0
// Collectives (protocol.h, OFR_MODE_COLLECTIVE): a tree from the gateway along z, from there along
// y, from there along x. A board has a part in it for each role: for its host, its plane, its row.
#include "aggregate.h"
#include "fw_parts.h"

// A role covers dimensions role to 0. Along a dimension above 0 the targets are the other nodes of
// the line, which cover what is below it; along x all nodes, this one too, which just execute.
static void take_setup(struct fw *fw, struct fw_collective *all)
{
    uint32_t size = node_read(fw, OFR_NODE_SIZE), coord = node_read(fw, OFR_NODE_COORD);
#pragma GCC unroll 3
    for (unsigned i = 0; i < 3; i++) {
        all->k[i] = size >> 8 * i & 31;
        all->me[i] = coord >> 8 * i & 15;
    }
    all->me_packed = (uint16_t)((coord & 15) | (coord >> 4 & 0xf0) | (coord >> 8 & 0xf00));
}

// Number of the node at `at` on our line along `dim`.
static unsigned target_node(const struct fw_collective *all, unsigned dim, unsigned at)
{
    unsigned c[3] = {all->me[0], all->me[1], all->me[2]};
    c[dim] = at;
    return c[0] + all->k[0] * (c[1] + (unsigned)all->k[1] * c[2]);
}

static inline bool has_answered(const struct fw_collective *all, unsigned dim, unsigned at)
{
    return all->answered[dim] >> at & 1;
}

// The response, final or PENDING, to whoever asked.
static void collective_answer(struct fw *fw, unsigned role)
{
    struct fw_collective *all = &fw->all[role];
    uint32_t m[OFR_MESSAGE_WORDS] = {all->request[0], all->request[1], all->data[0],
                                     all->data[1],    all->data[2],    all->data[3]};
    respond(m, all->status);
    m[1] = (m[1] & 0xffff) | (uint32_t)(all->status ? all->bad : all->count) << 16;
    if (role != FOR_HOST) {
        m[0] |= (role + 1u) << OFR_LEVEL_LSB;
        if (!all->missing)
            to_address(fw, m, all->reply_to, OFR_MESSAGE_BYTES);
        return;
    }
    if (all->missing) {
        unsigned dim = role, at = 0;
        while (has_answered(all, dim, at))
            if (++at == all->k[dim]) {
                at = 0;
                dim--;
            }
        respond(m, OFR_PENDING);
        m[2] = all->missing;
        m[3] = target_node(all, dim, at);
    }
    to_host(fw, m, OFR_MODE_COLLECTIVE, 0);
}

// A target's response. The network interface's slot must be free, for the answer.
static void collective_take(struct fw *fw, unsigned role, const uint32_t *m, unsigned dim,
                            unsigned at)
{
    struct fw_collective *all = &fw->all[role];
    unsigned status = arg_of(m);
    if (at >= all->k[dim] || has_answered(all, dim, at))
        return;
    all->answered[dim] |= (uint16_t)(1u << at);
    if (!status) {
        all->count += dim ? m[1] >> 16 : 1;
        if (!all->status)
            aggregate_add(all->aggregate, all->data, m + 2, dim);
    } else if (!all->status) {
        all->status = (uint8_t)status;
        all->bad = (uint16_t)(dim ? m[1] >> 16 : target_node(all, dim, at));
        for (unsigned i = 0; i < 4; i++)
            all->data[i] = m[2 + i];
    }
    if (!--all->missing)
        collective_answer(fw, role);
}

// On to the dimension below, past those where there is nobody else; along x this node comes too.
static void next_line(struct fw_collective *all)
{
    do
        all->left--;
    while (all->left > 1 && all->k[all->left - 1] == 1);
    all->at = 1;
}

// To all targets (again), those that have most to do first, and this node last.
static void sweep(struct fw_collective *all, unsigned role)
{
    all->left = (uint8_t)(role + 2);
    next_line(all);
}

void collective_request(struct fw *fw, unsigned role, const uint32_t *m, unsigned aggregate,
                        uint32_t reply_to)
{
    struct fw_collective *all = &fw->all[role];
    if (same_request(all->request, m)) {
        all->reply_to = (uint16_t)reply_to;
        collective_answer(fw, role);
        if (all->missing)
            sweep(all, role);
        return;
    }
    take_setup(fw, all);
    copy_message(all->request, m);
    all->request[0] &= ~(uint32_t)OFR_LEVEL_MASK;
    all->request[1] &= 0xffff;
    if (role == FOR_HOST && starts_from_now(m))
        start_at(all->request, node_read(fw, OFR_NODE_TIME));
    all->aggregate = (uint8_t)aggregate;
    all->reply_to = (uint16_t)reply_to;
    aggregate_begin(aggregate, all->data);
    all->count = all->bad = all->status = all->missing = 0;
    for (unsigned dim = 0; dim <= role; dim++) {
        all->answered[dim] = dim ? (uint16_t)(1u << all->me[dim]) : 0;
        all->missing = (uint8_t)(all->missing + all->k[dim] - (dim ? 1 : 0));
    }
    sweep(all, role);
}

bool collective_step(struct fw *fw, unsigned role)
{
    struct fw_collective *all = &fw->all[role];
    if (fw->out_full)
        return false;
    unsigned dim = all->left - 1u, k = all->k[dim], at = all->me[dim] + all->at;
    if (at >= k)
        at -= k;
    if (++all->at == k + !dim)
        next_line(all);
    if (has_answered(all, dim, at))
        return true;
    uint32_t m[OFR_MESSAGE_WORDS];
    copy_message(m, all->request);
    if (dim) {
        m[0] |= dim << OFR_LEVEL_LSB;
        m[1] |= (uint32_t)all->aggregate << 16;
    } else if (at == all->me[0]) {
        execute(fw, m, 7);
        collective_take(fw, role, m, dim, at);
        return true;
    }
    to_address(fw, m, (all->me_packed & ~((uint32_t)15 << 4 * dim)) | at << 4 * dim,
               OFR_MESSAGE_BYTES);
    return true;
}

bool collective_response(struct fw *fw, const uint32_t *m, uint32_t from)
{
    unsigned dim = m[0] >> OFR_LEVEL_LSB & 3;
    for (unsigned role = dim; role < ROLES; role++) {
        struct fw_collective *all = &fw->all[role];
        if (!all->request[0] || !same_request(all->request, m))
            continue;
        if (!((from ^ all->me_packed) & ~((uint32_t)15 << 4 * dim)))
            collective_take(fw, role, m, dim, from >> 4 * dim & 15);
        return true;
    }
    return false;
}
