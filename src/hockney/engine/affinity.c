#include "affinity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#ifdef __linux__
#include <sched.h>

/* The kernel refuses sets that are smaller than its own, and does not report its size. No
   kernel has a set of a million CPUs: what is still refused then is refused for good. */
enum { SMALLEST_SET = CPU_SETSIZE, LARGEST_SET = 1 << 20 };

const char *affinity_read(struct mask *mask)
{
    *mask = (struct mask){0};
    for (int pus = SMALLEST_SET;; pus *= 2) {
        const size_t bytes = CPU_ALLOC_SIZE((size_t)pus);
        cpu_set_t *set = allocate(bytes);
        errno = 0;
        if (sched_getaffinity(0, bytes, set) == 0) {
            mask->words = pus / MASK_WORD;
            mask->bits = allocate((size_t)mask->words * sizeof *mask->bits);
            for (int pu = 0; pu < pus; pu++)
                if (CPU_ISSET_S((size_t)pu, bytes, set))
                    mask_add(mask, pu);
        }
        free(set);
        if (mask->words > 0)
            return NULL;
        if (errno != EINVAL || pus >= LARGEST_SET)
            return strerror(errno);
    }
}

const char *affinity_pin(int pu)
{
    const size_t bytes = CPU_ALLOC_SIZE((size_t)pu + 1);
    cpu_set_t *set = allocate(bytes);
    CPU_SET_S((size_t)pu, bytes, set);
    const int refused = sched_setaffinity(0, bytes, set) != 0 ? errno : 0;
    free(set);
    return refused != 0 ? strerror(refused) : NULL;
}

int affinity_current_pu(void) { return sched_getcpu(); }

#else

static const char *const UNKNOWN = "this system is not Linux, where hockney can pin";

const char *affinity_read(struct mask *mask)
{
    *mask = (struct mask){0};
    return UNKNOWN;
}

const char *affinity_pin(int pu)
{
    (void)pu;
    return UNKNOWN;
}

int affinity_current_pu(void) { return -1; }

#endif
