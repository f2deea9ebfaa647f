// SPDX-License-Identifier: Apache-2.0
#include "config/flit.h"

#include <math.h>
#include <stdio.h>

#include "config/config.h"
#include "config/settings.h"
#include "flit/relation.h"

const char *const net_engine_names[] = {"packet", "flit", NULL};
const char *const net_load_unit_names[] = {"fulgham", "phits", "gamma0", NULL};
const char *const net_flit_escape_names[] = {"by-service", "empty", "accepting", NULL};
const char *const net_saturation_names[] = {"interval", "backlog", "growth", NULL};
const char *const net_switching_names[] = {"cut-through", "store-and-forward", "wormhole", NULL};
const char *const net_triplex_class_names[] = {"oblivious", "minimal", "non-minimal", NULL};
const char *const net_rule4_names[] = {"full", "non-minimal", "none", NULL};

uint32_t net_flit_longest(const struct net_config *c)
{
    const struct net_flit_config *f = &c->flit;
    return f->long_words > f->message_words ? f->long_words : f->message_words;
}

uint32_t net_flit_buffer_packets(const struct net_config *c)
{
    bool one = c->flit.switching == NET_WORMHOLE || c->routing == NET_CHAOS;
    return one ? 1 : c->flit.buffer_packets;
}

uint32_t net_flit_slots(const struct net_config *c)
{
    return 2 *
           net_flit_buffer_packets(c); // the output buffer's, and the neighbour's input buffer's
}

uint32_t net_flit_buffer_words(const struct net_config *c)
{
    return c->flit.switching == NET_WORMHOLE ? c->flit.buffer_words
                                             : net_flit_longest(c) * net_flit_buffer_packets(c);
}

double net_flit_mean_words(const struct net_config *c)
{
    const struct net_flit_config *f = &c->flit;
    double share = f->long_words ? f->long_share : 0;
    return f->message_words * (1 - share) + f->long_words * share;
}

double net_flit_period(const struct net_config *c)
{
    double words = net_flit_mean_words(c), most = 0, k_max = 1;
    for (unsigned i = 0; i < c->torus.n; i++) {
        double k = c->torus.k[i], share = c->mesh || k <= 2 ? k / 2 : k / 4;
        k_max = k > k_max ? k : k_max;
        most = share > most ? share : most;
    }
    switch (c->flit.unit) {
    case NET_UNIT_PHITS:
        return words;
    case NET_UNIT_GAMMA0:
        return words * k_max / 8;
    default:
        return words * most / (c->flit.full ? 2 : 1);
    }
}

const char *net_flit_config_check(const struct net_config *c, char *message, unsigned size)
{
    char text[NET_SETTING_TEXT], latency[NET_SETTING_TEXT];
#define CHECK(condition, ...)                                                                      \
    if (!(condition)) {                                                                            \
        snprintf(message, size, __VA_ARGS__);                                                      \
        return message;                                                                            \
    }
    const char *wrong = net_traffic_check(&c->traffic, &c->torus);
    net_setting_print(net_setting_find("topology"), c, text, sizeof text);
    CHECK(!wrong, "traffic %s does not go on %s: %s", net_pattern_name(c->traffic.pattern), text,
          wrong);
    bool bubble = net_routing_by_bubble(c->routing);
    CHECK(bubble || (c->routing >= NET_DALLY_SEITZ && c->routing <= NET_CHAOS),
          "--routing %s goes with %s only; a torus of engine flit has dally-seitz, duato, triplex, "
          "chaos, dor, rdr, abr, por and ofr",
          net_routing_names[c->routing],
          c->routing < NET_DALLY_SEITZ ? "--engine packet" : "--topology dragonfly:...");
    CHECK(!bubble || !c->mesh, "--routing %s does not go on %s: its escape goes round rings",
          net_routing_names[c->routing], text);
    CHECK(!bubble || c->torus.n <= OFR_TABLE_DIMS,
          "--routing %s goes up to %d dimensions; dally-seitz, duato, triplex and chaos go further",
          net_routing_names[c->routing], OFR_TABLE_DIMS);
    CHECK(!bubble || c->flit.switching != NET_WORMHOLE,
          "--routing %s does not go with --switching wormhole: its bubbles are of packets",
          net_routing_names[c->routing]);
    struct net_flit_shape shape = net_flit_shape(c);
    uint32_t slots = net_flit_slots(c);
    CHECK(c->routing != NET_CHAOS || c->flit.switching != NET_WORMHOLE,
          "--routing chaos does not go with --switching wormhole: packets are exchanged (thesis, "
          "2.1)");
    net_setting_print(net_setting_find("link-latency"), c, latency, sizeof latency);
    bool far = false;
    for (unsigned i = 0; i < c->torus.n; i++)
        far = far || c->flit.link_latency[i] > 1;
    CHECK(c->flit.link_latencies == 1 || c->flit.link_latencies == c->torus.n,
          "--link-latency %s: must be one number, or one for each dimension of %s", latency, text);
    CHECK(!far || c->routing != NET_CHAOS,
          "--link-latency %s does not go with --routing chaos: packet exchange needs to know both "
          "ends of a link in a cycle",
          latency);
    CHECK(!far || !shape.wormhole || c->flit.lagging,
          "--link-latency %s does not go with --flow same-cycle, the default: a word would go into "
          "a full buffer as one leaves it at the other end; add --flow next-cycle",
          latency);
    CHECK(2u * c->torus.n * shape.vcs < NET_FLIT_MAX_PLACES,
          "%s with %u virtual channels a link: more than %d a node", text, shape.vcs,
          NET_FLIT_MAX_PLACES - 1);
    if (net_settings_check(c, message, size))
        return message;
    CHECK(shape.wormhole || net_flit_buffer_words(c) <= UINT16_MAX,
          "--buffer-packets %u of %u words: at most %d words a buffer", net_flit_buffer_packets(c),
          net_flit_longest(c), UINT16_MAX);
    CHECK(!bubble || c->throttle < slots,
          "--throttle must be 0 to %u with --engine flit and --buffer-packets %u", slots - 1,
          net_flit_buffer_packets(c));
    CHECK(!bubble || c->escape_throttle < slots + (c->routing != NET_DOR),
          "--escape-throttle must be 0 to %u with --engine flit and --buffer-packets %u, less with "
          "DOR, which has the escape only",
          slots, net_flit_buffer_packets(c));
    CHECK(!bubble || c->eta * 16 == floor(c->eta * 16), "eta must be a multiple of 1/16");
    CHECK(!c->orthants || c->torus.n <= 5, "orthants beside IDNs: at most 5 dimensions");
    CHECK(c->tie != NET_TIE_RANDOM, "--tie random goes with --engine packet only");
    CHECK(!bubble || c->tie != NET_TIE_ALTERNATE,
          "--tie alternate goes with --routing dally-seitz, duato, triplex and chaos only");
    CHECK(c->mesh || c->routing != NET_DALLY_SEITZ || c->tie != NET_TIE_BOTH,
          "--tie both does not go with --routing dally-seitz, which has one way");
    CHECK(c->load / net_flit_period(c) <= 1,
          "--load %g: more than a message a cycle and node; at most %g", c->load,
          net_flit_period(c));
    CHECK(!(c->routing == NET_TRIPLEX && c->flit.class == NET_NON_MINIMAL && c->flit.output_driven),
          "--service output does not go with --class non-minimal, which draws among outputs "
          "(thesis, 5.1)");
    CHECK((uint64_t)c->flit.warm + (uint64_t)c->flit.batches * c->flit.batch < UINT32_MAX / 2,
          "--warm-up, --batches and --batch-cycles: at most 2^31 cycles in all");
    CHECK(c->threads <= NET_MAX_THREADS, "at most %d threads", NET_MAX_THREADS);
#undef CHECK
    return NULL;
}
