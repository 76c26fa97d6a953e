/* A monotonic clock of which each reading costs HOCKNEY_TEST_CLOCK_NS more, as one that is a system
   call: for LD_PRELOAD. Neighbouring processes differ by some per cent, so that what each plans by its
   own clock differs as well. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CALIBRATION_STEPS = 20000, CALIBRATIONS = 20 };
static const double DIFFERENCE = 0.04; /* between neighbours; four in a row all differ */

static int (*real)(clockid_t, struct timespec *);
static long steps;

/* Dependent multiplications: nothing shortens them. */
static void spin(long count)
{
    static volatile uint64_t sink;
    uint64_t value = 88172645463325252u;
    for (long step = 0; step < count; step++)
        value = value * 6364136223846793005u + 1442695040888963407u;
    sink = value;
}

static double now_ns(void)
{
    struct timespec now;
    real(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The fastest of several: one that was disturbed would make the clock too cheap. */
static __attribute__((constructor)) void calibrate(void)
{
    const char *wanted = getenv("HOCKNEY_TEST_CLOCK_NS");
    double least = 1e18;
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    for (int i = 0; i < CALIBRATIONS; i++) {
        const double start = now_ns();
        spin(CALIBRATION_STEPS);
        const double took = now_ns() - start;
        least = took < least ? took : least;
    }
    const double own = 1.0 + DIFFERENCE * (double)(getpid() % 4);
    steps = (long)((wanted != NULL ? atof(wanted) : 0.0) * own * CALIBRATION_STEPS / least);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock == CLOCK_MONOTONIC)
        spin(steps);
    return real(clock, now);
}
