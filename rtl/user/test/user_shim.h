// SPDX-License-Identifier: Apache-2.0
// C interface of a Verilated ofr_user: eval() shows the outputs for a cycle's inputs, clock() is
// the edge.
#ifndef USER_SHIM_H
#define USER_SHIM_H

#include <stdint.h>

struct user_rtl;

struct user_pins {
    uint8_t rst, reg_we;
    uint16_t reg_adr;
    uint32_t reg_wdat;
    uint16_t m_ready, s_valid, s_last, s_user; // a bit an end
    uint64_t s_data[16];
    uint8_t s_keep[16];
};

struct user_outs {
    uint32_t reg_rdat;
    uint8_t reg_err;
    uint16_t s_ready, m_valid, m_last;
    uint64_t m_data[16];
    uint8_t m_keep[16];
};

struct user_rtl *user_rtl_new(uint64_t seed); // in random state
void user_rtl_delete(struct user_rtl *rtl);
void user_rtl_eval(struct user_rtl *rtl, const struct user_pins *in, struct user_outs *out);
void user_rtl_clock(struct user_rtl *rtl);

#endif
