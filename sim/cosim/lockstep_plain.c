// SPDX-License-Identifier: Apache-2.0
// Lockstep of routers joined by plain links.
#include "links.h"

const struct link_rtl_ops *lockstep_links(void)
{
    return NULL;
}
