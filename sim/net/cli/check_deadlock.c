// SPDX-License-Identifier: Apache-2.0
// torussim check-deadlock: a static check of the routing.
#include <jansson.h>
#include <stdio.h>

#include "cli/options.h"
#include "dragonfly/deadlock.h"
#include "flit/deadlock.h"
#include "route/deadlock.h"
#include "topo/name.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = state->input;
    return key == ARGP_KEY_INIT ? 0 : ARGP_ERR_UNKNOWN;
}

static const char *const needs[] = {"a slot", "a slot", "two slots"}; // by slots; flit engine: 0

static void name_queue(const struct net_config *c, const struct ofr_waiting *q, char *text,
                       unsigned size)
{
    static const char *const vcs[] = {"adaptive", "VS1", "VS2"};
    if (c->dragonfly.a) {
        snprintf(text, size, "VC%u of port %u of router %u", q->vc, q->port, q->node);
        return;
    }
    struct ofr_coord at = ofr_node_coord(&c->torus, q->node);
    char flit[16];
    snprintf(flit, sizeof flit, "VC%u", q->vc);
    bool bubble = net_routing_by_bubble(c->routing);
    const char *vc = c->engine == NET_ENGINE_FLIT && !bubble ? flit : vcs[q->vc];
    int used = q->port == OFR_AT_LOCAL
                   ? snprintf(text, size, "generator of ")
                   : snprintf(text, size, "%s %s of ", vc,
                              net_port_print(q->port, (char[NET_PORT_TEXT]){0}));
    for (unsigned i = 0; i < c->torus.n && used < (int)size; i++)
        used += snprintf(text + used, size - (unsigned)used, i ? ",%u" : "%u", at.c[i]);
}

static const char *verdict(const struct ofr_deadlock *d)
{
    switch (d->verdict) {
    case OFR_ACYCLIC:
        return "acyclic";
    case OFR_ESCAPABLE:
        return "cyclic but escapable";
    case OFR_DEADLOCK:
        return "a cycle";
    case OFR_UNKNOWN:
        return "unknown";
    default:
        return "no escape";
    }
}

static void print_json(const struct net_config *c, const struct ofr_deadlock *d)
{
    char text[NET_SETTING_TEXT];
    net_setting_print(net_setting_find("topology"), c, text, sizeof text);
    json_t *cycle = json_array();
    for (unsigned i = 0; i < d->length && i < OFR_CYCLE_SHOWN; i++) {
        char queue[100];
        name_queue(c, &d->queue[i], queue, sizeof queue);
        json_array_append_new(
            cycle, json_pack("{s:s, s:s}", "queue", queue, "needs", needs[d->queue[i].slots]));
    }
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:o}", "topology", text, "preset",
                  net_preset_names[c->preset], "routing", net_routing_names[c->routing], "tie",
                  net_tie_names[c->tie], "verdict", verdict(d), "escape_queues", (int)d->queues,
                  "dependencies", (int)d->dependencies, "rings", (int)d->rings, "cycle", cycle);
    json_dumpf(o, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(o);
}

static void print_text(const struct net_config *c, const struct ofr_deadlock *d)
{
    char text[NET_SETTING_TEXT];
    net_setting_print(net_setting_find("topology"), c, text, sizeof text);
    printf("%s, %s: %s\n", text, net_routing_names[c->routing], verdict(d));
    if (d->verdict == OFR_NO_ESCAPE) {
        name_queue(c, &d->queue[0], text, sizeof text);
        printf("  a packet in %s has no escape\n", text);
        return;
    }
    printf("  %u escape queues with %u dependencies among them", d->queues, d->dependencies);
    bool exchange = c->engine == NET_ENGINE_FLIT && c->routing == NET_CHAOS;
    if (d->verdict == OFR_ESCAPABLE)
        printf("; %u ring%s", d->rings,
               exchange        ? "s, one a link, over which packets are exchanged"
               : d->rings == 1 ? ", which nothing enters without two free slots"
                               : "s, which nothing enters without two free slots");
    putchar('\n');
    if (d->verdict == OFR_UNKNOWN)
        puts("  a cycle of what is waited for, for which no messages were found that share "
             "nothing:");
    if (d->verdict != OFR_DEADLOCK && d->verdict != OFR_UNKNOWN)
        return;
    for (unsigned i = 0; i < d->length && i < OFR_CYCLE_SHOWN; i++) {
        name_queue(c, &d->queue[i], text, sizeof text);
        printf("  %s %s, needs %s\n", i ? "->" : "  ", text, needs[d->queue[i].slots]);
    }
    name_queue(c, &d->queue[0], text, sizeof text);
    printf("  -> %s\n", text);
    if (d->ring && exchange)
        puts("  a ring by itself, in which packets are not exchanged");
    else if (d->ring)
        printf("  a ring by itself, but entered with %s\n", needs[1]);
}

int net_command_check_deadlock(int argc, char **argv)
{
    const struct argp_child children[] = {{net_options_argp(), 0, NULL, 0}, {0}};
    const struct argp argp = {
        NULL,
        parse,
        "",
        "Checks whether packets can wait for each other in a circle: all ways of all pairs are "
        "followed through the routing relation that runs, and the escape queues that they wait for "
        "are looked at. Exit status 1 where they can. Says acyclic, cyclic but escapable (rings in "
        "which a bubble stays, or over which packets are exchanged), or prints the cycle; unknown: "
        "a cycle of what is waited for that may be none of messages, which is status 1, too. The "
        "options are a run's; what does not bear on the routing makes no difference.",
        children,
        NULL,
        NULL};
    struct net_options options = {0};
    net_options_parse(&argp, argc, argv, 0, &options);
    if (options.format == FORMAT_CSV)
        net_refuse("check-deadlock: --format must be text or json");
    struct net_config config = net_options_config(&options, NULL, NULL, NULL, NULL);
    net_options_refuse_idle(&options);
    bool flit = config.engine == NET_ENGINE_FLIT;
    bool dragonfly = config.dragonfly.a != 0;
    uint32_t routers = config.dragonfly.a * (config.dragonfly.a * config.dragonfly.h + 1);
    if (dragonfly && routers > NET_DF_MAX_CHECKED)
        net_refuse("check-deadlock: a Dragonfly has %u routers; it goes up to %d", routers,
                   NET_DF_MAX_CHECKED);
    int most = config.routing == NET_TRIPLEX ? NET_FLIT_MAX_TRIPLEX : NET_FLIT_MAX_CHECKED;
    bool bubble = !dragonfly && (!flit || net_routing_by_bubble(config.routing));
    if (!bubble && !dragonfly && ofr_nodes(&config.torus) > (uint32_t)most)
        net_refuse("check-deadlock: --engine flit, --routing %s goes up to %d nodes",
                   net_routing_names[config.routing], most);
    struct ofr_deadlock result = dragonfly ? net_df_deadlock(&config, &net_df_relation)
                                 : bubble  ? net_deadlock_check(&config, net_candidates)
                                           : net_flit_deadlock(&config, net_flit_outs);
    if (result.verdict == OFR_NO_CHECK) {
        fputs("torussim: out of memory\n", stderr);
        return 1;
    }
    if (options.format == FORMAT_JSON)
        print_json(&config, &result);
    else
        print_text(&config, &result);
    return result.verdict != OFR_ACYCLIC && result.verdict != OFR_ESCAPABLE;
}
