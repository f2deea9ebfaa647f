// SPDX-License-Identifier: Apache-2.0
// The command that makes a record set, from what its records have in common.
#ifndef NET_MADE_BY_H
#define NET_MADE_BY_H

#include <jansson.h>

// "torussim sweep --topology ... --routing abr,ofr ...", with all settings that are not as they are
// by themselves, and all values of those that sweep takes a list of. Where records differ in others
// or a combination was not run, no such command makes them: "; and with" and what is otherwise
// follow for each more that is needed, "(3 of these 4 runs)" where a list says too much.
void net_made_by(const json_t *records, char *text, unsigned size);

// A value as text, null as "-".
void net_value_text(const json_t *value, char *text, unsigned size);

#endif
