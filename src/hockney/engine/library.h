/* Which MPI library this program runs with: asked at run time, as programs built for one ABI run with
   several libraries. May be called before MPI_Init, but for what is granted there. */
#ifndef HOCKNEY_LIBRARY_H
#define HOCKNEY_LIBRARY_H

/* The library's name, such as "Open MPI"; NULL where its description names none that is known. */
const char *library_name(void);
/* Its version, such as "5.0.11"; NULL where its description holds none. */
const char *library_version(void);
/* The first line of how it describes itself. */
const char *library_description(void);
/* How many of its threads may call it: "single", "funneled", "serialized" or "multiple". After MPI_Init. */
const char *library_thread_level(void);
/* The binary interface that this program was built for: "mpich", "ompi", "smpi", or the standard one
   with its version in the library, "standard 1.0"; NULL where that is not known. */
const char *library_abi(void);

#endif
