/* Many pairs: rounds over all points (arrangement, window, size) in a random order, alike on all
   ranks. */
#include "pairs.h"

#include "crowd.h"
#include "order.h"
#include "pass.h"
#include "records.h"
#include "trial.h"
#include "tree.h"
#include "visit.h"

/* Collective: why it is over, or NULL. Precision is judged over launches, by who reads the records. */
static const char *decide(struct crowd *crowd, double round_s, enum ending ending, int interrupted)
{
    const struct options *options = crowd->launch->options;
    const int done = crowd->round + 1;
    int over = ending == INTERRUPTED || interrupted ? INTERRUPTED : (int)ending;
    if (over == GOES_ON && done >= 1 &&
        (done >= options->most_rounds || done >= MOST_ROUNDS_AT_ONCE ||
         crowd_elapsed_s(crowd) + round_s > options->seconds))
        over = BUDGET_SPENT;
    tree_bcast(&over, sizeof over, crowd->comm);
    return over == GOES_ON       ? NULL
           : over == INTERRUPTED ? "interrupted"
           : IS_ABRIDGED         ? "complete"
                                 : "budget";
}

static enum ending make_round(struct crowd *crowd)
{
    const struct permutation order = permutation_of(crowd->points, &crowd->random);
    enum ending ending = GOES_ON;
    sync_again(&crowd->start.clock);
    probe_state(crowd->launch, crowd->round);
    for (int64_t i = 0; i < crowd->points && ending == GOES_ON; i++) {
        ending = crowd_visit(crowd, permutation_at(&order, i));
        if (crowd->rank == 0)
            crowd_show_progress(crowd);
    }
    return ending;
}

static const char *make_rounds(struct crowd *crowd)
{
    const char *reason = NULL;
    /* Counted repetitions have a warm-up of their own before each visit. */
    const int untimed = crowd->launch->options->sizes[0].repetitions > 0 ? 1 : UNTIMED_ROUNDS_OF_PAIRS;
    for (crowd->round = -untimed; reason == NULL; crowd->round++) {
        const double began_s = launch_now_s();
        const enum ending ending = make_round(crowd);
        const int interrupted = look_at_noise(crowd->launch, crowd->round);
        if (crowd->rank == 0)
            records_flush();
        reason = decide(crowd, launch_now_s() - began_s, ending, interrupted);
    }
    return reason;
}

const char *pairs_run(struct launch *launch)
{
    struct crowd crowd;
    crowd_open(&crowd, launch);
    const char *reason = launch->options->trial                  ? trial_of_pairs(&crowd)
                         : launch->options->experiment == FABRIC ? pass_make(&crowd)
                                                                 : make_rounds(&crowd);
    crowd_close(&crowd);
    return reason;
}
