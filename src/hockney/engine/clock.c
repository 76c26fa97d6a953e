#include "clock.h"

#include <mpi.h>

#include "order.h"

struct clock clock_measure(void)
{
    /* One block is short against a scheduler tick, so the median block is undisturbed. */
    double block_ns[CLOCK_BLOCKS];
    int64_t smallest = INT64_MAX;
    for (int block = 0; block < CLOCK_BLOCKS; block++) {
        const int64_t start = clock_ns();
        int64_t last = start;
        for (int reading = 0; reading < CLOCK_READINGS; reading++) {
            const int64_t now = clock_ns();
            if (now > last && now - last < smallest)
                smallest = now - last;
            last = now;
        }
        block_ns[block] = (double)(last - start) / (double)CLOCK_READINGS;
    }
    return (struct clock){
        .name = "CLOCK_MONOTONIC",
        .resolution_s = smallest == INT64_MAX ? 0.0 : (double)smallest * 1e-9,
        .cost_s = median_of(block_ns, CLOCK_BLOCKS) * 1e-9,
        .wtick_s = MPI_Wtick(),
    };
}
