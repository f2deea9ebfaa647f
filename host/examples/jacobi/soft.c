// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Ifirmware/user
// The stencil of jacobi.v as a program on the boards' user cores: README.md has the messages, which
// are the same. Ends 0 to 3 are joined with the programs of the boards at x-, x+, y-, y+; the first
// one that has no board beyond is the host's.
//
// argument: tiles in a row of boards; programs are numbered by rows.
#include "outflank_user.h"

enum { SIDES = 4, HEAD = 2, MOST_SIDE = 48, MOST_WORDS = (MOST_SIDE + 2) * (MOST_SIDE + 2) };
enum { GOOD, SIZE, LENGTH, BROKEN }; // the answer's first word

// The host's message, and what it becomes: the answer.
static struct {
    uint32_t head[HEAD];
    int32_t cell[MOST_WORDS]; // by rows, with the halo
} job;
static uint32_t width, height, stride, sides; // of the tile; a bit a side with a board
static int32_t column[2][2][MOST_SIDE];       // left, right: what goes, what comes
static int32_t above[MOST_SIDE];              // the row above, as it was before it was computed

// Cells along a side, of the tile's own (halo = 0) or of the halo: the first one.
static int32_t *row_at(unsigned side, unsigned halo)
{
    uint32_t row = side == 2 ? 1 - halo : height + halo;
    return job.cell + row * stride + 1;
}

// The tile's columns to where they are sent from, or what has come into the halo.
static void copy_columns(bool in)
{
    int32_t *row = job.cell + stride;
    for (uint32_t y = 0; y < height; y++, row += stride)
        for (unsigned side = 0; side < 2; side++) {
            if (!in)
                column[side][0][y] = row[side ? width : 1];
            else if (sides >> side & 1)
                row[side ? width + 1 : 0] = column[side][1][y];
        }
}

static void begin(struct torus_transfer *t, unsigned end, int32_t *cells)
{
    t->end = end;
    t->data = (uint8_t *)cells;
    t->bytes = 4 * (end < 2 ? height : width);
    t->done = 0;
    t->over = false;
}

// Edges go to all sides and come from them, all at once: nobody waits for anybody in a circle.
static uint32_t exchange(void)
{
    struct torus_transfer out[SIDES], in[SIDES];
    unsigned go = sides, come = sides;
    copy_columns(false);
    for (unsigned i = 0; i < SIDES; i++) {
        begin(&out[i], i, i < 2 ? column[i][0] : row_at(i, 0));
        begin(&in[i], i, i < 2 ? column[i][1] : row_at(i, 1));
    }
    while (go || come)
        for (unsigned i = 0; i < SIDES; i++) {
            if (go >> i & 1 && torus_send_some(&out[i]) == TORUS_WHOLE)
                go &= ~(1U << i);
            enum torus_moved moved = come >> i & 1 ? torus_recv_some(&in[i]) : TORUS_MORE;
            if (moved == TORUS_BROKEN)
                return BROKEN;
            if (moved == TORUS_LONG || (moved == TORUS_WHOLE && in[i].done < in[i].bytes))
                return LENGTH;
            if (moved == TORUS_WHOLE)
                come &= ~(1U << i);
        }
    copy_columns(true);
    return GOOD;
}

// All cells become the mean of their neighbours, in place. The sum has 34 bits, so quarters are
// added, and what they leave: rounded down as the whole.
static void sweep(void)
{
    int32_t *row = job.cell + stride + 1;
    for (uint32_t x = 0; x < width; x++)
        above[x] = job.cell[x + 1];
    for (uint32_t y = 0; y < height; y++, row += stride) {
        const int32_t *below = row + stride;
        int32_t left = row[-1];
        for (uint32_t x = 0; x < width; x++) {
            int32_t a = above[x], b = below[x], c = left, d = row[x + 1];
            above[x] = left = row[x];
            row[x] = (a >> 2) + (b >> 2) + (c >> 2) + (d >> 2) +
                     (((a & 3) + (b & 3) + (c & 3) + (d & 3)) >> 2);
        }
    }
}

// Is the message one? Of so many bytes.
static uint32_t take(size_t bytes)
{
    width = job.head[0] & 0xff;
    height = job.head[0] >> 8 & 0xff;
    sides = job.head[0] >> 16 & 15;
    stride = width + 2;
    if (bytes < sizeof job.head)
        return LENGTH;
    if (!width || !height || width > MOST_SIDE || height > MOST_SIDE ||
        (job.head[1] & 0xffffff) <= job.head[1] >> 24)
        return SIZE;
    return bytes == sizeof job.head + 4 * stride * (height + 2) ? GOOD : LENGTH;
}

// All iterations; *cycles: from the first counted one's sweep on.
static uint32_t compute(uint32_t *cycles)
{
    uint32_t left = job.head[1] & 0xffffff, early = job.head[1] >> 24;
    uint64_t begin = 0;
    for (uint32_t i = 0; i < left; i++) {
        uint32_t state = exchange();
        if (state != GOOD)
            return state;
        if (i == early)
            begin = torus_time();
        sweep();
    }
    *cycles = (uint32_t)(torus_time() - begin);
    return GOOD;
}

int main(void)
{
    uint32_t across = torus_place.argument[0], x = torus_place.node, y = 0;
    if (!across)
        return 1;
    for (; x >= across; x -= across)
        y++;
    unsigned host = x == 0 ? 0 : x + 1 == across ? 1 : y == 0 ? 2 : 3;
    for (;;) {
        size_t bytes = 0, words = 0;
        uint32_t cycles = 0;
        enum torus_moved moved = torus_message_recv(host, &job, sizeof job, &bytes);
        if (moved == TORUS_BROKEN)
            continue;
        uint32_t state = moved == TORUS_WHOLE ? take(bytes) : LENGTH;
        if (state == GOOD)
            state = compute(&cycles);
        if (state == GOOD) // without the halo
            for (uint32_t row = 1; row <= height; row++)
                for (uint32_t col = 1; col <= width; col++)
                    job.cell[words++] = job.cell[row * stride + col];
        job.head[0] = state;
        job.head[1] = cycles;
        torus_message_send(host, &job, sizeof job.head + 4 * words);
    }
}
