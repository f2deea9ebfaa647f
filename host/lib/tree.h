// SPDX-License-Identifier: Apache-2.0
// A group of boards whose collectives in hardware are joined: formed and ended by tree.c, used by
// tree_run.c. Needs boards.h, group.h.
#ifndef TORUS_TREE_H
#define TORUS_TREE_H

struct torus_tree {
    struct torus *t;
    unsigned members;
    double seconds;
    bool software, broken;
    uint8_t (*at)[3];
    struct ofr_group_member *place;
};

#endif
