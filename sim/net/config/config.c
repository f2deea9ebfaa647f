// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "topo/name.h"

struct net_config net_config_default(enum net_preset preset, enum net_routing routing)
{
    return (struct net_config){
        .torus = {3, {8, 8, 8}},
        .preset = preset,
        .routing = routing,
        .tie = preset == NET_PRESET_OFR ? NET_TIE_BOTH : NET_TIE_PLUS,
        .traffic = {.pattern = NET_UNIFORM},
        .seed = 1,
        .load = 0.5,
        .messages = 32,
        .message_packets = 96,
        .packet_bytes = 512,
        .ack_bytes = 10,
        .slots = 8,
        .throttle = 4,
        .int_latency_ns = 80,
        .int_gbps = 64,
        .ext_latency_ns = 200,
        .ext_gbps = 20,
        .injection_gamma0 = 2.4,
        .rounds = 10,
        .burst = 1,
        .delta = 2,
        .eta = routing == NET_POR || (routing == NET_OFR && preset == NET_PRESET_OFR) ? 1 : 2,
        .oidn = routing == NET_OFR,
        .widn = routing == NET_OFR || routing == NET_POR,
        .watchdog_us = 1000,
    };
}

static uint64_t units(double ns)
{
    return (uint64_t)llround(ns * NET_UNITS_PER_NS);
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
        .message = packet_ns * c->message_packets * NET_UNITS_PER_NS / c->load,
    };
    t.ext_packet += !t.ext_packet;
    t.int_packet += !t.int_packet;
    t.tick += !t.tick;
    uint64_t inject = t.int_packet + t.int_ack + 2 * t.int_latency + t.tick;
    uint64_t hop = t.ext_packet + 2 * t.ext_ack + t.ext_latency;
    t.horizon = (inject > hop ? inject : hop) + t.tick + t.ext_packet;
    return t;
}

const char *net_config_check(const struct net_config *c, char *message, unsigned size)
{
    const struct net_traffic_config *traffic = &c->traffic;
    const char *wrong = net_traffic_check(traffic, &c->torus);
    char torus[48];
    if (wrong && !c->trace && !c->active) {
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
    CHECK(c->load >= NET_MIN_LOAD && c->load <= NET_MAX_LOAD, "the load must be %g to %g",
          NET_MIN_LOAD, NET_MAX_LOAD);
    CHECK(c->messages >= 1 && c->messages <= 1000000, "messages must be 1 to 1000000");
    CHECK(c->message_packets >= 1 && c->message_packets <= 1000000,
          "the message size must be 1 to 1000000 packets");
    CHECK(c->packet_bytes >= 1 && c->packet_bytes <= 1 << 20,
          "the packet size must be 1 to 1048576 bytes");
    CHECK(c->ack_bytes <= c->packet_bytes, "an ACK must not be longer than a packet");
    uint32_t most = c->oidn || c->widn ? NET_MAX_SLOTS : NET_UNBOUNDED_SLOTS;
    CHECK(c->slots >= 2 && c->slots <= most, "the slots must be 2 to %u", most);
    CHECK(c->active % 2 == 0 && c->active <= ofr_nodes(&c->torus),
          "--active must be an even number, at most that of the nodes");
    CHECK(c->rounds >= 1 && c->rounds <= 100000, "the rounds must be 1 to 100000");
    CHECK(c->burst >= 1 && c->burst <= 10000, "the burst must be 1 to 10000 messages");
    CHECK((uint64_t)c->active * c->rounds <= 1 << 28 &&
              (uint64_t)c->burst * c->message_packets <= 1 << 28,
          "ping-pong: nodes times rounds, and burst times message size must be at most 2^28");
    CHECK(!c->orthants || c->torus.n <= 5, "orthants beside IDNs: at most 5 dimensions");
    CHECK(!c->active || !c->trace, "ping-pong and a trace do not go together");
    // An escape queue must be enterable with the bubble left free.
    CHECK(c->throttle < c->slots, "the throttle must be less than the slots");
    CHECK(c->int_latency_ns >= 0 && c->int_latency_ns <= 1e6 && c->ext_latency_ns >= 0 &&
              c->ext_latency_ns <= 1e6,
          "a latency must be 0 to 1000000 ns");
    CHECK(c->int_gbps >= 0.001 && c->int_gbps <= 1e6 && c->ext_gbps >= 0.001 && c->ext_gbps <= 1e6,
          "a bandwidth must be 0.001 to 1000000 Gb/s");
    CHECK(c->injection_gamma0 >= 1e-6 && c->injection_gamma0 <= 1000,
          "the injection rate must be 1e-6 to 1000 gamma0");
    CHECK(c->delta <= 15, "Delta must be 0 to 15");
    CHECK(c->eta >= 0 && c->eta < 16 && c->eta * 16 == floor(c->eta * 16),
          "eta must be a multiple of 1/16 below 16");
    CHECK(c->watchdog_us >= 0 && c->watchdog_us <= 1e9, "the watchdog must be 0 to 1e9 us");
#undef CHECK
    return NULL;
}

static const char *const routings[] = {"dor", "rdr", "abr", "por", "ofr", NULL};
static const char *const presets[] = {"ofr", "ofr-2013", "ofr-literal", NULL};
static const char *const ties[] = {"plus", "both", "random", NULL};

static int find(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

const char *net_routing_name(enum net_routing routing)
{
    return routings[routing];
}

const char *net_preset_name(enum net_preset preset)
{
    return presets[preset];
}

const char *net_tie_name(enum net_tie tie)
{
    return ties[tie];
}

int net_routing_parse(const char *name)
{
    return find(routings, name);
}

int net_preset_parse(const char *name)
{
    return find(presets, name);
}

int net_tie_parse(const char *name)
{
    return find(ties, name);
}
