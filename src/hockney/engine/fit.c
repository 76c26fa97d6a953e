#include "fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { LINE_LENGTH = 4096 };

struct fit fit_line(const double *bytes, const double *seconds, int count, int ordinary)
{
    double weights = 0.0, mean_b = 0.0, mean_t = 0.0;
    for (int i = 0; i < count; i++) {
        const double weight = ordinary ? 1.0 : 1.0 / (seconds[i] * seconds[i]);
        weights += weight;
        mean_b += weight * bytes[i];
        mean_t += weight * seconds[i];
    }
    if (count == 0)
        return (struct fit){0};
    mean_b /= weights;
    mean_t /= weights;

    double bb = 0.0, bt = 0.0, raw_bb = 0.0, raw_bt = 0.0;
    for (int i = 0; i < count; i++) {
        const double weight = ordinary ? 1.0 : 1.0 / (seconds[i] * seconds[i]);
        bb += weight * (bytes[i] - mean_b) * (bytes[i] - mean_b);
        bt += weight * (bytes[i] - mean_b) * (seconds[i] - mean_t);
        raw_bb += weight * bytes[i] * bytes[i];
        raw_bt += weight * bytes[i] * seconds[i];
    }
    double beta = bb > 0.0 ? bt / bb : 0.0;
    double alpha = mean_t - beta * mean_b;
    if (!ordinary && beta < 0.0) {
        beta = 0.0;
        alpha = mean_t;
    } else if (!ordinary && alpha < 0.0) {
        alpha = 0.0;
        beta = raw_bb > 0.0 ? raw_bt / raw_bb : 0.0;
    }
    return (struct fit){.alpha_s = alpha, .beta_s_per_B = beta, .count = count};
}

/* The first and the last number of a line; 0 where it has fewer than two. */
static int first_and_last(const char *line, double *first, double *last)
{
    int found = 0;
    for (const char *at = line; *at != '\0';) {
        char *end;
        const double value = strtod(at, &end);
        if (end == at)
            break;
        if (found++ == 0)
            *first = value;
        *last = value;
        at = end + strspn(end, " \t,;");
    }
    return found >= 2;
}

int fit_main(int argc, char **argv)
{
    int ordinary = 0;
    const char *path = NULL;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--ordinary") == 0)
            ordinary = 1;
        else
            path = argv[i];
    }
    FILE *file = path == NULL ? stdin : fopen(path, "r");
    if (file == NULL)
        fail(EXIT_ASKED_WRONGLY, "%s: cannot be read", path);

    double *bytes = NULL, *seconds = NULL;
    int count = 0;
    char line[LINE_LENGTH];
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        double first, last;
        if (!first_and_last(line, &first, &last))
            continue;
        if (!(last > 0.0))
            fail(EXIT_ASKED_WRONGLY, "line %d: a time must be above 0", number);
        bytes = grown(bytes, (size_t)count, sizeof *bytes);
        seconds = grown(seconds, (size_t)count, sizeof *seconds);
        bytes[count] = first;
        seconds[count++] = last;
    }
    if (path != NULL)
        fclose(file);
    if (count < 2)
        fail(EXIT_ASKED_WRONGLY, "a line needs two points, lines of `bytes ... seconds'");
    const struct fit fit = fit_line(bytes, seconds, count, ordinary);
    printf("alpha_s %.17g\nbeta_s_per_B %.17g\npoints %d\n", fit.alpha_s, fit.beta_s_per_B, count);
    free(bytes);
    free(seconds);
    return EXIT_SUCCESS;
}
