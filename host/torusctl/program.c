// SPDX-License-Identifier: Apache-2.0
// torusctl info and program.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

static int print_programmed(struct torus *t, const struct args *a)
{
    struct torus_preset p = {0};
    unsigned generation = 0, on = 0;
    uint8_t k[3];
    int error = torus_destinations_on(t, &on);
    if (error == TORUS_OK)
        error = torus_programmed(t, &p, &generation);
    if (error != TORUS_OK && error != TORUS_E_MIXED)
        return report(t, error);
    unsigned dims = torus_sizes(t, k);
    const char *name = p.routing ? torus_routing_name(p.routing) : NULL;
    const char *tie = p.tie_both ? "both" : "plus";
    if (!name)
        name = "none";
    if (a->format == JSON) {
        put_json(json_pack("{s:o,s:s,s:s,s:i,s:i,s:i,s:i,s:b}", "sizes", json_at(k, dims),
                           "routing", name, "tie", tie, "threshold", p.threshold, "delta", p.delta,
                           "generation", (int)generation, "destination_tables", (int)on,
                           "consistent", error == TORUS_OK));
    } else if (a->format == CSV) {
        printf("kx,ky,kz,routing,tie,threshold,delta,generation,destination_tables,consistent\n");
        printf("%u,%u,%u,%s,%s,%u,%u,%u,%u,%d\n", k[0], k[1], k[2], name, tie, p.threshold, p.delta,
               generation, on, error == TORUS_OK);
    } else {
        printf("%ux%u", k[0], k[1]);
        if (dims == 3)
            printf("x%u", k[2]);
        printf(" torus, routing %s", name);
        if (p.routing)
            printf(", tie %s, threshold %u slots, Delta %u, generation %u", tie, p.threshold,
                   p.delta, generation);
        if (on)
            printf(", destination table on at %u of %u boards", on, k[0] * k[1] * k[2]);
        putchar('\n');
    }
    return error == TORUS_OK ? 0 : report(t, error);
}

int do_info(struct torus *t, const struct args *a)
{
    int error = torus_attach(t);
    return error == TORUS_OK ? print_programmed(t, a) : report(t, error);
}

// Attached if possible: the boards are configured, agree and can be reached by address. Else, or
// for destinations, discovered. Missing cables are the library's affair: it may go round them.
static int attach_or_discover(struct torus *t, bool destinations)
{
    uint8_t k[3];
    int error = destinations ? TORUS_E_UNKNOWN : torus_attach(t);
    if (error == TORUS_E_UNKNOWN || error == TORUS_E_MIXED || error == TORUS_E_BOARD ||
        (error == TORUS_E_TIMEOUT && torus_sizes(t, k))) // the board we are plugged into answers
        error = torus_discover(t);
    return error;
}

int prepare_program(struct args *a)
{
    const char *name = a->routing ? a->routing : "ofr";
    int routing = torus_routing_named(name);
    if (!routing || routing == TORUS_CUSTOM)
        return wrong("routing", name, "say abr, por, ofr, dor or rdr");
    if (a->tie && strcmp(a->tie, "both") != 0 && strcmp(a->tie, "plus") != 0)
        return wrong("tie", a->tie, "say both or plus");
    if (a->resume && a->abort)
        return wrong("option", "--abort", "either --resume or --abort");
    if (a->file && (a->routing || a->tie || a->threshold >= 0 || a->delta >= 0))
        return wrong("file", a->file, "it says all about the routing: no other options beside it");
    if (a->file) {
        if (!table_read(a->file, &a->table))
            return 2;
        if (a->print)
            table_print(&a->table);
        return 0;
    }
    a->preset = torus_preset_default((enum torus_routing)routing);
    a->preset.tie_both = !a->tie || !strcmp(a->tie, "both");
    if (a->threshold >= 0)
        a->preset.threshold = (uint8_t)a->threshold;
    if (a->delta >= 0)
        a->preset.delta = (uint8_t)a->delta;
    if (a->print && torus_preset_table(&a->preset, a->dims, &a->table) == TORUS_OK)
        table_print(&a->table);
    return 0;
}

int do_program(struct torus *t, const struct args *a)
{
    const struct torus_table *table = a->file ? &a->table : NULL;
    int error = attach_or_discover(t, table && table->destination_count);
    if (error == TORUS_OK || (error == TORUS_E_MISCABLED && torus_gaps(t)))
        error = a->resume  ? torus_program_resume(t, table)
                : a->abort ? torus_program_abort(t, table)
                : table    ? torus_program_table(t, table)
                           : torus_program(t, &a->preset);
    if (error == TORUS_E_USAGE && a->file) {
        fprintf(stderr, "torusctl: %s: %s\n", a->file, torus_detail(t));
        return 2;
    }
    return error == TORUS_OK ? print_programmed(t, a) : report(t, error);
}
