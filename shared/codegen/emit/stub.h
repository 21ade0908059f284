/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the three parts of the stub driver know of each other: the generated symbols (stub_symbols.c), the recorder
 * (stub_runtime.c) and what symbols do when nothing is programmed (stub_behaviour.c).
 */
#ifndef STUB_H
#define STUB_H

#include <stddef.h>
#include <stdint.h>

/* Arguments in C order, each by the address of its storage. */
typedef int stub_act(const void *const *args);

struct stub_parameter {
  const char *name;
  uint16_t size;   /* of the argument itself: 8 for a pointer, the whole record where it is passed by value */
  uint16_t offset; /* of its bytes in a recorded call */
};

struct stub_symbol {
  const char *name;
  const char *base;
  void (*address)(void);
  stub_act *act;           /* NULL: make or end an object if there is one, and succeed */
  uint16_t first;          /* in stub_parameters */
  uint16_t introduced;     /* CUDA_VERSION */
  uint8_t count;           /* of parameters */
  uint8_t version;         /* N of _vN */
  uint8_t stream;          /* 0, 1 = ptds, 2 = ptsz */
  uint8_t object;          /* row in stub_objects + 1 of what the symbol makes or ends; 0: neither */
  uint8_t object_parameter;
  uint8_t object_ends;
};

struct stub_error {
  int value;
  const char *name;
};

extern const struct stub_symbol stub_symbols[];
extern const struct stub_parameter stub_parameters[];
extern const unsigned stub_nsymbols;
extern const struct stub_error stub_errors[];
extern const unsigned stub_nerrors;
extern const char *const stub_objects[]; /* names of handle types */
extern const unsigned stub_nobjects;
extern const int stub_driver_version;

/* Every exported symbol calls this and nothing else. */
int stub_call(unsigned symbol, const void *const *args);

/* Handles: numbered things that count as alive until they are ended. */
void *stub_object_new(unsigned type);
int stub_object_end(void *handle, unsigned type); /* 0, or CUDA_ERROR_INVALID_HANDLE */
int stub_object_type(const void *handle);         /* -1: not alive */
void *stub_object_data(const void *handle);       /* 64 bytes that belong to the handle, zero at first */
int stub_object_row(const char *type);

#endif
