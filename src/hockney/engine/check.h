/* Every MPI call goes through check(); every refusal through fail(). */
#ifndef HOCKNEY_CHECK_H
#define HOCKNEY_CHECK_H

#include <mpi.h>
#include <stddef.h>
#include <stdnoreturn.h>

enum { EXIT_WENT_WRONG = 1, EXIT_ASKED_WRONGLY = 2 };

/* Ends the whole launch with MPI's own words when `code` is not MPI_SUCCESS. */
void check(int code, const char *call);

/* Errors on a communicator, and on those made of it, or on a window come back as codes. With the standard
   ABI by a handler of our own: the value of MPI_ERRORS_RETURN is not the same in all of its headers. */
void return_errors(MPI_Comm comm);
void return_window_errors(MPI_Win win);

/* What MPI calls the error, of MPI_MAX_ERROR_STRING bytes at most. */
void error_text(int code, char *text);

/* This rank's number in a communicator, and how many there are. */
void ranks_of(MPI_Comm comm, int *rank, int *ranks);

/* Says what was wrong on stderr, does what fail_also() asked for, and ends every rank. */
noreturn void fail(int status, const char *format, ...);

/* What fail() does besides, with its message. */
void fail_also(void (*act)(const char *message));

/* malloc that fails loudly; for set-up only, never inside a timed region. */
void *allocate(size_t bytes);

/* The array, or a larger one instead of it, with room for an element behind the first `count`: at least for
   the next power of two. NULL is an array of none. */
void *grown(void *array, size_t count, size_t bytes_each);

#endif
