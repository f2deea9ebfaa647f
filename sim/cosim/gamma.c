// SPDX-License-Identifier: Apache-2.0
#include "gamma.h"

#include "ofr_regs.h"

enum {
    OUTSTANDING = 4096, // more packets than a source generates in a run
    BETWEEN = 64,       // cycles from one look at the totals to the next
};

struct run {
    struct golden golden;
    struct ofr_table table;
    unsigned load_permille;
    uint64_t packets; // in all
};

static const char *begin(struct run *r, const struct gamma_job *job, unsigned load_permille,
                         unsigned messages)
{
    struct fabric_options f = {.shape = {.n = job->n,
                                         .flit_bits = 64,
                                         .slots = GAMMA_SLOTS,
                                         .unit_mul = 1,
                                         .slot_flits = GAMMA_PACKET},
                               .torus = {.n = job->n, .k = {job->k, job->k}},
                               .seed = job->seed,
                               .load_permille = load_permille,
                               .ready_permille = 1000,
                               .sink_permille = 1000,
                               .latency = 1,
                               .length_min = GAMMA_PACKET,
                               .length_max = GAMMA_PACKET,
                               .pattern = job->pattern,
                               .message_packets = GAMMA_MESSAGE,
                               .messages = messages,
                               .only_bit = job->only_bit,
                               .outstanding = OUTSTANDING};
    f.torus.k[2] = job->n > 2 ? job->k : 0;
    f.class_weight[job->routing == GAMMA_ABR ? OFR_PKT_CLASS_MINIMAL : OFR_PKT_CLASS_DEROUTE] = 1;
    ofr_table_reset(&r->table, job->n);
    if (job->routing == GAMMA_POR) {
        r->table.oidn = false;
        r->table.eta = 16;
    }
    struct ofr_config base = {.configured = true,
                              .tie = job->tie,
                              .escape = job->escape,
                              .select = OFR_SELECT_MOST_FREE,
                              .threshold = GAMMA_THRESHOLD,
                              .ring_wait_time = 8,
                              .table = &r->table};
    r->load_permille = load_permille;
    r->packets = (uint64_t)ofr_nodes(&f.torus) * messages * GAMMA_MESSAGE;
    return golden_init(&r->golden, &f, &base) ? NULL : "out of memory";
}

static const char *end(struct run *r)
{
    const char *error = NULL;
    if (fabric_totals(r->golden.fabric).held)
        error = "a source had no place for a packet";
    else if (fabric_error(r->golden.fabric))
        error = "the fabric found a packet lost, twice, damaged or misplaced";
    golden_free(&r->golden);
    return error;
}

// With nothing under way: goes to shortly before the next messages.
static void skip(struct run *r, const struct fabric_totals *t)
{
    uint64_t next = t->generated / r->golden.nodes / GAMMA_MESSAGE + 1;
    uint64_t tick = next * GAMMA_MESSAGE * GAMMA_PACKET * 1000 / r->load_permille;
    if (t->generated == t->delivered && golden_idle(&r->golden) && tick > r->golden.cycle + BETWEEN)
        golden_skip(&r->golden, tick - r->golden.cycle - BETWEEN);
}

// The paper's run. The mean lifetime, or -1 as soon as it is sure to exceed `limit`: when the
// finished lifetimes and the present ages already do, over all packets.
static const char *mean_lifetime(const struct gamma_job *job, unsigned step, double limit,
                                 struct gamma_star *out, double *mean)
{
    struct run r;
    struct fabric_totals t = {0};
    const char *error = begin(&r, job, 50 * step, GAMMA_MESSAGES);
    if (error)
        return error;
    *mean = 0;
    while (t.delivered < r.packets && *mean <= limit && !fabric_error(r.golden.fabric)) {
        for (unsigned i = 0; i < BETWEEN; i++)
            golden_step(&r.golden);
        t = fabric_totals(r.golden.fabric);
        *mean = (double)(t.latency_sum + t.age_sum) / (double)r.packets;
        skip(&r, &t);
    }
    if (*mean > limit) {
        *mean = -1;
    } else {
        out->step = step;
        out->lifetime = *mean;
        out->oidn = (double)golden_counter(&r.golden, OFR_COUNTER_OIDN) / (double)r.packets;
        out->widn = (double)golden_counter(&r.golden, OFR_COUNTER_WIDN) / (double)r.packets;
    }
    return end(&r);
}

const char *gamma_star(const struct gamma_job *job, struct gamma_star *out)
{
    *out = (struct gamma_star){0};
    const char *error = mean_lifetime(job, GAMMA_BASE, 1e300, out, &out->base);
    unsigned low = GAMMA_BASE, high = GAMMA_STEPS + 1, middle = 9;
    while (!error && high - low > 1) {
        double mean = -1;
        error = mean_lifetime(job, middle, 1.2 * out->base, out, &mean);
        if (mean < 0)
            high = middle;
        else
            low = middle;
        middle = (low + high) / 2;
    }
    return error;
}

const char *gamma_overload(const struct gamma_job *job, unsigned messages,
                           struct gamma_overload *out)
{
    struct run r;
    uint64_t before[OFR_COUNTS], first = 0;
    const char *error = begin(&r, job, 1000, messages);
    if (error)
        return error;
    for (unsigned quarter = 1; quarter <= 3; quarter += 2) {
        while (fabric_totals(r.golden.fabric).delivered < r.packets * quarter / 4 &&
               !fabric_error(r.golden.fabric))
            golden_step(&r.golden);
        if (quarter == 3)
            break;
        first = r.golden.cycle;
        for (unsigned i = 0; i < OFR_COUNTS; i++)
            before[i] = golden_counter(&r.golden, i);
    }
    double cycles = (double)(r.golden.cycle - first) * r.golden.nodes, flits = 0, escape = 0;
    *out = (struct gamma_overload){.accepted = (double)r.packets / 2 * GAMMA_PACKET / cycles};
    for (unsigned i = 0; i < 2U * job->n * OFR_VCS; i++) {
        unsigned c = i * 4 + OFR_COUNTER_FLITS;
        double passed = (double)(golden_counter(&r.golden, c) - before[c]);
        out->link[i / OFR_VCS] += passed / cycles;
        flits += passed;
        escape += i % OFR_VCS ? passed : 0;
    }
    double entered =
        (double)(golden_counter(&r.golden, OFR_COUNTER_INJECTED) - before[OFR_COUNTER_INJECTED]);
    out->oidn = (double)(golden_counter(&r.golden, OFR_COUNTER_OIDN) - before[OFR_COUNTER_OIDN]);
    out->widn = (double)(golden_counter(&r.golden, OFR_COUNTER_WIDN) - before[OFR_COUNTER_WIDN]);
    out->oidn /= entered;
    out->widn /= entered;
    out->escape = escape / flits;
    return end(&r);
}
