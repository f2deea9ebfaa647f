// SPDX-License-Identifier: Apache-2.0
// A torus drawn in letters.
#include <stdio.h>

#include "ctl.h"

const struct torus_board *board_at(const struct torus *t, unsigned x, unsigned y, unsigned z)
{
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        if (b->placed && b->at[0] == x && b->at[1] == y && b->at[2] == z)
            return b;
    }
    return NULL;
}

bool next_missing(const struct torus *t, unsigned *node, uint8_t at[3])
{
    uint8_t k[3];
    torus_sizes(t, k);
    for (; *node < (unsigned)k[0] * k[1] * k[2]; ++*node) {
        torus_node_at(k, *node, at);
        if (!board_at(t, at[0], at[1], at[2]))
            return true;
    }
    return false;
}

bool right_cable(const struct torus *t, const uint8_t k[3], const struct torus_board *b, unsigned p)
{
    if (!b || b->peer[p] < 0 || b->peer_port[p] != (int)(p ^ 1))
        return false;
    const struct torus_board *c = torus_board(t, (unsigned)b->peer[p]);
    for (unsigned i = 0; i < 3; i++) {
        unsigned want = i != p / 2 ? b->at[i] : (b->at[i] + (p % 2 ? k[i] - 1u : 1u)) % k[i];
        if (!c->placed || c->at[i] != want)
            return false;
    }
    return true;
}

// A plane of the torus: y upwards, as the paper draws it. "--" and "|" are cables; at the edges,
// ">" and "^" those that wrap round.
static void draw_plane(const struct torus *t, const uint8_t k[3], unsigned z)
{
    for (unsigned row = k[1]; row-- > 0;) {
        if (row == k[1] - 1u && k[1] > 1) {
            printf("      ");
            for (unsigned x = 0; x < k[0]; x++)
                printf("  %c      ", right_cable(t, k, board_at(t, x, row, z), 2) ? '^' : ' ');
            putchar('\n');
        }
        const struct torus_board *first = board_at(t, 0, row, z);
        printf("    %s ", k[0] > 1 && right_cable(t, k, first, 1) ? ">" : " ");
        for (unsigned x = 0; x < k[0]; x++) {
            const struct torus_board *b = board_at(t, x, row, z);
            bool link = right_cable(t, k, b, 0);
            if (b)
                printf("(%2u,%2u)", x, row);
            else
                printf("( none)");
            printf("%s", !link || k[0] == 1 ? "  " : x + 1 == k[0] ? " >" : "--");
        }
        putchar('\n');
        if (row) {
            printf("      ");
            for (unsigned x = 0; x < k[0]; x++)
                printf("   %c     ", right_cable(t, k, board_at(t, x, row, z), 3) ? '|' : ' ');
            putchar('\n');
        }
    }
}

void draw_text(const struct torus *t, unsigned dims, const uint8_t k[3])
{
    printf("%u board%s", torus_boards(t), torus_boards(t) == 1 ? "" : "s");
    if (dims == 2)
        printf(", a %ux%u torus", k[0], k[1]);
    else if (dims == 3)
        printf(", a %ux%ux%u torus", k[0], k[1], k[2]);
    if (torus_fault(t, 0))
        printf(", not cabled right");
    printf("\n\n");
    for (unsigned z = 0; dims && z < k[2]; z++) {
        if (dims == 3)
            printf("  z = %u\n", z);
        draw_plane(t, k, z);
        putchar('\n');
    }
    if (dims == 3 && k[2] > 1) {
        unsigned up = 0;
        for (unsigned i = 0; i < torus_boards(t); i++)
            up += right_cable(t, k, torus_board(t, i), 4);
        printf("  z+ cables: %u of %u\n\n", up,
               torus_boards(t) / k[2] * (k[2] == 2 ? 1 : (unsigned)k[2]));
    }
}
