// SPDX-License-Identifier: Apache-2.0
// A user's logic for boardsim --logic that offers nothing and never takes what comes: a consumer
// that has stopped for ever.
#include "logic.h"

static int stopped; // the object of every board: it has no state

static void *create(uint64_t seed)
{
    (void)seed;
    return &stopped;
}

static void nothing(void *logic)
{
    (void)logic;
}

static void cycle(void *logic, const struct logic_in *in, struct logic_out *out)
{
    (void)logic;
    (void)in;
    *out = (struct logic_out){0};
}

static bool idle(const void *logic)
{
    (void)logic;
    return true;
}

const struct logic *outflank_logic(void)
{
    static const struct logic nobody = {LOGIC_VERSION, LOGIC_ENDS, 32,    create,
                                        nothing,       nothing,    cycle, idle};
    return &nobody;
}
