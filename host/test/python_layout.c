// SPDX-License-Identifier: Apache-2.0
// What the Python module has anew of libtorus.h: numbers, sizes and offsets of structures; "number
// value", "struct size" and "struct.field offset" a line.
#include <libtorus.h>
#include <stdio.h>

#define NUMBER(n)   printf(#n " %d\n", n);
#define SIZE(s)     printf(#s " %zu\n", sizeof(struct s));
#define FIELD(s, f) printf(#s "." #f " %zu\n", offsetof(struct s, f));

int main(void)
{
    NUMBER(TORUS_E_TIMEOUT)
    NUMBER(TORUS_COUNTERS)
    SIZE(torus_options)
    FIELD(torus_options, size)
    FIELD(torus_options, timeout)
    FIELD(torus_options, retry)
    FIELD(torus_options, window)
    FIELD(torus_options, session)
    FIELD(torus_options, key)
    FIELD(torus_options, token)
    FIELD(torus_options, take_over)
    FIELD(torus_options, label)
    FIELD(torus_options, baud)
    FIELD(torus_options, cancelled)
    FIELD(torus_options, frame)
    FIELD(torus_options, progress)
    FIELD(torus_options, ctx)
    SIZE(torus_board)
    FIELD(torus_board, serial)
    FIELD(torus_board, dims)
    FIELD(torus_board, links)
    FIELD(torus_board, configured)
    FIELD(torus_board, placed)
    FIELD(torus_board, at)
    FIELD(torus_board, hops)
    FIELD(torus_board, path)
    FIELD(torus_board, peer)
    FIELD(torus_board, peer_port)
    SIZE(torus_preset)
    FIELD(torus_preset, routing)
    FIELD(torus_preset, tie_both)
    FIELD(torus_preset, threshold)
    FIELD(torus_preset, delta)
    SIZE(torus_end)
    FIELD(torus_end, at)
    FIELD(torus_end, end)
    SIZE(torus_channel)
    FIELD(torus_channel, state)
    FIELD(torus_channel, reason)
    FIELD(torus_channel, peer)
    FIELD(torus_channel, open)
    FIELD(torus_channel, free)
    FIELD(torus_channel, software)
    FIELD(torus_channel, waits)
    FIELD(torus_channel, sent)
    FIELD(torus_channel, received)
    FIELD(torus_channel, heard)
    return 0;
}
