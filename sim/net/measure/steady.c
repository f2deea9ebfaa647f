// SPDX-License-Identifier: Apache-2.0
#include "measure/steady.h"

#include <math.h>

int64_t net_warm_up(const double *y, uint32_t count)
{
    uint32_t group = count >= 100 ? 5 : 1, groups = count / group, best = 0;
    double sum = 0, squares = 0, least = INFINITY;
    if (count < NET_STEADY_LEAST)
        return -1;
    // From the end on: mean and sum of squares of the groups first .. groups - 1. Squares of what
    // is off the last one, so that a series that hardly varies keeps its digits.
    double origin = y[groups * group - 1];
    for (uint32_t first = groups; first-- > 0;) {
        double mean = 0;
        for (uint32_t i = 0; i < group; i++)
            mean += (y[first * group + i] - origin) / group;
        sum += mean;
        squares += mean * mean;
        double rest = groups - first, variance = squares / rest - sum * sum / rest / rest;
        // Below a millionth of the mean nothing varies.
        double floor = 1e-12 * origin * origin;
        double statistic = fmax(variance, floor) / rest;
        if (first <= groups / 2 && statistic <= least) {
            least = statistic;
            best = first;
        }
    }
    return best * 20 > groups * 9 ? -1 : (int64_t)best * group;
}

// Share of Student's distribution within t of 0 (Abramowitz and Stegun, 26.7.3 and 26.7.4).
static double within(double t, uint32_t degrees)
{
    double angle = atan(t / sqrt(degrees)), c = cos(angle), term = 1, sum = 0;
    uint32_t odd = degrees & 1;
    if (odd && degrees > 1)
        term = c;
    for (uint32_t i = odd ? 1 : 0; i + 2 <= degrees; i += 2) {
        sum += term;
        term *= c * c * (i + 1) / (i + 2);
    }
    sum *= sin(angle);
    return odd ? (angle + sum) * 2 / acos(-1) : sum;
}

double net_student95(uint32_t degrees)
{
    double low = 0, high = 13;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (within(middle, degrees) < 0.95)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double net_interval95(const double *values, uint32_t count, double *mean)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    sum /= count;
    for (uint32_t i = 0; i < count; i++)
        squares += (values[i] - sum) * (values[i] - sum);
    if (mean)
        *mean = sum;
    return count < 2 ? NAN : net_student95(count - 1) * sqrt(squares / (count - 1) / count);
}
