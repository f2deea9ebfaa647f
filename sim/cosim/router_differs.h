// SPDX-License-Identifier: Apache-2.0
// Output pins of an RTL router against those of its model, as they stand between two steps.
#ifndef ROUTER_DIFFERS_H
#define ROUTER_DIFFERS_H

#include "router.h"

struct router_difference {
    const char *pin;
    int port; // -1: none; of li_ready a VC
    uint64_t rtl, model;
};

// Whether any pin differs that means something, and the first one. dimensions: of the torus, 2
// or 3.
bool router_differs(unsigned dimensions, const struct ofr_router_out *rtl,
                    const struct ofr_router_out *model, struct router_difference *d);

#endif
