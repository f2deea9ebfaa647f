// SPDX-License-Identifier: Apache-2.0
// header: see header.h.

#include "header.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 40, WORD = 32, KEY = 128 };

const char *header_share(json_t *record)
{
    static char why[256];
    const char *board = json_string_value(json_object_get(record, "header"));
    char path[128];
    json_error_t error;

    if (!board)
        return NULL;
    if (strspn(board, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(board))
        return "\"header\" is no header, and no board's name";
    snprintf(path, sizeof path, "constraints/%s.json", board);
    json_t *other = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    json_t *header = json_object_get(other, "header");
    snprintf(why, sizeof why, "\"header\": %.100s has none of its own", board);
    bool good = json_is_object(header) && !json_object_set(record, "header", header);
    json_decref(other);
    return good ? NULL : why;
}

const char *header_find(const json_t *header, json_int_t at, struct header_place *place)
{
    const json_t *parts = json_object_get(header, "parts");
    json_int_t pins = json_integer_value(json_object_get(header, "pins")), sum = 0;
    size_t i, count = json_array_size(parts);

    if (at < 1 || at > pins)
        return "the header has no such pin";
    for (i = 0; i < count; i++)
        sum += json_integer_value(json_object_get(json_array_get(parts, i), "pins"));
    if (count && sum < pins)
        return "the header's parts have fewer pins than it";
    if (count && sum > pins)
        return "the header's parts have more pins than it";
    *place = (struct header_place){.index = (int)((at - 1) / HEADER), .own = (int)at};
    for (i = 0; i < count; i++) {
        place->part = json_array_get(parts, i);
        place->index = (int)i;
        pins = json_integer_value(json_object_get(place->part, "pins"));
        if (pins < 2 || pins % 2)
            return "a part of the header has an even number of pins";
        if (place->own <= pins)
            break;
        place->own -= (int)pins;
    }
    const json_t *printed = json_object_get(place->part ? place->part : header, "printed");
    const char *text = json_string_value(json_array_get(printed, (size_t)place->own - 1));
    if (printed && (!text || json_array_size(printed) != (size_t)pins))
        return "what is printed is not said of every pin";
    if (text)
        snprintf(place->printed, sizeof place->printed, "%s", text);
    else
        snprintf(place->printed, sizeof place->printed, "%d", place->own);
    return NULL;
}

// Names are the same in any case and with any brackets: GP0 is gp[0].
static bool same(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "[]");
        b += strspn(b, "[]");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

// The word at `index` of the list behind a text that is there once.
static bool word_of_list(const char *text, const char *behind, int index, char word[WORD])
{
    const char *p = strstr(text, behind);

    if (!p || strstr(p + 1, behind))
        return false;
    for (p += strlen(behind); *p && !strchr(")};", *p);) {
        if (*p == '#' || !strncmp(p, "//", 2)) {
            p += strcspn(p, "\n");
        } else if (isalnum((unsigned char)*p) || *p == '-') {
            size_t n = strspn(p, "-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
            if (index-- == 0) {
                snprintf(word, WORD, "%.*s", (int)n, p);
                return true;
            }
            p += n;
        } else {
            p++;
        }
    }
    return false;
}

// The label at a pin of a connector in KiCad's schematic: its symbol has the odd pins left and the
// even ones right, in rows of 100 from 900 above its middle.
static bool label_of_schematic(const char *text, const char *connector, int number, char word[WORD])
{
    char key[KEY];
    int x, y, label_x, label_y;

    snprintf(key, sizeof key, ":Conn_02x20_Odd_Even %s\n", connector);
    const char *p = strstr(text, key);
    p = p ? strstr(p, "\nP ") : NULL;
    if (!p || sscanf(p, " P %d %d", &x, &y) != 2)
        return false;
    x += number % 2 ? -200 : 300;
    y += (number - 1) / 2 * 100 - 900;
    for (p = text; (p = strstr(p, "\nText GLabel ")); p++)
        if (sscanf(p, " Text GLabel %d %d %*[^\n] %31s", &label_x, &label_y, word) == 3 &&
            label_x == x && label_y == y)
            return true;
    return false;
}

// Which source that is: an index of "said" of each pin, or behind those; SIZE_MAX: none.
static size_t source_at(const json_t *record, const char *path)
{
    const json_t *lists[] = {json_object_get(record, "sources"),
                             json_object_get(json_object_get(record, "header"), "sources")};
    size_t before = 0;

    for (size_t l = 0; path && l < 2; before += json_array_size(lists[l++]))
        for (size_t i = 0; i < json_array_size(lists[l]); i++) {
            const char *is =
                json_string_value(json_object_get(json_array_get(lists[l], i), "path"));
            if (is && !strcmp(is, path))
                return before + i;
        }
    return SIZE_MAX;
}

// What a source calls a pin, NULL if nothing.
static const char *said_of(const json_t *entry, size_t source)
{
    return json_string_value(
        json_array_get(json_array_get(json_object_get(entry, "said"), source), 0));
}

// What a list or schematic is known to say in place of what is right, NULL: nothing else.
static const char *otherwise_at(const json_t *numbered, int number)
{
    const json_t *all = json_object_get(numbered, "otherwise");

    for (size_t i = 0; i < json_array_size(all); i++)
        if (json_integer_value(json_array_get(json_array_get(all, i), 0)) == number)
            return json_string_value(json_array_get(json_array_get(all, i), 1));
    return NULL;
}

// How far into a list a pin of that number is, -1: it is not in it.
static int place_in_list(const json_t *numbered, int number)
{
    const json_t *places = json_object_get(numbered, "places"),
                 *first = json_object_get(numbered, "first");

    if (!places)
        return number - (first ? (int)json_integer_value(first) : 1);
    for (size_t i = 0; i < json_array_size(places); i++)
        if (json_integer_value(json_array_get(places, i)) == number)
            return (int)i;
    return -1;
}

// Looks at one source for the number of one pin. false: it is wrong, and why; *says: whether that
// source says the number.
static bool numbered_so(const json_t *record, const json_t *entry, const json_t *numbered,
                        int number, const char *path, const char *text, bool *says, char *why,
                        size_t size)
{
    const char *port = json_string_value(json_object_get(entry, "port"));
    const char *pin = json_string_value(json_object_get(entry, "pin"));
    const char *in = json_string_value(json_object_get(numbered, "in"));
    const char *name = json_string_value(json_object_get(numbered, "name"));
    const char *list = json_string_value(json_object_get(numbered, "list"));
    const char *schematic = json_string_value(json_object_get(numbered, "schematic"));
    const char *as = json_string_value(json_object_get(numbered, "as"));
    size_t source = source_at(record, in);

    if (source == SIZE_MAX || (as && source_at(record, as) == SIZE_MAX) ||
        !name + !list + !schematic != 2) {
        snprintf(why, size,
                 "%s: it is numbered \"in\" one of the sources, by one of name, list, "
                 "schematic",
                 port);
        return false;
    }
    if (name) {
        const char *said = said_of(entry, source);
        char *end;
        if (!said)
            return true;
        *says = !strncmp(said, name, strlen(name)) && isdigit((unsigned char)said[strlen(name)]) &&
                strtol(said + strlen(name), &end, 10) == number && !*end;
        if (!*says)
            snprintf(why, size, "%s is at pin %d, and %s in %s", port, number, said, in);
        return *says;
    }
    const char *other = otherwise_at(numbered, number);
    const char *is = as ? said_of(entry, source_at(record, as)) : pin;
    int place = list ? place_in_list(numbered, number) : 0;
    if (!is || place < 0)
        return true;
    if (other && same(other, is)) {
        snprintf(why, size, "%s: %s at pin %d is not otherwise", port, is, number);
        return false;
    }
    *says = !other;
    if (!text || strcmp(in, path) != 0)
        return true;
    char word[WORD] = "nothing";
    bool found = list ? word_of_list(text, list, place, word)
                      : label_of_schematic(text, schematic, number, word);
    if (found && same(word, other ? other : is))
        return true;
    snprintf(why, size, "%s: %s in %s has %s at pin %d, not %s", port, list ? list : schematic, in,
             found ? word : "nothing", number, other ? other : is);
    return false;
}

// Whether what is printed beside a pin is a number, or what a source calls it.
static bool printed_so(const json_t *entry, const char *printed)
{
    bool so = printed[0] && strspn(printed, "0123456789") == strlen(printed);

    for (size_t i = 0; i < json_array_size(json_object_get(entry, "said")); i++)
        so = so || (said_of(entry, i) && same(said_of(entry, i), printed));
    return so;
}

static bool pin_holds(const json_t *record, const json_t *entry, const char *path, const char *text,
                      char *why, size_t size)
{
    const char *port = json_string_value(json_object_get(entry, "port"));
    const json_t *header = json_object_get(record, "header");
    json_int_t at = json_integer_value(json_object_get(entry, "header"));
    struct header_place place;
    bool said = false;

    if (!port || strncmp(port, "cable_", 6) != 0)
        return true;
    const char *wrong = header_find(header, at, &place);
    if (!wrong && !printed_so(entry, place.printed))
        wrong = "no source calls it what is printed there";
    if (wrong) {
        snprintf(why, size, "%s, at pin %" JSON_INTEGER_FORMAT ": %s", port, at, wrong);
        return false;
    }
    char *end;
    const json_t *part = place.part ? place.part : header;
    const json_t *numbered = json_object_get(part, "numbered");
    int number = (int)strtol(place.printed, &end, 10);
    number = *end ? place.own : number;
    for (size_t i = 0; i < json_array_size(numbered); i++) {
        bool says = false;
        if (!numbered_so(record, entry, json_array_get(numbered, i), number, path, text, &says, why,
                         size))
            return false;
        said = said || says;
    }
    if (!said) {
        const char *name = json_string_value(json_object_get(part, "name"));
        snprintf(why, size, "%s: no source says that it is at pin %d of %s", port, number,
                 name ? name : "the header");
    }
    return said;
}

bool header_holds(const json_t *record, const char *path, const char *text, char *why, size_t size)
{
    const json_t *list = json_object_get(record, "pins");

    for (size_t i = 0; i < json_array_size(list); i++)
        if (!pin_holds(record, json_array_get(list, i), path, text, why, size))
            return false;
    return true;
}

static bool part_reads(const json_t *part, const char *path)
{
    const json_t *numbered = json_object_get(part, "numbered");

    for (size_t i = 0; i < json_array_size(numbered); i++) {
        const json_t *n = json_array_get(numbered, i);
        const char *in = json_string_value(json_object_get(n, "in"));
        if (in && !strcmp(in, path) && !json_object_get(n, "name"))
            return true;
    }
    return false;
}

bool header_reads(const json_t *record, const char *path)
{
    const json_t *header = json_object_get(record, "header");
    const json_t *parts = json_object_get(header, "parts");
    bool reads = part_reads(header, path);

    for (size_t i = 0; i < json_array_size(parts); i++)
        reads = reads || part_reads(json_array_get(parts, i), path);
    return reads;
}
