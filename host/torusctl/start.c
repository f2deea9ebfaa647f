// SPDX-License-Identifier: Apache-2.0
// torusctl start: the programs that torusctl load has loaded.
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

enum { ARGUMENT = 256, RING, HOLD };

static struct {
    const char *at;
    const char *text; // of the arguments, NULL: none
    uint32_t argument[4];
    bool ring, hold;
} set;

static const struct argp_option options[] = {
    {"at", 'a', "PLACE", 0, "at the board there; or all: at all that have a user's core (all)", 1},
    {"argument", ARGUMENT, "N[,N...]", 0, "up to four numbers that the programs are told (0)", 1},
    {"ring", RING, 0, 0, "first joins end 0 of each program with end 1 of the next one", 1},
    {"hold", HOLD, 0, 0, "stops them instead, whatever they do", 1},
    {0},
};

// "N,N,...", up to four. Exit status.
static int read_arguments(const char *text)
{
    const char *at = text;
    for (unsigned count = 0; count < 4; count++) {
        char *end = NULL;
        unsigned long long value = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : 0;
        if (!end || value > UINT32_MAX || (*end && *end != ','))
            return wrong("argument", text, "write numbers from 0 to 4294967295 as 7,20");
        set.argument[count] = (uint32_t)value;
        if (!*end)
            return 0;
        at = end + 1;
    }
    return wrong("argument", text, "four numbers at most");
}

static bool option(int key, char *arg, struct argp_state *state)
{
    (void)state;
    switch (key) {
    case 'a':
        set.at = arg;
        return true;
    case ARGUMENT:
        set.text = arg;
        return true;
    case RING:
        return set.ring = true;
    case HOLD:
        return set.hold = true;
    default:
        return false;
    }
}

static const char *idle(const struct args *a, const struct given *o)
{
    bool starts = !strcmp(o->name, "argument") || !strcmp(o->name, "ring");
    if (o->group == AT_ONCE && !users_several(a, set.at))
        return "one board is asked, once at a time; say --at all";
    return set.hold && starts ? "not with --hold, which starts nothing" : NULL;
}

static int prepare(struct args *a)
{
    (void)a;
    memset(set.argument, 0, sizeof set.argument);
    if (!users_good(set.at))
        return 2;
    int status = set.text ? read_arguments(set.text) : 0;
    return status ? status : GO_ON;
}

static int join_ring(struct torus *t, uint8_t (*at)[3], unsigned boards, double seconds)
{
    int error = TORUS_OK;
    for (unsigned i = 0; i < boards && error == TORUS_OK; i++) {
        struct torus_end from = {.end = 0}, to = {.end = 1};
        memcpy(from.at, at[i], sizeof from.at);
        memcpy(to.at, at[(i + 1) % boards], sizeof to.at);
        error = torus_user_join(t, &from, &to, seconds);
    }
    return error;
}

static const struct column columns[] = {
    {"at", "at", -8, 0},
    {"number", "number", 0, 0},
    {"programs", "of", 0, 0},
    {"state", "state", -1, 0},
    {0},
};

static int do_start(struct torus *t, const struct args *a)
{
    uint8_t k[3];
    unsigned boards, missing;
    int status, error = TORUS_OK;
    uint8_t(*at)[3] = users_find(t, set.at, &boards, &missing, &status);
    if (!at)
        return status;
    const uint8_t(*there)[3] = (const uint8_t(*)[3])at;
    unsigned dims = torus_sizes(t, k);
    struct table *rows = table_begin(a, "boards", columns);
    if (set.ring)
        error = join_ring(t, at, boards, a->options.timeout > 0 ? a->options.timeout : 5);
    if (error == TORUS_OK)
        error = set.hold ? torus_user_stop(t, there, boards)
                         : torus_user_start(t, there, boards, set.argument);
    for (unsigned i = 0; i < boards && error == TORUS_OK; i++)
        table_row(rows, json_pack("{s:o,s:i,s:i,s:s}", "at", json_at(at[i], dims), "number", (int)i,
                                  "programs", (int)boards, "state", set.hold ? "held" : "started"));
    free(at);
    if (error != TORUS_OK) {
        table_drop(rows);
        return report(t, error);
    }
    table_end(rows, NULL);
    return missing > 0;
}

const struct command command_start = {
    .name = "start",
    .summary = "start the user's programs that were loaded, or hold them",
    .about = "Starts what torusctl load has loaded, from its beginning, at all boards together: a "
             "program is told its number among them, how many there are and what --argument says. "
             "--ring "
             "joins their channels' ends to a ring, once after each load. --hold stops programs, "
             "whatever they do.",
    .examples = "start\nstart --ring --argument 7,20\nstart --at 1,0 --hold\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_start,
};
