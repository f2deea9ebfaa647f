// SPDX-License-Identifier: Apache-2.0
//
// gen_regs: writes the Verilog macros, the C header and the documentation of the packet header and
// the register map from their one definition, outflank.json.
//
//     gen_regs JSON VERILOG C DOC
//
// Exit status: 0 written; 2 wrong use, unreadable or malformed definition (one line on stderr, and
// no file is touched). The definition is checked strictly, unknown keys included: a typo there must
// not become an address.

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>

enum {
    NAME_MAX_LEN = 96,  // characters of a generated name
    NODE_SPACE = 4096,  // bytes of a node's register space
    WORD_BITS = 16,     // bits of a packet header word
    REGISTER_BITS = 32, // bits of a register
    LINK_PORTS = 6,     // ports of the largest node, without the local one
    VCS = 3,            // virtual channels of a port
    EXIT_BAD = 2
};

// How a value is written.
enum style { DECIMAL, OFFSET, HEX32 };

// One generated macro, or, where name is empty, a heading.
struct item {
    char name[NAME_MAX_LEN];
    enum style style;
    uint32_t value;
    char *text; // heading
};

struct gen {
    const char *file; // the definition, for messages
    struct item *items;
    size_t count, room;
};

noreturn static void fail(const struct gen *g, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

noreturn static void fail(const struct gen *g, const char *where, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "gen_regs: %s: %s%s", g->file, where, *where ? ": " : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(EXIT_BAD);
}

static void *must_alloc(void *p)
{
    if (!p) {
        fputs("gen_regs: out of memory\n", stderr);
        exit(EXIT_BAD);
    }
    return p;
}

static struct item *new_item(struct gen *g)
{
    if (g->count == g->room) {
        g->room = g->room ? 2 * g->room : 256;
        g->items = must_alloc(realloc(g->items, g->room * sizeof *g->items));
    }
    memset(&g->items[g->count], 0, sizeof g->items[0]);
    return &g->items[g->count++];
}

static void heading(struct gen *g, const char *name, const char *doc)
{
    size_t len = strlen(name) + strlen(doc) + 3;
    char *text = must_alloc(malloc(len));

    snprintf(text, len, "%s%s%s", name, *doc ? ": " : "", doc);
    new_item(g)->text = text;
}

// Adds the macro OFR_<format...>; a name that is already there is an error.
static void define(struct gen *g, const char *where, enum style style, uint32_t value,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

static void define(struct gen *g, const char *where, enum style style, uint32_t value,
                   const char *format, ...)
{
    char name[NAME_MAX_LEN] = "OFR_";
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(name + 4, sizeof name - 4, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof name - 4)
        fail(g, where, "generated name is longer than %d characters", NAME_MAX_LEN - 1);
    for (size_t i = 0; i < g->count; i++)
        if (!strcmp(g->items[i].name, name))
            fail(g, where, "duplicate generated name %s", name);
    struct item *it = new_item(g);
    memcpy(it->name, name, sizeof name);
    it->style = style;
    it->value = value;
}

// ---- reading the definition -------------------------------------------------------------------

static void object(const struct gen *g, const char *where, const json_t *j, const char *const *keys)
{
    const char *key;
    json_t *value;

    if (!json_is_object(j))
        fail(g, where, "not an object");
    json_object_foreach((json_t *)j, key, value)
    {
        bool known = false;

        for (const char *const *k = keys; *k; k++)
            known = known || !strcmp(*k, key);
        if (!known)
            fail(g, where, "unknown key \"%s\"", key);
    }
}

static const json_t *list(const struct gen *g, const char *where, const json_t *j, const char *key)
{
    const json_t *v = json_object_get(j, key);

    if (!json_is_array(v) || json_array_size(v) == 0)
        fail(g, where, "\"%s\" is missing or not a list with elements", key);
    return v;
}

static const char *name_of(const struct gen *g, const char *where, const json_t *j)
{
    const char *s = json_string_value(json_object_get(j, "name"));

    if (!s || !isupper((unsigned char)*s))
        fail(g, where, "\"name\" is missing or does not start with a capital letter");
    for (const char *p = s; *p; p++)
        if (!isupper((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '_')
            fail(g, where, "name \"%s\" has characters other than A-Z, 0-9 and _", s);
    return s;
}

static const char *doc_of(const struct gen *g, const char *where, const json_t *j)
{
    const json_t *v = json_object_get(j, "doc");
    const char *s = json_string_value(v);

    if (!s)
        fail(g, where, "\"doc\" is missing or not a string");
    for (const char *p = s; *p; p++)
        if (iscntrl((unsigned char)*p))
            fail(g, where, "\"doc\" has a line break or a control character");
    return s;
}

// An integer from lo to hi; without the key, `otherwise` (if that is negative, it must be there).
static int64_t number(const struct gen *g, const char *where, const json_t *j, const char *key,
                      int64_t lo, int64_t hi, int64_t otherwise)
{
    const json_t *v = json_object_get(j, key);

    if (!v && otherwise >= 0)
        return otherwise;
    if (!json_is_integer(v))
        fail(g, where, "\"%s\" is missing or not a whole number", key);
    if (json_integer_value(v) < lo || json_integer_value(v) > hi)
        fail(g, where, "\"%s\" is %lld, not in %lld to %lld", key, (long long)json_integer_value(v),
             (long long)lo, (long long)hi);
    return json_integer_value(v);
}

static uint32_t ones(int64_t bits)
{
    return bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

static void values(struct gen *g, const char *where, const char *prefix, const json_t *v,
                   int64_t bits)
{
    const char *key;
    json_t *value;
    uint64_t seen[4] = {0}; // values below 256, which is all there are

    if (!v)
        return;
    if (!json_is_object(v))
        fail(g, where, "\"values\" is not an object");
    json_object_foreach((json_t *)v, key, value)
    {
        int64_t n = json_is_integer(value) ? json_integer_value(value) : -1;

        if (n < 0 || n > (int64_t)ones(bits) || n > 255)
            fail(g, where, "value %s does not fit %lld bits (and 0 to 255)", key, (long long)bits);
        if (seen[n / 64] >> (n % 64) & 1)
            fail(g, where, "value %s is the same as another's", key);
        seen[n / 64] |= UINT64_C(1) << (n % 64);
        define(g, where, DECIMAL, (uint32_t)n, "%s_%s", prefix, key);
    }
}

// The fields of a register or a header word of `width` bits. Returns the bits they cover.
static uint32_t fields(struct gen *g, const char *where, const char *prefix, const json_t *list_,
                       int width, int lsb_base, bool is_packet, const json_t *reset)
{
    static const char *const keys[] = {"name", "lsb", "bits", "doc", "values", NULL};
    uint32_t covered = 0;
    size_t i;
    json_t *f;

    json_array_foreach((json_t *)list_, i, f)
    {
        char at[NAME_MAX_LEN * 2], full[NAME_MAX_LEN];

        snprintf(at, sizeof at, "%s.fields[%zu]", where, i);
        object(g, at, f, keys);
        const char *name = name_of(g, at, f);
        snprintf(at, sizeof at, "%s.%s", where, name);
        doc_of(g, at, f);
        int64_t lsb = number(g, at, f, "lsb", 0, width - 1, -1);
        int64_t bits = number(g, at, f, "bits", 1, width, -1);
        if (lsb + bits > width)
            fail(g, at, "field ends at bit %lld, beyond %d bits", (long long)(lsb + bits - 1),
                 width);
        uint32_t mask = ones(bits) << lsb;
        if (covered & mask)
            fail(g, at, "field overlaps another one");
        covered |= mask;
        if (snprintf(full, sizeof full, "%s_%s", prefix, name) >= (int)sizeof full)
            fail(g, at, "generated name is too long");
        define(g, at, DECIMAL, (uint32_t)(lsb_base + lsb), "%s_LSB", full);
        define(g, at, DECIMAL, (uint32_t)bits, "%s_BITS", full);
        if (!is_packet)
            define(g, at, HEX32, mask, "%s_MASK", full);
        if (reset)
            define(g, at, DECIMAL, (uint32_t)json_integer_value(reset) >> lsb & ones(bits),
                   "%s_RESET", full);
        values(g, at, full, json_object_get(f, "values"), bits);
    }
    return covered;
}

static void packet(struct gen *g, const json_t *root)
{
    static const char *const keys[] = {"comment", "words", NULL};
    static const char *const word_keys[] = {"name", "doc", "fields", NULL};
    const json_t *p = json_object_get(root, "packet");
    size_t i;
    json_t *w;

    object(g, "packet", p, keys);
    const json_t *words = list(g, "packet", p, "words");
    if (json_array_size(words) != 4)
        fail(g, "packet", "there are %zu header words, not 4", json_array_size(words));
    json_array_foreach((json_t *)words, i, w)
    {
        char at[NAME_MAX_LEN];

        snprintf(at, sizeof at, "packet.words[%zu]", i);
        object(g, at, w, word_keys);
        const char *name = name_of(g, at, w);
        snprintf(at, sizeof at, "packet.%.80s", name);
        char title[NAME_MAX_LEN + 32];
        snprintf(title, sizeof title, "Header word %zu, %s", i, name);
        heading(g, title, doc_of(g, at, w));
        fields(g, at, "PKT", list(g, at, w, "fields"), WORD_BITS, (int)i * WORD_BITS, true, NULL);
    }
}

static void registers(struct gen *g, const json_t *block, const char *block_name, int64_t base,
                      int64_t size)
{
    static const char *const keys[] = {"name",   "offset", "access",  "reset", "doc",
                                       "fields", "values", "guarded", NULL};
    const json_t *regs = list(g, block_name, block, "registers");
    uint64_t used[NODE_SPACE / 4 / 64] = {0};
    size_t i;
    json_t *r;

    json_array_foreach((json_t *)regs, i, r)
    {
        char at[NAME_MAX_LEN * 2], prefix[NAME_MAX_LEN];

        snprintf(at, sizeof at, "%s.registers[%zu]", block_name, i);
        object(g, at, r, keys);
        const char *name = name_of(g, at, r);
        snprintf(at, sizeof at, "%s.%s", block_name, name);
        if (snprintf(prefix, sizeof prefix, "%s_%s", block_name, name) >= (int)sizeof prefix)
            fail(g, at, "generated name is too long");
        doc_of(g, at, r);
        const char *access = json_string_value(json_object_get(r, "access"));
        if (!access || (strcmp(access, "ro") && strcmp(access, "rw") && strcmp(access, "wo")))
            fail(g, at, "\"access\" is not ro, rw or wo");
        const json_t *guarded = json_object_get(r, "guarded");
        if (guarded && !json_is_boolean(guarded))
            fail(g, at, "\"guarded\" is not true or false");
        int64_t offset = number(g, at, r, "offset", 0, NODE_SPACE - 4, -1);
        if (offset % 4)
            fail(g, at, "offset %lld is not a multiple of 4", (long long)offset);
        if (offset >= size)
            fail(g, at, "offset %lld is beyond the block's %lld bytes", (long long)offset,
                 (long long)size);
        if (used[offset / 256] >> (offset / 4 % 64) & 1)
            fail(g, at, "register overlaps another one at offset %lld", (long long)offset);
        used[offset / 256] |= UINT64_C(1) << (offset / 4 % 64);
        define(g, at, OFFSET, (uint32_t)(base + offset), "%s", prefix);
        const json_t *reset = json_object_get(r, "reset");
        int64_t reset_value = number(g, at, r, "reset", 0, UINT32_MAX, 0);
        if (reset)
            define(g, at, HEX32, (uint32_t)reset_value, "%s_RESET", prefix);
        values(g, at, prefix, json_object_get(r, "values"), REGISTER_BITS);
        if (json_object_get(r, "fields")) {
            uint32_t covered =
                fields(g, at, prefix, list(g, at, r, "fields"), REGISTER_BITS, 0, false, reset);
            if ((uint32_t)reset_value & ~covered)
                fail(g, at, "reset 0x%08x sets bits outside the fields", (unsigned)reset_value);
        }
    }
}

static void blocks(struct gen *g, const json_t *root)
{
    // built: false where no board has the block yet.
    static const char *const keys[] = {"name", "offset", "built", "doc", "registers", NULL};
    const json_t *l = list(g, "", root, "blocks");
    size_t i, k;
    json_t *b, *other;

    json_array_foreach((json_t *)l, i, b)
    {
        char at[NAME_MAX_LEN];

        snprintf(at, sizeof at, "blocks[%zu]", i);
        object(g, at, b, keys);
        const char *name = name_of(g, at, b);
        int64_t base = number(g, name, b, "offset", 0, NODE_SPACE - 4, -1), end = NODE_SPACE;
        if (base % 256)
            fail(g, name, "block offset %lld is not a multiple of 256", (long long)base);
        // A block ends where the next one starts.
        json_array_foreach((json_t *)l, k, other)
        {
            int64_t o = json_integer_value(json_object_get(other, "offset"));

            if (k != i && o == base)
                fail(g, name, "block overlaps another one at offset %lld", (long long)base);
            if (o > base && o < end)
                end = o;
        }
        heading(g, name, doc_of(g, name, b));
        define(g, name, OFFSET, (uint32_t)base, "BLOCK_%s", name);
        registers(g, b, name, base, end - base);
    }
}

static void address_map(struct gen *g, const json_t *root)
{
    static const char *const keys[] = {"name", "base", "doc", "registers", NULL};
    const json_t *map = json_object_get(root, "map"), *l = list(g, "", root, "soc_blocks");
    const char *key, *other_key;
    json_t *value, *other, *b;
    size_t i;

    if (!json_is_object(map))
        fail(g, "map", "missing or not an object");
    heading(g, "Address map of the core", "");
    json_object_foreach((json_t *)map, key, value)
    {
        if (!strcmp(key, "comment"))
            continue;
        char at[NAME_MAX_LEN];
        snprintf(at, sizeof at, "map.%.80s", key);
        int64_t base = number(g, at, map, key, 0, UINT32_MAX, -1);
        if (base % NODE_SPACE)
            fail(g, at, "base is not a multiple of %d", NODE_SPACE);
        json_object_foreach((json_t *)map, other_key, other)
        {
            if (strcmp(key, other_key) != 0 && json_is_integer(other) &&
                json_integer_value(other) == base)
                fail(g, at, "the same base as %s", other_key);
        }
        define(g, at, HEX32, (uint32_t)base, "BASE_%s", key);
    }
    json_array_foreach((json_t *)l, i, b)
    {
        char at[NAME_MAX_LEN];

        snprintf(at, sizeof at, "soc_blocks[%zu]", i);
        object(g, at, b, keys);
        const char *name = name_of(g, at, b);
        const char *base = json_string_value(json_object_get(b, "base"));
        if (!base || !json_is_integer(json_object_get(map, base)))
            fail(g, name, "\"base\" is not an entry of \"map\"");
        char title[NAME_MAX_LEN * 2];
        snprintf(title, sizeof title, "%.80s (offsets from OFR_BASE_%.80s)", name, base);
        heading(g, title, doc_of(g, name, b));
        registers(g, b, name, 0, NODE_SPACE);
    }
}

// A list of name -> number, as "vcs".
static void enumeration(struct gen *g, const json_t *root, const char *key, const char *prefix)
{
    const json_t *v = json_object_get(root, key);

    if (!v)
        fail(g, key, "missing");
    heading(g, key, "");
    values(g, key, prefix, v, 8);
}

// Numbers the names of a list from `base` on. Returns the next number.
static uint32_t counter_list(struct gen *g, const json_t *c, const char *key, const char *prefix,
                             uint32_t base)
{
    static const char *const keys[] = {"name", "doc", NULL};
    const json_t *l = list(g, "counters", c, key);
    size_t i;
    json_t *e;

    json_array_foreach((json_t *)l, i, e)
    {
        char at[NAME_MAX_LEN];

        snprintf(at, sizeof at, "counters.%s[%zu]", key, i);
        object(g, at, e, keys);
        doc_of(g, at, e);
        define(g, at, DECIMAL, base++, "COUNTER_%s%s", prefix, name_of(g, at, e));
    }
    return base;
}

static void counters(struct gen *g, const json_t *root)
{
    static const char *const keys[] = {"comment",  "per_vc",     "node_base", "node",
                                       "per_link", "high_water", NULL};
    const json_t *c = json_object_get(root, "counters");

    object(g, "counters", c, keys);
    heading(g, "Counters",
            "per VC: (port * 3 + vc) * 4 + k; per link: LINK_BASE + port * 3 + k; "
            "high water: HIGH_BASE + port * 3 + vc");
    uint32_t per_vc = counter_list(g, c, "per_vc", "", 0);
    uint32_t base = (uint32_t)number(g, "counters", c, "node_base", 0, 4095, -1);
    if (base != (LINK_PORTS + 1) * VCS * per_vc)
        fail(g, "counters", "\"node_base\" is %u, but %d ports x %d VCs x %u counters are %u", base,
             LINK_PORTS + 1, VCS, per_vc, (LINK_PORTS + 1) * VCS * per_vc);
    define(g, "counters", DECIMAL, base, "COUNTER_NODE_BASE");
    uint32_t link = counter_list(g, c, "node", "", base);
    define(g, "counters", DECIMAL, link, "COUNTER_LINK_BASE");
    uint32_t high = link + LINK_PORTS * counter_list(g, c, "per_link", "LINK_", 0);
    define(g, "counters", DECIMAL, high, "COUNTER_HIGH_BASE");
    define(g, "counters", DECIMAL, high + LINK_PORTS * VCS, "COUNTERS");
    if (!json_is_object(json_object_get(c, "high_water")))
        fail(g, "counters", "\"high_water\" is missing or not an object");
    doc_of(g, "counters.high_water", json_object_get(c, "high_water"));
}

// ---- writing ----------------------------------------------------------------------------------

#define NOTICE "Generated from rtl/regs/outflank.json by `make regs`. Do not edit."
// Of the header, which is installed where there is no such file.
#define NOTICE_C "Generated from Outflank's register map by `make regs`. Do not edit."

static void write_verilog(FILE *out, const struct gen *g)
{
    fprintf(out,
            "// SPDX-License-Identifier: Apache-2.0\n// %s\n`ifndef OFR_DEFS_VH\n"
            "`define OFR_DEFS_VH\n",
            NOTICE);
    for (size_t i = 0; i < g->count; i++) {
        const struct item *it = &g->items[i];

        // Without a size, so that lint takes them wherever they fit.
        if (!it->name[0])
            fprintf(out, "\n// %.90s\n", it->text);
        else if (it->style == DECIMAL)
            fprintf(out, "`define %s %u\n", it->name, it->value);
        else
            fprintf(out, "`define %s 'h%0*x\n", it->name, it->style == OFFSET ? 3 : 8, it->value);
    }
    fputs("\n`endif\n", out);
}

static void write_c(FILE *out, const struct gen *g)
{
    fprintf(out,
            "// SPDX-License-Identifier: Apache-2.0\n// %s\n//\n"
            "// Of a register: its byte offset; of a field of it: _LSB, _BITS, _MASK (in place),\n"
            "// _RESET (of the field alone). Of a packet field: _LSB in the whole 64-bit header.\n"
            "#ifndef OFR_REGS_H\n#define OFR_REGS_H\n\n// clang-format off\n"
            "#ifdef __ASSEMBLER__\n#define OFR_U32(x) x\n#else\n#define OFR_U32(x) x##u\n#endif\n",
            NOTICE_C);
    for (size_t i = 0; i < g->count; i++) {
        const struct item *it = &g->items[i];

        if (!it->name[0])
            fprintf(out, "\n// %.90s\n", it->text);
        else if (it->style == DECIMAL)
            fprintf(out, "#define %s %u\n", it->name, it->value);
        else if (it->style == OFFSET)
            fprintf(out, "#define %s 0x%03x\n", it->name, it->value);
        else
            fprintf(out, "#define %s OFR_U32(0x%08x)\n", it->name, it->value);
    }
    fputs("\n#endif\n", out);
}

static const char *text_of(const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));

    return s ? s : "";
}

static int int_of(const json_t *j, const char *key)
{
    return (int)json_integer_value(json_object_get(j, key));
}

static void write_values(FILE *out, const json_t *j)
{
    const char *key, *sep = " (";
    json_t *value;

    json_object_foreach(json_object_get(j, "values"), key, value)
    {
        fprintf(out, "%s%d `%s`", sep, (int)json_integer_value(value), key);
        sep = ", ";
    }
    if (*sep == ',')
        fputc(')', out);
}

static void write_fields(FILE *out, const json_t *owner, const char *lead)
{
    size_t i;
    json_t *f;

    json_array_foreach(json_object_get(owner, "fields"), i, f)
    {
        int lsb = int_of(f, "lsb"), msb = lsb + int_of(f, "bits") - 1;

        if (msb == lsb)
            fprintf(out, "|%s %d | `%s` | %s", lead, lsb, text_of(f, "name"), text_of(f, "doc"));
        else
            fprintf(out, "|%s %d:%d | `%s` | %s", lead, msb, lsb, text_of(f, "name"),
                    text_of(f, "doc"));
        write_values(out, f);
        fputs(" |\n", out);
    }
}

static void write_registers(FILE *out, const json_t *block, int base)
{
    size_t i;
    json_t *r;

    fputs("| offset, bits | name | meaning |\n|---|---|---|\n", out);
    json_array_foreach(json_object_get(block, "registers"), i, r)
    {
        fprintf(out, "| **0x%03x** | **`%s`** %s | %s", base + int_of(r, "offset"),
                text_of(r, "name"), text_of(r, "access"), text_of(r, "doc"));
        write_values(out, r);
        if (json_object_get(r, "reset"))
            fprintf(out, "; reset 0x%x", (unsigned)json_integer_value(json_object_get(r, "reset")));
        fputs(" |\n", out);
        write_fields(out, r, "");
    }
}

static void write_counter_list(FILE *out, const json_t *c, const char *key, const char *index,
                               int base)
{
    size_t i;
    json_t *e;

    json_array_foreach(json_object_get(c, key), i, e) fprintf(
        out, "| %s%d | `%s` | %s |\n", index, base + (int)i, text_of(e, "name"), text_of(e, "doc"));
}

static void write_doc(FILE *out, const json_t *root)
{
    const json_t *packet_ = json_object_get(root, "packet"), *c = json_object_get(root, "counters");
    size_t i;
    json_t *e;
    const char *key;

    fprintf(
        out,
        "# Packet header and register map\n\n%s\n\n"
        "To change something: edit `outflank.json`, run `make regs`, commit all four files;\n"
        "`make test` fails when they differ, and `gen_regs.c` refuses a definition that\n"
        "contradicts itself. Verilog includes `ofr_defs.vh`, C includes `firmware/ofr_regs.h`:\n"
        "the same names in both.\n\n"
        "## Packet header\n\n%s\n",
        NOTICE, text_of(packet_, "comment"));
    json_array_foreach(json_object_get(packet_, "words"), i, e)
    {
        fprintf(out, "\n### Word %zu, `%s`: %s\n\n| bits | name | meaning |\n|---|---|---|\n", i,
                text_of(e, "name"), text_of(e, "doc"));
        write_fields(out, e, "");
    }
    fputs("\nNames: `OFR_PKT_<NAME>_LSB` (bit in the 64-bit header), `_BITS`, and the values.\n\n"
          "## Node registers\n\nByte offsets in the node's 4 KiB. Names: "
          "`OFR_<BLOCK>_<REGISTER>`, `_RESET`, then\n`_<FIELD>_LSB`, `_BITS`, `_MASK`, `_RESET` "
          "and the values.\n",
          out);
    json_array_foreach(json_object_get(root, "blocks"), i, e)
    {
        fprintf(out, "\n### %s: %s\n\n", text_of(e, "name"), text_of(e, "doc"));
        write_registers(out, e, int_of(e, "offset"));
    }
    fputs("\n## Counters\n\nIndex in `COUNT.INDEX`; ports x+ x- y+ y- z+ z- local are 0 to 6 "
          "(2n, the local port's,\nfor n = 2 is 4), VCs adaptive, VS1, VS2 are 0 to 2. 48 bits.\n\n"
          "| index | name | meaning |\n|---|---|---|\n",
          out);
    int node_base = int_of(c, "node_base");
    int link_base = node_base + (int)json_array_size(json_object_get(c, "node"));
    int links = LINK_PORTS * (int)json_array_size(json_object_get(c, "per_link"));
    char index[64];
    write_counter_list(out, c, "per_vc", "(port * 3 + vc) * 4 + ", 0);
    write_counter_list(out, c, "node", "", node_base);
    snprintf(index, sizeof index, "%d + port * 3 + ", link_base);
    write_counter_list(out, c, "per_link", index, 0);
    fprintf(out, "| %d + port * 3 + vc | high water | %s |\n", link_base + links,
            text_of(json_object_get(c, "high_water"), "doc"));
    fputs("\n## The core's address map\n\n| base | name |\n|---|---|\n", out);
    json_t *map = json_object_get(root, "map");
    json_object_foreach(map, key, e) if (json_is_integer(e))
        fprintf(out, "| 0x%08x | `OFR_BASE_%s` |\n", (unsigned)json_integer_value(e), key);
    json_array_foreach(json_object_get(root, "soc_blocks"), i, e)
    {
        fprintf(out, "\n### %s, from `OFR_BASE_%s`: %s\n\n", text_of(e, "name"), text_of(e, "base"),
                text_of(e, "doc"));
        write_registers(out, e, 0);
    }
}

enum output { OUT_VERILOG, OUT_C, OUT_DOC };

// Written beside its place and then renamed, so that a reader never sees half a file.
static void write_file(const struct gen *g, const json_t *root, enum output kind, const char *path)
{
    size_t len = strlen(path) + 5;
    char *tmp = must_alloc(malloc(len));

    snprintf(tmp, len, "%s.new", path);
    FILE *out = fopen(tmp, "w");
    if (out) {
        if (kind == OUT_VERILOG)
            write_verilog(out, g);
        else if (kind == OUT_C)
            write_c(out, g);
        else
            write_doc(out, root);
    }
    bool good = out && !ferror(out);
    if (out && fclose(out) != 0)
        good = false;
    if (!good || rename(tmp, path) != 0) {
        fprintf(stderr, "gen_regs: cannot write %s: %s\n", path, strerror(errno));
        exit(EXIT_BAD);
    }
    free(tmp);
}

int main(int argc, char **argv)
{
    static const char *const keys[] = {"comment", "packet", "vcs",        "local_vcs", "select",
                                       "blocks",  "map",    "soc_blocks", "counters",  NULL};
    struct gen g = {0};
    json_error_t error;

    if (argc != 5) {
        fputs("usage: gen_regs outflank.json ofr_defs.vh ofr_regs.h README.md\n", stderr);
        return EXIT_BAD;
    }
    g.file = argv[1];
    json_t *root = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        if (error.line > 0)
            fprintf(stderr, "gen_regs: %s:%d:%d: %s\n", argv[1], error.line, error.column,
                    error.text);
        else
            fprintf(stderr, "gen_regs: %s\n", error.text);
        return EXIT_BAD;
    }
    object(&g, "", root, keys);
    packet(&g, root);
    enumeration(&g, root, "vcs", "VC");
    enumeration(&g, root, "local_vcs", "LVC");
    enumeration(&g, root, "select", "SELECT");
    blocks(&g, root);
    counters(&g, root);
    address_map(&g, root);

    write_file(&g, root, OUT_VERILOG, argv[2]);
    write_file(&g, root, OUT_C, argv[3]);
    write_file(&g, root, OUT_DOC, argv[4]);

    for (size_t i = 0; i < g.count; i++)
        free(g.items[i].text);
    free(g.items);
    json_decref(root);
    return 0;
}
