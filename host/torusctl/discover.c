// SPDX-License-Identifier: Apache-2.0
// torusctl discover: the torus as a picture, a list, JSON or CSV.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

static const struct torus_board *board_at(const struct torus *t, unsigned x, unsigned y, unsigned z)
{
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        if (b->placed && b->at[0] == x && b->at[1] == y && b->at[2] == z)
            return b;
    }
    return NULL;
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

static void discover_text(const struct torus *t, unsigned dims, const uint8_t k[3])
{
    printf("%u boards", torus_boards(t));
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
    printf("  board     serial number     here by\n");
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        char at[16] = "?";
        if (b->placed)
            at_text(b->at, dims, at);
        printf("  (%s)%*s%016llx ", at, 8 - (int)strlen(at), "", (unsigned long long)b->serial);
        if (!b->hops)
            printf(" plugged in");
        for (unsigned h = 0; h < b->hops; h++)
            printf(" %s", torus_port_name(b->path[h]));
        putchar('\n');
    }
}

static json_t *fault_json(const struct torus *t, unsigned i)
{
    struct torus_cable c;
    const char *kind = torus_fault_name(torus_fault_kind(t, i, &c));
    json_t *ends = json_array();
    for (unsigned e = 0; e < 2 && c.board[0] >= 0; e++)
        json_array_append_new(ends, json_pack("{s:i,s:s}", "board", c.board[e], "port",
                                              torus_port_name((unsigned)c.port[e])));
    return json_pack("{s:s,s:o,s:s}", "kind", kind, "ends", ends, "text", torus_fault(t, i));
}

static void discover_json(const struct torus *t, unsigned dims, const uint8_t k[3])
{
    json_t *boards = json_array(), *faults = json_array();
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        json_t *cables = json_array(), *path = json_array();
        for (unsigned p = 0; p < 2u * b->dims; p++)
            json_array_append_new(cables, b->peer[p] < 0
                                              ? json_null()
                                              : json_pack("{s:i,s:i}", "board", b->peer[p], "port",
                                                          (int)b->peer_port[p]));
        for (unsigned h = 0; h < b->hops; h++)
            json_array_append_new(path, json_integer(b->path[h]));
        json_array_append_new(
            boards, json_pack("{s:o,s:o,s:b,s:o,s:o}", "serial", json_serial(b->serial), "at",
                              b->placed ? json_at(b->at, dims) : json_null(), "configured",
                              b->configured, "path", path, "cables", cables));
    }
    for (unsigned i = 0; torus_fault(t, i); i++)
        json_array_append_new(faults, fault_json(t, i));
    put_json(json_pack("{s:o,s:o,s:o}", "sizes", dims ? json_at(k, dims) : json_null(), "boards",
                       boards, "faults", faults));
}

static void discover_csv(const struct torus *t, unsigned dims)
{
    printf("board,serial,x,y,z,hops,configured\n");
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        printf("%u,%016llx,", i, (unsigned long long)b->serial);
        for (unsigned d = 0; d < 3; d++) {
            if (b->placed && d < dims)
                printf("%u", b->at[d]);
            putchar(',');
        }
        printf("%u,%d\n", b->hops, b->configured);
    }
}

int do_discover(struct torus *t, const struct args *a)
{
    int error = torus_discover(t);
    if (error != TORUS_OK && error != TORUS_E_MISCABLED)
        return report(t, error);
    uint8_t k[3];
    unsigned dims = torus_sizes(t, k);
    if (a->format == JSON)
        discover_json(t, dims, k);
    else if (a->format == CSV)
        discover_csv(t, dims);
    else
        discover_text(t, dims, k);
    for (unsigned i = 0; torus_fault(t, i); i++)
        fprintf(stderr, "torusctl: %s\n", torus_fault(t, i));
    int drawn = a->svg ? draw_svg(t, k, dims, a->svg) : 0;
    if (drawn || error != TORUS_OK)
        return drawn ? drawn : 1;
    error = a->assign ? torus_assign(t) : TORUS_OK;
    return error == TORUS_OK ? 0 : report(t, error);
}
