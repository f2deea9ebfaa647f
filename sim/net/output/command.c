// SPDX-License-Identifier: Apache-2.0
#include "output/command.h"

#include <stdio.h>
#include <string.h>

#include "config/settings.h"

void net_command_of(const struct net_config *config, char *text, unsigned size)
{
    struct net_config usual = net_config_default(config->preset, config->routing);
    // Always there: what a reader looks for first.
    static const char *const named[] = {"topology", "routing", "traffic", "load", NULL};
    unsigned at = (unsigned)snprintf(text, size, "torussim run");
    usual.throttle = config->slots / 2;
    usual.escape_throttle = config->throttle;
    for (const struct net_setting *s = net_settings; s->name && at < size; s++) {
        char value[NET_SETTING_TEXT], otherwise[NET_SETTING_TEXT];
        net_setting_print(s, config, value, sizeof value);
        net_setting_print(s, &usual, otherwise, sizeof otherwise);
        bool always = net_name_find(named, s->name) >= 0 && *value;
        if (always || (*value && strcmp(value, otherwise) != 0))
            at += (unsigned)snprintf(text + at, size - at, " --%s %s", s->name, value);
    }
}

void net_command_line(const char *name, int argc, char *const *argv, char *text, unsigned size)
{
    unsigned at = (unsigned)snprintf(text, size, "torussim %s", name);
    for (int i = 1; i < argc && at < size; i++)
        at += (unsigned)snprintf(text + at, size - at, " %s", argv[i]);
}
