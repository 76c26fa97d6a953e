/* The circle method: every two of `count` meet once in as many rounds as there are places that move.
   One stays, the others move on by one place a round. An odd one out meets nobody: it would meet the
   one that stays. */
#ifndef HOCKNEY_CIRCLE_H
#define HOCKNEY_CIRCLE_H

static inline int circle_rounds(int count)
{
    return count + count % 2 - 1;
}

/* Whom `one` meets in a round, or -1. */
static inline int circle_partner(int count, int round, int one)
{
    const int moving = circle_rounds(count);
    if (one == moving)
        return round % moving;
    if (one == round % moving)
        return moving < count ? moving : -1;
    return ((2 * round - one) % moving + moving) % moving;
}

#endif
