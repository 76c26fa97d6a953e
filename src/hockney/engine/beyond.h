/* What the library that this program was built with has beyond MPI 3.0. */
#ifndef HOCKNEY_BEYOND_H
#define HOCKNEY_BEYOND_H

/* Prints one JSON object; needs no MPI_Init. Returns the exit status. */
int features_main(void);

#endif
