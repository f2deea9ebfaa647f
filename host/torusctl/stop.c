// SPDX-License-Identifier: Apache-2.0
// torusctl stop: ends traffic that somebody has left behind.
#include <stdio.h>

#include "ctl.h"

static int do_stop(struct torus *t, const struct args *a)
{
    uint8_t k[3];
    (void)a;
    int error = attach_or_discover(t);
    if (error == TORUS_OK || (error == TORUS_E_MISCABLED && torus_gaps(t)))
        error = torus_stop(t);
    if (error != TORUS_OK)
        return report(t, error);
    torus_sizes(t, k);
    unsigned boards = torus_boards(t) ? torus_boards(t) : (unsigned)k[0] * k[1] * k[2];
    printf("the generators of %u board%s are stopped\n", boards, boards == 1 ? "" : "s");
    return 0;
}

const struct command command_stop = {
    .name = "stop",
    .summary = "stop the generators of all boards, whoever has started them",
    .about = "Stops the traffic generators of all boards: after a run that was killed they go on "
             "until all their packets are sent. While another session has the write lease it is "
             "refused; --take-over ends a run that a torusctl of yours has left or is still at, "
             "which says so and prints no result.",
    .examples = "stop\nstop --take-over\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING,
    .run = do_stop,
};
