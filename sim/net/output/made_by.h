// SPDX-License-Identifier: Apache-2.0
// The command that makes a record set, from what its records have in common.
#ifndef NET_MADE_BY_H
#define NET_MADE_BY_H

#include <jansson.h>

// "torussim sweep --topology ... --routing abr,ofr ...", with all settings that are not as they are
// by themselves and, where records differ, all values.
void net_made_by(const json_t *records, char *text, unsigned size);

// A value as text, null as "-".
void net_value_text(const json_t *value, char *text, unsigned size);

#endif
