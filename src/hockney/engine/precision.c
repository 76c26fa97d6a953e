#include "precision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulated.h"

/* Below six values no two order statistics enclose the median with 95 %. */
static const double LEAST_VALUES = 6.0;
/* Normal quantile of 97.5 %. */
static const double Z95 = 1.959964;

void series_add(struct series *series, double value)
{
    series->values[series->next] = (float)value;
    series->next = (series->next + 1) % SERIES_LENGTH;
    if (series->count < SERIES_LENGTH)
        series->count++;
    if (series->total == 0 || value < series->smallest)
        series->smallest = value;
    if (series->total == 0 || value > series->largest)
        series->largest = value;
    series->sum += value;
    series->total++;
}

static int ascending(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

static double middle(const float *sorted, int count)
{
    return count % 2 ? (double)sorted[count / 2]
                     : 0.5 * ((double)sorted[count / 2 - 1] + (double)sorted[count / 2]);
}

static void sort_into(float *sorted, const struct series *series)
{
    memcpy(sorted, series->values, (size_t)series->count * sizeof *sorted);
    qsort(sorted, (size_t)series->count, sizeof *sorted, ascending);
}

double series_median(const struct series *series)
{
    float sorted[SERIES_LENGTH];
    sort_into(sorted, series);
    return series->count > 0 ? middle(sorted, series->count) : NAN;
}

/* Integrated autocorrelation time of the signs about the median (+1 above, -1 below), summed while
   successive pairs stay positive (Geyer 1992). Signs, because it is the median's own influence
   function and no outlier can move it. */
static double autocorrelation_time(const struct series *series, double median)
{
    signed char signs[SERIES_LENGTH];
    const int n = series->count, oldest = n < SERIES_LENGTH ? 0 : series->next;
    for (int i = 0; i < n; i++) {
        const double value = (double)series->values[(oldest + i) % SERIES_LENGTH];
        signs[i] = (signed char)((value > median) - (value < median));
    }
    double time = 1.0, variance = 0.0;
    for (int i = 0; i < n; i++)
        variance += signs[i] * signs[i];
    if (variance == 0.0)
        return 1.0;
    for (int lag = 1; lag + 1 < n / 3; lag += 2) {
        double pair = 0.0;
        for (int i = 0; i + lag < n; i++)
            pair += signs[i] * signs[i + lag];
        for (int i = 0; i + lag + 1 < n; i++)
            pair += signs[i] * signs[i + lag + 1];
        if (pair <= 0.0)
            break;
        time += 2.0 * pair / variance;
    }
    return time;
}

double series_precision(const struct series *series)
{
    float sorted[SERIES_LENGTH];
    const int n = series->count;
    if (n < LEAST_VALUES)
        return HUGE_VAL;
    sort_into(sorted, series);
    const double median = middle(sorted, n);
    const double effective = n / autocorrelation_time(series, median);
    if (median <= 0.0)
        return HUGE_VAL;
    /* Simulated times repeat but for the last digits of the clock, whose pattern is no drift. */
    if (effective < LEAST_VALUES)
        return IS_ABRIDGED ? 0.5 * (series->largest - series->smallest) / median : HUGE_VAL;
    const double half = 0.5 * Z95 * n / sqrt(effective);
    int low = (int)floor(0.5 * n - half) - 1, high = (int)ceil(0.5 * n + half);
    low = low < 0 ? 0 : low;
    high = high > n - 1 ? n - 1 : high;
    return 0.5 * ((double)sorted[high] - (double)sorted[low]) / median;
}
