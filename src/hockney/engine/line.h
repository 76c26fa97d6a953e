/* First lines of the small files in which the kernel shows what it knows. */
#ifndef HOCKNEY_LINE_H
#define HOCKNEY_LINE_H

#include <stddef.h>

/* Without its end; 0 and an empty line where the file is empty or cannot be read. */
int line_read(const char *path, char *line, size_t room);

#endif
