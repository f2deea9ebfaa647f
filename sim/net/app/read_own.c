// SPDX-License-Identifier: Apache-2.0
// torussim's own format of an application, text in lines:
//
//   torussim-application 1
//   ranks NUMBER
//   rank R
//   calc NS [after N ...]
//   send RANK BYTES TAG [after N ...]
//   recv RANK TAG [after N ...]
//
// `rank R` begins a rank's operations; each rank does so once, in any order; one without operations
// need not. The operations of a rank are numbered from 0, in the order of their lines. Each waits
// for those listed, which come before it, or for nothing (`after` alone), or, without `after`, for
// the one before it. NS: decimal, 0 to 1e15. BYTES: 0 to 2^31 - 1 (nothing is a packet, too). TAG:
// 0 to 2^63 - 1. Blanks separate; a line that is empty or begins with # means nothing; it may end
// in CR LF.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/read.h"

static bool read_after(struct net_reader *reader, struct net_application *app, char *at,
                       uint32_t op, uint32_t first)
{
    if (!*at)
        return op == first || net_read_after(reader, app, op, op - 1, false);
    if (!net_read_word(&at, "after"))
        return net_reader_wrong(reader, "`%.20s' instead of `after' or the line's end", at);
    while (*at) {
        uint64_t number;
        if (!net_read_number(&at, UINT32_MAX, &number) || number >= op - first)
            return net_reader_wrong(reader,
                                    "after: must be numbers of operations before this one, "
                                    "%u",
                                    op - first);
        if (!net_read_after(reader, app, op, first + (uint32_t)number, false))
            return false;
    }
    return true;
}

static bool read_operation(struct net_reader *reader, struct net_application *app, uint32_t rank,
                           uint32_t first)
{
    char *at = reader->line + strspn(reader->line, " \t");
    struct net_op op = {.rank = rank};
    uint64_t peer = 0;
    uint32_t number;
    if (net_read_word(&at, "calc")) {
        char *behind;
        double ns = strtod(at, &behind);
        if (behind == at || !(ns >= 0 && ns <= 1e15) || !strchr(" \t", *behind))
            return net_reader_wrong(reader, "calc: NS must be a number from 0 to 1e15");
        at = behind + strspn(behind, " \t");
        op.kind = NET_OP_CALC;
        op.amount = net_read_units(ns);
    } else {
        op.kind = net_read_word(&at, "send") ? NET_OP_SEND : NET_OP_RECV;
        if (op.kind == NET_OP_RECV && !net_read_word(&at, "recv"))
            return net_reader_wrong(reader, "must be rank, calc, send or recv");
        if (!net_read_number(&at, app->ranks - 1, &peer))
            return net_reader_wrong(reader, "the rank must be 0 to %u", app->ranks - 1);
        if (op.kind == NET_OP_SEND && !net_read_number(&at, INT32_MAX, &op.amount))
            return net_reader_wrong(reader, "BYTES must be 0 to 2147483647");
        if (!net_read_number(&at, INT64_MAX, &op.tag))
            return net_reader_wrong(reader, "TAG must be a whole number from 0");
        op.peer = (uint32_t)peer;
    }
    return net_read_op(reader, app, op, &number) && read_after(reader, app, at, number, first);
}

bool net_read_own(struct net_reader *reader, struct net_application **app)
{
    uint64_t ranks = 0, rank = UINT64_MAX;
    uint32_t first = 0;
    char *at = reader->line + strspn(reader->line, " \t");
    uint64_t version;
    if (!net_read_word(&at, "torussim-application") || !net_read_number(&at, 1, &version) ||
        version != 1 || *at)
        return net_reader_wrong(reader, "must be `torussim-application 1'");
    while (net_reader_next(reader)) {
        at = reader->line + strspn(reader->line, " \t");
        if (!*at || *at == '#')
            continue;
        if (!*app) {
            if (!net_read_word(&at, "ranks") || !net_read_number(&at, NET_MAX_RANKS, &ranks) ||
                !ranks || *at) {
                net_reader_wrong(reader, "must be `ranks NUMBER', 1 to %d", NET_MAX_RANKS);
                continue;
            }
            *app = net_application_new((uint32_t)ranks);
            if (!*app)
                net_reader_wrong(reader, "out of memory");
        } else if (net_read_word(&at, "rank")) {
            if (!net_read_number(&at, ranks - 1, &rank) || *at)
                net_reader_wrong(reader, "the rank must be 0 to %u", (unsigned)ranks - 1);
            else if ((*app)->begun[rank])
                net_reader_wrong(reader, "rank %u begins a second time", (unsigned)rank);
            else
                (*app)->begun[rank] = true;
            first = (*app)->ops;
        } else if (rank == UINT64_MAX) {
            net_reader_wrong(reader, "must be `rank R'");
        } else {
            read_operation(reader, *app, (uint32_t)rank, first);
        }
    }
    return !reader->bad && (*app || net_reader_wrong(reader, "there is no `ranks NUMBER'"));
}
