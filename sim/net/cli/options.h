// SPDX-License-Identifier: Apache-2.0
// What all commands of torussim share: options that make a net_config, output formats, errors.
#ifndef NET_OPTIONS_H
#define NET_OPTIONS_H

#include <argp.h>

#include "config/settings.h"
#include "run/refuse.h"

enum net_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

enum { NET_OPTIONS = 192 };

// The options as given; they are put into a configuration once preset and routing are known.
struct net_options {
    unsigned count;
    struct {
        const struct net_setting *setting;
        const char *value;
        bool applied; // to a configuration that was made
    } given[NET_OPTIONS];
    enum net_format format;
};

// A child parser for argp; its input is a struct net_options.
const struct argp *net_options_argp(void);

// argp_parse; on a mistake one line on stderr, exit status 2.
void net_options_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

// The value given for an option by its name, or NULL.
const char *net_options_value(const struct net_options *options, const char *name);

// Adds an option by its name, as if it were given last; both texts stay the caller's. False: there
// is no such option.
bool net_options_set(struct net_options *options, const char *name, const char *value);

// Adds all options of another.
void net_options_merge(struct net_options *options, const struct net_options *from);

// Notes which options apply to a configuration that was made of them, as net_options_config does by
// itself; and refuses those that applied to none.
void net_options_note(struct net_options *options, const struct net_config *config);
void net_options_refuse_idle(const struct net_options *options);

// Configuration for these options, where `routing`, `pattern`, `load` and `seed` replace the
// options of that name unless they are NULL. On a mistake: one line on stderr, exit status 2.
struct net_config net_options_config(struct net_options *options, const char *routing,
                                     const char *pattern, const char *load, const char *seed);

// --step: steps in a gamma0; 0.1, where the search for gamma* begins, is one of them. On a mistake
// as above.
unsigned net_parse_step(const char *text);

// The commands: argv[0] is "torussim COMMAND"; exit status.
int net_command_run(int argc, char **argv);
int net_command_explain(int argc, char **argv);
int net_command_limit(int argc, char **argv);
int net_command_record(int argc, char **argv);
int net_command_check_deadlock(int argc, char **argv);
int net_command_sweep(int argc, char **argv);
int net_command_saturate(int argc, char **argv);
int net_command_reproduce(int argc, char **argv);
int net_command_view(int argc, char **argv);

#endif
