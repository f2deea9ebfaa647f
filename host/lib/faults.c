// SPDX-License-Identifier: Apache-2.0
// The list of what is wrong with boards and cables, in the order in which it was found.
#include "boards.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void faults_forget(struct torus *t)
{
    t->fault_count = t->missing = t->absent = 0;
    t->faults_lost = false;
}

void fault(struct torus *t, enum torus_fault_kind kind, const struct torus_cable *cable,
           const char *format, ...)
{
    if (t->fault_count == t->fault_room) {
        unsigned room = t->fault_room ? 2 * t->fault_room : 64;
        struct fault *faults = realloc(t->faults, room * sizeof *faults);
        if (!faults) {
            t->faults_lost = true;
            return;
        }
        t->faults = faults;
        t->fault_room = room;
    }
    struct fault *f = &t->faults[t->fault_count++];
    va_list args;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    f->kind = kind;
    f->cable =
        cable ? *cable
              : (struct torus_cable){.board = {-1, -1}, .port = {-1, -1}, .to = -1, .to_port = -1};
    t->missing += kind == TORUS_FAULT_MISSING;
}

API const char *torus_fault(const struct torus *t, unsigned i)
{
    return i < t->fault_count ? t->faults[i].text : NULL;
}

API enum torus_fault_kind torus_fault_kind(const struct torus *t, unsigned i,
                                           struct torus_cable *cable)
{
    if (i >= t->fault_count)
        return TORUS_FAULT_NONE;
    if (cable)
        *cable = t->faults[i].cable;
    return t->faults[i].kind;
}

API const char *torus_fault_name(enum torus_fault_kind kind)
{
    static const char *const name[] = {"none",   "board",     "missing", "swapped", "doubled",
                                       "looped", "misplaced", "twist",   "mirror",  "link"};
    return (unsigned)kind < sizeof name / sizeof *name ? name[kind] : NULL;
}
