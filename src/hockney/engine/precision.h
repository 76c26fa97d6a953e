/* How well a median is known. */
#ifndef HOCKNEY_PRECISION_H
#define HOCKNEY_PRECISION_H

/* The values of successive rounds, oldest dropped when full: what stopping decides on. */
enum { SERIES_LENGTH = 512 };

struct series {
    float values[SERIES_LENGTH];
    int count, next;
    double smallest, largest, sum;
    long total;
};

void series_add(struct series *series, double value);
double series_median(const struct series *series);

/* Relative half-width of the 95 % interval of the median, by order statistics on as many
   independent values as the autocorrelation leaves; HUGE_VAL below six of them. */
double series_precision(const struct series *series);

#endif
