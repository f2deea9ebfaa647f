// SPDX-License-Identifier: Apache-2.0
// Of heal.c: a torus to which something happens, what its host knows, and the ledger of its
// packets.
#ifndef HEAL_H
#define HEAL_H

#include <time.h>

#include "links.h"
#include "node.h"
#include "rng.h"

enum {
    HEAL_SEQS = 1 << 14,    // of a source, in an event
    HEAL_QUEUE = 64,        // heads on a link
    HEAL_HOST_MIN = 2000,   // cycles until the host has heard of a change and works on it,
    HEAL_HOST_MORE = 18000, // and up to so many more
    HEAL_STAGGER = 1000,    // its tables come to force within so many
    HEAL_WATCHDOG = 12,     // of routers, 2^ cycles
};

enum heal_kind { PULL, TWO, BLINK, RESET, POWER, KINDS };

enum heal_state { NONE, INSIDE, LINKED, DELIVERED, POISONED, LOST };
struct heal_packet {
    uint8_t state;
    uint16_t where; // node; or node and port whose link it is on
    bool excused;   // was on the board that was reset, or on its links
};

struct heal_pins { // a place where flits go by
    unsigned index;
    uint64_t began;
    int32_t id; // of the packet
};

struct heal_link { // from a port
    int32_t head[HEAL_QUEUE];
    uint8_t vc[HEAL_QUEUE];
    unsigned first, count;
    uint8_t sent[OFR_VCS]; // modulo 16, as the router counts
    unsigned down;         // cycles
    bool fell;             // within this event
};

// Routers in RTL, rtl_router.h; behind pointers, so that a program can do without.
struct rtl_router;
struct heal_rtl_ops {
    struct ofr_shape (*shape)(void);
    struct rtl_router *(*create)(uint32_t seed);
    void (*destroy)(struct rtl_router *router);
    void (*reset)(struct rtl_router *router);
    void (*seed)(struct rtl_router *router, uint32_t seed);
    void (*step)(struct rtl_router *router, const struct ofr_router_in *in,
                 const struct ofr_config *config);
    void (*out)(const struct rtl_router *router, struct ofr_router_out *out);
};
// The routers that stand beside the golden ones, and must be alike; NULL: none. In heal_plain.c or
// heal_rtl.c.
const struct heal_rtl_ops *heal_rtl(void);

struct heal_options {
    struct ofr_torus torus;
    struct ofr_shape shape; // of nodes; packets fill a slot
    uint64_t break_at; // node 0's RTL router gets a wrong credit from this cycle on; 0: it does not
    unsigned events, first;
    time_t until; // 0: `events` events
    int kind;     // -1: all in turn
    uint64_t seed;
    bool no_host;
};

struct heal {
    const struct heal_options *o;
    struct ofr_torus torus;
    uint32_t nodes;
    unsigned ports;
    enum heal_kind kind;
    struct rng rng;
    struct rng rtl_rng; // of its own: what happens is the same with RTL and without
    char why[240];
    uint64_t cycle;
    // Boards
    struct ofr_node *node;
    void **memory;
    struct rtl_router **rtl; // beside each, NULL: none
    uint64_t compared;       // cycles of all of them
    unsigned *off;           // cycles to go
    struct links *links;
    const struct ofr_router_out **out;
    struct ofr_router_in *in;
    // The host: what it knows, what it has set
    uint8_t *known, *told;
    uint64_t acts_at; // UINT64_MAX: nothing to do
    uint64_t *commit_at;
    uint16_t *entry;
    bool *configured, *ready;
    bool traffic;
    bool full;       // load: all that goes in
    unsigned period; // cycles between two packets of a node
    bool renumber;   // the generator of the board that was reset
    uint64_t led_at; // when all tables of the last change were in force
    // Ledger
    struct heal_packet *packet; // [node][HEAL_SEQS]
    struct heal_pins *tx, *rx;  // [node][port]
    struct heal_pins *li, *lo;  // [node]
    struct heal_link *link;     // [node][port]
    uint64_t *discarded;        // by a node, of before its reset
    uint64_t *headless;  // cut before it was known who they are, by the node that they came to
    uint64_t *last;      // [source][destination]: when a packet came
    uint64_t *last_from; // [source], [destination]
    bool *needs;         // ... its shortest ways may need what is lost
    uint64_t injected, delivered, poisoned, lost, excused;
    uint64_t most_gap, most_wait; // of a pair that does not need what is lost; of a node, at all
    int board;                    // that was reset, -1: none
    uint64_t reset_at;
};

// What is wrong, if nothing was so far: the event ends.
void heal_fail(struct heal *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline size_t heal_port(const struct heal *r, uint32_t n, unsigned p)
{
    return (size_t)n * r->ports + p;
}

// The node at the other end of a port's cable.
static inline uint32_t heal_far(const struct heal *r, uint32_t n, unsigned p)
{
    struct ofr_coord here = ofr_node_coord(&r->torus, n);
    struct ofr_coord to = ofr_neighbour(&r->torus, here, p);
    return ofr_node_id(&r->torus, &to);
}

// heal_nodes.c: boards, and the host that leads around what is down.
size_t heal_node_size(const struct heal *r); // bytes of its memory
void heal_write(struct heal *r, uint32_t n, unsigned offset, uint32_t value);
void heal_power_up(struct heal *r, uint32_t n);
void heal_configure(struct heal *r, uint32_t n);     // all but its destination table
void heal_generate(struct heal *r, uint32_t n);      // its traffic begins
uint64_t heal_discarded(struct heal *r, uint32_t n); // packets, since its reset
void heal_look(const struct heal *r, uint8_t *up);   // ports whose link is up at both ends
void heal_work_out(struct heal *r);                  // tables of what is `told`
void heal_host(struct heal *r);                      // a cycle of the host
bool heal_settled(const struct heal *r);             // nothing is left to do, all links are up

// heal_ledger.c
void heal_see(struct heal *r); // a cycle at all pins
// That board goes off: excuses what was on it or on its links.
void heal_see_off(struct heal *r, uint32_t n);
void heal_account(struct heal *r);                  // each packet not delivered is accounted for
void heal_all_flow(struct heal *r, uint64_t since); // all that may have had a packet since then

#endif
