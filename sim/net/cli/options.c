// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/name.h"
#include "traffic/trace.h"

enum {
    O_ACK_BYTES = 512,
    O_ACTIVE,
    O_BURST,
    O_COUNT_USED,
    O_DELTA,
    O_ETA,
    O_EXT_BANDWIDTH,
    O_EXT_LATENCY,
    O_HOTSPOTS,
    O_HOTSPOT_WEIGHT,
    O_IDN,
    O_INJECTION,
    O_INJECTION_RATE,
    O_INT_BANDWIDTH,
    O_INT_LATENCY,
    O_MESSAGES,
    O_MESSAGE_PACKETS,
    O_PACKET_BYTES,
    O_ROUNDS,
    O_SLOTS,
    O_THROTTLE,
    O_TIE,
    O_TRACE,
    O_WATCHDOG,
};

static const struct argp_option list[] = {
    {"topology", 't', "TORUS", 0, "torus:K1x...xKn, n = 1 to 6, sizes 1 to 255 (torus:8x8x8)", 1},
    {"routing", 'r', "NAME", 0, "dor, rdr, abr, por or ofr (default)", 1},
    {"traffic", 'p', "NAME", 0,
     "uniform (default), butterfly, transposition, transposition3d, bitreverse, complement, "
     "tornado, neighbour, diagonal, transposition-id, shuffle, permutation, hotspot",
     1},
    {"load", 'l', "GAMMA", 0, "offered load in gamma0 (0.5)", 1},
    {"seed", 's', "NUMBER", 0, "of everything random (1)", 1},
    {"preset", 'P', "NAME", 0, "ofr (default), ofr-2013 or ofr-literal: see paths.h, net.h", 1},
    {"format", 'f', "FORMAT", 0, "text (default), json or csv", 1},
    {0, 0, 0, 0, "Routing:", 2},
    {"tie", O_TIE, "RULE", 0,
     "at distance k/2: plus, both (default of ofr) or random (drawn per packet and leg)", 2},
    {"eta", O_ETA, "NUMBER", 0,
     "weight of the distance, a multiple of 1/16 (1; the paper's presets with ofr: 2)", 2},
    {"delta", O_DELTA, "HOPS", 0, "how far OIDNs are off (2)", 2},
    {"idn", O_IDN, "KINDS", 0,
     "candidates of ofr: both (default), oidn, widn, or orthants: both and POR's of ofr-2013", 2},
    {"count-used", O_COUNT_USED, "VCS", 0, "used slots: adaptive (default) or all VCs", 2},
    {"throttle", O_THROTTLE, "SLOTS", 0, "injection needs more free slots than this (C/2)", 2},
    {0, 0, 0, 0, "Traffic:", 3},
    {"messages", O_MESSAGES, "NUMBER", 0, "per node (32)", 3},
    {"message-packets", O_MESSAGE_PACKETS, "NUMBER", 0, "M, per message (96)", 3},
    {"trace", O_TRACE, "FILE", 0,
     "instead of --traffic, --load, --messages: lines time_ns,src,dst,bytes (trace.h)", 3},
    {"active", O_ACTIVE, "NODES", 0,
     "ping-pong instead of --traffic, --load, --messages: so many nodes, paired at random", 3},
    {"rounds", O_ROUNDS, "NUMBER", 0, "of the ping-pong (10)", 3},
    {"burst", O_BURST, "NUMBER", 0, "messages of a ping (1)", 3},
    {"injection", O_INJECTION, "HOW", 0,
     "stop-and-wait (default) or pipelined: without waiting for the router's ACK", 3},
    {"injection-rate", O_INJECTION_RATE, "GAMMA0", 0, "of the injection ticks (2.4)", 3},
    {"hotspots", O_HOTSPOTS, "NODES", 0, "node ids, as 0,5,17", 3},
    {"hotspot-weight", O_HOTSPOT_WEIGHT, "NUMBER", 0, "of all hot spots together, 0 to 1", 3},
    {0, 0, 0, 0, "Hardware (paper, Table 1):", 4},
    {"slots", O_SLOTS, "NUMBER", 0,
     "C, per VC and consumption queue, 2 to 80, without IDNs to 60000 (8)", 4},
    {"packet-bytes", O_PACKET_BYTES, "BYTES", 0, "S (512)", 4},
    {"ack-bytes", O_ACK_BYTES, "BYTES", 0, "of an ACK or NAK (10)", 4},
    {"int-latency", O_INT_LATENCY, "NS", 0, "generator to router, router to sink (80)", 4},
    {"int-bandwidth", O_INT_BANDWIDTH, "GBPS", 0, "of the same, Gb/s (64)", 4},
    {"ext-latency", O_EXT_LATENCY, "NS", 0, "of a link (200)", 4},
    {"ext-bandwidth", O_EXT_BANDWIDTH, "GBPS", 0, "of a link, Gb/s (20)", 4},
    {"watchdog", O_WATCHDOG, "US", 0,
     "stop when nothing was accepted or consumed for so long; 0: never (1000)", 4},
    {0},
};

// The last one counts.
static void give(struct net_options *options, int key, const char *value)
{
    for (unsigned i = 0; i < options->count; i++)
        if (options->given[i].key == key) {
            options->given[i].value = value;
            return;
        }
    options->given[options->count].key = key;
    options->given[options->count++].value = value;
}

bool net_options_set(struct net_options *options, const char *name, const char *value)
{
    for (int i = 0; i < (int)(sizeof list / sizeof *list); i++)
        if (list[i].name && !strcmp(list[i].name, name) && list[i].key != 'f') {
            give(options, list[i].key, value);
            return true;
        }
    return false;
}

void net_options_merge(struct net_options *options, const struct net_options *from)
{
    for (unsigned i = 0; i < from->count; i++)
        give(options, from->given[i].key, from->given[i].value);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct net_options *options = state->input;
    if (!arg)
        return ARGP_ERR_UNKNOWN;
    if (key == 'f') {
        static const char *const formats[] = {"text", "json", "csv"};
        for (int i = 0; i < 3; i++)
            if (!strcmp(arg, formats[i])) {
                options->format = (enum net_format)i;
                return 0;
            }
        net_refuse("--format %s: must be text, json or csv", arg);
    }
    bool known = false;
    for (int i = 0; i < (int)(sizeof list / sizeof *list); i++)
        known = known || (list[i].name && list[i].key == key);
    if (!known)
        return ARGP_ERR_UNKNOWN;
    give(options, key, arg);
    return 0;
}

const struct argp net_options_argp = {list, parse, NULL, NULL, NULL, NULL, NULL};

const char *net_options_value(const struct net_options *options, const char *name)
{
    for (int i = 0; i < (int)(sizeof list / sizeof *list); i++)
        for (unsigned j = 0; list[i].name && !strcmp(list[i].name, name) && j < options->count; j++)
            if (options->given[j].key == list[i].key)
                return options->given[j].value;
    return NULL;
}

static int parse_name(const char *what, const char *text, int (*find)(const char *))
{
    int found = find(text);
    if (found < 0)
        net_refuse("%s %s: there is no such %s", what, text, what + 2);
    return found;
}

static void parse_hotspots(const char *text, struct net_traffic_config *traffic)
{
    char *copy = strdup(text), *rest = copy, *word;
    while ((word = strsep(&rest, ","))) {
        if (traffic->hotspots == NET_MAX_HOTSPOTS)
            net_refuse("--hotspots: at most %d nodes", NET_MAX_HOTSPOTS);
        traffic->hotspot[traffic->hotspots++] =
            (uint32_t)net_parse_count("--hotspots", word, 0, UINT32_MAX);
    }
    free(copy);
}

static void apply(struct net_config *c, int key, const char *value)
{
    switch (key) {
    case O_TIE:
        c->tie = (enum net_tie)parse_name("--tie", value, net_tie_parse);
        break;
    case O_ETA:
        c->eta = net_parse_real("--eta", value);
        break;
    case O_DELTA:
        c->delta = (uint32_t)net_parse_count("--delta", value, 0, 15);
        break;
    case O_IDN:
        if (strcmp(value, "both") && strcmp(value, "oidn") && strcmp(value, "widn") &&
            strcmp(value, "orthants"))
            net_refuse("--idn %s: must be both, oidn, widn or orthants", value);
        if (c->routing != NET_OFR)
            net_refuse("--idn goes with --routing ofr only");
        c->oidn = strcmp(value, "widn") != 0;
        c->widn = strcmp(value, "oidn") != 0;
        c->orthants = !strcmp(value, "orthants");
        break;
    case O_COUNT_USED:
        if (strcmp(value, "adaptive") && strcmp(value, "all"))
            net_refuse("--count-used %s: must be adaptive or all", value);
        c->count_all = !strcmp(value, "all");
        break;
    case O_THROTTLE:
        c->throttle = (uint32_t)net_parse_count("--throttle", value, 0, NET_UNBOUNDED_SLOTS);
        break;
    case O_MESSAGES:
        c->messages = (uint32_t)net_parse_count("--messages", value, 1, 1000000);
        break;
    case O_MESSAGE_PACKETS:
        c->message_packets = (uint32_t)net_parse_count("--message-packets", value, 1, 1000000);
        break;
    case O_ACTIVE:
        c->active = (uint32_t)net_parse_count("--active", value, 2, UINT32_MAX);
        break;
    case O_ROUNDS:
        c->rounds = (uint32_t)net_parse_count("--rounds", value, 1, UINT32_MAX);
        break;
    case O_BURST:
        c->burst = (uint32_t)net_parse_count("--burst", value, 1, UINT32_MAX);
        break;
    case O_INJECTION:
        if (strcmp(value, "stop-and-wait") && strcmp(value, "pipelined"))
            net_refuse("--injection %s: must be stop-and-wait or pipelined", value);
        c->pipelined = !strcmp(value, "pipelined");
        break;
    case O_INJECTION_RATE:
        c->injection_gamma0 = net_parse_real("--injection-rate", value);
        break;
    case O_HOTSPOTS:
        parse_hotspots(value, &c->traffic);
        break;
    case O_HOTSPOT_WEIGHT:
        c->traffic.weight = net_parse_real("--hotspot-weight", value);
        break;
    case O_SLOTS:
        c->slots = (uint32_t)net_parse_count("--slots", value, 2, NET_UNBOUNDED_SLOTS);
        break;
    case O_PACKET_BYTES:
        c->packet_bytes = (uint32_t)net_parse_count("--packet-bytes", value, 1, 1 << 20);
        break;
    case O_ACK_BYTES:
        c->ack_bytes = (uint32_t)net_parse_count("--ack-bytes", value, 0, 1 << 20);
        break;
    case O_INT_LATENCY:
        c->int_latency_ns = net_parse_real("--int-latency", value);
        break;
    case O_INT_BANDWIDTH:
        c->int_gbps = net_parse_real("--int-bandwidth", value);
        break;
    case O_EXT_LATENCY:
        c->ext_latency_ns = net_parse_real("--ext-latency", value);
        break;
    case O_EXT_BANDWIDTH:
        c->ext_gbps = net_parse_real("--ext-bandwidth", value);
        break;
    case O_WATCHDOG:
        c->watchdog_us = net_parse_real("--watchdog", value);
        break;
    default: // topology and what is above: done before
        break;
    }
}

// Refuses options that another one makes meaningless.
static void refuse_beside(const struct net_options *options, const char *name,
                          const char *const *others)
{
    for (; *others; others++)
        if (net_options_value(options, name) && net_options_value(options, *others))
            net_refuse("--%s and --%s do not go together", name, *others);
}

// Reads it once for all configurations of the program.
static const struct net_trace *read_trace(const struct net_options *options,
                                          const struct ofr_torus *torus)
{
    static struct net_trace *trace;
    static struct ofr_torus its_torus;
    char wrong[400];
    if (trace && !memcmp(&its_torus, torus, sizeof its_torus))
        return trace;
    if (trace)
        net_refuse("--trace goes with one torus only");
    trace =
        net_trace_read(net_options_value(options, "trace"), ofr_nodes(torus), wrong, sizeof wrong);
    if (!trace)
        net_refuse("%s", wrong);
    its_torus = *torus;
    return trace;
}

struct net_config net_options_config(const struct net_options *options, const char *routing,
                                     const char *pattern, const char *load, const char *seed)
{
    static const char *const pattern_only[] = {"traffic", "load", "messages", NULL};
    static const char *const no_trace[] = {"active", "message-packets", NULL};
    const char *preset = net_options_value(options, "preset");
    const char *topology = net_options_value(options, "topology");
    refuse_beside(options, "trace", pattern_only);
    refuse_beside(options, "trace", no_trace);
    refuse_beside(options, "active", pattern_only);
    if (!net_options_value(options, "active")) {
        if (net_options_value(options, "rounds") || net_options_value(options, "burst"))
            net_refuse("--rounds and --burst go with --active only");
    }
    // Of a sweep some may be others.
    const char *patterns = net_options_value(options, "traffic");
    bool spots = net_options_value(options, "hotspots"),
         weight = net_options_value(options, "hotspot-weight");
    if ((spots || weight) && !(patterns && strstr(patterns, "hotspot")))
        net_refuse("--hotspots and --hotspot-weight go with --traffic hotspot only");
    if (spots && !weight)
        net_refuse("--hotspots needs --hotspot-weight");
    if (!routing)
        routing = net_options_value(options, "routing");
    if (!pattern)
        pattern = net_options_value(options, "traffic");
    if (!load)
        load = net_options_value(options, "load");
    if (!seed)
        seed = net_options_value(options, "seed");
    struct net_config c = net_config_default(
        preset ? (enum net_preset)parse_name("--preset", preset, net_preset_parse) : NET_PRESET_OFR,
        routing ? (enum net_routing)parse_name("--routing", routing, net_routing_parse) : NET_OFR);
    if (topology && !net_torus_parse(topology, &c.torus))
        net_refuse("--topology %s: must be torus:K1x...xKn, n = 1 to 6, sizes 1 to 255, at most "
                   "2^22 nodes",
                   topology);
    if (pattern)
        c.traffic.pattern = (enum net_pattern)parse_name("--traffic", pattern, net_pattern_parse);
    if (load)
        c.load = net_parse_real("--load", load);
    if (net_options_value(options, "trace"))
        c.trace = read_trace(options, &c.torus);
    if (seed)
        c.seed = net_parse_count("--seed", seed, 0, INT64_MAX); // as JSON has it
    bool throttle = false;
    for (unsigned i = 0; i < options->count && options->given[i].value; i++) {
        apply(&c, options->given[i].key, options->given[i].value);
        throttle = throttle || options->given[i].key == O_THROTTLE;
    }
    if (!throttle)
        c.throttle = c.slots / 2;
    char message[200];
    if (net_config_check(&c, message, sizeof message))
        net_refuse("%s", message);
    return c;
}
