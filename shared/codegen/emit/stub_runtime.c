/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Records the calls of the stub driver and answers them as programmed. Tests reach the exported stub_* functions
 * through ctypes; a symbol is meant by its index (stub_find).
 *
 * A place in memory is described by a path of byte offsets that starts at the argument's own storage: every offset
 * but the last is where a pointer is read and followed. {0} is the argument itself, {0, 0} what it points to,
 * {0, 16, 0} what the third pointer of a void ** points to, {8, 0} what a pointer inside a by-value record points to.
 */
#define _GNU_SOURCE
#include "stub.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { RING = 8192, RAW = 512, PATH = 6, MAX_SYMBOLS = 1024 };

struct path {
  uint32_t offset[PATH];
  unsigned length;
};

struct program {
  struct program *next;
  unsigned parameter;
  struct path path;
  size_t size;
  unsigned char bytes[]; /* of an output */
};

struct state {
  volatile int special; /* programmed, delayed or with captures: has to take the slow way */
  int programmed;       /* `result` and `outputs` replace what the symbol would do */
  int result;
  unsigned delay_us;
  unsigned gate_ms; /* not 0: calls wait until the gate is opened, or for so long */
  int opened, waiting, timed_out;
  struct program *outputs;
  struct program *captures;
  uint64_t calls;
};

struct blob {
  size_t size;
  int present; /* 0: a pointer on the way was NULL */
  unsigned char bytes[];
};

struct record {
  uint64_t sequence; /* from 1 */
  uint64_t thread;
  uint32_t symbol;
  int32_t result;
  uint32_t ncaptured;
  struct blob **captured; /* as many as the symbol had captures */
  unsigned char raw[RAW];
};

static struct state states[MAX_SYMBOLS];
static struct record ring[RING];
static uint64_t last;
static volatile int recording = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gates = PTHREAD_COND_INITIALIZER;

static void *follow(const struct path *path, const void *storage) {
  const char *place = storage;
  for (unsigned i = 0; i + 1 < path->length; i++) {
    memcpy(&place, place + path->offset[i], sizeof place);
    if (!place)
      return NULL;
  }
  return (void *)(place + path->offset[path->length - 1]);
}

static void drop_captured(struct record *record) {
  for (uint32_t i = 0; i < record->ncaptured; i++)
    free(record->captured[i]);
  free(record->captured);
  record->captured = NULL;
  record->ncaptured = 0;
}

static void drop_programs(struct program **list) {
  while (*list) {
    struct program *program = *list;
    *list = program->next;
    free(program);
  }
}

static void capture(struct record *record, const struct program *list, const void *const *args) {
  unsigned count = 0;
  for (const struct program *p = list; p; p = p->next)
    count++;
  if (!count)
    return;
  record->captured = calloc(count, sizeof *record->captured);
  record->ncaptured = count;
  for (unsigned i = 0; list; list = list->next, i++) {
    const void *place = follow(&list->path, args[list->parameter]);
    struct blob *blob = calloc(1, sizeof *blob + list->size);
    blob->size = list->size;
    blob->present = place != NULL;
    if (place)
      memcpy(blob->bytes, place, list->size);
    record->captured[i] = blob;
  }
}

static int natural(const struct stub_symbol *symbol, const void *const *args) {
  if (symbol->act)
    return symbol->act(args);
  if (!symbol->object)
    return 0;
  const void *argument = args[symbol->object_parameter];
  if (symbol->object_ends)
    return stub_object_end(*(void *const *)argument, symbol->object - 1u);
  void **out = *(void **const *)argument;
  if (!out)
    return 1; /* CUDA_ERROR_INVALID_VALUE */
  *out = stub_object_new(symbol->object - 1u);
  return *out ? 0 : 2; /* CUDA_ERROR_OUT_OF_MEMORY */
}

/* With the lock. */
static void wait_at_gate(struct state *state) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += state->gate_ms / 1000;
  end.tv_nsec += (long)(state->gate_ms % 1000) * 1000000;
  if (end.tv_nsec >= 1000000000) {
    end.tv_sec++;
    end.tv_nsec -= 1000000000;
  }
  state->waiting++;
  while (!state->opened && !state->timed_out)
    if (pthread_cond_timedwait(&gates, &lock, &end))
      state->timed_out = 1;
  state->waiting--;
}

static int slow_call(unsigned index, const void *const *args) {
  const struct stub_symbol *symbol = &stub_symbols[index];
  struct state *state = &states[index];
  uint64_t sequence = 0;
  pthread_mutex_lock(&lock);
  state->calls++;
  if (recording) {
    sequence = ++last;
    struct record *record = &ring[sequence % RING];
    drop_captured(record);
    record->sequence = sequence;
    record->thread = (uint64_t)syscall(SYS_gettid);
    record->symbol = index;
    record->result = 0;
    for (unsigned i = 0; i < symbol->count; i++) {
      const struct stub_parameter *parameter = &stub_parameters[symbol->first + i];
      memcpy(record->raw + parameter->offset, args[i], parameter->size);
    }
    capture(record, state->captures, args);
  }
  int programmed = state->programmed;
  int result = state->result;
  unsigned delay = state->delay_us;
  if (programmed)
    for (const struct program *p = state->outputs; p; p = p->next) {
      void *place = follow(&p->path, args[p->parameter]);
      if (place)
        memcpy(place, p->bytes, p->size);
    }
  if (state->gate_ms)
    wait_at_gate(state);
  pthread_mutex_unlock(&lock);
  if (delay) {
    struct timespec time = {delay / 1000000, (long)(delay % 1000000) * 1000};
    nanosleep(&time, NULL);
  }
  if (!programmed)
    result = natural(symbol, args);
  if (sequence) {
    pthread_mutex_lock(&lock);
    struct record *record = &ring[sequence % RING];
    if (record->sequence == sequence)
      record->result = result;
    pthread_mutex_unlock(&lock);
  }
  return result;
}

int stub_call(unsigned index, const void *const *args) {
  if (__builtin_expect(recording | states[index].special, 0))
    return slow_call(index, args);
  return natural(&stub_symbols[index], args);
}

/* ---- control, for ctypes ---- */

EXPORT unsigned stub_count(void) { return stub_nsymbols; }
EXPORT const char *stub_name(unsigned symbol) { return symbol < stub_nsymbols ? stub_symbols[symbol].name : NULL; }
EXPORT unsigned stub_parameter_count(unsigned symbol) { return stub_symbols[symbol].count; }

EXPORT int stub_find(const char *name) {
  for (unsigned i = 0; i < stub_nsymbols; i++)
    if (!strcmp(stub_symbols[i].name, name))
      return (int)i;
  return -1;
}

EXPORT unsigned stub_parameter_size(unsigned symbol, unsigned parameter) {
  return stub_parameters[stub_symbols[symbol].first + parameter].size;
}

EXPORT unsigned stub_parameter_offset(unsigned symbol, unsigned parameter) {
  return stub_parameters[stub_symbols[symbol].first + parameter].offset;
}

/* With recording off, a call that has no program costs what its behaviour costs. */
EXPORT void stub_record(int on) { recording = on; }

/* Forgets what was recorded and everything that was programmed; objects stay alive. */
EXPORT void stub_reset(void) {
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < stub_nsymbols; i++) {
    drop_programs(&states[i].outputs);
    drop_programs(&states[i].captures);
    memset(&states[i], 0, sizeof states[i]);
  }
  for (unsigned i = 0; i < RING; i++) {
    drop_captured(&ring[i]);
    ring[i].sequence = 0;
  }
  last = 0;
  recording = 1;
  pthread_mutex_unlock(&lock);
}

static void refresh(struct state *state) {
  state->special = state->programmed || state->captures || state->delay_us || state->gate_ms;
}

static int add_program(struct program **list, unsigned symbol, unsigned parameter, const uint32_t *path,
                       unsigned length, const void *bytes, size_t size) {
  if (symbol >= stub_nsymbols || parameter >= stub_symbols[symbol].count || !length || length > PATH)
    return -1;
  struct program *program = calloc(1, sizeof *program + (bytes ? size : 0));
  program->parameter = parameter;
  memcpy(program->path.offset, path, length * sizeof *path);
  program->path.length = length;
  program->size = size;
  if (bytes)
    memcpy(program->bytes, bytes, size);
  while (*list)
    list = &(*list)->next;
  *list = program;
  return 0;
}

/* From now on the symbol only writes its programmed outputs and returns `result`. */
EXPORT void stub_set_result(unsigned symbol, int result) {
  pthread_mutex_lock(&lock);
  states[symbol].programmed = 1;
  states[symbol].result = result;
  refresh(&states[symbol]);
  pthread_mutex_unlock(&lock);
}

EXPORT int stub_add_output(unsigned symbol, unsigned parameter, const uint32_t *path, unsigned length,
                           const void *bytes, size_t size) {
  pthread_mutex_lock(&lock);
  int failed = add_program(&states[symbol].outputs, symbol, parameter, path, length, bytes, size);
  states[symbol].programmed = 1;
  refresh(&states[symbol]);
  pthread_mutex_unlock(&lock);
  return failed;
}

/* Copies `size` bytes at every call, before anything is written. Answers the capture's number, or -1. */
EXPORT int stub_add_capture(unsigned symbol, unsigned parameter, const uint32_t *path, unsigned length, size_t size) {
  pthread_mutex_lock(&lock);
  int number = -1;
  if (!add_program(&states[symbol].captures, symbol, parameter, path, length, NULL, size))
    for (const struct program *p = states[symbol].captures; p; p = p->next)
      number++;
  refresh(&states[symbol]);
  pthread_mutex_unlock(&lock);
  return number;
}

EXPORT void stub_set_delay(unsigned symbol, unsigned microseconds) {
  pthread_mutex_lock(&lock);
  states[symbol].delay_us = microseconds;
  refresh(&states[symbol]);
  pthread_mutex_unlock(&lock);
}

/* Calls wait until the gate is opened, at most for so long; 0: there is no gate. */
EXPORT void stub_set_gate(unsigned symbol, unsigned milliseconds) {
  pthread_mutex_lock(&lock);
  states[symbol].gate_ms = milliseconds;
  states[symbol].opened = states[symbol].timed_out = 0;
  refresh(&states[symbol]);
  pthread_mutex_unlock(&lock);
}

EXPORT void stub_open_gate(unsigned symbol) {
  pthread_mutex_lock(&lock);
  states[symbol].opened = 1;
  pthread_cond_broadcast(&gates);
  pthread_mutex_unlock(&lock);
}

EXPORT int stub_waiting(unsigned symbol) {
  pthread_mutex_lock(&lock);
  int waiting = states[symbol].waiting;
  pthread_mutex_unlock(&lock);
  return waiting;
}

EXPORT int stub_timed_out(unsigned symbol) {
  pthread_mutex_lock(&lock);
  int timed_out = states[symbol].timed_out;
  pthread_mutex_unlock(&lock);
  return timed_out;
}

/* Back to what the symbol does by itself. */
EXPORT void stub_clear(unsigned symbol) {
  pthread_mutex_lock(&lock);
  drop_programs(&states[symbol].outputs);
  drop_programs(&states[symbol].captures);
  states[symbol].programmed = states[symbol].result = 0;
  states[symbol].delay_us = states[symbol].gate_ms = 0;
  refresh(&states[symbol]);
  pthread_mutex_unlock(&lock);
}

/* Calls of one symbol that took the slow way since the last reset: all, while recording is on. */
EXPORT uint64_t stub_calls(unsigned symbol) { return states[symbol].calls; }
EXPORT uint64_t stub_last(void) { return last; }

struct stub_recorded {
  uint64_t sequence;
  uint64_t thread;
  uint32_t symbol;
  int32_t result;
  uint32_t ncaptured;
  unsigned char raw[RAW];
};

/* 0 where the ring no longer has it. */
EXPORT int stub_read(uint64_t sequence, struct stub_recorded *out) {
  pthread_mutex_lock(&lock);
  const struct record *record = &ring[sequence % RING];
  int found = sequence && record->sequence == sequence;
  if (found) {
    out->sequence = record->sequence;
    out->thread = record->thread;
    out->symbol = record->symbol;
    out->result = record->result;
    out->ncaptured = record->ncaptured;
    memcpy(out->raw, record->raw, RAW);
  }
  pthread_mutex_unlock(&lock);
  return found;
}

/* Size of a capture, copied to `buffer` if that is not NULL; -1 where there is none, -2 where a pointer was NULL. */
EXPORT int64_t stub_captured(uint64_t sequence, unsigned number, void *buffer) {
  pthread_mutex_lock(&lock);
  const struct record *record = &ring[sequence % RING];
  int64_t size = -1;
  if (sequence && record->sequence == sequence && number < record->ncaptured) {
    const struct blob *blob = record->captured[number];
    size = blob->present ? (int64_t)blob->size : -2;
    if (blob->present && buffer)
      memcpy(buffer, blob->bytes, blob->size);
  }
  pthread_mutex_unlock(&lock);
  return size;
}

/* ---- objects ---- */

enum { OBJECTS = 65536, OBJECT_SIZE = 64 };

struct object {
  int32_t type; /* row in stub_objects + 1; 0: free */
  int32_t next_free;
  uint64_t pad;
  unsigned char data[OBJECT_SIZE];
};

static struct object objects[OBJECTS];
static int first_free = -1;
static int used;
static int alive[256];
static pthread_mutex_t objects_lock = PTHREAD_MUTEX_INITIALIZER;

static struct object *object_of(const void *handle) {
  uintptr_t offset = (uintptr_t)handle - (uintptr_t)objects;
  if (offset >= sizeof objects || offset % sizeof(struct object))
    return NULL;
  struct object *object = &objects[offset / sizeof(struct object)];
  return object->type ? object : NULL;
}

void *stub_object_new(unsigned type) {
  struct object *object = NULL;
  pthread_mutex_lock(&objects_lock);
  if (first_free >= 0) {
    object = &objects[first_free];
    first_free = object->next_free;
  } else if (used < OBJECTS) {
    object = &objects[used++];
  }
  if (object) {
    memset(object, 0, sizeof *object);
    object->type = (int32_t)type + 1;
    alive[type]++;
  }
  pthread_mutex_unlock(&objects_lock);
  return object;
}

int stub_object_end(void *handle, unsigned type) {
  int result = 400; /* CUDA_ERROR_INVALID_HANDLE */
  pthread_mutex_lock(&objects_lock);
  struct object *object = object_of(handle);
  if (object && object->type == (int32_t)type + 1) {
    object->type = 0;
    object->next_free = first_free;
    first_free = (int)(object - objects);
    alive[type]--;
    result = 0;
  }
  pthread_mutex_unlock(&objects_lock);
  return result;
}

int stub_object_type(const void *handle) {
  const struct object *object = object_of(handle);
  return object ? object->type - 1 : -1;
}

void *stub_object_data(const void *handle) {
  struct object *object = object_of(handle);
  return object ? object->data : NULL;
}

int stub_object_row(const char *type) {
  for (unsigned i = 0; i < stub_nobjects; i++)
    if (!strcmp(stub_objects[i], type))
      return (int)i;
  return -1;
}

/* How many handles of a type are alive; -1 for a type that is not counted. */
EXPORT int stub_alive(const char *type) {
  int row = stub_object_row(type);
  return row < 0 ? -1 : alive[row];
}
