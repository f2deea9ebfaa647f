// SPDX-License-Identifier: Apache-2.0
// A Fourier transform in three dimensions and back, of N x N x N points in pencils: ranks are a
// grid of rows and columns, each transform along the third dimension is followed by an all-to-all
// in its row or column. transpose [N [ROUNDS]]; N a power of 2 that rows and columns divide. Ends
// with status 1 unless what comes back is what there was.
#if __has_include(<mpi.h>) // else there is nothing to lint
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double complex *data, *other;
static int n;

// In place, of n points; sign -1: there, 1: back (not divided by n).
static void transform(double complex *v, int sign)
{
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j |= bit;
        if (i < j) {
            double complex t = v[i];
            v[i] = v[j];
            v[j] = t;
        }
    }
    for (int half = 1; half < n; half *= 2)
        for (int i = 0; i < half; i++) {
            double complex w = cexp(sign * I * acos(-1) * i / half);
            for (int j = i; j < n; j += 2 * half) {
                double complex t = w * v[j + half];
                v[j + half] = v[j] - t;
                v[j] += t;
            }
        }
}

// Of data[a][b][n] at ranks that share the last dimension among `members`: each gives every other
// n / members of it, and has then all of the dimension b, which is last.
static void turn(int a, int b, MPI_Comm members)
{
    int size, part;
    MPI_Comm_size(members, &size);
    part = n / size;
    for (int m = 0, to = 0; m < size; m++)
        for (int i = 0; i < a; i++)
            for (int k = 0; k < part; k++)
                for (int j = 0; j < b; j++)
                    other[to++] = data[(i * b + j) * n + m * part + k];
    MPI_Alltoall(other, a * b * part, MPI_C_DOUBLE_COMPLEX, data, a * b * part,
                 MPI_C_DOUBLE_COMPLEX, members);
    // From m: a x part x b; b over all members is the whole dimension.
    for (int m = 0, from = 0; m < size; m++)
        for (int i = 0; i < a; i++)
            for (int k = 0; k < part; k++)
                for (int j = 0; j < b; j++)
                    other[(i * part + k) * n + m * b + j] = data[from++];
    double complex *swap = data;
    data = other;
    other = swap;
}

// data[a][b][n] to data[b][a][n]
static void swap_first(int a, int b)
{
    for (int i = 0; i < a; i++)
        for (int j = 0; j < b; j++)
            for (int k = 0; k < n; k++)
                other[(j * a + i) * n + k] = data[(i * b + j) * n + k];
    double complex *swap = data;
    data = other;
    other = swap;
}

int main(int argc, char **argv)
{
    int rank, size, sizes[2] = {0, 0};
    MPI_Comm row, column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, sizes);
    n = argc > 1 ? atoi(argv[1]) : 32;
    int rounds = argc > 2 ? atoi(argv[2]) : 2, rows = sizes[0], columns = sizes[1];
    if (n < 1 || n > 1024 || n & (n - 1) || n % rows || n % columns || rounds < 1) {
        fprintf(stderr, "transpose [N [ROUNDS]]: N must be a power of 2, a multiple of %d and %d\n",
                rows, columns);
        return MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &column);
    int a = n / rows, b = n / columns;
    size_t points = (size_t)a * b * n;
    data = malloc(points * sizeof *data);
    other = malloc(points * sizeof *other);
    double complex *kept = malloc(points * sizeof *kept);
    if (!data || !other || !kept)
        return MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < points; i++)
        kept[i] = data[i] = sin(1.0 + (double)i * 0.37 + rank) + I * cos((double)i + 3.0 * rank);
    for (int round = 0; round < rounds; round++)
        for (int sign = -1; sign <= 1; sign += 2) {
            // Three dimensions, each brought to be the last: [a][b][n], in the row [a][n / columns
            // = b][n]; with the first two swapped, in the column [b][a][n].
            for (int i = 0; i < a * b; i++)
                transform(data + (size_t)i * n, sign);
            turn(a, b, row);
            for (int i = 0; i < a * b; i++)
                transform(data + (size_t)i * n, sign);
            swap_first(a, b);
            turn(b, a, column);
            for (int i = 0; i < a * b; i++)
                transform(data + (size_t)i * n, sign);
            // And the way it came.
            turn(b, a, column);
            swap_first(b, a);
            turn(a, b, row);
        }
    double worst = 0, most = 0, scale = pow((double)n * n * n, rounds);
    for (size_t i = 0; i < points; i++)
        worst = fmax(worst, cabs(data[i] / scale - kept[i]));
    MPI_Allreduce(&worst, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("transpose: off by %g\n", most);
    free(data);
    free(other);
    free(kept);
    MPI_Finalize();
    return !(most < 1e-6);
}

#endif
