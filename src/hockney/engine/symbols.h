/* Functions of a library that is opened at run time. */
#ifndef HOCKNEY_SYMBOLS_H
#define HOCKNEY_SYMBOLS_H

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct symbol {
    const char *name;
    void *function; /* where its address goes */
    int is_optional;
};

/* NULL, or which function the library lacks. */
static inline const char *load_symbols(void *library, const char *file, const struct symbol *symbols,
                                       size_t count)
{
    static char words[128];
    for (size_t i = 0; i < count; i++) {
        void *const found = dlsym(library, symbols[i].name);
        if (found == NULL && !symbols[i].is_optional) {
            snprintf(words, sizeof words, "%s has no %s: it is too old", file, symbols[i].name);
            return words;
        }
        memcpy(symbols[i].function, &found, sizeof found);
    }
    return NULL;
}

#endif
