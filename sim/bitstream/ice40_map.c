// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Isim/bitstream
//
// Reads IceStorm's chip database and bitstreams in its text form.
#define _GNU_SOURCE
#include "ice40_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

noreturn void ice40_fail(const char *format, ...)
{
    va_list args;

    fputs("ice40: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

void *ice40_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    if (!p)
        ice40_fail("out of memory");
    return p;
}

// Room for one more in a list that doubles.
static void *grown(void *list, size_t count, size_t size)
{
    if (count && (count & (count - 1)))
        return list;
    void *more = realloc(list, (count ? 2 * count : 1) * size);
    if (!more)
        ice40_fail("out of memory");
    return more;
}

static int compare_names(const void *a, const void *b)
{
    const struct ice40_name *n = a, *m = b;

    if (n->x != m->x)
        return n->x < m->x ? -1 : 1;
    if (n->y != m->y)
        return n->y < m->y ? -1 : 1;
    return strcmp(n->name, m->name);
}

int32_t ice40_net(const struct ice40_map *map, unsigned x, unsigned y, const char *name)
{
    struct ice40_name key = {.x = (uint8_t)x, .y = (uint8_t)y};

    snprintf(key.name, sizeof key.name, "%s", name);
    const struct ice40_name *found =
        bsearch(&key, map->name, map->names, sizeof key, compare_names);
    return found ? (int32_t)found->net : -1;
}

// Long wires and what leads to them are looked up by nobody.
static bool wanted(const char *name)
{
    return strchr(name, '/') || !strncmp(name, "carry", 5) || !strcmp(name, "fabout") ||
           !strncmp(name, "glb_netwk", 9) || !strncmp(name, "neigh_op_bnl", 12);
}

static void read_switch(struct ice40_map *map, char *words, bool both_ways)
{
    struct ice40_switch s = {.both_ways = both_ways, .first = (uint32_t)map->choices};
    char *rest, *word = strtok_r(words, " ", &rest);
    unsigned row, column;

    for (unsigned i = 0; word; i++, word = strtok_r(NULL, " ", &rest)) {
        if (i == 0)
            s.x = (uint8_t)atoi(word);
        else if (i == 1)
            s.y = (uint8_t)atoi(word);
        else if (i == 2)
            s.to = (uint32_t)atoi(word);
        else if (s.bits < BITS_MAX && sscanf(word, "B%u[%u]", &row, &column) == 2 && row < ROWS &&
                 column < COLUMNS)
            s.bit[s.bits++] = (uint16_t)(row * COLUMNS + column);
        else
            ice40_fail("the chip database has a switch that cannot be read: %s", word);
    }
    if (s.x >= SIDE || s.y >= SIDE || s.to >= map->nets)
        ice40_fail("the chip database has a switch out of range");
    map->sw = grown(map->sw, map->switches, sizeof s);
    map->sw[map->switches++] = s;
}

static void read_choice(struct ice40_map *map, const char *line)
{
    struct ice40_choice c = {0};

    for (; *line == '0' || *line == '1'; line++)
        c.value = (uint8_t)(c.value << 1 | (*line == '1'));
    c.from = (uint32_t)strtoul(line, NULL, 10);
    if (c.from >= map->nets)
        ice40_fail("the chip database has a wire out of range");
    map->choice = grown(map->choice, map->choices, sizeof c);
    map->choice[map->choices++] = c;
    map->sw[map->switches - 1].choices++;
}

static void read_net(struct ice40_map *map, uint32_t net, const char *line)
{
    struct ice40_name n = {.net = net};
    unsigned x, y;
    char name[64];

    if (sscanf(line, "%u %u %63s", &x, &y, name) != 3 || !wanted(name) || strlen(name) >= 22)
        return;
    n.x = (uint8_t)x;
    n.y = (uint8_t)y;
    memcpy(n.name, name, strlen(name) + 1);
    map->name = grown(map->name, map->names, sizeof n);
    map->name[map->names++] = n;
}

// One line of a section that is neither wires nor switches.
static void read_other(struct ice40_map *map, const char *section, const char *line)
{
    unsigned a, b, c, d;
    char text[22];

    if (!strcmp(section, "pads")) {
        struct ice40_pad p = {0};
        if (sscanf(line, "%5s %u %u %u", p.pin, &a, &b, &c) == 4 && map->pads < PADS) {
            p.x = (uint8_t)a;
            p.y = (uint8_t)b;
            p.io = (uint8_t)c;
            map->pad[map->pads++] = p;
        }
    } else if (!strcmp(section, ".gbufin")) {
        if (sscanf(line, "%u %u %u", &a, &b, &c) == 3 && c < GLOBALS) {
            map->gbufin[c].x = (uint8_t)a;
            map->gbufin[c].y = (uint8_t)b;
            map->gbufin[c].global = (uint8_t)c;
        }
    } else if (!strcmp(section, ".extra_bits")) {
        if (sscanf(line, "padin_glb_netwk.%u %u %u %u", &a, &b, &c, &d) == 4 && a < GLOBALS) {
            map->padin[a].bank = b;
            map->padin[a].x = c;
            map->padin[a].y = d;
        }
    } else if (!strcmp(section, "pll")) {
        if (sscanf(line, "LOCK %u %u %21s", &a, &b, text) == 3) {
            map->pll.there = true;
            map->pll.lock_x = (uint8_t)a;
            map->pll.lock_y = (uint8_t)b;
            memcpy(map->pll.lock, text, sizeof text);
        } else if (sscanf(line, "RESETB %u %u", &a, &b) == 2) {
            map->pll.reset_x = (uint8_t)a;
            map->pll.reset_y = (uint8_t)b;
        }
    }
}

struct ice40_map *ice40_map_read(const char *path, const char *package)
{
    struct ice40_map *map = ice40_alloc(1, sizeof *map);
    FILE *f = fopen(path, "r");
    char *line = NULL, section[32] = "", device[16] = "";
    size_t room = 0;
    uint32_t net = 0;
    unsigned x, y, width, height;

    if (!f)
        ice40_fail("%s: %s", path, strerror(errno));
    while (getline(&line, &room, f) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#' || !line[0])
            continue;
        if (line[0] != '.') {
            if (!strcmp(section, "switch"))
                read_choice(map, line);
            else if (!strcmp(section, ".net"))
                read_net(map, net, line);
            else
                read_other(map, section, line);
            continue;
        }
        sscanf(line, "%31s", section);
        char kind[8] = "", name[8] = "";
        if (!strcmp(section, ".device")) {
            sscanf(line, ".device %15s %u %u %zu", device, &width, &height, &map->nets);
            if (strcmp(device, "8k") != 0 || width != SIDE || height != SIDE)
                ice40_fail("%s: of another chip than the 8k", path);
        } else if (!strcmp(section, ".buffer") || !strcmp(section, ".routing")) {
            bool both_ways = section[1] == 'r';
            read_switch(map, line + strlen(section), both_ways);
            strcpy(section, "switch");
        } else if (!strcmp(section, ".net")) {
            net = (uint32_t)strtoul(line + 5, NULL, 10);
        } else if (!strcmp(section, ".pins")) {
            snprintf(section, sizeof section, "%s", !strcmp(line + 6, package) ? "pads" : "");
        } else if (sscanf(line, ".extra_cell %u %u %7s", &x, &y, name) == 3) {
            snprintf(section, sizeof section, "%s", !strcmp(name, "PLL") && y == 0 ? "pll" : "");
        } else if (sscanf(line, ".%7[a-z]_tile %u %u", kind, &x, &y) == 3 && x < SIDE && y < SIDE) {
            map->tile[x][y] = !strcmp(kind, "ramt") ? 't' : !strcmp(kind, "ramb") ? 'b' : kind[0];
        }
    }
    free(line);
    fclose(f);
    if (!map->nets || !map->switches || !map->pads)
        ice40_fail("%s: not a chip database with package %s", path, package);
    qsort(map->name, map->names, sizeof *map->name, compare_names);
    return map;
}

void ice40_map_free(struct ice40_map *map)
{
    if (map) {
        free(map->sw);
        free(map->choice);
        free(map->name);
    }
    free(map);
}

struct ice40_bits *ice40_bits_read(const struct ice40_map *map, const char *path)
{
    struct ice40_bits *bits = ice40_alloc(1, sizeof *bits);
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    unsigned x = 0, y = 0, row = 0, bank, bit_x, bit_y, tiles = 0;
    enum { NOTHING, TILE, RAM } in = NOTHING;

    if (!f)
        ice40_fail("%s: %s", path, strerror(errno));
    while (getline(&line, &room, f) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '.') {
            char kind[8];
            in = sscanf(line, ".%7[a-z]_tile %u %u", kind, &x, &y) == 3 ? TILE
                 : sscanf(line, ".ram_data %u %u", &x, &y) == 2         ? RAM
                                                                        : NOTHING;
            row = 0;
            tiles += in == TILE;
            if (in != NOTHING && (x >= SIDE || y >= SIDE))
                ice40_fail("%s: a tile out of range: %s", path, line);
            if (sscanf(line, ".extra_bit %u %u %u", &bank, &bit_x, &bit_y) == 3)
                for (unsigned g = 0; g < GLOBALS; g++)
                    bits->padin[g] =
                        bits->padin[g] || (map->padin[g].bank == bank && map->padin[g].x == bit_x &&
                                           map->padin[g].y == bit_y);
            continue;
        }
        if (in == NOTHING || !line[0] || row >= ROWS)
            continue;
        size_t len = strlen(line);
        if (in == TILE) {
            for (size_t i = 0; i < len && i < COLUMNS; i++)
                bits->tile[x][y][row * COLUMNS + i] = line[i] == '1';
        } else {
            for (size_t i = 0; i < len && i < 64; i++) {
                char digit[2] = {line[len - 1 - i], 0};
                bits->ram[x][y][row][i / 2] |=
                    (uint8_t)(strtoul(digit, NULL, 16) << (i % 2 ? 4 : 0));
            }
        }
        row++;
    }
    free(line);
    fclose(f);
    if (!tiles)
        ice40_fail("%s: no bitstream in IceStorm's text form", path);
    return bits;
}

struct ice40_bits *ice40_bits_copy(const struct ice40_bits *bits)
{
    struct ice40_bits *copy = ice40_alloc(1, sizeof *copy);

    *copy = *bits;
    return copy;
}

void ice40_bits_free(struct ice40_bits *bits)
{
    free(bits);
}
