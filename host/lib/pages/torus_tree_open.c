// SPDX-License-Identifier: Apache-2.0
// All boards are made a group, and wait for each other.
#include <libtorus.h>
#include <stdio.h>

int main(void)
{
    struct torus_tree_options options = torus_tree_options_default();
    struct torus_tree *tree = NULL;
    struct torus *t;
    options.software = true;
    int error = torus_open(&t, "usb", NULL);
    if (error == TORUS_OK)
        error = torus_attach(t);
    if (error == TORUS_OK)
        error = torus_tree_open(&tree, t, &options, NULL, 0);
    if (error == TORUS_OK)
        error = torus_tree_barrier(tree);
    if (error != TORUS_OK)
        fprintf(stderr, "%s\n", torus_detail(t));
    torus_tree_close(tree);
    torus_close(t);
    return error != TORUS_OK;
}
