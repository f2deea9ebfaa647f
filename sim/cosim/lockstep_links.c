// SPDX-License-Identifier: Apache-2.0
// Lockstep of routers joined by reliable links.
#include "link_rtl.h"
#include "links.h"

const struct link_rtl_ops *lockstep_links(void)
{
    static const struct link_rtl_ops ops = {link_rtl_shape, link_rtl_new,  link_rtl_free,
                                            link_rtl_reset, link_rtl_step, link_rtl_out};
    return &ops;
}
