// SPDX-License-Identifier: Apache-2.0
#include "config/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int net_line(FILE *file, char **line, size_t *room, const char **why)
{
    int length = 0, c = 0;
    while (c != '\n' && (c = getc_unlocked(file)) != EOF) {
        if ((size_t)length + 1 >= *room) { // one is for what ends the text
            size_t larger = *room ? 2 * *room : 256;
            char *text = realloc(*line, larger);
            *why = "out of memory";
            if (!text)
                return -1;
            *line = text;
            *room = larger;
        }
        *why = length == NET_LINE ? "the line is longer than 1 MiB" : "there is a zero byte in it";
        if (length == NET_LINE || c == '\0')
            return -1;
        (*line)[length++] = (char)c;
    }
    if (c == EOF && ferror(file)) {
        *why = strerror(errno);
        return -1;
    }
    if (length)
        (*line)[length] = '\0';
    return length;
}
