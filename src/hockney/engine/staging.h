/* What a message of a device's memory works with that goes through the host: in blocks, of which one is sent
   while the next one is copied. */
#ifndef HOCKNEY_STAGING_H
#define HOCKNEY_STAGING_H

#include <mpi.h>
#include <stddef.h>

struct staging {
    char *host;        /* room for the message; NULL where it lies there */
    size_t block;      /* so many bytes are copied and sent at once; 0: all */
    MPI_Request *kept; /* the launch's requests, while a visit has requests of its own */
};

#endif
