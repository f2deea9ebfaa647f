// SPDX-License-Identifier: Apache-2.0
// drawing: which pin of a board's header is which wire of which cable, as an SVG.
//
//     drawing BOARD > constraints/BOARD.svg
//
// From constraints/BOARD.json: "header", and "header" of each pin that is a cable's; port p of
// cable_tx_clk and cable_rx_clk is link p, wire w of it bit p WIRES + w of cable_tx and cable_rx.
// Pins of the header are numbered in rows of two, one header after the other: of 40, or those in
// "parts", whose names and own numbers are drawn; "printed" is what the board has beside each, if
// not that number, "" beside supplies and ground, which are red then: black is ground, which a
// cable has a wire for, and which of them it is only the board says. Run from the top folder. Exit
// status: 0; 2 wrong use, or a record that is not whole: a wire without a place, two at one, one at
// a pin that is something else. One line on stderr then.

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>

enum {
    MAX_PINS = 160,
    HEADER = 40,
    TEXT = 64,
    ROW = 22,
    TOP = 64,
    MIDDLE = 330,
    COLUMN = 26,
    LINES = 3
};

struct place {
    char what[TEXT];
    const char *colour;
    bool wire;
};

static const char *const links[] = {"x+", "x-", "y+", "y-", "z+", "z-"};
// Told apart by those who do not see red or green, too
static const char *const colours[] = {"#0072b2", "#56b4e9", "#d55e00",
                                      "#e69f00", "#117733", "#999933"};
enum { LINKS = sizeof links / sizeof *links };

noreturn __attribute__((format(printf, 1, 2))) static void fail(const char *format, ...)
{
    va_list args;
    fputs("drawing: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

static const char *text_of(const json_t *header, const char *key)
{
    const char *text = json_string_value(json_object_get(header, key));
    if (!text)
        fail("a header has a \"%s\"", key);
    return text;
}

static void put(struct place *place, int pins, int at, const char *what, const char *colour,
                bool wire)
{
    if (at < 1 || at > pins)
        fail("%s: at pin %d of a header with %d", what, at, pins);
    if (place[at].what[0])
        fail("pin %d of the header is %s, and %s", at, place[at].what, what);
    snprintf(place[at].what, TEXT, "%s", what);
    place[at].colour = colour;
    place[at].wire = wire;
}

// Of which part of the header that pin is, and its number there; where there are no parts, one of
// 40 after the other, numbered on. NULL: no such part.
static const json_t *part_of(const json_t *header, int at, int *index, int *own)
{
    const json_t *parts = json_object_get(header, "parts"), *part = NULL;
    *own = at;
    *index = (at - 1) / HEADER;
    for (size_t i = 0; i < json_array_size(parts); i++) {
        part = json_array_get(parts, i);
        int pins = (int)json_integer_value(json_object_get(part, "pins"));
        if (pins < 2 || pins % 2)
            fail("a part of the header has an even number of pins");
        *index = (int)i;
        if (*own <= pins)
            return part;
        *own -= pins;
    }
    if (parts)
        fail("the header's parts have fewer pins than it");
    return NULL;
}

// What is to be read beside that pin.
static const char *printed_at(const json_t *header, int at, char number[TEXT])
{
    int index, own;
    const json_t *part = part_of(header, at, &index, &own);
    const json_t *printed = json_object_get(part ? part : header, "printed");
    const char *text = json_string_value(json_array_get(printed, (size_t)own - 1));
    if (printed && !text)
        fail("what is printed beside pin %d of the header is no text", at);
    snprintf(number, TEXT, "%d", own);
    return text ? text : number;
}

// Which pins are no wires.
static void put_others(struct place *place, int pins, const json_t *header)
{
    const json_t *ground = json_object_get(header, "ground");
    const json_t *open = json_object_get(header, "leave_open");
    const json_t *printed = json_object_get(header, "printed");
    for (size_t i = 0; i < json_array_size(ground); i++)
        put(place, pins, (int)json_integer_value(json_array_get(ground, i)), "ground", "#000000",
            false);
    if (printed && json_array_size(printed) != (size_t)pins)
        fail("what is printed beside %zu of %d pins", json_array_size(printed), pins);
    char number[TEXT];
    for (int at = 1; printed && at <= pins; at++)
        if (!printed_at(header, at, number)[0])
            put(place, pins, at, "ground or a supply: see the board", "#cc0000", false);
    for (size_t i = 0; i < json_array_size(open); i++) {
        const json_t *o = json_array_get(open, i);
        char what[TEXT];
        const char *is = json_string_value(json_array_get(o, 1));
        snprintf(what, sizeof what, "%s: leave it open", is ? is : "?");
        put(place, pins, (int)json_integer_value(json_array_get(o, 0)), what, "#cc0000", false);
    }
}

// How many pins have a port of that name.
static int count(const json_t *all, const char *name)
{
    int found = 0;
    size_t length = strlen(name);
    for (size_t i = 0; i < json_array_size(all); i++) {
        const char *port = json_string_value(json_object_get(json_array_get(all, i), "port"));
        found += port && !strncmp(port, name, length) && port[length] == '[';
    }
    return found;
}

static void put_wires(struct place *place, int pins, const json_t *all)
{
    int clocks = count(all, "cable_tx_clk"), wires = clocks ? count(all, "cable_tx") / clocks : 0;
    if (wires < 1)
        fail("no pins cable_tx_clk[] and cable_tx[], of these as many as wires to each");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *pin = json_array_get(all, i);
        const char *port = json_string_value(json_object_get(pin, "port"));
        char kind[4], what[TEXT];
        int bit;
        if (!port || strncmp(port, "cable_", 6) != 0)
            continue;
        bool clock = sscanf(port, "cable_%2[rtx]_clk[%d]", kind, &bit) == 2;
        if (!clock && sscanf(port, "cable_%2[rtx][%d]", kind, &bit) != 2)
            fail("%s: not a cable's wire", port);
        int link = clock ? bit : bit / wires;
        if (bit < 0 || link >= LINKS)
            fail("%s: there are six links", port);
        const char *way = kind[0] == 't' ? "out" : "in";
        if (clock)
            snprintf(what, sizeof what, "%s %s, clock", links[link], way);
        else
            snprintf(what, sizeof what, "%s %s, wire %d", links[link], way, bit % wires);
        put(place, pins, (int)json_integer_value(json_object_get(pin, "header")), what,
            colours[link], true);
    }
}

static void draw(const char *board, const json_t *header, const struct place *place, int pins)
{
    int last, own;
    const json_t *part = part_of(header, pins, &last, &own);
    int height = TOP + (pins / 2 + last + (part ? 1 : 0)) * ROW + 24 + 20 * LINES;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"700\" height=\"%d\" "
           "font-family=\"sans-serif\" font-size=\"13\">\n"
           "<!-- build/constraints/drawing %s -->\n"
           "<rect width=\"700\" height=\"%d\" fill=\"white\"/>\n"
           "<text x=\"20\" y=\"26\" font-size=\"16\">%s: cables at the %s</text>\n"
           "<text x=\"20\" y=\"46\" fill=\"#444444\">%s</text>\n",
           height, board, height, board, text_of(header, "name"), text_of(header, "numbering"));
    for (int at = 1; at <= pins; at++) {
        const struct place *p = &place[at];
        int index;
        part = part_of(header, at, &index, &own);
        index += part ? 1 : 0; // a line for its name
        int right = at % 2 == 0, y = TOP + ((at - 1) / 2 + index) * ROW + ROW / 2;
        if (part && own == 1)
            printf("<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" "
                   "font-weight=\"bold\">%s</text>\n",
                   MIDDLE + COLUMN / 2, y + 5 - ROW, text_of(part, "name"));
        int x = MIDDLE + right * COLUMN;
        const char *colour = p->what[0] ? p->colour : "#bbbbbb";
        printf("<circle cx=\"%d\" cy=\"%d\" r=\"8\" fill=\"%s\" stroke=\"%s\" "
               "stroke-width=\"2\"/>\n",
               x, y, p->wire ? colour : "white", colour);
        char number[TEXT];
        printf("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" fill=\"#444444\">%s</text>\n",
               x + (right ? 14 : -14), y + 5, right ? "start" : "end",
               printed_at(header, at, number));
        printf("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n",
               x + (right ? 62 : -62), y + 5, right ? "start" : "end", colour,
               p->what[0] ? p->what : "free");
    }
    static const char *const cable[] = {
        "A cable: out of one end to in of the other, wire 0 to wire 0, clock to clock,",
        "and ground to ground; 10 to 20 cm, all its wires of one length.",
        "x+ of a board goes to x- of the next one. 3.3 V signals only.",
    };
    for (int i = 0; i < LINES; i++)
        printf("<text x=\"20\" y=\"%d\">%s</text>\n", height - 14 - 20 * (LINES - 1 - i), cable[i]);
    puts("</svg>");
}

int main(int argc, char **argv)
{
    char path[256];
    json_error_t error;
    struct place place[MAX_PINS + 1] = {0};

    if (argc != 2)
        fail("usage: drawing BOARD");
    snprintf(path, sizeof path, "constraints/%s.json", argv[1]);
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail("%s:%d: %s", path, error.line, error.text);
    const json_t *header = json_object_get(root, "header"), *all = json_object_get(root, "pins");
    int pins = (int)json_integer_value(json_object_get(header, "pins"));
    if (pins < 2 || pins > MAX_PINS || pins % 2)
        fail("%s: no header with pins, an even number up to %d", path, MAX_PINS);
    put_others(place, pins, header);
    put_wires(place, pins, all);
    draw(argv[1], header, place, pins);
    json_decref(root);
    if (fclose(stdout) != 0)
        fail("cannot write the drawing");
    return 0;
}
