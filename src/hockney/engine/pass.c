#include "pass.h"

#include "check.h"
#include "matrix.h"
#include "order.h"
#include "visit.h"

/* As many arrangements as a pass has: all, or those that were asked for. */
static int64_t count_of(const struct crowd *crowd)
{
    const struct fabric_options *fabric = &crowd->launch->options->fabric;
    const int64_t every = crowd->pairing.arrangements;
    for (int i = 0; i < fabric->arrangement_count; i++)
        if (fabric->arrangements[i] > every)
            fail(EXIT_ASKED_WRONGLY, "--arrangements: there is no %d among %lld",
                 fabric->arrangements[i], (long long)every);
    return fabric->arrangement_count > 0 ? fabric->arrangement_count : every;
}

/* All sizes of an arrangement, each in one direction after the other where it goes one way. */
static enum ending visit_sizes(struct crowd *crowd, int64_t arrangement)
{
    const int sizes = crowd->launch->options->size_count;
    enum ending ending = GOES_ON;
    for (int size = 0; size < sizes; size++)
        for (int way = 0; way < crowd_ways(crowd) && ending == GOES_ON; way++) {
            crowd->is_reversed = way;
            ending = crowd_visit(crowd, arrangement * sizes + size);
        }
    crowd->is_reversed = 0;
    return ending;
}

/* A pass measures every arrangement once, in an order that follows from its number: who continues it
   needs to know no more than how many visits were made. Clocks drift apart in a long one. */
const char *pass_make(struct crowd *crowd)
{
    enum { VISITS_A_SYNC = 256 };
    const struct options *options = crowd->launch->options;
    const struct fabric_options *fabric = &options->fabric;
    const int64_t count = count_of(crowd);
    const int64_t most = fabric->visits > 0 && fabric->visits < count ? fabric->visits : count;
    uint64_t random = random_state((uint64_t)options->pass + 1);
    const struct permutation order = permutation_of(count, &random);
    enum ending ending = GOES_ON;
    crowd->round = -1; /* an untimed visit shows how early a start must be named */
    for (int64_t i = fabric->from; i < most && ending == GOES_ON; i++) {
        if ((i - fabric->from) % VISITS_A_SYNC == 0)
            sync_again(&crowd->start.clock);
        const int64_t arrangement =
            fabric->arrangement_count > 0 ? fabric->arrangements[i] - 1 : permutation_at(&order, i);
        if (crowd->round < 0)
            ending = crowd_visit(crowd, arrangement * options->size_count);
        crowd->round = 0;
        if (ending == GOES_ON)
            ending = visit_sizes(crowd, arrangement);
        if (crowd->rank > 0)
            continue;
        if (ending == GOES_ON) {
            matrix_end_visit(crowd->matrix, i);
            crowd->whole++;
        }
        if (matrix_is_full(crowd->matrix, crowd_most_times(crowd)) ||
            crowd_elapsed_s(crowd) - crowd->progress_s >= CROWD_PROGRESS_S)
            matrix_write(crowd->matrix, crowd_elapsed_s(crowd));
        crowd_show_progress(crowd);
    }
    if (crowd->rank == 0)
        matrix_write(crowd->matrix, crowd_elapsed_s(crowd));
    const int interrupted = look_at_noise(crowd->launch, 0);
    return interrupted || ending == INTERRUPTED ? "interrupted"
           : ending == BUDGET_SPENT             ? "budget"
                                                : "complete";
}
