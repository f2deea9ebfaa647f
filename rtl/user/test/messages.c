// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Ifirmware/user
// Messages of 0 to 40 bytes round a ring of an even number of nodes, into a room of 32 bytes. Ends
// with 0, or with a number that tells which check failed.
#include "outflank_user.h"

enum { MOST = 40, ROOM = 32 };

static uint8_t pattern(uint32_t node, size_t bytes, size_t i)
{
    return (uint8_t)(node * 67 + bytes * 13 + i * 7);
}

static int receive(size_t bytes, uint32_t before)
{
    static uint8_t data[ROOM + 1];
    size_t got = 99;
    data[ROOM] = 0xa5;
    enum torus_moved moved = torus_message_recv(1, data, ROOM, &got);
    if (moved != (bytes > ROOM ? TORUS_LONG : TORUS_WHOLE))
        return 1;
    if (got != (bytes > ROOM ? ROOM : bytes))
        return 2;
    for (size_t i = 0; i < got; i++)
        if (data[i] != pattern(before, bytes, i))
            return 3;
    return data[ROOM] == 0xa5 ? 0 : 4;
}

int main(void)
{
    uint32_t node = torus_place.node, before = (node ? node : torus_place.nodes) - 1;
    for (size_t bytes = 0; bytes <= MOST; bytes++) {
        uint8_t data[MOST];
        int wrong = 0;
        for (size_t i = 0; i < bytes; i++)
            data[i] = pattern(node, bytes, i);
        if (node % 2)
            wrong = receive(bytes, before);
        if (torus_message_send(0, data, bytes) != TORUS_WHOLE)
            return 5;
        if (!(node % 2))
            wrong = receive(bytes, before);
        if (wrong)
            return wrong;
    }
    return 0;
}
