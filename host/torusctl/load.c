// SPDX-License-Identifier: Apache-2.0
// torusctl load: a user's program into the memory of boards' user cores.
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

enum { MOST_IMAGE = 128 << 10 };

static struct {
    const char *at;
    uint8_t image[MOST_IMAGE];
    size_t bytes;
} set;

static const struct argp_option options[] = {
    {"at", 'a', "PLACE", 0, "at the board there; or all: at all that have a user's core (all)", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    (void)state;
    if (key == 'a')
        set.at = arg;
    return key == 'a';
}

static const char *idle(const struct args *a, const struct given *o)
{
    return o->group == AT_ONCE && !users_several(a, set.at)
               ? "one board is asked, once at a time; say --at all"
               : NULL;
}

// What an ELF file has at which address, into set.image. NULL, or why not.
static const char *take_elf(const uint8_t *file, size_t bytes)
{
    Elf32_Ehdr h;
    if (bytes < sizeof h)
        return "it ends within its ELF header";
    memcpy(&h, file, sizeof h);
    if (h.e_ident[EI_CLASS] != ELFCLASS32 || h.e_ident[EI_DATA] != ELFDATA2LSB ||
        h.e_machine != EM_RISCV || h.e_type != ET_EXEC)
        return "it is no executable for RV32: link it as make build/firmware/user/NAME.elf does";
    if (h.e_entry != 0)
        return "it does not begin at address 0: link it with firmware/user/user.ld";
    if (h.e_flags & EF_RISCV_RVC)
        return "it has compressed instructions: compile with -march=rv32i";
    if (h.e_phentsize != sizeof(Elf32_Phdr) || h.e_phoff > bytes ||
        (size_t)h.e_phnum * sizeof(Elf32_Phdr) > bytes - h.e_phoff)
        return "its table of segments is not all there";
    for (unsigned i = 0; i < h.e_phnum; i++) {
        Elf32_Phdr p;
        memcpy(&p, file + h.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type != PT_LOAD || !p.p_filesz)
            continue;
        if (p.p_offset > bytes || p.p_filesz > bytes - p.p_offset)
            return "a segment is not all there";
        if (p.p_paddr > sizeof set.image || p.p_filesz > sizeof set.image - p.p_paddr)
            return "it has bytes beyond 128 KiB, which is more than any user's core has";
        memcpy(set.image + p.p_paddr, file + p.p_offset, p.p_filesz);
        if (p.p_paddr + p.p_filesz > set.bytes)
            set.bytes = p.p_paddr + p.p_filesz;
    }
    return set.bytes ? NULL : "there is nothing in it to be loaded";
}

static const char *take(const uint8_t *file, size_t bytes)
{
    if (!bytes)
        return "it is empty";
    if (bytes >= SELFMAG && !memcmp(file, ELFMAG, SELFMAG))
        return take_elf(file, bytes);
    if (bytes > sizeof set.image)
        return "it is longer than 128 KiB, which is more than any user's core has";
    memcpy(set.image, file, bytes);
    set.bytes = bytes;
    return NULL;
}

static int prepare(struct args *a)
{
    static const struct most most = {16,
                                     "give the program's ELF file without debug information, or "
                                     "its .bin"};
    const char *why, *name = a->rest_count ? a->rest[0] : NULL;
    size_t bytes;
    memset(set.image, 0, sizeof set.image);
    set.bytes = 0;
    if (!name)
        return wrong("command", "load", "say which PROGRAM, an ELF file or a .bin of one");
    if (!users_good(set.at))
        return 2;
    uint8_t *file = file_whole(name, most, &bytes, &why);
    if (file)
        why = take(file, bytes);
    free(file);
    return why ? wrong("program", name, why) : GO_ON;
}

static const struct column columns[] = {
    {"at", "at", -8, 0},
    {"bytes", "bytes", 0, 0},
    {"memory", "of", 0, 0},
    {"ends", "channels' ends", 0, 0},
    {0},
};

static int do_load(struct torus *t, const struct args *a)
{
    uint8_t k[3];
    unsigned boards, missing;
    int status, error = TORUS_OK;
    uint8_t(*at)[3] = users_find(t, set.at, &boards, &missing, &status);
    if (!at)
        return status;
    unsigned dims = torus_sizes(t, k);
    struct table *rows = table_begin(a, "boards", columns);
    error = torus_user_load(t, (const uint8_t(*)[3])at, boards, set.image, set.bytes);
    for (unsigned i = 0; i < boards && error == TORUS_OK; i++) {
        struct torus_user user;
        error = torus_user_state(t, at[i], &user);
        if (error == TORUS_OK)
            table_row(rows, json_pack("{s:o,s:I,s:I,s:i}", "at", json_at(at[i], dims), "bytes",
                                      (json_int_t)set.bytes, "memory", (json_int_t)user.memory,
                                      "ends", (int)user.ends));
    }
    free(at);
    if (error != TORUS_OK) {
        table_drop(rows);
        return report(t, error);
    }
    table_end(rows, NULL);
    return missing > 0;
}

const struct command command_load = {
    .name = "load",
    .arguments = "PROGRAM",
    .most = 1,
    .summary = "a user's program into the second soft core of boards",
    .about =
        "Boards that are built with a user's core run a C program of the user's, with memory and "
        "ends of channels of its own. This holds what runs there, ends its streams, and loads "
        "PROGRAM, "
        "an ELF file for RV32I or the bytes of one from address 0 on, a word a request. Then: "
        "torusctl start. Boards without such a core are left out of all.",
    .examples = "load build/firmware/user/jacobi.elf\nload jacobi.bin --at 1,0\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_load,
};
