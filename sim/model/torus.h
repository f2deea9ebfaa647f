// SPDX-License-Identifier: Apache-2.0
// Topology of a k1 x ... x kn torus: directions, distances, node numbers.
// Pure functions; no state. Used by the router model, firmware, host and torussim alike.
#ifndef OFR_TORUS_H
#define OFR_TORUS_H

#include <stdbool.h>
#include <stdint.h>

// The RTL has n = 2 or 3; torussim is built with more than here (sim/net/topo/dims.h).
#ifndef OFR_MAX_DIMS
#define OFR_MAX_DIMS 6
#endif

enum { OFR_MAX_PORTS = 2 * OFR_MAX_DIMS }; // link ports: x+ x- y+ y- z+ z- ...

// A torus: n dimensions (1 to OFR_MAX_DIMS) of k[i] nodes each (1 to 255; the RTL: 1 to 16).
// k = 1: the dimension is absent. k = 2: a mesh axis, node 0 uses its +, node 1 its -.
struct ofr_torus {
    uint8_t n;
    uint8_t k[OFR_MAX_DIMS];
};

// Coordinates of a node, c[i] in 0 .. k[i] - 1; entries from n on are 0.
struct ofr_coord {
    uint8_t c[OFR_MAX_DIMS];
};

// What a distance of exactly k/2 means (paper: unsaid; the 2013 experiment: PLUS).
// BOTH: adaptive VC and u may use either direction; the escape and lambda take +.
enum ofr_tie { OFR_TIE_PLUS = 0, OFR_TIE_BOTH = 1 };

// Ports: 2i is i+, 2i + 1 is i-.
static inline unsigned ofr_port(unsigned dim, bool minus)
{
    return 2 * dim + minus;
}

// Hops from s to t along dimension i the shorter way, 0 .. k/2 (k = 2: 0 or 1).
unsigned ofr_dim_distance(const struct ofr_torus *torus, unsigned dim, unsigned s, unsigned t);

// d(s, t): minimal distance in hops (paper, sec. 3.1).
unsigned ofr_distance(const struct ofr_torus *torus, const struct ofr_coord *s,
                      const struct ofr_coord *t);

// Minimal directions along dimension i from coordinate s to t: bit 0 is +, bit 1 is -, 0 if s = t.
// Both bits only at distance exactly k/2, k > 2, with OFR_TIE_BOTH.
unsigned ofr_dim_minimal(const struct ofr_torus *torus, unsigned dim, unsigned s, unsigned t,
                         enum ofr_tie tie);

// Minimal ports from s to t as a mask, bit p is port p (mu-links, paper sec. 3.1).
uint32_t ofr_minimal_ports(const struct ofr_torus *torus, const struct ofr_coord *s,
                           const struct ofr_coord *t, enum ofr_tie tie);

// Ports of node s that have a link: none where k = 1, one of the two where k = 2.
uint32_t ofr_existing_ports(const struct ofr_torus *torus, const struct ofr_coord *s);

// Dimension-order port from s to t (+ at ties): the escape VCs' way. -1 if s = t.
int ofr_escape_port(const struct ofr_torus *torus, const struct ofr_coord *s,
                    const struct ofr_coord *t);

// Neighbour of s through port p (the wrap included).
struct ofr_coord ofr_neighbour(const struct ofr_torus *torus, struct ofr_coord s, unsigned port);

// All coordinates inside the torus?
bool ofr_inside(const struct ofr_torus *torus, const struct ofr_coord *s);

// Number of nodes; node id = x + kx y + kx ky z + ...; and back.
uint32_t ofr_nodes(const struct ofr_torus *torus);
uint32_t ofr_node_id(const struct ofr_torus *torus, const struct ofr_coord *s);
struct ofr_coord ofr_node_coord(const struct ofr_torus *torus, uint32_t id);

#endif
