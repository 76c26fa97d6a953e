/* The values of options as text. What is no such value ends the program with the option's name. */
#ifndef HOCKNEY_VALUES_H
#define HOCKNEY_VALUES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* From 0 up. */
double value_number(const char *text, const char *option);
int value_count(const char *text, const char *option);
/* Two counts with the separator between. */
void value_pair(const char *text, char separator, const char *option, int *first, int *second);
/* A list of counts from 1 up, allocated. */
int *value_counts(const char *text, const char *option, int *count);

/* One of the names, which end with NULL; its number; a list of different ones, of which it returns how
   many there are: `chosen` has room for all. */
const char *value_one_of(const char *text, const char *option, const char *const *choices);
int value_choice(const char *text, const char *option, const char *const *choices);
int value_choices(const char *text, const char *option, const char *const *choices, int *chosen);

/* The number of one of the words "a|b|c"; and the word of a number, in quotes. */
int value_word(const char *text, const char *option, const char *words);
void value_write_word(FILE *out, const char *words, int number);

/* What stands at `*at` in the text, which moves behind it. Bytes may have a unit: 64KiB. */
int64_t value_integer(const char **at, const char *text);
int value_count_at(const char **at, const char *text);
size_t value_bytes_at(const char **at, const char *text);
/* Whether this word stands there. */
int value_skips(const char **at, const char *word);
/* Whether a list goes on: a comma stands there, or the text ends. */
int value_goes_on(const char **at, const char *option, const char *text);
/* That the text ends at `at`. */
void value_ends(const char *at, const char *option, const char *text);

#endif
