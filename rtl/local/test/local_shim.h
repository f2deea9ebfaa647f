// SPDX-License-Identifier: Apache-2.0
// C interface of a Verilated ofr_local: one eval() per cycle shows the outputs for the inputs of
// that cycle, clock() is the edge.
#ifndef LOCAL_SHIM_H
#define LOCAL_SHIM_H

#include <stdint.h>

struct local_rtl;

struct local_pins {
    uint8_t rst, configured, epoch, reg_we, reg_re, li_ready, lo_valid, lo_last, lo_poison;
    uint16_t me, reg_adr;
    uint32_t size; // 5 bits a dimension
    uint32_t now, reg_wdat;
    uint64_t lo_data;
    // Channels' user, a bit an end
    uint8_t reg_early;
    uint16_t s_valid, s_last, m_ready;
    uint64_t s_data[16];
    uint8_t s_keep[16];
    // The datagrams' user
    uint8_t sd_valid, sd_keep, sd_last, sd_user, md_ready;
    uint16_t sd_dest;
    uint64_t sd_data;
    // The collectives' user
    uint8_t sc_valid, sc_keep, sc_last, sc_user, mc_ready;
    uint64_t sc_data;
};

struct local_outs {
    uint32_t reg_rdat;
    uint8_t reg_err, li_valid, li_vc, li_last, lo_ready, ev_pinned;
    uint64_t li_data;
    uint16_t s_ready, m_valid, m_last, m_user;
    uint64_t m_data[16];
    uint8_t m_keep[16];
    uint8_t sd_ready, md_valid, md_keep, md_last, md_dest;
    uint16_t md_id;
    uint64_t md_data;
    uint8_t sc_ready, mc_valid, mc_keep, mc_last, mc_user;
    uint64_t mc_data;
};

struct local_rtl *local_rtl_new(uint64_t seed); // in random state
void local_rtl_delete(struct local_rtl *rtl);
void local_rtl_eval(struct local_rtl *rtl, const struct local_pins *in, struct local_outs *out);
void local_rtl_clock(struct local_rtl *rtl);

#endif
