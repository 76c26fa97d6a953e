#include "device_record.h"

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#include "check.h"
#include "devices.h"
#include "json.h"

static void write_uuid(FILE *out, const unsigned char *uuid)
{
    int known = 0;
    for (int i = 0; i < UUID_BYTES; i++)
        known = known || uuid[i] != 0;
    fputs(",\"uuid\":", out);
    fputs(known ? "\"" : "null", out);
    for (int i = 0; known && i < UUID_BYTES; i++)
        fprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
    fputs(known ? "\"" : "", out);
}

/* What sysfs says of the device's link to the host, such as "32.0 GT/s PCIe". */
static void write_link(FILE *out, const struct options *options, int number, const char *member, const char *file)
{
    char line[64];
    devices_read(options, number, file, line, sizeof line);
    json_text(out, member, line[0] != '\0' ? line : NULL);
}

void device_record(FILE *out, const struct options *options, int pu)
{
    int number;
    const struct device *device = devices_own(&number);
    if (device == NULL) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"number\":%d", number);
    json_text(out, "name", device->name);
    json_text(out, "pci", device->pci[0] != '\0' ? device->pci : NULL);
    write_uuid(out, device->uuid);
    const int near = devices_is_near(options, number, pu);
    fprintf(out, ",\"bytes\":%.0f,\"near\":%s", device->bytes, near < 0 ? "null" : near ? "true" : "false");
    write_link(out, options, number, "link_speed", "current_link_speed");
    write_link(out, options, number, "link_width", "current_link_width");
    fputs(",\"reaches\":[", out);
    for (int i = 0, any = 0; i < devices_count(); i++) {
        int can = 0;
        if (i != number && devices_library()->peer_access(number, i, &can) == NULL && can)
            fprintf(out, "%s%d", json_comma(any++), i);
    }
    fputs("]}", out);
}

/* What MPI libraries say of their awareness: 1, 0, or -1 where they have no such function. */
static int says(const char *function)
{
    int (*ask)(void) = NULL;
    void *const found = dlsym(RTLD_DEFAULT, function);
    if (found == NULL)
        return -1;
    memcpy(&ask, &found, sizeof found);
    return ask() != 0;
}

static void put_claims(const char *interface)
{
    static const struct {
        const char *interface, *functions[2];
    } claims[] = {
        {"CUDA", {"MPIX_Query_cuda_support", NULL}},
        {"ROCm", {"MPIX_Query_hip_support", "MPIX_Query_rocm_support"}},
        {"Level Zero", {"MPIX_Query_ze_support", NULL}},
    };
    int claim = -1;
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++)
        for (int j = 0; j < 2 && strcmp(claims[i].interface, interface) == 0; j++)
            if (claim < 0 && claims[i].functions[j] != NULL)
                claim = says(claims[i].functions[j]);
    printf(",\"claims_support\":%s", claim < 0 ? "null" : claim ? "true" : "false");
    char kinds[MPI_MAX_INFO_VAL + 1] = "";
    int has = 0;
    MPI_Info info;
    check(MPI_Comm_get_info(MPI_COMM_WORLD, &info), "MPI_Comm_get_info");
    check(MPI_Info_get(info, "mpi_memory_alloc_kinds", MPI_MAX_INFO_VAL, kinds, &has), "MPI_Info_get");
    check(MPI_Info_free(&info), "MPI_Info_free");
    json_text(stdout, "claims_kinds", has ? kinds : NULL);
}

void device_record_library(void)
{
    const struct accelerator *library = devices_library();
    char version[32];
    if (library == NULL)
        return;
    library->version(version, sizeof version);
    fputs(",\"accelerator\":{\"interface\":", stdout);
    json_string(stdout, library->name);
    json_text(stdout, "driver", version);
    put_claims(library->name);
    putchar('}');
}
