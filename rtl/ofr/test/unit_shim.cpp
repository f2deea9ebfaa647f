// SPDX-License-Identifier: Apache-2.0
#include "unit_shim.h"

#include "Vofr_unit.h"
#include "random_state.h"

struct unit : random_top<Vofr_unit> {
    using random_top::random_top;
};

double sc_time_stamp()
{
    return 0;
}

struct unit *unit_new(uint64_t seed)
{
    return new unit(seed);
}

void unit_free(struct unit *unit)
{
    delete unit;
}

void unit_clock(struct unit *unit, struct unit_pins *pins)
{
    Vofr_unit &top = unit->top;
    top.clk = 0;
    top.rst = pins->rst;
    top.cfg_k = pins->k;
    top.cfg_me = pins->me;
    top.cfg_tie_both = pins->tie_both;
    top.reg_we = pins->reg_we;
    top.reg_adr = pins->reg_adr;
    top.reg_wdat = pins->reg_wdat;
    top.start = pins->start;
    top.t = pins->t;
    top.used = pins->used;
    top.eval();
    pins->reg_rdat = top.reg_rdat;
    pins->reg_err = top.reg_err;
    top.clk = 1;
    top.eval();
    pins->done = top.done;
    pins->busy = top.busy;
    pins->kind = top.kind;
    pins->q = top.q;
    pins->generation = top.generation;
}

unsigned unit_n(void)
{
    return UNIT_N;
}

unsigned unit_c(void)
{
    return UNIT_C;
}

unsigned unit_mul(void)
{
    return UNIT_MUL;
}
