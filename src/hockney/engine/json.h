/* Pieces of JSON that are written in more than one place: to stdout, or into memory by
   open_memstream(). */
#ifndef HOCKNEY_JSON_H
#define HOCKNEY_JSON_H

#include <stdio.h>

/* Writes a JSON string; null for NULL. */
void json_string(FILE *out, const char *text);

/* Writes `,"name":id`; an id that is not known, which is negative, is null. */
void json_id(FILE *out, const char *name, int id);

#endif
