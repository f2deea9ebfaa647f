// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/application.h"
#include "traffic/trace.h"

enum { FIRST_KEY = 512, SETTINGS = 192 };

// argp's list of the settings, made when it is first needed: setting i has key FIRST_KEY + i.
static struct argp_option *list(void)
{
    static struct argp_option options[SETTINGS];
    static char help[SETTINGS][400];
    unsigned count = 0;
    if (options[0].name)
        return options;
    options[count++] =
        (struct argp_option){"format", 'f', "FORMAT", 0, "text (default), json or csv", 1};
    for (int group = 2; *net_setting_groups[group]; group++)
        options[count++] = (struct argp_option){.doc = net_setting_groups[group], .group = group};
    for (unsigned i = 0; net_settings[i].name; i++) {
        const struct net_setting *s = &net_settings[i];
        net_setting_help(s, help[i], sizeof help[i]);
        options[count++] = (struct argp_option){
            s->name, s->letter ? s->letter : FIRST_KEY + (int)i, s->value, 0, help[i], s->group};
    }
    return options;
}

// The last one counts.
static void give(struct net_options *options, const struct net_setting *setting, const char *value)
{
    for (unsigned i = 0; i < options->count; i++)
        if (options->given[i].setting == setting) {
            options->given[i].value = value;
            return;
        }
    options->given[options->count].setting = setting;
    options->given[options->count].applied = false;
    options->given[options->count++].value = value;
}

bool net_options_set(struct net_options *options, const char *name, const char *value)
{
    const struct net_setting *setting = net_setting_find(name);
    if (setting)
        give(options, setting, value);
    return setting != NULL;
}

void net_options_merge(struct net_options *options, const struct net_options *from)
{
    for (unsigned i = 0; i < from->count; i++)
        give(options, from->given[i].setting, from->given[i].value);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct net_options *options = state->input;
    if (key == ARGP_KEY_INIT)
        state->err_stream = NULL; // the hint at --help after getopt's line
    if (key == ARGP_KEY_ARG)
        net_refuse("%s: an argument too many", arg);
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
    for (unsigned i = 0; net_settings[i].name; i++)
        if (key == (net_settings[i].letter ? net_settings[i].letter : FIRST_KEY + (int)i)) {
            if (!strcmp(net_settings[i].value, "FILE") && !*arg)
                net_refuse("--%s '': must be a name", net_settings[i].name);
            give(options, &net_settings[i], arg);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

const struct argp *net_options_argp(void)
{
    static struct argp argp;
    argp = (struct argp){.options = list(), .parser = parse};
    return &argp;
}

void net_options_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
    if (argp_parse(argp, argc, argv, flags, NULL, input))
        exit(2);
}

const char *net_options_value(const struct net_options *options, const char *name)
{
    for (unsigned i = 0; i < options->count; i++)
        if (!strcmp(options->given[i].setting->name, name))
            return options->given[i].value;
    return NULL;
}

static void apply(struct net_config *config, const char *name, const char *value)
{
    char wrong[400];
    const char *what =
        net_setting_parse(net_setting_find(name), config, value, wrong, sizeof wrong);
    if (what)
        net_refuse("%s", what);
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

// The same, of any number of files.
static const struct net_application *read_application(const struct net_options *options)
{
    static struct kept {
        struct kept *next;
        struct net_application *app;
        char path[];
    } * first;
    const char *path = net_options_value(options, "application");
    char wrong[600];
    for (const struct kept *k = first; k; k = k->next)
        if (!strcmp(k->path, path))
            return k->app;
    struct net_application *app = net_application_read(path, wrong, sizeof wrong);
    struct kept *kept = malloc(sizeof *kept + strlen(path) + 1);
    if (!app || !kept)
        net_refuse("%s", app ? "out of memory" : wrong);
    kept->next = first;
    kept->app = app;
    strcpy(kept->path, path);
    first = kept;
    return app;
}

static bool is_given(const void *options, const char *name)
{
    return net_options_value(options, name) != NULL;
}

struct net_config net_options_config(struct net_options *options, const char *routing,
                                     const char *pattern, const char *load, const char *seed)
{
    static const char *const pattern_only[] = {"traffic",     "load",        "messages", "arrivals",
                                               "on-fraction", "on-messages", "mix",      NULL};
    static const char *const no_mix[] = {"message-packets", NULL};
    static const char *const no_trace[] = {"active", "message-packets", NULL};
    static const char *const no_application[] = {"trace", "active", "message-packets", NULL};
    const char *preset = net_options_value(options, "preset");
    refuse_beside(options, "trace", pattern_only);
    refuse_beside(options, "trace", no_trace);
    refuse_beside(options, "active", pattern_only);
    refuse_beside(options, "application", pattern_only);
    refuse_beside(options, "application", no_application);
    refuse_beside(options, "mix", no_mix);
    if (net_options_value(options, "hotspots") && !net_options_value(options, "hotspot-weight"))
        net_refuse("--hotspots needs --hotspot-weight");
    if (!routing)
        routing = net_options_value(options, "routing");
    if (!pattern)
        pattern = net_options_value(options, "traffic");
    if (!load)
        load = net_options_value(options, "load");
    if (!seed)
        seed = net_options_value(options, "seed");
    struct net_config named = {0};
    apply(&named, "preset", preset ? preset : "ofr");
    const char *engine = net_options_value(options, "engine");
    apply(&named, "engine", engine ? engine : "packet");
    bool flit = named.engine == NET_ENGINE_FLIT;
    for (unsigned i = 0; i < options->count; i++)
        if (!net_setting_engine(options->given[i].setting, &named))
            net_refuse("--%s goes with --engine %s only", options->given[i].setting->name,
                       flit ? "packet" : "flit");
    const char *topology = net_options_value(options, "topology");
    bool dragonfly = topology && !strncmp(topology, "dragonfly:", 10);
    const char *usual = !flit ? "ofr" : dragonfly ? "minimal" : "dally-seitz";
    apply(&named, "routing", routing ? routing : usual);
    struct net_config c = net_config_default(named.preset, named.routing);
    for (unsigned i = 0; i < options->count; i++) {
        const char *name = options->given[i].setting->name;
        const char *value = !strcmp(name, "routing")   ? routing
                            : !strcmp(name, "traffic") ? pattern
                            : !strcmp(name, "load")    ? load
                            : !strcmp(name, "seed")    ? seed
                                                       : options->given[i].value;
        apply(&c, name, value);
    }
    if (pattern)
        apply(&c, "traffic", pattern);
    if (load)
        apply(&c, "load", load);
    if (seed)
        apply(&c, "seed", seed);
    if (net_options_value(options, "trace"))
        c.trace = read_trace(options, &c.torus);
    if (net_options_value(options, "application"))
        c.application = read_application(options);
    net_settings_follow(&c, is_given, options);
    char message[400];
    if (net_config_check(&c, message, sizeof message))
        net_refuse("%s", message);
    net_options_note(options, &c);
    return c;
}

void net_options_note(struct net_options *options, const struct net_config *config)
{
    for (unsigned i = 0; i < options->count; i++)
        if (net_setting_applies(options->given[i].setting, config))
            options->given[i].applied = true;
}

void net_options_refuse_idle(const struct net_options *options)
{
    for (unsigned i = 0; i < options->count; i++)
        if (!options->given[i].applied)
            net_refuse("--%s goes with %s only", options->given[i].setting->name,
                       options->given[i].setting->applies->words);
}

unsigned net_parse_step(const char *text)
{
    double step = net_parse_real("--step", text), per = round(1 / step);
    if (!(step > 0) || !(fabs(per * step - 1) < 1e-9) || per > 1000 || (unsigned)per % 20)
        net_refuse(
            "--step %s: must be 0.05, 0.025, 0.0125, 0.01, 0.005 or another 1/N, N a multiple "
            "of 20 up to 1000",
            text);
    return (unsigned)per;
}
