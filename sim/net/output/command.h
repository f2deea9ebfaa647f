// SPDX-License-Identifier: Apache-2.0
// The command that makes a run, from its settings; a command as it was given.
#ifndef NET_COMMAND_H
#define NET_COMMAND_H

#include "config/config.h"

// "torussim run --topology ... " with all settings that are not as they are by themselves; what a
// file was read from (a trace, an application) is not known.
void net_command_of(const struct net_config *config, char *text, unsigned size);

// "torussim NAME ARGUMENTS", of the arguments behind argv[0], before argp changes their order.
void net_command_line(const char *name, int argc, char *const *argv, char *text, unsigned size);

#endif
