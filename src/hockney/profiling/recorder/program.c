/* From MPI_Init to the end of a program: its communicators, datatypes and regions. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "wrap.h"

#define INITIALIZES(SYMBOL, LEVEL, ARGUMENTS, ...)                                                 \
    VISIBLE int SYMBOL(__VA_ARGS__)                                                                \
    {                                                                                              \
        typedef int function(__VA_ARGS__);                                                         \
        function *real = (function *)real_of(#SYMBOL);                                             \
        if (depth || !is_recorded_here())                                                          \
            return real ARGUMENTS;                                                                 \
        check_family();                                                                            \
        depth++;                                                                                   \
        const int result = real ARGUMENTS;                                                         \
        if (result == MPI_SUCCESS)                                                                 \
            begin_recording(LEVEL);                                                                \
        depth--;                                                                                   \
        return result;                                                                             \
    }

INITIALIZES(MPI_Init, MPI_THREAD_SINGLE, (argc, argv), int *argc, char ***argv)
INITIALIZES(PMPI_Init, MPI_THREAD_SINGLE, (argc, argv), int *argc, char ***argv)
INITIALIZES(MPI_Init_thread, *provided, (argc, argv, required, provided), int *argc, char ***argv,
            int required, int *provided)
INITIALIZES(PMPI_Init_thread, *provided, (argc, argv, required, provided), int *argc, char ***argv,
            int required, int *provided)

#define ENDS(SYMBOL, STATE, ARGUMENTS, ...)                                                        \
    VISIBLE int SYMBOL(__VA_ARGS__)                                                                \
    {                                                                                              \
        typedef int function(__VA_ARGS__);                                                         \
        function *real = (function *)real_of(#SYMBOL);                                             \
        if (!depth)                                                                                \
            end_recording(STATE);                                                                  \
        return real ARGUMENTS;                                                                     \
    }

ENDS(MPI_Finalize, FINALIZED, (), void)
ENDS(PMPI_Finalize, FINALIZED, (), void)
ENDS(MPI_Abort, ABORTED, (comm, code), MPI_Comm comm, int code)
ENDS(PMPI_Abort, ABORTED, (comm, code), MPI_Comm comm, int code)

/* Copies a text that may be none: a program may have given no argument there. */
static int read_text(const char *from, char *to, size_t bytes)
{
    struct iovec local = {to, bytes - 1}, remote = {(void *)(uintptr_t)from, bytes - 1};
    ssize_t length = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (length <= 0) {
        /* Perhaps the page ends before the text would have to. */
        const size_t left = 4096 - ((uintptr_t)from & 4095);
        local.iov_len = remote.iov_len = left < bytes - 1 ? left : bytes - 1;
        length = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    }
    to[length > 0 ? length : 0] = '\0';
    for (const char *at = to; *at; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
            return 0;
    return length > 0 && to[0] && strlen(to) < (size_t)length;
}

/* Level 0 switches recording off and 1 on, as the standard has it; 1 and -1 with a name begin and end
   a region, as IPM has it; other levels are regions by their number. What looks like a name where recording is
   off may be none: an argument that was not given is whatever was there before. */
static void control(int level, const char *name)
{
    char text[REGION_BYTES];
    const int is_named = (level == 1 || level == -1) && read_text(name, text, sizeof text);
    if (level == 0 || (level == 1 && (!is_named || !is_recording()))) {
        set_recording(level);
        return;
    }
    if (!is_named)
        snprintf(text, sizeof text, "%d", abs(level));
    if (!begin_entry())
        return;
    if (level > 0)
        enter_region(text);
    else
        leave_region();
    unlock_recorder();
}

#define CONTROLS(SYMBOL)                                                                           \
    VISIBLE int SYMBOL(const int level, ...)                                                       \
    {                                                                                              \
        va_list rest;                                                                              \
        va_start(rest, level);                                                                     \
        const char *name = va_arg(rest, const char *);                                             \
        va_end(rest);                                                                              \
        control(level, name);                                                                      \
        return MPI_SUCCESS;                                                                        \
    }

CONTROLS(MPI_Pcontrol)
CONTROLS(PMPI_Pcontrol)
