// SPDX-License-Identifier: Apache-2.0
// torusctl key: sets or clears the boards' key, which is read from a file or asked for, and never
// shown. key_read() is --key-file of other commands.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "ctl.h"

static uint64_t read_line(FILE *f, const char *name)
{
    char line[80];
    uint64_t key = 0;
    bool any = fgets(line, sizeof line, f);
    if (any)
        line[strcspn(line, "\r\n")] = 0;
    if (any && !isatty(fileno(f)) && fgetc(f) != EOF)
        any = false;
    if (!any || !parse_key(line, &key))
        wrong("key from", name, "one line of up to 16 hexadecimal digits, not 0");
    memset(line, 0, sizeof line);
    return key;
}

// As ssh has it: a key that others can read is none. Pipes and terminals are nobody else's.
static bool others_read(FILE *f)
{
    struct stat is;
    return !fstat(fileno(f), &is) && S_ISREG(is.st_mode) && is.st_mode & (S_IRWXG | S_IRWXO);
}

uint64_t key_read(const char *file)
{
    uint64_t key = 0;
    FILE *f = fopen(file, "r");
    if (!f) {
        wrong("key file", file, strerror(errno));
        return 0;
    }
    if (others_read(f))
        wrong("key file", file, "others may read or write it: chmod 600 it, or set another key");
    else
        key = read_line(f, file);
    fclose(f);
    return key;
}

// Asks for it twice at a terminal; reads it once from anything else. 0: a line has said why.
static uint64_t ask(void)
{
    struct termios before, quiet;
    if (tcgetattr(STDIN_FILENO, &before))
        return read_line(stdin, "standard input");
    quiet = before;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    fputs("New key (hexadecimal): ", stderr);
    uint64_t key = read_line(stdin, "the terminal"), again = 0;
    if (key) {
        fputs("\nThe same again: ", stderr);
        again = read_line(stdin, "the terminal");
    }
    fputc('\n', stderr);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    if (key && again && key != again)
        wrong("key", "", "the two are not the same");
    return key == again ? key : 0;
}

static uint64_t new_key;

static int prepare(struct args *a)
{
    const char *what = a->rest_count ? a->rest[0] : "";
    if (strcmp(what, "set") != 0 && strcmp(what, "clear") != 0)
        return wrong("key", what, "say set or clear");
    if (what[0] == 'c')
        return a->rest_count == 1 ? GO_ON
                                  : wrong("key clear", a->rest[1], "no file: there is none");
    new_key = a->rest_count == 2 ? key_read(a->rest[1]) : ask();
    return new_key ? GO_ON : 2;
}

static int do_key(struct torus *t, const struct args *a)
{
    (void)a;
    int error = torus_attach(t);
    if (error == TORUS_OK)
        error = torus_set_key(t, new_key);
    if (error == TORUS_OK)
        error = torus_release(t);
    return error == TORUS_OK ? 0 : report(t, error);
}

const struct command command_key = {
    .name = "key",
    .arguments = "set [FILE]\nclear",
    .most = 2,
    .summary = "set or clear the key that writing needs",
    .about = "Sets the 64-bit key that every session which writes must give from then on, with "
             "--key or, so that it is not on a command line, --key-file; or clears it. The new key "
             "is one line of up to 16 hexadecimal digits: of FILE, or of the standard input; at a "
             "terminal it is asked for twice. A FILE, of --key-file too, that others may read or "
             "write is refused. It is never shown. Where the boards have a key, give "
             "that with --key-file. ping --format json says whether a board has one.",
    .examples = "key set secret.txt\n"
                "program --routing ofr --key-file secret.txt\n"
                "key clear --key-file secret.txt\n",
    .groups = CONNECTION | REQUESTS | WRITING,
    .prepare = prepare,
    .run = do_key,
};
