/* How often times of all sizes were seen: a histogram whose bins widen with the time, so that any quantile
   is known within a fraction of itself, however many there are (DDSketch: Masson, Rim and Lee 2019, VLDB
   12). Those of parts, added up bin by bin, are that of the whole. */
#ifndef HOCKNEY_SKETCH_H
#define HOCKNEY_SKETCH_H

#include <stdint.h>

/* A quantile is within this fraction of the true one. Bin k > 0 has times above SKETCH_BASE^(k-1) ns up to
   SKETCH_BASE^k, where the base is (1 + error) / (1 - error); bin 0 what is at most 1 ns; the last one
   what takes more than 15 min. */
#define SKETCH_ERROR 0.005
enum { SKETCH_BINS = 2764 };

struct sketch {
    int64_t counts[SKETCH_BINS];
};

void sketch_add(struct sketch *sketch, const double *ns, int count);

#endif
