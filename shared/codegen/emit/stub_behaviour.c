/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What symbols of the stub driver do when a test programs nothing: one device whose memory is host memory, copies and
 * fills that happen at once, one context stack a thread, callbacks that are called. Kernels are recorded, not run.
 * ACT(name) is the behaviour of a symbol's permanent versioned name; the _ptds and _ptsz variants share it.
 */
#define _GNU_SOURCE
#include "stub.h"
#include "stub_types.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ACT(symbol) int act_##symbol(const void *const *args)
#define SAME(symbol, other) \
  ACT(symbol) { return act_##other(args); }
#define IN(type, i) (*(__typeof__(type) const *)args[i])
#define OUT(type, i) (*IN(__typeof__(type) *, i))
#define NEEDS(i)        \
  if (!IN(void *, i))   \
  return INVALID_VALUE

enum {
  OK = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  INVALID_CONTEXT = 201,
  INVALID_DEVICE = 101,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500
};

/* ---- versions, errors, addresses ---- */

ACT(cuInit_v1) { return IN(unsigned, 0) ? INVALID_VALUE : OK; }

ACT(cuDriverGetVersion_v1) {
  NEEDS(0);
  OUT(int, 0) = stub_driver_version;
  return OK;
}

static const char *error_name(int value) {
  for (unsigned i = 0; i < stub_nerrors; i++)
    if (stub_errors[i].value == value)
      return stub_errors[i].name;
  return NULL;
}

ACT(cuGetErrorName_v1) {
  NEEDS(1);
  OUT(const char *, 1) = error_name(IN(int, 0));
  return OUT(const char *, 1) ? OK : INVALID_VALUE;
}

SAME(cuGetErrorString_v1, cuGetErrorName_v1)

/* As drivers 470 to 555 do it: base names only, the newest symbol that the version asked for had; for per-thread streams a
 * base that has per-thread symbols offers nothing else; an unknown flag is an error. */
static int proc_address(const void *const *args, int *status) {
  const char *name = IN(const char *, 0);
  uint64_t flags = IN(uint64_t, 3);
  int version = IN(int, 2), known = 0, with_stream = 0;
  const struct stub_symbol *best = NULL;
  if (!name || !IN(void *, 1) || flags > 2)
    return INVALID_VALUE;
  for (unsigned i = 0; i < stub_nsymbols && flags == 2; i++)
    with_stream |= stub_symbols[i].stream && !strcmp(stub_symbols[i].base, name);
  for (unsigned i = 0; i < stub_nsymbols; i++) {
    const struct stub_symbol *symbol = &stub_symbols[i];
    if (strcmp(symbol->base, name))
      continue;
    known = 1;
    if (symbol->introduced <= version && (symbol->stream != 0) == with_stream && (!best || symbol->version > best->version))
      best = symbol;
  }
  *status = best ? 0 : known ? 2 : 1;
  if (best)
    OUT(void (*)(void), 1) = best->address;
  return best ? OK : NOT_FOUND;
}

ACT(cuGetProcAddress_v1) {
  int status;
  return proc_address(args, &status);
}

ACT(cuGetProcAddress_v2) {
  int status;
  int result = proc_address(args, &status);
  if (result == INVALID_VALUE)
    return result;
  if (result)
    OUT(void *, 1) = NULL;
  if (IN(int *, 4))
    OUT(int, 4) = status;
  return OK;
}

ACT(cuGetExportTable_v1) { return NOT_FOUND; }

/* ---- the device ---- */

static const unsigned char uuid[16] = "stub driver GPU";
static const char bus_id[] = "0000:01:00.0";

ACT(cuDeviceGetCount_v1) {
  NEEDS(0);
  OUT(int, 0) = 1;
  return OK;
}

ACT(cuDeviceGet_v1) {
  NEEDS(0);
  if (IN(int, 1))
    return INVALID_DEVICE;
  OUT(int, 0) = 0;
  return OK;
}

static int text_out(const void *const *args, int buffer, int length, const char *text) {
  if (!IN(char *, buffer) || IN(int, length) <= 0)
    return INVALID_VALUE;
  snprintf(IN(char *, buffer), (size_t)IN(int, length), "%s", text);
  return OK;
}

ACT(cuDeviceGetName_v1) { return IN(int, 2) ? INVALID_DEVICE : text_out(args, 0, 1, "Stub driver, no GPU"); }
ACT(cuDeviceGetPCIBusId_v1) { return IN(int, 2) ? INVALID_DEVICE : text_out(args, 0, 1, bus_id); }

ACT(cuDeviceGetByPCIBusId_v1) {
  NEEDS(0);
  if (!IN(const char *, 1) || strcmp(IN(const char *, 1), bus_id))
    return INVALID_DEVICE;
  OUT(int, 0) = 0;
  return OK;
}

ACT(cuDeviceGetUuid_v1) {
  NEEDS(0);
  memcpy(IN(void *, 0), uuid, sizeof uuid);
  return OK;
}
SAME(cuDeviceGetUuid_v2, cuDeviceGetUuid_v1)

ACT(cuDeviceTotalMem_v1) {
  NEEDS(0);
  OUT(unsigned, 0) = 1u << 30;
  return OK;
}
ACT(cuDeviceTotalMem_v2) {
  NEEDS(0);
  OUT(size_t, 0) = (size_t)1 << 30;
  return OK;
}
ACT(cuMemGetInfo_v1) {
  NEEDS(0);
  NEEDS(1);
  OUT(unsigned, 0) = OUT(unsigned, 1) = 1u << 30;
  return OK;
}
ACT(cuMemGetInfo_v2) {
  NEEDS(0);
  NEEDS(1);
  OUT(size_t, 0) = OUT(size_t, 1) = (size_t)1 << 30;
  return OK;
}

ACT(cuDeviceComputeCapability_v1) {
  NEEDS(0);
  NEEDS(1);
  OUT(int, 0) = 9;
  OUT(int, 1) = 0;
  return OK;
}

/* By the number of the attribute; what is not here is 1: most attributes ask whether something is supported. */
ACT(cuDeviceGetAttribute_v1) {
  static const int known[][2] = {{1, 1024},   {2, 1024},  {3, 1024},      {4, 64},          {5, 2147483647}, {6, 65535},
                                 {7, 65535},  {8, 49152}, {9, 65536},     {10, 32},         {11, 2147483647}, {12, 65536},
                                 {13, 1000000}, {14, 512}, {16, 1},       {17, 0},          {18, 0},          {20, 0},
                                 {32, 0},     {33, 1},    {34, 0},        {36, 1000000},    {37, 1024},       {38, 1 << 20},
                                 {39, 2048},  {40, 2},    {50, 0},        {75, 9},          {76, 0},          {81, 49152},
                                 {82, 65536}, {84, 0},    {87, 1},        {97, 65536},      {106, 32}};
  NEEDS(0);
  if (IN(int, 2))
    return INVALID_DEVICE;
  if (IN(int, 1) <= 0)
    return INVALID_VALUE;
  OUT(int, 0) = 1;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i][0] == IN(int, 1))
      OUT(int, 0) = known[i][1];
  return OK;
}

ACT(cuDeviceCanAccessPeer_v1) {
  NEEDS(0);
  OUT(int, 0) = 0;
  return OK;
}

/* ---- contexts: one stack a thread ---- */

enum { DEPTH = 32 };

static __thread void *stack[DEPTH];
static __thread int depth;
static void *primary;
static unsigned primary_flags, primary_uses;
static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;

static int context_type(void) { return stub_object_row("CUcontext"); }
static int is_context(const void *handle) { return handle && stub_object_type(handle) == context_type(); }
static unsigned *context_flags(const void *handle) { return stub_object_data(handle); }

static int push(void *context) {
  if (!is_context(context))
    return INVALID_CONTEXT;
  if (depth == DEPTH)
    return OUT_OF_MEMORY;
  stack[depth++] = context;
  return OK;
}

static int create_context(void **out, unsigned flags, int device) {
  if (!out)
    return INVALID_VALUE;
  if (device)
    return INVALID_DEVICE;
  void *context = stub_object_new((unsigned)context_type());
  if (!context)
    return OUT_OF_MEMORY;
  *context_flags(context) = flags;
  *out = context;
  return push(context);
}

ACT(cuCtxCreate_v1) { return create_context(IN(void **, 0), IN(unsigned, 1), IN(int, 2)); }
SAME(cuCtxCreate_v2, cuCtxCreate_v1)
ACT(cuCtxCreate_v3) { return create_context(IN(void **, 0), IN(unsigned, 3), IN(int, 4)); }
ACT(cuCtxCreate_v4) { return create_context(IN(void **, 0), IN(unsigned, 2), IN(int, 3)); }

ACT(cuCtxDestroy_v1) {
  void *context = IN(void *, 0);
  int kept = 0;
  if (!is_context(context))
    return INVALID_CONTEXT;
  for (int i = 0; i < depth; i++)
    if (stack[i] != context)
      stack[kept++] = stack[i];
  depth = kept;
  return stub_object_end(context, (unsigned)context_type());
}
SAME(cuCtxDestroy_v2, cuCtxDestroy_v1)
ACT(cuCtxPushCurrent_v1) { return push(IN(void *, 0)); }
SAME(cuCtxPushCurrent_v2, cuCtxPushCurrent_v1)

ACT(cuCtxPopCurrent_v1) {
  if (!depth)
    return INVALID_CONTEXT;
  void *context = stack[--depth];
  if (IN(void **, 0))
    OUT(void *, 0) = context;
  return OK;
}
SAME(cuCtxPopCurrent_v2, cuCtxPopCurrent_v1)

ACT(cuCtxSetCurrent_v1) {
  if (depth)
    depth--;
  return IN(void *, 0) ? push(IN(void *, 0)) : OK;
}

ACT(cuCtxGetCurrent_v1) {
  NEEDS(0);
  OUT(void *, 0) = depth ? stack[depth - 1] : NULL;
  return OK;
}

ACT(cuCtxGetDevice_v1) {
  NEEDS(0);
  if (!depth)
    return INVALID_CONTEXT;
  OUT(int, 0) = 0;
  return OK;
}

ACT(cuCtxGetFlags_v1) {
  NEEDS(0);
  if (!depth)
    return INVALID_CONTEXT;
  OUT(unsigned, 0) = *context_flags(stack[depth - 1]);
  return OK;
}

ACT(cuCtxGetApiVersion_v1) {
  NEEDS(1);
  OUT(unsigned, 1) = 3020;
  return OK;
}

ACT(cuCtxGetId_v1) {
  NEEDS(1);
  OUT(uint64_t, 1) = (uintptr_t)(IN(void *, 0) ? IN(void *, 0) : depth ? stack[depth - 1] : NULL);
  return OK;
}

ACT(cuCtxSynchronize_v1) { return depth ? OK : INVALID_CONTEXT; }

ACT(cuDevicePrimaryCtxRetain_v1) {
  NEEDS(0);
  if (IN(int, 1))
    return INVALID_DEVICE;
  pthread_mutex_lock(&primary_lock);
  if (!primary) {
    primary = stub_object_new((unsigned)context_type());
    *context_flags(primary) = primary_flags;
  }
  primary_uses++;
  OUT(void *, 0) = primary;
  pthread_mutex_unlock(&primary_lock);
  return OK;
}

static int release_primary(int all) {
  int result = OK;
  pthread_mutex_lock(&primary_lock);
  if (all)
    primary_uses = 0;
  else if (primary_uses)
    primary_uses--;
  else
    result = INVALID_CONTEXT;
  if (!primary_uses && primary) {
    stub_object_end(primary, (unsigned)context_type());
    primary = NULL;
  }
  pthread_mutex_unlock(&primary_lock);
  return result;
}

ACT(cuDevicePrimaryCtxRelease_v1) { return IN(int, 0) ? INVALID_DEVICE : release_primary(0); }
SAME(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease_v1)
ACT(cuDevicePrimaryCtxReset_v1) { return IN(int, 0) ? INVALID_DEVICE : release_primary(1); }
SAME(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset_v1)

ACT(cuDevicePrimaryCtxSetFlags_v1) {
  primary_flags = IN(unsigned, 1);
  return IN(int, 0) ? INVALID_DEVICE : OK;
}
SAME(cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags_v1)

ACT(cuDevicePrimaryCtxGetState_v1) {
  NEEDS(1);
  NEEDS(2);
  OUT(unsigned, 1) = primary_flags;
  OUT(int, 2) = primary != NULL;
  return IN(int, 0) ? INVALID_DEVICE : OK;
}

ACT(cuCtxGetStreamPriorityRange_v1) {
  if (IN(int *, 0))
    OUT(int, 0) = 0;
  if (IN(int *, 1))
    OUT(int, 1) = -5;
  return OK;
}

/* ---- memory: host memory, a list of the blocks ---- */

struct block {
  struct block *next;
  char *start;
  size_t size;
  int low; /* mapped below 4 GiB, for the symbols whose device pointers have 32 bits */
};

static struct block *blocks;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

/* Only x86-64 has a flag that asks for it. Everywhere an address is given that was asked for, where it is free. */
static char *map_low(size_t size) {
  if (size >= UINT32_MAX)
    return NULL;
  for (uintptr_t wanted = 1u << 28; wanted < UINT32_MAX - size; wanted += 1u << 24) {
    char *start = mmap((void *)wanted, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
      return NULL;
    if ((uintptr_t)start + size <= UINT32_MAX)
      return start;
    munmap(start, size);
  }
  return NULL;
}

static int allocate(void **out, size_t size, int low) {
  if (!size)
    return INVALID_VALUE;
  struct block *block = calloc(1, sizeof *block);
  if (!block)
    return OUT_OF_MEMORY;
  if (low) {
    block->start = map_low(size);
  } else {
    block->start = aligned_alloc(256, (size + 255) / 256 * 256);
  }
  if (!block->start) {
    free(block);
    return OUT_OF_MEMORY;
  }
  block->size = size;
  block->low = low;
  pthread_mutex_lock(&blocks_lock);
  block->next = blocks;
  blocks = block;
  pthread_mutex_unlock(&blocks_lock);
  *out = block->start;
  return OK;
}

static int release(const void *start) {
  if (!start)
    return OK;
  pthread_mutex_lock(&blocks_lock);
  struct block **place = &blocks;
  while (*place && (*place)->start != start)
    place = &(*place)->next;
  struct block *block = *place;
  if (block)
    *place = block->next;
  pthread_mutex_unlock(&blocks_lock);
  if (!block)
    return INVALID_VALUE;
  if (block->low)
    munmap(block->start, block->size);
  else
    free(block->start);
  free(block);
  return OK;
}

/* Blocks of memory that were not freed. */
__attribute__((visibility("default"))) unsigned stub_blocks(void) {
  unsigned count = 0;
  pthread_mutex_lock(&blocks_lock);
  for (const struct block *block = blocks; block; block = block->next)
    count++;
  pthread_mutex_unlock(&blocks_lock);
  return count;
}

static int address_range(const char *pointer, char **start, size_t *size) {
  int result = INVALID_VALUE;
  pthread_mutex_lock(&blocks_lock);
  for (const struct block *block = blocks; block && result; block = block->next)
    if (pointer >= block->start && pointer < block->start + block->size) {
      *start = block->start;
      *size = block->size;
      result = OK;
    }
  pthread_mutex_unlock(&blocks_lock);
  return result;
}

static int copy(void *to, const void *from, size_t size) {
  if (size && (!to || !from))
    return INVALID_VALUE;
  memmove(to, from, size);
  return OK;
}

static int fill(void *to, const void *unit, size_t width, size_t count) {
  if (count && !to)
    return INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    memcpy((char *)to + i * width, unit, width);
  return OK;
}

static int fill2d(char *to, size_t pitch, const void *unit, size_t width, size_t columns, size_t rows) {
  int result = OK;
  for (size_t row = 0; row < rows && !result; row++)
    result = fill(to + row * pitch, unit, width, columns);
  return result;
}

#define POINTER(P, i) ((char *)(uintptr_t)IN(P, i))
#define ALLOC_PITCH(V, P, S, LOW)                                                \
  ACT(cuMemAllocPitch##V) {                                                      \
    NEEDS(0);                                                                    \
    NEEDS(1);                                                                    \
    void *start;                                                                 \
    size_t pitch = ((size_t)IN(S, 2) + 511) / 512 * 512;                         \
    int result = allocate(&start, pitch * IN(S, 3), LOW);                        \
    if (!result) {                                                               \
      OUT(P, 0) = (P)(uintptr_t)start;                                           \
      OUT(S, 1) = (S)pitch;                                                      \
    }                                                                            \
    return result;                                                               \
  }
#define ALLOC(NAME, P, S, LOW)                         \
  ACT(NAME) {                                          \
    NEEDS(0);                                          \
    void *start;                                       \
    int result = allocate(&start, IN(S, 1), LOW);      \
    if (!result)                                       \
      OUT(P, 0) = (P)(uintptr_t)start;                 \
    return result;                                     \
  }
#define FREE(NAME, P) \
  ACT(NAME) { return release(POINTER(P, 0)); }
#define RANGE(V, P, S)                                                        \
  ACT(cuMemGetAddressRange##V) {                                              \
    char *start;                                                              \
    size_t size;                                                              \
    int result = address_range(POINTER(P, 2), &start, &size);                 \
    if (!result && IN(P *, 0))                                                \
      OUT(P, 0) = (P)(uintptr_t)start;                                        \
    if (!result && IN(S *, 1))                                                \
      OUT(S, 1) = (S)size;                                                    \
    return result;                                                            \
  }
#define COPY(NAME, TO, FROM, S) \
  ACT(NAME) { return copy(POINTER(TO, 0), POINTER(FROM, 1), IN(S, 2)); }
#define FILL(NAME, P, UNIT, S) \
  ACT(NAME) { return fill(POINTER(P, 0), args[1], sizeof(UNIT), IN(S, 2)); }
#define FILL2D(NAME, P, UNIT, S) \
  ACT(NAME) { return fill2d(POINTER(P, 0), IN(S, 1), args[2], sizeof(UNIT), IN(S, 3), IN(S, 4)); }

/* The first version of each has 32-bit device pointers and sizes. */
#define MEMORY(V, P, S, LOW)                       \
  ALLOC(cuMemAlloc##V, P, S, LOW)                  \
  ALLOC_PITCH(V, P, S, LOW)                        \
  ALLOC(cuMemAllocHost##V, void *, S, 0)           \
  FREE(cuMemFree##V, P)                            \
  RANGE(V, P, S)                                   \
  COPY(cuMemcpyHtoD##V, P, const void *, S)        \
  COPY(cuMemcpyDtoH##V, const void *, P, S)        \
  COPY(cuMemcpyDtoD##V, P, P, S)                   \
  COPY(cuMemcpyHtoDAsync##V, P, const void *, S)   \
  COPY(cuMemcpyDtoHAsync##V, const void *, P, S)   \
  COPY(cuMemcpyDtoDAsync##V, P, P, S)              \
  FILL(cuMemsetD8##V, P, uint8_t, S)               \
  FILL(cuMemsetD16##V, P, uint16_t, S)             \
  FILL(cuMemsetD32##V, P, uint32_t, S)             \
  FILL2D(cuMemsetD2D8##V, P, uint8_t, S)           \
  FILL2D(cuMemsetD2D16##V, P, uint16_t, S)         \
  FILL2D(cuMemsetD2D32##V, P, uint32_t, S)

MEMORY(_v1, unsigned, unsigned, 1)
MEMORY(_v2, size_t, size_t, 0)
FILL(cuMemsetD8Async_v1, size_t, uint8_t, size_t)
FILL(cuMemsetD16Async_v1, size_t, uint16_t, size_t)
FILL(cuMemsetD32Async_v1, size_t, uint32_t, size_t)
FILL2D(cuMemsetD2D8Async_v1, size_t, uint8_t, size_t)
FILL2D(cuMemsetD2D16Async_v1, size_t, uint16_t, size_t)
FILL2D(cuMemsetD2D32Async_v1, size_t, uint32_t, size_t)
COPY(cuMemcpy_v1, size_t, size_t, size_t)
COPY(cuMemcpyAsync_v1, size_t, size_t, size_t)
ACT(cuMemcpyPeer_v1) { return copy(POINTER(size_t, 0), POINTER(size_t, 2), IN(size_t, 4)); }
SAME(cuMemcpyPeerAsync_v1, cuMemcpyPeer_v1)
ALLOC(cuMemHostAlloc_v1, void *, size_t, 0)
ALLOC(cuMemAllocManaged_v1, size_t, size_t, 0)
ALLOC(cuMemAllocAsync_v1, size_t, size_t, 0)
ALLOC(cuMemAllocFromPoolAsync_v1, size_t, size_t, 0)
FREE(cuMemFreeHost_v1, const void *)
FREE(cuMemFreeAsync_v1, size_t)

ACT(cuMemHostGetDevicePointer_v1) {
  NEEDS(0);
  OUT(unsigned, 0) = (unsigned)(uintptr_t)IN(void *, 1);
  return OK;
}
ACT(cuMemHostGetDevicePointer_v2) {
  NEEDS(0);
  OUT(void *, 0) = IN(void *, 1);
  return OK;
}
ACT(cuMemHostGetFlags_v1) {
  NEEDS(0);
  OUT(unsigned, 0) = 0;
  return OK;
}

/* ---- arrays and shaped copies ---- */

struct array {
  char *data;
  size_t width, height, depth, element; /* element: bytes of all its channels */
  unsigned format, channels, flags;
};

static struct array *array_of(const void *handle) {
  int type = stub_object_type(handle);
  return handle && type >= 0 && type == stub_object_row("CUarray") ? stub_object_data(handle) : NULL;
}

static int create_array(void **out, size_t width, size_t height, size_t depth, unsigned format, unsigned channels,
                        unsigned flags) {
  size_t bytes = format == 1 || format == 8 ? 1 : format == 2 || format == 9 || format == 16 ? 2 : 4;
  if (!out || !width || !channels)
    return INVALID_VALUE;
  void *handle = stub_object_new((unsigned)stub_object_row("CUarray"));
  if (!handle)
    return OUT_OF_MEMORY;
  struct array *array = stub_object_data(handle);
  array->width = width;
  array->height = height;
  array->depth = depth;
  array->element = bytes * channels;
  array->format = format;
  array->channels = channels;
  array->flags = flags;
  array->data = calloc((height ? height : 1) * (depth ? depth : 1), width * array->element);
  *out = handle;
  return array->data ? OK : OUT_OF_MEMORY;
}

#define ARRAY_CREATE(V)                                                                                          \
  ACT(cuArrayCreate##V) {                                                                                        \
    NEEDS(1);                                                                                                    \
    const CUDA_ARRAY_DESCRIPTOR##V *d = IN(void *, 1);                                                           \
    return create_array(IN(void **, 0), d->Width, d->Height, 0, (unsigned)d->Format, d->NumChannels, 0);         \
  }                                                                                                              \
  ACT(cuArray3DCreate##V) {                                                                                      \
    NEEDS(1);                                                                                                    \
    const CUDA_ARRAY3D_DESCRIPTOR##V *d = IN(void *, 1);                                                         \
    return create_array(IN(void **, 0), d->Width, d->Height, d->Depth, (unsigned)d->Format, d->NumChannels,      \
                        d->Flags);                                                                               \
  }                                                                                                              \
  ACT(cuArrayGetDescriptor##V) {                                                                                 \
    NEEDS(0);                                                                                                    \
    CUDA_ARRAY_DESCRIPTOR##V *d = IN(void *, 0);                                                                 \
    const struct array *array = array_of(IN(void *, 1));                                                         \
    if (!array)                                                                                                  \
      return INVALID_HANDLE;                                                                                     \
    memset(d, 0, sizeof *d);                                                                                     \
    d->Width = array->width;                                                                                     \
    d->Height = array->height;                                                                                   \
    d->Format = array->format;                                                                                   \
    d->NumChannels = array->channels;                                                                            \
    return OK;                                                                                                   \
  }                                                                                                              \
  ACT(cuArray3DGetDescriptor##V) {                                                                               \
    NEEDS(0);                                                                                                    \
    CUDA_ARRAY3D_DESCRIPTOR##V *d = IN(void *, 0);                                                               \
    const struct array *array = array_of(IN(void *, 1));                                                         \
    if (!array)                                                                                                  \
      return INVALID_HANDLE;                                                                                     \
    memset(d, 0, sizeof *d);                                                                                     \
    d->Width = array->width;                                                                                     \
    d->Height = array->height;                                                                                   \
    d->Depth = array->depth;                                                                                     \
    d->Format = array->format;                                                                                   \
    d->NumChannels = array->channels;                                                                            \
    d->Flags = array->flags;                                                                                     \
    return OK;                                                                                                   \
  }

ARRAY_CREATE(_v1)
ARRAY_CREATE(_v2)

ACT(cuArrayDestroy_v1) {
  struct array *array = array_of(IN(void *, 0));
  if (!array)
    return INVALID_HANDLE;
  free(array->data);
  return stub_object_end(IN(void *, 0), (unsigned)stub_object_row("CUarray"));
}

/* One end of a shaped copy: rows of bytes. */
struct end {
  char *start;
  size_t pitch, slice;
};

enum { HOST = 1, DEVICE = 2, ARRAY = 3, UNIFIED = 4 };

static int locate(struct end *end, unsigned kind, const void *host, size_t device, const void *array, size_t pitch,
                  size_t rows, size_t x, size_t y, size_t z) {
  if (kind == ARRAY) {
    const struct array *found = array_of(array);
    if (!found)
      return INVALID_HANDLE;
    end->start = found->data;
    end->pitch = found->width * found->element;
    end->slice = end->pitch * (found->height ? found->height : 1);
  } else if (kind == HOST || kind == DEVICE || kind == UNIFIED) {
    end->start = kind == HOST ? (char *)host : (char *)device;
    end->pitch = pitch;
    end->slice = pitch * rows;
    if (!end->start)
      return INVALID_VALUE;
  } else {
    return INVALID_VALUE;
  }
  end->start += z * end->slice + y * end->pitch + x;
  return OK;
}

static void copy_box(const struct end *to, const struct end *from, size_t width, size_t rows, size_t layers) {
  for (size_t layer = 0; layer < layers; layer++)
    for (size_t row = 0; row < rows; row++)
      memmove(to->start + layer * to->slice + row * to->pitch, from->start + layer * from->slice + row * from->pitch,
              width);
}

#define COPY2D(NAME, V)                                                                                          \
  ACT(NAME) {                                                                                                    \
    NEEDS(0);                                                                                                    \
    const CUDA_MEMCPY2D##V *c = IN(void *, 0);                                                                   \
    struct end to, from;                                                                                         \
    int result = locate(&from, (unsigned)c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray,                \
                        c->srcPitch ? c->srcPitch : c->WidthInBytes, 0, c->srcXInBytes, c->srcY, 0);             \
    if (!result)                                                                                                 \
      result = locate(&to, (unsigned)c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray,                    \
                      c->dstPitch ? c->dstPitch : c->WidthInBytes, 0, c->dstXInBytes, c->dstY, 0);               \
    if (!result)                                                                                                 \
      copy_box(&to, &from, c->WidthInBytes, c->Height, 1);                                                       \
    return result;                                                                                               \
  }
#define COPY3D(NAME, TYPE)                                                                                       \
  ACT(NAME) {                                                                                                    \
    NEEDS(0);                                                                                                    \
    const TYPE *c = IN(void *, 0);                                                                               \
    struct end to, from;                                                                                         \
    int result = locate(&from, (unsigned)c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray,                \
                        c->srcPitch ? c->srcPitch : c->WidthInBytes, c->srcHeight ? c->srcHeight : c->Height,    \
                        c->srcXInBytes, c->srcY, c->srcZ);                                                       \
    if (!result)                                                                                                 \
      result = locate(&to, (unsigned)c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray,                    \
                      c->dstPitch ? c->dstPitch : c->WidthInBytes, c->dstHeight ? c->dstHeight : c->Height,      \
                      c->dstXInBytes, c->dstY, c->dstZ);                                                         \
    if (!result)                                                                                                 \
      copy_box(&to, &from, c->WidthInBytes, c->Height, c->Depth);                                                \
    return result;                                                                                               \
  }

COPY2D(cuMemcpy2D_v1, _v1)
COPY2D(cuMemcpy2D_v2, _v2)
COPY2D(cuMemcpy2DUnaligned_v1, _v1)
COPY2D(cuMemcpy2DUnaligned_v2, _v2)
COPY2D(cuMemcpy2DAsync_v1, _v1)
COPY2D(cuMemcpy2DAsync_v2, _v2)
COPY3D(cuMemcpy3D_v1, CUDA_MEMCPY3D_v1)
COPY3D(cuMemcpy3D_v2, CUDA_MEMCPY3D_v2)
COPY3D(cuMemcpy3DAsync_v1, CUDA_MEMCPY3D_v1)
COPY3D(cuMemcpy3DAsync_v2, CUDA_MEMCPY3D_v2)

static int array_copy(const void *array, size_t offset, void *linear, size_t size, int to_array) {
  const struct array *found = array_of(array);
  if (!found)
    return INVALID_HANDLE;
  return to_array ? copy(found->data + offset, linear, size) : copy(linear, found->data + offset, size);
}

#define ARRAY_COPIES(V, P, S)                                                                                    \
  ACT(cuMemcpyHtoA##V) { return array_copy(IN(void *, 0), IN(S, 1), IN(void *, 2), IN(S, 3), 1); }               \
  ACT(cuMemcpyAtoH##V) { return array_copy(IN(void *, 1), IN(S, 2), IN(void *, 0), IN(S, 3), 0); }               \
  SAME(cuMemcpyHtoAAsync##V, cuMemcpyHtoA##V)                                                                    \
  SAME(cuMemcpyAtoHAsync##V, cuMemcpyAtoH##V)                                                                    \
  ACT(cuMemcpyDtoA##V) { return array_copy(IN(void *, 0), IN(S, 1), POINTER(P, 2), IN(S, 3), 1); }               \
  ACT(cuMemcpyAtoD##V) { return array_copy(IN(void *, 1), IN(S, 2), POINTER(P, 0), IN(S, 3), 0); }               \
  ACT(cuMemcpyAtoA##V) {                                                                                         \
    const struct array *to = array_of(IN(void *, 0));                                                            \
    return to ? array_copy(IN(void *, 2), IN(S, 3), to->data + IN(S, 1), IN(S, 4), 0) : INVALID_HANDLE;          \
  }

ARRAY_COPIES(_v1, unsigned, unsigned)
ARRAY_COPIES(_v2, size_t, size_t)

/* ---- modules ---- */

ACT(cuModuleGetGlobal_v1) { return NOT_FOUND; }
SAME(cuModuleGetGlobal_v2, cuModuleGetGlobal_v1)

ACT(cuFuncGetAttribute_v1) {
  NEEDS(0);
  OUT(int, 0) = IN(int, 1) == 0 ? 1024 : 0; /* CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK */
  return OK;
}

static const char cubin[] = "stub driver cubin";

ACT(cuLinkComplete_v1) {
  if (IN(void **, 1))
    OUT(const void *, 1) = cubin;
  if (IN(size_t *, 2))
    OUT(size_t, 2) = sizeof cubin;
  return OK;
}

/* ---- streams and events: everything is done at once ---- */

ACT(cuEventElapsedTime_v1) {
  NEEDS(0);
  OUT(float, 0) = 1.0f;
  return OK;
}
SAME(cuEventElapsedTime_v2, cuEventElapsedTime_v1)

ACT(cuStreamCreate_v1) {
  NEEDS(0);
  void *stream = stub_object_new((unsigned)stub_object_row("CUstream"));
  if (!stream)
    return OUT_OF_MEMORY;
  unsigned *data = stub_object_data(stream);
  data[0] = IN(unsigned, 1);
  OUT(void *, 0) = stream;
  return OK;
}

ACT(cuStreamCreateWithPriority_v1) {
  int result = act_cuStreamCreate_v1(args);
  if (!result)
    ((int *)stub_object_data(OUT(void *, 0)))[1] = IN(int, 2);
  return result;
}

static int stream_datum(const void *const *args, int which) {
  NEEDS(1);
  const int *data = stub_object_data(IN(void *, 0));
  OUT(int, 1) = data ? data[which] : 0;
  return OK;
}
ACT(cuStreamGetFlags_v1) { return stream_datum(args, 0); }
ACT(cuStreamGetPriority_v1) { return stream_datum(args, 1); }

ACT(cuStreamGetId_v1) {
  NEEDS(1);
  OUT(uint64_t, 1) = (uintptr_t)IN(void *, 0);
  return OK;
}

ACT(cuStreamGetCtx_v1) {
  NEEDS(1);
  if (!depth)
    return INVALID_CONTEXT;
  OUT(void *, 1) = stack[depth - 1];
  return OK;
}

ACT(cuStreamIsCapturing_v1) {
  NEEDS(1);
  OUT(int, 1) = 0;
  return OK;
}

/* ---- callbacks, on a thread of the driver's own as a driver has it ---- */

struct host_call {
  void (*function)(void *);
  void (*stream_function)(void *stream, int status, void *data);
  void *stream, *data;
};

static void *run_host_call(void *argument) {
  const struct host_call *call = argument;
  if (call->function)
    call->function(call->data);
  else
    call->stream_function(call->stream, OK, call->data);
  return NULL;
}

static int host_call(struct host_call call) {
  pthread_t thread;
  if (!call.function && !call.stream_function)
    return INVALID_VALUE;
  if (pthread_create(&thread, NULL, run_host_call, &call))
    return OUT_OF_MEMORY;
  pthread_join(thread, NULL);
  return OK;
}

ACT(cuLaunchHostFunc_v1) {
  return host_call((struct host_call){.function = IN(void (*)(void *), 1), .data = IN(void *, 2)});
}
SAME(cuLaunchHostFunc_v2, cuLaunchHostFunc_v1)

ACT(cuStreamAddCallback_v1) {
  return host_call((struct host_call){.stream_function = IN(void (*)(void *, int, void *), 1),
                                      .stream = IN(void *, 0),
                                      .data = IN(void *, 2)});
}

static int occupancy(const void *const *args) {
  size_t (*shared)(int) = IN(size_t(*)(int), 3);
  int limit = IN(int, 5), best = limit > 0 && limit < 256 ? limit : 256;
  NEEDS(0);
  NEEDS(1);
  OUT(int, 0) = shared ? (int)(65536 / (shared(best) + 1024)) : 64;
  OUT(int, 1) = best;
  return OK;
}
ACT(cuOccupancyMaxPotentialBlockSize_v1) { return occupancy(args); }
ACT(cuOccupancyMaxPotentialBlockSizeWithFlags_v1) { return occupancy(args); }

ACT(cuOccupancyMaxActiveBlocksPerMultiprocessor_v1) {
  NEEDS(0);
  OUT(int, 0) = 8;
  return OK;
}
SAME(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v1, cuOccupancyMaxActiveBlocksPerMultiprocessor_v1)

/* The destructor runs when the last reference goes; a reference that a graph holds is not followed. */
struct user_object {
  void (*destroy)(void *);
  void *data;
  unsigned references;
};

ACT(cuUserObjectCreate_v1) {
  NEEDS(0);
  void *handle = stub_object_new((unsigned)stub_object_row("CUuserObject"));
  if (!handle)
    return OUT_OF_MEMORY;
  struct user_object *object = stub_object_data(handle);
  object->data = IN(void *, 1);
  object->destroy = IN(void (*)(void *), 2);
  object->references = IN(unsigned, 3);
  OUT(void *, 0) = handle;
  return OK;
}

static struct user_object *user_object_of(const void *handle) {
  int type = stub_object_type(handle);
  return type >= 0 && type == stub_object_row("CUuserObject") ? stub_object_data(handle) : NULL;
}

ACT(cuUserObjectRetain_v1) {
  struct user_object *object = user_object_of(IN(void *, 0));
  if (!object)
    return INVALID_VALUE;
  __atomic_add_fetch(&object->references, IN(unsigned, 1), __ATOMIC_SEQ_CST);
  return OK;
}

ACT(cuUserObjectRelease_v1) {
  struct user_object *object = user_object_of(IN(void *, 0));
  if (!object)
    return INVALID_VALUE;
  if (__atomic_sub_fetch(&object->references, IN(unsigned, 1), __ATOMIC_SEQ_CST))
    return OK;
  struct host_call call = {.function = object->destroy, .data = object->data};
  stub_object_end(IN(void *, 0), (unsigned)stub_object_row("CUuserObject"));
  return host_call(call);
}
