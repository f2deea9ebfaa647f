// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on a grid of N^3 points a rank, as HPCG does: every iteration exchanges the
// faces with six neighbours and adds up two dot products over all. halo [N [ITERATIONS]] Solves (7
// - sum of neighbours) x = b for b made from x = 1; ends with status 1 unless the residual falls in
// every tenth iteration and x comes near 1.
#if __has_include(<mpi.h>) // else there is nothing to lint
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX = 64 };

static int n, rank, size, sizes[3], at[3], near[6];
static MPI_Comm grid;

typedef double field[MAX + 2][MAX + 2][MAX + 2];
static field x, b, r, p, q;

// The face of `p` in direction d (0 .. 5), or the layer beyond it, into or from a buffer.
static void face(int d, int beyond, int put, double *buffer)
{
    int layer = d % 2 ? (beyond ? 0 : 1) : (beyond ? n + 1 : n), dim = d / 2;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) {
            double *cell = dim == 0   ? &p[layer][i][j]
                           : dim == 1 ? &p[i][layer][j]
                                      : &p[i][j][layer];
            if (put)
                *cell = *buffer++;
            else
                *buffer++ = *cell;
        }
}

static void exchange(void)
{
    static double out[6][MAX * MAX], in[6][MAX * MAX];
    MPI_Request request[12];
    for (int d = 0; d < 6; d++)
        MPI_Irecv(in[d], n * n, MPI_DOUBLE, near[d], d ^ 1, grid, &request[d]);
    for (int d = 0; d < 6; d++) {
        face(d, 0, 0, out[d]);
        MPI_Isend(out[d], n * n, MPI_DOUBLE, near[d], d, grid, &request[6 + d]);
    }
    MPI_Waitall(12, request, MPI_STATUSES_IGNORE);
    for (int d = 0; d < 6; d++)
        if (near[d] != MPI_PROC_NULL)
            face(d, 1, 1, in[d]);
}

#define ALL                                                                                        \
    for (int i = 1; i <= n; i++)                                                                   \
        for (int j = 1; j <= n; j++)                                                               \
            for (int k = 1; k <= n; k++)

// q = A p
static void multiply(void)
{
    exchange();
    ALL q[i][j][k] = 7 * p[i][j][k] - p[i - 1][j][k] - p[i + 1][j][k] - p[i][j - 1][k] -
                     p[i][j + 1][k] - p[i][j][k - 1] - p[i][j][k + 1];
}

static double dot(field u, field v)
{
    double sum = 0, all = 0;
    ALL sum += u[i][j][k] * v[i][j][k];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
    return all;
}

int main(int argc, char **argv)
{
    int rings[3] = {0, 0, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    n = argc > 1 ? atoi(argv[1]) : 8;
    int iterations = argc > 2 ? atoi(argv[2]) : 20;
    if (n < 1 || n > MAX || iterations < 1) {
        fprintf(stderr, "halo [N [ITERATIONS]]: N must be 1 to %d\n", MAX);
        return MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Dims_create(size, 3, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 3, sizes, rings, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 3, at);
    for (int d = 0; d < 3; d++)
        MPI_Cart_shift(grid, d, 1, &near[2 * d + 1], &near[2 * d]);
    ALL p[i][j][k] = 1;
    multiply();
    ALL b[i][j][k] = r[i][j][k] = p[i][j][k] = q[i][j][k];
    double now = dot(r, r), first = now, before = now;
    int good = 1;
    for (int i = 1; i <= iterations; i++) {
        multiply();
        double step = now / dot(p, q);
        ALL x[i][j][k] += step * p[i][j][k];
        ALL r[i][j][k] -= step * q[i][j][k];
        double next = dot(r, r);
        ALL p[i][j][k] = r[i][j][k] + next / now * p[i][j][k];
        now = next;
        if (i % 10 == 0) {
            good = good && now < before;
            before = now;
        }
    }
    double worst = 0, most = 0;
    ALL worst = fmax(worst, fabs(x[i][j][k] - 1));
    MPI_Reduce(&worst, &most, 1, MPI_DOUBLE, MPI_MAX, 0, grid);
    if (rank == 0) {
        printf("halo: residual %g of %g, off by %g\n", sqrt(now), sqrt(first), most);
        good = good && most < 0.1;
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, grid);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return !good;
}

#endif
