// SPDX-License-Identifier: Apache-2.0
// Tables: routings and what they stand for (table.c), destination tables (destinations.c; around
// missing cables: around.c), what boards are sent of both (staging.c), of
// destinations alone (changes.c), programming (program.c).
#ifndef TORUS_TABLES_H
#define TORUS_TABLES_H

#include "boards.h"

// A preset or a custom table in 16 bits, which boards keep beside the generation.
uint32_t describe(const struct torus_preset *p);
uint32_t describe_table(const struct torus_table *table);
struct torus_preset described(uint32_t word); // a custom one: only its routing
enum torus_traffic described_traffic(uint32_t word);
// OFR.DATA values, 2^dims sets of 8; returns how many.
unsigned table_bytes(const struct torus_table *table, uint8_t out[64]);
// OFR.PARAM (15:0), OFR.WIDN (23:16), NODE.ROUTING's select (25:24) and threshold (29:26).
uint32_t table_parameters(const struct torus_table *table);

// Destination tables.
enum { DESTINATIONS = 4096 }; // coordinates as in packet headers
// What is wrong with a list in itself: a line in `text`, false.
bool destinations_check(const struct torus_table *table, char text[120]);
// Likewise in this torus: TORUS_E_USAGE.
int destinations_fit(struct torus *t, const struct torus_table *table);
// TORUS_E_USAGE: a board is built without the table.
int destinations_built(struct torus *t);
// By address: how many boards have their table on? what: is being done, for errors.
int destinations_count(struct torus *t, unsigned *boards, const char *what);
// Does any board have its table on?
int destinations_used(struct torus *t, bool *used);
// PINS.DATA of every destination at node `from`.
void destinations_of(const struct torus_table *table, uint32_t from, uint16_t out[DESTINATIONS]);

// A table on its way into the boards: what messages it is, and their CRC.
struct staging {
    uint32_t settings, descriptor;
    unsigned generation, words; // words: of entries in a message, 1 or 3
    struct staging_bank {
        unsigned bits, entries;
        bool sparse; // entries that are 0 need not be said
        uint16_t entry[DESTINATIONS];
    } bank[OFR_BANKS];
    unsigned at, next;     // the bank, and of its words the next one
    uint32_t crc, idn_crc; // registers: of what was said; of bank IDN as OFR.CRC
};
// words: 1 goes anywhere, 3 needs a request without a path. No destinations, until they are said:
// those at node `from`.
void staging_begin(struct staging *s, const struct torus_table *table, uint32_t descriptor,
                   unsigned generation, unsigned words);
void staging_destinations(struct staging *s, const struct torus_table *table, uint32_t from);
// Makes a request for OP_TABLE, which says where to, the next one. False: there are no more.
bool staging_next(struct staging *s, struct request *q);
// What OP_STAGE and OP_COMMIT say: generation and CRC, when there are no more.
void staging_name(const struct staging *s, struct request *q);

// Destinations alone (changes.c), over directed routes. changes_fit: do boards have, as far as this
// handle has written it, a table that differs from this one in its destinations only?
// changes_stage: sends them to all boards, side by side, and makes the requests that commit them.
// *fit false: boards have another table, or coordinates, than was known; then the whole is to be
// written.
bool changes_fit(const struct torus *t, const struct torus_table *table);
int changes_stage(struct torus *t, const struct torus_table *table, uint32_t descriptor,
                  unsigned generation, struct request *commit, bool *fit);
// What all boards have now; active: descriptor and generation; commit: the request that committed
// it at all boards, or one to each. It is not known any more.
void changes_remember(struct torus *t, const struct torus_table *table, uint32_t active,
                      const struct request *commit, bool each);
void changes_forget(struct torus *t);

#endif
