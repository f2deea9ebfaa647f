// SPDX-License-Identifier: Apache-2.0
// Who is whose parent in a group of nodes that do collectives (collective.h): any set of a torus's
// nodes, the whole of it or a sub-torus. Pure functions, no allocation.
#ifndef OFR_GROUP_H
#define OFR_GROUP_H

#include "collective.h"
#include "torus.h"

enum { OFR_GROUP_MOST = 4095 }; // members: a subtree's size has 12 bits at the block

enum ofr_group_shape {
    // In dimension order: the root's ring of x, from each of its members the ring of y, then z. So
    // deep as the torus is wide; n + 1 children at most. For short vectors, and barriers.
    OFR_GROUP_TREE,
    // All in a row, back and forth through the torus, with the root in the middle: two children at
    // the root, one at all others. A local port has 2 flits for each of a vector. For long ones.
    OFR_GROUP_CHAIN,
    // The same with the root at one end, for blocks with one child.
    OFR_GROUP_LINE,
};

struct ofr_group_member {
    int16_t parent; // a member's index; -1: this is the root
    uint8_t slot;   // its place among the parent's children
    uint8_t children;
    uint16_t child[OFR_COLLECTIVE_CHILDREN];
    uint16_t size[OFR_COLLECTIVE_CHILDREN]; // members in that child's subtree
    uint16_t order; // in the order of members, by which SCATTER and GATHER go: root 0
    uint16_t depth; // edges to the root
};

// member[i], i in 0 .. count - 1: node of member i; root: an index; children: most that a block
// has. Writes to[0] .. to[count - 1]. False, and nothing written of use: count is 0 or more than
// OFR_GROUP_MOST, a node is outside the torus or there twice, root is none, children are too few
// (TREE: n + 1, CHAIN: 2, LINE: 1), n > 3. Time grows with count squared.
bool ofr_group_form(const struct ofr_torus *torus, const struct ofr_coord *member, unsigned count,
                    unsigned root, enum ofr_group_shape shape, unsigned children,
                    struct ofr_group_member *to);

#endif
