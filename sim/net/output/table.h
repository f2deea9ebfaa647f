// SPDX-License-Identifier: Apache-2.0
// What torussim has written, read again: record sets (lines of --out, JSON and CSV of run, sweep
// and saturate), and the CSV of run --links and --histogram (files.h).
#ifndef NET_TABLE_H
#define NET_TABLE_H

#include <jansson.h>

enum net_table_kind { NET_TABLE_RECORDS, NET_TABLE_LINKS, NET_TABLE_HISTOGRAM };

struct net_table {
    enum net_table_kind kind;
    char *command; // that made it, where the file says so; else NULL
    json_t *rows;  // a list of objects: fields with texts, numbers or null
};

// On a mistake: one line on stderr that names file and line, exit status 2.
struct net_table net_table_read(const char *path);
void net_table_free(struct net_table *table);

#endif
