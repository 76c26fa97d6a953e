/* Ends as its first argument says, after one broadcast and one barrier of itself. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 1000000 };

/* Two sets of a million communicators; prints what the second added to the process's memory. */
static void make_many(int sets)
{
    char line[256];
    long kib = 0, before = 0;
    for (int set = 0; set < sets; set++) {
        for (int i = 0; i < MANY; i++) {
            MPI_Comm made;
            MPI_Comm_dup(MPI_COMM_SELF, &made);
            MPI_Barrier(made);
            MPI_Comm_free(&made);
        }
        before = kib;
        FILE *status = fopen("/proc/self/status", "r");
        while (fgets(line, sizeof line, status))
            sscanf(line, "VmHWM: %ld", &kib);
        fclose(status);
    }
    printf("%ld\n", kib - before);
}

/* The same handle means another communicator after recording was switched off. */
static void reuse_handle(void)
{
    int rank;
    char byte = 0;
    MPI_Comm made;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    MPI_Bcast(&byte, 1, MPI_CHAR, 0, made);
    MPI_Pcontrol(0);
    MPI_Comm_free(&made);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Pcontrol(1);
    MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_SUM, made);
    MPI_Comm_free(&made);
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    char byte = 0;
    if (strcmp(how, "again") == 0)
        how = "last";
    MPI_Init(&argc, &argv);
    MPI_Bcast(&byte, 1, MPI_CHAR, 0, MPI_COMM_SELF);
    MPI_Barrier(MPI_COMM_SELF);
    fflush(stdout);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exec") == 0)
        execlp("sh", "sh", "-c", "echo became another; exit 4", NULL);
    if (strcmp(how, "fork") == 0) {
        if (fork() == 0) {
            printf("child\n");
            exit(3);
        }
        int status;
        wait(&status);
        printf("child ended with %d\n", WEXITSTATUS(status));
        fflush(stdout);
        system("echo shell");
    }
    if (strcmp(how, "many") == 0)
        make_many(2);
    if (strcmp(how, "reuse") == 0)
        reuse_handle();
    MPI_Finalize();
    if (strcmp(how, "itself") == 0)
        execl(argv[0], argv[0], "again", NULL);
    return 6;
}
