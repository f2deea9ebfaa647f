// SPDX-License-Identifier: Apache-2.0
// C interface of a Verilated ofr_collective: eval() shows the outputs for a cycle's inputs, clock()
// is the edge.
#ifndef COLLECTIVE_SHIM_H
#define COLLECTIVE_SHIM_H

#include <stdint.h>

struct collective_rtl;

struct collective_pins {
    uint8_t rst, has_parent, children, leave, drop, clear; // a bit a child; drop: a pair
    uint16_t size[4];
    uint8_t s_valid, s_last, s_keep, s_user, m_ready;
    uint64_t s_data, from_data[5];
    uint8_t from_valid, from_last, from_user, to_ready; // a bit a pair
};

struct collective_outs {
    uint8_t busy, reason, broken, waits, s_ready, m_valid, m_last, m_user, m_keep;
    uint8_t from_ready, to_valid, to_last;
    uint64_t m_data, to_data[5];
    uint8_t to_keep[5];
};

struct collective_rtl *collective_rtl_new(uint64_t seed); // in random state
void collective_rtl_delete(struct collective_rtl *rtl);
void collective_rtl_eval(struct collective_rtl *rtl, const struct collective_pins *in,
                         struct collective_outs *out);
void collective_rtl_clock(struct collective_rtl *rtl);

#endif
