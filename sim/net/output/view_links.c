// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/gnuplot.h"
#include "output/picture.h"
#include "run/refuse.h"
#include "topo/name.h"

enum { MAX_SIDE = 255 };

static const char axes[] = "xyzuvw";

struct map {
    const struct net_view *view;
    const struct net_table *table;
    unsigned n, wide, high; // dimensions; nodes of the plane
    int across, up;         // dimensions of the plane; up < 0: none
    unsigned at[6];         // the other coordinates
    double most;
};

static unsigned coordinate(const json_t *row, unsigned dimension)
{
    char name[2] = {axes[dimension], '\0'};
    return (unsigned)json_integer_value(json_object_get(row, name));
}

static bool in_plane(const struct map *m, const json_t *row)
{
    for (unsigned i = 0; i < m->n; i++)
        if ((int)i != m->across && (int)i != m->up && coordinate(row, i) != m->at[i])
            return false;
    return true;
}

static void map_data(FILE *out, const struct map *m, const char *port)
{
    static double use[MAX_SIDE][MAX_SIDE];
    size_t i;
    json_t *row;
    for (unsigned y = 0; y < m->high; y++)
        for (unsigned x = 0; x < m->wide; x++)
            use[y][x] = NAN;
    json_array_foreach(m->table->rows, i, row)
    {
        const char *its = json_string_value(json_object_get(row, "port"));
        if (its && !strcmp(its, port) && in_plane(m, row)) {
            unsigned x = coordinate(row, (unsigned)m->across);
            unsigned y = m->up < 0 ? 0 : coordinate(row, (unsigned)m->up);
            if (x < m->wide && y < m->high)
                use[y][x] = json_number_value(json_object_get(row, "use"));
        }
    }
    fprintf(out, "$d%c%c << EOD\n", port[0], port[1] == '+' ? 'p' : 'm');
    for (unsigned y = 0; y < m->high; y++)
        for (unsigned x = 0; x < m->wide; x++) {
            fprintf(out, "%u %u", x, y);
            gnuplot_number(out, use[y][x]);
            fputc('\n', out);
        }
    fputs("EOD\n", out);
}

static unsigned width_of(const struct map *m)
{
    return m->n > 1 ? 330 * m->n + 160 : 800;
}

static void draw_map(FILE *out, const void *data)
{
    const struct map *m = data;
    unsigned width = width_of(m);
    char title[200];
    unsigned at = (unsigned)snprintf(title, sizeof title, "Share of the time that links are busy");
    for (unsigned i = 0; i < m->n && at < sizeof title; i++)
        if ((int)i != m->across && (int)i != m->up)
            at += (unsigned)snprintf(title + at, sizeof title - at, ", %c = %u", axes[i], m->at[i]);
    for (unsigned port = 0; port < 2 * m->n; port++)
        map_data(out, m, (char[]){axes[port / 2], "+-"[port & 1], '\0'});
    fputs("set multiplot\nset label 80 ", out);
    gnuplot_text(out, title);
    fputs(" at screen 0.47, screen 0.97 center front\n", out);
    // Light to dark, also in print.
    fputs("set palette defined (0 '#ffffe5', 0.25 '#fec44f', 0.5 '#ec7014', 0.75 '#993404', 1 "
          "'#3b0f05')\n",
          out);
    fprintf(out, "set cbrange [0:%g]\nset size noratio\nunset key\n", m->most > 0 ? m->most : 1);
    fprintf(out, "set xrange [-0.5:%g]\nset yrange [-0.5:%g]\n", m->wide - 0.5, m->high - 0.5);
    fprintf(out, "set xtics %u out nomirror\nset ytics %u out nomirror\n", (m->wide + 7) / 8,
            (m->high + 7) / 8);
    for (unsigned port = 0; port < 2 * m->n; port++) {
        bool last = port == 2 * m->n - 1;
        char name = axes[port / 2];
        // Columns: dimensions; rows: + and -.
        double share = (1 - 0.06 - 80.0 / width) / m->n;
        unsigned column = port / 2;
        double left = 0.06 + share * column, low = port & 1 ? 0.21 : 0.61;
        fprintf(out, "set lmargin at screen %g\nset rmargin at screen %g\n", left,
                left + share - 60.0 / width);
        fprintf(out, "set bmargin at screen %g\nset tmargin at screen %g\n", low, low + 0.28);
        fprintf(out, "set title 'links %c%c' offset 0,-0.6\nset xlabel '%c' offset 0,0.6\n", name,
                "+-"[port & 1], axes[m->across]);
        if (m->up >= 0)
            fprintf(out, "set ylabel '%c' offset 1,0\n", axes[m->up]);
        else
            fputs("unset ytics\n", out);
        if (last)
            fprintf(out,
                    "set colorbox user origin screen %g, screen 0.22 size screen %g, screen "
                    "0.66\nset cblabel 'use (share of the time)' offset 0.5,0\n",
                    1 - 90.0 / width, 15.0 / width);
        else
            fputs("unset colorbox\n", out);
        fprintf(out,
                "plot $d%c%c using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fc "
                "palette fs solid noborder\n",
                name, port & 1 ? 'm' : 'p');
        if (!port) // they are there now
            fputs("unset label\n", out);
    }
    fputs("unset multiplot\n", out);
}

// The plane and the slice, as they were asked for.
static void read_plane(struct map *m, const char *plane, const char *at, const unsigned *sides)
{
    const char *a = strchr(axes, plane[0]), *b = plane[0] ? strchr(axes, plane[1]) : NULL;
    bool two = m->n > 1;
    if (!*plane || !a || a - axes >= (int)m->n || strlen(plane) != (two ? 2 : 1) ||
        (two && (!b || b - axes >= (int)m->n || a == b)))
        net_refuse("view: --plane %s: must be %s of the axes %.*s", plane, two ? "two" : "one",
                   (int)m->n, axes);
    m->across = (int)(a - axes);
    m->up = two ? (int)(b - axes) : -1;
    m->wide = sides[m->across];
    m->high = two ? sides[m->up] : 1;
    for (unsigned i = 0; i < m->n && at; i++) {
        char *end;
        if ((int)i == m->across || (int)i == m->up)
            continue;
        unsigned long c = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || c >= sides[i] || (*end && *end != ','))
            net_refuse(
                "view: --at: %c must be 0 to %u, in a list of the coordinates that are not in "
                "the plane",
                axes[i], sides[i] - 1);
        m->at[i] = (unsigned)c;
        at = *end ? end + 1 : end;
    }
    if (at && *at)
        net_refuse("view: --at: more coordinates than there are beside the plane");
}

// The torus that the command of the file names; without one the least that the coordinates are in.
static struct ofr_torus torus_of(const struct net_table *table, unsigned n, const unsigned *sides)
{
    struct ofr_torus torus = {.n = (uint8_t)n};
    char name[NET_TORUS_TEXT + 1];
    const char *at = table->command ? strstr(table->command, "--topology ") : NULL;
    for (unsigned i = 0; i < n; i++)
        torus.k[i] = (uint8_t)sides[i];
    net_torus_print(&torus, name, sizeof name);
    if (at && sscanf(at, "--topology %55s", name) != 1)
        *name = '\0';
    if (!net_torus_parse(name, &torus) || torus.n != n)
        net_refuse("view: the links are of %u dimensions, the topology is %s", n, name);
    return torus;
}

// Refuses a file that is cut, or put together: every link of the torus is there once.
static void check_whole(const json_t *rows, const struct ofr_torus *torus)
{
    size_t i, links = json_array_size(rows), all = 0;
    json_t *row;
    char name[NET_TORUS_TEXT];
    net_torus_print(torus, name, sizeof name);
    uint32_t *seen = calloc(ofr_nodes(torus), sizeof *seen);
    if (!seen)
        net_refuse("out of memory");
    json_array_foreach((json_t *)rows, i, row)
    {
        struct ofr_coord c = {{0}};
        const char *port = json_string_value(json_object_get(row, "port"));
        for (unsigned d = 0; d < torus->n; d++)
            c.c[d] = (uint8_t)coordinate(row, d);
        uint32_t bit = 1u << (2 * (strchr(axes, port[0]) - axes) + (port[1] == '-'));
        if (!ofr_inside(torus, &c) || !(ofr_existing_ports(torus, &c) & bit))
            net_refuse("view: link %zu: %s has no such link", i + 1, name);
        uint32_t node = ofr_node_id(torus, &c);
        if (json_integer_value(json_object_get(row, "node")) != node)
            net_refuse("view: link %zu: its coordinates are those of node %u", i + 1, node);
        if (seen[node] & bit)
            net_refuse("view: link %zu: it is there twice", i + 1);
        seen[node] |= bit;
    }
    for (uint32_t node = 0; node < ofr_nodes(torus); node++) {
        struct ofr_coord c = ofr_node_coord(torus, node);
        all += (unsigned)__builtin_popcount(ofr_existing_ports(torus, &c));
    }
    if (links != all)
        net_refuse("view: %zu of the %zu links of %s: the file is not whole", links, all, name);
    free(seen);
}

bool net_view_links(const struct net_table *table, const struct net_view *view)
{
    unsigned sides[6] = {0};
    size_t i;
    json_t *row;
    struct map m = {.view = view, .table = table};
    while (m.n < 6 && json_object_get(json_array_get(table->rows, 0), (char[]){axes[m.n], '\0'}))
        m.n++;
    json_array_foreach(table->rows, i, row)
    {
        for (unsigned d = 0; d < m.n; d++) {
            unsigned c = coordinate(row, d);
            if (c >= MAX_SIDE)
                net_refuse("view: link %zu: %c must be 0 to %d", i + 1, axes[d], MAX_SIDE - 1);
            sides[d] = c + 1 > sides[d] ? c + 1 : sides[d];
        }
        const json_t *use = json_object_get(row, "use");
        const char *port = json_string_value(json_object_get(row, "port"));
        if (!json_is_number(use) || !port)
            net_refuse("view: link %zu: without port or use", i + 1);
        if (strlen(port) != 2 || !memchr(axes, port[0], m.n) || !strchr("+-", port[1]))
            net_refuse("view: link %zu: port %s: must be an axis and + or -, as x+", i + 1, port);
        if (json_number_value(use) < 0)
            net_refuse("view: link %zu: use must not be negative", i + 1);
        m.most = fmax(m.most, json_number_value(use));
    }
    struct ofr_torus torus = torus_of(table, m.n, sides);
    check_whole(table->rows, &torus);
    read_plane(&m, view->plane ? view->plane : m.n > 1 ? "xy" : "x", view->at, sides);
    bool drawn = net_picture(view, width_of(&m), 760, table->command, draw_map, &m);
    if (drawn)
        printf("%s.png, %s.svg: %u maps of %u x %u links\n", view->stem, view->stem, 2 * m.n,
               m.wide, m.high);
    return drawn;
}
