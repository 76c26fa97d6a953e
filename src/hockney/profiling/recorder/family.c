/* The library that the program uses must be one whose mpi.h we were built with: handles of another
   family have another size, and would be damaged on their way through us. A program of another
   family runs without us. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "recorder.h"

static const char *family_of(void *init)
{
    Dl_info found;
    if (find_real("ompi_mpi_comm_world"))
        return "Open MPI";
    if (init && dladdr(init, &found) && strstr(found.dli_fname, "mpi_abi"))
        return "an MPI with the standard ABI";
    return "an MPICH";
}

static const char *family_built_for(void)
{
#if defined(OPEN_MPI)
    return "Open MPI";
#elif defined(MPI_ABI_VERSION) && !defined(MPICH_NUMVERSION) && !defined(I_MPI_VERSION)
    return "an MPI with the standard ABI";
#else
    return "an MPICH";
#endif
}

/* Where hockney cannot be told, on stderr. */
static void report(const char *uses, const char *what_follows)
{
    char text[512];
    snprintf(text, sizeof text,
             "the program uses %s, and the recorder was built for %s: name the compiler wrapper "
             "of the program's MPI with --mpicc%s",
             uses, family_built_for(), what_follows);
    if (!leave_note(text))
        fprintf(stderr, "hockney: %s\n", text);
}

/* Takes us out of what is preloaded into this program. */
static void unload(void)
{
    static const char separators[] = ": ";
    const char *before = getenv("LD_PRELOAD");
    Dl_info own;
    if (!before || !dladdr(separators, &own))
        return;
    char *rest = strdup(before), *kept = calloc(strlen(before) + 2, 1);
    if (rest && kept) {
        for (char *word = strtok(rest, separators); word; word = strtok(NULL, separators))
            if (strcmp(word, own.dli_fname) != 0)
                strcat(strcat(kept, *kept ? ":" : ""), word);
        setenv("LD_PRELOAD", kept, 1);
    }
    free(rest);
    free(kept);
}

#if defined(__GLIBC__)
/* Before main(): a program that is linked with another family starts again, without us. */
__attribute__((constructor)) static void leave_others_alone(int argc, char **argv)
{
    void *init = dlsym(RTLD_NEXT, "PMPI_Init_thread");
    const int has_loader = getauxval(AT_BASE) != 0; /* it is not started by naming the loader */
    if (!init || argc < 1 || !has_loader || !getenv(RECORD_DIRECTORY) ||
        strcmp(family_of(init), family_built_for()) == 0)
        return;
    report(family_of(init), "");
    unload();
    execv("/proc/self/exe", argv);
}
#endif

/* Called before MPI_Init: nothing has gone wrong yet. Interpreters load their library later, and have
   begun their script. */
void check_family(void)
{
    const char *uses = family_of(find_real("PMPI_Init_thread"));
    if (strcmp(uses, family_built_for()) == 0)
        return;
    report(uses, " (it was ended before MPI_Init)");
    _exit(3);
}
