#include "table.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "fit.h"

void table_print(const struct launch *launch, const char *definition)
{
    double *bytes = allocate((size_t)launch->point_count * sizeof *bytes);
    double *seconds = allocate((size_t)launch->point_count * sizeof *seconds);
    int count = 0;
    printf("# one-way time, us: %s\n", definition);
    printf("# %10s %9s %12s %12s %12s %12s %12s\n", "bytes", "samples", "min", "median", "mean",
           "max", "MiB/s");
    for (int i = 0; i < launch->point_count; i++) {
        const struct point *point = &launch->points[i];
        if (point->operation != launch->options->operation || point->series->total == 0)
            continue;
        const double median = series_median(point->series);
        printf("  %10zu %9d %12.4f %12.4f %12.4f %12.4f %12.2f\n", point->size.bytes, point->samples,
               point->series->smallest * 1e-3, median * 1e-3,
               point->series->sum / (double)point->series->total * 1e-3,
               point->series->largest * 1e-3,
               (double)point->size.bytes / (median * 1e-9) / 1048576.0);
        bytes[count] = (double)point->size.bytes;
        seconds[count++] = median * 1e-9;
    }
    if (count >= 2) {
        const struct fit fit = fit_line(bytes, seconds, count, 0);
        printf("# T(b) = alpha + beta b: alpha = %.4f us, ", fit.alpha_s * 1e6);
        if (fit.beta_s_per_B > 0.0)
            printf("1/beta = %.2f MiB/s\n", 1.0 / fit.beta_s_per_B / 1048576.0);
        else
            printf("beta = 0\n");
    }
    free(bytes);
    free(seconds);
}
