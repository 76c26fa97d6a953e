/* The memory of devices that are none, and what is copied there. */
#include "fake.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct fake fake;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct block *blocks;
static size_t block_count, block_room;
static const char *variable; /* with the mode */

/* A copy or fill that was begun and not waited for. */
struct begun {
    const void *stream;
    char *to;
    const char *from; /* NULL: a fill */
    char *kept;       /* what `from` was when it began, where the caller may write it anew; else NULL */
    size_t bytes;
    int value;
};
static struct begun *queue;
static size_t queue_count, queue_room;

static void refuse(const char *what, const char *word)
{
    fprintf(stderr, "fake accelerator: %s: %s\n", what, word);
    abort();
}

static void *grown(void *list, size_t count, size_t *room, size_t each)
{
    if (count < *room)
        return list;
    *room = *room ? 2 * *room : 64;
    list = realloc(list, *room * each);
    if (!list)
        refuse("no memory for a list", "");
    return list;
}

static void read_word(const char *word)
{
    char *end = "";
    if (!strcmp(word, "plain") || !strcmp(word, "ipc"))
        return;
    if (!strcmp(word, "strict"))
        fake.is_strict = 1;
    else if (!strcmp(word, "async"))
        fake.is_async = 1;
    else if (!strcmp(word, "wrong-device"))
        fake.refuses_other_devices = 1;
    else if (!strcmp(word, "none"))
        fake.devices = 0;
    else if (!strcmp(word, "no-managed"))
        fake.has_managed = 0;
    else if (!strcmp(word, "no-peer"))
        fake.has_peers = 0;
    else if (!strcmp(word, "no-ipc"))
        fake.has_ipc = 0;
    else if (!strcmp(word, "old"))
        fake.is_old = 1;
    else if (!strncmp(word, "memory=", 7))
        fake.bytes = (size_t)strtoull(word + 7, &end, 10);
    else if (!strncmp(word, "gone=", 5))
        fake.calls_left = strtol(word + 5, &end, 10);
    else
        end = "?";
    if (*end)
        refuse("no such mode", word);
}

static void read_environment(void)
{
    fake = (struct fake){.has_managed = 1, .has_peers = 1, .has_ipc = 1, .calls_left = -1,
                         .bytes = (size_t)16 << 30};
    const char *listed = getenv("HOCKNEY_FAKE_DEVICES");
    char *ids = strdup(listed && *listed ? listed : "0000:3b:00.0,0000:af:00.0");
    char *rest = ids;
    for (char *id; rest && (id = strtok_r(rest, ",", &rest));) {
        if (fake.devices == MOST_DEVICES || strlen(id) >= PCI_ROOM)
            refuse("HOCKNEY_FAKE_DEVICES has too many devices, or no PCI id", id);
        strcpy(fake.pci[fake.devices++], id);
    }
    free(ids);
    const char *mode = getenv(variable);
    char *words = strdup(mode ? mode : "");
    rest = words;
    for (char *word; rest && (word = strtok_r(rest, ",", &rest));)
        read_word(word);
    free(words);
}

void fake_begin(const char *name)
{
    variable = name;
    pthread_once(&once, read_environment);
}

int fake_is_gone(void)
{
    pthread_mutex_lock(&lock);
    const int is_gone = fake.calls_left == 0;
    if (fake.calls_left > 0)
        fake.calls_left--;
    pthread_mutex_unlock(&lock);
    return is_gone;
}

static struct block *find(const void *at)
{
    for (size_t i = 0; i < block_count; i++)
        if ((const char *)at >= blocks[i].at && (const char *)at < blocks[i].at + blocks[i].bytes)
            return &blocks[i];
    return NULL;
}

int fake_find(const void *at, struct block *found)
{
    pthread_mutex_lock(&lock);
    const struct block *block = find(at);
    if (block)
        *found = *block;
    pthread_mutex_unlock(&lock);
    return block != NULL;
}

static void add_block(struct block block)
{
    blocks = grown(blocks, block_count, &block_room, sizeof *blocks);
    blocks[block_count++] = block;
}

static size_t whole_pages(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* The file, at the address that the program sees, and where copies find it. */
static int map_file(struct block *block)
{
    const size_t bytes = whole_pages(block->bytes);
    const int is_closed = fake.is_strict && block->kind == ON_DEVICE;
    void *at = mmap(NULL, bytes, is_closed ? PROT_NONE : PROT_READ | PROT_WRITE, MAP_SHARED,
                    block->file, 0);
    void *shadow = is_closed && at != MAP_FAILED
                       ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, block->file, 0)
                       : at;
    if (at == MAP_FAILED || shadow == MAP_FAILED)
        return 0;
    block->at = at;
    block->shadow = shadow;
    return 1;
}

enum fake_outcome fake_allocate(enum fake_kind kind, int device, size_t bytes, void **at)
{
    if (kind == MANAGED && !fake.has_managed)
        return REFUSED;
    if (bytes == 0)
        return UNKNOWN_ADDRESS;
    struct block block = {.bytes = bytes, .device = device, .kind = kind};
    enum fake_outcome outcome = NO_MEMORY;
    pthread_mutex_lock(&lock);
    const size_t taken = kind == PINNED ? 0 : bytes;
    if (taken <= fake.bytes - fake.used[device]) {
        block.file = memfd_create("fake-accelerator", MFD_CLOEXEC);
        if (block.file >= 0 && ftruncate(block.file, (off_t)whole_pages(bytes)) == 0 &&
            map_file(&block)) {
            fake.used[device] += taken;
            add_block(block);
            *at = block.at;
            outcome = FINE;
        }
    }
    pthread_mutex_unlock(&lock);
    return outcome;
}

enum fake_outcome fake_register(void *at, size_t bytes, int device)
{
    pthread_mutex_lock(&lock);
    const int is_known = find(at) != NULL;
    if (!is_known)
        add_block((struct block){at, at, bytes, device, -1, REGISTERED, 0});
    pthread_mutex_unlock(&lock);
    return is_known ? REFUSED : FINE;
}

enum fake_outcome fake_release(void *at, int device)
{
    fake_wait(NULL);
    pthread_mutex_lock(&lock);
    struct block *block = find(at);
    enum fake_outcome outcome = FINE;
    if (!block || block->at != at)
        outcome = UNKNOWN_ADDRESS;
    else if (fake.refuses_other_devices && device >= 0 && block->kind != PINNED &&
             block->device != device)
        outcome = REFUSED;
    else {
        if (block->file >= 0) {
            munmap(block->at, whole_pages(block->bytes));
            if (block->shadow != block->at)
                munmap(block->shadow, whole_pages(block->bytes));
            close(block->file);
        }
        if (!block->is_foreign && (block->kind == ON_DEVICE || block->kind == MANAGED))
            fake.used[block->device] -= block->bytes;
        *block = blocks[--block_count];
    }
    pthread_mutex_unlock(&lock);
    return outcome;
}

/* Where the CPU reaches so many bytes; NULL beyond the end of a block. */
static char *reached(const void *at, size_t bytes, struct block **block)
{
    *block = find(at);
    if (!*block)
        return (char *)at;
    const size_t offset = (size_t)((const char *)at - (*block)->at);
    return bytes <= (*block)->bytes - offset ? (*block)->shadow + offset : NULL;
}

static int is_others(const struct block *block, int device)
{
    return fake.refuses_other_devices && block && block->kind == ON_DEVICE && device >= 0 &&
           block->device != device;
}

static void carry_out(struct begun *one)
{
    if (one->kept)
        memcpy(one->to, one->kept, one->bytes);
    else if (one->from)
        memmove(one->to, one->from, one->bytes);
    else
        memset(one->to, one->value, one->bytes);
    free(one->kept);
}

static void wait_with_lock(const void *stream)
{
    size_t left = 0;
    for (size_t i = 0; i < queue_count; i++) {
        if (stream && queue[i].stream != stream)
            queue[left++] = queue[i];
        else
            carry_out(&queue[i]);
    }
    queue_count = left;
}

void fake_wait(const void *stream)
{
    pthread_mutex_lock(&lock);
    wait_with_lock(stream);
    pthread_mutex_unlock(&lock);
}

int fake_is_busy(const void *stream)
{
    pthread_mutex_lock(&lock);
    int is_busy = 0;
    for (size_t i = 0; i < queue_count; i++)
        is_busy |= !stream || queue[i].stream == stream;
    pthread_mutex_unlock(&lock);
    return is_busy;
}

static void begin(struct begun one, int is_over)
{
    if (!fake.is_async || is_over) {
        wait_with_lock(one.stream);
        carry_out(&one);
        return;
    }
    queue = grown(queue, queue_count, &queue_room, sizeof *queue);
    queue[queue_count++] = one;
}

enum fake_outcome fake_copy(void *to, const void *from, size_t bytes, int device, const void *stream,
                            int is_whole)
{
    struct block *target, *source;
    enum fake_outcome outcome = FINE;
    pthread_mutex_lock(&lock);
    struct begun one = {.stream = stream, .to = reached(to, bytes, &target),
                        .from = reached(from, bytes, &source), .bytes = bytes};
    if (!one.to || !one.from)
        outcome = UNKNOWN_ADDRESS;
    else if (is_others(target, device) || is_others(source, device))
        outcome = REFUSED;
    else {
        /* Of a pageable source the driver takes a copy before it returns. */
        const int is_pageable = !source && fake.is_async && !(is_whole && !target);
        if (is_pageable && (one.kept = malloc(bytes ? bytes : 1)))
            memcpy(one.kept, from, bytes);
        const int is_pinned = source && (source->kind == PINNED || source->kind == REGISTERED);
        begin(one, is_whole && (is_pinned || !target || target->kind != ON_DEVICE));
    }
    pthread_mutex_unlock(&lock);
    return outcome;
}

enum fake_outcome fake_fill(void *to, int value, size_t bytes, int device, const void *stream,
                            int is_whole)
{
    struct block *target;
    enum fake_outcome outcome = FINE;
    pthread_mutex_lock(&lock);
    struct begun one = {.stream = stream, .to = reached(to, bytes, &target), .bytes = bytes,
                        .value = value};
    if (!target || !one.to)
        outcome = UNKNOWN_ADDRESS;
    else if (is_others(target, device))
        outcome = REFUSED;
    else
        begin(one, is_whole && target->kind != ON_DEVICE);
    pthread_mutex_unlock(&lock);
    return outcome;
}

enum fake_outcome fake_share(void *at, struct ticket *ticket)
{
    if (!fake.has_ipc)
        return REFUSED;
    struct block block;
    if (!fake_find(at, &block) || block.kind != ON_DEVICE || block.is_foreign)
        return UNKNOWN_ADDRESS;
    *ticket = (struct ticket){getpid(), block.file, block.device, 0, block.bytes,
                              (uint64_t)((char *)at - block.at)};
    return FINE;
}

/* The file of the other process, by its entry in /proc: nothing is left where processes die. */
enum fake_outcome fake_open_shared(const struct ticket *ticket, void **at)
{
    if (!fake.has_ipc)
        return REFUSED;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", ticket->pid, ticket->file);
    struct block block = {.bytes = ticket->bytes, .device = ticket->device, .kind = ON_DEVICE,
                          .is_foreign = 1, .file = open(path, O_RDWR | O_CLOEXEC)};
    if (block.file < 0)
        return UNKNOWN_ADDRESS;
    pthread_mutex_lock(&lock);
    const int is_mapped = map_file(&block);
    if (is_mapped)
        add_block(block);
    pthread_mutex_unlock(&lock);
    *at = block.at;
    return is_mapped ? FINE : NO_MEMORY;
}
