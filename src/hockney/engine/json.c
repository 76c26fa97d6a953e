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

void json_id(FILE *out, const char *name, int id)
{
    if (id >= 0)
        fprintf(out, ",\"%s\":%d", name, id);
    else
        fprintf(out, ",\"%s\":null", name);
}
