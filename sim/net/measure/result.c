// SPDX-License-Identifier: Apache-2.0
#include "measure/result.h"

#include <stdlib.h>

void net_result_free(struct net_result *result)
{
    net_stats_free(&result->stats);
    free(result->pair_latency);
    free(result->sent);
}
