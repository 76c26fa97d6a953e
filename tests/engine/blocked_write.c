/* A write of records that waits for its reader, and SIGTERM meanwhile: prints the number of bytes that
   arrived and the program's status. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"
#include "records.h"

enum { BYTES = 1 << 20 };

static void write_much(int to)
{
    dup2(to, STDOUT_FILENO);
    struct watch *watch = watch_start();
    records_buffer();
    for (int i = 0; i < BYTES; i++)
        putchar('x');
    records_flush();
    watch_end(watch);
    _exit(watch_interrupted() ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Until it sleeps: the pipe is full. */
static void wait_until_blocked(pid_t child)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    char path[64], state = 'R';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
    for (int asleep = 0; asleep < 5; asleep = state == 'S' ? asleep + 1 : 0) {
        nanosleep(&nap, NULL);
        FILE *file = fopen(path, "r");
        if (file == NULL || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
            exit(EXIT_FAILURE);
        fclose(file);
    }
}

int main(void)
{
    int ends[2], status;
    long arrived = 0;
    char buffer[4096];
    if (pipe(ends) != 0)
        return EXIT_FAILURE;
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        write_much(ends[1]);
    }
    close(ends[1]);
    wait_until_blocked(child);
    kill(child, SIGTERM);
    for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
        arrived += got;
    waitpid(child, &status, 0);
    printf("%d %d\n", arrived == BYTES, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return EXIT_SUCCESS;
}
