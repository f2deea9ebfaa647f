// SPDX-License-Identifier: Apache-2.0
// What a run has beside its record, as CSV: a line "# " with the command that makes it, a line of
// names, lines of values.
//   links      node, coordinates (x, y, ...), port (x+, x-, ...), packets, use (share of the time
//              in which they were counted that the link was busy with packets; each by its whole
//              time, so of few packets it may be above 1, by less than one packet's time)
//   histogram  lifetimes from low_us to below high_us: packets
#ifndef NET_FILES_H
#define NET_FILES_H

#include <stdio.h>

#include "config/config.h"
#include "measure/result.h"

// Refuses a file that is there already, or that cannot be made. path NULL: nothing to do, here and
// below.
void net_file_check(const char *option, const char *path);

// The same of those of --links and --histogram, which must not be one file either.
void net_files_check(const char *links, const char *histogram);

// Closes a file that has been written. False: a line on stderr says why it is not whole, and that
// `name` is its, or is to be.
bool net_file_close(FILE *file, const char *name);

// False: a line on stderr says why; no file is left then.
bool net_file_links(const char *path, const struct net_config *config,
                    const struct net_result *result);
bool net_file_histogram(const char *path, const struct net_config *config,
                        const struct net_result *result);

#endif
