// SPDX-License-Identifier: Apache-2.0
//
// ecp5_netlist: an ECP5 after place and route as Verilog that a simulator runs.
//
//     ecp5_netlist PLACED.json CONFIG > netlist.v
//
// PLACED.json: what nextpnr-ecp5 --write wrote; from there come the cells and which net is at which
// pin. CONFIG: the bitstream in Trellis' text form, as ecpunpack decodes it; from there comes what
// is in the look-up tables and block RAMs, with the firmware and the serial number that were
// patched in. What else of it is looked at must be as in the netlist: how slices and flip-flops are
// set, and all switches of the routing, tile by tile: none is missing and none is there that no net
// has. That the switches that a net has join the pins that it has is nextpnr's word; how block
// RAMs, multipliers, the PLL and the pins are set is from the netlist and not looked at.
//
// Cells, as Lattice describes them (data sheet FPGA-DS-02012; technical notes FPGA-TN-02204 memory,
// FPGA-TN-02200 clocks, FPGA-TN-02205 DSP): slices become expressions, DP16KD, MULT18X18D and
// EHXPLLL are instances of the models in rtl/top/test. An input that nothing drives is 1, a reset
// that nothing drives is off. What has no model is refused.
//
// Exit status: 0; 2 wrong use, a file that cannot be read, a cell or mode without a model, or a
// netlist and a bitstream that are not of one design: one line on stderr.

#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>

enum { RAM_WORDS = 2048, MAX_RAM = 1024, TEXT = 256, EXPR = 4096, PINS = 4 };

static json_t *words;                // "R2C3 SLICEA.K0.INIT" -> value, of the config
static json_t *feeds;                // "X2/Y3/A1" -> which physical pin of the LUT feeds it
static json_t *arcs;                 // "R2C3 SINK SOURCE", a switch of the config -> no net has it
static json_t *arc_kinds;            // "SINK SOURCE" without numbers, of all these
static uint16_t *ram_words[MAX_RAM]; // by WID
static const char *cell_name;

noreturn __attribute__((format(printf, 2, 3))) static void fail(const char *what,
                                                                const char *format, ...)
{
    va_list args;

    fprintf(stderr, "ecp5_netlist: %s: ", what);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

// ---- the bitstream ------------------------------------------------------------------------------

static void read_ram(FILE *f, const char *path, int wid)
{
    if (wid < 0 || wid >= MAX_RAM || ram_words[wid])
        fail(path, "block RAM %d twice, or out of range", wid);
    ram_words[wid] = calloc(RAM_WORDS, sizeof **ram_words);
    for (int i = 0; i < RAM_WORDS; i++) {
        unsigned word;
        if (fscanf(f, "%3x", &word) != 1 || word > 0x1ff)
            fail(path, "block RAM %d has no word %d", wid, i);
        ram_words[wid][i] = (uint16_t)word;
    }
}

// A wire's name as it is from its tile, "N1_V02S0401", without what says which of many alike it is.
static const char *kind_of(const char *wire, char kind[TEXT])
{
    size_t n = 0;

    if (strchr("NESW", wire[0]) && wire[1] >= '0' && wire[1] <= '9' && strchr(wire, '_'))
        wire = strchr(wire, '_') + 1;
    for (; *wire && n < TEXT - 1; wire++)
        if (*wire < '0' || *wire > '9')
            kind[n++] = *wire;
    kind[n] = 0;
    return kind;
}

static const char *arc_kind(const char *sink, const char *source)
{
    static char text[2 * TEXT];
    char a[TEXT], b[TEXT];

    snprintf(text, sizeof text, "%s %s", kind_of(sink, a), kind_of(source, b));
    return text;
}

// The place of a tile, "R2C3", from its name.
static void place_in_name(const char *path, const char *line, char place[32])
{
    unsigned x, y;
    const char *at = strchr(line, 'R');

    while (at && sscanf(at, "R%uC%u", &y, &x) != 2)
        at = strchr(at + 1, 'R');
    if (!at)
        fail(path, "a tile without a place: %.*s", (int)strcspn(line, "\n"), line);
    snprintf(place, 32, "R%uC%u", y, x);
}

static void read_config(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[1 << 14], tile[32] = "", at[32] = "", key[2 * TEXT], name[TEXT / 2], value[TEXT / 2];
    int wid;

    if (!f)
        fail(path, "%s", strerror(errno));
    words = json_object();
    arcs = json_object();
    arc_kinds = json_object();
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '.') {
            tile[0] = 0;
            if (sscanf(line, ".tile %31[RC0-9]:PLC2", tile) == 1 && !strstr(line, ":PLC2"))
                tile[0] = 0;
            if (!strncmp(line, ".tile ", 6))
                place_in_name(path, line, at);
            if (sscanf(line, ".bram_init %d", &wid) == 1)
                read_ram(f, path, wid);
        } else if (sscanf(line, "arc: %127s %127s", name, value) == 2) {
            snprintf(key, sizeof key, "%s %s %s", at, name, value);
            json_object_set_new(arcs, key, json_true());
            json_object_set_new(arc_kinds, arc_kind(name, value), json_true());
        } else if (tile[0] && (sscanf(line, "word: %127s %127s", name, value) == 2 ||
                               sscanf(line, "enum: %127s %127s", name, value) == 2)) {
            snprintf(key, sizeof key, "%s %s", tile, name);
            json_object_set_new(words, key, json_string(value));
        }
    }
    fclose(f);
    if (!json_object_size(words))
        fail(path, "no slice is set");
}

// How a slice is set; `otherwise` where the bitstream says nothing.
static const char *set_to(const char *tile, const char *name, const char *otherwise)
{
    char key[2 * TEXT];

    snprintf(key, sizeof key, "%s %s", tile, name);
    const char *value = json_string_value(json_object_get(words, key));
    return value ? value : otherwise;
}

// ---- the netlist --------------------------------------------------------------------------------

static const char *text_of(const json_t *cell, const char *group, const char *name)
{
    return json_string_value(json_object_get(json_object_get(cell, group), name));
}

// A parameter; `otherwise` where there is none.
static const char *parameter(const json_t *cell, const char *name, const char *otherwise)
{
    const char *value = text_of(cell, "parameters", name);

    return value ? value : otherwise;
}

// Yosys marks text that looks like a number with a blank behind it: off with it.
static void trim_parameters(json_t *cell)
{
    json_t *parameters = json_object_get(cell, "parameters"), *value;
    const char *name;

    json_object_foreach(parameters, name, value)
    {
        const char *text = json_string_value(value);
        if (!text)
            fail(cell_name, "%s is not text", name);
        json_string_setn(value, text, strcspn(text, " "));
    }
}

static unsigned number_of(const char *bits)
{
    return (unsigned)strtoul(bits, NULL, 2);
}

// The net at a pin, -1 none.
static json_int_t net_of(const json_t *cell, const char *pin)
{
    const json_t *bits = json_object_get(json_object_get(cell, "connections"), pin);
    const json_t *bit = json_array_get(bits, 0);

    if (json_array_size(bits) > 1 || (bit && !json_is_integer(bit)))
        fail(cell_name, "pin %s is not one net", pin);
    return bit ? json_integer_value(bit) : -1;
}

// What is at an input, through the multiplexer at the pin, as Verilog.
static const char *input(const json_t *cell, const char *pin, int undriven)
{
    static char text[16][32];
    static unsigned turn;
    char name[64], *out = text[turn++ % 16];
    json_int_t net = net_of(cell, pin);

    snprintf(name, sizeof name, "%sMUX", pin);
    const char *mux = parameter(cell, name, pin);
    bool invert = !strcmp(mux, "INV");
    if (!strcmp(mux, "0") || !strcmp(mux, "1"))
        snprintf(out, sizeof text[0], "1'b%s", mux);
    else if (strcmp(mux, pin) != 0 && !invert)
        fail(cell_name, "%s is %s: no model", name, mux);
    else if (net < 0)
        snprintf(out, sizeof text[0], "1'b%d", invert ? !undriven : undriven);
    else
        snprintf(out, sizeof text[0], "%sn%lld", invert ? "~" : "", (long long)net);
    return out;
}

static void assign(const json_t *cell, const char *pin, const char *value)
{
    json_int_t net = net_of(cell, pin);

    if (net >= 0)
        printf("  assign n%lld = %s;\n", (long long)net, value);
}

// A wire as its tile calls it from how nextpnr names it, "-1_0_V02S0401": columns and rows away.
// Those of the whole chip have one name.
static void wire_name(const char *text, size_t length, char name[TEXT])
{
    int x = 0, y = 0, used = 0;
    char copy[TEXT], away[2 * 16] = "";

    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    if (sscanf(copy, "%d_%d_%n", &x, &y, &used) != 2 || !used)
        fail(copy, "not a wire");
    if (strncmp(copy + used, "G_", 2) != 0) {
        int n = y ? snprintf(away, 16, "%c%d", y < 0 ? 'N' : 'S', abs(y)) : 0;
        if (x)
            n += snprintf(away + n, 16, "%c%d", x < 0 ? 'W' : 'E', abs(x));
        if (n)
            snprintf(away + n, 2, "_");
    }
    snprintf(name, TEXT, "%s%s", away, copy + used);
}

// A switch that a net goes through is set in the bitstream; those of which it has none of the kind
// are connections that are always there. (So one that is the only one of its kind is not missed: a
// dozen, mostly of clocks.)
static void check_arc(const char *net, const char *pip)
{
    unsigned x, y;
    int used = 0;
    char sink[TEXT], source[TEXT], key[3 * TEXT];
    const char *to = strstr(pip, "->");

    if (sscanf(pip, "X%u/Y%u/%n", &x, &y, &used) != 2 || !used || !to)
        fail(net, "%s: not a switch", pip);
    wire_name(pip + used, (size_t)(to - pip) - (size_t)used, source);
    wire_name(to + 2, strlen(to + 2), sink);
    snprintf(key, sizeof key, "R%uC%u %s %s", y, x, sink, source);
    if (json_object_get(arcs, key))
        json_object_set_new(arcs, key, json_false());
    else if (json_object_get(arc_kinds, arc_kind(sink, source)))
        fail(net, "the bitstream does not join what its route does: %s", key);
}

// Switches of the bitstream that no net goes through. Some settings have the bits of one: a slice's
// as a carry that of its outputs, clocks at rest theirs.
static void check_no_other_arcs(const char *path)
{
    const char *key;
    json_t *unused;

    json_object_foreach(arcs, key, unused)
    {
        unsigned lut;
        char tile[32], name[32], slice, mux;
        if (json_is_false(unused))
            continue;
        if (sscanf(key, "%31s F%1u F%c%c_SLICE", tile, &lut, &mux, &slice) == 4 &&
            mux == (lut % 2 ? 'X' : '5') && slice == (char)('A' + lut / 2)) {
            snprintf(name, sizeof name, "SLICE%c.MODE", slice);
            if (!strcmp(set_to(tile, name, "LOGIC"), "CCU2"))
                continue;
        }
        if (strstr(key, " G_DCS") || strstr(key, "_JECLK"))
            continue;
        fail(path, "the bitstream joins what no net does: %s", key);
    }
}

// Walks all routes: which physical pin of a look-up table feeds which of the netlist, since the
// router exchanges them; and each switch.
static void read_routes(const json_t *module)
{
    const char *key;
    json_t *net;

    feeds = json_object();
    json_object_foreach(json_object_get(module, "netnames"), key, net)
    {
        // WIRE;PIP;STRENGTH;..., where the pip is named after what it joins; none at the driver. A
        // blank where there is no route.
        const char *at = text_of(net, "attributes", "ROUTING");
        while (at && at[strspn(at, " ")]) {
            unsigned x, y, x1, y1, lut, from_lut;
            char pin, from, pip[TEXT], name[TEXT];
            size_t wire = strcspn(at, ";"), length = wire + 1 + strcspn(at + wire + 1, ";");
            if (!at[wire] || !at[length] || length >= TEXT)
                fail(key, "a route that is not WIRE;PIP;STRENGTH");
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            snprintf(pip, sizeof pip, "%s", name + wire + 1);
            at += length + 1 + strcspn(at + length + 1, ";");
            at += *at == ';';
            if (!*pip)
                continue;
            check_arc(key, pip);
            if (sscanf(name, "X%u/Y%u/%c%1u_SLICE;X%u/Y%u/0_0_%c%1u->", &x, &y, &pin, &lut, &x1,
                       &y1, &from, &from_lut) != 8 ||
                pin < 'A' || pin > 'D')
                continue;
            if (from < 'A' || from > 'D' || lut != from_lut || x != x1 || y != y1)
                fail(key, "a pin of a look-up table that is fed from elsewhere");
            snprintf(name, sizeof name, "X%u/Y%u/%c%u", x, y, pin, lut);
            json_object_set_new(feeds, name, json_integer(from - 'A'));
        }
    }
}

struct place {
    unsigned x, y, lut; // look-up table or flip-flop 0 to 7 of the slices at column x, row y
    char tile[32];      // "R2C3"
    char slice[8];      // "SLICEA"
};

static struct place place_of(const json_t *cell)
{
    const char *bel = text_of(cell, "attributes", "NEXTPNR_BEL");
    struct place p;
    char slice, kind[8];
    unsigned k;

    if (!bel || sscanf(bel, "X%u/Y%u/SLICE%c.%4[A-Z]%u", &p.x, &p.y, &slice, kind, &k) != 5 ||
        slice < 'A' || slice > 'D' || k > 1)
        fail(cell_name, "it is not placed in a slice");
    p.lut = (unsigned)(slice - 'A') * 2 + k;
    snprintf(p.tile, sizeof p.tile, "R%uC%u", p.y, p.x);
    snprintf(p.slice, sizeof p.slice, "SLICE%c", slice);
    return p;
}

// A look-up table as it is in the bitstream: its content by physical pins, entry {D, C, B, A}, and
// what is at them.
struct table {
    uint16_t content;
    char pin[PINS][24];
};

// Gets a look-up table from the bitstream. It must do what the netlist's does, unless nothing
// drives it: such are patched.
static void read_table(const json_t *cell, const struct place *p, struct table *t)
{
    char name[TEXT], mux[TEXT];
    unsigned feed[PINS], driven = 0;
    uint16_t wanted = (uint16_t)number_of(parameter(cell, "INITVAL", "0"));
    bool carry = !strcmp(parameter(cell, "MODE", "LOGIC"), "CCU2");

    snprintf(name, sizeof name, "%s.K%u.INIT", p->slice, p->lut % 2);
    const char *bits = set_to(p->tile, name, "1111111111111111");
    if (strlen(bits) != 16)
        fail(cell_name, "%s %s: not 16 bits", p->tile, name);
    t->content = (uint16_t)number_of(bits);
    for (unsigned i = 0; i < PINS; i++)
        snprintf(t->pin[i], sizeof t->pin[i], "1'b1");
    for (unsigned i = 0; i < PINS; i++) {
        char pin[2] = {(char)('A' + i), 0};
        json_int_t net = net_of(cell, pin);
        snprintf(name, sizeof name, "X%u/Y%u/%c%u", p->x, p->y, pin[0], p->lut);
        const json_t *from = json_object_get(feeds, name);
        feed[i] = from ? (unsigned)json_integer_value(from) : PINS;
        if (!from != (net < 0))
            fail(cell_name, "pin %s has a net without a route, or a route without a net", pin);
        if (!from)
            continue;
        driven |= 1U << i;
        snprintf(t->pin[feed[i]], sizeof t->pin[0], "n%lld", (long long)net);
        snprintf(mux, sizeof mux, "%s.%c%uMUX", p->slice, 'A' + (int)feed[i], p->lut % 2);
        if (strcmp(set_to(p->tile, mux, "routed"), "routed") != 0)
            fail(cell_name, "%s %s cuts a pin off that has a route", p->tile, mux);
    }
    for (unsigned entry = 0; entry < 16 && driven; entry++) {
        unsigned low = 0, high = 0; // physical pins that an entry needs to be 0, and 1
        for (unsigned i = 0; i < PINS; i++)
            if (driven >> i & 1)
                *(entry >> i & 1 ? &high : &low) |= 1U << feed[i];
        unsigned reached = entry | (~driven & 15), at = ~low & 15;
        if (low & high) // two pins of one net cannot differ
            continue;
        if ((t->content >> at & 1) != (wanted >> reached & 1) ||
            (carry && (t->content >> (at & 3) & 1) != (wanted >> (reached & 3) & 1)))
            fail(cell_name, "%s %s.K%u: the bitstream has %s, which is not the netlist's %04x",
                 p->tile, p->slice, p->lut % 2, bits, wanted);
    }
}

// A table of `inputs` inputs as an expression.
static void table_text(char *out, size_t size, unsigned table, unsigned inputs,
                       const char *const pin[PINS])
{
    unsigned entries = 1U << inputs, all = entries == 16 ? 0xffff : (1U << entries) - 1;
    char low_text[EXPR], high_text[EXPR];

    table &= all;
    if (table == 0 || table == all) {
        snprintf(out, size, "1'b%d", table != 0);
        return;
    }
    unsigned half = entries / 2, ones = (1U << half) - 1;
    unsigned low = table & ones, high = table >> half;
    const char *v = pin[inputs - 1];
    int len;
    table_text(low_text, sizeof low_text, low, inputs - 1, pin);
    table_text(high_text, sizeof high_text, high, inputs - 1, pin);
    if (low == high)
        len = snprintf(out, size, "%s", low_text);
    else if (low == 0)
        len = high == ones ? snprintf(out, size, "%s", v)
                           : snprintf(out, size, "(%s & %s)", v, high_text);
    else if (low == ones)
        len = high == 0 ? snprintf(out, size, "~%s", v)
                        : snprintf(out, size, "(~%s | %s)", v, high_text);
    else if (high == 0)
        len = snprintf(out, size, "(~%s & %s)", v, low_text);
    else if (high == ones)
        len = snprintf(out, size, "(%s | %s)", v, low_text);
    else if (high == (~low & ones))
        len = snprintf(out, size, "(%s ^ %s)", v, low_text);
    else
        len = snprintf(out, size, "(%s ? %s : %s)", v, high_text, low_text);
    if (len < 0 || (size_t)len >= size)
        fail(cell_name, "an expression that is too long");
}

// A set-up that the slice must have in the bitstream as the netlist has it.
static void agree(const struct place *p, const char *name, const char *otherwise,
                  const char *wanted)
{
    const char *value = set_to(p->tile, name, otherwise);

    if (strcmp(value, wanted) != 0)
        fail(cell_name, "%s %s is %s in the bitstream, %s in the netlist", p->tile, name, value,
             wanted);
}

static void write_comb(const json_t *cell)
{
    struct place p = place_of(cell);
    const char *mode = parameter(cell, "MODE", "LOGIC");
    struct table table;
    const char *const pin[PINS] = {table.pin[0], table.pin[1], table.pin[2], table.pin[3]};
    char text[EXPR], line[2 * EXPR + TEXT], id[32], name[32];

    snprintf(name, sizeof name, "%s.MODE", p.slice);
    agree(&p, name, "LOGIC", !strcmp(mode, "RAMW_BLOCK") ? "RAMW" : mode);
    if (!strcmp(mode, "RAMW_BLOCK"))
        return;
    read_table(cell, &p, &table);
    snprintf(id, sizeof id, "x%uy%ul%u", p.x, p.y, p.lut);
    table_text(text, sizeof text, table.content, PINS, pin);
    if (!strcmp(mode, "LOGIC")) {
        assign(cell, "F", text);
    } else if (!strcmp(mode, "CCU2")) {
        const char *inject = parameter(cell, "CCU2_INJECT1", "NO");
        bool cut = !strcmp(inject, "YES");
        char carry[EXPR];
        snprintf(name, sizeof name, "%s.CCU2.INJECT1_%u", p.slice, p.lut % 2);
        agree(&p, name, "YES", inject);
        // The carry is generated by the first four entries, as of a table of A and B.
        table_text(carry, sizeof carry, table.content & 15, 2, pin);
        printf("  wire l%s = %s;\n", id, text);
        snprintf(line, sizeof line, "l%s ^ %s", id, cut ? "1'b0" : input(cell, "FCI", 0));
        assign(cell, "F", line);
        snprintf(line, sizeof line, "(~l%s & %s) | (l%s & %s)", id, cut ? "1'b0" : carry, id,
                 input(cell, "FCI", 0));
        assign(cell, "FCO", line);
    } else if (!strcmp(mode, "DPRAM")) {
        printf("  reg [15:0] r%s = 16'h%04x;\n"
               "  always @(posedge %s) if (%s) r%s[{%s, %s, %s, %s}] <= %s;\n",
               id, table.content, input(cell, "WCK", 1), input(cell, "WRE", 1), id,
               input(cell, "WAD3", 1), input(cell, "WAD2", 1), input(cell, "WAD1", 1),
               input(cell, "WAD0", 1), input(cell, "WD", 1));
        snprintf(line, sizeof line, "r%s[{%s, %s, %s, %s}]", id, pin[0], pin[2], pin[1], pin[3]);
        assign(cell, "F", line);
    } else {
        fail(cell_name, "a slice in mode %s: no model", mode);
    }
    // The multiplexer beside: of the slice's two tables, or of two slices.
    bool upper = p.lut % 2;
    char f[32];
    snprintf(f, sizeof f, "%s", input(cell, "F", 0));
    snprintf(line, sizeof line, "%s ? %s : %s", input(cell, "M", 1),
             upper ? input(cell, "FXB", 1) : input(cell, "F1", 1),
             upper ? input(cell, "FXA", 1) : f);
    assign(cell, "OFX", line);
}

static void write_ff(const json_t *cell)
{
    struct place p = place_of(cell);
    json_int_t q = net_of(cell, "Q");
    bool set = !strcmp(parameter(cell, "REGSET", "RESET"), "SET");
    const char *data = parameter(cell, "SD", "0");
    const char *lsr = net_of(cell, "LSR") < 0 ? "1'b0" : input(cell, "LSR", 0);
    const char *ce = input(cell, "CE", 1);
    char name[32];

    if (q < 0)
        return;
    snprintf(name, sizeof name, "%s.REG%u.SD", p.slice, p.lut % 2);
    agree(&p, name, "1", data);
    snprintf(name, sizeof name, "%s.REG%u.REGSET", p.slice, p.lut % 2);
    agree(&p, name, "SET", set ? "SET" : "RESET");
    snprintf(name, sizeof name, "%s.CEMUX", p.slice);
    agree(&p, name, "CE", parameter(cell, "CEMUX", "CE"));
    snprintf(name, sizeof name, "%s.GSR", p.slice);
    agree(&p, name, "ENABLED", "DISABLED");
    // A slice takes one of its tile's two clocks, which may be inverted there.
    snprintf(name, sizeof name, "R%uC%u MUXCLK%u CLK1", p.y, p.x, p.lut / 2);
    snprintf(name, sizeof name, "CLK%d.CLKMUX", json_object_get(arcs, name) != NULL);
    const char *edge = parameter(cell, "CLKMUX", "CLK");
    agree(&p, name, "CLK", edge);
    bool falls = !strcmp(edge, "INV");
    if (strcmp(parameter(cell, "GSR", "DISABLED"), "DISABLED") != 0 ||
        strcmp(parameter(cell, "SRMODE", "LSR_OVER_CE"), "LSR_OVER_CE") != 0 ||
        (!falls && strcmp(edge, "CLK") != 0) || net_of(cell, "CLK") < 0 ||
        strcmp(parameter(cell, "LSRMODE", "LSR"), "LSR") != 0)
        fail(cell_name, "a flip-flop in a mode without a model");
    printf("  reg r%lld = 1'b%d;\n  assign n%lld = r%lld;\n"
           "  always @(%s n%lld) if (%s) r%lld <= 1'b%d; else if (%s) r%lld <= %s;\n",
           (long long)q, set, (long long)q, (long long)q, falls ? "negedge" : "posedge",
           (long long)net_of(cell, "CLK"), lsr, (long long)q, set, ce, (long long)q,
           strcmp(data, "1") == 0 ? input(cell, "DI", 1) : input(cell, "M", 1));
}

static void write_ramw(const json_t *cell)
{
    static const char *const pairs[][2] = {{"WDO0", "C1"},  {"WDO1", "A1"},  {"WDO2", "D1"},
                                           {"WDO3", "B1"},  {"WADO0", "D0"}, {"WADO1", "B0"},
                                           {"WADO2", "C0"}, {"WADO3", "A0"}};

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        assign(cell, pairs[i][0], input(cell, pairs[i][1], 1));
}

// A cell that has a model: its parameters but the multiplexers at its pins, which are outside of
// it, and its pins.
static void write_instance(const json_t *cell, const char *type, unsigned number)
{
    const char *pin, *name, *direction, *comma = "";
    json_t *directions = json_object_get(cell, "port_directions"), *value;
    int wid = -1;

    printf("  %s #(", type);
    json_object_foreach(json_object_get(cell, "parameters"), name, value)
    {
        const char *text = json_string_value(value);
        size_t len = strlen(name);
        if ((len > 3 && !strcmp(name + len - 3, "MUX")) || !strncmp(name, "INITVAL", 7))
            continue;
        if (strspn(text, "01") == strlen(text) && *text)
            printf("%s.%s(%u)", comma, name, number_of(text));
        else
            printf("%s.%s(\"%s\")", comma, name, text);
        comma = ", ";
    }
    if (!strcmp(type, "DP16KD")) {
        const char *text = text_of(cell, "attributes", "WID");
        wid = text ? (int)number_of(text) : -1;
        if (wid < 0 || wid >= MAX_RAM)
            fail(cell_name, "it has no number");
        // 16 words of 18 bits, 20 apart; a RAM that the bitstream does not fill is 0.
        for (unsigned i = 0; i < 64 && ram_words[wid]; i++) {
            printf("%s.INITVAL_%02X(320'h", comma, i);
            for (unsigned w = 16; w-- > 0;) {
                const uint16_t *at = ram_words[wid] + i * 32 + w * 2;
                printf("%05x", (unsigned)(at[1] << 9 | at[0]));
            }
            printf(")");
            comma = ", ";
        }
    }
    printf(") u%u (", number);
    comma = "";
    json_object_foreach(directions, pin, value)
    {
        direction = json_string_value(value);
        if (direction && !strcmp(direction, "input"))
            printf("%s.%s(%s)", comma, pin, input(cell, pin, 1));
        else if (net_of(cell, pin) >= 0)
            printf("%s.%s(n%lld)", comma, pin, (long long)net_of(cell, pin));
        else
            continue;
        comma = ", ";
    }
    printf(");\n");
}

static void write_cell(const json_t *cell, const char *type, unsigned number)
{
    if (!strcmp(type, "TRELLIS_COMB")) {
        write_comb(cell);
    } else if (!strcmp(type, "TRELLIS_FF")) {
        write_ff(cell);
    } else if (!strcmp(type, "TRELLIS_RAMW")) {
        write_ramw(cell);
    } else if (!strcmp(type, "DCCA")) {
        if (net_of(cell, "CE") >= 0)
            fail(cell_name, "a clock that is gated: no model");
        assign(cell, "CLKO", input(cell, "CLKI", 1));
    } else if (!strcmp(type, "TRELLIS_IO")) {
        const char *direction = parameter(cell, "DIR", "");
        if (!strcmp(direction, "INPUT"))
            assign(cell, "O", input(cell, "B", 1));
        else if (!strcmp(direction, "OUTPUT") && net_of(cell, "T") < 0)
            assign(cell, "B", input(cell, "I", 1));
        else
            fail(cell_name, "a pin that is an %s: no model", direction);
    } else if (!strcmp(type, "DP16KD") || !strcmp(type, "MULT18X18D") || !strcmp(type, "EHXPLLL")) {
        write_instance(cell, type, number);
    } else {
        fail(cell_name, "a %s: no model", type);
    }
}

static void write_ports(const json_t *module)
{
    const char *name, *bracket;
    json_t *port;
    const char *comma = "";

    printf("module netlist (");
    json_object_foreach(json_object_get(module, "ports"), name, port)
    {
        size_t width = json_array_size(json_object_get(port, "bits"));
        bool in = !strcmp(json_string_value(json_object_get(port, "direction")), "input");
        printf("%s%s wire ", comma, in ? "input" : "output");
        if (width > 1)
            printf("[%zu:0] ", width - 1);
        printf("%s", name);
        comma = ", ";
    }
    printf(");\n");
    json_t *net;
    char seen_key[32];
    json_t *seen = json_object();
    json_object_foreach(json_object_get(module, "netnames"), name, net)
    {
        size_t i;
        json_t *bit;
        json_array_foreach(json_object_get(net, "bits"), i, bit)
        {
            snprintf(seen_key, sizeof seen_key, "%lld", (long long)json_integer_value(bit));
            if (!json_is_integer(bit) || json_object_get(seen, seen_key))
                continue;
            json_object_set_new(seen, seen_key, json_true());
            printf("  wire n%s;\n", seen_key);
        }
    }
    json_object_foreach(json_object_get(module, "ports"), name, port)
    {
        const json_t *bits = json_object_get(port, "bits");
        bool in = !strcmp(json_string_value(json_object_get(port, "direction")), "input");
        for (size_t i = 0; i < json_array_size(bits); i++) {
            char at[32] = "";
            if (json_array_size(bits) > 1)
                snprintf(at, sizeof at, "[%zu]", i);
            json_int_t n = json_integer_value(json_array_get(bits, i));
            snprintf(seen_key, sizeof seen_key, "%lld", (long long)n);
            if (!json_object_get(seen, seen_key))
                printf("  wire n%s;\n", seen_key);
            json_object_set_new(seen, seen_key, json_true());
            bracket = in ? "  assign n%lld = %s%s;\n" : NULL;
            if (bracket)
                printf("  assign n%s = %s%s;\n", seen_key, name, at);
            else
                printf("  assign %s%s = n%s;\n", name, at, seen_key);
        }
    }
    json_decref(seen);
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *module, *cell;
    unsigned number = 0;

    if (argc != 3)
        fail("usage", "ecp5_netlist PLACED.json CONFIG");
    json_t *root = json_load_file(argv[1], 0, &error);
    if (!root)
        fail(argv[1], "%s", error.text);
    read_config(argv[2]);
    json_t *modules = json_object_get(root, "modules");
    if (json_object_size(modules) != 1)
        fail(argv[1], "not one module, as after place and route");
    module = json_object_iter_value(json_object_iter(modules));
    read_routes(module);
    check_no_other_arcs(argv[2]);
    printf("// Made by sim/bitstream/ecp5_netlist.c.\n");
    write_ports(module);
    json_object_foreach(json_object_get(module, "cells"), cell_name, cell)
    {
        trim_parameters(cell);
        write_cell(cell, json_string_value(json_object_get(cell, "type")), number++);
    }
    printf("endmodule\n");
    json_decref(words);
    json_decref(feeds);
    json_decref(arcs);
    json_decref(arc_kinds);
    json_decref(root);
    for (unsigned i = 0; i < MAX_RAM; i++)
        free(ram_words[i]);
    if (fflush(stdout) != 0)
        fail("stdout", "%s", strerror(errno));
    return 0;
}
