// SPDX-License-Identifier: Apache-2.0
#include "link_report.h"

#include <inttypes.h>
#include <stdio.h>

const char *link_differs(const struct ofr_link_out *rtl, const struct ofr_link_out *model,
                         uint64_t value[2])
{
#define SAME(pin)                                                                                  \
    if (rtl->pin != model->pin) {                                                                  \
        value[0] = (uint64_t)rtl->pin;                                                             \
        value[1] = (uint64_t)model->pin;                                                           \
        return #pin;                                                                               \
    }
    SAME(link_up)
    SAME(tx_ready)
    SAME(tx_rebase)
    SAME(rx.valid)
    SAME(rx_abort)
    SAME(phy_tx_word)
    SAME(phase)
    SAME(state)
    SAME(why)
    SAME(peer)
    SAME(says)
    if (model->link_up)
        SAME(lag)
    if (model->says) {
        SAME(says_what)
        SAME(says_data)
    }
    for (unsigned v = 0; v < OFR_VCS; v++)
        SAME(tx_credit[v])
    if (model->rx.valid) {
        SAME(rx.vc)
        SAME(rx.data)
        SAME(rx.last)
        SAME(rx.poison)
    }
#undef SAME
    return NULL;
}

void link_print_latency(const struct port_totals *a, const struct port_totals *b)
{
    printf("# latency mean %.2f most %" PRIu64 "\n",
           (double)(a->latency_sum + b->latency_sum) / (double)(a->delivered + b->delivered),
           a->latency_max > b->latency_max ? a->latency_max : b->latency_max);
}

void link_print_replay(const char *why, uint64_t seed, uint64_t cycles, int kind)
{
    printf("# %s\n# replay: --seed %" PRIu64 " --runs 1 --cycles %" PRIu64 "%s\n", why, seed,
           cycles, kind >= 0 ? " and the same --kind" : "");
}
