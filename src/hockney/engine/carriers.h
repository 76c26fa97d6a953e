/* What has carried the bytes of this process so far, as far as its kernel counts them: copies out of and
   into the memory of another process, and TCP connections. Only Linux does of the kind. */
#ifndef HOCKNEY_CARRIERS_H
#define HOCKNEY_CARRIERS_H

#include <stdio.h>

enum { MOST_INTERFACES = 16 };

/* All connections over one interface of the network together. */
struct interface_bytes {
    char name[32];
    double sent, received; /* bytes that the other end has, and that this one has */
    double resent; /* packets */
};

struct carriers {
    double copies, copied; /* calls of process_vm_readv and process_vm_writev, and their bytes */
    struct interface_bytes interfaces[MOST_INTERFACES];
    int count;
};

/* Makes system calls, never inside a timed region. */
struct carriers carriers_read(void);

/* Writes members of a JSON object: what they carried in between. */
void carriers_write(FILE *out, const struct carriers *before, const struct carriers *after);

/* Writes members of a JSON object: devices of networks that this process has open, memory that it shares,
   libraries of networks that it has loaded. They are there; whether they carried anything is another
   question. */
void carriers_write_open(FILE *out);

#endif
