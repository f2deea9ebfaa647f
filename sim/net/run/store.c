// SPDX-License-Identifier: Apache-2.0
#include "run/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/line.h"
#include "config/settings.h"
#include "run/engine.h"
#include "run/ranks.h"
#include "run/refuse.h"

void net_key(const char *what, const struct net_config *c, char key[NET_KEY])
{
    int at = snprintf(key, NET_KEY, "%s %s", net_engine(c)->name, what);
    for (const struct net_setting *s = net_settings; s->name && at < NET_KEY; s++) {
        char value[NET_SETTING_TEXT];
        net_setting_print(s, c, value, sizeof value);
        if (*value && strcmp(s->field, "engine") != 0) // that is before
            at += snprintf(key + at, NET_KEY - (size_t)at, " %s=%s", s->name, value);
    }
}

// Of a run, or of saturate.
static bool is_record(const json_t *record)
{
    const json_t *mean = json_object_get(record, "mean_lifetime_us");
    bool flit = json_is_integer(json_object_get(record, "flit_hops"));
    return json_is_string(json_object_get(record, "end"))
               ? flit || json_is_number(mean) || json_is_null(mean)
               : json_is_number(json_object_get(record, "gamma_star_gamma0")) ||
                     json_object_get(record, "saturation_load");
}

static void load(struct net_store *store, const char *path)
{
    static const char begin[] = "{\"key\":";
    const char *why;
    char *line = NULL;
    size_t size = 0;
    long good = 0;
    int length;
    for (unsigned number = 1; (length = net_line(store->file, &line, &size, &why)) != 0; number++) {
        if (length < 0)
            net_refuse("--out %s, line %u: %s", path, number, why);
        json_error_t error;
        bool whole = strchr(line, '\n') != NULL;
        bool part = !whole && !strncmp(line, begin, strnlen(line, sizeof begin - 1));
        json_t *o = whole ? json_loads(line, 0, &error) : NULL;
        const char *key = json_string_value(json_object_get(o, "key"));
        json_t *record = json_object_get(o, "record");
        if (!part && (!key || !is_record(record)))
            net_refuse("--out %s, line %u: not a record of torussim", path, number);
        if (whole) {
            json_object_set(store->records, key, record);
            good = ftell(store->file);
        }
        json_decref(o);
    }
    free(line);
    if (fseek(store->file, good, SEEK_SET) || ftruncate(fileno(store->file), good))
        net_refuse("--out %s: %s", path, strerror(errno));
}

static void open_file(struct net_store *store, const char *path, bool resume)
{
    struct stat there;
    bool exists = stat(path, &there) == 0;
    if (exists && !resume)
        net_refuse("--out %s: it is there already (--resume continues it)", path);
    if (exists && !S_ISREG(there.st_mode))
        net_refuse("--out %s: not a file that could be continued", path);
    // Locked until it is closed: two that write one file would tear each other's lines.
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | (resume ? 0 : O_EXCL), 0666);
    if (fd < 0)
        net_refuse("--out %s: %s", path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        net_refuse("--out %s: another torussim is writing it; wait until it has ended, or write "
                   "another file",
                   path);
    store->file = fdopen(fd, "a+");
    if (!store->file)
        net_refuse("--out %s: %s", path, strerror(errno));
    if (resume) {
        rewind(store->file);
        load(store, path);
    }
}

void net_store_open(struct net_store *store, const char *path, bool resume)
{
    *store = (struct net_store){.records = json_object()};
    pthread_mutex_init(&store->lock, NULL);
    if (!path && resume)
        net_refuse("--resume needs --out FILE");
    if (path && net_rank() == 0)
        open_file(store, path, resume);
    char *text =
        net_rank() == 0 && net_ranks() > 1 ? json_dumps(store->records, JSON_COMPACT) : NULL;
    char *shared = net_ranks_share(text);
    if (net_rank()) {
        json_decref(store->records);
        store->records = json_loads(shared ? shared : "", 0, NULL);
        if (!store->records)
            net_refuse("out of memory");
    }
    free(text);
    free(shared);
}

void net_store_close(struct net_store *store)
{
    if (store->file)
        fclose(store->file);
    json_decref(store->records);
    pthread_mutex_destroy(&store->lock);
}

// A line as a whole or not at all: behind a part of one, where a disk was full for a while, the
// next would be lost, too, and the file no longer one to go on with.
static bool write_line(FILE *file, const char *line)
{
    struct stat before;
    int fd = fileno(file);
    if (fstat(fd, &before))
        return false;
    bool good = dprintf(fd, "%s\n", line) > 0;
    if (!good && ftruncate(fd, before.st_size))
        return false;
    return good;
}

bool net_store_add(struct net_store *store, const char *key, json_t *record)
{
    bool good = true;
    json_t *o = json_pack("{s:s, s:O}", "key", key, "record", record);
    char *line = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(o);
    if (net_rank() && line)
        net_ranks_tell(line);
    pthread_mutex_lock(&store->lock);
    if (store->file)
        good = line && write_line(store->file, line);
    json_object_set_new(store->records, key, record);
    pthread_mutex_unlock(&store->lock);
    free(line);
    return good;
}

void net_store_take(struct net_store *store, const char *line)
{
    json_t *o = json_loads(line, 0, NULL), *record = json_object_get(o, "record");
    const char *key = json_string_value(json_object_get(o, "key"));
    if (!key || !record || !net_store_add(store, key, json_incref(record)))
        store->unwritten = true;
    json_decref(o);
}

json_t *net_store_find(struct net_store *store, const char *key)
{
    pthread_mutex_lock(&store->lock);
    json_t *found = json_object_get(store->records, key);
    pthread_mutex_unlock(&store->lock);
    return found;
}
