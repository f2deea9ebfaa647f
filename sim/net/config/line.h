// SPDX-License-Identifier: Apache-2.0
// Lines of a file that others wrote. getline() reads one until memory is gone, and what it returns
// then is what it returns at the end of the file.
#ifndef NET_LINE_H
#define NET_LINE_H

#include <stddef.h>
#include <stdio.h>

enum { NET_LINE = 1 << 20 }; // bytes of the longest one

// The next line with its end, if it has one, in *line, which is the caller's to free; its length.
// 0: the file is at its end. Below 0: *why says what is wrong, a zero byte included.
int net_line(FILE *file, char **line, size_t *room, const char **why);

#endif
