// SPDX-License-Identifier: Apache-2.0
// Measuring: traffic from the boards' generators, checkers, counters. Almost all by collectives, so
// that a run costs a few requests whatever the number of boards.
#include <stdlib.h>
#include <string.h>

#include "../sim/model/torus.h"
#include "internal.h"

static const char *const pattern_names[TORUS_PATTERNS] = {
    [TORUS_UNIFORM] = "uniform",     [TORUS_BUTTERFLY] = "butterfly",
    [TORUS_TRANSPOSE] = "transpose", [TORUS_BITREVERSE] = "bitreverse",
    [TORUS_ROTATE3D] = "rotate3d",   [TORUS_COMPLEMENT] = "complement",
    [TORUS_TORNADO] = "tornado",     [TORUS_NEIGHBOUR] = "neighbour",
};

API const char *torus_pattern_name(enum torus_pattern pattern)
{
    return (unsigned)pattern < TORUS_PATTERNS ? pattern_names[pattern] : NULL;
}

API int torus_pattern_named(const char *name)
{
    for (int i = 0; i < TORUS_PATTERNS; i++)
        if (!strcmp(name, pattern_names[i]))
            return i;
    return -1;
}

API const char *torus_pattern_missing(enum torus_pattern pattern, unsigned dims, const uint8_t k[3])
{
    unsigned bits = 0;
    bool power = true;
    for (unsigned i = 0; i < dims; i++) {
        power &= !(k[i] & (k[i] - 1));
        for (unsigned size = k[i]; size > 1; size /= 2)
            bits++;
    }
    switch (pattern) {
    case TORUS_BUTTERFLY:
        if (power && !bits)
            return "it needs more than one node";
        // fall through
    case TORUS_BITREVERSE:
        return power ? NULL : "it needs sizes that are powers of two";
    case TORUS_TRANSPOSE:
        if (dims == 2 || k[2] == 1)
            return k[0] == k[1] ? NULL : "it needs two equal sizes";
        if (!power)
            return "it needs sizes that are powers of two";
        return bits % 2 ? "it needs a number of nodes that is a power of four" : NULL;
    case TORUS_ROTATE3D:
        return dims == 3 && k[0] == k[1] && k[1] == k[2] ? NULL : "it needs a cube";
    default:
        return NULL;
    }
}

API double torus_gamma0(unsigned dims, const uint8_t k[3])
{
    double least = 0;
    for (unsigned i = 0; i < dims; i++) {
        double size = k[i], load;
        if (k[i] < 2)
            continue;
        load = k[i] == 2 ? 2 : k[i] % 2 ? 8 * size / (size * size - 1) : 8 / size;
        if (least <= 0 || load < least)
            least = load;
    }
    return least;
}

API struct torus_run torus_run_default(void)
{
    return (struct torus_run){.pattern = TORUS_UNIFORM,
                              .load = 0.1,
                              .message_packets = 1,
                              .warmup = 1000,
                              .cycles = 4000,
                              .seed = 1};
}

// READ4 of four selectors over all boards.
static int read_all(struct torus *t, enum ofr_aggregate aggregate, unsigned a, unsigned b,
                    unsigned c, unsigned d, uint32_t out[4])
{
    uint32_t ask4[4] = {a | (uint32_t)b << 16, c | (uint32_t)d << 16};
    return ask_all(t, aggregate, OFR_OP_READ4, 0, ask4, out, "read all boards");
}

struct totals {
    uint64_t link_flits;
    uint32_t oidn, widn;
    unsigned collectives; // up to the snapshot
};

// Link flits of one collective: packets and answers to the nodes of our row, to a node of each
// other row and from there to those of its row (protocol.h).
static int collective_flits(struct torus *t, double *flits)
{
    struct ofr_torus torus = {.n = (uint8_t)t->dims};
    uint32_t coord;
    int error = torus_read(t, NULL, OFR_NODE_COORD, &coord);
    if (error != TORUS_OK)
        return error;
    unsigned along = 0, hops = 0, packet = (8 + OFR_MESSAGE_BYTES) / t->flit_bytes;
    for (unsigned i = 0; i < t->dims; i++)
        torus.k[i] = t->k[i];
    for (unsigned x = 0; x < t->k[0]; x++)
        along += 2 * ofr_dim_distance(&torus, 0, coord & 15, x);
    for (unsigned y = 0; y < t->k[1]; y++)
        for (unsigned z = 0; z < t->k[2]; z++) {
            hops += along + 2 * ofr_dim_distance(&torus, 1, coord >> 8 & 15, y);
            hops += t->dims < 3 ? 0 : 2 * ofr_dim_distance(&torus, 2, coord >> 16 & 15, z);
        }
    *flits = (double)hops * (packet < 4 ? 4 : packet);
    return TORUS_OK;
}

// Of a snapshot that a collective has latched (the last but `after`).
static int read_totals(struct torus *t, unsigned after, struct totals *out)
{
    uint32_t d[4];
    out->collectives = t->collectives - after;
    // Two sums of 64 bits: link flits, and OIDN with WIDN above it.
    int error = read_all(t, OFR_AGG_SUM64, OFR_SEL_LINKS, OFR_SEL_LINKS_HIGH,
                         OFR_SEL_LOW | OFR_COUNTER_OIDN, OFR_SEL_LOW | OFR_COUNTER_WIDN, d);
    if (error != TORUS_OK)
        return error;
    out->link_flits = d[0] | (uint64_t)d[1] << 32;
    out->oidn = d[2];
    out->widn = d[3];
    return TORUS_OK;
}

// Starts all generators in the same cycle, far enough ahead that all boards have been told and the
// counters they latched are read: what that takes in simulation is learned from the first run.
static int start(struct torus *t, const struct torus_run *run, uint32_t *at, struct totals *before)
{
    if (!t->ahead)
        t->ahead = 8000 + 1000 * (t->k[0] + t->k[1] * t->k[2]);
    for (;; t->ahead *= 2) {
        uint32_t now;
        int error = torus_read(t, NULL, OFR_NODE_TIME, &now);
        if (error != TORUS_OK)
            return error;
        *at = now + t->ahead;
        uint32_t from = *at + run->warmup, data[4] = {0, *at, from, from + run->cycles};
        error = ask_all(t, OFR_AGG_MAX, OFR_OP_START, 1, data, NULL, "start the generators");
        if (error == TORUS_OK)
            return read_totals(t, 0, before);
        if (error != TORUS_E_BOARD || t->ahead > 1u << 28)
            return error;
        // Too late for some: stop those that did not find so, and give more time.
        error = ask_all(t, OFR_AGG_MAX, OFR_OP_START, 0, NULL, NULL, "stop the generators");
        if (error != TORUS_OK)
            return error;
    }
}

// Waits until NODE.TIME is past `end`, looking only at the board we are plugged into: nothing of
// ours is on the links in the window.
static int wait_until(struct torus *t, uint32_t end)
{
    double last = monotonic(), nap = 0.0002;
    uint32_t before = 0;
    for (;;) {
        uint32_t now;
        int error = torus_read(t, NULL, OFR_NODE_TIME, &now);
        if (error != TORUS_OK || (int32_t)(now - end) >= 0)
            return error;
        if (now != before)
            last = monotonic();
        else if (monotonic() - last > t->options.timeout)
            return fail(t, TORUS_E_BOARD, "NODE.TIME stands still at %u", now);
        before = now;
        pause_seconds(nap);
        nap = nap < 0.02 ? 1.5 * nap : nap;
    }
}

// Waits until all packets are delivered. now[0] sent, [1] received, damaged ones included, [2]
// received in the window, [3] sum of OFR_FW_STATUS.
static int wait_done(struct torus *t, uint32_t now[4])
{
    double last = monotonic(), nap = 0.0005;
    uint32_t before[4] = {0};
    for (;;) {
        int error =
            read_all(t, OFR_AGG_SUM, OFR_SEL_NODE | OFR_GEN_SENT, OFR_SEL_FIRMWARE | OFR_FW_GOT,
                     OFR_SEL_NODE | OFR_CHECK_ARRIVED, OFR_SEL_FIRMWARE | OFR_FW_STATUS, now);
        if (error != TORUS_OK)
            return error;
        bool all_sent = (now[3] & 0xffff) == torus_nodes(t) * OFR_GEN_STATUS_DONE_MASK;
        if (all_sent && now[1] == now[0])
            return TORUS_OK;
        if (memcmp(now, before, sizeof before) != 0) {
            memcpy(before, now, sizeof before);
            last = monotonic();
        } else if (monotonic() - last > t->options.timeout) {
            return fail(t, TORUS_E_FAILED,
                        "%u packets sent, %u delivered, and no progress for %g s", now[0], now[1],
                        t->options.timeout);
        }
        pause_seconds(nap);
        nap = nap < 0.02 ? 1.5 * nap : nap;
    }
}

// First latency above histogram bin `bin`.
static double bin_end(unsigned bin)
{
    bin++;
    return bin < 16 ? bin : (double)(8 + bin % 8) * (double)(1u << (bin / 8 - 1));
}

static unsigned bin_of(uint32_t latency)
{
    unsigned shift = 0;
    while (latency >> shift > 15)
        shift++;
    return latency < 8 ? latency : 8 * shift + (latency >> shift);
}

// The bin in which the 99th percentile lies, by search over cumulative sums, four a step, between
// the mean's and the largest latency's.
static int find_p99(struct torus *t, uint32_t count, double mean, uint32_t max, double *p99)
{
    unsigned low = 0, high = bin_of(max) + 1; // packets below low < 99% <= packets below high
    *p99 = 0;
    if (!count)
        return TORUS_OK;
    uint64_t rank = ((uint64_t)count * 99 + 99) / 100;
    bool first = true;
    while (high - low > 1) {
        unsigned at[4], from = first ? bin_of((uint32_t)mean) : low;
        uint32_t below[4];
        if (from >= high - 1)
            from = low;
        for (unsigned i = 0; i < 4; i++) {
            at[i] = from + (high - from) * (i + !first) / (first ? 4 : 5);
            at[i] += at[i] == low;
        }
        first = false;
        int error = read_all(t, OFR_AGG_SUM, OFR_SEL_BELOW | at[0], OFR_SEL_BELOW | at[1],
                             OFR_SEL_BELOW | at[2], OFR_SEL_BELOW | at[3], below);
        if (error != TORUS_OK)
            return error;
        for (unsigned i = 4; i-- > 0;)
            if (below[i] >= rank && at[i] < high)
                high = at[i];
        for (unsigned i = 0; i < 4; i++)
            if (below[i] < rank && at[i] > low && at[i] < high)
                low = at[i];
    }
    *p99 = bin_end(high - 1);
    return TORUS_OK;
}

static unsigned links(const struct torus *t)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < t->dims; i++)
        sum += t->k[i] == 1 ? 0 : t->k[i] == 2 ? torus_nodes(t) : 2 * torus_nodes(t);
    return sum;
}

static int check_run(struct torus *t, struct torus_run *run)
{
    int error = TORUS_OK;
    if (!t->generation) { // else the boards themselves check that they have that generation
        struct torus_preset preset;
        unsigned generation;
        error = torus_programmed(t, &preset, &generation);
    }
    if (error != TORUS_OK)
        return error;
    if (!t->generation)
        return fail(t, TORUS_E_UNKNOWN, "no routing is programmed; run program first");
    if (!torus_pattern_name(run->pattern))
        return fail(t, TORUS_E_USAGE, "unknown pattern %d", (int)run->pattern);
    const char *why = torus_pattern_missing(run->pattern, t->dims, t->k);
    if (why)
        return fail(t, TORUS_E_USAGE, "pattern %s does not exist in %ux%ux%u: %s",
                    torus_pattern_name(run->pattern), t->k[0], t->k[1], t->k[2], why);
    unsigned least = t->flit_bytes == 8 ? 4 : 32 / t->flit_bytes;
    if (!run->packet_flits)
        run->packet_flits = t->slot_flits;
    if (run->packet_flits < least || run->packet_flits > t->slot_flits)
        return fail(t, TORUS_E_USAGE, "packets of %u flits: from %u to %u", run->packet_flits,
                    least, t->slot_flits);
    if (!run->message_packets || run->message_packets > 65535)
        return fail(t, TORUS_E_USAGE, "messages of %u packets: 1 to 65535", run->message_packets);
    if (!(run->load > 0 && run->load <= 1000))
        return fail(t, TORUS_E_USAGE, "load %g flits per cycle and node: above 0, at most 1000",
                    run->load);
    if (!run->cycles || run->cycles > 1u << 28 || run->warmup > 1u << 28)
        return fail(t, TORUS_E_USAGE,
                    "a window of %u cycles after %u: 1 to 2^28 after at most 2^28", run->cycles,
                    run->warmup);
    return TORUS_OK;
}

static const unsigned class_of[] = {
    [TORUS_ABR] = OFR_PKT_CLASS_MINIMAL, [TORUS_POR] = OFR_PKT_CLASS_DEROUTE,
    [TORUS_OFR] = OFR_PKT_CLASS_DEROUTE, [TORUS_DOR] = OFR_PKT_CLASS_INORDER,
    [TORUS_RDR] = OFR_PKT_CLASS_MINIMAL,
};

static int read_results(struct torus *t, const struct torus_run *run, const uint32_t now[4],
                        struct torus_result *out)
{
    uint32_t ask4[4] = {OFR_SEL_NODE | OFR_CHECK_SUM_LOW |
                            (OFR_SEL_NODE | OFR_CHECK_SUM_HIGH) << 16,
                        OFR_SEL_NODE | OFR_CHECK_COUNT | (OFR_SEL_NODE | OFR_CHECK_MAX) << 16};
    uint32_t d[4], errors[4] = {0};
    int error =
        ask_all(t, OFR_AGG_RESULT, OFR_OP_READ4, 1, ask4, d, "read the checkers, latch counters");
    if (error == TORUS_OK && now[3] >> 16)
        error = read_all(t, OFR_AGG_SUM, OFR_SEL_NODE | OFR_CHECK_ERRORS,
                         OFR_SEL_NODE | OFR_CHECK_ERRORS, OFR_SEL_NODE | OFR_CHECK_ERRORS,
                         OFR_SEL_NODE | OFR_CHECK_ERRORS, errors);
    if (error != TORUS_OK)
        return error;
    out->sent = now[0];
    out->errors = errors[0];
    out->received = now[1] - errors[0];
    out->accepted = (double)now[2] * run->packet_flits / ((double)run->cycles * torus_nodes(t));
    out->mean = d[2] ? (double)(d[0] | (uint64_t)d[1] << 32) / (double)d[2] : 0;
    out->max = d[3];
    out->measured = d[2];
    return TORUS_OK;
}

// PERIOD and the number of messages for the load wanted. 0: the load is out of range.
static uint32_t messages_of(const struct torus_run *run, uint32_t *ticks)
{
    double period = 256.0 * run->packet_flits * run->message_packets / run->load;
    if (period > 4e9 || period < 1)
        return 0;
    *ticks = (uint32_t)(period + 0.5);
    return (uint32_t)(((double)run->warmup + run->cycles) * 256 / *ticks) + 1;
}

static int measure(struct torus *t, const struct torus_run *run, struct totals *after,
                   struct torus_result *out)
{
    uint32_t now[4] = {0};
    int error = wait_until(t, out->start + run->warmup + run->cycles);
    if (error == TORUS_OK)
        error = wait_done(t, now);
    if (error == TORUS_OK)
        error = read_results(t, run, now, out);
    if (error == TORUS_OK)
        error = read_totals(t, now[3] >> 16 ? 1 : 0, after);
    if (error == TORUS_OK)
        return find_p99(t, out->measured, out->mean, out->max, &out->p99);
    char detail[WIDTH]; // leave no traffic behind
    memcpy(detail, t->detail, sizeof detail);
    ask_all(t, OFR_AGG_OR, OFR_OP_START, 0, NULL, NULL, "stop the generators");
    memcpy(t->detail, detail, sizeof detail);
    return error;
}

API int torus_run(struct torus *t, const struct torus_run *wanted, struct torus_result *out)
{
    struct torus_run run = *wanted;
    struct totals before, after;
    uint32_t ticks;
    double management = 0;
    memset(out, 0, sizeof *out);
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int error = check_run(t, &run);
    if (error != TORUS_OK)
        return error;
    uint32_t messages = messages_of(&run, &ticks);
    if (!messages)
        return fail(t, TORUS_E_USAGE, "load %g: messages would be more than 2^24 cycles apart",
                    run.load);
    unsigned arg =
        (unsigned)run.pattern | class_of[t->preset.routing] << 4 | (t->generation & 3) << 6;
    uint32_t gen[4] = {ticks, messages,
                       run.packet_flits << OFR_GEN_LENGTH_FLITS_LSB |
                           (uint32_t)run.message_packets << OFR_GEN_LENGTH_PACKETS_LSB,
                       run.seed};
    if (t->options.key || t->options.take_over) // else setting up takes the lease
        error = torus_lease(t, 0);
    if (error == TORUS_OK)
        error = ask_all(t, OFR_AGG_OR, OFR_OP_GEN, arg, gen, NULL, "set the generators up");
    if (error == TORUS_OK)
        error = collective_flits(t, &management);
    out->offered = 256.0 * run.packet_flits * run.message_packets / ticks;
    out->packet_flits = run.packet_flits;
    out->gamma0 = torus_gamma0(t->dims, t->k);
    if (error == TORUS_OK)
        error = start(t, &run, &out->start, &before);
    if (error == TORUS_OK)
        error = measure(t, &run, &after, out);
    if (error != TORUS_OK)
        return error;
    if (out->sent) {
        out->oidn = (double)(after.oidn - before.oidn) / (double)out->sent;
        out->widn = (double)(after.widn - before.widn) / (double)out->sent;
        out->hops = ((double)(after.link_flits - before.link_flits) -
                     management * (after.collectives - before.collectives)) /
                    ((double)out->sent * run.packet_flits);
    }
    if (links(t))
        out->link_use = out->hops * out->accepted * torus_nodes(t) / links(t);
    if (out->errors)
        return fail(t, TORUS_E_FAILED, "%u of %llu packets came damaged or to the wrong board",
                    out->errors, (unsigned long long)out->sent);
    return ok(t);
}

// Counters ----------------------------------------------------------------------------------------

// Unpacks an OP_COUNTERS response (protocol.h, end) into count values. False if it is not sound.
static bool unpack(const uint32_t *d, unsigned count, uint64_t *values)
{
    uint8_t bytes[16];
    for (unsigned i = 0; i < 16; i++)
        bytes[i] = (uint8_t)(d[i / 4] >> 8 * (i % 4));
    for (unsigned i = 0, n = 0; n < count;) {
        if (i >= 16)
            return false;
        if (!bytes[i]) {
            if (i + 1 >= 16 || n + bytes[i + 1] + 1u > count)
                return false;
            for (unsigned zeros = bytes[i + 1] + 1u; zeros--;)
                values[n++] = 0;
            i += 2;
            continue;
        }
        uint64_t value = 0;
        unsigned shift = 0;
        do {
            if (i >= 16 || shift > 42)
                return false;
            value |= (uint64_t)(bytes[i] & 0x7f) << shift;
            shift += 7;
        } while (bytes[i++] & 0x80);
        values[n++] = value;
    }
    return true;
}

API int torus_counters(struct torus *t,
                       void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters),
                       void *ctx)
{
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    unsigned nodes = torus_nodes(t);
    uint64_t(*values)[TORUS_COUNTERS] = calloc(nodes, sizeof *values);
    struct request *q = calloc(nodes, sizeof *q);
    unsigned *have = calloc(nodes, sizeof *have), *of = calloc(nodes, sizeof *of);
    int error;
    if (!values || !q || !have || !of) {
        error = fail(t, TORUS_E_MEMORY, "out of memory");
        goto out;
    }
    error = ask_all(t, OFR_AGG_OR, OFR_OP_SNAPSHOT, 0, NULL, NULL, "latch the counters");
    while (error == TORUS_OK) {
        unsigned n = 0;
        for (unsigned node = 0; node < nodes; node++) {
            uint8_t at[3];
            if (have[node] == TORUS_COUNTERS)
                continue;
            node_at(t, node, at);
            by_address(&q[n], pack_at(at), OFR_OP_COUNTERS, have[node]);
            of[n++] = node;
        }
        if (!n)
            break;
        error = exchange(t, q, n);
        for (unsigned i = 0; i < n && error == TORUS_OK; i++) {
            unsigned node = of[i], count = q[i].r[1] >> 16 & 0xff;
            error = status_error(t, &q[i], "read the counters");
            if (error != TORUS_OK)
                break;
            if (!count || have[node] + count > TORUS_COUNTERS ||
                !unpack(q[i].r + 2, count, values[node] + have[node]))
                error = fail(t, TORUS_E_PROTOCOL, "counters of node %u make no sense", node);
            have[node] += count;
        }
    }
    for (unsigned node = 0; node < nodes && error == TORUS_OK; node++) {
        uint8_t at[3];
        node_at(t, node, at);
        each(ctx, at, values[node]);
    }
out:
    free(values);
    free(q);
    free(have);
    free(of);
    return error;
}
