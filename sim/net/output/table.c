// SPDX-License-Identifier: Apache-2.0
#include "output/table.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/refuse.h"

enum { MAX_COLUMNS = 300 };

// The next cell of a line of CSV (RFC 4180, none over several lines), in place; moves on behind it.
// NULL: there is none. *quoted: a text, whatever it looks like.
static char *cell(char **at, bool *quoted)
{
    char *text = *at, *to = text;
    if (!text)
        return NULL;
    *quoted = *text == '"';
    if (*quoted) {
        const char *from = text + 1;
        for (; *from && (*from != '"' || from[1] == '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        *at = *from ? strchr(from, ',') : NULL;
    } else {
        *at = strchr(text, ',');
        to = *at ? *at : text + strlen(text);
    }
    if (*at)
        ++*at;
    *to = '\0';
    return text;
}

static json_t *value(const char *text, bool quoted)
{
    char *end;
    double number = strtod(text, &end);
    if (!*text)
        return json_null();
    if (!strcmp(text, "true") || !strcmp(text, "false"))
        return json_boolean(*text == 't');
    if (quoted || *end || !isfinite(number))
        return json_string(text);
    return text[strcspn(text, ".eE")] ? json_real(number) : json_integer(strtoll(text, NULL, 10));
}

// Lines of values after that of names, both without their ends.
static void read_csv(const char *path, char **lines, unsigned first, unsigned count, json_t *rows)
{
    char *names[MAX_COLUMNS], *at = lines[first];
    unsigned columns = 0;
    bool quoted;
    while (at && columns < MAX_COLUMNS)
        names[columns++] = cell(&at, &quoted);
    for (unsigned i = first + 1; i < count; i++) {
        json_t *row = json_object();
        unsigned c = 0;
        for (at = lines[i]; at; c++) {
            const char *text = cell(&at, &quoted);
            if (c < columns)
                json_object_set_new(row, names[c], value(text, quoted));
        }
        if (c != columns)
            net_refuse("view %s, line %u: %u values, where the names are %u", path, i + 1, c,
                       columns);
        json_array_append_new(rows, row);
    }
}

// A record, a list of them, or lines of a file that --out wrote.
static void read_json(const char *path, char **lines, unsigned count, char *whole, json_t *rows)
{
    json_error_t error;
    json_t *all = json_loads(whole, 0, &error);
    if (all && json_is_array(json_object_get(all, "records"))) {
        json_array_extend(rows, json_object_get(all, "records"));
    } else if (all && json_object_get(all, "engine")) {
        json_array_append(rows, all);
    } else {
        for (unsigned i = 0; i < count; i++) {
            json_t *line = json_loads(lines[i], 0, &error);
            json_t *record = json_object_get(line, "record");
            if (!json_object_get(record, "engine"))
                net_refuse("view %s, line %u: not a record of torussim", path, i + 1);
            json_array_append(rows, record);
            json_decref(line);
        }
    }
    json_decref(all);
}

static char *load(const char *path, size_t *size)
{
    struct stat status;
    FILE *file = fopen(path, "r");
    if (!file)
        net_refuse("view %s: %s", path, strerror(errno));
    if (!fstat(fileno(file), &status) && S_ISDIR(status.st_mode))
        net_refuse("view %s: %s", path, strerror(EISDIR));
    size_t room = 1 << 16, more;
    char *text = malloc(room + 1);
    *size = 0;
    while (text && (more = fread(text + *size, 1, room - *size, file)) > 0) {
        *size += more;
        if (*size == room) {
            room *= 2;
            text = realloc(text, room + 1);
        }
    }
    if (!text || ferror(file))
        net_refuse("view %s: %s", path, text ? strerror(errno) : "out of memory");
    fclose(file);
    text[*size] = '\0';
    return text;
}

struct net_table net_table_read(const char *path)
{
    struct net_table table = {.rows = json_array()};
    size_t size;
    char *text = load(path, &size), *whole = strdup(text);
    unsigned count = 0, room = 0, first = 0;
    char **lines = NULL, *at = text;
    if (strlen(text) != size)
        net_refuse("view %s: there is a zero byte in it", path);
    while (*at) {
        if (count == room) {
            room = room ? 2 * room : 256;
            lines = realloc(lines, room * sizeof *lines);
        }
        if (!lines || !whole)
            net_refuse("out of memory");
        lines[count++] = at;
        at += strcspn(at, "\n");
        if (*at)
            *at++ = '\0';
        char *end = lines[count - 1] + strlen(lines[count - 1]);
        if (end > lines[count - 1] && end[-1] == '\r')
            end[-1] = '\0';
    }
    if (count && !strncmp(lines[0], "# torussim ", 11)) {
        table.command = strdup(lines[0] + 2);
        first = 1;
    }
    const char *head = first < count ? lines[first] : "";
    if (!strncmp(head, "node,x,", 7))
        table.kind = NET_TABLE_LINKS;
    else if (!strcmp(head, "low_us,high_us,packets"))
        table.kind = NET_TABLE_HISTOGRAM;
    else if (strncmp(head, "engine,", 7) && *head != '{')
        net_refuse("view %s: neither records of torussim nor what run --links or --histogram "
                   "wrote",
                   path);
    if (*head == '{')
        read_json(path, lines, count, whole, table.rows);
    else
        read_csv(path, lines, first, count, table.rows);
    if (!json_array_size(table.rows))
        net_refuse("view %s: there is nothing in it", path);
    free(lines);
    free(text);
    free(whole);
    return table;
}

void net_table_free(struct net_table *table)
{
    free(table->command);
    json_decref(table->rows);
}
