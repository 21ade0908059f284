/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Of which CUDA release a libnvvm is. It is libnvvm.so.4 and says that its version is 2.0 whatever the release, and has
 * the same functions in several; what it compiles to says it, at the top: "Cuda compilation tools, release 12.4, V12.4.131".
 */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 65536 /* bytes, many times what it compiles to: a library that tells of more is not believed */

/* The least that is a module, without optimizing it: half a millisecond, once. */
static const char module[] = "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-"
                             "f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n"
                             "target triple = \"nvptx64-nvidia-cuda\"\n"
                             "!nvvmir.version = !{!0}\n"
                             "!0 = !{i32 2, i32 0}\n";

static int release_in(const char *ptx) {
  static const char before[] = "release ";
  int major, minor; /* of so few digits that nothing overflows */
  const char *found = strstr(ptx, before);
  return found && sscanf(found + sizeof before - 1, "%2d.%2d", &major, &minor) == 2 ? major * 1000 + minor * 10 : 0;
}

cs_release_of cs_nvvm_release;

int cs_nvvm_release(void *library, cs_address (*find)(void *library, const char *symbol)) {
  int (*create)(void **) = (int (*)(void **))find(library, "nvvmCreateProgram");
  int (*destroy)(void **) = (int (*)(void **))find(library, "nvvmDestroyProgram");
  int (*add)(void *, const char *, size_t, const char *) =
      (int (*)(void *, const char *, size_t, const char *))find(library, "nvvmAddModuleToProgram");
  int (*compile)(void *, int, const char **) = (int (*)(void *, int, const char **))find(library, "nvvmCompileProgram");
  int (*get_size)(void *, size_t *) = (int (*)(void *, size_t *))find(library, "nvvmGetCompiledResultSize");
  int (*get)(void *, char *) = (int (*)(void *, char *))find(library, "nvvmGetCompiledResult");
  void *program;
  if (!create || !destroy || !add || !compile || !get_size || !get || create(&program) != 0) return 0;
  const char *options[] = {"-opt=0"};
  size_t size = 0;
  int release = 0;
  if (add(program, module, sizeof module - 1, "release") == 0 && compile(program, 1, options) == 0 &&
      get_size(program, &size) == 0 && size <= MOST) {
    char *ptx = calloc(MOST + 1, 1); /* and not of the size: it may write more than it tells */
    if (ptx && get(program, ptx) == 0) release = release_in(ptx);
    free(ptx);
  }
  destroy(&program);
  return release;
}
