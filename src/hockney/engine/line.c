#include "line.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int line_read(const char *path, char *line, size_t room)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, line, room - 1) : 0;
    if (file >= 0)
        close(file);
    line[length > 0 ? length : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return length > 0;
}
