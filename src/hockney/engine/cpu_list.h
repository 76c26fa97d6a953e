/* Lists of CPU numbers as the kernel writes them and as --cpus takes them: "0,3" or "0-3,8". */
#ifndef HOCKNEY_CPU_LIST_H
#define HOCKNEY_CPU_LIST_H

/* Reads the next range, from `*first` to `*last`, and moves `*at` behind it. Returns 1, or 0 at the
   end of the list, or -1 where the text is no such list. */
int cpu_list_next(const char **at, int *first, int *last);

#endif
