// SPDX-License-Identifier: Apache-2.0
// A Jacobi stencil on a torus of boards, each with the kernel jacobi.v at the pins of its channels,
// or soft.c on its user core: the grid is cut into tiles, one a board, computed on one board and on
// all, and both are compared, bit by bit, with what the host computes.
//
//   jacobi WHERE WIDTHxHEIGHT ITERATIONS [--tiles AxB] [--random SEED] [--grid FILE]
//       [--soft PROGRAM]
#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 1024,         // cells a side of the grid
    ROW = 126,           // most of a tile's: LINE of jacobi.v
    WORDS = 8192,        // of a tile with its halo: LOG
    SOFT_SIDE = 48,      // most cells of a tile's side on a user core: MOST_SIDE of soft.c
    SOFT_MOST = 1 << 17, // bytes of a program
    HEAD = 2,            // words before the cells, in either message
    SIDES = 4,           // ends 0 to 3: x-, x+, y-, y+
    HOT = 1000 << 16,    // the upper border; 16 bits are behind the point
    SECONDS = 600,       // for a kernel to answer
    PACKET = 13,         // words of payload in a packet of these boards,
    PACKET_HEAD = 3,     // and flits before them
};

struct grid {
    unsigned width, height;
    int32_t *cell; // (height + 2) rows of width + 2: with the border, which stays
};

struct options {
    unsigned size[2], tiles[2], iterations;
    bool random;
    uint64_t seed;
    const char *file, *soft; // soft: NULL, or the user cores' program
};

static int32_t *at(const struct grid *g, unsigned x, unsigned y)
{
    return &g->cell[(size_t)y * (g->width + 2) + x];
}

static uint32_t drawn(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

// A plate that is hot at its upper border; or all cells at random, of either sign, up to the ends.
static struct grid grid_begin(const struct example *e, const struct options *o)
{
    struct grid g = {o->size[0], o->size[1], NULL};
    size_t cells = (size_t)(g.width + 2) * (g.height + 2);
    uint64_t state = o->seed;
    g.cell = example_memory(e, cells, sizeof *g.cell);
    for (size_t i = 0; i < cells; i++)
        g.cell[i] = !o->random           ? (i < g.width + 2 ? HOT : 0)
                    : drawn(&state) % 16 ? (int32_t)drawn(&state)
                    : drawn(&state) % 2  ? INT32_MAX
                                         : INT32_MIN;
    return g;
}

// ---- The golden result --------------------------------------------------------------------------

static void compute(const struct example *e, struct grid *g, unsigned iterations)
{
    size_t bytes = (size_t)(g->width + 2) * (g->height + 2) * sizeof *g->cell;
    struct grid old = *g;
    old.cell = example_memory(e, bytes, 1);
    for (; iterations; iterations--) {
        memcpy(old.cell, g->cell, bytes);
        for (unsigned y = 1; y <= g->height; y++)
            for (unsigned x = 1; x <= g->width; x++) {
                int64_t sum = (int64_t)*at(&old, x - 1, y) + *at(&old, x + 1, y) +
                              *at(&old, x, y - 1) + *at(&old, x, y + 1);
                *at(g, x, y) = (int32_t)((sum - (sum & 3)) / 4); // rounded down
            }
    }
    free(old.cell);
}

// ---- On the boards ------------------------------------------------------------------------------

struct job {
    struct example *e;
    struct grid *grid;
    bool soft;
    unsigned tiles[2], width, height; // of a tile
};

static unsigned node_of(const struct job *j, unsigned x, unsigned y)
{
    return x + y * j->e->k[0];
}

// A kernel's end for its host: a user core has four, and the host's is the first one that leads to
// no other board.
static uint8_t host_end(const struct job *j, unsigned x, unsigned y)
{
    if (!j->soft)
        return KERNEL_END;
    return x == 0 ? 0 : x + 1 == j->tiles[0] ? 1 : y == 0 ? 2 : 3;
}

// The boards of the tiles, by rows.
static uint8_t (*places(const struct example *e, const unsigned tiles[2]))[3]
{
    uint8_t(*list)[3] = example_memory(e, (size_t)tiles[0] * tiles[1], sizeof *list);
    for (unsigned i = 0; i < tiles[0] * tiles[1]; i++) {
        list[i][0] = (uint8_t)(i % tiles[0]);
        list[i][1] = (uint8_t)(i / tiles[0]);
    }
    return list;
}

// The program into the user cores of all boards that have a tile.
static void load_program(const struct example *e, const struct options *o)
{
    uint8_t(*list)[3] = places(e, o->tiles), *image = example_memory(e, SOFT_MOST, 1);
    FILE *file = fopen(o->soft, "rb");
    size_t bytes = file ? fread(image, 1, SOFT_MOST, file) : 0;
    if (!bytes)
        example_fail(e, 2, "%s: no program can be read", o->soft);
    fclose(file);
    example_good(e, torus_user_load(e->t, (const uint8_t(*)[3])list, o->tiles[0] * o->tiles[1],
                                    image, bytes));
    free(image);
    free(list);
}

// It runs on the boards that have tiles now, from its beginning.
static void start_program(const struct job *j)
{
    const uint32_t argument[4] = {j->tiles[0]};
    uint8_t(*list)[3] = places(j->e, j->tiles);
    example_good(j->e, torus_user_start(j->e->t, (const uint8_t(*)[3])list,
                                        j->tiles[0] * j->tiles[1], argument));
    free(list);
}

// All edges, and every board's kernel with the host. Returns how many.
static unsigned joins(const struct job *j, struct example_join *list)
{
    unsigned count = 0;
    for (unsigned y = 0; y < j->tiles[1]; y++)
        for (unsigned x = 0; x < j->tiles[0]; x++) {
            struct torus_end here = {{(uint8_t)x, (uint8_t)y, 0}, 1},
                             right = {{(uint8_t)(x + 1), (uint8_t)y, 0}, 0},
                             below = {{(uint8_t)x, (uint8_t)(y + 1), 0}, 2};
            if (x + 1 < j->tiles[0])
                list[count++] = (struct example_join){.from = here, .to = right};
            here.end = 3;
            if (y + 1 < j->tiles[1])
                list[count++] = (struct example_join){.from = here, .to = below};
            struct torus_end kernel = here, software = here;
            kernel.end = host_end(j, x, y);
            software.end = SOFTWARE_END;
            list[count++] =
                (struct example_join){.from = software, .to = kernel, .from_software = true};
        }
    return count;
}

// Iterations before cycles are counted: boards begin one after the other, as they are loaded, and
// after so many all have waited for the last one.
static unsigned early(const unsigned tiles[2], unsigned iterations)
{
    unsigned across = tiles[0] + tiles[1] - 2;
    return across < iterations ? across : iterations - 1;
}

// A tile with its halo, which is right only where there is no board beyond: the kernels must fetch
// the rest.
static void load(const struct job *j, unsigned x, unsigned y, unsigned iterations, uint32_t *word)
{
    unsigned sides =
        (x > 0) | (x + 1 < j->tiles[0]) << 1 | (y > 0) << 2 | (unsigned)(y + 1 < j->tiles[1]) << 3;
    *word++ = j->width | j->height << 8 | sides << 16;
    *word++ = iterations | early(j->tiles, iterations) << 24;
    for (unsigned row = 0; row < j->height + 2; row++)
        for (unsigned col = 0; col < j->width + 2; col++) {
            bool foreign = (col == 0 && sides & 1) || (col == j->width + 1 && sides & 2) ||
                           (row == 0 && sides & 4) || (row == j->height + 1 && sides & 8);
            *word++ = foreign ? 0xdeadbeef
                              : (uint32_t)*at(j->grid, x * j->width + col, y * j->height + row);
        }
}

// The kernel's answer: its cells are put where they belong. Returns its cycles.
static uint32_t unload(const struct job *j, unsigned x, unsigned y, const struct example_words *w)
{
    static const char *const why[] = {"", "a tile that it cannot have",
                                      "a message of another length", "a channel that broke"};
    size_t cells = (size_t)j->width * j->height;
    if (w->words < HEAD)
        example_fail(j->e, 2, "kernel (%u,%u): an answer of %zu words", x, y, w->words);
    if (w->word[0])
        example_fail(j->e, 2, "kernel (%u,%u): %s", x, y, w->word[0] < 4 ? why[w->word[0]] : "?");
    if (w->words != HEAD + cells)
        example_fail(j->e, 2, "kernel (%u,%u): %zu cells, not %zu", x, y, w->words - HEAD, cells);
    for (size_t i = 0; i < cells; i++)
        *at(j->grid, (unsigned)(x * j->width + i % j->width + 1),
            (unsigned)(y * j->height + i / j->width + 1)) = (int32_t)w->word[HEAD + i];
    return w->word[1];
}

// Returns the cycles of the slowest kernel, of the iterations that are counted.
static uint32_t on_boards(struct example *e, struct grid *g, const unsigned tiles[2],
                          const struct options *o)
{
    struct job j = {e, g, o->soft, {tiles[0], tiles[1]}, g->width / tiles[0], g->height / tiles[1]};
    unsigned boards = tiles[0] * tiles[1];
    size_t words = HEAD + (size_t)(j.width + 2) * (j.height + 2);
    struct example_join *list = example_memory(e, 3 * (size_t)boards, sizeof *list);
    struct example_words *message = example_memory(e, boards, sizeof *message);
    uint32_t *memory = example_memory(e, boards * words, sizeof *memory), most = 0;
    unsigned count = joins(&j, list);
    example_join(e, list, count);
    if (o->soft)
        start_program(&j);
    for (unsigned i = 0; i < boards; i++) {
        unsigned x = i % tiles[0], y = i / tiles[0];
        message[i] = (struct example_words){node_of(&j, x, y), memory + i * words, words};
        load(&j, x, y, o->iterations, message[i].word);
    }
    example_send(e, message, boards);
    example_receive(e, message, boards, SECONDS);
    for (unsigned i = 0; i < boards; i++) {
        uint32_t cycles = unload(&j, i % tiles[0], i / tiles[0], &message[i]);
        most = cycles > most ? cycles : most;
    }
    example_part(e, list, count);
    e->connection = (e->connection + 1) & 255;
    free(memory);
    free(message);
    free(list);
    return most;
}

// ---- What it could be ---------------------------------------------------------------------------

// Cycles that an iteration of jacobi.v takes at least: a cycle a word of the tile; a flit a cycle
// at the local port, in and out, for the busiest board's edges with their packets' heads. Of the
// iterations that are counted, the first one's edges are not.
static unsigned edge_flits(unsigned words)
{
    return words + (words + PACKET - 1) / PACKET * PACKET_HEAD;
}

static double bound(const struct grid *g, const unsigned tiles[2], unsigned counted)
{
    unsigned width = g->width / tiles[0], height = g->height / tiles[1];
    unsigned across = tiles[0] < 3 ? tiles[0] - 1 : 2, down = tiles[1] < 3 ? tiles[1] - 1 : 2;
    return (width + 2) * (height + 2) +
           (double)(across * edge_flits(height) + down * edge_flits(width)) * (counted - 1) /
               counted;
}

static bool run(struct example *e, const struct options *o, const struct grid *begin,
                const struct grid *golden, const unsigned tiles[2], double *one)
{
    struct grid g = *begin;
    size_t cells = (size_t)(g.width + 2) * (g.height + 2), wrong = 0, first = 0;
    g.cell = example_memory(e, cells, sizeof *g.cell);
    memcpy(g.cell, begin->cell, cells * sizeof *g.cell);
    uint32_t cycles = on_boards(e, &g, tiles, o);
    for (size_t i = cells; i-- > 0;)
        if (g.cell[i] != golden->cell[i]) {
            wrong++;
            first = i;
        }
    unsigned counted = o->iterations - early(tiles, o->iterations);
    double each = (double)cycles / counted;
    *one = *one > 0 ? *one : each;
    // A program's: one board's cycles, in as many parts as there are boards
    double least = o->soft ? *one / (tiles[0] * tiles[1]) : bound(&g, tiles, counted);
    printf("%3ux%-3u %9u %12.1f %10.1f %7.2f %8.2f   %s\n", tiles[0], tiles[1], cycles, each, least,
           each / least, *one / each, wrong ? "WRONG" : "equal to the host's, bit by bit");
    if (wrong)
        fprintf(stderr, "jacobi: %zu cells are wrong, first (%zu,%zu): %d, not %d\n", wrong,
                first % (g.width + 2), first / (g.width + 2), g.cell[first], golden->cell[first]);
    free(g.cell);
    return !wrong;
}

static void write_grid(const struct example *e, const struct grid *g, FILE *f, const char *file)
{
    for (unsigned y = 0; y < g->height + 2; y++)
        for (unsigned x = 0; x < g->width + 2; x++)
            fprintf(f, "%.3f%c", *at(g, x, y) / 65536.0, x <= g->width ? ' ' : '\n');
    if (fclose(f))
        example_fail(e, 2, "%s: cannot be written", file);
}

static struct options read_options(const struct example *e, int argc, char **argv)
{
    struct options o = {.tiles = {0, 0}};
    if (argc < 4)
        example_fail(e, 2,
                     "wrong use: jacobi WHERE WIDTHxHEIGHT ITERATIONS [--tiles AxB] "
                     "[--random SEED] [--grid FILE] [--soft PROGRAM]");
    example_pair(e, argv[2], "the grid", MOST, o.size);
    o.iterations = example_number(e, argv[3], "ITERATIONS", 1, 1000000);
    for (int i = 4; i < argc; i += 2) {
        if (i + 1 == argc)
            example_fail(e, 2,
                         "%s: its value is missing, or it is none of --tiles, --random, "
                         "--grid, --soft",
                         argv[i]);
        if (!strcmp(argv[i], "--tiles")) {
            example_pair(e, argv[i + 1], "--tiles", 16, o.tiles);
        } else if (!strcmp(argv[i], "--random")) {
            o.random = true;
            o.seed = example_number(e, argv[i + 1], "SEED", 0, 1000000000);
        } else if (!strcmp(argv[i], "--grid")) {
            o.file = argv[i + 1];
        } else if (!strcmp(argv[i], "--soft")) {
            o.soft = argv[i + 1];
        } else {
            example_fail(e, 2, "%s: it is none of --tiles, --random, --grid, --soft", argv[i]);
        }
    }
    return o;
}

// The tiles must fit into the boards and the grid into tiles.
static void check_tiles(const struct example *e, const struct options *o, const unsigned tiles[2])
{
    unsigned width = o->size[0] / tiles[0], height = o->size[1] / tiles[1];
    if (tiles[0] > e->k[0] || tiles[1] > e->k[1])
        example_fail(e, 2, "--tiles %ux%u: the torus has %ux%u boards in x and y", tiles[0],
                     tiles[1], e->k[0], e->k[1]);
    if (o->size[0] % tiles[0] || o->size[1] % tiles[1])
        example_fail(e, 2, "%ux%u cells: cannot be cut into %ux%u tiles of one size", o->size[0],
                     o->size[1], tiles[0], tiles[1]);
    if (o->soft && tiles[0] > 2 && tiles[1] > 2)
        example_fail(e, 2,
                     "--tiles %ux%u: a board amid four others has no end for its host on a user "
                     "core: take two tiles in a row, or two rows",
                     tiles[0], tiles[1]);
    if (o->soft && (o->size[0] > SOFT_SIDE || o->size[1] > SOFT_SIDE))
        example_fail(e, 2, "%ux%u cells: one board's user core has memory for %dx%d", o->size[0],
                     o->size[1], SOFT_SIDE, SOFT_SIDE);
    if (width > ROW || height > 253 || (width + 2) * (height + 2) > WORDS)
        example_fail(e, 2,
                     "a tile of %ux%u cells: a kernel has %u words, halo included, and rows "
                     "of %u cells: take a smaller grid or more tiles",
                     width, height, WORDS, ROW);
}

int main(int argc, char **argv)
{
    static const unsigned single[2] = {1, 1};
    struct example e = {.name = "jacobi"};
    struct options o = read_options(&e, argc, argv);
    double one = 0;
    example_begin(&e, "jacobi", argv[1], true);
    if (!o.tiles[0]) {
        o.tiles[0] = e.k[0];
        o.tiles[1] = e.k[1];
    }
    check_tiles(&e, &o, o.tiles);
    FILE *file = o.file ? fopen(o.file, "w") : NULL;
    if (o.file && !file)
        example_fail(&e, 2, "%s: cannot be written", o.file);
    struct grid begin = grid_begin(&e, &o), golden = grid_begin(&e, &o);
    compute(&e, &golden, o.iterations);
    if (o.soft)
        load_program(&e, &o);
    printf("%ux%u cells, %u iterations\n", o.size[0], o.size[1], o.iterations);
    printf("boards     cycles  an iteration      bound   ratio  speed-up\n");
    bool good = true;
    unsigned words = (o.size[0] + 2) * (o.size[1] + 2);
    if (words <= WORDS && o.size[0] <= ROW && o.size[1] <= 253)
        good = run(&e, &o, &begin, &golden, single, &one);
    else
        printf("  1x1: the grid does not fit into one board\n");
    if (o.tiles[0] * o.tiles[1] > 1)
        good = run(&e, &o, &begin, &golden, o.tiles, &one) && good;
    if (file)
        write_grid(&e, &golden, file, o.file);
    free(begin.cell);
    free(golden.cell);
    example_end(&e);
    return !good;
}
