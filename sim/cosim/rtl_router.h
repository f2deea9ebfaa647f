// SPDX-License-Identifier: Apache-2.0
// One Verilated router behind the model's own pin structures: the C side of lockstep.
// The shape (N, W, L, C) is fixed when this is compiled; rtl_router_shape() tells it.
#ifndef RTL_ROUTER_H
#define RTL_ROUTER_H

#ifdef __cplusplus
extern "C" {
#endif

#include "router.h"

struct rtl_router;

struct ofr_shape rtl_router_shape(void);

// A router after reset; what reset leaves alone is random from `seed`. NULL when memory is short.
struct rtl_router *rtl_router_new(uint32_t seed);
void rtl_router_free(struct rtl_router *router);

// One clock cycle, as ofr_router_step(): pins and configuration in, all state advances.
void rtl_router_step(struct rtl_router *router, const struct ofr_router_in *in,
                     const struct ofr_config *config);

// Output pins as they stand between two steps.
void rtl_router_out(const struct rtl_router *router, struct ofr_router_out *out);

// Register strobes of the next step, at most one of them (rtl/README.md: 3 cycles apart): a write,
// or a read, which returns what is there now. Blocks OFR and COUNT.
void rtl_router_write(struct rtl_router *router, unsigned offset, uint32_t value);
uint32_t rtl_router_read(struct rtl_router *router, unsigned offset);

// The next step is one in reset.
void rtl_router_reset(struct rtl_router *router);

// Register side effects at the end of the next cycle.
void rtl_router_seed(struct rtl_router *router, uint32_t seed);
void rtl_router_clear_watchdog(struct rtl_router *router);

// Waveform (VCD) of this router: NULL before the first step gets ready, a path starts writing from
// the next step on, until rtl_router_free().
void rtl_router_trace(struct rtl_router *router, const char *path);

#ifdef __cplusplus
}
#endif
#endif
