"""Profiles of programs: their MPI calls, and the time of these.

recorder/ is the library that is preloaded into a program: file.c writes a file for each rank
(layout.h), job.c finds which ranks belong together, cells.c has the table of calls, trace.c their
order. A function of MPI is one line of the form CALL (wrap.h: name, role, arguments) in point.c,
waits.c, collective.c, window.c, communicators.c, io.c, or a *_calls.h where it exists in two
widths. collect.py makes a profile of these files (layout.py): JSON Lines (kinds.py), which
everything else reads. replayer/ exchanges a profile's mix.
"""
