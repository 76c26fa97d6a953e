/* Arrays that the linker gathers: each file adds its own entry, and nothing else names it. */
#ifndef HOCKNEY_GATHER_H
#define HOCKNEY_GATHER_H

/* GATHERED(NAME) puts a variable into the array; GATHERS(TYPE, NAME) declares where it begins and ends,
   gathered_NAME and gathered_NAME_end. The names of macOS's sections have at most 16 characters. */
#ifdef __APPLE__
#define GATHERED(name) __attribute__((used, section("__DATA,hk_" #name)))
#define GATHERS(type, name)                                                                        \
    extern type gathered_##name[] __asm__("section$start$__DATA$hk_" #name);                       \
    extern type gathered_##name##_end[] __asm__("section$end$__DATA$hk_" #name)
#else
#define GATHERED(name) __attribute__((used, section("hk_" #name)))
#define GATHERS(type, name)                                                                        \
    extern type gathered_##name[] __asm__("__start_hk_" #name);                                    \
    extern type gathered_##name##_end[] __asm__("__stop_hk_" #name)
#endif

#endif
