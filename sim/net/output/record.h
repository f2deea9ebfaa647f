// SPDX-License-Identifier: Apache-2.0
// A finished run as a record: fields with names and units.
#ifndef NET_RECORD_H
#define NET_RECORD_H

#include <jansson.h>
#include <stdio.h>

#include "config/config.h"
#include "measure/result.h"

// What a run says: settings, then measurements, as an object in the order to be shown; NaN is null.
// wall_s: seconds that it took. NULL: out of memory.
json_t *net_record(const struct net_config *config, const struct net_result *result, double wall_s);

// Adds engine and settings to an object, in the order to be shown; null: does not apply.
void net_record_settings(json_t *record, const struct net_config *config);

// A number with the decimals that a record keeps; null where it is not finite.
json_t *net_record_real(double value);

// Share of the time that a link (node * ports + port) was busy with packets; NaN: there is none.
double net_record_use(const struct net_result *result, const struct net_config *config,
                      size_t link);

// Unit of a field, "" where it has none.
const char *net_record_unit(const char *field);

// As lines "field value unit"; as CSV: the line of names, a line of values.
void net_record_text(const json_t *record, FILE *out);
void net_record_csv_head(const json_t *record, FILE *out);
void net_record_csv(const json_t *record, FILE *out);

#endif
