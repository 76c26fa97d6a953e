#include "sketch.h"

#include <math.h>

static int bin_of(double ns)
{
    const double base = (1.0 + SKETCH_ERROR) / (1.0 - SKETCH_ERROR);
    const double bin = ns > 1.0 ? ceil(log(ns) / log(base)) : 0.0;
    return bin < SKETCH_BINS - 1 ? (int)bin : SKETCH_BINS - 1;
}

void sketch_add(struct sketch *sketch, const double *ns, int count)
{
    for (int i = 0; i < count; i++)
        sketch->counts[bin_of(ns[i])]++;
}
