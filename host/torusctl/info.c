// SPDX-License-Identifier: Apache-2.0
// torusctl info: what is programmed.
#include <stdio.h>

#include "ctl.h"

const char routing_list[] = "abr|por|ofr|dor|rdr", tie_list[] = "both|plus";

struct torus_preset preset_of(unsigned routing, bool plus, int threshold, int delta)
{
    static const enum torus_routing routings[] = {TORUS_ABR, TORUS_POR, TORUS_OFR, TORUS_DOR,
                                                  TORUS_RDR};
    struct torus_preset preset = torus_preset_default(routings[routing]);
    preset.tie_both = !plus;
    if (threshold >= 0)
        preset.threshold = (uint8_t)threshold;
    if (delta >= 0)
        preset.delta = (uint8_t)delta;
    return preset;
}

static const struct column columns[] = {
    {"sizes", NULL, 0, 0},      {"routing", NULL, 0, 0},
    {"tie", NULL, 0, 0},        {"threshold", NULL, 0, 0},
    {"delta", NULL, 0, 0},      {"generation", NULL, 0, 0},
    {"boards", NULL, 0, 0},     {"destination_tables", NULL, 0, 0},
    {"consistent", NULL, 0, 0}, {0},
};

// Where destinations alone were programmed: how many, in how many requests.
static json_t *with_changes(const struct torus *t, struct table *rows, json_t *row)
{
    struct torus_changes c;
    if (!torus_changes(t, &c))
        return row;
    table_note(rows, "%u destinations changed, %u sent in %u requests", c.changed, c.sent,
               c.requests);
    json_object_set_new(row, "changed", json_integer(c.changed));
    json_object_set_new(row, "sent", json_integer(c.sent));
    json_object_set_new(row, "requests", json_integer(c.requests));
    return row;
}

int put_programmed(struct torus *t, const struct args *a)
{
    struct torus_preset p = {0};
    unsigned generation = 0, on = 0;
    uint8_t k[3];
    int error = torus_destinations_on(t, &on);
    if (error == TORUS_OK)
        error = torus_programmed(t, &p, &generation);
    if (error != TORUS_OK && error != TORUS_E_MIXED)
        return report(t, error);
    unsigned dims = torus_sizes(t, k), boards = (unsigned)k[0] * k[1] * k[2];
    const char *name = p.routing ? torus_routing_name(p.routing) : "none";
    const char *tie = p.tie_both ? "both" : "plus";
    char text[240];
    size_t n =
        (size_t)snprintf(text, sizeof text, dims == 3 ? "%ux%ux%u" : "%ux%u", k[0], k[1], k[2]);
    n += (size_t)snprintf(text + n, sizeof text - n, " torus, routing %s", name);
    if (p.routing)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              ", tie %s, threshold %u slots, Delta %u, generation %u", tie,
                              p.threshold, p.delta, generation);
    if (on)
        snprintf(text + n, sizeof text - n, ", destination table on at %u of %u boards", on,
                 boards);
    struct table *rows = table_begin(a, NULL, columns);
    table_note(rows, "%s", text);
    json_t *row = json_pack("{s:o,s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:b}", "sizes", json_at(k, dims),
                            "routing", name, "tie", tie, "threshold", p.threshold, "delta", p.delta,
                            "generation", (int)generation, "boards", (int)boards,
                            "destination_tables", (int)on, "consistent", error == TORUS_OK);
    table_row(rows, with_changes(t, rows, row));
    table_end(rows, NULL);
    return error == TORUS_OK ? 0 : report(t, error);
}

static int do_info(struct torus *t, const struct args *a)
{
    unsigned missing;
    int status = attach_there(t, &missing);
    if (!status)
        status = put_programmed(t, a);
    return status ? status : missing > 0;
}

const struct command command_info = {
    .name = "info",
    .summary = "what is programmed",
    .about = "The torus' sizes and the routing that is programmed, with its settings; on how many "
             "boards a destination table is on; whether the boards agree (exit status 1 if not). "
             "Boards that are missing are named (exit status 1), once the others have been found.",
    .examples = "info\ninfo --format json\n",
    .groups = CONNECTION | REQUESTS | PLACES | FORMAT,
    .run = do_info,
};
