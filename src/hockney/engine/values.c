#include "values.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

double value_number(const char *text, const char *option)
{
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0' || !(value >= 0.0))
        fail(EXIT_ASKED_WRONGLY, "%s %s: not a number from 0 up", option, text);
    return value;
}

int64_t value_integer(const char **at, const char *text)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)**at))
        fail(EXIT_ASKED_WRONGLY, "%s: expected a number at '%s'", text, *at);
    const long long value = strtoll(*at, &end, 10);
    if (errno != 0)
        fail(EXIT_ASKED_WRONGLY, "%s: a number that is too large", text);
    *at = end;
    return value;
}

int value_count_at(const char **at, const char *text)
{
    const int64_t value = value_integer(at, text);
    if (value > INT_MAX)
        fail(EXIT_ASKED_WRONGLY, "%s: a number that is too large", text);
    return (int)value;
}

int value_skips(const char **at, const char *word)
{
    const size_t length = strlen(word);
    const int stands = strncmp(*at, word, length) == 0;
    *at += stands ? length : 0;
    return stands;
}

int value_goes_on(const char **at, const char *option, const char *text)
{
    const int goes_on = value_skips(at, ",");
    if (!goes_on)
        value_ends(*at, option, text);
    return goes_on;
}

void value_ends(const char *at, const char *option, const char *text)
{
    if (*at != '\0')
        fail(EXIT_ASKED_WRONGLY, "%s %s: unexpected '%s'", option, text, at);
}

int value_count(const char *text, const char *option)
{
    const char *at = text;
    const int count = value_count_at(&at, text);
    value_ends(at, option, text);
    return count;
}

size_t value_bytes_at(const char **at, const char *text)
{
    static const struct { const char *name; size_t factor; } units[] = {
        {"KiB", 1024u}, {"MiB", 1048576u}, {"GiB", 1073741824u},
        {"kB", 1000u},  {"MB", 1000000u},  {"GB", 1000000000u}, {"B", 1u},
    };
    const size_t value = (size_t)value_integer(at, text);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (!value_skips(at, units[i].name))
            continue;
        if (value > SIZE_MAX / units[i].factor)
            fail(EXIT_ASKED_WRONGLY, "%s: a size that is too large", text);
        return value * units[i].factor;
    }
    return value;
}

void value_pair(const char *text, char separator, const char *option, int *first, int *second)
{
    const char *at = text;
    *first = value_count_at(&at, text);
    if (*at++ != separator)
        fail(EXIT_ASKED_WRONGLY, "%s %s: two numbers with '%c' between", option, text, separator);
    *second = value_count_at(&at, text);
    value_ends(at, option, text);
}

const char *value_one_of(const char *text, const char *option, const char *const *choices)
{
    for (int i = 0; choices[i] != NULL; i++)
        if (strcmp(text, choices[i]) == 0)
            return choices[i];
    char names[512] = "";
    for (int i = 0; choices[i] != NULL; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "", choices[i]);
    fail(EXIT_ASKED_WRONGLY, "%s %s: unknown; there are %s", option, text, names);
}

int value_word(const char *text, const char *option, const char *words)
{
    int number = 0;
    for (const char *at = words;; at++, number++) {
        const size_t length = strcspn(at, "|");
        if (strlen(text) == length && strncmp(text, at, length) == 0)
            return number;
        at += length;
        if (*at == '\0')
            fail(EXIT_ASKED_WRONGLY, "%s %s: unknown; there are %s", option, text, words);
    }
}

void value_write_word(FILE *out, const char *words, int number)
{
    for (; number > 0; number--)
        words += strcspn(words, "|") + 1;
    fprintf(out, "\"%.*s\"", (int)strcspn(words, "|"), words);
}

int value_choice(const char *text, const char *option, const char *const *choices)
{
    const char *name = value_one_of(text, option, choices);
    int number = 0;
    while (choices[number] != name)
        number++;
    return number;
}

int value_choices(const char *text, const char *option, const char *const *choices, int *chosen)
{
    int count = 0;
    const char *at = text;
    do {
        char word[32];
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        const int number = value_choice(word, option, choices);
        for (int i = 0; i < count; i++)
            if (chosen[i] == number)
                fail(EXIT_ASKED_WRONGLY, "%s %s: %s is given twice", option, text, word);
        chosen[count++] = number;
        at += length;
    } while (value_goes_on(&at, option, text));
    return count;
}

int *value_counts(const char *text, const char *option, int *count)
{
    int *counts = allocate((strlen(text) / 2 + 1) * sizeof *counts);
    const char *at = text;
    *count = 0;
    do {
        const int64_t value = value_integer(&at, text);
        if (value < 1 || value > 1 << 20)
            fail(EXIT_ASKED_WRONGLY, "%s %s: counts are from 1 up", option, text);
        counts[(*count)++] = (int)value;
    } while (value_goes_on(&at, option, text));
    return counts;
}
