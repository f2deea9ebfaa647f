// SPDX-License-Identifier: Apache-2.0
// torusctl diff: counters at two times, from files.
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

enum { THRESHOLDS = 256 };

static struct {
    const char *thresholds;
    bool all;
} set;

static const struct argp_option options[] = {
    {"all", 'A', 0, 0, "those that have not changed, too", 1},
    {"thresholds", THRESHOLDS, "FILE", 0, "what makes a link bad", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    (void)state;
    if (key == 'A')
        set.all = true;
    else if (key == THRESHOLDS)
        set.thresholds = arg;
    else
        return false;
    return true;
}

static int do_diff(struct args *a)
{
    struct counter_set before = {0}, after = {0};
    struct rules rules = {0};
    int status = 2;
    if (a->rest_count < 2) {
        wrong("command", "diff", "write two files after it, from torusctl --format json counters");
    } else if ((!set.thresholds || thresholds_read(set.thresholds, &rules)) &&
               counters_read(a->rest[0], &before) && counters_read(a->rest[1], &after)) {
        if (before.dims != after.dims || memcmp(before.k, after.k, 3) != 0) {
            wrong("file", a->rest[1], "of a torus of another size");
        } else {
            status = put_changes(a, &before, &after, set.all) > 0;
            status |= bad_links(&rules, &before, &after) > 0;
        }
    }
    free(before.value);
    free(after.value);
    return status;
}

const struct command command_diff = {
    .name = "diff",
    .arguments = "BEFORE AFTER",
    .most = 2,
    .summary = "of two files from counters --format json",
    .about = "What has changed between two files from counters --format json or snapshot --all "
             "--format json, and its rate. A board that was reset in between is named. "
             "--thresholds is as with "
             "counters.",
    .examples = "diff before.json after.json\n"
                "diff --thresholds links.json before.json after.json\n",
    .groups = FORMAT,
    .options = options,
    .option = option,
    .prepare = do_diff,
};
