// SPDX-License-Identifier: Apache-2.0
#include "app/read.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/line.h"

bool net_reader_open(struct net_reader *reader, const char *path, char *wrong, unsigned size)
{
    *reader = (struct net_reader){.path = path, .wrong = wrong, .size = size};
    reader->file = fopen(path, "r");
    if (!reader->file) {
        snprintf(wrong, size, "application %s: %s", path, strerror(errno));
        reader->bad = true;
    }
    return reader->file;
}

void net_reader_close(struct net_reader *reader)
{
    if (reader->file)
        fclose(reader->file);
    free(reader->line);
    reader->file = NULL;
    reader->line = NULL;
}

bool net_reader_wrong(struct net_reader *reader, const char *format, ...)
{
    if (reader->bad)
        return false;
    reader->bad = true;
    int at = reader->number
                 ? snprintf(reader->wrong, reader->size, "application %s, line %u: ", reader->path,
                            reader->number)
                 : snprintf(reader->wrong, reader->size, "application %s: ", reader->path);
    va_list args;
    va_start(args, format);
    if (at >= 0 && (unsigned)at < reader->size)
        vsnprintf(reader->wrong + at, reader->size - (unsigned)at, format, args);
    va_end(args);
    return false;
}

bool net_reader_next(struct net_reader *reader)
{
    if (reader->bad)
        return false;
    const char *why;
    int length = net_line(reader->file, &reader->line, &reader->room, &why);
    if (!length)
        return false;
    reader->number++;
    if (length < 0)
        return net_reader_wrong(reader, "%s", why);
    while (length && (reader->line[length - 1] == '\n' || reader->line[length - 1] == '\r'))
        reader->line[--length] = '\0';
    return true;
}

static void skip_blanks(char **at)
{
    *at += strspn(*at, " \t");
}

bool net_read_number(char **at, uint64_t most, uint64_t *value)
{
    char *behind;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *value = strtoull(*at, &behind, 10);
    if (errno || *value > most)
        return false;
    *at = behind;
    skip_blanks(at);
    return true;
}

bool net_read_word(char **at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0 || !strchr(" \t", (*at)[length]))
        return false;
    *at += length;
    skip_blanks(at);
    return true;
}

bool net_read_op(struct net_reader *reader, struct net_application *app, struct net_op op,
                 uint32_t *number)
{
    op.line = reader->number;
    *number = net_application_op(app, op);
    return *number != NET_NO_OP ||
           net_reader_wrong(reader, "out of memory, or more than %d operations", NET_MAX_OPS);
}

bool net_read_after(struct net_reader *reader, struct net_application *app, uint32_t op,
                    uint32_t before, bool at_start)
{
    return net_application_after(app, op, before, at_start) ||
           net_reader_wrong(reader, "out of memory");
}

uint64_t net_read_units(double ns)
{
    return (uint64_t)llround(ns * NET_UNITS_PER_NS);
}

struct net_application *net_application_read(const char *path, char *wrong, unsigned size)
{
    struct net_reader reader;
    struct net_application *app = NULL;
    char problem[200];
    if (net_reader_open(&reader, path, wrong, size)) {
        bool (*read)(struct net_reader *, struct net_application **) = NULL;
        while (!read && net_reader_next(&reader)) {
            char *at = reader.line + strspn(reader.line, " \t");
            if (net_read_word(&at, "torussim-application"))
                read = net_read_own;
            else if (net_read_word(&at, "num_ranks"))
                read = net_read_goal;
            else if (!strncmp(at, "# htor's PMPI Tracer", 20) || !strncmp(at, "MPI_", 4))
                read = net_read_allprof;
            else if (*at && strncmp(at, "//", 2) != 0)
                net_reader_wrong(&reader, "neither `torussim-application 1', `num_ranks N' (GOAL) "
                                          "nor a trace of liballprof");
        }
        if (!read)
            net_reader_wrong(&reader, "there is no operation in it");
        bool good = !reader.bad && read && read(&reader, &app) && !reader.bad;
        if (good && !net_application_finish(app, problem, sizeof problem)) {
            snprintf(wrong, size, "application %s, %s", path, problem);
            good = false;
        }
        if (!good) {
            net_application_free(app);
            app = NULL;
        }
    }
    net_reader_close(&reader);
    return app;
}
