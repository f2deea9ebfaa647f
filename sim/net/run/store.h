// SPDX-License-Identifier: Apache-2.0
// Records of many points: kept in order, written to a file as they finish, found again there.
#ifndef NET_STORE_H
#define NET_STORE_H

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>

#include "config/config.h"

enum { NET_KEY = 2048 }; // also with all hot spots

// A point's name: the engine with its version, and all settings that apply. `what`: the command.
void net_key(const char *what, const struct net_config *config, char key[NET_KEY]);

struct net_store {   // one per rank (ranks.h): those of the others hand on to that of rank 0
    FILE *file;      // JSON lines, {"key": ..., "record": ...}; NULL: in memory only
    json_t *records; // by key
    bool unwritten;
    pthread_mutex_t lock;
};

// Called by all ranks; only rank 0 looks at the file, what it has is there on all of them then.
// path NULL: in memory only. An existing file is refused, or with `resume` its records are taken
// (a last line of a record that was cut off is dropped). The file is this process' alone until it
// is closed: one that another writes is refused. On a mistake: one line on stderr, exit status 2.
void net_store_open(struct net_store *store, const char *path, bool resume);
void net_store_close(struct net_store *store);

// Adds a record (its reference is taken) and writes it out. False: it could not be written.
bool net_store_add(struct net_store *store, const char *key, json_t *record);

// Adds a record of another rank, in the form of a line of the file. A failure to write it is kept
// in `unwritten`.
void net_store_take(struct net_store *store, const char *line);

// Borrowed; NULL: not there.
json_t *net_store_find(struct net_store *store, const char *key);

#endif
