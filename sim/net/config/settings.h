// SPDX-License-Identifier: Apache-2.0
// Every setting of a configuration, once: from this table follow the options and their help, the
// manual page, the bounds, the fields of a record and the key that a record is kept by.
#ifndef NET_SETTINGS_H
#define NET_SETTINGS_H

#include <stddef.h>

#include "config/config.h"

enum net_setting_kind {
    NET_COUNT,  // uint32_t
    NET_WHOLE,  // uint64_t
    NET_REAL,   // double
    NET_CHOICE, // an enum, by names
    NET_SWITCH, // a bool, by two names
    NET_OWN,    // parse and print
};

// Whose it is.
enum net_setting_engine { NET_OF_PACKET, NET_OF_FLIT, NET_OF_BOTH };

// When a setting applies, and the same in words, as "--routing ofr".
struct net_condition {
    bool (*holds)(const struct net_config *config);
    const char *words;
};

struct net_setting {
    const char *name; // of the option
    char letter;      // of the short option; 0: none
    unsigned char group;
    enum net_setting_engine engine;
    const char *value;     // what the help calls its value
    const char *help;      // without the default
    const char *otherwise; // the default, as an option's text; NULL: net_config_default has it
    bool later;            // printed, and in records and their keys, only where it is not its
                           // default: so those of before there was it are what they were
    const char *shown;     // how the help shows that default; NULL: as it is
    const char *field;     // in a record; "engine": its version is there, too
    enum net_setting_kind kind;
    size_t at; // in struct net_config
    double least, most;
    const char *const *names;
    const char *(*parse)(struct net_config *config, const char *text, char *wrong, unsigned size);
    void (*print)(const struct net_config *config, char *text, unsigned size);
    const struct net_condition *applies; // NULL: always
};

enum { NET_SETTING_TEXT = 1024 }; // enough for any value

extern const struct net_setting net_settings[]; // in the order of records; ended by a NULL name
extern const char *const net_setting_groups[];  // by group, from 1

// Whether it is one of the configuration's engine; and whether it applies there.
static inline bool net_setting_engine(const struct net_setting *setting,
                                      const struct net_config *config)
{
    return setting->engine == NET_OF_BOTH ||
           (setting->engine == NET_OF_FLIT) == (config->engine == NET_ENGINE_FLIT);
}

static inline bool net_setting_applies(const struct net_setting *setting,
                                       const struct net_config *config)
{
    return net_setting_engine(setting, config) &&
           (!setting->applies || setting->applies->holds(config));
}

// NULL: there is none.
const struct net_setting *net_setting_find(const char *name);

// Sets it from an option's text. Returns NULL, or what is wrong, in `wrong` (of `size` bytes). What
// depends on other settings is left to net_config_check.
const char *net_setting_parse(const struct net_setting *setting, struct net_config *config,
                              const char *text, char *wrong, unsigned size);

// The value as an option's text; "" where it does not apply, or is a later setting's default.
void net_setting_print(const struct net_setting *setting, const struct net_config *config,
                       char *text, unsigned size);

// Whether it is a number in a record.
static inline bool net_setting_number(const struct net_setting *setting)
{
    return setting->kind == NET_COUNT || setting->kind == NET_WHOLE || setting->kind == NET_REAL;
}

// Are the numbers that apply in their ranges, as an option's would have to be? A configuration may
// be made by a program, past the options. Returns NULL, or what is wrong, in `wrong` (of `size`
// bytes).
const char *net_settings_check(const struct net_config *config, char *wrong, unsigned size);

// Gives those settings whose defaults follow from others theirs, where `given` (NULL: none is) says
// that they have no value of their own.
void net_settings_follow(struct net_config *config,
                         bool (*given)(const void *context, const char *name), const void *context);

// Help with the default, into `text`.
void net_setting_help(const struct net_setting *setting, char *text, unsigned size);

#endif
