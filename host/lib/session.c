// SPDX-License-Identifier: Apache-2.0
// A session: a connection from opening to closing, its lease and key.
#include "boards.h"

API int torus_open_transport(struct torus **out, struct torus_transport transport,
                             const struct torus_options *options)
{
    *out = handle_new(options);
    if (!*out)
        return TORUS_E_MEMORY;
    (*out)->transport = transport;
    return TORUS_OK;
}

API void torus_close(struct torus *t)
{
    if (!t)
        return;
    if (t->wrote && t->transport.read) {
        if (t->options.timeout > 1)
            t->options.timeout = 1;
        torus_release(t);
    }
    if (t->transport.close)
        t->transport.close(t->transport.ctx);
    handle_free(t);
}

API uint16_t torus_session(const struct torus *t)
{
    return t->session;
}

// Takes the lease of one board, as mode and key want it. q: the target is set.
static int lease_one(struct torus *t, struct request *q, unsigned log2_cycles)
{
    struct request base = *q;
    if (t->options.key) {
        q->m[0] = (base.m[0] & ~0xffffu) | OFR_OP_UNLOCK;
        q->m[4] = (uint32_t)t->options.key;
        q->m[5] = (uint32_t)(t->options.key >> 32);
        return ask(t, q, "unlock");
    }
    q->m[0] = (base.m[0] & ~0xffffu) | OFR_OP_LEASE | (t->options.take_over ? 2u << 8 : 0);
    q->m[4] = (q->m[4] & 0xffff) | (uint32_t)t->options.take_over << 16;
    q->m[5] = log2_cycles;
    return ask(t, q, "take the lease");
}

API int torus_lease(struct torus *t, unsigned log2_cycles)
{
    if (log2_cycles > 30)
        return fail(t, TORUS_E_USAGE, "a lease of 2^%u cycles: at most 30", log2_cycles);
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    // Of two sessions that begin at the same time the node at the origin decides.
    struct request q;
    by_address(&q, 0, 0, 0);
    int error = lease_one(t, &q, log2_cycles);
    if (error != TORUS_OK)
        return error;
    to_all(&q, OFR_AGG_OR, 0, 0);
    t->collectives++;
    return lease_one(t, &q, log2_cycles);
}

API int torus_release(struct torus *t)
{
    if (!t->good)
        return ok(t);
    int error = ask_all(t, OFR_AGG_OR, OFR_OP_LEASE, 1, NULL, NULL, "release the lease");
    // A session that was refused has leases on none or some; not having them is what we want.
    if (error == TORUS_E_BUSY)
        error = ok(t);
    if (error == TORUS_OK)
        t->wrote = false;
    return error;
}

API int torus_set_key(struct torus *t, uint64_t key)
{
    int error = torus_lease(t, 0);
    if (error != TORUS_OK)
        return error;
    uint32_t data[4] = {0, 0, (uint32_t)key, (uint32_t)(key >> 32)};
    error = ask_all(t, OFR_AGG_OR, OFR_OP_KEY, 0, data, NULL, "set the key");
    if (error == TORUS_OK)
        t->options.key = key;
    return error;
}
