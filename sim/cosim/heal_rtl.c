// SPDX-License-Identifier: Apache-2.0
// heal.c with an RTL router beside each golden one.
#include "heal.h"
#include "rtl_router.h"

const struct heal_rtl_ops *heal_rtl(void)
{
    static const struct heal_rtl_ops ops = {rtl_router_shape, rtl_router_new,  rtl_router_free,
                                            rtl_router_reset, rtl_router_seed, rtl_router_step,
                                            rtl_router_out};
    return &ops;
}
