// SPDX-License-Identifier: Apache-2.0
// A torus of golden nodes over reliable links at full load, while cables are pulled and put back,
// boards are reset and lose power, at random places and times; heal_rtl.c: with an RTL router and
// RTL link ends beside all of them, which must be alike in every cycle. A host of few lines leads
// around what is down, some time after it is so, as torusctl does (around.h), and takes boards in
// again.
//
// Start here; heal_ledger.c knows every packet, heal_nodes.c are the boards and their host. No
// packet may come twice, or other than it was sent, and none is missing that is not accounted for.
// Pairs of which no shortest way needs what is lost never stop; the others go on once they are led
// around; afterwards all is as it was. An event is a run of its own, that follows from the seed and
// its number.
#include "heal.h"

#include "router_differs.h"

#include <argp.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    UP_WITHIN = 30000,
    WARM_UP = 4000,
    FALLEN = 12000, // cycles within which the ends have noticed
    LOAD = 45,      // cycles between two packets of a node: what a torus with cables less carries
    GAPS = 30,      // a pair has waited too long after so many times the mean
    STARVED = 1 << 13, // cycles after which a node has
    DRAIN = 100000,
};

static const char *const names[KINDS] = {"cable", "two cables", "loose plug", "reset", "power"};

void heal_fail(struct heal *r, const char *format, ...)
{
    va_list list;
    if (r->why[0])
        return;
    int used = snprintf(r->why, sizeof r->why, "cycle %" PRIu64 ": ", r->cycle);
    va_start(list, format);
    vsnprintf(r->why + used, sizeof r->why - (size_t)used, format, list);
    va_end(list);
}

static unsigned distance(const struct heal *r, uint32_t a, uint32_t b)
{
    struct ofr_coord x = ofr_node_coord(&r->torus, a), y = ofr_node_coord(&r->torus, b);
    return ofr_distance(&r->torus, &x, &y);
}

// A node's step, the RTL router's beside it.
static void step_node(struct heal *r, uint32_t n, const struct ofr_node_in *in)
{
    const struct heal_rtl_ops *rtl = heal_rtl();
    struct ofr_router_in pins;
    struct ofr_router_out seen;
    struct router_difference d;
    if (rtl) {
        if (r->node[n].seeds)
            rtl->seed(r->rtl[n], r->node[n].seed);
        ofr_node_router_in(&r->node[n], in, &pins);
        if (r->o->break_at && r->cycle >= r->o->break_at && n == 0)
            pins.tx_credit[0][0] ^= 1;
        rtl->step(r->rtl[n], &pins, &r->node[n].config);
    }
    ofr_node_step(&r->node[n], in);
    if (!rtl)
        return;
    rtl->out(r->rtl[n], &seen);
    r->compared++;
    if (router_differs(r->torus.n, &seen, ofr_node_out(&r->node[n]), &d))
        heal_fail(r, "node %u, port %d: %s is %" PRIx64 " in the RTL, %" PRIx64 " in the model", n,
                  d.port, d.pin, d.rtl, d.model);
}

// A cycle of a board without power or in reset, in which its router stands still.
static void stand_still(struct heal *r, uint32_t n)
{
    const struct ofr_router_in none = {.lo_ready = false};
    r->off[n]--;
    if (!heal_rtl())
        return;
    heal_rtl()->reset(r->rtl[n]);
    heal_rtl()->step(r->rtl[n], &none, &r->node[n].config);
}

static void step_links(struct heal *r)
{
    uint32_t node;
    links_step(r->links);
    const char *why = links_error(r->links, &node);
    if (why)
        heal_fail(r, "%s", why);
    if (links_apart(r->links))
        heal_fail(r, "the ends of a link disagree for too long");
}

static void step(struct heal *r)
{
    memset(r->in, 0, r->nodes * sizeof *r->in);
    for (uint32_t n = 0; n < r->nodes; n++)
        r->out[n] = ofr_node_out(&r->node[n]);
    links_cycle(r->links, r->out, r->in);
    heal_see(r);
    heal_host(r);
    for (uint32_t n = 0; n < r->nodes; n++) {
        struct ofr_node_in in = {.link_tick = false};
        if (r->off[n]) {
            stand_still(r, n);
            continue;
        }
        memcpy(in.rx, r->in[n].rx, sizeof in.rx);
        memcpy(in.rx_abort, r->in[n].rx_abort, sizeof in.rx_abort);
        memcpy(in.tx_ready, r->in[n].tx_ready, sizeof in.tx_ready);
        memcpy(in.tx_credit, r->in[n].tx_credit, sizeof in.tx_credit);
        memcpy(in.tx_base, r->in[n].tx_base, sizeof in.tx_base);
        memcpy(in.tx_rebase, r->in[n].tx_rebase, sizeof in.tx_rebase);
        memcpy(in.link_up, r->in[n].link_up, sizeof in.link_up);
        step_node(r, n, &in);
        if (r->renumber && (int)n == r->board && r->node[n].local.gen.run) {
            r->node[n].local.gen.seq = HEAL_SEQS / 2; // not the same numbers again
            r->renumber = false;
        }
        if (ofr_node_read(&r->node[n], OFR_NODE_STATUS) & OFR_NODE_STATUS_WATCHDOG_MASK)
            heal_fail(r, "node %u: a packet has waited for 2^%d cycles", n, HEAL_WATCHDOG);
    }
    step_links(r);
    r->cycle++;
}

static void steps(struct heal *r, uint64_t cycles)
{
    for (uint64_t i = 0; i < cycles && !r->why[0]; i++)
        step(r);
}

static bool steps_until_settled(struct heal *r, uint64_t limit)
{
    for (uint64_t i = 0; i < limit && !r->why[0]; i++) {
        step(r);
        if (heal_settled(r))
            return true;
    }
    return false;
}

static void pull(struct heal *r, unsigned cycles)
{
    uint32_t n = rng_below(&r->rng, r->nodes);
    unsigned p = rng_below(&r->rng, r->ports);
    uint32_t m = heal_far(r, n, p);
    links_pull(r->links, n, p, cycles);
    for (uint32_t s = 0; s < r->nodes; s++)
        for (uint32_t t = 0; t < r->nodes; t++) {
            unsigned d = distance(r, s, t);
            r->needs[s * r->nodes + t] |= distance(r, s, n) + 1 + distance(r, m, t) == d ||
                                          distance(r, s, m) + 1 + distance(r, n, t) == d;
        }
}

static void turn_off(struct heal *r, unsigned cycles)
{
    uint32_t x = rng_below(&r->rng, r->nodes);
    r->board = (int)x;
    r->reset_at = r->cycle;
    r->off[x] = cycles;
    r->discarded[x] = heal_discarded(r, x);
    for (uint32_t s = 0; s < r->nodes; s++)
        for (uint32_t t = 0; t < r->nodes; t++)
            r->needs[s * r->nodes + t] |=
                distance(r, s, x) + distance(r, x, t) == distance(r, s, t);
    heal_see_off(r, x);
    links_reset(r->links, x, cycles);
    heal_power_up(r, x);
}

static void harm(struct heal *r, uint64_t gap)
{
    unsigned led = HEAL_HOST_MIN + HEAL_HOST_MORE + 2 * HEAL_STAGGER + 10000;
    unsigned away = led + (unsigned)gap + rng_below(&r->rng, 5000);
    switch (r->kind) {
    case PULL:
        pull(r, away);
        break;
    case TWO:
        pull(r, away);
        steps(r, rng_below(&r->rng, 3000));
        pull(r, away);
        break;
    case BLINK:
        pull(r, 1 + rng_below(&r->rng, rng_chance(&r->rng, 500) ? 100 : 6000));
        break;
    case RESET:
        turn_off(r, 1 + rng_below(&r->rng, 300));
        break;
    default:
        turn_off(r, away);
    }
    steps(r, r->kind == BLINK || r->kind == RESET ? FALLEN : led);
}

static bool drained(const struct heal *r)
{
    for (uint32_t n = 0; n < r->nodes; n++)
        if (!ofr_router_out(r->node[n].router)->drained || r->li[n].index)
            return false;
    return links_idle(r->links);
}

static bool set_up(struct heal *r)
{
    size_t n = r->nodes, ports = n * r->ports;
    struct links_options links = {.torus = r->torus,
                                  .shape = {.n = r->torus.n,
                                            .flit_bits = r->o->shape.flit_bits,
                                            .slots = r->o->shape.slots,
                                            .slot_flits = r->o->shape.slot_flits,
                                            .serial = true,
                                            .tick = 8,
                                            .crc_check = 16},
                                  .rtl = lockstep_links(),
                                  .seed = rng_next(&r->rng),
                                  .latency = 1 + rng_below(&r->rng, 32),
                                  .pace = 1};
    if (links.rtl)
        links.shape = links.rtl->shape();
    r->node = calloc(n, sizeof *r->node);
    r->memory = calloc(n, sizeof *r->memory);
    r->rtl = calloc(n, sizeof *r->rtl);
    r->off = calloc(n, sizeof *r->off);
    r->out = calloc(n, sizeof *r->out);
    r->in = calloc(n, sizeof *r->in);
    r->known = calloc(2, n);
    r->commit_at = calloc(n, sizeof *r->commit_at);
    r->entry = calloc(n * n, sizeof *r->entry);
    r->configured = calloc(2, n);
    r->packet = calloc(n * HEAL_SEQS, sizeof *r->packet);
    r->tx = calloc(2 * ports + 2 * n, sizeof *r->tx);
    r->link = calloc(ports, sizeof *r->link);
    r->discarded = calloc(2 * n, sizeof *r->discarded);
    r->last = calloc(n * n + 2 * n, sizeof *r->last);
    r->needs = calloc(n * n, sizeof *r->needs);
    r->links = links_new(&links);
    if (!r->node || !r->memory || !r->rtl || !r->off || !r->out || !r->in || !r->known ||
        !r->commit_at || !r->entry || !r->configured || !r->packet || !r->tx || !r->link ||
        !r->discarded || !r->last || !r->needs || !r->links)
        return false;
    r->told = r->known + n;
    r->ready = r->configured + n;
    r->rx = r->tx + ports;
    r->li = r->rx + ports;
    r->lo = r->li + n;
    r->headless = r->discarded + n;
    r->last_from = r->last + n * n;
    r->acts_at = UINT64_MAX;
    r->board = -1;
    for (uint32_t i = 0; i < n; i++) {
        r->memory[i] = malloc(heal_node_size(r));
        if (!r->memory[i])
            return false;
        r->commit_at[i] = UINT64_MAX;
        heal_power_up(r, i);
        heal_configure(r, i);
    }
    return true;
}

static void clean_up(struct heal *r)
{
    for (uint32_t n = 0; n < r->nodes && r->memory; n++)
        free(r->memory[n]);
    for (uint32_t n = 0; n < r->nodes && r->rtl && heal_rtl(); n++)
        heal_rtl()->destroy(r->rtl[n]);
    links_free(r->links);
    void *all[] = {r->node,  r->memory,    (void *)r->rtl, r->off,        (void *)r->out, r->in,
                   r->known, r->commit_at, r->entry,       r->configured, r->packet,      r->tx,
                   r->link,  r->discarded, r->last,        r->needs};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static bool event(const struct heal_options *o, unsigned number, double *before, double *after,
                  uint64_t *compared)
{
    struct heal r = {.o = o,
                     .torus = o->torus,
                     .nodes = ofr_nodes(&o->torus),
                     .ports = 2U * o->torus.n,
                     .kind =
                         o->kind >= 0 ? (enum heal_kind)o->kind : (enum heal_kind)(number % KINDS),
                     .full = number / KINDS % 2 == 0};
    r.period = r.full ? o->shape.slot_flits : LOAD;
    r.rng.state = o->seed * 1000003 + number;
    rng_next(&r.rng);
    r.rtl_rng.state = r.rng.state + 1;
    if (!set_up(&r)) {
        fprintf(stderr, "heal: out of memory\n");
        exit(2);
    }
    // A pair's packets come every LOAD x (nodes - 1) cycles, or at full load more often
    uint64_t gap = (uint64_t)GAPS * LOAD * (r.nodes - 1);
    for (uint64_t i = 0; i < UP_WITHIN && !links_up(r.links); i++)
        step(&r);
    if (!links_up(r.links))
        heal_fail(&r, "links do not come up");
    heal_look(&r, r.told);
    heal_work_out(&r);
    r.acts_at = UINT64_MAX;
    for (size_t i = 0; i < (size_t)r.nodes * r.ports; i++)
        r.link[i].fell = false;
    r.traffic = true;
    for (uint32_t n = 0; n < r.nodes; n++)
        heal_generate(&r, n);
    uint64_t start = r.cycle;
    for (size_t i = 0; i < (size_t)r.nodes * r.nodes; i++)
        r.last[i] = start;
    for (size_t i = 0; i < 2 * (size_t)r.nodes; i++)
        r.last_from[i] = start;
    steps(&r, WARM_UP);
    uint64_t came = r.delivered;
    steps(&r, gap);
    *before = (double)(r.delivered - came) * o->shape.slot_flits / (double)(gap * r.nodes);
    heal_all_flow(&r, start);
    steps(&r, rng_below(&r.rng, 2000));

    uint64_t at = r.cycle, led = 0;
    harm(&r, gap);
    if (r.kind != BLINK && r.kind != RESET) { // led around meanwhile
        uint64_t since = r.cycle;
        led = r.led_at;
        steps(&r, gap);
        heal_all_flow(&r, since);
    }
    if (!steps_until_settled(&r, 200000))
        heal_fail(&r, "not all is as it was before");
    uint64_t back = r.cycle;
    steps(&r, WARM_UP);
    came = r.delivered;
    steps(&r, gap);
    *after = (double)(r.delivered - came) * o->shape.slot_flits / (double)(gap * r.nodes);
    heal_all_flow(&r, back);
    if (r.most_gap > gap)
        heal_fail(&r,
                  "%" PRIu64 " cycles without a packet of a pair that does not need what is lost",
                  r.most_gap);
    if (r.most_wait > STARVED)
        heal_fail(&r, "%" PRIu64 " cycles without a packet of one node, or to it", r.most_wait);
    if (*after < 0.95 * *before)
        heal_fail(&r, "%.3f flits a cycle and node afterwards, %.3f before", *after, *before);
    for (uint32_t n = 0; n < r.nodes; n++)
        heal_write(&r, n, OFR_GEN_CONTROL, 0);
    r.traffic = false;
    uint64_t stop = r.cycle;
    while (!r.why[0] && (r.cycle < stop + 100 || !drained(&r)))
        if (step(&r), r.cycle > stop + DRAIN)
            heal_fail(&r, "packets are left that do not move");
    heal_account(&r);
    uint64_t gone = 0;
    for (uint32_t n = 0; n < r.nodes; n++)
        gone += heal_discarded(&r, n) + r.discarded[n];
    // Pulled cables: the four counts make up all
    if (r.board < 0 && r.injected != r.delivered + r.poisoned + gone + r.lost)
        heal_fail(&r,
                  "%" PRIu64 " packets, %" PRIu64 " delivered, %" PRIu64 " poisoned, %" PRIu64
                  " discarded, %" PRIu64 " lost on links",
                  r.injected, r.delivered, r.poisoned, gone, r.lost);
    printf("%sok %u - %s, %s, at cycle %" PRIu64 ", led around %" PRIu64 " later, all back %" PRIu64
           " later: %" PRIu64 " packets, %" PRIu64 " delivered, %" PRIu64 " poisoned, %" PRIu64
           " discarded, %" PRIu64 " lost on links, %" PRIu64 " of a board reset; %.3f and %.3f; "
           "longest wait of others' pairs %" PRIu64 ", of a node %" PRIu64
           "; ends apart for %" PRIu64 " at most\n",
           r.why[0] ? "not " : "", number + 1, names[r.kind], r.full ? "full load" : "less load",
           at - start, led > at ? led - at : 0, back - at, r.injected, r.delivered, r.poisoned,
           gone, r.lost, r.excused, *before, *after, r.most_gap, r.most_wait,
           links_totals(r.links).apart_max);
    if (r.why[0])
        printf("# %s\n# again: --seed %" PRIu64 " --first %u --events 1\n", r.why, o->seed, number);
    fflush(stdout);
    *compared += r.compared;
    bool good = !r.why[0];
    clean_up(&r);
    return good;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct heal_options *o = state->input;
    unsigned k[3];
    char extra;
    switch (key) {
    case 'T': {
        int n = sscanf(arg, "%ux%ux%u%c", &k[0], &k[1], &k[2], &extra);
        if (n != 2 && n != 3)
            argp_error(state, "--torus %s: write 4x4", arg);
        if (heal_rtl() && n != heal_rtl()->shape().n)
            argp_error(state, "--torus %s: this build has %u dimensions", arg,
                       heal_rtl()->shape().n);
        o->torus.n = (uint8_t)n;
        for (int i = 0; i < n; i++) {
            if (k[i] < 3 || k[i] > 8)
                argp_error(state, "--torus %s: sizes are 3 to 8", arg);
            o->torus.k[i] = (uint8_t)k[i];
        }
        return 0;
    }
    case 'e':
        o->events = (unsigned)strtoul(arg, NULL, 10);
        return 0;
    case 'S':
        o->until = time(NULL) + strtol(arg, NULL, 10);
        return 0;
    case 'f':
        o->first = (unsigned)strtoul(arg, NULL, 10);
        return 0;
    case 's':
        o->seed = strtoull(arg, NULL, 10);
        return 0;
    case 'k':
        for (o->kind = 0; o->kind < KINDS && strcmp(arg, names[o->kind]); o->kind++) {
        }
        if (o->kind == KINDS)
            argp_error(state, "--kind %s: there is none", arg);
        return 0;
    case 'b':
        o->break_at = strtoull(arg, NULL, 10);
        return 0;
    case 'n':
        o->no_host = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"torus", 'T', "KxK[xK]", 0, "(default 4x4)", 0},
        {"events", 'e', "N", 0, "(default 10)", 0},
        {"seconds", 'S', "N", 0, "new ones begin for so long", 0},
        {"first", 'f', "N", 0, "the number of the first (0), for replay", 0},
        {"kind", 'k', "KIND", 0, "cable, two cables, loose plug, reset or power (in turn)", 0},
        {"seed", 's', "N", 0, "(default: SEED, or 1)", 0},
        {"no-host", 'n', NULL, 0, "nobody leads around: must be found", 0},
        {"break", 'b', "CYCLE", 0,
         "node 0's RTL router hears a credit wrongly from here on: must be found", 0},
        {0}};
    static const struct argp parser = {
        list, parse, NULL, "Cables and boards that go and come back under full load.",
        NULL, NULL,  NULL};
    const char *seed = getenv("SEED");
    struct heal_options o = {
        .torus = {.n = 2, .k = {4, 4}},
        .shape = {.flit_bits = 32, .slots = 8, .unit_mul = 1, .slot_flits = 16},
        .events = 10,
        .kind = -1,
        .seed = seed ? strtoull(seed, NULL, 10) : 1};
    double before, after, sum[2] = {0};
    unsigned failed = 0, i = 0;
    uint64_t compared = 0;
    argp_err_exit_status = 2;
    if (heal_rtl()) {
        o.shape = heal_rtl()->shape();
        o.torus.n = o.shape.n;
        o.torus.k[2] = 3;
    }
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    o.shape.n = o.torus.n;
    printf("# seed %" PRIu64 "\n", o.seed);
    for (; (o.until ? time(NULL) < o.until : i < o.events) && failed < 3; i++) {
        failed += !event(&o, o.first + i, &before, &after, &compared);
        sum[0] += before;
        sum[1] += after;
    }
    printf("# %.4f flits a cycle and node before, %.4f afterwards, in the mean of %u\n1..%u\n",
           sum[0] / (i ? i : 1), sum[1] / (i ? i : 1), i, o.first + i);
    if (heal_rtl())
        printf("# %" PRIu64 " cycles of RTL routers beside golden ones\n", compared);
    return failed ? 1 : 0;
}
