/* A write of records into a pipe that is full, and SIGTERM meanwhile: prints whether all bytes arrived,
   and the program's status. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"
#include "records.h"

enum { BYTES = 100 };

static long fill(int pipe)
{
    long bytes = 0;
    fcntl(pipe, F_SETFL, O_NONBLOCK);
    while (write(pipe, "", 1) == 1)
        bytes++;
    fcntl(pipe, F_SETFL, 0);
    return bytes;
}

static void write_records(int to)
{
    dup2(to, STDOUT_FILENO);
    struct sigaction action;
    struct watch *watch = watch_start();
    /* Some kernels interrupt such a write only while they are watched. */
    if (sigaction(SIGTERM, NULL, &action) != 0 || !(action.sa_flags & SA_RESTART))
        _exit(3);
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
    const long filled = fill(ends[1]);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        write_records(ends[1]);
    }
    close(ends[1]);
    wait_until_blocked(child);
    kill(child, SIGTERM);
    for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
        arrived += got;
    waitpid(child, &status, 0);
    printf("%d %d\n", arrived == filled + BYTES, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return EXIT_SUCCESS;
}
