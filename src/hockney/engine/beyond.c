#include "beyond.h"

#include <stdio.h>

#include "json.h"
#include "library.h"
#include "operations.h"

int features_main(void)
{
    fputs("{\"library\":", stdout);
    json_string(stdout, library_name());
    json_text(stdout, "version", library_version());
    printf(",\"persistent_collectives\":%s", has_persistent_collectives ? "true" : "false");
    printf(",\"partitioned\":%s}\n", operation_whole() != NULL ? "true" : "false");
    return 0;
}
