// SPDX-License-Identifier: Apache-2.0
// Replicates: runs that differ in their seed only, as one record.
#ifndef NET_REPLICATES_H
#define NET_REPLICATES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { NET_MAX_REPLICATES = 100 };

// The record of `count` (1 ..) replicates: each number that was measured is the mean over them
// (null: one of them has none), wall_s the sum; mean_ci95_low_us and _high_us get their 95%
// interval by Student's t, and every field with _ci95 (before its unit) half its width, of engine
// flit in place of that by batches; "end" is that of the first one that did not end well, "seed"
// the first one's, "saturated" true where one is. A new reference.
json_t *net_record_combine(json_t *const *records, uint32_t count);

// Mean of a field over records, and half the width of its 95% interval; NaN: one has none, or there
// is one only.
double net_record_mean(json_t *const *records, uint32_t count, const char *field, double *half);

// Is it of a run that went on to its end, drained or complete?
bool net_record_ended_well(const json_t *record);

// The field that half the interval of another is in: "_ci95" before its unit.
void net_record_interval(const char *field, char *name, size_t size);

#endif
