// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // GLOB_BRACE
#include "verilog_inputs.h"

#include <ctype.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFS "rtl/regs/ofr_defs.vh"

noreturn void fail(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", program_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t room = 1 << 16, n = 0, got;
    char *text = f ? malloc(room) : NULL;

    while (text && (got = fread(text + n, 1, room - n - 1, f)) > 0) {
        n += got;
        if (room - n < 2) {
            char *more = realloc(text, room *= 2);

            if (!more)
                fail("out of memory");
            text = more;
        }
    }
    if (text)
        text[n] = 0;
    if (f)
        fclose(f);
    return text;
}

// The end of what begins with `ifdef at text: behind its `endif.
static char *behind_endif(char *text)
{
    unsigned depth = 0;

    for (char *p = text; (p = strchr(p, '`')); p++) {
        depth += !strncmp(p, "`ifdef", 6) || !strncmp(p, "`ifndef", 7);
        if (!strncmp(p, "`endif", 6) && --depth == 0)
            return p + 6;
    }
    return text + strlen(text);
}

// Drops comments and what is for proofs and simulation only (it has no `else), and squeezes blanks,
// in place; lines: one with a line end among them stays one.
static void strip(char *text, bool lines)
{
    char *to = text;

    for (char *p = text; *p;) {
        if (!strncmp(p, "`ifdef OFR_CHECK", 16) || !strncmp(p, "`ifdef FORMAL", 13)) {
            p = behind_endif(p);
        } else if (p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*') {
            char *end = strstr(p + 2, "*/");

            p = end ? end + 2 : p + strlen(p);
        } else if (isspace((unsigned char)*p)) {
            bool end = lines && *p++ == '\n';

            p += !lines;
            if (to > text && (to[-1] == ' ' || to[-1] == '\n'))
                to[-1] = end ? '\n' : to[-1];
            else if (to > text)
                *to++ = end ? '\n' : ' ';
        } else {
            *to++ = *p++;
        }
    }
    *to = 0;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool has_word(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (const char *p = text; (p = strstr(p, word)); p++)
        if ((p == text || !is_word(p[-1])) && !is_word(p[len]))
            return true;
    return false;
}

void verilog_read(struct verilog_files *files, const char *pattern, bool lines)
{
    glob_t g = {0};

    if (glob(pattern, GLOB_BRACE, NULL, &g) != 0)
        fail("no Verilog in %s: not in the top folder?", pattern);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        struct verilog_file *f = &files->file[files->count];
        const char *base = strrchr(g.gl_pathv[i], '/') + 1;

        if (files->count++ >= VERILOG_FILES)
            fail("more than %d Verilog files", VERILOG_FILES);
        f->path = strdup(g.gl_pathv[i]);
        f->code = slurp(g.gl_pathv[i]);
        if (!f->path || !f->code)
            fail("cannot read %s", g.gl_pathv[i]);
        strip(f->code, lines);
        // A header is named with its ending, where it is included.
        const char *end = strstr(base, ".vh");
        snprintf(f->module, sizeof f->module, "%.*s", (int)(strlen(base) - (end ? 0 : 2)), base);
    }
    globfree(&g);
}

void verilog_read_rtl(struct verilog_files *files, bool lines)
{
    verilog_read(files, "rtl/{*,link/phy}/*.v", lines);
    verilog_read(files, "rtl/link/{,phy/}*.vh", lines); // ofr_defs.vh counts by what is used of it
}

void verilog_free(struct verilog_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->file[i].path);
        free(files->file[i].code);
    }
    files->count = 0;
}

bool verilog_find(struct verilog_files *files, const char *top)
{
    bool found = false, grew = true;

    for (size_t i = 0; i < files->count; i++) {
        files->file[i].used = !strcmp(files->file[i].module, top);
        found = found || files->file[i].used;
    }
    while (grew) {
        grew = false;
        for (size_t i = 0; i < files->count; i++)
            for (size_t k = 0; k < files->count && !files->file[i].used; k++)
                if (files->file[k].used && has_word(files->file[k].code, files->file[i].module))
                    files->file[i].used = grew = true;
    }
    return found;
}

uint64_t hash_start(void)
{
    return UINT64_C(0xcbf29ce484222325);
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3); // an end, so that two texts are not one
}

uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text));
}

uint64_t hash_verilog(uint64_t hash, const struct verilog_files *files)
{
    char *defs = slurp(DEFS);

    if (!defs)
        fail("cannot read " DEFS);
    for (size_t i = 0; i < files->count; i++)
        if (files->file[i].used)
            hash = hash_text(hash, files->file[i].code);
    for (const char *line = defs; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char name[128];

        if (sscanf(line, "`define %127s", name) != 1)
            continue;
        for (size_t i = 0; i < files->count; i++)
            if (files->file[i].used && has_word(files->file[i].code, name)) {
                hash = hash_bytes(hash, line, strcspn(line, "\n"));
                break;
            }
    }
    free(defs);
    return hash;
}

void verilog_paths(const struct verilog_files *files, char *text, size_t size)
{
    size_t n = 0;

    text[0] = 0;
    for (size_t i = 0; i < files->count; i++) {
        if (!files->file[i].used || strstr(files->file[i].module, ".vh"))
            continue;
        n += (size_t)snprintf(text + n, size - n, "%s ", files->file[i].path);
        if (n >= size)
            fail("the names of the Verilog files are too long");
    }
}
