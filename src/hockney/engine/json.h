/* JSON as records have it: to stdout, or into memory by open_memstream(). */
#ifndef HOCKNEY_JSON_H
#define HOCKNEY_JSON_H

#include <stdio.h>

/* A string; null for NULL. */
void json_string(FILE *out, const char *text);

/* Members of an object behind others, `,"name":value`. */
void json_text(FILE *out, const char *name, const char *text);  /* null for NULL */
void json_known(FILE *out, const char *name, double value);     /* null where negative: unknown is never 0 */
void json_id(FILE *out, const char *name, int id);              /* null where negative */
void json_integers(FILE *out, const char *name, const int *values, int count);
/* Each times the factor. */
void json_numbers(FILE *out, const char *name, const double *values, int count, double factor);

/* Members that are left out where they do not apply. */
void json_word(FILE *out, const char *name, const char *word); /* NULL */
void json_count(FILE *out, const char *name, int count);       /* 0 */

/* What separates member or element number `number` from the one before it. */
static inline const char *json_comma(int number) { return number > 0 ? "," : ""; }

#endif
