// SPDX-License-Identifier: Apache-2.0
#include "router_differs.h"

#include <stddef.h>

// The first one counts.
static void differ(struct router_difference *d, const char *pin, int port, uint64_t rtl,
                   uint64_t model)
{
    if (!d->pin)
        *d = (struct router_difference){pin, port, rtl, model};
}

static void compare_flit(struct router_difference *d, int port, const struct ofr_flit *rtl,
                         const struct ofr_flit *model)
{
    if (rtl->valid != model->valid)
        differ(d, "valid", port, rtl->valid, model->valid);
    if (!model->valid)
        return;
    if (rtl->data != model->data)
        differ(d, "data", port, rtl->data, model->data);
    if (rtl->last != model->last)
        differ(d, "last", port, rtl->last, model->last);
    if (rtl->poison != model->poison)
        differ(d, "poison", port, rtl->poison, model->poison);
    if (port < OFR_LOCAL && rtl->vc != model->vc)
        differ(d, "vc", port, rtl->vc, model->vc);
}

bool router_differs(unsigned dimensions, const struct ofr_router_out *rtl,
                    const struct ofr_router_out *model, struct router_difference *d)
{
    d->pin = NULL;
    for (int p = 0; p < 2 * (int)dimensions; p++) {
        compare_flit(d, p, &rtl->tx[p], &model->tx[p]);
        for (int v = 0; v < OFR_VCS; v++)
            if (rtl->rx_credit[p][v] != model->rx_credit[p][v])
                differ(d, "credit", p, rtl->rx_credit[p][v], model->rx_credit[p][v]);
        for (int v = 0; v < OFR_VCS; v++)
            if (rtl->rx_received[p][v] != model->rx_received[p][v])
                differ(d, "received", p, rtl->rx_received[p][v], model->rx_received[p][v]);
    }
    compare_flit(d, OFR_LOCAL, &rtl->lo, &model->lo);
    for (int v = 0; v < OFR_VCS; v++)
        if (rtl->li_ready[v] != model->li_ready[v])
            differ(d, "li_ready", v, rtl->li_ready[v], model->li_ready[v]);
    if (rtl->drained != model->drained)
        differ(d, "drained", -1, rtl->drained, model->drained);
    if (rtl->watchdog != model->watchdog)
        differ(d, "watchdog", -1, rtl->watchdog, model->watchdog);
    if (rtl->time != model->time)
        differ(d, "cycle", -1, rtl->time, model->time);
    if (rtl->dropped != model->dropped || rtl->dropped_head != model->dropped_head)
        differ(d, "dropped header", -1, rtl->dropped_head, model->dropped_head);
    if (rtl->dropped_port != model->dropped_port)
        differ(d, "dropped header's port", -1, rtl->dropped_port, model->dropped_port);
    if (rtl->malformed != model->malformed)
        differ(d, "malformed", -1, rtl->malformed, model->malformed);
    return d->pin != NULL;
}
