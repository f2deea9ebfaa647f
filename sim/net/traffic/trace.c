// SPDX-License-Identifier: Apache-2.0
#include "traffic/trace.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/line.h"
#include "config/random.h"

// A whole number that ends at `end`; moves on behind it. False: it is none, or over `most`.
static bool whole(char **at, char end, uint64_t most, uint32_t *value)
{
    char *behind;
    errno = 0;
    unsigned long long number = strtoull(*at, &behind, 10);
    if (**at < '0' || **at > '9' || *behind != end || errno || number > most)
        return false;
    *value = (uint32_t)number;
    *at = behind + 1;
    return true;
}

// NULL, or what is wrong with a line.
static const char *read_line(char *line, uint32_t nodes, double *last_ns,
                             struct net_trace_message *m)
{
    char *at;
    double ns = strtod(line, &at);
    *m = (struct net_trace_message){.next = NET_NO_MESSAGE};
    if (at == line || *at != ',' || !(ns >= 0) || ns > 1e12)
        return "time_ns must be a number from 0 to 1e12, and a comma behind it";
    m->time = (uint64_t)llround(ns * NET_UNITS_PER_NS);
    if (ns < *last_ns)
        return "time_ns is less than in the line before";
    *last_ns = ns;
    at++;
    if (!whole(&at, ',', UINT32_MAX, &m->src))
        return "src must be a node id, and a comma behind it";
    if (m->src >= nodes)
        return "src is not a node of the torus";
    if (!whole(&at, ',', UINT32_MAX, &m->dst))
        return "dst must be a node id, and a comma behind it";
    if (m->dst >= nodes)
        return "dst is not a node of the torus";
    if (!whole(&at, '\0', INT32_MAX, &m->bytes) || m->bytes == 0)
        return "bytes must be a whole number from 1 to 2147483647, and nothing behind it";
    return NULL;
}

static bool add(struct net_trace *trace, uint32_t *capacity, uint32_t *last,
                const struct net_trace_message *m)
{
    if (trace->count == *capacity) {
        uint32_t larger = *capacity ? 2 * *capacity : 1024;
        struct net_trace_message *message =
            larger > *capacity ? realloc(trace->message, larger * sizeof *message) : NULL;
        if (!message)
            return false;
        trace->message = message;
        *capacity = larger;
    }
    uint32_t *before =
        last[m->src] == NET_NO_MESSAGE ? &trace->first[m->src] : &trace->message[last[m->src]].next;
    *before = last[m->src] = trace->count;
    trace->digest = net_random(trace->digest, DRAW_DESTINATION, m->time,
                               net_random(m->src, DRAW_DESTINATION, m->dst, m->bytes));
    trace->message[trace->count++] = *m;
    return true;
}

struct net_trace *net_trace_read(const char *path, uint32_t nodes, char *wrong, unsigned size)
{
    struct net_trace *trace = calloc(1, sizeof *trace);
    uint32_t capacity = 0, number = 0, *last = malloc(nodes * sizeof *last);
    const char *why = "out of memory";
    char *line = NULL;
    size_t room = 0;
    int length = 0;
    double last_ns = 0;
    FILE *file = fopen(path, "r");
    if (trace)
        trace->first = malloc(nodes * sizeof *trace->first);
    bool good = trace && trace->first && last;
    if (!file) {
        good = false;
        why = strerror(errno);
    }
    for (uint32_t i = 0; good && i < nodes; i++)
        trace->first[i] = last[i] = NET_NO_MESSAGE;
    while (good && (length = net_line(file, &line, &room, &why)) != 0) {
        struct net_trace_message m;
        number++;
        if (length < 0) {
            good = false;
            break;
        }
        if (line[length - 1] == '\n')
            line[--length] = '\0';
        if (length && line[length - 1] == '\r')
            line[--length] = '\0';
        if (number == 1 && !strcmp(line, "time_ns,src,dst,bytes"))
            continue;
        const char *bad = read_line(line, nodes, &last_ns, &m);
        good = !bad && add(trace, &capacity, last, &m);
        why = bad ? bad : "out of memory";
    }
    if (good && trace->count == 0) {
        good = false;
        why = "there is no message in it";
    }
    if (!good)
        snprintf(wrong, size, number ? "trace %s, line %u: %s" : "trace %s:%.0u %s", path, number,
                 why);
    if (file)
        fclose(file);
    free(line);
    free(last);
    if (good)
        return trace;
    net_trace_free(trace);
    return NULL;
}

void net_trace_free(struct net_trace *trace)
{
    if (!trace)
        return;
    free(trace->message);
    free(trace->first);
    free(trace);
}
