// SPDX-License-Identifier: Apache-2.0
// Names for boards by serial number: a file of a line a board, like a node-name-map.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

enum { NAME = 32, MAX_NAMES = 4096, PLACES_ALL = 16 * 16 * 16 };

static struct {
    uint64_t serial;
    char name[NAME];
} * names;
static unsigned count;
static char (*called)[NAME]; // by place, "": has none; NULL: no place has
static unsigned longest;

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
    longest = strlen(name) > longest ? (unsigned)strlen(name) : longest;
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
    if (good && ferror(f)) {
        fprintf(stderr, "torusctl: %s: %s\n", file, strerror(errno));
        good = false;
    }
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
    return names || called;
}

unsigned names_longest(void)
{
    return longest;
}

static char *at_place(const uint8_t at[3])
{
    return called[(at[0] & 15) | (at[1] & 15) << 4 | (at[2] & 15) << 8];
}

bool place_call(const uint8_t at[3], const char *name)
{
    if (!called && !(called = calloc(PLACES_ALL, sizeof *called)))
        return false;
    snprintf(at_place(at), NAME, "%s", name);
    longest = strlen(name) > longest ? (unsigned)strlen(name) : longest;
    return true;
}

const char *place_name(const uint8_t at[3])
{
    return called && *at_place(at) ? at_place(at) : NULL;
}

static void note_place(void *ctx, uint64_t serial, const uint8_t at[3])
{
    bool *good = ctx;
    const char *name = name_of(serial);
    *good = *good && place_call(at, name ? name : "");
}

int names_learn(struct torus *t)
{
    bool good = true;
    int error = names ? torus_places(t, note_place, &good) : TORUS_OK;
    return good ? error : TORUS_E_MEMORY;
}

const char *at_text(const uint8_t at[3], unsigned dims, char text[16])
{
    if (dims == 3)
        snprintf(text, 16, "%u,%u,%u", at[0], at[1], at[2]);
    else
        snprintf(text, 16, "%u,%u", at[0], at[1]);
    return text;
}

const char *sizes_text(const uint8_t k[3], unsigned dims, char text[16])
{
    snprintf(text, 16, dims == 3 ? "%ux%ux%u" : "%ux%u", k[0], k[1], k[2]);
    return text;
}

const char *with_name(const char *board, const char *name, char text[PLACE])
{
    snprintf(text, PLACE, name ? "%s \"%s\"" : "%s", board, name);
    return text;
}

const char *place_called(const uint8_t at[3], unsigned dims, char text[PLACE])
{
    char place[16], board[20];
    snprintf(board, sizeof board, "(%s)", at_text(at, dims, place));
    return with_name(board, place_name(at), text);
}

// "(1,2" or "(1,2,3": the letters up to the parenthesis that closes it; 0: it is something else.
static unsigned parse_place(const char *text, uint8_t at[3])
{
    unsigned v[3] = {0};
    int end = 0, more = 0;
    if (sscanf(text, "(%2u,%2u%n,%2u%n", &v[0], &v[1], &end, &v[2], &more) < 2)
        return 0;
    end = more ? more : end;
    for (unsigned i = 0; i < 3; i++)
        at[i] = (uint8_t)v[i];
    return text[end] == ')' && v[0] < 16 && v[1] < 16 && v[2] < 16 ? (unsigned)end : 0;
}

// 16 hexadecimal digits, no more.
static const char *name_of_digits(const char *text)
{
    return strspn(text, "0123456789abcdef") == 16 ? name_of(strtoull(text, NULL, 16)) : NULL;
}

void put_named(FILE *out, const char *text)
{
    const char *place = NULL; // the name of the place before
    bool word = false;        // in the middle of one
    for (; *text; text++) {
        uint8_t at[3];
        unsigned length = *text == '(' ? parse_place(text, at) : 0;
        const char *name = length ? place_name(at) : word ? NULL : name_of_digits(text);
        bool serial = name && !length;
        if (serial)
            length = 15;
        fwrite(text, 1, length + 1, out);
        text += length;
        if (serial && text[1] == ']')
            fputc(*++text, out);
        if (name && !(serial && place && !strcmp(place, name)))
            fprintf(out, " \"%s\"", name);
        place = !serial && name ? name : strchr(" [", *text) ? place : NULL;
        word = isalnum((unsigned char)*text);
    }
}
