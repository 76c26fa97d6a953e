/* Copies of the fake libcuda.so.1, its streams and events, and memory of other processes. */
#include "fake_cuda.h"

#include <stdlib.h>
#include <string.h>

static int copy(void *to, const void *from, size_t bytes, const void *stream, int is_whole)
{
    BEGIN_IN_CONTEXT;
    return cuda_result(fake_copy(to, from, bytes, cuda_device(), stream, is_whole));
}

EXPORT int cuMemcpy(address to, address from, size_t bytes)
{
    return copy(POINTER(to), POINTER(from), bytes, NULL, 1);
}

EXPORT int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes)
{
    return copy(POINTER(to), from, bytes, NULL, 1);
}

EXPORT int cuMemcpyDtoH_v2(void *to, address from, size_t bytes)
{
    return copy(to, POINTER(from), bytes, NULL, 1);
}

EXPORT int cuMemcpyDtoD_v2(address to, address from, size_t bytes)
{
    return copy(POINTER(to), POINTER(from), bytes, NULL, 1);
}

EXPORT int cuMemcpyAsync(address to, address from, size_t bytes, void *stream)
{
    return copy(POINTER(to), POINTER(from), bytes, stream, 0);
}

EXPORT int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream)
{
    return copy(POINTER(to), from, bytes, stream, 0);
}

EXPORT int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream)
{
    return copy(to, POINTER(from), bytes, stream, 0);
}

EXPORT int cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, void *stream)
{
    return copy(POINTER(to), POINTER(from), bytes, stream, 0);
}

EXPORT int cuMemcpyPeer(address to, void *to_context, address from, void *from_context, size_t bytes)
{
    (void)to_context, (void)from_context;
    BEGIN;
    return cuda_result(fake_copy(POINTER(to), POINTER(from), bytes, -1, NULL, 1));
}

EXPORT int cuMemcpyPeerAsync(address to, void *to_context, address from, void *from_context,
                             size_t bytes, void *stream)
{
    (void)to_context, (void)from_context;
    BEGIN;
    return cuda_result(fake_copy(POINTER(to), POINTER(from), bytes, -1, stream, 0));
}

EXPORT int cuMemsetD8_v2(address to, unsigned char value, size_t count)
{
    BEGIN_IN_CONTEXT;
    return cuda_result(fake_fill(POINTER(to), value, count, cuda_device(), NULL, 1));
}

EXPORT int cuMemsetD8Async(address to, unsigned char value, size_t count, void *stream)
{
    BEGIN_IN_CONTEXT;
    return cuda_result(fake_fill(POINTER(to), value, count, cuda_device(), stream, 0));
}

/* Streams are addresses of their own; those below 3 are the driver's (legacy, per thread), which wait for
   all others. */
static const void *stream_of(const void *stream)
{
    return (uintptr_t)stream < 3 ? NULL : stream;
}

EXPORT int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    BEGIN_IN_CONTEXT;
    *stream = malloc(1);
    return *stream ? SUCCESS : OUT_OF_MEMORY;
}

EXPORT int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    (void)priority;
    return cuStreamCreate(stream, flags);
}

EXPORT int cuStreamDestroy_v2(void *stream)
{
    BEGIN;
    fake_wait(stream_of(stream));
    free(stream);
    return SUCCESS;
}

EXPORT int cuStreamSynchronize(void *stream)
{
    BEGIN_IN_CONTEXT;
    fake_wait(stream_of(stream));
    return SUCCESS;
}

/* What was begun is found unfinished once. */
EXPORT int cuStreamQuery(void *stream)
{
    BEGIN_IN_CONTEXT;
    const int is_busy = fake_is_busy(stream_of(stream));
    fake_wait(stream_of(stream));
    return is_busy ? NOT_READY : SUCCESS;
}

EXPORT int cuStreamGetCtx(void *stream, void **context)
{
    (void)stream;
    BEGIN_IN_CONTEXT;
    *context = cuda_context();
    return SUCCESS;
}

struct event {
    const void *stream;
};

EXPORT int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    BEGIN_IN_CONTEXT;
    *event = calloc(1, sizeof(struct event));
    return *event ? SUCCESS : OUT_OF_MEMORY;
}

EXPORT int cuEventDestroy_v2(void *event)
{
    BEGIN;
    free(event);
    return SUCCESS;
}

EXPORT int cuEventRecord(void *event, void *stream)
{
    BEGIN_IN_CONTEXT;
    ((struct event *)event)->stream = stream_of(stream);
    return SUCCESS;
}

EXPORT int cuEventQuery(const void *event)
{
    BEGIN;
    const struct event *of = event;
    const int is_busy = fake_is_busy(of->stream);
    fake_wait(of->stream);
    return is_busy ? NOT_READY : SUCCESS;
}

EXPORT int cuEventSynchronize(const void *event)
{
    BEGIN;
    fake_wait(((const struct event *)event)->stream);
    return SUCCESS;
}

EXPORT int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    (void)stream, (void)flags;
    return cuEventSynchronize(event);
}

/* Memory of another process. */
struct handle {
    char bytes[64];
};

EXPORT int cuIpcGetMemHandle(struct handle *handle, address at)
{
    BEGIN_IN_CONTEXT;
    struct ticket ticket;
    const enum fake_outcome outcome = fake_share(POINTER(at), &ticket);
    memset(handle, 0, sizeof *handle);
    if (outcome == FINE)
        memcpy(handle, &ticket, sizeof ticket);
    return outcome == REFUSED ? NOT_SUPPORTED : cuda_result(outcome);
}

EXPORT int cuIpcOpenMemHandle_v2(address *at, struct handle handle, unsigned flags)
{
    (void)flags;
    BEGIN_IN_CONTEXT;
    struct ticket ticket;
    memcpy(&ticket, &handle, sizeof ticket);
    void *found = NULL;
    const enum fake_outcome outcome = fake_open_shared(&ticket, &found);
    *at = (uintptr_t)found;
    return outcome == REFUSED ? NOT_SUPPORTED : cuda_result(outcome);
}

EXPORT int cuIpcOpenMemHandle(address *at, struct handle handle, unsigned flags)
{
    return cuIpcOpenMemHandle_v2(at, handle, flags);
}

EXPORT int cuIpcCloseMemHandle(address at)
{
    BEGIN_IN_CONTEXT;
    return cuda_result(fake_release(POINTER(at), -1));
}

/* Nothing is in progress in another process that a copy of this one would not find done. */
EXPORT int cuIpcGetEventHandle(struct handle *handle, void *event)
{
    (void)event;
    BEGIN_IN_CONTEXT;
    memset(handle, 0, sizeof *handle);
    return fake.has_ipc ? SUCCESS : NOT_SUPPORTED;
}

EXPORT int cuIpcOpenEventHandle(void **event, struct handle handle)
{
    (void)handle;
    return fake.has_ipc ? cuEventCreate(event, 0) : NOT_SUPPORTED;
}
