/* Lists that are longer than an argument of a program can be. */
#ifndef HOCKNEY_LIST_H
#define HOCKNEY_LIST_H

/* The text of the file that `option` names, to be freed; ends the launch where it cannot be read. */
char *list_content(const char *option, const char *path);

/* The value of an option, which is a list or @FILE: the list, to be freed. */
char *list_of(const char *option, const char *value);

#endif
