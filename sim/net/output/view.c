// SPDX-License-Identifier: Apache-2.0
// lint-flags: -D_GNU_SOURCE
#include "output/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/files.h"
#include "output/gnuplot.h"
#include "output/picture.h"
#include "output/record.h"
#include "run/refuse.h"

static const char first_line[] = "# Made by torussim view";

static void path_of(const struct net_view *view, const char *suffix, char *path, size_t size)
{
    if ((size_t)snprintf(path, size, "%s.%s", view->stem, suffix) >= size)
        net_refuse("view: --out %.40s...: the name is too long", view->stem);
}

// Refuses what is no name of pictures, before anything is written.
static void check_stem(const char *stem)
{
    const char *slash = strrchr(stem, '/'), *base = slash ? slash + 1 : stem;
    if (!*base)
        net_refuse("view: --out %s: must end with a name, to which .png is added", stem);
    if (strlen(base) > 150)
        net_refuse("view: --out %.40s...: the name is too long", base);
}

// Files that view has made before are written over, others are not.
static void check_files(const struct net_view *view)
{
    static const char *const suffixes[] = {"gp", "png", "svg"};
    char path[500], line[60] = "";
    path_of(view, "gp", path, sizeof path);
    FILE *script = fopen(path, "r");
    if (script) {
        if (!fgets(line, sizeof line, script))
            line[0] = '\0';
        fclose(script);
        if (!strncmp(line, first_line, sizeof first_line - 1))
            return;
    }
    for (int i = 0; i < 3; i++) {
        path_of(view, suffixes[i], path, sizeof path);
        if (!access(path, F_OK))
            net_refuse("view: %s: it is there already, and not by torussim view", path);
    }
}

// A field as the label of an axis: words, and the unit in brackets.
void net_picture_label(FILE *out, const char *field, const char *load_unit)
{
    char text[200];
    const char *end = strrchr(field, '_');
    bool load = !strcmp(end ? end + 1 : field, "load");
    const char *unit = load ? load_unit : net_record_unit(field);
    int length = (int)strlen(field);
    // The unit's own suffix: _us, _gamma0, _gbs, ...
    if (*unit && end && (!strcmp(end + 1, unit) || !strcmp(end, "_gbs") || !strcmp(end, "_mb")))
        length = (int)(end - field);
    snprintf(text, sizeof text, *unit ? "%.*s (%s)" : "%.*s", length, field, unit);
    for (char *c = text; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    gnuplot_text(out, text);
}

// The commands at the bottom, in lines that fit.
static void put_commands(FILE *out, unsigned width, const char *first, const char *second)
{
    enum { LINES = 6 };
    const size_t wide = (size_t)width * 175 / 1000; // characters of the small font
    char text[2 * 4200];
    unsigned line = 0;
    const char *at = text;
    snprintf(text, sizeof text, "%s%s%s", first, *first ? "   |   " : "", second);
    while (*at && line < LINES) {
        size_t length = strlen(at);
        if (length > wide) {
            length = wide;
            while (length > wide / 2 && at[length] != ' ')
                length--;
        }
        char part[600];
        bool more = line + 1 == LINES && at[length];
        snprintf(part, sizeof part, "%.*s%s", (int)length, at, more ? " ..." : "");
        fprintf(out, "set label %u ", 90 + line);
        gnuplot_text(out, part);
        fprintf(out, " at screen 0.01, screen %g left front font 'sans,8' tc rgb '#555555'\n",
                0.105 - 0.017 * line);
        at += length;
        at += *at == ' ';
        line++;
    }
}

bool net_picture(const struct net_view *view, unsigned width, unsigned height, const char *made_by,
                 net_draw *draw, const void *data)
{
    char script[500], directory[500];
    path_of(view, "gp", script, sizeof script);
    snprintf(directory, sizeof directory, "%s", script);
    char *slash = strrchr(directory, '/');
    const char *base = slash ? script + (slash - directory) + 1 : script;
    if (slash)
        slash[slash == directory] = '\0';
    // An older script, by which the pictures are known for ours, stays until the new one is whole.
    char part[520];
    snprintf(part, sizeof part, "%s.part", script);
    FILE *out = fopen(part, "w");
    if (!out)
        net_refuse("view: %s: %s", script, strerror(errno));
    fprintf(out, "%s\nset encoding utf8\n", first_line);
    char stem[500];
    snprintf(stem, sizeof stem, "%.*s", (int)strlen(base) - 3, base);
    for (int svg = 0; svg < 2; svg++) {
        gnuplot_output(out, svg, width, height, stem);
        put_commands(out, width, view->command, made_by ? made_by : "");
        draw(out, data);
        fputs("unset output\nreset\n", out);
    }
    bool good = net_file_close(out, script);
    if (good && rename(part, script)) {
        fprintf(stderr, "torussim: %s: %s\n", script, strerror(errno));
        good = false;
    }
    if (!good) {
        unlink(part);
        return false;
    }
    return gnuplot_run("torussim", slash ? directory : ".", base);
}

bool net_view(const struct net_table *table, const struct net_view *view)
{
    check_stem(view->stem);
    check_files(view);
    if (table->kind != NET_TABLE_LINKS && (view->plane || view->at))
        net_refuse("view: --plane and --at go with what run --links wrote");
    if (table->kind != NET_TABLE_RECORDS && (view->x || view->y))
        net_refuse("view: -x and -y go with records");
    if (table->kind == NET_TABLE_LINKS)
        return net_view_links(table, view);
    return table->kind == NET_TABLE_HISTOGRAM ? net_view_histogram(table, view)
                                              : net_view_records(table, view);
}
