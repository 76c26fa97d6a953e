#include "accelerator.h"

const char *const memory_names[] = {"host", "pinned", "managed", "device", NULL};
