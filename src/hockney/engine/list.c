#include "list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

char *list_content(const char *option, const char *path)
{
    char *content = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail(EXIT_ASKED_WRONGLY, "%s @%s: %s", option, path, strerror(errno));
    if (getdelim(&content, &room, '\0', file) < 0) { /* it is empty */
        free(content);
        content = allocate(1);
    }
    fclose(file);
    return content;
}

char *list_of(const char *option, const char *value)
{
    if (*value == '@')
        return list_content(option, value + 1);
    const size_t bytes = strlen(value) + 1;
    return memcpy(allocate(bytes), value, bytes);
}
