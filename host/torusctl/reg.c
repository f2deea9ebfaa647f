// SPDX-License-Identifier: Apache-2.0
// torusctl reg: registers by name, with their fields, of the register map that everything is
// generated from (rtl/regs/outflank.json, which the build puts into reg_map[]).
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ctl.h"

extern const char reg_map[];

enum { MOST = 128 };

// A register, or a field of it.
struct place {
    const char *block;
    json_t *reg, *field; // field: NULL is all of it
    unsigned offset, lsb, bits;
    bool write;
    uint32_t value; // to be written
};

static struct {
    const char *at;
    json_t *map;
    struct place place[MOST];
    unsigned count;
    bool write;   // any of them
    bool refused; // by the board, and said so
} set;

static const struct argp_option options[] = {
    {"at", 'a', "X,Y[,Z]", 0, "of the board there (the one we are plugged into)", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    (void)state;
    if (key == 'a')
        set.at = arg;
    return key == 'a';
}

static const char *string_of(json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

static unsigned number_of(json_t *o, const char *key)
{
    return (unsigned)json_integer_value(json_object_get(o, key));
}

// Those that hosts neither read nor write: reading does something.
static bool is_firmwares(const char *block)
{
    return !strcmp(block, "NI") || !strcmp(block, "COUNT");
}

// Notes a block's registers whose name this is, "NODE.SIZE.X", "NODE.SIZE" or "NODE"; "": all, but
// the firmware's own blocks, whose reading does something. at: offset of the block.
static void find_in(json_t *block, unsigned at, const char *name)
{
    json_t *reg, *field;
    size_t j, k;
    char full[100];
    const char *b = string_of(block, "name");
    json_array_foreach(json_object_get(block, "registers"), j, reg)
    {
        struct place p = {.block = b, .reg = reg, .bits = 32};
        p.offset = at + number_of(reg, "offset");
        bool readable = strcmp(string_of(reg, "access"), "wo") != 0;
        bool all = (!*name || !strcasecmp(name, b)) && readable && !is_firmwares(b);
        snprintf(full, sizeof full, "%s.%s", b, string_of(reg, "name"));
        if ((all || !strcasecmp(name, full)) && set.count < MOST)
            set.place[set.count++] = p;
        json_array_foreach(json_object_get(reg, "fields"), k, field)
        {
            snprintf(full, sizeof full, "%s.%s.%s", b, string_of(reg, "name"),
                     string_of(field, "name"));
            if (strcasecmp(name, full) != 0 || set.count == MOST)
                continue;
            p.field = field;
            p.lsb = number_of(field, "lsb");
            p.bits = number_of(field, "bits");
            set.place[set.count++] = p;
        }
    }
}

// Of the blocks beside the node's only this one is read by hosts, and not written.
static bool is_boards(const char *block)
{
    return !strcmp(block, "BOARD");
}

static void find(const char *name)
{
    json_t *block;
    size_t i;
    json_array_foreach(json_object_get(set.map, "blocks"), i, block)
    {
        if (!json_is_false(json_object_get(block, "built"))) // else no board has it yet
            find_in(block, number_of(block, "offset"), name);
    }
    json_array_foreach(json_object_get(set.map, "soc_blocks"), i, block)
    {
        if (is_boards(string_of(block, "name")))
            find_in(block, TORUS_BOARD, name);
    }
}

// "NAME" or "NAME=VALUE", of which VALUE may be decimal or begin with 0x. Exit status.
static int read_argument(const char *text)
{
    char name[100];
    const char *value = strchr(text, '=');
    unsigned before = set.count;
    snprintf(name, sizeof name, "%.*s", value ? (int)(value - text) : 99, text);
    if (!*name)
        return wrong("register", text, "write NAME=VALUE");
    find(name);
    if (set.count == before)
        return wrong("register", name, "unknown; torusctl reg lists them, with their fields");
    struct place *p = &set.place[before];
    if (is_firmwares(p->block))
        return wrong("register", name,
                     "it is the firmware's own; torusctl counters reads counters");
    const char *access = string_of(p->reg, "access");
    if (!value)
        return strcmp(access, "wo") ? 0 : wrong("register", name, "it can only be written");
    char *end;
    unsigned long long v = strtoull(value + 1, &end, 0);
    if (set.count != before + 1)
        return wrong("register", name, "a block has no value, say which of its registers");
    if (!strcmp(p->block, "PINS") ||
        (!strcmp(p->block, "OFR") && !strcmp(string_of(p->reg, "name"), "COMMIT")))
        return wrong("register", name, "only torusctl program commits tables");
    if (!strcmp(access, "ro") || is_boards(p->block))
        return wrong("register", name, "it can only be read");
    if (p->field && !strcmp(access, "wo"))
        return wrong("field", name, "write the register: its other fields cannot be read");
    if (!isdigit((unsigned char)value[1]) || *end || v >> p->bits)
        return wrong("value", text,
                     p->bits == 32 ? "a number of 32 bits"
                                   : "not a number of so "
                                     "many bits");
    size_t i;
    json_t *field, *fields = json_object_get(p->reg, "fields");
    uint32_t there = json_array_size(fields) ? 0 : UINT32_MAX;
    json_array_foreach(fields, i, field)
    {
        there |= ((UINT32_C(1) << number_of(field, "bits")) - 1) << number_of(field, "lsb");
    }
    if (!p->field && (uint32_t)v & ~there)
        return wrong("value", text, "it has bits that the register has not");
    p->write = set.write = true;
    p->value = (uint32_t)v;
    return 0;
}

static const char *idle(const struct args *a, const struct given *o)
{
    bool write = false;
    for (unsigned i = 0; i < a->rest_count; i++)
        write |= strchr(a->rest[i], '=') != NULL;
    if (o->group == WRITING && !write)
        return "nothing is written: say NAME=VALUE, or leave it out";
    if (o->group == PLACES && !set.at)
        return "names are for --at";
    return o->group == AT_ONCE && !(set.at && a->names)
               ? "one board is asked, once at a time; only an --at by name asks several"
               : NULL;
}

static int prepare(struct args *a)
{
    int status = 0;
    set.count = 0;
    set.write = set.refused = false;
    set.map = json_loads(reg_map, 0, NULL);
    if (!set.map)
        return wrong("command", "reg", "out of memory");
    if (set.at && !place_good(set.at))
        status = 2;
    for (unsigned i = 0; i < a->rest_count && !status; i++)
        status = read_argument(a->rest[i]);
    if (!a->rest_count)
        find("");
    if (status)
        json_decref(set.map);
    return status ? status : GO_ON;
}

static const struct column columns[] = {
    {"register", "register", -1, 0},
    {"offset", "offset", 0, 0},
    {"bits", "bits", 0, 0},
    {"value", "value", 0, 0},
    {"hex", "hex", 0, 0},
    {"means", "", -1, 0},
    {"doc", NULL, 0, 0},
    {0},
};

static void put(struct table *rows, const struct place *p, json_t *field, uint32_t value)
{
    char name[100], hex[12], bits[8] = "31:0", offset[8];
    unsigned lsb = field ? number_of(field, "lsb") : 0, n = field ? number_of(field, "bits") : 32;
    uint32_t v = n == 32 ? value : value >> lsb & ((UINT32_C(1) << n) - 1);
    const char *key, *means = "";
    json_t *item;
    snprintf(name, sizeof name, "%s.%s%s%s", p->block, string_of(p->reg, "name"), field ? "." : "",
             field ? string_of(field, "name") : "");
    snprintf(hex, sizeof hex, "0x%x", v);
    snprintf(offset, sizeof offset, "0x%03x", p->offset);
    if (n == 1)
        snprintf(bits, sizeof bits, "%u", lsb);
    else
        snprintf(bits, sizeof bits, "%u:%u", lsb + n - 1, lsb);
    json_object_foreach(json_object_get(field, "values"), key, item)
    {
        if (json_integer_value(item) == v)
            means = key;
    }
    table_row(rows, json_pack("{s:s,s:s,s:s,s:I,s:s,s:s,s:s}", "register", name, "offset", offset,
                              "bits", bits, "value", (json_int_t)v, "hex", hex, "means", means,
                              "doc", string_of(field ? field : p->reg, "doc")));
}

// What the board refused to have written, and what is legal there, as the register map says it: of
// the field, or of the register and all its fields.
static void refused(const struct place *p, uint32_t value)
{
    json_t *field, *fields = json_object_get(p->reg, "fields");
    const char *own = string_of(p->field, "doc"), *all = string_of(p->reg, "doc");
    bool alone = strstr(own, "a bus error");
    size_t i;
    fprintf(stderr, "torusctl: the board refuses 0x%x in %s.%s", value, p->block,
            string_of(p->reg, "name"));
    if (*all && !alone)
        fprintf(stderr, ": %s", all);
    json_array_foreach(fields, i, field)
    {
        uint32_t v = value >> number_of(field, "lsb") &
                     (uint32_t)((UINT64_C(1) << number_of(field, "bits")) - 1);
        if (*string_of(field, "doc") && (!alone || field == p->field))
            fprintf(stderr, "; %s = %u: %s", string_of(field, "name"), v, string_of(field, "doc"));
    }
    fputc('\n', stderr);
    set.refused = true;
}

// Reads it, writes it where that is wanted, and prints it with its fields.
static int do_one(struct torus *t, const uint8_t *at, const struct place *p, struct table *rows)
{
    bool readable = strcmp(string_of(p->reg, "access"), "wo") != 0;
    uint32_t value = 0, mask = p->bits == 32 ? UINT32_MAX : (UINT32_C(1) << p->bits) - 1;
    int error = readable ? torus_read(t, at, p->offset, &value) : TORUS_OK;
    if (error == TORUS_OK && p->write) {
        value = (value & ~(mask << p->lsb)) | p->value << p->lsb;
        error = torus_write(t, at, p->offset, value);
        if (error == TORUS_E_BOARD)
            refused(p, value);
        if (error == TORUS_OK && readable)
            error = torus_read(t, at, p->offset, &value);
    }
    if (error != TORUS_OK)
        return error;
    json_t *field;
    size_t i;
    put(rows, p, p->field, value);
    json_array_foreach(p->field ? NULL : json_object_get(p->reg, "fields"), i, field)
    {
        put(rows, p, field, value);
    }
    return TORUS_OK;
}

static int do_reg(struct torus *t, const struct args *a)
{
    uint8_t at[3];
    int error = TORUS_OK;
    int status = 0;
    unsigned missing;
    if (set.at)
        status = attach_there(t, &missing);
    else if (set.write) // so that the lease is given back; one that is not configured is written,
                        // too
        torus_attach(t);
    if (set.at && !status)
        status = place_find(t, set.at, at);
    if (set.write && error == TORUS_OK && !status) {
        error = torus_lease(t, 0); // from before a field's register is read to the last write
        if (error == TORUS_E_UNKNOWN)
            error = TORUS_OK; // a board that is not configured: each write has a lease of its own
    }
    struct table *rows = table_begin(a, "registers", columns);
    for (unsigned i = 0; i < set.count && error == TORUS_OK && !status; i++)
        error = do_one(t, set.at ? at : NULL, &set.place[i], rows);
    if (error == TORUS_OK && set.write)
        error = torus_release(t);
    if (error != TORUS_OK)
        status = set.refused ? 2 : report(t, error);
    if (!status)
        table_end(rows, NULL);
    else
        table_drop(rows);
    json_decref(set.map);
    return status;
}

const struct command command_reg = {
    .name = "reg",
    .arguments = "[NAME[=VALUE]...]",
    .most = MAX_REST,
    .summary = "registers of a board by name, with their fields: read, written",
    .about =
        "Reads registers of a board, by block, register or field, or writes them: NAME=VALUE, "
        "decimal or 0x. A field is written by reading its register first. Without a NAME: all but "
        "the firmware's own. Names and bits are those of the register map; JSON and CSV have its "
        "words for each besides. What the hardware guards it refuses: one line says so.",
    .examples = "reg\nreg NODE\nreg --at 1,0 NODE.STATUS GEN.STATUS\nreg NODE.RING_WAIT=6\n"
                "reg NODE.ROUTING.THRESHOLD=3\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_reg,
};
