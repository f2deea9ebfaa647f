// SPDX-License-Identifier: Apache-2.0
// drawing: which pin of a board's header is which wire of which cable, as an SVG.
//
//     drawing BOARD > constraints/BOARD.svg
//
// From constraints/BOARD.json: "header", and "header" of each pin that is a cable's; port p of
// cable_tx_clk and cable_rx_clk is link p, wire w of it bit p WIRES + w of cable_tx and cable_rx.
// Where the header's pins are is in header.h; what the board has printed beside them is drawn.
// Black is ground, which a cable has a wire for; red is what stays open. Run from the top folder.
// Exit status: 0; 2 wrong use, or a record that is not whole: a wire without a place, two at one,
// one at a pin that is something else. One line on stderr then.

#include "header.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>

enum { MAX_PINS = 160, TEXT = 64, ROW = 22, TOP = 64, MIDDLE = 330, COLUMN = 26, LINES = 3 };

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

static struct header_place find(const json_t *header, int at)
{
    struct header_place place;
    const char *wrong = header_find(header, at, &place);
    if (wrong)
        fail("pin %d of the header: %s", at, wrong);
    return place;
}

// Which pins are no wires.
static void put_others(struct place *place, int pins, const json_t *header)
{
    const json_t *ground = json_object_get(header, "ground");
    const json_t *open = json_object_get(header, "leave_open");
    for (size_t i = 0; i < json_array_size(ground); i++)
        put(place, pins, (int)json_integer_value(json_array_get(ground, i)), "ground", "#000000",
            false);
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
        json_int_t at = json_integer_value(json_object_get(pin, "header"));
        put(place, pins, at > pins ? 0 : (int)at, what, colours[link], true);
    }
}

static void draw(const char *board, const json_t *header, const struct place *place, int pins)
{
    struct header_place last = find(header, pins);
    int height = TOP + (pins / 2 + last.index + (last.part ? 1 : 0)) * ROW + 24 + 20 * LINES;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"700\" height=\"%d\" "
           "font-family=\"sans-serif\" font-size=\"13\">\n"
           "<!-- build/constraints/drawing %s -->\n"
           "<rect width=\"700\" height=\"%d\" fill=\"white\"/>\n"
           "<text x=\"20\" y=\"26\" font-size=\"16\">%s: cables at the %s</text>\n"
           "<text x=\"20\" y=\"46\" fill=\"#444444\">%s</text>\n",
           height, board, height, board, text_of(header, "name"), text_of(header, "numbering"));
    for (int at = 1; at <= pins; at++) {
        const struct place *p = &place[at];
        struct header_place h = find(header, at);
        if (!h.printed[0] && !p->what[0]) // else a supply would be drawn as free
            fail("pin %d of the header has nothing beside it, and is no ground and no supply", at);
        int line = (at - 1) / 2 + h.index + (h.part ? 1 : 0); // a line for its name
        int right = at % 2 == 0, y = TOP + line * ROW + ROW / 2;
        if (h.part && h.own == 1)
            printf("<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" "
                   "font-weight=\"bold\">%s</text>\n",
                   MIDDLE + COLUMN / 2, y + 5 - ROW, text_of(h.part, "name"));
        int x = MIDDLE + right * COLUMN;
        const char *colour = p->what[0] ? p->colour : "#bbbbbb";
        printf("<circle cx=\"%d\" cy=\"%d\" r=\"8\" fill=\"%s\" stroke=\"%s\" "
               "stroke-width=\"2\"/>\n",
               x, y, p->wire ? colour : "white", colour);
        printf("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" fill=\"#444444\">%s</text>\n",
               x + (right ? 14 : -14), y + 5, right ? "start" : "end", h.printed);
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
    const char *wrong = header_share(root);
    if (wrong)
        fail("%s: %s", path, wrong);
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
