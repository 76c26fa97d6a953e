#include "json.h"

void json_string(FILE *out, const char *text)
{
    if (text == NULL) {
        fputs("null", out);
        return;
    }
    putc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(out, "\\u%04x", *at);
        else
            putc(*at, out);
    }
    putc('"', out);
}

void json_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, ",\"%s\":", name);
    json_string(out, text);
}

void json_known(FILE *out, const char *name, double value)
{
    if (value >= 0.0)
        fprintf(out, ",\"%s\":%.6g", name, value);
    else
        fprintf(out, ",\"%s\":null", name);
}

void json_id(FILE *out, const char *name, int id)
{
    if (id >= 0)
        fprintf(out, ",\"%s\":%d", name, id);
    else
        fprintf(out, ",\"%s\":null", name);
}

void json_integers(FILE *out, const char *name, const int *values, int count)
{
    fprintf(out, ",\"%s\":[", name);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%d", json_comma(i), values[i]);
    putc(']', out);
}

void json_numbers(FILE *out, const char *name, const double *values, int count, double factor)
{
    fprintf(out, ",\"%s\":[", name);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%.7g", json_comma(i), values[i] * factor);
    putc(']', out);
}

void json_word(FILE *out, const char *name, const char *word)
{
    if (word != NULL)
        json_text(out, name, word);
}

void json_count(FILE *out, const char *name, int count)
{
    if (count > 0)
        fprintf(out, ",\"%s\":%d", name, count);
}
