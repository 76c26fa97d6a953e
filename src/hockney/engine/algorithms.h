/* Control variables of the MPI library's collectives, through the MPI tools interface. */
#ifndef HOCKNEY_ALGORITHMS_H
#define HOCKNEY_ALGORITHMS_H

/* `algorithms`: one process, no launcher. A JSON line for each control variable of collectives, or
   for every one (`algorithms all`): its name, description, value, and its choices where it is an
   enumeration. */
int algorithms_main(int every);

/* Reads the control variables NAME,NAME=VALUE,... after MPI_Init, on every rank; ends the launch
   where one does not have the VALUE: what was forced has not been taken. */
void algorithms_read_back(const char *names);

/* {"NAME":"value",...} of what was read back, to stdout; null for a variable that this library does
   not have. */
void algorithms_put_controls(void);

#endif
