#include "carriers.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "json.h"
#include "simulated.h"

enum { LONGEST_PATH = 4096, MOST_FOUND = 32 };

static const char DESCRIPTORS[] = "/proc/self/fd";

static struct interface_bytes *interface_named(struct carriers *carriers, const char *name)
{
    for (int i = 0; i < carriers->count; i++)
        if (strcmp(carriers->interfaces[i].name, name) == 0)
            return &carriers->interfaces[i];
    if (carriers->count == MOST_INTERFACES)
        return NULL;
    struct interface_bytes *added = &carriers->interfaces[carriers->count++];
    snprintf(added->name, sizeof added->name, "%s", name);
    return added;
}

#if defined(__linux__) && !defined(SMPI_H)
#include <sys/syscall.h>
#include <sys/uio.h>

static _Atomic int64_t copies, copied;

/* Libraries copy from process to process by these two calls of libc, which leave no other trace. A program's
   own definition goes before libc's; counting costs some ns of a call of some us. */
static ssize_t counted(long bytes)
{
    atomic_fetch_add_explicit(&copies, 1, memory_order_relaxed);
    if (bytes > 0)
        atomic_fetch_add_explicit(&copied, bytes, memory_order_relaxed);
    return (ssize_t)bytes;
}

ssize_t process_vm_readv(pid_t process, const struct iovec *own, unsigned long own_count,
                         const struct iovec *other, unsigned long other_count, unsigned long flags)
{
    return counted(syscall(SYS_process_vm_readv, process, own, own_count, other, other_count, flags));
}

ssize_t process_vm_writev(pid_t process, const struct iovec *own, unsigned long own_count,
                          const struct iovec *other, unsigned long other_count, unsigned long flags)
{
    return counted(syscall(SYS_process_vm_writev, process, own, own_count, other, other_count, flags));
}

/* The kernel's struct tcp_info as far as it is used here; libc's ends before the bytes. */
struct connection {
    uint8_t state, unused_bytes[7];
    uint32_t unused[23], retransmitted;
    uint64_t unused_rates[2], acknowledged, received;
};

/* An address of either version as 16 bytes, IPv4 as IPv6 maps it; 0 for others. */
static int address_of(const struct sockaddr *from, unsigned char bytes[16])
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    if (from == NULL)
        return 0;
    if (from->sa_family == AF_INET6) {
        memcpy(bytes, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr, 16);
        return 1;
    }
    if (from->sa_family != AF_INET)
        return 0;
    memcpy(bytes, mapped, sizeof mapped);
    memcpy(bytes + 12, &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
    return 1;
}

/* The interface that has the address, or NULL. */
static const char *interface_of(const struct ifaddrs *all, const struct sockaddr *address)
{
    unsigned char wanted[16], its[16];
    if (!address_of(address, wanted))
        return NULL;
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next)
        if (address_of(one->ifa_addr, its) && memcmp(wanted, its, sizeof its) == 0)
            return one->ifa_name;
    return NULL;
}

/* What goes to an address of this host goes over the loopback interface, whoever has the address. */
static void add_connection(struct carriers *carriers, int descriptor, const struct ifaddrs *all)
{
    struct sockaddr_storage own, other;
    struct connection seen = {0};
    socklen_t room = sizeof seen, own_room = sizeof own, other_room = sizeof other;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &seen, &room) != 0 || room < sizeof seen ||
        getsockname(descriptor, (struct sockaddr *)&own, &own_room) != 0 ||
        getpeername(descriptor, (struct sockaddr *)&other, &other_room) != 0)
        return;
    const char *name = interface_of(all, (struct sockaddr *)&other) != NULL
                           ? "lo"
                           : interface_of(all, (struct sockaddr *)&own);
    struct interface_bytes *interface = interface_named(carriers, name != NULL ? name : "unknown");
    if (interface == NULL)
        return;
    interface->sent += (double)seen.acknowledged;
    interface->received += (double)seen.received;
    interface->resent += (double)seen.retransmitted;
}

struct carriers carriers_read(void)
{
    struct carriers carriers = {.copies = (double)atomic_load(&copies), .copied = (double)atomic_load(&copied)};
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0)
        all = NULL;
    DIR *directory = opendir(DESCRIPTORS);
    for (const struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] != '.')
            add_connection(&carriers, atoi(entry->d_name), all);
    if (directory != NULL)
        closedir(directory);
    if (all != NULL)
        freeifaddrs(all);
    return carriers;
}
#else
struct carriers carriers_read(void) { return (struct carriers){0}; }
#endif

/* A connection that was closed in between took its bytes along. */
static double since(double before, double after) { return after > before ? after - before : 0.0; }

void carriers_write(FILE *out, const struct carriers *before, const struct carriers *after)
{
    struct carriers then = *before;
    fprintf(out, ",\"copies\":%.0f,\"copied\":%.0f,\"tcp\":{", since(before->copies, after->copies),
            since(before->copied, after->copied));
    for (int i = 0; i < after->count; i++) {
        const struct interface_bytes *now = &after->interfaces[i];
        const struct interface_bytes *was = interface_named(&then, now->name);
        static const struct interface_bytes none;
        if (was == NULL)
            was = &none;
        fputs(json_comma(i), out);
        json_string(out, now->name);
        fprintf(out, ":{\"sent\":%.0f,\"received\":%.0f,\"resent\":%.0f}", since(was->sent, now->sent),
                since(was->received, now->received), since(was->resent, now->resent));
    }
    putc('}', out);
}

/* Different names, each written once. */
struct names {
    char names[MOST_FOUND][64];
    int count;
};

static void add_name(struct names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strncmp(names->names[i], name, sizeof names->names[i] - 1) == 0)
            return;
    if (names->count < MOST_FOUND)
        snprintf(names->names[names->count++], sizeof names->names[0], "%s", name);
}

static void write_names(FILE *out, const char *member, const struct names *names)
{
    fprintf(out, ",\"%s\":[", member);
    for (int i = 0; i < names->count; i++) {
        fputs(json_comma(i), out);
        json_string(out, names->names[i]);
    }
    putc(']', out);
}

static int begins_with_any(const char *text, const char *const *beginnings)
{
    for (; *beginnings != NULL; beginnings++)
        if (strncmp(text, *beginnings, strlen(*beginnings)) == 0)
            return 1;
    return 0;
}

static void find_devices(struct names *devices)
{
    static const char *const of_networks[] = {"/dev/infiniband/", "/dev/cxi", "/dev/hfi1", "/dev/xpmem",
                                              "/dev/knem", NULL};
    char link[64], path[LONGEST_PATH];
    DIR *directory = opendir(DESCRIPTORS);
    for (const struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        snprintf(link, sizeof link, "%s/%.20s", DESCRIPTORS, entry->d_name);
        const ssize_t length = readlink(link, path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        if (begins_with_any(path, of_networks))
            add_name(devices, path);
    }
    if (directory != NULL)
        closedir(directory);
}

/* A line of /proc/self/maps: addresses, "rw-s" for what is written and shared, and last the path. */
static void find_mapped(struct names *segments, struct names *libraries)
{
    static const char *const of_networks[] = {"libuct_", "libucp", "libfabric", "libcxi", "libpsm2",
                                              "libpsm3", "libefa", "libmlx", "libibverbs", "libxpmem",
                                              "libpami", NULL};
    char line[LONGEST_PATH];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *path = strchr(line, '/'), *rights = strchr(line, ' ');
        if (path == NULL || rights == NULL)
            continue;
        char *file = strrchr(path, '/') + 1;
        if (strncmp(rights, " rw-s", 5) == 0)
            add_name(segments, path);
        if (begins_with_any(file, of_networks)) {
            file[strcspn(file, ".-")] = '\0'; /* without its version */
            add_name(libraries, file);
        }
    }
    if (maps != NULL)
        fclose(maps);
}

void carriers_write_open(FILE *out)
{
    static struct names devices, segments, libraries;
    devices.count = segments.count = libraries.count = 0;
    if (!IS_SIMULATED) {
        find_devices(&devices);
        find_mapped(&segments, &libraries);
    }
    write_names(out, "devices", &devices);
    fprintf(out, ",\"segments\":%d", segments.count);
    write_names(out, "libraries", &libraries);
}
