// SPDX-License-Identifier: Apache-2.0
#include "config/flit.h"

#include <stdio.h>

#include "config/config.h"
#include "config/settings.h"

const char *const net_engine_names[] = {"packet", "flit", NULL};
const char *const net_load_unit_names[] = {"fulgham", "phits", "gamma0", NULL};
const char *const net_flit_escape_names[] = {"by-service", "empty", "accepting", NULL};
const char *const net_saturation_names[] = {"interval", "backlog", NULL};

double net_flit_period(const struct net_config *c)
{
    double words = c->flit.message_words, most = 0, k_max = 1;
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
    char text[NET_SETTING_TEXT], as_is[200];
#define CHECK(condition, ...)                                                                      \
    if (!(condition)) {                                                                            \
        snprintf(message, size, __VA_ARGS__);                                                      \
        return message;                                                                            \
    }
    const char *wrong = net_traffic_check(&c->traffic, &c->torus);
    net_setting_print(net_setting_find("topology"), c, text, sizeof text);
    CHECK(!wrong, "traffic %s does not go on %s: %s", net_pattern_name(c->traffic.pattern), text,
          wrong);
    CHECK(c->routing == NET_DALLY_SEITZ || c->routing == NET_DUATO,
          "--routing %s goes with --engine packet only; flit has dally-seitz and duato",
          net_routing_names[c->routing]);
    for (const struct net_setting *s = net_settings; s->name; s++) {
        struct net_config same = *c;
        if (!net_setting_number(s) || s->kind == NET_WHOLE || !net_setting_applies(s, c))
            continue;
        net_setting_print(s, c, text, sizeof text);
        CHECK(!net_setting_parse(s, &same, text, as_is, sizeof as_is), "%s", as_is);
    }
    CHECK(c->tie != NET_TIE_RANDOM, "--tie random goes with --engine packet only");
    CHECK(c->load / net_flit_period(c) <= 1,
          "--load %g: more than a message a cycle and node; at most %g", c->load,
          net_flit_period(c));
    CHECK((uint64_t)c->flit.warm + (uint64_t)c->flit.batches * c->flit.batch < UINT32_MAX / 2,
          "--warm-up, --batches and --batch-cycles: at most 2^31 cycles in all");
    CHECK(c->threads <= 1, "--threads goes with --engine packet only");
#undef CHECK
    return NULL;
}
