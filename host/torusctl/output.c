// SPDX-License-Identifier: Apache-2.0
// Errors and pieces of output that the commands share.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"

int report(struct torus *t, int error)
{
    fprintf(stderr, "torusctl: %s\n", *torus_detail(t) ? torus_detail(t) : torus_strerror(error));
    return error == TORUS_E_FAILED || error == TORUS_E_MIXED || error == TORUS_E_MISCABLED ? 1 : 2;
}

int wrong(const char *what, const char *value, const char *hint)
{
    fprintf(stderr, "torusctl: %s '%s': %s\n", what, value, hint);
    return 2;
}

void put_json(json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(value);
}

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

void at_text(const uint8_t at[3], unsigned dims, char text[16])
{
    if (dims == 3)
        snprintf(text, 16, "%u,%u,%u", at[0], at[1], at[2]);
    else
        snprintf(text, 16, "%u,%u", at[0], at[1]);
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

bool parse_at(const char *text, uint8_t at[3])
{
    unsigned v[3] = {0, 0, 0};
    char extra;
    bool good = isdigit((unsigned char)text[0]);
    if (sscanf(text, "%u,%u,%u%c", &v[0], &v[1], &v[2], &extra) != 3) {
        v[2] = 0;
        good &= sscanf(text, "%u,%u%c", &v[0], &v[1], &extra) == 2;
    }
    for (unsigned i = 0; i < 3; i++) {
        good &= v[i] <= 15;
        at[i] = (uint8_t)v[i];
    }
    if (!good)
        wrong("place", text, "write X,Y or X,Y,Z, each from 0 to 15");
    return good;
}

bool parse_path(const char *text, uint8_t path[TORUS_MAX_HOPS], unsigned *hops)
{
    const char *at = text;
    for (*hops = 0; *at; (*hops)++) {
        unsigned port = 0;
        while (port < TORUS_PORTS && strncmp(at, torus_port_name(port), 2) != 0)
            port++;
        if (port == TORUS_PORTS || (at[2] && at[2] != ',') || (at[2] && !at[3]) ||
            *hops == TORUS_MAX_HOPS) {
            wrong("path", text, "write up to 24 ports as x+,x+,y-");
            return false;
        }
        path[*hops] = (uint8_t)port;
        at += at[2] ? 3 : 2;
    }
    return true;
}

int attach(struct torus *t, int *mixed)
{
    struct torus_preset preset;
    unsigned generation;
    int error = torus_attach(t);
    if (error == TORUS_OK)
        error = torus_programmed(t, &preset, &generation);
    if (mixed)
        *mixed = 0;
    if (error == TORUS_OK)
        return 0;
    int status = report(t, error);
    if (!mixed || error != TORUS_E_MIXED)
        return status;
    *mixed = status;
    return 0;
}

// Rows --------------------------------------------------------------------------------------------

// A value as text, in a buffer of its own.
static void cell(json_t *value, bool csv, char out[240])
{
    char place[16] = "";
    size_t i;
    json_t *item;
    switch (json_typeof(value)) {
    case JSON_STRING:
        snprintf(out, 240, csv && strchr(json_string_value(value), ',') ? "\"%s\"" : "%s",
                 json_string_value(value));
        break;
    case JSON_INTEGER:
        snprintf(out, 240, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        snprintf(out, 240, csv ? "%.9g" : "%.4g", json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        snprintf(out, 240, "%d", json_is_true(value));
        break;
    case JSON_ARRAY: // coordinates
        json_array_foreach(value, i, item)
        {
            snprintf(place + strlen(place), sizeof place - strlen(place), "%s%d", i ? "," : "",
                     (int)json_integer_value(item));
        }
        snprintf(out, 240, csv ? "\"%s\"" : "(%s)", place);
        break;
    default:
        snprintf(out, 240, csv ? "" : "-");
    }
}

static bool listed(const char *fields, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = fields; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, key, length) && (!at[length] || at[length] == ','))
            return true;
    }
    return !fields;
}

static void put_text(json_t *rows, const char *fields)
{
    enum { COLUMNS = 32 };
    size_t width[COLUMNS] = {0}, i, n;
    json_t *row, *value;
    const char *key;
    char text[240];
    for (unsigned pass = 0; pass < 2; pass++) {
        json_array_foreach(rows, i, row)
        {
            n = 0;
            json_object_foreach(row, key, value)
            {
                if (!listed(fields, key) || n == COLUMNS)
                    continue;
                if (pass && i == 0)
                    printf("  %*s", (int)width[n], key);
                cell(value, false, text);
                size_t longest = strlen(text) > strlen(key) ? strlen(text) : strlen(key);
                width[n] = width[n] > longest ? width[n] : longest;
                n++;
            }
            if (pass && i == 0)
                putchar('\n');
            n = 0;
            json_object_foreach(row, key, value)
            {
                if (!pass || !listed(fields, key) || n == COLUMNS)
                    continue;
                cell(value, false, text);
                printf("  %*s", (int)width[n++], text);
            }
            if (pass)
                putchar('\n');
        }
    }
}

static void put_csv(json_t *rows)
{
    json_t *row, *value;
    const char *key;
    size_t i;
    char text[240];
    const char *comma = "";
    json_object_foreach(json_array_get(rows, 0), key, value)
    {
        printf("%s%s", comma, key);
        comma = ",";
    }
    putchar('\n');
    json_array_foreach(rows, i, row)
    {
        comma = "";
        json_object_foreach(row, key, value)
        {
            cell(value, true, text);
            printf("%s%s", comma, text);
            comma = ",";
        }
        putchar('\n');
    }
}

void put_rows(const struct args *a, json_t *head, const char *name, json_t *rows,
              const char *fields)
{
    if (a->format == JSON) {
        json_object_set_new(head, name, rows);
        put_json(head);
        return;
    }
    if (a->format == CSV)
        put_csv(rows);
    else
        put_text(rows, fields);
    json_decref(rows);
    json_decref(head);
}

void progress(const char *what, double done, double total)
{
    enum { WIDTH = 40 };
    char bar[WIDTH + 1];
    if (!isatty(STDERR_FILENO))
        return;
    if (done >= total) {
        fprintf(stderr, "\r%79s\r", "");
        return;
    }
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < WIDTH * done / total ? '=' : ' ';
    bar[WIDTH] = 0;
    fprintf(stderr, "\r[%s] %.20s %.0f of %.0f  ", bar, what, done, total);
}

void put_apart(const struct args *a, double apart)
{
    if (a->format == TEXT && apart > 0)
        printf("boards with clocks of their own, aligned: at most %.1f cycles apart\n", apart);
}
