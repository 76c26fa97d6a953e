#include "check.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A launcher that sees the end first may drop what it has not read or forwarded yet. */
static const struct timespec LAST_WORDS = {.tv_nsec = 200000000};
static const struct timespec A_LOOK = {.tv_nsec = 20000000};
enum { MOST_LOOKS = 150 };

/* Only of a pipe does FIONREAD count what its reader has not taken: of a file it counts what others have
   appended, which nobody takes. */
static void wait_until_read(int stream)
{
    struct stat kind;
    if (fstat(stream, &kind) != 0 || !S_ISFIFO(kind.st_mode))
        return;
    int unread = 0;
    for (int look = 0; look < MOST_LOOKS; look++) {
        if (ioctl(stream, FIONREAD, &unread) != 0 || unread <= 0)
            return;
        nanosleep(&A_LOOK, NULL);
    }
}

static void (*also)(const char *message);

void fail_also(void (*act)(const char *message)) { also = act; }

noreturn void fail(int status, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "hockney-engine: %s\n", message);

    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (also != NULL)
        also(message);
    wait_until_read(STDOUT_FILENO);
    wait_until_read(STDERR_FILENO);
    if (!initialized || finalized)
        exit(status);
    nanosleep(&LAST_WORDS, NULL);
    MPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}

void check(int code, const char *call)
{
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING];
    error_text(code, text);
    fail(EXIT_WENT_WRONG, "%s: %s", call, text);
}

void error_text(int code, char *text)
{
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        length = 0;
    text[length] = '\0';
}

void ranks_of(MPI_Comm comm, int *rank, int *ranks)
{
    check(MPI_Comm_rank(comm, rank), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, ranks), "MPI_Comm_size");
}

#ifdef MPI_ABI_VERSION
/* After the handler, the failed call returns its code. */
static void leave_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static void leave_window(MPI_Win *win, int *code, ...)
{
    (void)win;
    (void)code;
}

void return_errors(MPI_Comm comm)
{
    MPI_Errhandler handler;
    check(MPI_Comm_create_errhandler(leave_comm, &handler), "MPI_Comm_create_errhandler");
    check(MPI_Comm_set_errhandler(comm, handler), "MPI_Comm_set_errhandler");
    check(MPI_Errhandler_free(&handler), "MPI_Errhandler_free");
}

void return_window_errors(MPI_Win win)
{
    MPI_Errhandler handler;
    check(MPI_Win_create_errhandler(leave_window, &handler), "MPI_Win_create_errhandler");
    check(MPI_Win_set_errhandler(win, handler), "MPI_Win_set_errhandler");
    check(MPI_Errhandler_free(&handler), "MPI_Errhandler_free");
}
#else /* a handler of our own would hide MPICH's refusals of algorithms */
void return_errors(MPI_Comm comm)
{
    check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

void return_window_errors(MPI_Win win)
{
    check(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
}
#endif

void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes > 0 ? bytes : 1);
    if (memory == NULL)
        fail(EXIT_WENT_WRONG, "no memory for %zu bytes", bytes);
    return memory;
}

void *grown(void *array, size_t count, size_t bytes_each)
{
    if (count > 0 && (count & (count - 1)) != 0)
        return array;
    const size_t bytes = (count > 0 ? 2 * count : 1) * bytes_each;
    void *larger = realloc(array, bytes);
    if (larger == NULL)
        fail(EXIT_WENT_WRONG, "no memory for %zu bytes", bytes);
    return larger;
}
