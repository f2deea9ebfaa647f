// SPDX-License-Identifier: Apache-2.0
// One Verilated link end behind the model's own pin structures. The shape is fixed when this is
// compiled; link_rtl_shape() tells it.
#ifndef LINK_RTL_H
#define LINK_RTL_H

#ifdef __cplusplus
extern "C" {
#endif

#include "link.h"

struct link_rtl;

struct ofr_link_shape link_rtl_shape(void);

// An end after reset; what reset leaves alone is random from `seed`. NULL when memory is short.
struct link_rtl *link_rtl_new(uint64_t seed);
void link_rtl_free(struct link_rtl *link);
// A reset of so many cycles as hardware has it: what reset leaves alone stays.
void link_rtl_reset(struct link_rtl *link);

// One clock cycle, as ofr_link_step(); outputs and counts as they stand between two steps.
void link_rtl_step(struct link_rtl *link, const struct ofr_link_in *in);
void link_rtl_out(const struct link_rtl *link, struct ofr_link_out *out);
struct ofr_link_counts link_rtl_counts(const struct link_rtl *link);

#ifdef __cplusplus
}
#endif
#endif
