// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/application.h"
#include "config/settings.h"
#include "topo/name.h"
#include "traffic/arrivals.h"

struct net_config net_config_default(enum net_preset preset, enum net_routing routing)
{
    struct net_config c = {
        .preset = preset,
        .routing = routing,
        .tie = routing >= NET_DALLY_SEITZ ? NET_TIE_ALTERNATE
               : preset == NET_PRESET_OFR ? NET_TIE_BOTH
                                          : NET_TIE_PLUS,
        .eta = routing == NET_POR || (routing == NET_OFR && preset == NET_PRESET_OFR) ? 1 : 2,
        .oidn = routing == NET_OFR,
        .widn = routing == NET_OFR || routing == NET_POR,
        .pipelined = preset == NET_PRESET_OFR,
    };
    char wrong[200];
    for (const struct net_setting *s = net_settings; s->name; s++)
        if (s->otherwise)
            net_setting_parse(s, &c, s->otherwise, wrong, sizeof wrong);
    c.throttle = c.escape_throttle = c.slots / 2;
    c.flit.output_driven = c.flit.with_head = routing == NET_CHAOS;
    bool adaptive = routing >= NET_DUATO || (net_routing_by_bubble(routing) && routing != NET_DOR);
    c.flit.node_latency = routing >= NET_MINIMAL_HOPS ? 1 : adaptive ? 4 : 3;
    return c;
}

static uint64_t units(double ns)
{
    return (uint64_t)llround(ns * NET_UNITS_PER_NS);
}

double net_config_mean_packets(const struct net_config *c)
{
    double packets = 0, weights = 0;
    for (uint32_t i = 0; i < c->mixed; i++) {
        packets += c->mix[i].packets * c->mix[i].weight;
        weights += c->mix[i].weight;
    }
    return c->mixed ? packets / weights : c->message_packets;
}

uint32_t net_config_messages(const struct net_config *c)
{
    struct net_config usual = net_config_default(c->preset, c->routing);
    double packets = (double)usual.messages * usual.message_packets / net_config_mean_packets(c);
    return packets < 1 ? 1 : (uint32_t)packets;
}

struct net_times net_config_times(const struct net_config *c)
{
    unsigned k_max = 1;
    for (unsigned i = 0; i < c->torus.n; i++)
        k_max = c->torus.k[i] > k_max ? c->torus.k[i] : k_max;
    // gamma0: 8 B_ext / k_max per node, so a packet every S k_max / (8 B_ext) (Gb/s are bits a ns).
    double packet_ns = 8.0 * c->packet_bytes * k_max / (8 * c->ext_gbps);
    struct net_times t = {
        .ext_packet = units(8.0 * c->packet_bytes / c->ext_gbps),
        .ext_ack = units(8.0 * c->ack_bytes / c->ext_gbps),
        .ext_latency = units(c->ext_latency_ns),
        .int_packet = units(8.0 * c->packet_bytes / c->int_gbps),
        .int_ack = units(8.0 * c->ack_bytes / c->int_gbps),
        .int_latency = units(c->int_latency_ns),
        .tick = units(packet_ns / c->injection_gamma0),
        .message = packet_ns * net_config_mean_packets(c) * NET_UNITS_PER_NS / c->load,
        .packet = packet_ns * NET_UNITS_PER_NS,
    };
    t.ext_packet += !t.ext_packet;
    t.int_packet += !t.int_packet;
    t.tick += !t.tick;
    // Pipelined: packets are back to back; else each waits for the ACK of the one before, and a
    // tick.
    uint64_t inject = t.int_packet + t.int_ack + 2 * t.int_latency + t.tick;
    t.inject = c->pipelined ? t.int_packet : (inject - 1) / t.tick * t.tick;
    uint64_t hop = t.ext_packet + 2 * t.ext_ack + t.ext_latency;
    t.horizon = (inject > hop ? inject : hop) + t.tick + t.ext_packet;
    return t;
}

const char *net_config_check(const struct net_config *c, char *message, unsigned size)
{
    if (c->engine == NET_ENGINE_FLIT && c->dragonfly.a)
        return net_dragonfly_config_check(c, message, size);
    if (c->engine == NET_ENGINE_FLIT)
        return net_flit_config_check(c, message, size);
    const struct net_traffic_config *traffic = &c->traffic;
    const char *wrong = net_traffic_check(traffic, &c->torus);
    char torus[NET_TORUS_TEXT];
    if (wrong && !c->trace && !c->active && !c->application) {
        net_torus_print(&c->torus, torus, sizeof torus);
        snprintf(message, size, "traffic %s does not go on %s: %s",
                 net_pattern_name(traffic->pattern), torus, wrong);
        return message;
    }
#define CHECK(condition, ...)                                                                      \
    if (!(condition)) {                                                                            \
        snprintf(message, size, __VA_ARGS__);                                                      \
        return message;                                                                            \
    }
    if (net_settings_check(c, message, size))
        return message;
    CHECK(!c->dragonfly.a, "--topology dragonfly:... goes with --engine flit only");
    CHECK(!c->mesh, "--topology mesh:... goes with --engine flit only");
    char topology[NET_TORUS_TEXT];
    net_torus_print(&c->torus, topology, sizeof topology);
    CHECK(c->torus.n <= OFR_TABLE_DIMS,
          "--topology %s: more than %d dimensions go with --engine flit only", topology,
          OFR_TABLE_DIMS);
    CHECK(c->routing < NET_DALLY_SEITZ, "--routing %s goes with --engine flit only",
          net_routing_names[c->routing]);
    CHECK(c->tie != NET_TIE_ALTERNATE,
          "--tie alternate goes with --routing dally-seitz, duato, triplex and chaos only");
    CHECK(c->ack_bytes <= c->packet_bytes, "an ACK must not be longer than a packet");
    uint32_t most = c->oidn || c->widn ? NET_MAX_SLOTS : NET_UNBOUNDED_SLOTS;
    CHECK(c->slots <= most, "the slots must be 2 to %u", most);
    CHECK(c->active % 2 == 0 && c->active <= ofr_nodes(&c->torus),
          "--active must be an even number, at most that of the nodes");
    CHECK((uint64_t)c->active * c->rounds <= 1 << 28 &&
              (uint64_t)c->burst * c->message_packets <= 1 << 28,
          "ping-pong: nodes times rounds, and burst times message size must be at most 2^28");
    // Torus: the same at each node.
    unsigned links =
        (unsigned)__builtin_popcount(ofr_existing_ports(&c->torus, &(struct ofr_coord){{0}}));
    CHECK(c->nak_gate_us == 0 || c->nak_ports <= 1 || c->nak_ports <= links,
          "--nak-ports %u: a node of %s has %u links", c->nak_ports, topology, links);
    bool gates = c->smooth > 0 && (c->ratio > 0 || c->above_mean > 0);
    CHECK(!c->gates_only || gates || !(c->oidn || c->widn),
          "--means gates goes with --smooth, and --ratio or --above-mean, of more than 0 only");
    CHECK(c->threads <= NET_MAX_THREADS, "at most %d threads", NET_MAX_THREADS);
    CHECK(!c->orthants || c->torus.n <= 5, "orthants beside IDNs: at most 5 dimensions");
    CHECK(!c->active || !c->trace, "ping-pong and a trace do not go together");
    CHECK(!c->application || (!c->active && !c->trace),
          "an application goes neither with ping-pong nor with a trace");
    CHECK(!c->application || c->application->ranks <= ofr_nodes(&c->torus),
          "the application has %u ranks, the torus %u nodes", c->application->ranks,
          ofr_nodes(&c->torus));
    CHECK(!c->application || c->application->calc * c->pace < 9e18, // as times are counted
          "the application computes for %.3g s in all: more than the 1.5e8 s that there are",
          c->application->calc * c->pace / NET_UNITS_PER_NS * 1e-9);
    // An escape queue must be enterable with the bubble left free.
    CHECK(c->throttle < c->slots, "the throttle must be less than the slots");
    CHECK(c->transit_throttle < c->slots, "the transit throttle must be less than the slots");
    CHECK(
        c->escape_throttle < c->slots + (c->routing != NET_DOR),
        "the escape throttle must be at most the slots, less with DOR, which has the escape only");
    CHECK(net_config_times(c).horizon <= UINT32_MAX, // as the engine's lines count time
          "the times of a packet on the links add up to more than %u ms",
          (unsigned)(UINT32_MAX / (1000000u * NET_UNITS_PER_NS)));
    CHECK(c->eta * 16 == floor(c->eta * 16), "eta must be a multiple of 1/16");
#undef CHECK
    bool pattern = !c->trace && !c->active && !c->application;
    return pattern ? net_arrivals_check(c, message, size) : NULL;
}

const char *const net_routing_names[] = {
    "dor",   "rdr",     "abr",   "por",     "ofr", "valiant", "goal", "ugal", "dally-seitz",
    "duato", "triplex", "chaos", "minimal", "pb",  "par",     "ofar", NULL};
const char *const net_preset_names[] = {"ofr", "ofr-2013", "ofr-literal", NULL};
const char *const net_tie_names[] = {"plus", "both", "random", "alternate", NULL};
const char *const net_arrival_names[] = {"burst", "staggered", "bernoulli", "onoff", NULL};

int net_name_find(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}
