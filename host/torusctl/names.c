// SPDX-License-Identifier: Apache-2.0
// Names for boards by serial number: a file of a line a board, like a node-name-map.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

enum { NAME = 32, MAX_NAMES = 4096 };

static struct {
    uint64_t serial;
    char name[NAME];
} * names;
static unsigned count;

static bool bad(const char *file, unsigned line, const char *what)
{
    fprintf(stderr, "torusctl: %s: line %u: %s\n", file, line, what);
    return false;
}

// The serial number at *at, "00c0ffee" or "0x...", 1 to 16 hexadecimal digits.
static bool read_serial(char **at, uint64_t *serial)
{
    char *digits = *at + (strncmp(*at, "0x", 2) ? 0 : 2);
    size_t length = strspn(digits, "0123456789abcdefABCDEF");
    char after = digits[length];
    if (!length || length > 16 || (after && !isspace((unsigned char)after)))
        return false;
    digits[length] = 0;
    *serial = strtoull(digits, NULL, 16);
    digits[length] = after;
    *at = digits + length;
    return true;
}

// A word, or what is between quotes; nothing but a remark may follow. NULL: it is not so.
static char *read_name(char *at)
{
    bool quoted = *at == '"';
    char *name = at += quoted, *end = quoted ? strchr(at, '"') : at + strcspn(at, " \t#");
    if (!end)
        return NULL;
    at = end + quoted;
    at += strspn(at, " \t");
    if (*at && *at != '#')
        return NULL;
    *end = 0;
    return name;
}

static bool read_line(const char *file, unsigned line, char *at)
{
    uint64_t serial;
    at[strcspn(at, "\r\n")] = 0;
    at += strspn(at, " \t");
    if (!*at || *at == '#')
        return true;
    if (!read_serial(&at, &serial))
        return bad(file, line, "write a serial number, 1 to 16 hexadecimal digits, and a name");
    at += strspn(at, " \t");
    char *name = read_name(at);
    if (!name || !isalpha((unsigned char)*name) || strlen(name) >= NAME)
        return bad(file, line,
                   "a name is a word, or in quotes, of up to 31 letters, and begins with one");
    for (unsigned i = 0; i < count; i++)
        if (names[i].serial == serial || !strcmp(names[i].name, name))
            return bad(file, line,
                       names[i].serial == serial ? "this board was named before"
                                                 : "another board has this name");
    if (count == MAX_NAMES)
        return bad(file, line, "more than 4096 names");
    names[count].serial = serial;
    strcpy(names[count++].name, name);
    return true;
}

bool names_read(const char *file)
{
    char text[200];
    FILE *f = fopen(file, "r");
    bool good = f && (names = calloc(MAX_NAMES, sizeof *names));
    if (!good)
        fprintf(stderr, "torusctl: %s: %s\n", file, strerror(errno));
    for (unsigned line = 1; good && fgets(text, sizeof text, f); line++)
        good = strlen(text) < sizeof text - 1 ? read_line(file, line, text)
                                              : bad(file, line, "longer than 198 letters");
    if (good && ferror(f))
        good = wrong("file", file, strerror(errno)) == 0;
    if (f)
        fclose(f);
    return good;
}

const char *name_of(uint64_t serial)
{
    for (unsigned i = 0; i < count; i++)
        if (names[i].serial == serial)
            return names[i].name;
    return NULL;
}

bool name_serial(const char *name, uint64_t *serial)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(names[i].name, name)) {
            *serial = names[i].serial;
            return true;
        }
    return false;
}

bool names_given(void)
{
    return names;
}
