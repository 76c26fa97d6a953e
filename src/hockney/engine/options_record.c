#include "options_record.h"

#include <stddef.h>
#include <stdio.h>

#include "json.h"
#include "values.h"

/* Which members of options.def are axes; what is read by hand has its own place in records. */
enum kind { FLAG, WORD, COUNT, NUMBER, TEXT };
#define AXIS(kind, member, words, is_axis) {kind, #member, words, is_axis, offsetof(struct options, member)},
#define AXIS_FLAG(...) AXIS(FLAG, __VA_ARGS__)
#define AXIS_WORD(...) AXIS(WORD, __VA_ARGS__)
#define AXIS_COUNT(...) AXIS(COUNT, __VA_ARGS__)
#define AXIS_NUMBER(...) AXIS(NUMBER, __VA_ARGS__)
#define AXIS_TEXT(...) AXIS(TEXT, __VA_ARGS__)
#define AXIS_HAND(...)

static const struct axis {
    enum kind kind;
    const char *name, *words;
    int is_axis;
    size_t at;
} axes[] = {
#define OPTION(kind, member, name, argument, experiments, words, is_axis, usage) \
    AXIS_##kind(member, words, is_axis)
#include "options.def"
};

void put_asked(const struct options *options)
{
    int count = 0;
    for (int i = 0; i < options->word_count; i++) {
        fputs(json_comma(count++), stdout);
        json_string(stdout, options->words[i]);
    }
    for (int i = 0; i < ACCEPTED_OPTIONS; i++) {
        if (options->texts[i] == NULL)
            continue;
        fputs(json_comma(count++), stdout);
        json_string(stdout, options->texts[i]);
    }
}

/* Returns whether it is no default, and thus was written. */
static int put_axis(const struct axis *axis, const void *value, const char *comma)
{
    const int number = axis->kind <= COUNT ? *(const int *)value : 0;
    const double real = axis->kind == NUMBER ? *(const double *)value : 0.0;
    const char *text = axis->kind == TEXT ? *(const char *const *)value : NULL;
    if (number == 0 && real == 0.0 && text == NULL)
        return 0;
    printf("%s\"%s\":", comma, axis->name);
    switch (axis->kind) {
    case FLAG: fputs("true", stdout); break;
    case WORD: value_write_word(stdout, axis->words, number); break;
    case COUNT: printf("%d", number); break;
    case NUMBER: printf("%.9g", real); break;
    case TEXT: json_string(stdout, text); break;
    }
    return 1;
}

void put_shared_axes(const struct options *options)
{
    int count = 0;
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++)
        if (axes[i].is_axis)
            count += put_axis(&axes[i], (const char *)options + axes[i].at, json_comma(count));
}
