// SPDX-License-Identifier: Apache-2.0
// One NODE.TIME for boards with clocks of their own that do not keep one by themselves
// (one_time.c).
//
// First by pings (clock.c), which leaves some hundred cycles. Then finely: neighbours send each
// other a few packets. A packet's lifetime is what it takes plus what the receiver's clock is ahead
// of the sender's; it takes the same both ways, so half the difference of the two is what one clock
// is ahead of the other (the clock offset of RFC 5905, section 8). From the pairs of neighbours
// follow the offsets of all boards to that we are plugged into, whose clock is the measure:
// averaged over all ways, and what is left round any ring, where the sum should be 0, tells how
// exact that is. Two such measurements, some time apart, give the rates. Both are taken out by
// NODE.TIME_ADD and NODE.TIME_RATE, and a last measurement says what is left.
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum {
    BASE = 100000, // least cycles between the measurements that give the rates
    TRIES = 12,    // measurements
    SWEEPS = 200,  // of averaging
    MARGIN = 1024, // and a cycle in 64: what clocks that pings have aligned may be apart later
};
static const double noise = 2;    // cycles by which two measurements of one offset may differ
static const double enough = 1.5; // cycles from the measure

struct pair {
    double step; // what the clock of the neighbour up is ahead
    double both; // the two lifetimes' sum
    bool good;   // measured, without a detour
};

struct align {
    struct torus *t;
    unsigned nodes, gateway;
    struct alignment *to;
    double *ahead, *wrong, *gain;
    uint32_t *add, *rate;
    struct torus_flow *flow;
    double *life;      // of the packets that a node sent
    bool *there;       // its a->ahead has been worked out
    struct pair *pair; // [dimension][node]
    double loose;      // largest difference between a pair and the offsets that all give
    uint32_t when;     // in the middle of the measurement
    uint32_t apart;    // at most, either way, before the first one
    uint32_t later;    // cycles that the next one begins later
};

static double magnitude(double x)
{
    return x < 0 ? -x : x;
}

static unsigned step_to(const struct torus *t, unsigned node, unsigned dim, unsigned by)
{
    uint8_t at[3];
    node_at(t, node, at);
    at[dim] = (uint8_t)((at[dim] + by) % t->k[dim]);
    return node_of(t, at);
}

// Who sends to whom in a dimension: places 0 and 1, 2 and 3 and so on to each other, or (odd) 1 and
// 2, and so on, round the ring where that has an even number of places. False: to none.
static bool partner(const struct torus *t, unsigned node, unsigned dim, bool odd, unsigned *other)
{
    uint8_t at[3];
    unsigned k = t->k[dim];
    node_at(t, node, at);
    bool to_upper = at[dim] % 2 == odd;
    *other = step_to(t, node, dim, to_upper ? 1 : k - 1);
    return k % 2 == 0 || (to_upper ? at[dim] < k - 1 : at[dim] > 0);
}

// Such a run, and what it says of its pairs: both ways at once, so that it does no harm how fast
// the clocks drift apart.
static int exchange_packets(struct align *a, unsigned dim, bool odd)
{
    unsigned count = 0, other;
    for (unsigned node = 0; node < a->nodes; node++) {
        if (!partner(a->t, node, dim, odd, &other))
            continue;
        a->flow[count] = (struct torus_flow){.sent = 0};
        node_at(a->t, node, a->flow[count].from);
        node_at(a->t, other, a->flow[count++].to);
    }
    int error = flow_lifetimes(a->t, a->flow, count, a->apart, a->later);
    a->later = 0;
    for (unsigned i = 0; i < count && error == TORUS_OK; i++)
        a->life[node_of(a->t, a->flow[i].from)] = a->flow[i].mean;
    for (unsigned node = 0; node < a->nodes && error == TORUS_OK; node++)
        if (partner(a->t, node, dim, odd, &other) && other == step_to(a->t, node, dim, 1))
            a->pair[dim * a->nodes + node] =
                (struct pair){.step = (a->life[node] - a->life[other]) / 2,
                              .both = a->life[node] + a->life[other],
                              .good = true};
    return error;
}

// Packets that take a detour (a destination table's) say nothing: three hops for one at least.
static void leave_detours_out(struct align *a)
{
    double least = 0;
    for (unsigned i = 0; i < a->t->dims * a->nodes; i++)
        if (a->pair[i].good && (least <= 0 || a->pair[i].both < least))
            least = a->pair[i].both;
    for (unsigned i = 0; i < a->t->dims * a->nodes; i++)
        a->pair[i].good = a->pair[i].good && a->pair[i].both < 1.5 * least;
}

// What the pairs say of a node: what its clock is ahead, on average over the neighbours that have
// been worked out. False: none has.
static bool from_neighbours(const struct align *a, unsigned node, double *ahead)
{
    double sum = 0, count = 0;
    for (unsigned dim = 0; dim < a->t->dims; dim++) {
        unsigned above = step_to(a->t, node, dim, 1);
        unsigned below = step_to(a->t, node, dim, a->t->k[dim] - 1u);
        const struct pair *up = &a->pair[dim * a->nodes + node];
        const struct pair *down = &a->pair[dim * a->nodes + below];
        if (up->good && a->there[above]) {
            sum += a->ahead[above] - up->step;
            count++;
        }
        if (down->good && a->there[below]) {
            sum += a->ahead[below] + down->step;
            count++;
        }
    }
    *ahead = count > 0 ? sum / count : 0;
    return count > 0;
}

// a->ahead from the pairs: by any way first, then averaged over all (Gauss and Seidel's method).
static int offsets(struct align *a)
{
    unsigned known = 1, before = 0;
    memset(a->there, 0, a->nodes * sizeof *a->there);
    a->there[a->gateway] = true;
    a->ahead[a->gateway] = 0;
    for (unsigned sweep = 0; known > before || sweep < SWEEPS; sweep++) {
        before = known;
        for (unsigned node = 0; node < a->nodes; node++) {
            if (node == a->gateway || !from_neighbours(a, node, &a->ahead[node]))
                continue;
            known += !a->there[node];
            a->there[node] = true;
        }
    }
    a->loose = 0;
    for (unsigned i = 0; i < a->t->dims * a->nodes; i++) {
        unsigned from = i % a->nodes, to = step_to(a->t, from, i / a->nodes, 1);
        double off = magnitude(a->ahead[to] - a->ahead[from] - a->pair[i].step);
        if (a->pair[i].good && off > a->loose)
            a->loose = off;
    }
    return known == a->nodes ? TORUS_OK
                             : fail(a->t, TORUS_E_BOARD,
                                    "the clocks of %u boards cannot be aligned: packets to each of "
                                    "their neighbours take a detour",
                                    a->nodes - known);
}

// What the clocks are ahead, into a->ahead, at a->when.
static int measure(struct align *a)
{
    struct torus *t = a->t;
    uint32_t from, to, later = a->later;
    int error = torus_read(t, NULL, OFR_NODE_TIME, &from);
    if (error == TORUS_OK)
        a->apart += MARGIN + (from - a->to->when) / 64;
    for (unsigned dim = 0; dim < t->dims && error == TORUS_OK; dim++) {
        if (t->k[dim] > 1)
            error = exchange_packets(a, dim, false);
        if (t->k[dim] > 2 && error == TORUS_OK)
            error = exchange_packets(a, dim, true);
    }
    if (error == TORUS_OK)
        error = torus_read(t, NULL, OFR_NODE_TIME, &to);
    if (error != TORUS_OK)
        return error;
    from += later;
    a->when = from + (to - from) / 2;
    leave_detours_out(a);
    return offsets(a);
}

static int read_registers(struct align *a, struct request *q)
{
    for (unsigned node = 0; node < a->nodes; node++) {
        uint8_t at[3];
        node_at(a->t, node, at);
        by_address(&q[node], pack_at(at), OFR_OP_READ4, 0);
        q[node].m[2] = OFR_NODE_TIME_ADD | (uint32_t)OFR_NODE_TIME_RATE << 16;
        q[node].m[3] = q[node].m[2];
    }
    int error = exchange(a->t, q, a->nodes);
    for (unsigned node = 0; node < a->nodes && error == TORUS_OK; node++) {
        error = status_error(a->t, &q[node], "read NODE.TIME_ADD");
        a->add[node] = q[node].r[2];
        a->rate[node] = q[node].r[3];
    }
    return error;
}

// The same register of all boards but the one we are plugged into.
static int write_all(struct align *a, unsigned offset, const char *what, const uint32_t *value)
{
    struct request *q = calloc(a->nodes, sizeof *q);
    unsigned n = 0;
    if (!q)
        return fail(a->t, TORUS_E_MEMORY, "out of memory");
    for (unsigned node = 0; node < a->nodes; node++) {
        uint8_t at[3];
        if (node == a->gateway)
            continue;
        node_at(a->t, node, at);
        by_address(&q[n], pack_at(at), OFR_OP_WRITE, 0);
        q[n].m[4] = (uint32_t)offset << 16;
        q[n++].m[5] = value[node];
    }
    int error = exchange(a->t, q, n);
    for (unsigned i = 0; i < n && error == TORUS_OK; i++)
        error = status_error(a->t, &q[i], what);
    free(q);
    return error;
}

// A clock that has gained on the measure since to->when is to go slower by that; not where it is no
// more than noise, so that boards which share a clock stay as they are. a->ahead becomes what it is
// about now.
static int set_rates(struct align *a)
{
    double cycles = a->when - a->to->when;
    uint32_t now;
    char place[16];
    for (unsigned node = 0; node < a->nodes; node++) {
        double speed = 1 + (double)(int32_t)a->rate[node] / 4294967296.0;
        double gained = a->ahead[node] - a->to->left[node];
        a->gain[node] = magnitude(gained) > noise / 2 ? gained / cycles : 0;
        int64_t rate = nearest(4294967296.0 * (speed / (1 + a->gain[node]) - 1));
        if (rate != (int32_t)rate) {
            uint8_t at[3];
            node_at(a->t, node, at);
            return fail(a->t, TORUS_E_BOARD,
                        "the boards' clocks cannot be aligned: that of board %s would have to go "
                        "by more than half faster or slower",
                        place_text(a->t, at, place));
        }
        a->rate[node] = (uint32_t)rate;
    }
    a->to->drift = noise / cycles;
    int error = write_all(a, OFR_NODE_TIME_RATE, "set NODE.TIME_RATE", a->rate);
    if (error == TORUS_OK)
        error = torus_read(a->t, NULL, OFR_NODE_TIME, &now);
    for (unsigned node = 0; node < a->nodes && error == TORUS_OK; node++)
        a->ahead[node] += a->gain[node] * (now - a->when);
    return error;
}

// Takes what the clocks are ahead out of them.
static int set_times(struct align *a)
{
    for (unsigned node = 0; node < a->nodes; node++) {
        int64_t ahead = nearest(a->ahead[node]);
        a->add[node] -= (uint32_t)ahead;
        a->ahead[node] -= (double)ahead;
        a->to->left[node] -= (double)ahead;
    }
    return write_all(a, OFR_NODE_TIME_ADD, "set NODE.TIME_ADD", a->add);
}

// From here on rates are measured.
static void set_base(struct align *a)
{
    memcpy(a->to->left, a->ahead, a->nodes * sizeof *a->ahead);
    a->to->when = a->when;
}

static double worst(const struct align *a)
{
    double most = 0;
    for (unsigned node = 0; node < a->nodes; node++)
        most = magnitude(a->ahead[node]) > most ? magnitude(a->ahead[node]) : most;
    return most;
}

// Rates from a longer time are better ones. And they are wrong where clocks have moved by more than
// they can have.
static bool better_rates(const struct align *a)
{
    double moved = 0, drift = a->to->drift * (a->when - a->to->when);
    for (unsigned node = 0; node < a->nodes; node++) {
        double by = magnitude(a->ahead[node] - a->to->left[node]);
        moved = by > moved ? by : moved;
    }
    return drift > noise || moved > noise + drift;
}

// Measures and corrects until nothing is left to correct. based: of an alignment that was good.
static int settle(struct align *a, bool based)
{
    struct alignment *to = a->to;
    int error = TORUS_OK;
    bool good = false;
    double most = 0;
    for (unsigned i = 0; i < TRIES && error == TORUS_OK && !good; i++) {
        error = lease_keep(a->t);
        if (error == TORUS_OK)
            error = measure(a);
        bool better = error == TORUS_OK && based && better_rates(a);
        most = worst(a);
        good = error == TORUS_OK && most <= enough && (to->drift < 1 || better);
        if (error == TORUS_OK && better)
            error = set_rates(a);
        if (error == TORUS_OK && !good)
            error = set_times(a);
        if (!based) // not from the time at which rates were set, which is not well known
            set_base(a);
        based = !better;
        if (to->drift >= 1) { // time to drift in; generators that wait, or simulated time may stop
            pause_seconds(0.05);
            a->later = BASE;
        }
        a->apart = 0;
    }
    if (error == TORUS_OK && !good)
        error = fail(a->t, TORUS_E_BOARD,
                     "the boards' clocks cannot be aligned: after %d measurements one is %.1f "
                     "cycles from that of the board we are plugged into",
                     TRIES, most);
    if (error != TORUS_OK)
        return error;
    double low = 0, high = 0;
    for (unsigned node = 0; node < a->nodes; node++) {
        low = a->ahead[node] < low ? a->ahead[node] : low;
        high = a->ahead[node] > high ? a->ahead[node] : high;
    }
    // Lifetimes are of whole cycles of two clocks; where all is 0 there is but one.
    to->error = high - low + a->loose;
    to->error += to->error > 0 ? 1 : 0;
    to->seconds = monotonic();
    set_base(a);
    return error;
}

// From what is known; anew: from nothing.
static int align(struct torus *t, bool anew, struct torus_alignment *board)
{
    struct align a = {.t = t, .nodes = node_count(t), .to = t->alignment};
    size_t n = a.nodes;
    double *doubles = calloc(4 * n, sizeof *doubles);
    uint32_t *words = calloc(2 * n, sizeof *words);
    struct request *q = calloc(n, sizeof *q);
    a.flow = calloc(n, sizeof *a.flow);
    a.there = calloc(n, sizeof *a.there);
    a.pair = calloc(t->dims * n, sizeof *a.pair);
    int error = TORUS_E_MEMORY;
    bool leased = false;
    if (doubles && words && q && a.flow && a.there && a.pair)
        leased = (error = lease_begin(t, 0)) == TORUS_OK;
    else
        fail(t, error, "out of memory");
    a.ahead = doubles;
    a.wrong = doubles + n;
    a.life = doubles + 2 * n;
    a.gain = doubles + 3 * n;
    a.add = words;
    a.rate = words + n;
    if (error == TORUS_OK && anew) {
        a.to->drift = 1;
        error = torus_read(t, NULL, OFR_NODE_TIME, &a.to->when);
    }
    if (error == TORUS_OK)
        error =
            anew ? clocks_compare(t, a.ahead, a.wrong, &a.gateway) : gateway_node(t, &a.gateway);
    if (error == TORUS_OK)
        error = read_registers(&a, q);
    for (unsigned node = 0; node < n && error == TORUS_OK; node++) {
        if (board)
            board[node].offset = a.ahead[node];
        if (a.wrong[node] > a.apart)
            a.apart = (uint32_t)a.wrong[node];
        if (anew && magnitude(a.ahead[node]) > a.wrong[node]) // else it may be aligned already
            a.add[node] -= (uint32_t)nearest(a.ahead[node]);
    }
    if (error == TORUS_OK && anew)
        error = write_all(&a, OFR_NODE_TIME_ADD, "set NODE.TIME_ADD", a.add);
    if (error == TORUS_OK)
        error = settle(&a, !anew);
    for (unsigned node = 0; node < n && error == TORUS_OK && board; node++) {
        double measure = 1 + (double)(int32_t)a.rate[a.gateway] / 4294967296.0;
        board[node].ppm = 1e6 * (measure / (1 + (double)(int32_t)a.rate[node] / 4294967296.0) - 1);
        board[node].left = a.to->left[node];
    }
    if (leased)
        error = lease_done(t, error);
    free(doubles);
    free(words);
    free(q);
    free(a.flow);
    free(a.there);
    free(a.pair);
    if (error != TORUS_OK)
        clocks_forget(t);
    return error;
}

// Do all boards have one time, as far as collectives can tell, and none a rate of its own?
static int look(struct torus *t, bool *one)
{
    uint32_t ask[4] = {OFR_NODE_TIME | (uint32_t)OFR_NODE_TIME_RATE << 16}, least[4], most[4];
    uint32_t before, after;
    ask[1] = ask[0];
    int error = torus_read(t, NULL, OFR_NODE_TIME, &before);
    if (error == TORUS_OK)
        error = ask_all(t, OFR_AGG_MIN, OFR_OP_READ4, 0, ask, least, "look at the clocks");
    if (error == TORUS_OK)
        error = ask_all(t, OFR_AGG_MAX, OFR_OP_READ4, 0, ask, most, "look at the clocks");
    if (error == TORUS_OK)
        error = torus_read(t, NULL, OFR_NODE_TIME, &after);
    *one = error == TORUS_OK && (int32_t)(least[0] - before) >= 0 &&
           (int32_t)(after - most[0]) >= 0 && !most[1];
    return error;
}

static int remember(struct torus *t)
{
    if (!t->alignment)
        t->alignment = calloc(1, sizeof *t->alignment + node_count(t) * sizeof(double));
    return t->alignment ? TORUS_OK : fail(t, TORUS_E_MEMORY, "out of memory");
}

// Still as they were aligned? now: NODE.TIME.
static bool fresh(const struct alignment *a, uint32_t now)
{
    return a->shared || (monotonic() - a->seconds < STALE && a->drift * (now - a->when) < GROWTH);
}

int clocks_known(struct torus *t, bool *same)
{
    uint32_t now = 0;
    bool first = !t->alignment;
    int error = remember(t);
    if (error != TORUS_OK)
        return error;
    if (first) {
        t->alignment->seconds = monotonic() - STALE;
        error = look(t, &t->alignment->shared);
    }
    if (error == TORUS_OK && !t->alignment->shared)
        error = time_kept(t, same);
    if (error == TORUS_OK && !t->alignment->shared && !t->alignment->kept)
        error = torus_read(t, NULL, OFR_NODE_TIME, &now);
    if (!t->alignment->kept)
        *same = fresh(t->alignment, now);
    if (error != TORUS_OK && first)
        clocks_forget(t);
    return error;
}

int clocks_ready(struct torus *t)
{
    bool good = false;
    int error = clocks_known(t, &good);
    if (error != TORUS_OK || good)
        return error;
    if (t->alignment->kept)
        return time_wait(t);
    return align(t, monotonic() - t->alignment->seconds >= STALE, NULL);
}

API int torus_align(struct torus *t, struct torus_alignment *board, double *error)
{
    struct torus_run run = torus_run_default();
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int result = check_run(t, &run);
    if (result == TORUS_OK)
        result = remember(t);
    if (result != TORUS_OK)
        return result;
    bool good = false;
    t->alignment->shared = false;
    result = time_kept(t, &good);
    if (result == TORUS_OK && t->alignment->kept) {
        result = good ? TORUS_OK : time_wait(t);
        *error = t->alignment->error;
        if (result == TORUS_OK && board)
            result = time_show(t, board);
        return result == TORUS_OK ? ok(t) : result;
    }
    if (result == TORUS_OK)
        result = align(t, true, board);
    uint32_t now = 0;
    if (result == TORUS_OK)
        result = torus_read(t, NULL, OFR_NODE_TIME, &now);
    *error = result == TORUS_OK ? t->alignment->error : 0;
    if (*error > 0) // since it was measured
        *error += t->alignment->drift * (now - t->alignment->when);
    return result == TORUS_OK ? ok(t) : result;
}
