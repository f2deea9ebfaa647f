// SPDX-License-Identifier: Apache-2.0
// Bit error test of a cable: NODE.BERT at one end, what the physical layers of both have counted.
// While it runs only the end that is nearer to us is asked, for the time that is left and what it
// has counted: no way to it leads over the cable. What the other end has counted stays there until
// the link is up again.
#include <math.h>
#include <string.h>

#include "boards.h"

static const double longest = 86400; // seconds
static const double look = 0.25;     // between two looks, at most
enum {
    PORT_BYTES = 0x40,
    TICK_MOST = 20,
    TURN_BITS_LOG2 = 31, // that are counted without a new lock
    BACK_TICKS = 2048,   // within which a link is up again: a training at most
    MOST_TICKS = (1 << OFR_NODE_BERT_TICKS_BITS) - 1,
};

struct bert {
    struct torus *t;
    unsigned board, port;  // of the nearer end
    unsigned tick;         // log2 of cycles
    double seconds;        // of a tick
    double done, all;      // ticks
    struct torus_phy last; // of this turn, before its end
};

static int read_one(struct bert *b, uint16_t offset, uint32_t *value)
{
    return read_node(b->t, b->board, &offset, 1, value);
}

static int read_state(struct bert *b, uint32_t *state)
{
    return read_one(b, (uint16_t)(OFR_LINKS_STATE + PORT_BYTES * b->port), state);
}

static int write_test(struct bert *b, uint32_t value)
{
    return write_boards(b->t, b->board, 1, OFR_OP_WRITE, 0, OFR_NODE_BERT, value,
                        "begin a bit error test");
}

static int stands_still(const struct bert *b)
{
    return fail(b->t, TORUS_E_TIMEOUT, "the time of board %016llx stands still",
                (unsigned long long)b->t->boards[b->board].serial);
}

// With many errors a link that is up again falls soon, and then counts anew: what there was before.
static int look_at(struct bert *b)
{
    struct torus_phy phy;
    int error = read_phy(b->t, b->board, b->port, &phy);
    if (error == TORUS_OK && phy.bits > 0)
        b->last = phy;
    return error;
}

// For so many ticks.
static int turn(struct bert *b, double ticks)
{
    double patience = b->t->options.timeout, moved = monotonic();
    double nap = patience < look ? patience : look;
    uint32_t left = (uint32_t)ticks, before;
    int error = write_test(b, (1U << b->port) << OFR_NODE_BERT_PORTS_LSB | left);
    memset(&b->last, 0, sizeof b->last);
    while (error == TORUS_OK && left) {
        double rest = left * b->seconds;
        before = left;
        error = wait_more(b->t, rest < nap ? rest : nap);
        if (error == TORUS_OK)
            error = read_one(b, OFR_NODE_BERT, &left);
        left &= OFR_NODE_BERT_TICKS_MASK;
        if (left < before)
            moved = monotonic();
        else if (error == TORUS_OK && monotonic() - moved > patience)
            return stands_still(b);
        if (error == TORUS_OK && left)
            error = look_at(b);
        progress(b->t, "bit error test", b->done + ticks - left, b->all);
    }
    b->done += ticks;
    return error;
}

// Waits until the link is up again, or it is clear that it does not come up.
static int come_back(struct bert *b, bool *up)
{
    const uint16_t what[] = {OFR_NODE_TIME, (uint16_t)(OFR_LINKS_STATE + PORT_BYTES * b->port)};
    double moved = monotonic();
    uint32_t value[2] = {0}, since = 0, before = 0;
    int error = TORUS_OK;
    *up = false;
    for (bool first = true; error == TORUS_OK && !*up; first = false) {
        error = read_node(b->t, b->board, what, 2, value);
        unsigned is = value[1] >> OFR_LINKS_STATE_NOW_LSB & ((1U << OFR_LINKS_STATE_NOW_BITS) - 1);
        *up = error == TORUS_OK && is == OFR_LINKS_STATE_NOW_UP;
        since = first ? value[0] : since;
        if (value[0] - since > (uint32_t)BACK_TICKS << b->tick)
            break;
        if (first || value[0] != before)
            moved = monotonic();
        else if (error == TORUS_OK && monotonic() - moved > b->t->options.timeout)
            return stands_still(b);
        before = value[0];
        if (error == TORUS_OK && !*up)
            error = wait_more(b->t, 1e-3);
    }
    return error;
}

static void add(struct torus_phy *sum, const struct torus_phy *turn)
{
    struct torus_phy before = *sum;
    *sum = *turn;
    sum->bits += before.bits;
    for (unsigned w = 0; w < TORUS_WIRES; w++)
        sum->wire[w].errors += before.wire[w].errors;
}

static int read_ends(struct bert *b, struct torus_bert *out)
{
    for (unsigned i = 0; i < out->ends; i++) {
        struct torus_phy phy;
        int error = read_phy(b->t, out->end[i].board, out->end[i].port, &phy);
        if (i && error == TORUS_E_TIMEOUT) {
            out->ends = 1; // so many errors that the link has fallen again
            return ok(b->t);
        }
        if (error != TORUS_OK)
            return error;
        add(&out->end[i].phy, i == 0 && phy.bits < b->last.bits ? &b->last : &phy);
    }
    return TORUS_OK;
}

static int run(struct bert *b, struct torus_bert *out)
{
    double most = (double)(1U << (TURN_BITS_LOG2 - b->tick)) - 1;
    int error = TORUS_OK;
    most = most < MOST_TICKS ? most : MOST_TICKS;
    for (double turns = ceil(b->all / most); turns > 0 && error == TORUS_OK; turns--) {
        if (b->done > 0 && (out->up || !out->was_up)) // longer than a lease may last
            error = lease_keep(b->t);
        if (error == TORUS_OK)
            error = turn(b, ceil((b->all - b->done) / turns));
        if (error == TORUS_OK && out->was_up)
            error = come_back(b, &out->up);
        if (!out->up)
            out->ends = 1; // the other one may not be heard
        if (error == TORUS_OK)
            error = read_ends(b, out);
    }
    out->seconds = b->done * b->seconds;
    return error;
}

// The ends: both where the link is up, the nearer one first; else this one.
static void find_ends(const struct torus *t, unsigned board, unsigned port, struct torus_bert *out)
{
    const struct torus_board *b = &t->boards[board];
    const struct torus_bert_end here = {.board = board, .port = port};
    out->rate = t->clock; // a bit a cycle
    out->was_up = b->links >> port & 1;
    out->ends = 1;
    out->end[0] = here;
    if (!out->was_up || b->peer[port] < 0 ||
        (b->peer[port] == (int)board && b->peer_port[port] == (int)port))
        return;
    unsigned far = t->boards[b->peer[port]].hops < b->hops ? 0 : 1;
    out->ends = 2;
    out->end[1 - far] = here;
    out->end[far] = (struct torus_bert_end){.board = (unsigned)b->peer[port],
                                            .port = (unsigned)b->peer_port[port]};
}

API int torus_bert(struct torus *t, unsigned board, unsigned port, double seconds,
                   struct torus_bert *out)
{
    struct torus_phy phy;
    struct bert b = {.t = t};
    memset(out, 0, sizeof *out);
    if (board >= t->board_count || port >= 2u * t->boards[board].dims)
        return fail(t, TORUS_E_USAGE, "there is no board %u with a port %u: discover has found %u",
                    board, port, t->board_count);
    if (!(seconds > 0 && seconds <= longest))
        return fail(t, TORUS_E_USAGE, "a bit error test of %g s: more than 0, at most %g", seconds,
                    longest);
    int error = read_clock(t);
    if (error == TORUS_OK)
        error = read_phy(t, board, port, &phy);
    if (error == TORUS_OK && !phy.wires)
        error = fail(t, TORUS_E_BOARD,
                     "the links of board %016llx have no physical layer that could be tested",
                     (unsigned long long)t->boards[board].serial);
    if (error != TORUS_OK)
        return error;
    find_ends(t, board, port, out);
    b.board = out->end[0].board;
    b.port = out->end[0].port;
    uint32_t state;
    error = read_state(&b, &state);
    if (error != TORUS_OK)
        return error;
    b.tick = state >> OFR_LINKS_STATE_TICK_LSB & ((1U << OFR_LINKS_STATE_TICK_BITS) - 1);
    if (b.tick > TICK_MOST)
        return fail(t, TORUS_E_PROTOCOL, "board %016llx says STATE = 0x%08x",
                    (unsigned long long)t->boards[b.board].serial, state);
    b.seconds = (double)(1U << b.tick) / t->clock;
    b.all = ceil(seconds / b.seconds);
    error = lease_begin(t, 60 + 1.05 * seconds);
    if (error != TORUS_OK)
        return error;
    error = run(&b, out);
    if (error == TORUS_E_CANCELLED) { // the link need not wait for its time
        t->uncut++;
        write_test(&b, 0);
        bool up;
        come_back(&b, &up);
        t->uncut--;
        fail(t, error, "the bit error test was stopped before its end");
    }
    int given = lease_done(t, error);
    // Who does not hear us has it until its time is up
    return error == TORUS_OK && given != TORUS_E_CANCELLED ? ok(t) : given;
}
