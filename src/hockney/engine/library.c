#include "library.h"

#include <ctype.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

enum { VERSION_LENGTH = 64 };

/* What the descriptions of libraries have in common: a mark, and the word before the version. Of two
   marks in one description the first listed counts. */
static const struct {
    const char *mark, *name, *before_version;
} known[] = {
    {"Intel(R) MPI", "Intel MPI", "Library"},
    {"MVAPICH2", "MVAPICH2", "Version"},
    {"MVAPICH", "MVAPICH", "Version"},
    {"CRAY MPICH", "Cray MPICH", "version"},
    {"ParaStation MPI", "ParaStation MPI", "MPI"},
    {"HPE MPT", "HPE MPT", "MPT"},
    {"HPE HMPT", "HPE MPT", "HMPT"},
    {"Spectrum MPI", "Spectrum MPI", "MPI"},
    {"FUJITSU MPI", "Fujitsu MPI", "Library"},
    {"MPICH", "MPICH", "Version"},
    {"Open MPI", "Open MPI", " v"},
    {"SMPI", "SimGrid SMPI", "Version"},
};

static const char *name;
static char description[MPI_MAX_LIBRARY_VERSION_STRING], version[VERSION_LENGTH];

/* The word that begins with the first digit after `from`, without the full stop of a sentence. */
static void read_version(const char *from)
{
    while (*from != '\0' && !isdigit((unsigned char)*from))
        from++;
    int length = (int)strcspn(from, " ,;\t\n");
    if (length > 0 && from[length - 1] == '.')
        length--;
    snprintf(version, sizeof version, "%.*s", length, from);
}

static void ask(void)
{
    static int is_known;
    if (is_known)
        return;
    is_known = 1;
    int length = 0;
    if (MPI_Get_library_version(description, &length) != MPI_SUCCESS)
        description[0] = '\0';
    for (size_t i = 0; i < sizeof known / sizeof known[0] && name == NULL; i++) {
        const char *mark = strstr(description, known[i].mark);
        if (mark == NULL)
            continue;
        name = known[i].name;
        const char *before = strstr(mark, known[i].before_version);
        if (before != NULL)
            read_version(before);
    }
    description[strcspn(description, "\n")] = '\0';
}

const char *library_name(void)
{
    ask();
    return name;
}

const char *library_version(void)
{
    ask();
    return version[0] != '\0' ? version : NULL;
}

const char *library_description(void)
{
    ask();
    return description;
}

const char *library_thread_level(void)
{
    static const struct {
        int level;
        const char *name;
    } levels[] = {
        {MPI_THREAD_SINGLE, "single"},
        {MPI_THREAD_FUNNELED, "funneled"},
        {MPI_THREAD_SERIALIZED, "serialized"},
        {MPI_THREAD_MULTIPLE, "multiple"},
    };
    int granted = MPI_THREAD_SINGLE;
    check(MPI_Query_thread(&granted), "MPI_Query_thread");
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (levels[i].level == granted)
            return levels[i].name;
    return NULL;
}

#if defined(SMPI_H)
const char *library_abi(void) { return "smpi"; }
#elif defined(OPEN_MPI)
const char *library_abi(void) { return "ompi"; }
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(MVAPICH_VERSION)
const char *library_abi(void) { return "mpich"; }
#elif defined(MPI_ABI_VERSION)
const char *library_abi(void)
{
    static char text[VERSION_LENGTH];
    int major = -1, minor = -1;
    if (MPI_Abi_get_version(&major, &minor) != MPI_SUCCESS || major < 0)
        return "standard";
    snprintf(text, sizeof text, "standard %d.%d", major, minor);
    return text;
}
#else
const char *library_abi(void) { return NULL; }
#endif
