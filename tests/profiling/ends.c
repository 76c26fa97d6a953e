/* Ends as its first argument says, after one broadcast and one barrier of itself. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
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

/* Closes all that is open, opens files of its own in its place, and goes on for as many calls as need a second
   part of the order of calls. Prints how many bytes its files have then. */
static void close_all(void)
{
    enum { FILES = 64, CALLS = 70000 };
    char name[32];
    long bytes = 0;
    const int out = dup(1);
    for (int i = 3; i < 1024; i++)
        if (i != out)
            close(i);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "own.%d", i);
        open(name, O_RDWR | O_CREAT, 0600);
    }
    for (int i = 0; i < CALLS; i++)
        MPI_Barrier(MPI_COMM_SELF);
    for (int i = 0; i < 1024; i++) {
        const off_t end = lseek(i, 0, SEEK_END);
        bytes += i > 2 && end > 0 ? end : 0;
    }
    printf("%ld\n", bytes);
    fflush(stdout);
}

/* The first of three messages is too long for its receive: a wait for all fails, whose statuses nobody asks for.
   Prints which requests are left. */
static void truncate_one(void)
{
    enum { MESSAGES = 3 };
    char out[8] = "", in[MESSAGES][8];
    MPI_Request of[MESSAGES];
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Irecv(in[i], i ? 8 : 1, MPI_CHAR, 0, i, MPI_COMM_SELF, &of[i]);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Send(out, 8, MPI_CHAR, 0, i, MPI_COMM_SELF);
    printf("%d:", MPI_Waitall(MESSAGES, of, MPI_STATUSES_IGNORE) == MPI_ERR_IN_STATUS);
    for (int i = 0; i < MESSAGES; i++)
        printf(" %d", of[i] != MPI_REQUEST_NULL);
    printf("\n");
}

static void note_error(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    printf("error\n");
}

/* Frees a communicator under two names. */
static void free_twice(void)
{
    MPI_Errhandler handler;
    MPI_Comm made, same;
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    same = made;
    MPI_Comm_free(&made);
    MPI_Comm_free(&same);
}

static void spawn(char *program)
{
    char *arguments[] = {"spawned", NULL};
    MPI_Comm between;
    MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between,
                   MPI_ERRCODES_IGNORE);
    MPI_Barrier(between);
    MPI_Comm_disconnect(&between);
}

static void be_spawned(void)
{
    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    MPI_Barrier(parent);
    MPI_Comm_disconnect(&parent);
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
    if (strcmp(how, "close") == 0)
        close_all();
    if (strcmp(how, "elsewhere") == 0)
        return chdir("/") == 0 ? raise(SIGKILL) : 1;
    if (strcmp(how, "spawn") == 0)
        spawn(argv[0]);
    if (strcmp(how, "spawned") == 0)
        be_spawned();
    if (strcmp(how, "many") == 0)
        make_many(2);
    if (strcmp(how, "truncate") == 0)
        truncate_one();
    if (strcmp(how, "free-twice") == 0)
        free_twice();
    if (strcmp(how, "reuse") == 0)
        reuse_handle();
    MPI_Finalize();
    if (strcmp(how, "itself") == 0)
        execl(argv[0], argv[0], "again", NULL);
    return strcmp(how, "spawned") == 0 ? 0 : 6; /* else its launcher may end the others */
}
