// SPDX-License-Identifier: Apache-2.0
// Files: JSON that people write, where what is wrong is said with line and column; bytes to be
// sent.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl.h"

json_t *file_load(const char *file)
{
    json_error_t error;
    struct stat about;
    if (!stat(file, &about) && S_ISDIR(about.st_mode)) {
        fprintf(stderr, "torusctl: %s: it is a folder\n", file);
        return NULL;
    }
    FILE *f = fopen(file, "r");
    if (!f) {
        wrong("file", file, strerror(errno));
        return NULL;
    }
    json_t *root = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
    fclose(f);
    if (!root && error.line > 0)
        fprintf(stderr, "torusctl: %s: line %d, column %d: %s\n", file, error.line, error.column,
                error.text);
    else if (!root)
        fprintf(stderr, "torusctl: %s: %s\n", file, error.text);
    return root;
}

uint8_t *file_whole(const char *file, struct most take, size_t *bytes, const char **why)
{
    static char longer[120];
    const size_t most = (size_t)take.mib << 20;
    FILE *f = fopen(file, "rb");
    uint8_t *data = NULL;
    size_t room = 0;
    bool good = f != NULL;
    *bytes = 0;
    while (good && !feof(f) && *bytes <= most) {
        uint8_t *more = *bytes + 8 < room ? data : realloc(data, room += room + 65536);
        good = more != NULL;
        data = good ? more : data;
        if (good)
            *bytes += fread(data + *bytes, 1, room - 8 - *bytes, f);
        good = good && !ferror(f);
    }
    *why = good ? NULL : strerror(errno);
    if (good && *bytes > most) {
        snprintf(longer, sizeof longer, "it is longer than %u MiB: %s", take.mib, take.instead);
        *why = longer;
    }
    if (f)
        fclose(f);
    if (*why) {
        free(data);
        data = NULL;
    }
    return data;
}

static const char *blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

// The end of the value at `at`, of JSON that jansson has read.
static const char *skip_value(const char *at)
{
    unsigned depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
    } while (*at && (depth || !strchr(",]} \t\r\n", *at)));
    return at;
}

// Member `key` (of so many letters) of the object at `at`, or its element `index`; NULL: none.
static const char *member(const char *at, const char *key, size_t length, unsigned long index)
{
    bool object = *at == '{';
    if ((!object && *at != '[') || object != (key != NULL))
        return NULL;
    at = blanks(at + 1);
    for (unsigned long i = 0; *at && *at != ']' && *at != '}'; i++) {
        const char *name = at;
        if (object)
            at = blanks(blanks(skip_string(at)) + 1); // the colon
        if (object ? !strncmp(name + 1, key, length) && name[length + 1] == '"' : i == index)
            return at;
        at = blanks(skip_value(at));
        at = *at == ',' ? blanks(at + 1) : at;
    }
    return NULL;
}

// Where `path` ("table[0].lambda[1]", at the beginning of a message) leads in the text: as far as
// it leads anywhere.
static const char *locate(const char *text, const char *path)
{
    const char *at = blanks(text), *next = at;
    while (next) {
        at = next;
        size_t length = strcspn(path, ".[: ");
        char *end;
        if (*path == '[') {
            next = member(at, NULL, 0, strtoul(path + 1, &end, 10));
            path = *end == ']' ? end + 1 : "";
        } else {
            next = length ? member(at, path, length, 0) : NULL;
            path += length;
        }
        path += *path == '.';
    }
    return at;
}

bool file_bad(const char *file, const char *format, ...)
{
    char message[240], *text = NULL;
    size_t size = 0;
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    FILE *f = fopen(file, "r");
    if (f && getdelim(&text, &size, 0, f) > 0) {
        unsigned line = 1, column = 1;
        for (const char *c = text, *at = locate(text, message); c < at; c++) {
            column = *c == '\n' ? 1 : column + 1;
            line += *c == '\n';
        }
        fprintf(stderr, "torusctl: %s: line %u, column %u: %s\n", file, line, column, message);
    } else {
        fprintf(stderr, "torusctl: %s: %s\n", file, message);
    }
    free(text);
    if (f)
        fclose(f);
    return false;
}

bool file_keys(const char *file, const char *what, json_t *object, const char *const *wanted,
               const char *optional)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return file_bad(file, "%s: not an object", what);
    json_object_foreach(object, key, value)
    {
        bool known = optional && !strcmp(key, optional);
        for (unsigned i = 0; wanted[i]; i++)
            known |= !strcmp(key, wanted[i]);
        if (!known)
            return file_bad(file, "%s: unknown key \"%.40s\"", what, key);
    }
    for (unsigned i = 0; wanted[i]; i++)
        if (!json_object_get(object, wanted[i]))
            return file_bad(file, "%s: \"%s\" is missing", what, wanted[i]);
    return true;
}
