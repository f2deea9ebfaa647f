// SPDX-License-Identifier: Apache-2.0
#include "config/dragonfly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/settings.h"

const char *const net_misrouting_names[] = {"rrg", "crg", "nrg", "mm", NULL};
const char *const net_allocator_names[] = {"least-recent", "round-robin", "random", NULL};

bool net_dragonfly_parse(const char *text, struct net_dragonfly_config *c)
{
    unsigned long size[3];
    unsigned count = 0;
    if (strncmp(text, "dragonfly:", 10) != 0)
        return false;
    for (text += 10; count < 3; text++) {
        char *end;
        if (*text < '0' || *text > '9')
            return false;
        size[count++] = strtoul(text, &end, 10);
        text = end;
        if (!*text)
            break;
        if (*text != 'x')
            return false;
    }
    if (count == 1) {
        size[1] = size[2] = size[0];
        size[0] *= size[0] < 1000 ? 2 : 1;
        count = 3;
    }
    if (count != 3 || *text || size[0] < 2 || size[1] < 1 || size[2] < 1 ||
        size[0] > NET_MAX_DRAGONFLY_PORTS || size[1] > NET_MAX_DRAGONFLY_PORTS ||
        size[2] > NET_MAX_DRAGONFLY_PORTS ||
        size[0] - 1 + size[1] + size[2] >= NET_MAX_DRAGONFLY_PORTS)
        return false;
    c->a = (uint32_t)size[0];
    c->p = (uint32_t)size[1];
    c->h = (uint32_t)size[2];
    return true;
}

const char *net_dragonfly_config_check(const struct net_config *c, char *message, unsigned size)
{
    const struct net_dragonfly_config *d = &c->dragonfly;
#define CHECK(condition, ...)                                                                      \
    if (!(condition)) {                                                                            \
        snprintf(message, size, __VA_ARGS__);                                                      \
        return message;                                                                            \
    }
    CHECK(c->engine == NET_ENGINE_FLIT, "--topology dragonfly:... goes with --engine flit only");
    CHECK(
        net_routing_of_dragonfly(c->routing),
        "--routing %s does not go on a Dragonfly; it has minimal, valiant, ugal, pb, par and ofar",
        net_routing_names[c->routing]);
    CHECK(c->traffic.pattern == NET_UNIFORM || c->traffic.pattern == NET_ADVERSARIAL,
          "--traffic %s does not go on a Dragonfly; it has uniform and adv+N",
          net_pattern_name(c->traffic.pattern));
    CHECK(c->traffic.pattern != NET_ADVERSARIAL || c->traffic.offset <= d->a * d->h,
          "--traffic adv+%u: there are %u groups", c->traffic.offset, d->a * d->h + 1);
    if (net_settings_check(c, message, size))
        return message;
    CHECK(c->flit.unit == NET_UNIT_PHITS,
          "--load-unit must be phits on a Dragonfly, which has no bisection of a torus");
    CHECK(c->load <= c->flit.message_words,
          "--load %g: more than a message a cycle and node; at most %u", c->load,
          c->flit.message_words);
    uint32_t locals = c->routing == NET_PAR            ? 4
                      : c->routing == NET_OFAR         ? 1
                      : c->routing == NET_MINIMAL_HOPS ? 2
                                                       : 3;
    uint32_t globals = c->routing == NET_OFAR || c->routing == NET_MINIMAL_HOPS ? 1 : 2;
    CHECK(d->local_vcs >= locals && d->global_vcs >= globals,
          "--routing %s needs %u local and %u global virtual channels, as many as it has hops",
          net_routing_names[c->routing], locals, globals);
    uint32_t least = c->flit.message_words * (c->routing == NET_OFAR ? 2 : 1);
    CHECK(d->local_words >= least && d->global_words >= least && d->source_words >= least,
          "--local-words, --global-words and --source-words must be at least %u: the length of a "
          "message, of ofar's of two",
          least);
    CHECK(d->local_words / c->flit.message_words <= 255 &&
              d->global_words / c->flit.message_words <= 255,
          "--local-words and --global-words: at most 255 messages");
    CHECK((uint64_t)c->flit.warm + (uint64_t)c->flit.batches * c->flit.batch < UINT32_MAX / 2,
          "--warm-up, --batches and --batch-cycles: at most 2^31 cycles in all");
    CHECK(c->threads <= NET_MAX_THREADS, "at most %d threads", NET_MAX_THREADS);
#undef CHECK
    return NULL;
}
