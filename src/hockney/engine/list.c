#include "list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

char *list_content(const char *option, const char *path)
{
    char *content = NULL;
    size_t length = 0, room = 0, got = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail(EXIT_ASKED_WRONGLY, "%s @%s: %s", option, path, strerror(errno));
    do {
        length += got;
        if (length + 1 >= room) {
            room = 2 * room + 4096;
            content = realloc(content, room);
            if (content == NULL)
                fail(EXIT_WENT_WRONG, "no memory for %zu bytes", room);
        }
    } while ((got = fread(content + length, 1, room - length - 1, file)) > 0);
    fclose(file);
    content[length] = '\0';
    return content;
}
