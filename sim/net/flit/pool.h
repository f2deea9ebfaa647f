// SPDX-License-Identifier: Apache-2.0
// Packets in one array that grows, the unused ones chained; of the Dragonfly, too.
#ifndef NET_FLIT_POOL_H
#define NET_FLIT_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Twice the room for packets, of `bytes` bytes each, which hold the number of the next unused one
// `next` bytes from their beginning. *unused: the first of the new ones, whose last one names what
// it was. NULL: out of memory, all is as before.
static inline void *net_flit_more_packets(void *packets, size_t bytes, size_t next,
                                          uint32_t *capacity, uint32_t *unused)
{
    uint32_t more = *capacity ? 2 * *capacity : 1024;
    char *packet = realloc(packets, more * bytes);
    for (uint32_t i = more; packet && i-- > *capacity; *unused = i)
        memcpy(packet + i * bytes + next, unused, sizeof *unused);
    if (packet)
        *capacity = more;
    return packet;
}

#endif
