// SPDX-License-Identifier: Apache-2.0
// What the shims of blocks with one clock have alike: struct NAME_rtl around a Verilated TOP, and
// NAME_rtl_new(), _delete() and _clock(), as the shim's header declares them; _eval() is its own.
#ifndef CLOCKED_RTL_H
#define CLOCKED_RTL_H

#include "random_state.h"

#define CLOCKED_RTL(NAME, TOP)                                                                     \
    double sc_time_stamp()                                                                         \
    {                                                                                              \
        return 0;                                                                                  \
    }                                                                                              \
    struct NAME##_rtl : random_top<TOP> {                                                          \
        using random_top::random_top;                                                              \
    };                                                                                             \
    extern "C" struct NAME##_rtl *NAME##_rtl_new(uint64_t seed)                                    \
    {                                                                                              \
        return new NAME##_rtl(seed);                                                               \
    }                                                                                              \
    extern "C" void NAME##_rtl_delete(struct NAME##_rtl *rtl)                                      \
    {                                                                                              \
        delete rtl;                                                                                \
    }                                                                                              \
    extern "C" void NAME##_rtl_clock(struct NAME##_rtl *rtl)                                       \
    {                                                                                              \
        rtl->top.clk = 1;                                                                          \
        rtl->top.eval();                                                                           \
    }

#endif
