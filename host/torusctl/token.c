// SPDX-License-Identifier: Apache-2.0
// The user's token: what makes a lease that a torusctl of hers has left behind hers to take over. A
// secret of 32 bits, made up once and kept in her state folder.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl.h"

// Its folder, made where it is not there yet.
static bool folder(char path[400])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (state && *state == '/')
        n = snprintf(path, 400, "%s/outflank", state);
    else if (home && *home == '/')
        n = snprintf(path, 400, "%s/.local/state/outflank", home);
    if (n < 0 || n >= 400)
        return false;
    for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        mkdir(path, 0700);
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static uint32_t read_token(const char *file)
{
    unsigned token = 0;
    FILE *in = fopen(file, "r");
    if (!in)
        return 0;
    if (fscanf(in, "%x", &token) != 1) // NOLINT(cert-err34-c): 0 is what is wrong
        token = 0;
    fclose(in);
    return token;
}

uint32_t token_load(void)
{
    char path[400], file[420], fresh[440];
    uint32_t token = 0;
    if (!folder(path))
        return 0;
    snprintf(file, sizeof file, "%s/token", path);
    snprintf(fresh, sizeof fresh, "%s.%ld", file, (long)getpid());
    token = read_token(file);
    if (token)
        return token;
    while (!token)
        if (getrandom(&token, sizeof token, 0) != sizeof token)
            return 0;
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return 0;
    bool good = dprintf(fd, "%08x\n", token) == 9;
    good &= close(fd) == 0;
    // Of two that come at the same time the first one's stays.
    if (good && link(fresh, file) < 0)
        token = read_token(file);
    unlink(fresh);
    return good ? token : 0;
}
