// SPDX-License-Identifier: Apache-2.0
// --debug: every frame on stderr, decoded, but the session, which is the lease's secret, and what a
// key or a token may be in.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ctl.h"
#include "protocol.h"

static const char *op_name(unsigned op)
{
    static const char *const names[] = {
        [OFR_OP_PING] = "ping",         [OFR_OP_READ] = "read",
        [OFR_OP_READ4] = "read4",       [OFR_OP_WRITE] = "write",
        [OFR_OP_CONFIGURE] = "config",  [OFR_OP_LEASE] = "lease",
        [OFR_OP_UNLOCK] = "unlock",     [OFR_OP_KEY] = "key",
        [OFR_OP_TABLE] = "table",       [OFR_OP_STAGE] = "stage",
        [OFR_OP_COMMIT] = "commit",     [OFR_OP_GEN] = "gen",
        [OFR_OP_CHANGE] = "change",     [OFR_OP_START] = "start",
        [OFR_OP_SNAPSHOT] = "snapshot", [OFR_OP_COUNTERS] = "counters",
        [OFR_OP_TOTALS] = "totals",     [OFR_OP_WATCH] = "watch",
        [OFR_OP_MOVE] = "move",
    };
    return op < sizeof names / sizeof *names && names[op] ? names[op] : "?";
}

static const char *status_name(unsigned status)
{
    static const char *const names[] = {
        [OFR_OK] = "ok",
        [OFR_BUSY] = "busy",
        [OFR_LOCKED] = "locked",
        [OFR_BAD_OP] = "bad op",
        [OFR_BAD_ARG] = "bad arg",
        [OFR_BUS_ERROR] = "bus error",
        [OFR_AGAIN] = "again",
        [OFR_PENDING] = "pending",
        [OFR_BAD_CRC] = "bad crc",
        [OFR_NOT_STAGED] = "not staged",
        [OFR_LATE] = "late",
        [OFR_NO_LINK] = "no link",
        [OFR_NOT_CONFIGURED] = "not configured",
        [OFR_MIXED] = "mixed",
        [OFR_BAD_VERSION] = "bad version",
        [OFR_NO_LEASE] = "no lease",
        [OFR_STALE] = "stale",
        [OFR_CHANGED] = "changed",
    };
    return status < sizeof names / sizeof *names && names[status] ? names[status] : "?";
}

void debug_frame(void *ctx, bool sent, const uint8_t bytes[32])
{
    static const char *const modes[] = {"path", "address", "all"};
    uint32_t word[OFR_FRAME_WORDS];
    struct timespec now;
    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (unsigned i = 0; i < OFR_FRAME_WORDS; i++)
        word[i] = ofr_get32(bytes + 4 * i);
    unsigned mode = word[0] >> 8 & 15, op = word[1] & OFR_OP_MASK, hops = word[2] >> 21 & 31;
    unsigned arg = word[1] >> 8 & 0xff;
    fprintf(stderr, "%lld.%06ld %s v%u seq %-5u %-8s", (long long)now.tv_sec, now.tv_nsec / 1000,
            sent ? "->" : "<-", word[0] >> 12 & 15, word[2] & 0xffff, op_name(op));
    if (word[1] & OFR_RESPONSE)
        fprintf(stderr, " %s", status_name(arg));
    else
        fprintf(stderr, " arg %u", arg);
    fprintf(stderr, ", %s", mode < 3 ? modes[mode] : "?");
    if (mode == OFR_MODE_ADDRESS)
        fprintf(stderr, " (%u,%u,%u)", word[0] >> 16 & 15, word[0] >> 20 & 15, word[0] >> 24 & 15);
    for (unsigned i = 0; mode == OFR_MODE_PATH && i < hops && i < OFR_MAX_HOPS; i++)
        fprintf(stderr, " %s", torus_port_name(ofr_path_get(word + 1, i)));
    if (op == OFR_OP_UNLOCK || op == OFR_OP_KEY || op == OFR_OP_LEASE)
        fprintf(stderr, ": (not shown)\n");
    else
        fprintf(stderr, ": %08x %08x %08x %08x\n", word[3], word[4], word[5], word[6]);
}
