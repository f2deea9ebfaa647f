// SPDX-License-Identifier: Apache-2.0
// What a build from Verilog is made from: the top module and every module whose name occurs in what
// is already in, comments and blanks left out, and of the generated macros those that occur.
#ifndef VERILOG_INPUTS_H
#define VERILOG_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

enum { VERILOG_FILES = 256 };

struct verilog_file {
    char *path, *code; // code: without comments, blanks squeezed, on one line or in lines
    char module[128];
    bool used;
};

struct verilog_files {
    struct verilog_file file[VERILOG_FILES];
    size_t count;
};

// "PROGRAM: MESSAGE" on stderr and exit status 2; the program's name is `program_name`.
extern const char *const program_name;
noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A whole file with a 0 at its end, to be freed, or NULL.
char *slurp(const char *path);

// Adds the files that match a pattern; lines: their code keeps its line ends, but for empty lines.
// Ends the program if there is none.
void verilog_read(struct verilog_files *files, const char *pattern, bool lines);
// The same of all of rtl/, headers included.
void verilog_read_rtl(struct verilog_files *files, bool lines);
void verilog_free(struct verilog_files *files);

// Sets `used` of what `top` is made from. Returns whether there is such a module.
bool verilog_find(struct verilog_files *files, const char *top);

// A hash, FNV-1a with 64 bits, goes on from hash_start(); each text counts with its end.
uint64_t hash_start(void);
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count);
uint64_t hash_text(uint64_t hash, const char *text);
// The files in use, and of the macros in rtl/regs/ofr_defs.vh those that occur in them.
uint64_t hash_verilog(uint64_t hash, const struct verilog_files *files);

// The paths of the files in use but for headers, a blank after each.
void verilog_paths(const struct verilog_files *files, char *text, size_t size);

#endif
