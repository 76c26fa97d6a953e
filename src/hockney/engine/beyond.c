#include "beyond.h"

#include <stdio.h>

#include "library.h"
#include "operations.h"
#include "records.h"

int features_main(void)
{
    fputs("{\"library\":", stdout);
    record_string(library_name());
    fputs(",\"version\":", stdout);
    record_string(library_version());
    printf(",\"persistent_collectives\":%s", has_persistent_collectives ? "true" : "false");
    printf(",\"partitioned\":%s}\n", operation_whole() != NULL ? "true" : "false");
    return 0;
}
