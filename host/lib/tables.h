// SPDX-License-Identifier: Apache-2.0
// Tables: routings and what boards are sent of them (table.c), destination tables (destinations.c;
// around missing cables: around.c), programming (program.c).
#ifndef TORUS_TABLES_H
#define TORUS_TABLES_H

#include "boards.h"

// A preset or a custom table in 16 bits, which boards keep beside the generation.
uint32_t describe(const struct torus_preset *p);
uint32_t describe_table(const struct torus_table *table);
struct torus_preset described(uint32_t word); // a custom one: only its routing
enum torus_traffic described_traffic(uint32_t word);
bool described_destinations(uint32_t word); // a custom one that has some
// OFR.DATA values, 2^dims sets of 8; returns how many.
unsigned table_bytes(const struct torus_table *table, uint8_t out[64]);
// OFR.PARAM (15:0), OFR.WIDN (23:16), NODE.ROUTING's select (25:24) and threshold (29:26).
uint32_t table_parameters(const struct torus_table *table);

// Destination tables: registers PINS of all boards, over directed routes as discovered.
// What is wrong with a list in itself: a line in `text`, false.
bool destinations_check(const struct torus_table *table, char text[120]);
// Likewise in this torus: TORUS_E_USAGE.
int destinations_fit(struct torus *t, const struct torus_table *table);
// TORUS_E_USAGE: a board is built without the table.
int destinations_built(struct torus *t);
// What PINS.ADDR holds when a table is whole, 1 to 254: which generation's it is. There: 0, when
// there is none; DESTINATIONS_WORK, while it is written.
enum { DESTINATIONS_WORK = 255 };
unsigned destinations_tag(unsigned generation);
// Off; then, with all off, entries cleared and written, and the tag; then on.
int destinations_off(struct torus *t);
int destinations_write(struct torus *t, const struct torus_table *table, unsigned generation);
int destinations_on(struct torus *t);

#endif
