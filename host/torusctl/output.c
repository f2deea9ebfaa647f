// SPDX-License-Identifier: Apache-2.0
// The one writer of rows, as text, JSON or CSV; errors; the standard output watched.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"

enum { CELL = 240 };

struct table {
    enum format format;
    const char *name;
    const struct column *columns;
    json_t *rows;       // JSON: all; text: those that wait
    bool waits;         // text: until the widths are known
    bool begun;         // the head is printed
    bool silent;        // text: no column is there
    bool named;         // text: names stand beside places or serial numbers
    struct column *own; // a copy of the columns, with those of names; NULL: there are none
};

// A bar ------------------------------------------------------------------------------------------

// A bar is there; it is a command's own.
static bool bar_there, bar_own;

static void bar_away(void)
{
    if (bar_there)
        fprintf(stderr, "\r%79s\r", "");
    bar_there = false;
}

// Only on a terminal that can go back in a line.
static void bar_put(const char *what, double done, double total)
{
    enum { WIDTH = 40 };
    char bar[WIDTH + 1];
    const char *terminal = getenv("TERM");
    if (!isatty(STDERR_FILENO) || !terminal || !strcmp(terminal, "dumb"))
        return;
    if (done >= total) {
        bar_away();
        return;
    }
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < WIDTH * done / total ? '=' : ' ';
    bar[WIDTH] = 0;
    bar_there = true;
    fprintf(stderr, "\r[%s] %.20s %.0f of %.0f  ", bar, what, done, total);
}

void progress_bar(const char *what, double done, double total)
{
    bar_own = done < total;
    bar_put(what, done, total);
}

void progress_of_call(void *ctx, const char *what, double done, double total)
{
    (void)ctx;
    if (!bar_own && total > 0)
        bar_put(what, done, total);
}

// Errors ------------------------------------------------------------------------------------------

int report(struct torus *t, int error)
{
    static const char advice[] = "take it over";
    const char *text = *torus_detail(t) ? torus_detail(t) : torus_strerror(error);
    size_t length = strlen(text), end = strlen(advice);
    bool over = length >= end && !strcmp(text + length - end, advice);
    bar_away();
    fputs("torusctl: ", stderr);
    put_named(stderr, text);
    fputs(over ? " with --take-over\n" : "\n", stderr);
    return error == TORUS_E_FAILED || error == TORUS_E_MIXED || error == TORUS_E_MISCABLED ? 1 : 2;
}

int wrong(const char *what, const char *value, const char *hint)
{
    bar_away();
    fprintf(stderr, "torusctl: %s '%s': %s\n", what, value, hint);
    return 2;
}

static int write_error; // errno of the first one

static void flush(void)
{
    if (fflush(stdout) && !write_error)
        write_error = errno;
}

bool output_failed(void)
{
    if (ferror(stdout) && !write_error)
        write_error = errno;
    return write_error;
}

static void close_output(void)
{
    flush();
    if (!output_failed() && fclose(stdout))
        write_error = errno;
    if (!write_error)
        return;
    fprintf(stderr, "torusctl: standard output: %s\n", strerror(write_error));
    _exit(2);
}

void output_guard(void)
{
    // A closed one must not become the connection to the board; and nobody reading is an error as
    // others are, so that no lease and no traffic is left behind.
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
            _exit(2);
    signal(SIGPIPE, SIG_IGN);
    atexit(close_output);
}

// Rows --------------------------------------------------------------------------------------------

json_t *json_at(const uint8_t at[3], unsigned dims)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < dims; i++)
        json_array_append_new(list, json_integer(at[i]));
    return list;
}

json_t *json_serial(uint64_t serial)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)serial);
    return json_string(text);
}

// Names -------------------------------------------------------------------------------------------

static const struct {
    const char *key, *name; // a board, and what it is called
} boards[] = {
    {"serial", "name"}, {"at", "name"},        {"from", "from_name"},
    {"to", "to_name"},  {"peer", "peer_name"},
};
enum { BOARDS = sizeof boards / sizeof *boards };

// A place as a list of numbers, or a serial number as 16 digits; NULL: neither, or it has no name.
static const char *board_name(json_t *value)
{
    uint8_t at[3] = {0};
    size_t size = json_array_size(value);
    if (json_is_string(value))
        return strlen(json_string_value(value)) == 16
                   ? name_of(strtoull(json_string_value(value), NULL, 16))
                   : NULL;
    for (size_t i = 0; i < size && i < 3; i++)
        at[i] = (uint8_t)json_integer_value(json_array_get(value, i));
    return size ? place_name(at) : NULL;
}

// Gives objects that have boards the members with their names, at any depth.
static void add_names(json_t *value)
{
    const char *key;
    json_t *item;
    size_t i;
    json_array_foreach(value, i, item)
    {
        if (json_is_object(item))
            add_names(item);
    }
    for (i = 0; json_is_object(value) && i < BOARDS; i++) {
        item = json_object_get(value, boards[i].key);
        json_t *had = json_object_get(value, boards[i].name);
        if (!item || json_is_object(item) || (had && !json_is_null(had)))
            continue;
        const char *name = board_name(item);
        json_object_set_new(value, boards[i].name, name ? json_string(name) : json_null());
    }
    json_object_foreach(value, key, item)
    {
        if (json_is_object(item) || json_is_array(item))
            add_names(item);
    }
}

static bool has_column(const struct table *t, const char *key)
{
    const struct column *c = t->columns;
    while (c->key && strcmp(c->key, key) != 0)
        c++;
    return c->key;
}

// Columns for names, and room for them in text.
static void names_begin(struct table *t)
{
    unsigned count = 0;
    while (t->columns[count].key)
        count++;
    t->own = calloc(count + BOARDS + 1, sizeof *t->own);
    if (!t->own)
        return;
    memcpy(t->own, t->columns, count * sizeof *t->own);
    t->named = !has_column(t, "name");
    for (unsigned i = 0; i < BOARDS; i++) {
        for (struct column *c = t->own; c->key && t->named; c++)
            if (!strcmp(c->key, boards[i].key) && (c->width > 1 || c->width < -1))
                c->width += (int)(names_longest() + 3) * (c->width < 0 ? -1 : 1);
        if (has_column(t, boards[i].key) && !has_column(t, boards[i].name))
            t->own[count++] = (struct column){.key = boards[i].name};
        t->columns = t->own;
    }
}

// Which of the columns has the name in text: the serial number's, rather than the same board's
// place.
static const char *beside(const struct table *t, const struct column *c, json_t *value)
{
    for (unsigned i = 0; t->named && i < BOARDS; i++)
        if (!strcmp(c->key, boards[i].key))
            return i == 1 && has_column(t, "serial") ? NULL : board_name(value);
    return NULL;
}

// A value as text.
static void cell(const struct column *c, json_t *value, bool csv, char out[CELL])
{
    size_t i, n = 0;
    json_t *item;
    switch (json_typeof(value)) {
    case JSON_STRING:
        snprintf(out, CELL, "%s", json_string_value(value));
        break;
    case JSON_INTEGER:
        snprintf(out, CELL, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        if (csv || !c->digits)
            snprintf(out, CELL, csv ? "%.9g" : "%.4g", json_real_value(value));
        else
            snprintf(out, CELL, "%.*f", c->digits < 0 ? 0 : c->digits, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        snprintf(out, CELL, "%d", json_is_true(value));
        break;
    case JSON_ARRAY: // coordinates, ports
        out[0] = 0;
        json_array_foreach(value, i, item)
        {
            char number[24];
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(item));
            n += (size_t)snprintf(out + n, CELL - n, "%s%s",
                                  i     ? ","
                                  : csv ? ""
                                        : "(",
                                  json_is_string(item) ? json_string_value(item) : number);
            n = n < CELL ? n : CELL - 1;
        }
        if (!csv)
            snprintf(out + n, CELL - n, "%s", i ? ")" : "-");
        break;
    default:
        snprintf(out, CELL, csv ? "" : "-");
    }
}

// A field of CSV, in quotes where it must be.
static void csv_field(const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void csv_row(const struct table *t, json_t *row)
{
    char text[CELL];
    for (const struct column *c = t->columns; c->key; c++) {
        if (row)
            cell(c, json_object_get(row, c->key), true, text);
        else
            snprintf(text, sizeof text, "%s", c->key);
        if (c != t->columns)
            putchar(',');
        csv_field(text);
    }
    putchar('\n');
}

static void text_cell(const struct table *t, const struct column *c, json_t *row, char out[CELL])
{
    json_t *value = json_object_get(row, c->key);
    const char *name = beside(t, c, value);
    cell(c, value, false, out);
    size_t n = strlen(out);
    if (name)
        snprintf(out + n, CELL - n, " \"%s\"", name);
}

// widths: one a column. row: NULL is the head.
static void text_row(const struct table *t, const int *widths, json_t *row)
{
    char text[CELL];
    for (unsigned i = 0; t->columns[i].key; i++) {
        const struct column *c = &t->columns[i];
        if (!c->title)
            continue;
        if (row)
            text_cell(t, c, row, text);
        else
            snprintf(text, sizeof text, "%s", c->title);
        printf("%s%*s", i ? "  " : "", widths[i], text);
    }
    putchar('\n');
}

static void text_rows(const struct table *t)
{
    unsigned columns = 0;
    json_t *row;
    char text[CELL];
    size_t n;
    while (t->columns[columns].key)
        columns++;
    int *widths = calloc(columns + 1, sizeof *widths);
    for (unsigned i = 0; widths && i < columns; i++) {
        const struct column *c = &t->columns[i];
        int longest = c->title ? (int)strlen(c->title) : 0;
        json_array_foreach(t->rows, n, row)
        {
            text_cell(t, c, row, text);
            longest = (int)strlen(text) > longest ? (int)strlen(text) : longest;
        }
        if (c->width < 0)
            widths[i] = -longest < c->width ? -longest : c->width;
        else
            widths[i] = c->width ? c->width : longest;
    }
    if (widths && !t->begun && json_array_size(t->rows))
        text_row(t, widths, NULL);
    json_array_foreach(t->rows, n, row)
    {
        if (widths)
            text_row(t, widths, row);
    }
    free(widths);
}

struct table *table_begin(const struct args *a, const char *name, const struct column *columns)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t) {
        fputs("torusctl: out of memory\n", stderr);
        exit(2);
    }
    *t =
        (struct table){.format = a->format, .name = name, .columns = columns, .rows = json_array()};
    if (names_given())
        names_begin(t);
    t->silent = t->format == TEXT;
    for (const struct column *c = t->columns; c->key; c++) {
        t->waits |= c->title && !c->width;
        t->silent &= !c->title;
    }
    return t;
}

void table_note(struct table *t, const char *format, ...)
{
    va_list args;
    bar_away();
    if (t->format != TEXT)
        return;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

void table_row(struct table *t, json_t *row)
{
    bar_away();
    if (t->own)
        add_names(row);
    if (json_array_append_new(t->rows, row) && !write_error) // or it were not missed
        write_error = ENOMEM;
    if (t->silent)
        return;
    if (t->format == JSON || (t->format == TEXT && t->waits))
        return;
    if (t->format == TEXT)
        text_rows(t);
    if (t->format == CSV && !t->begun)
        csv_row(t, NULL);
    if (t->format == CSV)
        csv_row(t, row);
    t->begun = true;
    json_array_clear(t->rows);
    flush();
}

void table_end(struct table *t, json_t *head)
{
    bar_away();
    if (t->format == JSON) {
        json_t *root = head ? json_incref(head) : json_object();
        if (t->own)
            add_names(root);
        if (t->name)
            json_object_set(root, t->name, t->rows);
        else
            json_object_update(root, json_array_get(t->rows, 0));
        json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        putchar('\n');
        json_decref(root);
    } else if (t->format == TEXT) {
        if (!t->silent)
            text_rows(t);
    } else if (!t->begun) {
        csv_row(t, NULL);
    }
    flush();
    json_decref(head);
    table_drop(t);
}

void table_drop(struct table *t)
{
    json_decref(t->rows);
    free(t->own);
    free(t);
}
