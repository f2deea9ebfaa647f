// SPDX-License-Identifier: Apache-2.0
// Sample sort of N numbers a rank: each sorts its own, all agree on where to cut by samples, and
// send each other what belongs there. sort [N] Ends with status 1 unless all is in order over all
// ranks and the sum is what it was.
#if __has_include(<mpi.h>) // else there is nothing to lint
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 16 };

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t sum_of(const uint32_t *v, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += v[i];
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    if (n < SAMPLES || n > 10000000) {
        fprintf(stderr, "sort [N]: N must be %d to 10000000\n", SAMPLES);
        return MPI_Abort(MPI_COMM_WORLD, 2);
    }
    uint32_t *v = malloc((size_t)n * sizeof *v), sample[SAMPLES];
    uint32_t *samples = malloc((size_t)size * sizeof sample);
    int *counts = calloc(4 * (size_t)size, sizeof *counts);
    if (!v || !samples || !counts)
        return MPI_Abort(MPI_COMM_WORLD, 1);
    int *at = counts + size, *in_counts = at + size, *in_at = in_counts + size;
    uint32_t state = 12345 + 7919 * (uint32_t)rank;
    for (int i = 0; i < n; i++) // xorshift
        v[i] = state = (state ^= state << 13, state ^= state >> 17, state ^ state << 5);
    uint64_t sum = sum_of(v, n), before = 0, after = 0;
    qsort(v, (size_t)n, sizeof *v, by_size);
    for (int i = 0; i < SAMPLES; i++)
        sample[i] = v[(size_t)i * n / SAMPLES];
    MPI_Allgather(sample, SAMPLES, MPI_UINT32_T, samples, SAMPLES, MPI_UINT32_T, MPI_COMM_WORLD);
    qsort(samples, (size_t)size * SAMPLES, sizeof *samples, by_size);
    for (int i = 0, to = 0; i < n; i++) {
        while (to + 1 < size && v[i] >= samples[(to + 1) * SAMPLES])
            to++;
        counts[to]++;
    }
    MPI_Alltoall(counts, 1, MPI_INT, in_counts, 1, MPI_INT, MPI_COMM_WORLD);
    int total = in_counts[0];
    for (int m = 1; m < size; m++) {
        at[m] = at[m - 1] + counts[m - 1];
        in_at[m] = in_at[m - 1] + in_counts[m - 1];
        total += in_counts[m];
    }
    uint32_t *mine = malloc(((size_t)total + 1) * sizeof *mine), edge = 0;
    if (!mine)
        return MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Alltoallv(v, counts, at, MPI_UINT32_T, mine, in_counts, in_at, MPI_UINT32_T,
                  MPI_COMM_WORLD);
    qsort(mine, (size_t)total, sizeof *mine, by_size);
    // The largest so far goes from rank to rank.
    if (rank > 0)
        MPI_Recv(&edge, 1, MPI_UINT32_T, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int good = total == 0 || mine[0] >= edge, all = 0;
    if (total)
        edge = mine[total - 1];
    if (rank + 1 < size)
        MPI_Send(&edge, 1, MPI_UINT32_T, rank + 1, 1, MPI_COMM_WORLD);
    uint64_t now = sum_of(mine, total);
    MPI_Allreduce(&sum, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&now, &after, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    all = all && before == after;
    if (rank == 0)
        printf("sort: %s\n", all ? "in order" : "not in order");
    free(v);
    free(samples);
    free(counts);
    free(mine);
    MPI_Finalize();
    return !all;
}

#endif
