// SPDX-License-Identifier: Apache-2.0
// The golden model alone at full overload, OFR class, or in order and all to one node: no watchdog,
// everything drains, and management gets through. One TAP line a run. See README.md.
#include "golden.h"
#include "ofr_regs.h"
#include "pattern.h"
#include "ring_wait.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WATCHDOG = 13, // 2^13 cycles
    RING_WAIT = 6, // a refused ring entry holds back others after 2^6 to 2^7 cycles
    PACKET = 16,   // flits; shorter ones wait for the decision rather than for the network
    DRAIN_CYCLES = 60000,
    PING_BOUND = 8000, // cycles: a round trip at overload, README.md
    PING_GAP = 500,
    // All to one node, over links as slow as those of a board with two wires and 16-bit flits.
    ONE_CYCLES = 8, // of a flit
    ONE_WATCHDOG = 16,
    ONE_PING_BOUND = 40000,
};

struct options {
    uint64_t cycles, seed;
    struct ofr_torus torus;
    unsigned slots, only; // only: the run of that number, 0 all
    bool pings;
    bool pulled;        // all x+ cables of a column are pulled
    bool one;           // all packets are in order, and for one node
    unsigned ring_wait; // of that; 0: as boards have it
};

struct ping {
    bool directed, back;
    uint32_t from, to;
    unsigned port;
    uint64_t cycles, worst[2], count[2];
    uint64_t next;
};

static const unsigned patterns[] = {
    OFR_GEN_CONTROL_PATTERN_TORNADO,   OFR_GEN_CONTROL_PATTERN_COMPLEMENT,
    OFR_GEN_CONTROL_PATTERN_UNIFORM,   OFR_GEN_CONTROL_PATTERN_BUTTERFLY,
    OFR_GEN_CONTROL_PATTERN_TRANSPOSE, OFR_GEN_CONTROL_PATTERN_ROTATE3D,
    OFR_GEN_CONTROL_PATTERN_BITREVERSE};

// A round trip after another, by address and over one link in turn; the far node answers at once.
static void ping(struct golden *g, struct ping *p, struct rng *rng)
{
    uint64_t took = fabric_ping_cycles(g->fabric);
    if (p->next > g->cycle)
        return;
    if (p->cycles == 0 && !p->back) { // idle: begin
        struct ofr_coord at;
        p->directed = !p->directed;
        p->from = rng_below(rng, g->nodes);
        at = ofr_node_coord(&g->config[0].torus, p->from);
        do {
            p->port = rng_below(rng, 2U * g->config[0].torus.n);
        } while (!(ofr_existing_ports(&g->config[0].torus, &at) >> p->port & 1));
        struct ofr_coord beside = ofr_neighbour(&g->config[0].torus, at, p->port);
        p->to = p->directed ? ofr_node_id(&g->config[0].torus, &beside) : rng_below(rng, g->nodes);
        if (fabric_ping(g->fabric, p->from, p->directed, p->directed ? p->port : p->to))
            p->cycles = 1;
    } else if (took && !p->back) {
        if (fabric_ping(g->fabric, p->to, p->directed, p->directed ? p->port ^ 1 : p->from)) {
            p->cycles = took;
            p->back = true;
        }
    } else if (took) {
        p->cycles += took;
        if (p->cycles > p->worst[p->directed])
            p->worst[p->directed] = p->cycles;
        p->count[p->directed]++;
        p->cycles = 0;
        p->back = false;
        p->next = g->cycle + PING_GAP;
    }
}

static bool run(const struct options *o, const struct ofr_torus *torus, unsigned slots, unsigned p,
                unsigned number, uint64_t *derouted)
{
    unsigned one_wait =
        o->ring_wait ? o->ring_wait : ofr_ring_wait(PACKET, ONE_CYCLES, 2U * torus->n + 1);
    uint64_t bound = o->one ? ONE_PING_BOUND : PING_BOUND;
    struct fabric_options f = {.shape = {.n = torus->n,
                                         .flit_bits = o->one ? 16 : 32,
                                         .slots = (uint8_t)slots,
                                         .unit_mul = 1,
                                         .slot_flits = PACKET},
                               .torus = *torus,
                               .seed = o->seed * 1000 + number,
                               .load_permille = 1000,
                               .ready_permille = o->one ? 1000 / ONE_CYCLES : 1000,
                               .sink_permille = 1000,
                               .latency = 2,
                               .class_weight = {o->one, 0, !o->one},
                               .length_min = PACKET,
                               .length_max = PACKET,
                               .pattern = o->one ? OFR_GEN_CONTROL_PATTERN_FIXED : patterns[p],
                               .target = torus->k[0] - 1U,
                               .lossy = o->pulled};
    struct ofr_table table;
    struct ofr_config base = {.configured = true,
                              .tie = number & 1 ? OFR_TIE_BOTH : OFR_TIE_PLUS,
                              .select = (uint8_t)(number % 4),
                              .threshold = (uint8_t)(slots / 2),
                              .watchdog_time = o->one ? ONE_WATCHDOG : WATCHDOG,
                              .ring_wait_time = (uint8_t)(o->one ? one_wait : RING_WAIT),
                              .table = &table};
    struct golden g;
    struct rng rng = {f.seed};
    struct ping pinger = {.next = 2000};
    const char *why = NULL;
    ofr_table_reset(&table, torus->n);
    if (number / 2 % 2)
        table.eta = 4; // long ways cost little: much derouting
    if (!golden_init(&g, &f, &base)) {
        fprintf(stderr, "overload: out of memory\n");
        exit(2);
    }
    // All x+ cables of a column, for good
    for (uint32_t n = 0; n < g.nodes && o->pulled; n++)
        if (g.config[n].me.c[0] == torus->k[0] / 2 - 1)
            fabric_cut(g.fabric, n, 0, UINT32_MAX);
    while (g.cycle < o->cycles && !why) {
        if (o->pings)
            ping(&g, &pinger, &rng);
        golden_step(&g);
        if (g.cycle % 256 == 0 && golden_watchdog(&g))
            why = "the watchdog has latched";
        if (g.cycle % 256 == 0 && fabric_error(g.fabric))
            why = fabric_error(g.fabric);
    }
    uint64_t cycles = g.cycle;
    uint64_t flits = fabric_totals(g.fabric).flits_delivered;
    uint64_t oidn = golden_counter(&g, OFR_COUNTER_OIDN),
             widn = golden_counter(&g, OFR_COUNTER_WIDN);
    *derouted += oidn + widn;
    if (!why && !golden_drain(&g, DRAIN_CYCLES))
        why = fabric_error(g.fabric) ? fabric_error(g.fabric) : "it does not drain";
    if (!why && golden_watchdog(&g))
        why = "the watchdog has latched";
    if (!why && o->pings && (!pinger.count[0] || !pinger.count[1]))
        why = "no ping came back";
    if (!why && o->pulled && !golden_counter(&g, OFR_COUNTER_DISCARDED))
        why = "nothing was discarded";
    if (!why && (pinger.worst[0] > bound || pinger.worst[1] > bound))
        why = "a ping took too long";
    printf("%sok %u - %ux%u%s%s C=%u %s: %.3f flits a cycle and node, %" PRIu64 " OIDN, %" PRIu64
           " WIDN",
           why ? "not " : "", number + 1, torus->k[0], torus->k[1], torus->n == 3 ? "x" : "",
           torus->n == 3 ? (char[]){(char)('0' + torus->k[2]), 0} : "", slots,
           ofr_pattern_name(f.pattern), (double)flits / (double)cycles / g.nodes, oidn, widn);
    if (o->pings)
        printf("; %" PRIu64 " + %" PRIu64 " pings, worst %" PRIu64 " by address, %" PRIu64
               " directed",
               pinger.count[0], pinger.count[1], pinger.worst[0], pinger.worst[1]);
    printf("\n");
    if (why)
        printf("# cycle %" PRIu64 ": %s\n# seed %" PRIu64 " --run %u\n", g.cycle, why, o->seed,
               number + 1);
    fflush(stdout);
    golden_free(&g);
    return !why;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    char *end = NULL;
    unsigned long long number = arg ? strtoull(arg, &end, 10) : 0;
    if (arg && key != 'T' && key != ARGP_KEY_ARG && (end == arg || *end || *arg == '-'))
        argp_error(state, "%s: not a number", arg);
    switch (key) {
    case 'T': {
        unsigned k[3] = {0};
        int n = sscanf(arg ? arg : "", "%ux%ux%u", &k[0], &k[1], &k[2]);
        if (!arg || n < 2 || strspn(arg, "0123456789x") != strlen(arg))
            argp_error(state, "--torus %s: KxK or KxKxK", arg);
        o->torus.n = (uint8_t)n;
        for (int i = 0; i < n; i++) {
            if (k[i] != 2 && k[i] != 4 && k[i] != 8)
                argp_error(state, "--torus %s: sizes are 2, 4 or 8", arg);
            o->torus.k[i] = (uint8_t)k[i];
        }
        return 0;
    }
    case 'c':
        o->cycles = number;
        return 0;
    case 's':
        o->seed = number;
        return 0;
    case 'S':
        if (number < 2 || number > OFR_MAX_SLOTS)
            argp_error(state, "--slots %s: 2 to %d", arg, OFR_MAX_SLOTS);
        o->slots = (unsigned)number;
        return 0;
    case 'r':
        o->only = (unsigned)number;
        return 0;
    case 'p':
        o->pulled = true;
        o->pings = false; // some would be lost
        return 0;
    case 'n':
        o->pings = false;
        return 0;
    case 'o':
        o->one = true;
        return 0;
    case 'w':
        if (number < 1 || number > OFR_NODE_RING_WAIT_TIME_MASK)
            argp_error(state, "--ring-wait %s: 1 to %u", arg, OFR_NODE_RING_WAIT_TIME_MASK);
        o->ring_wait = (unsigned)number;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"torus", 'T', "KxK[xK]", 0, "(default: 4x4, 8x8 and 4x4x4)", 0},
        {"slots", 'S', "C", 0, "slots a VC (default: 2 and 4)", 0},
        {"cycles", 'c', "N", 0, "cycles a run (default 200000)", 0},
        {"seed", 's', "N", 0, "(default: SEED, or 1)", 0},
        {"run", 'r', "N", 0, "only run N of the list, as it is there (replay)", 0},
        {"pulled", 'p', NULL, 0, "all x+ cables of a column are pulled; no pings", 0},
        {"no-pings", 'n', NULL, 0, "user traffic only", 0},
        {"one", 'o', NULL, 0, "all packets are in order, for one node, over slow links", 0},
        {"ring-wait", 'w', "TIME", 0, "NODE.RING_WAIT of that (default: as boards have it)", 0},
        {0}};
    static const struct argp parser = {list, parse, NULL, "OFR at full overload.",
                                       NULL, NULL,  NULL};
    static const struct ofr_torus tori[] = {
        {.n = 2, .k = {4, 4}}, {.n = 3, .k = {4, 4, 4}}, {.n = 2, .k = {8, 8}}};
    const char *seed = getenv("SEED");
    struct options o = {
        .cycles = 200000, .seed = seed ? strtoull(seed, NULL, 10) : 1, .pings = true};
    unsigned number = 0, failed = 0;
    uint64_t derouted = 0;
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    printf("# seed %" PRIu64 "\n", o.seed);
    for (unsigned t = 0; t < (o.torus.n ? 1 : 3); t++) {
        const struct ofr_torus *torus = o.torus.n ? &o.torus : &tori[t];
        for (unsigned slots = o.slots ? o.slots : 2; slots <= (o.slots ? o.slots : 4); slots += 2)
            for (unsigned p = 0; p < (o.one ? 1 : sizeof patterns / sizeof *patterns); p++) {
                if (!o.one && ofr_pattern_missing(torus, patterns[p]))
                    continue;
                if (!o.only || o.only == number + 1)
                    failed += !run(&o, torus, slots, p, number, &derouted);
                number++;
            }
    }
    if (o.only > number) {
        fprintf(stderr, "overload: --run %u: the list has %u\n", o.only, number);
        return 2;
    }
    if (o.only)
        return failed ? 1 : 0;
    bool right = !derouted == o.one;
    failed += !right;
    printf("%sok %u - %s packets were derouted\n1..%u\n", right ? "" : "not ", number + 1,
           o.one ? "no" : "some", number + 1);
    return failed ? 1 : 0;
}
