// SPDX-License-Identifier: Apache-2.0
// Traffic from single boards to single boards. It takes no care that clocks are the same.
#include <stdlib.h>

#include "measure.h"

static int check(struct flows *f)
{
    struct torus *t = f->w.t;
    uint8_t *used = calloc(node_count(t), 1);
    int error = TORUS_OK;
    if (!used)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < f->count && error == TORUS_OK; i++) {
        struct torus_flow *w = &f->flow[i];
        unsigned node[2] = {0, 0};
        char place[16];
        for (unsigned e = 0; e < 2 && error == TORUS_OK; e++) {
            const uint8_t *c = e ? w->to : w->from;
            if (c[0] >= t->k[0] || c[1] >= t->k[1] || c[2] >= t->k[2]) {
                error =
                    fail(t, TORUS_E_USAGE, "%s is outside of the torus", place_text(t, c, place));
                break;
            }
            node[e] = node_of(t, c);
            if (used[node[e]] >> e & 1)
                error = fail(t, TORUS_E_USAGE, "two streams %s %s", e ? "to" : "from",
                             place_text(t, c, place));
            used[node[e]] |= (uint8_t)(1u << e);
        }
        if (error == TORUS_OK && node[0] == node[1])
            error =
                fail(t, TORUS_E_USAGE, "a stream from %s to itself", place_text(t, w->from, place));
    }
    free(used);
    return error;
}

static void look_at_shape(struct request *q, const uint8_t at[3])
{
    by_address(q, pack_at(at), OFR_OP_READ, 0);
    q->m[4] = (uint32_t)OFR_NODE_SHAPE << 16;
}

// Where not all boards have generator and checker: those at the ends are to have them. In f->q.
static int ends_built(struct flows *f)
{
    struct torus *t = f->w.t;
    char place[16];
    int error = parts_known(t);
    if (error != TORUS_OK || !traffic_missing(t->generator, t->checker))
        return error;
    for (unsigned i = 0; i < f->count; i++) {
        look_at_shape(&f->q[2 * i], f->flow[i].from);
        look_at_shape(&f->q[2 * i + 1], f->flow[i].to);
    }
    error = flows_ask(f, 2 * f->count, "read the boards' shapes", NULL);
    for (unsigned i = 0; i < 2 * f->count && error == TORUS_OK; i++) {
        const uint8_t *at = i & 1 ? f->flow[i / 2].to : f->flow[i / 2].from;
        uint32_t shape = f->q[i].r[5];
        const char *missing = traffic_missing(i & 1 || shape & OFR_NODE_SHAPE_GEN_MASK,
                                              !(i & 1) || shape & OFR_NODE_SHAPE_CHECK_MASK);
        if (missing)
            error = fail(t, TORUS_E_USAGE, "the board at %s is built without %s",
                         place_text(t, at, place), missing);
    }
    return error;
}

int flows_ask(struct flows *f, unsigned count, const char *what, bool *late)
{
    int error = exchange(f->w.t, f->q, count);
    for (unsigned i = 0; i < count && error == TORUS_OK; i++)
        if (late && f->q[i].status == OFR_LATE)
            *late = true;
        else
            error = status_error(f->w.t, &f->q[i], what);
    return error;
}

static void write_to(struct request *q, const uint8_t at[3], unsigned offset, uint32_t value)
{
    by_address(q, pack_at(at), OFR_OP_WRITE, 0);
    q->m[4] = (uint32_t)offset << 16;
    q->m[5] = value;
}

// Registers of the boards at one end of all streams, the same one of each.
static int write_ends(struct flows *f, bool to, unsigned offset, uint32_t value)
{
    for (unsigned i = 0; i < f->count; i++)
        write_to(&f->q[i], to ? f->flow[i].to : f->flow[i].from, offset, value);
    return flows_ask(f, f->count, "set the checkers up", NULL);
}

static int set_up(struct traffic *w)
{
    struct flows *f = (struct flows *)w;
    struct torus *t = w->t;
    uint32_t gen[4] = {f->ticks, f->messages,
                       f->flits << OFR_GEN_LENGTH_FLITS_LSB | 1u << OFR_GEN_LENGTH_PACKETS_LSB, 1};
    int error = ask_all(t, OFR_AGG_OR, OFR_OP_GEN,
                        OFR_GEN_CONTROL_PATTERN_FIXED | (unsigned)t->traffic << 4 |
                            (t->generation & 3) << 6,
                        gen, NULL, "set the generators up");
    if (error != TORUS_OK)
        return error;
    for (unsigned i = 0; i < f->count; i++)
        write_to(&f->q[i], f->flow[i].from, OFR_GEN_TARGET, pack_at(f->flow[i].to));
    return flows_ask(f, f->count, "set the generators up", NULL);
}

// Boards that only receive: their checkers. Then the sources, which set their own.
static int tell_each(struct flows *f, uint32_t from, uint32_t to, bool *late)
{
    int error = write_ends(f, true, OFR_CHECK_FROM, from);
    if (error == TORUS_OK)
        error = write_ends(f, true, OFR_CHECK_TO, to);
    if (error == TORUS_OK)
        error = write_ends(f, true, OFR_CHECK_CONTROL, 1);
    if (error != TORUS_OK)
        return error;
    for (unsigned i = 0; i < f->count; i++) {
        by_address(&f->q[i], pack_at(f->flow[i].from), OFR_OP_START, 1);
        f->q[i].m[3] = f->w.start;
        f->q[i].m[4] = from;
        f->q[i].m[5] = to;
    }
    return flows_ask(f, f->count, "start the generators", late);
}

static int begin(struct traffic *w, enum ofr_status *again)
{
    struct flows *f = (struct flows *)w;
    struct torus *t = w->t;
    bool late = false;
    uint32_t now;
    int error = torus_read(t, NULL, OFR_NODE_TIME, &now);
    w->start = now + t->ahead;
    uint32_t from = w->start + w->warmup, to = from + w->cycles;
    if (error == TORUS_OK && f->count == node_count(t)) {
        uint32_t data[4] = {0, w->start, from, to};
        error = ask_all(t, OFR_AGG_OR, OFR_OP_START, 1, data, NULL, "start the generators");
        late = error == TORUS_E_BOARD && t->status == OFR_LATE;
        error = late ? TORUS_OK : error;
    } else if (error == TORUS_OK) {
        error = tell_each(f, from, to, &late);
    }
    *again = late ? OFR_LATE : OFR_OK;
    return error;
}

// What sources have sent and destinations received.
static int look(struct traffic *w, struct traffic_seen *seen)
{
    struct flows *f = (struct flows *)w;
    seen->ended = true;
    for (unsigned i = 0; i < f->count; i++) {
        struct request *q = &f->q[2 * i];
        by_address(q, pack_at(f->flow[i].from), OFR_OP_READ4, 0);
        q->m[2] = OFR_SEL_NODE | OFR_GEN_STATUS | (uint32_t)(OFR_SEL_NODE | OFR_GEN_SENT) << 16;
        q->m[3] = q->m[2];
        q++;
        by_address(q, pack_at(f->flow[i].to), OFR_OP_READ4, 0);
        q->m[2] =
            OFR_SEL_NODE | OFR_CHECK_RECEIVED | (uint32_t)(OFR_SEL_NODE | OFR_CHECK_ERRORS) << 16;
        q->m[3] =
            OFR_SEL_NODE | OFR_CHECK_ARRIVED | (uint32_t)(OFR_SEL_NODE | OFR_CHECK_ARRIVED) << 16;
    }
    int error = flows_ask(f, 2 * f->count, "read the generators", NULL);
    for (unsigned i = 0; i < f->count && error == TORUS_OK; i++) {
        const uint32_t *sent = f->q[2 * i].r + 2, *got = f->q[2 * i + 1].r + 2;
        struct torus_flow *flow = &f->flow[i];
        flow->sent = sent[1];
        flow->received = got[0];
        flow->errors = got[1];
        flow->accepted = (double)got[2] * f->flits / w->cycles;
        seen->ended = seen->ended && (sent[0] & OFR_GEN_STATUS_DONE_MASK);
        seen->sent += flow->sent;
        seen->arrived += flow->received + flow->errors;
    }
    return error;
}

static int read(struct traffic *w)
{
    struct flows *f = (struct flows *)w;
    for (unsigned i = 0; i < f->count; i++) {
        struct request *q = &f->q[i];
        by_address(q, pack_at(f->flow[i].to), OFR_OP_READ4, 0);
        q->m[2] = OFR_SEL_NODE | OFR_CHECK_COUNT | (uint32_t)(OFR_SEL_NODE | OFR_CHECK_MAX) << 16;
        q->m[3] =
            OFR_SEL_NODE | OFR_CHECK_SUM_LOW | (uint32_t)(OFR_SEL_NODE | OFR_CHECK_SUM_HIGH) << 16;
    }
    int error = flows_ask(f, f->count, "read the checkers", NULL);
    for (unsigned i = 0; i < f->count && error == TORUS_OK; i++) {
        const uint32_t *r = f->q[i].r + 2;
        f->flow[i].measured = r[0];
        f->flow[i].max = r[1];
        uint64_t sum = r[2] | (uint64_t)r[3] << 32;
        f->flow[i].mean = r[0] ? (double)sum / r[0] : 0;
        if (below_zero(r[1]))
            f->same = false;
    }
    return error == TORUS_OK && !f->same && !f->untimed ? clocks_differ(w->t) : error;
}

int flows_prepare(struct flows *f, struct torus_run *run)
{
    struct torus *t = f->w.t;
    f->w = (struct traffic){.t = t,
                            .warmup = run->warmup,
                            .cycles = run->cycles,
                            .set_up = set_up,
                            .begin = begin,
                            .look = look,
                            .read = read};
    f->same = true;
    int error = check_run(t, run);
    if (error == TORUS_OK)
        error = check(f);
    if (error != TORUS_OK || !f->count)
        return error;
    f->messages = messages_of(run, &f->ticks);
    f->flits = run->packet_flits;
    if (!f->messages)
        return fail(t, TORUS_E_USAGE, "load %g: packets would be more than 2^24 cycles apart",
                    run->load);
    f->q = calloc(2 * (size_t)f->count, sizeof *f->q);
    if (!f->q) {
        fail(t, TORUS_E_MEMORY, "out of memory");
        return TORUS_E_MEMORY;
    }
    return ends_built(f);
}
