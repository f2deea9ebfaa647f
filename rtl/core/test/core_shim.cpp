// SPDX-License-Identifier: Apache-2.0
// C interface of the Verilated core.
#include "Vofr_core.h"
#include "random_state.h"

#ifndef CORE_EARLY
#define CORE_EARLY 0
#endif
#ifndef CORE_SMALL
#define CORE_SMALL 0
#endif

extern "C" {
#include "core_bench.h"

struct core : random_top<Vofr_core> {
    using random_top::random_top;
};

struct core *core_new(uint64_t seed)
{
    return new core(seed);
}

void core_free(struct core *core)
{
    delete core;
}

void core_eval(struct core *core, struct core_pins *pins)
{
    Vofr_core &m = core->top;
    m.clk = 0;
    m.rst = pins->rst;
    m.mem_ready = pins->mem_ready;
    m.mem_rdata = pins->mem_rdata;
    m.eval();
    pins->mem_valid = m.mem_valid;
    pins->mem_instr = m.mem_instr;
    pins->mem_addr = m.mem_addr;
    pins->mem_wdata = m.mem_wdata;
    pins->mem_wstrb = m.mem_wstrb;
    pins->trap = m.trap;
    pins->trap_pc = m.trap_pc;
    pins->trap_cause = m.trap_cause;
}

bool core_small(void)
{
    return CORE_SMALL;
}

bool core_early(void)
{
    return CORE_EARLY;
}

void core_edge(struct core *core)
{
    core->top.clk = 1;
    core->top.eval();
}
}
