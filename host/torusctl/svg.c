// SPDX-License-Identifier: Apache-2.0
// torusctl discover --svg: the torus as a picture, drawn by graphviz from places that we give it.
// Right cables are grey, those that wrap round stubs at both edges; wrong ones are red, with their
// ports, and where one is missing the line is dashed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl.h"

enum { STEP = 100, STUB = 36 }; // points between boards, of a stub

struct place {
    int x, y;
};

// Planes of a 3D torus side by side, y upwards; boards without a place in a row below.
static struct place where(const struct torus *t, const uint8_t k[3], unsigned i)
{
    const struct torus_board *b = torus_board(t, i);
    unsigned lost = 0;
    if (b->placed)
        return (struct place){STEP * (int)(b->at[0] + b->at[2] * (k[0] + 1u)), STEP * b->at[1]};
    for (unsigned j = 0; j < i; j++)
        lost += !torus_board(t, j)->placed;
    return (struct place){STEP * (int)lost, -2 * STEP};
}

static void stub(FILE *dot, const char *name, unsigned board, unsigned port, struct place at)
{
    static const struct place way[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}};
    fprintf(dot,
            "%s%u_%u [shape=point, width=0.01, label=\"\", pos=\"%d,%d\"];\n"
            "b%u -- %s%u_%u [color=gray50];\n",
            name, board, port, at.x + way[port].x * STUB, at.y + way[port].y * STUB, board, name,
            board, port);
}

// The cable at port p of board i, seen from its first end.
static void draw_cable(FILE *dot, const struct torus *t, const uint8_t k[3], unsigned i, unsigned p)
{
    const struct torus_board *b = torus_board(t, i);
    int c = b->peer[p], q = b->peer_port[p];
    if (!right_cable(t, k, b, p) || p % 2)
        return;
    struct place from = where(t, k, i), to = where(t, k, (unsigned)c);
    if (p / 2 < 2 && abs(from.x - to.x) <= STEP && abs(from.y - to.y) <= STEP && c != (int)i) {
        fprintf(dot, "b%u -- b%d [color=gray50];\n", i, c);
        return;
    }
    stub(dot, "s", i, p, from);
    stub(dot, "s", (unsigned)c, (unsigned)q, to);
}

static void draw(FILE *dot, const struct torus *t, const uint8_t k[3], unsigned dims)
{
    fputs("graph torus {\nsplines=line; bgcolor=white; outputorder=edgesfirst;\n"
          "node [shape=box, style=filled, fillcolor=white, fontname=\"sans\", fontsize=10, "
          "width=0.85, height=0.45, fixedsize=true];\n"
          "edge [fontname=\"sans\", fontsize=9, fontcolor=red3, labeldistance=1.5];\n",
          dot);
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        struct place at = where(t, k, i);
        char text[16] = "?";
        if (b->placed)
            at_text(b->at, dims, text);
        const char *name = name_of(b->serial);
        char number[16];
        snprintf(number, sizeof number, "%08x", (unsigned)(b->serial >> 32));
        fprintf(dot, "b%u [label=\"%s\\n%.14s\", tooltip=\"%016llx\", pos=\"%d,%d\"%s];\n", i, text,
                name ? name : number, (unsigned long long)b->serial, at.x, at.y,
                b->hops ? "" : ", penwidth=2.5");
        for (unsigned p = 0; p < 2u * b->dims; p++)
            draw_cable(dot, t, k, i, p);
    }
    struct torus_cable c;
    enum torus_fault_kind kind;
    for (unsigned i = 0; (kind = torus_fault_kind(t, i, &c)) != TORUS_FAULT_NONE; i++)
        if (c.board[0] >= 0)
            fprintf(dot,
                    "b%d -- b%d [color=red3, penwidth=2, style=%s, taillabel=\"%s\", "
                    "headlabel=\"%s\", tooltip=\"%s\"];\n",
                    c.board[0], c.board[1], kind == TORUS_FAULT_MISSING ? "dashed" : "solid",
                    torus_port_name((unsigned)c.port[0]), torus_port_name((unsigned)c.port[1]),
                    torus_fault_name(kind));
    fputs("}\n", dot);
}

// Starts neato with a pipe to its standard input; -1: it cannot be started.
static int start_neato(const char *file, pid_t *child)
{
    char *argv[] = {(char[]){"neato"}, (char[]){"-n2"}, (char[]){"-Tsvg"},
                    (char[]){"-o"},    (char *)file,    NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    errno = posix_spawnp(child, "neato", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (!errno)
        return ends[1];
    close(ends[1]);
    return -1;
}

// Into `to`, for `file`. Exit status.
static int draw_to(const struct torus *t, const uint8_t k[3], unsigned dims, const char *to,
                   const char *file)
{
    FILE *try = fopen(to, "w"); // neato would say it in words of its own
    pid_t child;
    int status = 1, pipe = -1;
    if (!try)
        return wrong("file", file, strerror(errno));
    fclose(try);
    signal(SIGPIPE, SIG_IGN);
    pipe = start_neato(to, &child);
    if (pipe < 0)
        return wrong("program", "neato", "cannot be started; is graphviz installed?");
    FILE *dot = fdopen(pipe, "w");
    if (dot) {
        draw(dot, t, k, dims);
        fclose(dot);
    } else {
        close(pipe);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return dot && status == 0 ? 0 : wrong("file", file, "graphviz could not draw it");
}

// Beside, and in place once it is whole: a picture of before stays where there is none. What is no
// file, a pipe say, is written as it is.
int draw_svg(const struct torus *t, const uint8_t k[3], unsigned dims, const char *file)
{
    struct stat about;
    char *new;
    if (!lstat(file, &about) && !S_ISREG(about.st_mode))
        return draw_to(t, k, dims, file, file);
    if (asprintf(&new, "%s.new", file) < 0)
        return wrong("file", file, "out of memory");
    int status = draw_to(t, k, dims, new, file);
    if (!status && rename(new, file))
        status = wrong("file", file, strerror(errno));
    if (status)
        unlink(new);
    free(new);
    return status;
}
