// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "usb_rig.h"
#include "now.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 48 };

static const char *folder(void)
{
    const char *b = getenv("B");
    return b ? b : "build";
}

// Splits a copy of `text` at blanks.
static unsigned split(char *text, char **words, unsigned count)
{
    for (char *word = strtok(text, " "); word && count < WORDS - 1; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

struct rig *rig_new(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : getenv("SEED");
    struct rig *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->seed = text ? strtoull(text, NULL, 0) : 1;
    r->mock = mock_new(argv, r->seed);
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("# seed %" PRIu64 " (give it as argument or in SEED to replay)\n", r->seed);
    strcpy(r->dir, "/tmp/outflank.XXXXXX");
    if (!mkdtemp(r->dir)) {
        perror(r->dir);
        exit(1);
    }
    snprintf(r->log, sizeof r->log, "%s/log", r->dir);
    setenv("XDG_RUNTIME_DIR", r->dir, 1); // what other machines' boards are shared at is not for us
    return r;
}

bool check(struct rig *r, bool ok, const char *format, ...)
{
    va_list args;
    printf("%s %u - ", ok ? "ok" : "not ok", ++r->number);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    if (ok)
        return true;
    r->failed++;
    struct mock_seen seen = mock_seen(r->mock);
    printf("# %u faults, %ld bytes%s; torusctl ended with status %d after %.2f s and said: ",
           seen.faults, seen.bytes, seen.event ? ", the event has come" : "", r->status, r->took);
    for (const char *c = r->out; *c; c++) {
        putchar(*c);
        if (*c == '\n' && c[1])
            printf("# ");
    }
    return false;
}

void rig_boards(struct rig *r, const char *options, unsigned plugged)
{
    char copy[256], program[128], line[256], *words[WORDS];
    snprintf(copy, sizeof copy, "%s", options);
    snprintf(program, sizeof program, "%s/bin/boardsim", folder());
    words[0] = program;
    words[1] = "--usbip=0";
    words[2] = "--threads=1";
    words[3] = "--sockets";
    words[4] = r->dir;
    words[5] = "--link=plain"; // USB is what these are about
    split(copy, words, 6);
    int log = open(r->log, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    r->sim = fork();
    if (!r->sim) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        unsetenv("LD_PRELOAD");
        unsetenv("UMOCKDEV_DIR");
        dup2(log, 1);
        dup2(log, 2);
        execv(program, words);
        _exit(127);
    }
    close(log);
    r->port = 0;
    bool there = false;
    for (unsigned tries = 0; !there && tries < 30000; tries++) {
        usleep(10000);
        if (waitpid(r->sim, NULL, WNOHANG) != 0)
            break;
        FILE *f = fopen(r->log, "r");
        while (f && fgets(line, sizeof line, f)) {
            sscanf(line, "boardsim: USB/IP on 127.0.0.1 port %u", &r->port);
            there |= strstr(line, "board0.sock") != NULL;
        }
        if (f)
            fclose(f);
    }
    if (!there || !r->port) {
        printf("# boardsim %s did not start: see %s\n", options, r->log);
        exit(1);
    }
    for (unsigned i = 1; i <= plugged; i++)
        mock_plug(r->mock, r->port, i);
}

int rig_stop(struct rig *r)
{
    int status = 0;
    for (unsigned i = 1; i <= MOCK_DEVICES; i++)
        mock_unplug(r->mock, i);
    if (r->sim <= 0)
        return 0;
    kill(r->sim, SIGTERM);
    waitpid(r->sim, &status, 0);
    r->sim = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int rig_end(struct rig *r)
{
    rig_stop(r);
    mock_free(r->mock);
    char shares[96];
    snprintf(shares, sizeof shares, "%s/outflank", r->dir);
    rmdir(shares);
    unlink(r->log);
    rmdir(r->dir);
    printf("1..%u\n", r->number);
    bool failed = r->failed;
    free(r);
    return failed;
}

int torusctl(struct rig *r, const char *where, const char *arguments)
{
    char copy[1024], program[128], path[128], *words[WORDS];
    snprintf(copy, sizeof copy, "%s", arguments);
    snprintf(program, sizeof program, "%s/bin/torusctl", folder());
    snprintf(path, sizeof path, "unix:%s/board%s.sock", r->dir, where + 5);
    words[0] = program;
    if (r->ctl)
        snprintf(program, sizeof program, "%s/%s", folder(), r->ctl);
    words[1] = "-t";
    words[2] = (char *)where;
    if (!strncmp(where, "unix:", 5))
        words[2] = path;
    words[3] = "--timeout=60";
    words[4] = "--retry=10";
    split(copy, words,
          strcmp(arguments, "serve") ? 5 : 4); // which passes on what others send again
    double begin = now();
    r->status = mock_run(r->mock, words, 300, r->out, sizeof r->out);
    r->took = now() - begin;
    return r->status;
}

bool says(const struct rig *r, const char *text)
{
    return strstr(r->out, text) != NULL;
}

bool one_complaint(const struct rig *r)
{
    unsigned count = 0;
    for (const char *line = r->out; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        count += !strncmp(line, "torusctl: ", 10);
    }
    return count == 1;
}

bool one_line(const struct rig *r)
{
    const char *end = strchr(r->out, '\n');
    return end && !end[1];
}
