/* Prints what hockney's engine would do on a machine that is only described: its argument is the
   policy, or the list of --cpus with "=" before it, then come the masks of a node's ranks as lists of
   CPUs. The machine is $HOCKNEY_FAULT_ROOT/sys. One line: a PU a rank, then whether any is shared. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "assign.h"
#include "check.h"
#include "cpu_list.h"

enum { MOST_PUS = 8192 };

static struct mask mask_of(const char *list)
{
    struct mask mask = {MOST_PUS / MASK_WORD, allocate(MOST_PUS / 8)};
    int first, last;
    while (cpu_list_next(&list, &first, &last) > 0)
        for (; first <= last; first++)
            mask_add(&mask, first);
    return mask;
}

int main(int argc, char **argv)
{
    const int ranks = argc - 2;
    struct topology topology = {0};
    struct mask *masks = allocate((size_t)ranks * sizeof *masks), all = mask_of("");
    int *pus = allocate((size_t)ranks * sizeof *pus), *order = allocate(MOST_PUS * sizeof *order);
    int shares;
    for (int rank = 0; rank < ranks; rank++) {
        masks[rank] = mask_of(argv[rank + 2]);
        for (int word = 0; word < all.words; word++)
            all.bits[word] |= masks[rank].bits[word];
    }
    if (argv[1][0] == '=') {
        char wrong[192];
        shares = assign_listed(argv[1] + 1, masks, ranks, pus, wrong, sizeof wrong);
        if (wrong[0] != '\0') {
            puts(wrong);
            return EXIT_ASKED_WRONGLY;
        }
    } else {
        const int count = assign_order(&topology, &all, argv[1], order);
        shares = assign_pus(order, count, masks, ranks, pus);
    }
    for (int rank = 0; rank < ranks; rank++)
        printf("%d ", pus[rank]);
    puts(shares ? "shared" : "alone");
    for (int rank = 0; rank < ranks; rank++)
        free(masks[rank].bits);
    free(masks);
    free(all.bits);
    free(pus);
    free(order);
    topology_free(&topology);
    return EXIT_SUCCESS;
}
