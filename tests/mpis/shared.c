#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* shared BYTES...: for each size broadcasts on a communicator of their own. Rank 0 prints whether
   the library took memory that ranks share for it, as it does for its algorithms in shared memory
   when a communicator first uses one. */

static int mappings(void)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        found += strstr(line, "rw-s") != NULL;
    if (maps)
        fclose(maps);
    return found;
}

int main(int argc, char **argv)
{
    int rank, level;
    MPI_Init_thread(&argc, &argv, getenv("THREADS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int a = 1; a < argc; a++) {
        int bytes = atoi(argv[a]);
        char *buffer = calloc((size_t)bytes + 1, 1);
        MPI_Comm own;
        MPI_Comm_dup(MPI_COMM_WORLD, &own);
        int before = mappings();
        for (int i = 0; i < 100; i++)
            MPI_Bcast(buffer, bytes, MPI_CHAR, 0, own);
        if (rank == 0)
            printf("%d B: %s\n", bytes, mappings() > before ? "shared" : "messages");
        MPI_Comm_free(&own);
        free(buffer);
    }
    MPI_Finalize();
    return 0;
}
