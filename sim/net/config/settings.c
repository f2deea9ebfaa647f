// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/application.h"
#include "topo/name.h"
#include "traffic/trace.h"

#define TEXT_OF(word)   #word
#define VALUE_OF(macro) TEXT_OF(macro)
#define MOST_DIMS       VALUE_OF(OFR_MAX_DIMS)

// ---- What a setting of its own kind does

static const char *parse_topology(struct net_config *c, const char *text, char *wrong,
                                  unsigned size)
{
    c->mesh = !strncmp(text, "mesh:", 5);
    c->dragonfly.a = 0;
    if (net_dragonfly_parse(text, &c->dragonfly))
        return NULL;
    if (net_torus_parse(c->mesh ? text + 5 : text, &c->torus) &&
        !(c->mesh && !strncmp(text + 5, "torus:", 6)))
        return NULL;
    snprintf(
        wrong, size,
        "--topology %s: must be torus: or mesh:K1x...xKn, n = 1 to %d, sizes 1 to 255, at most "
        "2^22 nodes (a hypercube is 2x2x...x2), or dragonfly:H or dragonfly:AxPxH, at most 63 "
        "ports a router",
        text, OFR_MAX_DIMS);
    return wrong;
}

static void print_topology(const struct net_config *c, char *text, unsigned size)
{
    char torus[NET_TORUS_TEXT];
    if (c->dragonfly.a) {
        snprintf(text, size, "dragonfly:%ux%ux%u", c->dragonfly.a, c->dragonfly.p, c->dragonfly.h);
        return;
    }
    net_torus_print(&c->torus, torus, sizeof torus);
    snprintf(text, size, "%s%s", c->mesh ? "mesh" : "torus", strchr(torus, ':'));
}

static const char *parse_traffic(struct net_config *c, const char *text, char *wrong, unsigned size)
{
    int pattern = net_pattern_parse(text);
    if (!strncmp(text, "adv+", 4)) {
        char *end;
        unsigned long offset = strtoul(text + 4, &end, 10);
        if (text[4] < '1' || text[4] > '9' || *end || offset > 100000) {
            snprintf(wrong, size, "--traffic %.60s: must be adv+N, N groups on", text);
            return wrong;
        }
        c->traffic.pattern = NET_ADVERSARIAL;
        c->traffic.offset = (uint32_t)offset;
        return NULL;
    }
    if (pattern >= 0 && pattern != NET_ADVERSARIAL) {
        c->traffic.pattern = (enum net_pattern)pattern;
        return NULL;
    }
    unsigned at = (unsigned)snprintf(
        wrong, size, "--traffic %.60s: there is no such traffic; it is one of", text);
    for (int p = 0; p < NET_PATTERNS && at < size; p++)
        at += (unsigned)snprintf(wrong + at, size - at, "%s %s", p ? "," : "",
                                 p == NET_ADVERSARIAL ? "adv+N"
                                                      : net_pattern_name((enum net_pattern)p));
    return wrong;
}

static bool has_pattern(const struct net_config *c)
{
    return !c->trace && !c->active && !c->application;
}

static void print_traffic(const struct net_config *c, char *text, unsigned size)
{
    if (has_pattern(c) && c->traffic.pattern == NET_ADVERSARIAL) {
        snprintf(text, size, "adv+%u", c->traffic.offset);
        return;
    }
    snprintf(text, size, "%s",
             c->active        ? "pingpong"
             : c->trace       ? "trace"
             : c->application ? "application"
                              : net_pattern_name(c->traffic.pattern));
}

static const char *parse_idn(struct net_config *c, const char *text, char *wrong, unsigned size)
{
    if (strcmp(text, "both") && strcmp(text, "oidn") && strcmp(text, "widn") &&
        strcmp(text, "orthants")) {
        snprintf(wrong, size, "--idn %s: must be both, oidn, widn or orthants", text);
        return wrong;
    }
    if (c->routing != NET_OFR) // of a sweep's routings one may be
        return NULL;
    c->oidn = strcmp(text, "widn") != 0;
    c->widn = strcmp(text, "oidn") != 0;
    c->orthants = !strcmp(text, "orthants");
    return NULL;
}

static void print_idn(const struct net_config *c, char *text, unsigned size)
{
    snprintf(text, size, "%s",
             c->orthants ? "orthants"
             : !c->oidn  ? "widn"
             : !c->widn  ? "oidn"
                         : "both");
}

static const char *parse_hotspots(struct net_config *c, const char *text, char *wrong,
                                  unsigned size)
{
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        unsigned long node = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || errno || node > UINT32_MAX || (*end && *end != ',')) {
            snprintf(wrong, size, "--hotspots %.*s: not a whole number", (int)strcspn(at, ","), at);
            return wrong;
        }
        if (c->traffic.hotspots == NET_MAX_HOTSPOTS) {
            snprintf(wrong, size, "--hotspots: at most %d nodes", NET_MAX_HOTSPOTS);
            return wrong;
        }
        c->traffic.hotspot[c->traffic.hotspots++] = (uint32_t)node;
        at = end;
        if (!*at)
            return NULL;
    }
}

static void print_hotspots(const struct net_config *c, char *text, unsigned size)
{
    unsigned at = 0;
    *text = '\0';
    for (uint32_t i = 0; i < c->traffic.hotspots && at < size; i++)
        at += (unsigned)snprintf(text + at, size - at, i ? ",%u" : "%u", c->traffic.hotspot[i]);
}

// N or N1x...xNn
static const char *parse_link_latency(struct net_config *c, const char *text, char *wrong,
                                      unsigned size)
{
    uint32_t *latency = c->flit.link_latency, count = 0;
    for (const char *at = text; count < OFR_MAX_DIMS; at++) {
        char *end;
        errno = 0;
        unsigned long cycles = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || errno || cycles < 1 || cycles > NET_MAX_LINK_LATENCY)
            break;
        latency[count++] = (uint32_t)cycles;
        at = end;
        if (!*at) {
            c->flit.link_latencies = count;
            for (uint32_t i = 1; i < OFR_MAX_DIMS && count == 1; i++)
                latency[i] = latency[0];
            return NULL;
        }
        if (*at != 'x')
            break;
    }
    snprintf(wrong, size,
             "--link-latency %.60s: must be N or N1x...xNn, one for each dimension, 1 to %d", text,
             NET_MAX_LINK_LATENCY);
    return wrong;
}

static void print_link_latency(const struct net_config *c, char *text, unsigned size)
{
    unsigned at = 0;
    for (uint32_t i = 0; i < c->flit.link_latencies && at < size; i++)
        at += (unsigned)snprintf(text + at, size - at, i ? "x%u" : "%u", c->flit.link_latency[i]);
}

// PACKETS:WEIGHT,...
static const char *parse_mix(struct net_config *c, const char *text, char *wrong, unsigned size)
{
    c->mixed = 0;
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        unsigned long packets = strtoul(at, &end, 10);
        double weight = *end == ':' ? strtod(end + 1, &end) : NAN;
        if (*at < '0' || *at > '9' || errno || packets < 1 || packets > 1000000 ||
            !(weight >= 1e-6 && weight <= 1e6) || (*end && *end != ',')) {
            snprintf(wrong, size,
                     "--mix %.*s: must be PACKETS:WEIGHT, 1 to 1000000 and 1e-6 to 1e6",
                     (int)strcspn(at, ","), at);
            return wrong;
        }
        if (c->mixed == NET_MAX_MIX) {
            snprintf(wrong, size, "--mix: at most %d lengths", NET_MAX_MIX);
            return wrong;
        }
        c->mix[c->mixed++] = (struct net_mix){(uint32_t)packets, weight};
        at = end;
        if (!*at)
            return NULL;
    }
}

static void print_mix(const struct net_config *c, char *text, unsigned size)
{
    unsigned at = 0;
    *text = '\0';
    for (uint32_t i = 0; i < c->mixed && at < size; i++)
        at += (unsigned)snprintf(text + at, size - at, "%s%u:%.9g", i ? "," : "", c->mix[i].packets,
                                 c->mix[i].weight);
}

// The file is read when the torus is known (options.c); two with the same messages are the same.
static const char *parse_file(struct net_config *c, const char *text, char *wrong, unsigned size)
{
    (void)c;
    (void)text;
    (void)wrong;
    (void)size;
    return NULL;
}

static void print_trace(const struct net_config *c, char *text, unsigned size)
{
    snprintf(text, size, "%016llx", (unsigned long long)c->trace->digest);
}

static void print_application(const struct net_config *c, char *text, unsigned size)
{
    snprintf(text, size, "%016llx", (unsigned long long)c->application->digest);
}

static bool has_application(const struct net_config *c)
{
    return c->application != NULL;
}

static bool has_mix(const struct net_config *c)
{
    return c->mixed != 0;
}

static bool has_length(const struct net_config *c)
{
    return c->mixed == 0;
}

static bool has_onoff(const struct net_config *c)
{
    return has_pattern(c) && c->arrivals == NET_ARRIVAL_ONOFF;
}

static bool has_hotspots(const struct net_config *c)
{
    return has_pattern(c) && c->traffic.pattern == NET_HOTSPOT;
}

static bool has_trace(const struct net_config *c)
{
    return c->trace != NULL;
}

static bool has_pairs(const struct net_config *c)
{
    return c->active != 0;
}

static bool has_idns(const struct net_config *c)
{
    return c->routing == NET_OFR;
}

static bool decides(const struct net_config *c)
{
    return c->oidn || c->widn;
}

static bool is_cube(const struct net_config *c)
{
    return !c->dragonfly.a;
}

// The routers whose escape keeps a bubble, which both engines have; engine packet has no others.
static bool is_by_bubble(const struct net_config *c)
{
    return c->engine == NET_ENGINE_PACKET || (is_cube(c) && net_routing_by_bubble(c->routing));
}

static bool has_service(const struct net_config *c)
{
    return is_cube(c) && !net_routing_by_bubble(c->routing);
}

static bool has_lanes(const struct net_config *c)
{
    return c->routing == NET_DALLY_SEITZ;
}

static bool is_dragonfly(const struct net_config *c)
{
    return c->dragonfly.a != 0;
}

static bool is_ofar(const struct net_config *c)
{
    return is_dragonfly(c) && c->routing == NET_OFAR;
}

static bool draws_via(const struct net_config *c)
{
    return is_dragonfly(c) && c->routing != NET_MINIMAL_HOPS;
}

static bool has_threshold(const struct net_config *c)
{
    return draws_via(c) && c->routing != NET_VALIANT && c->routing != NET_OFAR;
}

static bool is_pb(const struct net_config *c)
{
    return is_dragonfly(c) && c->routing == NET_PB;
}

// Of lanes the one with most space is taken.
static bool has_selection(const struct net_config *c)
{
    return has_service(c) && c->routing != NET_DALLY_SEITZ && !c->flit.output_driven;
}

static bool is_chaos(const struct net_config *c)
{
    return c->routing == NET_CHAOS;
}

static bool has_unrestricted(const struct net_config *c)
{
    return c->routing == NET_DUATO || c->routing == NET_TRIPLEX;
}

static bool has_order(const struct net_config *c)
{
    return has_selection(c) && !is_chaos(c) && !c->flit.random;
}

static bool has_escape(const struct net_config *c)
{
    return c->routing == NET_DUATO ||
           (c->routing == NET_TRIPLEX && c->flit.switching == NET_WORMHOLE);
}

static bool is_wormhole(const struct net_config *c)
{
    return c->flit.switching == NET_WORMHOLE;
}

static bool is_reused(const struct net_config *c)
{
    return has_service(c) && !is_wormhole(c);
}

static bool has_depth(const struct net_config *c)
{
    return is_cube(c) && !is_wormhole(c) && !is_chaos(c);
}

static bool has_long(const struct net_config *c)
{
    return c->flit.long_words != 0;
}

static bool has_adaptive(const struct net_config *c)
{
    return c->routing != NET_DOR;
}

static bool has_ticks(const struct net_config *c)
{
    return !c->pipelined;
}

static bool has_ties(const struct net_config *c)
{
    return c->engine == NET_ENGINE_PACKET || (is_cube(c) && !c->mesh);
}

static bool is_permutation(const struct net_config *c)
{
    return is_cube(c) && c->traffic.pattern != NET_UNIFORM && c->traffic.pattern != NET_HOTSPOT;
}

static bool is_triplex(const struct net_config *c)
{
    return c->routing == NET_TRIPLEX;
}

static bool has_rule4(const struct net_config *c)
{
    return is_triplex(c) && c->flit.class != NET_OBLIVIOUS;
}

static bool deroutes(const struct net_config *c)
{
    return is_triplex(c) && c->flit.class == NET_NON_MINIMAL;
}

static bool has_precedence(const struct net_config *c)
{
    return is_chaos(c) && c->flit.output_driven;
}

static bool is_derouting(const struct net_config *c)
{
    return deroutes(c) || is_chaos(c);
}

static bool has_nak_gate(const struct net_config *c)
{
    return c->nak_gate_us > 0;
}

// ---- When a setting applies

static const struct net_condition
    replayed = {has_application, "--application"},
    by_pattern = {has_pattern, "a traffic pattern (no --trace, --application or --active)"},
    mixed = {has_mix, "--mix"}, one_length = {has_length, "messages of one length (no --mix)"},
    on_and_off = {has_onoff, "--arrivals onoff"},
    with_hotspots = {has_hotspots, "--traffic hotspot"}, traced = {has_trace, "--trace"},
    in_pairs = {has_pairs, "--active"}, of_ofr = {has_idns, "--routing ofr"},
    derouting = {decides, "--routing por or ofr"},
    of_dally_seitz = {has_lanes, "--routing dally-seitz"},
    with_unrestricted = {has_unrestricted, "--routing duato or triplex"},
    selected = {has_selection, "--routing duato, triplex or chaos, --service input"},
    ordered = {has_order, "--routing duato or triplex, --service input, --selection fixed"},
    waited_for = {has_escape, "--routing duato, or triplex with --switching wormhole"},
    reused = {is_reused,
              "--routing dally-seitz, duato, triplex or chaos, --switching cut-through or "
              "store-and-forward"},
    with_depth = {has_depth, "--switching cut-through or store-and-forward on a torus or mesh, not "
                             "--routing chaos, whose exchange is of single packets"},
    in_wormhole = {is_wormhole, "--switching wormhole"}, two_lengths = {has_long, "--long-words"},
    of_triplex = {is_triplex, "--routing triplex"},
    of_adaptive_triplex = {has_rule4, "--routing triplex, --class minimal or non-minimal"},
    of_derouting_triplex = {deroutes, "--routing triplex, --class non-minimal"},
    that_deroutes = {is_derouting, "--routing chaos, or triplex with --class non-minimal"},
    of_chaos = {is_chaos, "--routing chaos"},
    with_precedence = {has_precedence, "--routing chaos, --service output"},
    adaptive = {has_adaptive, "all but --routing dor, which has no adaptive VC"},
    ticking = {has_ticks, "--injection stop-and-wait"},
    tied = {has_ties, "--engine packet, or a torus"},
    nak_gated = {has_nak_gate, "--nak-gate of more than 0"},
    by_bubble = {is_by_bubble, "--engine packet, or --routing dor, rdr, abr, por or ofr"},
    served = {has_service, "--routing dally-seitz, duato, triplex or chaos"},
    permuting = {is_permutation, "--traffic that is a permutation (not uniform or hotspot)"};
static const struct net_condition on_cube = {is_cube, "--topology torus:... or mesh:..."},
                                  on_dragonfly = {is_dragonfly, "--topology dragonfly:..."},
                                  of_ofar = {is_ofar, "--routing ofar"},
                                  by_via = {draws_via, "--topology dragonfly:..., all routings but "
                                                       "minimal"},
                                  by_threshold = {has_threshold,
                                                  "--topology dragonfly:..., --routing ugal, pb or "
                                                  "par"},
                                  of_pb = {is_pb, "--routing pb"};

// ---- The table

static const char *const counted[] = {"adaptive", "all", NULL};
static const char *const tries[] = {"each", "once", NULL};
static const char *const means[] = {"all", "gates", NULL};
static const char *const placements[] = {"linear", "random", NULL};
static const char *const duplexes[] = {"half", "full", NULL};
static const char *const services[] = {"input", "output", NULL};
static const char *const selections[] = {"fixed", "random", NULL};
static const char *const orders[] = {"restricted", "unrestricted", NULL};
static const char *const flows[] = {"same-cycle", "next-cycle", NULL};
static const char *const reuses[] = {"after-tail", "with-head", NULL};
static const char *const precedences[] = {"multiqueue", "none", NULL};
static const char *const derouters[] = {"no", "yes", NULL};
static const char *const strays[] = {"no", "yes", NULL};
static const char *const priorities[] = {"transit", "none", NULL};
static const char *const rings[] = {"embedded", "physical", NULL};
static const char *const vc_orders[] = {"none", "hops", NULL};
static const char *const selves[] = {"idle", "sends", NULL};
static const char *const injections[] = {"stop-and-wait", "pipelined", NULL};

const char *const net_setting_groups[] = {"",
                                          "What:",
                                          "Routing:",
                                          "Traffic:",
                                          "Hardware (paper, Table 1):",
                                          "Of --engine flit:",
                                          "Of --topology dragonfly:...:",
                                          ""};

#define AT(member) .at = offsetof(struct net_config, member)

const struct net_setting net_settings[] = {
    {.name = "engine",
     .group = 1,
     .engine = NET_OF_BOTH,
     .value = "NAME",
     .help = "packet (by events), or flit: cycle by cycle, those routers and Fulgham's thesis's",
     .otherwise = "packet",
     .field = "engine",
     .kind = NET_CHOICE,
     .names = net_engine_names,
     AT(engine)},
    {.name = "topology",
     .letter = 't',
     .group = 1,
     .engine = NET_OF_BOTH,
     .value = "TORUS",
     .help =
         "torus:K1x...xKn, n = 1 to 6, sizes 1 to 255; with --engine flit n = 1 to " MOST_DIMS
         ", also mesh:K1x...xKn, dragonfly:H or dragonfly:AxPxH (A routers a group, P nodes and H "
         "global links a router)",
     .otherwise = "torus:8x8x8",
     .field = "topology",
     .kind = NET_OWN,
     .parse = parse_topology,
     .print = print_topology},
    {.name = "preset",
     .letter = 'P',
     .group = 1,
     .engine = NET_OF_BOTH,
     .value = "NAME",
     .help = "ofr (the router's rules), ofr-2013 (the author's experiment) or ofr-literal (the "
             "paper's text)",
     .shown = "ofr",
     .field = "preset",
     .kind = NET_CHOICE,
     .names = net_preset_names,
     .applies = &by_bubble,
     AT(preset)},
    {.name = "routing",
     .letter = 'r',
     .group = 1,
     .engine = NET_OF_BOTH,
     .value = "NAME",
     .help =
         "dor, rdr, abr, por, ofr, or a rival: valiant, goal, ugal; with --engine flit the first "
         "five, dally-seitz, duato, triplex, chaos; on a Dragonfly minimal, valiant, ugal, pb, "
         "par, "
         "ofar",
     .shown = "ofr; with --engine flit dally-seitz, on a Dragonfly minimal",
     .field = "routing",
     .kind = NET_CHOICE,
     .names = net_routing_names,
     AT(routing)},
    {.name = "traffic",
     .letter = 'p',
     .group = 1,
     .engine = NET_OF_BOTH,
     .value = "NAME",
     .help = "uniform, butterfly, transposition, transposition3d, bitreverse, complement, tornado, "
             "neighbour, diagonal, transposition-id, shuffle, permutation, hotspot, tornado-id, "
             "neighbour-id, bitreverse-coord or shuffle-coord; on a Dragonfly uniform or adv+N "
             "(all to the "
             "group N on)",
     .otherwise = "uniform",
     .field = "traffic",
     .kind = NET_OWN,
     .parse = parse_traffic,
     .print = print_traffic},
    {.name = "tie",
     .group = 2,
     .engine = NET_OF_BOTH,
     .value = "RULE",
     .help = "at distance k/2: plus, both, random (drawn per packet and leg) or alternate: + in "
             "dimensions 0, 2, ..., - in the others",
     .shown = "both; the paper's presets: plus; dally-seitz, duato, triplex, chaos: alternate",
     .field = "tie",
     .kind = NET_CHOICE,
     .names = net_tie_names,
     .applies = &tied,
     AT(tie)},
    {.name = "seed",
     .letter = 's',
     .group = 1,
     .engine = NET_OF_BOTH,
     .value = "NUMBER",
     .help = "of everything random, the order of simultaneous events included",
     .otherwise = "1",
     .field = "seed",
     .kind = NET_WHOLE,
     .least = 0,
     .most = 9223372036854775807.0, // as JSON has it
     AT(seed)},
    {.name = "load",
     .letter = 'l',
     .group = 1,
     .engine = NET_OF_BOTH,
     .value = "GAMMA",
     .help = "offered load in gamma0, 8 B_ext / k_max per node; with --engine flit in --load-unit",
     .otherwise = "0.5",
     .field = "load_gamma0",
     .kind = NET_REAL,
     .least = NET_MIN_LOAD,
     .most = NET_MAX_LOAD,
     .applies = &by_pattern,
     AT(load)},
    {.name = "eta",
     .group = 2,
     .engine = NET_OF_BOTH,
     .value = "NUMBER",
     .help = "weight of the distance, a multiple of 1/16",
     .shown = "1; the paper's presets with ofr: 2",
     .field = "eta",
     .kind = NET_REAL,
     .least = 0,
     .most = 15.9375,
     .applies = &derouting,
     AT(eta)},
    {.name = "delta",
     .group = 2,
     .engine = NET_OF_BOTH,
     .value = "HOPS",
     .help = "how far OIDNs are off",
     .otherwise = "2",
     .field = "delta_hops",
     .kind = NET_COUNT,
     .least = 0,
     .most = 15,
     .applies = &derouting,
     AT(delta)},
    {.name = "idn",
     .group = 2,
     .engine = NET_OF_BOTH,
     .value = "KINDS",
     .help = "candidates of ofr: both, oidn, widn, or orthants: both and POR's of ofr-2013",
     .shown = "both",
     .field = "idn",
     .kind = NET_OWN,
     .applies = &of_ofr,
     .parse = parse_idn,
     .print = print_idn},
    {.name = "count-used",
     .group = 2,
     .engine = NET_OF_BOTH,
     .value = "VCS",
     .help = "used slots: adaptive or all VCs",
     .otherwise = "adaptive",
     .field = "count_used",
     .kind = NET_SWITCH,
     .names = counted,
     .applies = &derouting,
     AT(count_all)},
    {.name = "throttle",
     .group = 2,
     .engine = NET_OF_BOTH,
     .value = "SLOTS",
     .help = "injection needs more free slots than this",
     .shown = "C/2",
     .field = "throttle_slots",
     .kind = NET_COUNT,
     .least = 0,
     .most = NET_UNBOUNDED_SLOTS,
     .applies = &by_bubble,
     AT(throttle)},
    {.name = "escape-throttle",
     .group = 2,
     .engine = NET_OF_BOTH,
     .value = "SLOTS",
     .help = "injection into an escape VC needs more free slots than this; C: nothing is injected "
             "there",
     .shown = "as --throttle",
     .field = "escape_throttle_slots",
     .kind = NET_COUNT,
     .least = 0,
     .most = NET_UNBOUNDED_SLOTS,
     .applies = &by_bubble,
     AT(escape_throttle)},
    {.name = "transit-throttle",
     .group = 2,
     .value = "SLOTS",
     .help = "to go on in an adaptive VC needs more free slots than this",
     .otherwise = "0",
     .field = "transit_throttle_slots",
     .kind = NET_COUNT,
     .least = 0,
     .most = NET_UNBOUNDED_SLOTS,
     .applies = &adaptive,
     AT(transit_throttle)},
    {.name = "node-throttle",
     .group = 2,
     .value = "SLOTS",
     .help = "injection waits while the node's links have more slots in use, in all VCs; 0: never",
     .otherwise = "0",
     .field = "node_throttle_slots",
     .kind = NET_COUNT,
     .least = 0,
     .most = 1000000000,
     AT(node_throttle)},
    {.name = "nak-gate",
     .group = 2,
     .value = "US",
     .help = "injection waits for so long after a NAK came back to one of the node's links; 0: it "
             "does not",
     .otherwise = "0",
     .field = "nak_gate_us",
     .kind = NET_REAL,
     .least = 0,
     .most = 1000,
     AT(nak_gate_us)},
    {.name = "nak-ports",
     .group = 2,
     .value = "LINKS",
     .help = "--nak-gate is for a node where as many of its links had a NAK back within that time",
     .otherwise = "1",
     .field = "nak_ports_links",
     .kind = NET_COUNT,
     .least = 1,
     .most = OFR_MAX_PORTS,
     .applies = &nak_gated,
     AT(nak_ports)},
    {.name = "source-gate",
     .group = 2,
     .value = "US",
     .help = "only packets that have waited at most so long at their source are derouted; 0: any",
     .otherwise = "0",
     .field = "source_gate_us",
     .kind = NET_REAL,
     .least = 0,
     .most = 1e9,
     .applies = &derouting,
     AT(source_gate_us)},
    {.name = "ratio",
     .group = 2,
     .value = "NUMBER",
     .help = "derouted only where the minimal way has more than so many times the used slots; 0: "
             "anywhere",
     .otherwise = "0",
     .field = "ratio",
     .kind = NET_REAL,
     .least = 0,
     .most = 1000,
     .applies = &derouting,
     AT(ratio)},
    {.name = "above-mean",
     .group = 2,
     .value = "NUMBER",
     .help = "derouted only where the minimal way has more than so many times the used slots of "
             "the node's mean link; 0: anywhere",
     .otherwise = "0",
     .field = "above_mean",
     .kind = NET_REAL,
     .least = 0,
     .most = 1000,
     .applies = &derouting,
     AT(above_mean)},
    {.name = "decide",
     .group = 2,
     .engine = NET_OF_BOTH,
     .value = "WHEN",
     .help = "on a way: again at each try to get in, or once a packet: each or once",
     .otherwise = "each",
     .field = "decide",
     .kind = NET_SWITCH,
     .names = tries,
     .applies = &derouting,
     AT(once)},
    {.name = "smooth",
     .group = 2,
     .value = "SHIFT",
     .help = "used slots are running means, moved by 1/2^SHIFT of the way at each offer; 0: as "
             "they are",
     .otherwise = "0",
     .field = "smooth_shift",
     .kind = NET_COUNT,
     .least = 0,
     .most = 8,
     .applies = &derouting,
     AT(smooth)},
    {.name = "means",
     .group = 2,
     .value = "OF",
     .help = "what --smooth bears on: all, or only the gates of --ratio and --above-mean, while "
             "the choice goes by the slots in use now",
     .otherwise = "all",
     .field = "means",
     .kind = NET_SWITCH,
     .names = means,
     .applies = &derouting,
     AT(gates_only)},
    {.name = "messages",
     .group = 3,
     .value = "NUMBER",
     .help = "per node; of random arrivals and of a mix in the mean",
     .otherwise = "32",
     .shown = "32; of random arrivals and a mix as many as make 3072 packets",
     .field = "messages",
     .kind = NET_COUNT,
     .least = 1,
     .most = 1000000,
     .applies = &by_pattern,
     AT(messages)},
    {.name = "message-packets",
     .group = 3,
     .value = "NUMBER",
     .help = "M, per message",
     .otherwise = "96",
     .shown = "96; with bernoulli and onoff 1",
     .field = "message_packets",
     .kind = NET_COUNT,
     .least = 1,
     .most = 1000000,
     .applies = &one_length,
     AT(message_packets)},
    {.name = "mix",
     .group = 3,
     .value = "LENGTHS",
     .help = "instead of --message-packets: PACKETS:WEIGHT,..., drawn per message, as 1:0.9,96:0.1",
     .field = "mix",
     .kind = NET_OWN,
     .applies = &mixed,
     .parse = parse_mix,
     .print = print_mix},
    {.name = "arrivals",
     .group = 3,
     .value = "HOW",
     .help = "of messages: burst (of all nodes at once, every period), staggered (each node in a "
             "phase of its own), bernoulli (by chance in each slot), onoff (so while a node is on)",
     .otherwise = "burst",
     .field = "arrivals",
     .kind = NET_CHOICE,
     .names = net_arrival_names,
     .applies = &by_pattern,
     AT(arrivals)},
    {.name = "on-fraction",
     .group = 3,
     .value = "NUMBER",
     .help = "onoff: of the time that a node is on",
     .otherwise = "0.25",
     .field = "on_fraction",
     .kind = NET_REAL,
     .least = 0.001,
     .most = 0.999,
     .applies = &on_and_off,
     AT(on_fraction)},
    {.name = "on-messages",
     .group = 3,
     .value = "NUMBER",
     .help = "onoff: mean number of messages while it is",
     .otherwise = "16",
     .field = "on_messages",
     .kind = NET_REAL,
     .least = 1,
     .most = 1e6,
     .applies = &on_and_off,
     AT(on_messages)},
    {.name = "trace",
     .group = 3,
     .value = "FILE",
     .help = "instead of --traffic, --load, --messages: lines time_ns,src,dst,bytes",
     .field = "trace",
     .kind = NET_OWN,
     .applies = &traced,
     .parse = parse_file,
     .print = print_trace},
    {.name = "application",
     .group = 3,
     .value = "FILE",
     .help = "instead of --traffic, --load, --messages: replays what `torussim record` wrote, GOAL "
             "text or traces of liballprof",
     .field = "application",
     .kind = NET_OWN,
     .applies = &replayed,
     .parse = parse_file,
     .print = print_application},
    {.name = "pace",
     .group = 3,
     .value = "NUMBER",
     .help = "an application's computation takes its time by this, 0 to 1e6",
     .otherwise = "1",
     .field = "pace",
     .kind = NET_REAL,
     .least = 0,
     .most = 1e6,
     .applies = &replayed,
     AT(pace)},
    {.name = "placement",
     .group = 3,
     .value = "HOW",
     .help = "of an application's ranks: linear, rank r on node r, or random",
     .otherwise = "linear",
     .field = "placement",
     .kind = NET_SWITCH,
     .names = placements,
     .applies = &replayed,
     AT(scattered)},
    {.name = "active",
     .group = 3,
     .value = "NODES",
     .help = "ping-pong instead of --traffic, --load, --messages: so many nodes, paired at random",
     .field = "active",
     .kind = NET_COUNT,
     .least = 2,
     .most = UINT32_MAX,
     .applies = &in_pairs,
     AT(active)},
    {.name = "rounds",
     .group = 3,
     .value = "NUMBER",
     .help = "of the ping-pong",
     .otherwise = "10",
     .field = "rounds",
     .kind = NET_COUNT,
     .least = 1,
     .most = 100000,
     .applies = &in_pairs,
     AT(rounds)},
    {.name = "burst",
     .group = 3,
     .value = "NUMBER",
     .help = "messages of a ping",
     .otherwise = "1",
     .field = "burst",
     .kind = NET_COUNT,
     .least = 1,
     .most = 10000,
     .applies = &in_pairs,
     AT(burst)},
    {.name = "injection",
     .group = 3,
     .value = "HOW",
     .help = "stop-and-wait, or pipelined: without waiting for the router's ACK",
     .shown = "pipelined; the paper's presets: stop-and-wait",
     .field = "injection",
     .kind = NET_SWITCH,
     .names = injections,
     AT(pipelined)},
    {.name = "injection-rate",
     .group = 3,
     .value = "GAMMA0",
     .help = "of the injection ticks of stop-and-wait",
     .otherwise = "2.4",
     .field = "injection_rate_gamma0",
     .kind = NET_REAL,
     .least = 1e-6,
     .most = 1000,
     .applies = &ticking,
     AT(injection_gamma0)},
    {.name = "hotspots",
     .group = 3,
     .engine = NET_OF_BOTH,
     .value = "NODES",
     .help = "node ids, as 0,5,17",
     .field = "hotspots",
     .kind = NET_OWN,
     .applies = &with_hotspots,
     .parse = parse_hotspots,
     .print = print_hotspots},
    {.name = "hotspot-weight",
     .group = 3,
     .engine = NET_OF_BOTH,
     .value = "NUMBER",
     .help = "of all hot spots together, 0 to 1",
     .field = "hotspot_weight",
     .kind = NET_REAL,
     .least = 0,
     .most = 1,
     .applies = &with_hotspots,
     AT(traffic.weight)},
    {.name = "slots",
     .group = 4,
     .value = "NUMBER",
     .help = "C, per VC and consumption queue, 2 to 80, without IDNs to 60000",
     .otherwise = "8",
     .field = "slots",
     .kind = NET_COUNT,
     .least = 2,
     .most = NET_UNBOUNDED_SLOTS,
     AT(slots)},
    {.name = "packet-bytes",
     .group = 4,
     .value = "BYTES",
     .help = "S",
     .otherwise = "512",
     .field = "packet_bytes",
     .kind = NET_COUNT,
     .least = 1,
     .most = 1 << 20,
     AT(packet_bytes)},
    {.name = "ack-bytes",
     .group = 4,
     .value = "BYTES",
     .help = "of an ACK or NAK",
     .otherwise = "10",
     .field = "ack_bytes",
     .kind = NET_COUNT,
     .least = 0,
     .most = 1 << 20,
     AT(ack_bytes)},
    {.name = "int-latency",
     .group = 4,
     .value = "NS",
     .help = "generator to router, router to sink",
     .otherwise = "80",
     .field = "int_latency_ns",
     .kind = NET_REAL,
     .least = 0,
     .most = 1e6,
     AT(int_latency_ns)},
    {.name = "int-bandwidth",
     .group = 4,
     .value = "GBPS",
     .help = "generator to router, router to sink, Gb/s",
     .otherwise = "64",
     .field = "int_bandwidth_gbps",
     .kind = NET_REAL,
     .least = 0.001,
     .most = 1e6,
     AT(int_gbps)},
    {.name = "ext-latency",
     .group = 4,
     .value = "NS",
     .help = "of a link",
     .otherwise = "200",
     .field = "ext_latency_ns",
     .kind = NET_REAL,
     .least = 0,
     .most = 1e6,
     AT(ext_latency_ns)},
    {.name = "ext-bandwidth",
     .group = 4,
     .value = "GBPS",
     .help = "of a link, Gb/s",
     .otherwise = "20",
     .field = "ext_bandwidth_gbps",
     .kind = NET_REAL,
     .least = 0.001,
     .most = 1e6,
     AT(ext_gbps)},
    {.name = "watchdog",
     .group = 4,
     .engine = NET_OF_BOTH,
     .value = "US",
     .help = "stop when nothing was accepted or consumed for so long; 0: never; with --engine flit "
             "a cycle counts as 10 ns",
     .otherwise = "1000",
     .field = "watchdog_us",
     .kind = NET_REAL,
     .least = 0,
     .most = 1e9,
     AT(watchdog_us)},
    {.name = "load-unit",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "UNIT",
     .help = "of --load: fulgham (1: the bisection carries no more when half of the messages cross "
             "it), phits (words a cycle and node) or gamma0 (8 / k_max words)",
     .otherwise = "fulgham",
     .shown = "fulgham; on a Dragonfly phits",
     .field = "load_unit",
     .kind = NET_CHOICE,
     .names = net_load_unit_names,
     AT(flit.unit)},
    {.name = "switching",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "HOW",
     .help = "cut-through (virtual), store-and-forward or wormhole",
     .otherwise = "cut-through",
     .field = "switching",
     .kind = NET_CHOICE,
     .names = net_switching_names,
     .applies = &on_cube,
     AT(flit.switching)},
    {.name = "duplex",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "HOW",
     .help = "channels: half (a word a cycle in one direction or the other) or full",
     .otherwise = "half",
     .shown = "half; with wormhole full",
     .field = "duplex",
     .kind = NET_SWITCH,
     .names = duplexes,
     .applies = &on_cube,
     AT(flit.full)},
    {.name = "message-words",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "WORDS",
     .help = "of a message; an input or output buffer has the longest, but with wormhole",
     .otherwise = "20",
     .shown = "20; with wormhole 40; on a Dragonfly 8",
     .field = "message_words",
     .kind = NET_COUNT,
     .least = 1,
     .most = NET_MAX_WORDS,
     AT(flit.message_words)},
    {.name = "long-words",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "WORDS",
     .help = "of --long-share of the messages; 0: all have --message-words",
     .otherwise = "0",
     .field = "long_words",
     .kind = NET_COUNT,
     .least = 0,
     .most = NET_MAX_WORDS,
     .applies = &on_cube,
     AT(flit.long_words)},
    {.name = "long-share",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "SHARE",
     .help = "of the messages that are long; the default is one for ten short ones",
     .otherwise = "0.0909090909",
     .field = "long_share",
     .kind = NET_REAL,
     .least = 0,
     .most = 1,
     .applies = &two_lengths,
     AT(flit.long_share)},
    {.name = "buffer-words",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "WORDS",
     .help = "with wormhole, of an input or output buffer",
     .otherwise = "1",
     .field = "buffer_words",
     .kind = NET_COUNT,
     .least = 1,
     .most = NET_MAX_WORDS,
     .applies = &in_wormhole,
     AT(flit.buffer_words)},
    {.name = "buffer-packets",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "PACKETS",
     .help = "with packet switching, of the longest messages, that an input or output buffer has "
             "room for; of dor to ofr a virtual channel has twice as many slots",
     .otherwise = "1",
     .later = true,
     .field = "buffer_packets",
     .kind = NET_COUNT,
     .least = 1,
     .most = NET_MAX_BUFFER_PACKETS,
     .applies = &with_depth,
     AT(flit.buffer_packets)},
    {.name = "flow",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "WHEN",
     .help = "with wormhole, a word goes over a channel into a full buffer in the same-cycle in "
             "which one leaves it, or in the next-cycle",
     .otherwise = "same-cycle",
     .field = "flow",
     .kind = NET_SWITCH,
     .names = flows,
     .applies = &in_wormhole,
     AT(flit.lagging)},
    {.name = "lanes",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "NUMBER",
     .help = "of dally-seitz, per virtual channel that it needs",
     .otherwise = "2",
     .shown = "2; with wormhole 1",
     .field = "lanes",
     .kind = NET_COUNT,
     .least = 1,
     .most = NET_MAX_LANES,
     .applies = &of_dally_seitz,
     AT(flit.lanes)},
    {.name = "unrestricted-vcs",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "NUMBER",
     .help = "of duato and triplex, virtual channels of a link beside the restricted ones",
     .otherwise = "1",
     .later = true,
     .field = "unrestricted_vcs",
     .kind = NET_COUNT,
     .least = 1,
     .most = NET_MAX_UNRESTRICTED,
     .applies = &with_unrestricted,
     AT(flit.unrestricted_vcs)},
    {.name = "node-latency",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "CYCLES",
     .help = "a router's, from a header's arrival until it moves on",
     .shown = "3; with duato, triplex and chaos 4; on a Dragonfly 1",
     .field = "node_latency_cycles",
     .kind = NET_COUNT,
     .least = 1,
     .most = NET_MAX_NODE_LATENCY,
     AT(flit.node_latency)},
    {.name = "link-latency",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "CYCLES",
     .help =
         "of a link, or N1x...xNn, of those of each dimension: of a word over it, and of what is "
         "told back; 1 to 1000",
     .otherwise = "1",
     .later = true,
     .field = "link_latency_cycles",
     .kind = NET_OWN,
     .parse = parse_link_latency,
     .print = print_link_latency,
     .applies = &on_cube},
    {.name = "service",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "HOW",
     .help = "input (a message seeks an output) or output (an output seeks a message)",
     .shown = "input; with chaos output",
     .field = "service",
     .kind = NET_SWITCH,
     .names = services,
     .applies = &served,
     AT(flit.output_driven)},
    {.name = "selection",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "HOW",
     .help = "input-driven, of the outputs that are free: fixed (the first by dimension) or random",
     .otherwise = "fixed",
     .field = "selection",
     .kind = NET_SWITCH,
     .names = selections,
     .applies = &selected,
     AT(flit.random)},
    {.name = "fixed-order",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "HOW",
     .help = "of the fixed selection within a dimension: restricted or unrestricted virtual "
             "channels first",
     .otherwise = "restricted",
     .field = "fixed_order",
     .kind = NET_SWITCH,
     .names = orders,
     .applies = &ordered,
     AT(flit.adaptive_first)},
    {.name = "output-reuse",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "WHEN",
     .help =
         "by packets, when an output buffer takes the next one in the place of one that leaves: "
         "after-tail (a cycle after its tail has left) or with-head (as soon as its head has)",
     .shown = "after-tail; with chaos with-head",
     .field = "output_reuse",
     .kind = NET_SWITCH,
     .names = reuses,
     .applies = &reused,
     AT(flit.with_head)},
    {.name = "escape",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "STATE",
     .help = "what an output must be that duato, or triplex with wormhole, waits for: empty, "
             "accepting, or by-service "
             "(output-driven accepting, input-driven empty)",
     .otherwise = "by-service",
     .field = "escape",
     .kind = NET_CHOICE,
     .names = net_flit_escape_names,
     .applies = &waited_for,
     AT(flit.escape)},
    {.name = "class",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "NAME",
     .help = "of triplex, the messages that are not --in-order: oblivious, minimal or non-minimal",
     .otherwise = "minimal",
     .field = "class",
     .kind = NET_CHOICE,
     .names = net_triplex_class_names,
     .applies = &of_triplex,
     AT(flit.class)},
    {.name = "in-order",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "SHARE",
     .help = "of triplex, of the messages that are of the oblivious class",
     .otherwise = "0",
     .field = "in_order",
     .kind = NET_REAL,
     .least = 0,
     .most = 1,
     .applies = &of_adaptive_triplex,
     AT(flit.in_order)},
    {.name = "rule-4",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "HOW",
     .help = "of triplex (on a torus 4t): full, non-minimal (without its minimal ways) or none",
     .otherwise = "none",
     .shown = "none; with wormhole full",
     .field = "rule_4",
     .kind = NET_CHOICE,
     .names = net_rule4_names,
     .applies = &of_adaptive_triplex,
     AT(flit.rule4)},
    {.name = "deroute-after",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "CYCLES",
     .help = "of triplex, that a non-minimal header waits at a node before it may deroute",
     .otherwise = "400",
     .shown = "400; with wormhole 160",
     .field = "deroute_after_cycles",
     .kind = NET_COUNT,
     .least = 0,
     .most = 1e9,
     .applies = &of_derouting_triplex,
     AT(flit.deroute_after)},
    {.name = "deroute-probability",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "P",
     .help = "of triplex, with which such a header deroutes in a cycle without a minimal way",
     .otherwise = "0.00001",
     .shown = "0.00001; with wormhole 0.1",
     .field = "deroute_probability",
     .kind = NET_REAL,
     .least = 0,
     .most = 1,
     .applies = &of_derouting_triplex,
     AT(flit.deroute_probability)},
    {.name = "deroute-injected",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "HOW",
     .help =
         "whether a header in the injection buffer deroutes, with chaos goes to the multiqueue: "
         "no or yes",
     .otherwise = "no",
     .field = "deroute_injected",
     .kind = NET_SWITCH,
     .names = derouters,
     .applies = &that_deroutes,
     AT(flit.deroute_injected)},
    {.name = "multiqueue",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "PACKETS",
     .help = "of chaos, that wait in a node for any of its outputs",
     .otherwise = "5",
     .field = "multiqueue_packets",
     .kind = NET_COUNT,
     .least = 2,
     .most = NET_MAX_MULTIQUEUE,
     .applies = &of_chaos,
     AT(flit.multiqueue)},
    {.name = "precedence",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "WHOSE",
     .help = "of chaos, of those that want an output: multiqueue (the longest waiting one there) "
             "or none (one drawn of all)",
     .otherwise = "multiqueue",
     .field = "precedence",
     .kind = NET_SWITCH,
     .names = precedences,
     .applies = &with_precedence,
     AT(flit.queue_drawn)},
    {.name = "queue-after",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "CYCLES",
     .help = "of chaos, that a header without a free output waits before it goes to the multiqueue",
     .otherwise = "0",
     .field = "queue_after_cycles",
     .kind = NET_COUNT,
     .least = 0,
     .most = 1e6,
     .applies = &of_chaos,
     AT(flit.queue_after)},
    {.name = "self",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "HOW",
     .help = "of permutations, a node whose destination is itself: idle or sends",
     .otherwise = "idle",
     .field = "self",
     .kind = NET_SWITCH,
     .names = selves,
     .applies = &permuting,
     AT(flit.self)},
    {.name = "warm-up",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "CYCLES",
     .help = "before anything is counted",
     .otherwise = "10000",
     .shown = "10000; on a Dragonfly 20000",
     .field = "warm_up_cycles",
     .kind = NET_COUNT,
     .least = 0,
     .most = 1e9,
     AT(flit.warm)},
    {.name = "batches",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "NUMBER",
     .help = "of the measurement, for the intervals",
     .otherwise = "20",
     .field = "batches",
     .kind = NET_COUNT,
     .least = 2,
     .most = 10000,
     AT(flit.batches)},
    {.name = "batch-cycles",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "CYCLES",
     .help = "of a batch",
     .otherwise = "1000",
     .field = "batch_cycles",
     .kind = NET_COUNT,
     .least = 1,
     .most = 1e9,
     AT(flit.batch)},
    {.name = "saturation-test",
     .group = 5,
     .engine = NET_OF_FLIT,
     .value = "HOW",
     .help = "interval (the 95% interval of the accepted load lies below the generated load), "
             "backlog (over the measured time more than a message a node was created and not "
             "delivered) or growth (the 95% interval of what a batch creates and does not deliver "
             "lies above 0)",
     .otherwise = "interval",
     .field = "saturation_test",
     .kind = NET_CHOICE,
     .names = net_saturation_names,
     AT(flit.saturation)},
    {.name = "misrouting",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "POLICY",
     .help =
         "over which global links packets are misrouted: rrg (of any router of the group), crg (of "
         "the router where they are), nrg (of the others) or mm (crg at injection, nrg in transit)",
     .otherwise = "rrg",
     .shown = "rrg; with ofar mm",
     .field = "misrouting",
     .kind = NET_CHOICE,
     .names = net_misrouting_names,
     .applies = &by_via,
     AT(dragonfly.misrouting)},
    {.name = "local-misrouting",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "HOW",
     .help = "of ofar, whether packets are misrouted in a group, too: no or yes",
     .otherwise = "no",
     .field = "local_misrouting",
     .kind = NET_SWITCH,
     .names = strays,
     .applies = &of_ofar,
     AT(dragonfly.local_misrouting)},
    {.name = "local-vcs",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "NUMBER",
     .help = "virtual channels of a local link, the escape ring not included",
     .otherwise = "3",
     .shown = "3; with par 4",
     .field = "local_vcs",
     .kind = NET_COUNT,
     .least = 1,
     .most = NET_MAX_DRAGONFLY_VCS - 1,
     .applies = &on_dragonfly,
     AT(dragonfly.local_vcs)},
    {.name = "global-vcs",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "NUMBER",
     .help = "virtual channels of a global link",
     .otherwise = "2",
     .field = "global_vcs",
     .kind = NET_COUNT,
     .least = 1,
     .most = NET_MAX_DRAGONFLY_VCS - 1,
     .applies = &on_dragonfly,
     AT(dragonfly.global_vcs)},
    {.name = "injection-vcs",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "NUMBER",
     .help = "queues of a node",
     .otherwise = "3",
     .field = "injection_vcs",
     .kind = NET_COUNT,
     .least = 1,
     .most = NET_MAX_DRAGONFLY_VCS,
     .applies = &on_dragonfly,
     AT(dragonfly.injection_vcs)},
    {.name = "local-words",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "WORDS",
     .help = "of the buffer of a local link's virtual channel",
     .otherwise = "32",
     .field = "local_words",
     .kind = NET_COUNT,
     .least = 1,
     .most = 1 << 20,
     .applies = &on_dragonfly,
     AT(dragonfly.local_words)},
    {.name = "global-words",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "WORDS",
     .help = "of the buffer of a global link's virtual channel",
     .otherwise = "256",
     .field = "global_words",
     .kind = NET_COUNT,
     .least = 1,
     .most = 1 << 20,
     .applies = &on_dragonfly,
     AT(dragonfly.global_words)},
    {.name = "source-words",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "WORDS",
     .help =
         "of a node's queue, of each of its injection VCs; messages that find it full are refused",
     .otherwise = "1000",
     .field = "source_words",
     .kind = NET_COUNT,
     .least = 1,
     .most = 1 << 24,
     .applies = &on_dragonfly,
     AT(dragonfly.source_words)},
    {.name = "local-latency",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "CYCLES",
     .help = "of a local link",
     .otherwise = "10",
     .field = "local_latency_cycles",
     .kind = NET_COUNT,
     .least = 1,
     .most = 10000,
     .applies = &on_dragonfly,
     AT(dragonfly.local_latency)},
    {.name = "global-latency",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "CYCLES",
     .help = "of a global link",
     .otherwise = "100",
     .field = "global_latency_cycles",
     .kind = NET_COUNT,
     .least = 1,
     .most = 10000,
     .applies = &on_dragonfly,
     AT(dragonfly.global_latency)},
    {.name = "allocator",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "WHOM",
     .help = "whom the separable allocator takes, of an input port's virtual channels and of the "
             "input ports at an output: least-recent (served), round-robin (from the one served "
             "last) or random",
     .otherwise = "least-recent",
     .later = true,
     .field = "allocator",
     .kind = NET_CHOICE,
     .names = net_allocator_names,
     .applies = &on_dragonfly,
     AT(dragonfly.allocator)},
    {.name = "iterations",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "NUMBER",
     .help = "of the separable allocator, in a cycle",
     .otherwise = "3",
     .field = "iterations",
     .kind = NET_COUNT,
     .least = 1,
     .most = 16,
     .applies = &on_dragonfly,
     AT(dragonfly.iterations)},
    {.name = "priority",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "WHOSE",
     .help = "at an output: transit (packets in transit before injected ones) or none",
     .otherwise = "transit",
     .field = "priority",
     .kind = NET_SWITCH,
     .names = priorities,
     .applies = &on_dragonfly,
     AT(dragonfly.equal)},
    {.name = "occupancy",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "RATIO",
     .help = "of ofar, of the minimal output's occupancy, that of a misroute at most",
     .otherwise = "0.9",
     .field = "occupancy",
     .kind = NET_REAL,
     .least = 0,
     .most = 1000,
     .applies = &of_ofar,
     AT(dragonfly.occupancy)},
    {.name = "vc-order",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "ORDER",
     .help = "of ofar: none (any virtual channel of a link will do) or hops (they rise with the "
             "hops made, as par's)",
     .otherwise = "none",
     .field = "vc_order",
     .kind = NET_SWITCH,
     .names = vc_orders,
     .applies = &of_ofar,
     AT(dragonfly.by_hops)},
    {.name = "ring",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "HOW",
     .help =
         "of ofar, the escape ring: embedded (a virtual channel more of links that there are) or "
         "physical (a port and a link more of every router)",
     .otherwise = "embedded",
     .later = true,
     .field = "ring",
     .kind = NET_SWITCH,
     .names = rings,
     .applies = &of_ofar,
     AT(dragonfly.physical_ring)},
    {.name = "ring-exits",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "NUMBER",
     .help = "of ofar, so often a packet leaves the escape ring before its destination",
     .otherwise = "4",
     .field = "ring_exits",
     .kind = NET_COUNT,
     .least = 0,
     .most = 200,
     .applies = &of_ofar,
     AT(dragonfly.ring_exits)},
    {.name = "ugal-threshold",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "WORDS",
     .help = "of ugal, pb and par, by how much words times hops of the minimal way must be more",
     .otherwise = "0",
     .field = "ugal_threshold_words",
     .kind = NET_REAL,
     .least = -1e6,
     .most = 1e6,
     .applies = &by_threshold,
     AT(dragonfly.ugal_words)},
    {.name = "congested-ratio",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "NUMBER",
     .help =
         "of pb, a global link is congested with more than so many times the mean of its router",
     .otherwise = "2",
     .field = "congested_over_mean",
     .kind = NET_REAL,
     .least = 0,
     .most = 1000,
     .applies = &of_pb,
     AT(dragonfly.pb_ratio)},
    {.name = "congested-words",
     .group = 6,
     .engine = NET_OF_FLIT,
     .value = "WORDS",
     .help = "of pb, and so many more words",
     .otherwise = "40",
     .field = "congested_words",
     .kind = NET_REAL,
     .least = 0,
     .most = 1e6,
     .applies = &of_pb,
     AT(dragonfly.pb_words)},
    {0},
};

// ---- What all have in common

const struct net_setting *net_setting_find(const char *name)
{
    for (const struct net_setting *s = net_settings; s->name; s++)
        if (!strcmp(s->name, name))
            return s;
    return NULL;
}

static const char *parse_name(const struct net_setting *s, char *to, const char *text, char *wrong,
                              unsigned size)
{
    int found = net_name_find(s->names, text);
    if (found < 0) {
        unsigned at =
            (unsigned)snprintf(wrong, size, "--%s %s: there is no such %s", s->name, text, s->name);
        for (int i = 0; s->names[i] && at < size; i++)
            at += (unsigned)snprintf(wrong + at, size - at, i ? ", %s" : " (%s", s->names[i]);
        if (at < size)
            snprintf(wrong + at, size - at, ")");
        return wrong;
    }
    if (s->kind == NET_SWITCH)
        *(bool *)to = found;
    else
        memcpy(to, &(unsigned){(unsigned)found}, sizeof(unsigned));
    return NULL;
}

const char *net_setting_parse(const struct net_setting *s, struct net_config *c, const char *text,
                              char *wrong, unsigned size)
{
    char *to = (char *)c + s->at, *end;
    bool whole = s->kind != NET_REAL;
    if (s->kind == NET_OWN)
        return s->parse(c, text, wrong, size);
    if (s->kind == NET_CHOICE || s->kind == NET_SWITCH)
        return parse_name(s, to, text, wrong, size);
    errno = 0;
    uint64_t number = whole ? strtoull(text, &end, 10) : 0;
    double real = whole ? (double)number : strtod(text, &end);
    bool good = whole ? *text >= '0' && *text <= '9' && !errno : isfinite(real);
    if (end == text || *end || !good) {
        snprintf(wrong, size, "--%s %s: not a %snumber", s->name, text, whole ? "whole " : "");
        return wrong;
    }
    if (real < s->least || real > s->most || (s->kind == NET_WHOLE && number > INT64_MAX)) {
        snprintf(wrong, size, "--%s %s: must be %.10g to %.10g", s->name, text, s->least, s->most);
        return wrong;
    }
    if (s->kind == NET_COUNT)
        memcpy(to, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
    else if (s->kind == NET_WHOLE)
        memcpy(to, &number, sizeof number);
    else
        memcpy(to, &real, sizeof real);
    return NULL;
}

void net_setting_print(const struct net_setting *s, const struct net_config *c, char *text,
                       unsigned size)
{
    const char *from = (const char *)c + s->at;
    uint32_t count;
    uint64_t whole;
    double real;
    *text = '\0';
    if (!net_setting_applies(s, c))
        return;
    switch (s->kind) {
    case NET_OWN:
        s->print(c, text, size);
        break;
    case NET_CHOICE:
    case NET_COUNT:
        memcpy(&count, from, sizeof count);
        if (s->kind == NET_COUNT)
            snprintf(text, size, "%u", count);
        else
            snprintf(text, size, "%s", s->names[count]);
        break;
    case NET_SWITCH:
        snprintf(text, size, "%s", s->names[*(const bool *)from]);
        break;
    case NET_WHOLE:
        memcpy(&whole, from, sizeof whole);
        snprintf(text, size, "%llu", (unsigned long long)whole);
        break;
    case NET_REAL:
        memcpy(&real, from, sizeof real);
        snprintf(text, size, "%.9g", real);
        break;
    }
    if (s->later && !strcmp(text, s->otherwise))
        *text = '\0';
}

const char *net_settings_check(const struct net_config *c, char *wrong, unsigned size)
{
    char text[NET_SETTING_TEXT];
    for (const struct net_setting *s = net_settings; s->name; s++) {
        struct net_config same = *c;
        if (!net_setting_number(s) || s->kind == NET_WHOLE || !net_setting_applies(s, c))
            continue;
        net_setting_print(s, c, text, sizeof text); // "": a later one's default
        if (*text && net_setting_parse(s, &same, text, wrong, size))
            return wrong;
    }
    return NULL;
}

// Defaults of such a network, by name and value, where they have none of their own.
static void take_figures(struct net_config *c, const char *const (*figure)[2], size_t count,
                         bool (*given)(const void *context, const char *name), const void *context)
{
    char wrong[200];
    for (size_t i = 0; i < count; i++)
        if (!given || !given(context, figure[i][0]))
            net_setting_parse(net_setting_find(figure[i][0]), c, figure[i][1], wrong, sizeof wrong);
}

void net_settings_follow(struct net_config *c, bool (*given)(const void *context, const char *name),
                         const void *context)
{
#define OPEN(name) (!given || !given(context, name))
    // Wormhole switching has figures of its own (thesis, 3.2 and 4.7.2).
    static const char *const wormhole[][2] = {
        {"duplex", "full"}, {"message-words", "40"},  {"lanes", "1"},
        {"rule-4", "full"}, {"deroute-after", "160"}, {"deroute-probability", "0.1"}};
    // So has the Dragonfly (its paper, section 4).
    static const char *const dragonfly[][2] = {{"load-unit", "phits"},
                                               {"message-words", "8"},
                                               {"node-latency", "1"},
                                               {"warm-up", "20000"}};
    if (c->flit.switching == NET_WORMHOLE)
        take_figures(c, wormhole, sizeof wormhole / sizeof *wormhole, given, context);
    if (c->dragonfly.a)
        take_figures(c, dragonfly, sizeof dragonfly / sizeof *dragonfly, given, context);
    if (c->routing == NET_OFAR && OPEN("misrouting"))
        c->dragonfly.misrouting = NET_MM;
    if (c->routing == NET_PAR && OPEN("local-vcs"))
        c->dragonfly.local_vcs = 4;
    if (c->engine == NET_ENGINE_FLIT)
        c->slots = net_flit_slots(c);
    if (OPEN("throttle"))
        c->throttle = c->slots / 2;
    if (OPEN("escape-throttle"))
        c->escape_throttle = c->throttle;
    bool random = c->arrivals == NET_ARRIVAL_BERNOULLI || c->arrivals == NET_ARRIVAL_ONOFF;
    if (random && OPEN("message-packets"))
        c->message_packets = 1;
    if ((random || c->mixed) && OPEN("messages"))
        c->messages = net_config_messages(c);
#undef OPEN
}

void net_setting_help(const struct net_setting *s, char *text, unsigned size)
{
    const char *shown = s->shown ? s->shown : s->otherwise;
    snprintf(text, size, shown ? "%s (%s)" : "%s", s->help, shown);
}
