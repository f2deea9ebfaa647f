// SPDX-License-Identifier: Apache-2.0
#include "output/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/command.h"
#include "output/record.h"
#include "run/refuse.h"

static const char axes[] = "xyzuvw";

// Why a new file could not be made: a device or a folder "exists", too.
static const char *reason(int error)
{
    return error == EEXIST ? "it is there already; name a new file" : strerror(error);
}

void net_file_check(const char *option, const char *path)
{
    if (!path)
        return;
    FILE *file = fopen(path, "wx");
    if (!file)
        net_refuse("%s %s: %s", option, path, reason(errno));
    fclose(file);
    unlink(path);
}

void net_files_check(const char *links, const char *histogram)
{
    net_file_check("--links", links);
    net_file_check("--histogram", histogram);
    FILE *file = links && histogram ? fopen(links, "wx") : NULL;
    if (!file)
        return;
    bool same = !access(histogram, F_OK);
    fclose(file);
    unlink(links);
    if (same)
        net_refuse("--links and --histogram: both are %s", links);
}

static FILE *begin(const char *path, const char *kind, const struct net_config *config)
{
    char command[2000];
    FILE *file = fopen(path, "wx");
    if (!file) {
        fprintf(stderr, "torussim: %s: %s\n", path, reason(errno));
        return NULL;
    }
    net_command_of(config, command, sizeof command);
    fprintf(file, "# %s --%s FILE\n", command, kind);
    return file;
}

bool net_file_close(FILE *file, const char *name)
{
    bool before = ferror(file);
    // Why it failed before is not known any more, but mostly it does again.
    bool now = fflush(file) || (before && (fputc('\n', file) == EOF || fflush(file)));
    int error = errno;
    if (fclose(file) && !now) {
        now = true;
        error = errno;
    }
    if (before || now)
        fprintf(stderr, "torussim: %s could not be written%s%s\n", name, now ? ": " : "",
                now ? strerror(error) : "");
    return !before && !now;
}

static bool end(const char *path, FILE *file)
{
    bool good = net_file_close(file, path);
    if (!good)
        unlink(path);
    return good;
}

bool net_file_links(const char *path, const struct net_config *config,
                    const struct net_result *result)
{
    const struct ofr_torus *torus = &config->torus;
    unsigned ports = 2u * torus->n;
    if (!path)
        return true;
    if (!result->sent) {
        fprintf(stderr, "torussim: %s: out of memory\n", path);
        return false;
    }
    FILE *file = begin(path, "links", config);
    if (!file)
        return false;
    fputs("node", file);
    for (unsigned i = 0; i < torus->n; i++)
        fprintf(file, ",%c", axes[i]);
    fputs(",port,packets,use\n", file);
    for (uint32_t node = 0; node < ofr_nodes(torus); node++) {
        struct ofr_coord c = ofr_node_coord(torus, node);
        for (unsigned port = 0; port < ports; port++) {
            uint64_t sent = result->sent[(size_t)node * ports + port];
            if (sent == UINT64_MAX)
                continue;
            fprintf(file, "%u", node);
            for (unsigned i = 0; i < torus->n; i++)
                fprintf(file, ",%u", c.c[i]);
            fprintf(file, ",%c%c,%" PRIu64 ",%.6g\n", axes[port / 2], port % 2 ? '-' : '+', sent,
                    net_record_use(result, config, (size_t)node * ports + port));
        }
    }
    return end(path, file);
}

bool net_file_histogram(const char *path, const struct net_config *config,
                        const struct net_result *result)
{
    // Sixteen bins to a doubling.
    enum { FINE = NET_STATS_BITS - 4 };
    const struct net_stats *s = &result->stats;
    if (!path)
        return true;
    FILE *file = begin(path, "histogram", config);
    if (!file)
        return false;
    fputs("low_us,high_us,packets\n", file);
    for (unsigned bin = 0; bin < NET_STATS_BINS; bin += 1u << FINE) {
        uint64_t packets = 0;
        for (unsigned i = 0; i < 1u << FINE; i++)
            packets += s->bins[bin + i];
        double us = 1.0 / (1000 * NET_UNITS_PER_NS);
        if (packets)
            fprintf(file, "%.9g,%.9g,%" PRIu64 "\n", us * (double)net_stats_low(bin),
                    us * (double)net_stats_low(bin + (1u << FINE)), packets);
    }
    return end(path, file);
}
