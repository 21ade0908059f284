/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Find the library, resolve a symbol once, tell why not.
 */
#ifndef _WIN32
#define _GNU_SOURCE
#include <dlfcn.h>
#else
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif
#include "engine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

_Atomic(cs_address) *cs_slots;
PyObject *cs_FunctionNotFoundError;
PyObject *cs_LibraryNotFoundError;

#define PATH_SIZE 4096
#ifdef _WIN32
#define THIS_PLATFORM CS_WINDOWS_ONLY /* the flag that says nothing here */
#else
#define THIS_PLATFORM CS_LINUX_ONLY
#endif
#define MAX_TRIED 4

static _Atomic(void *) library; /* set once, never closed: addresses are kept for ever */
static PyThread_type_lock lock;
static char library_path[PATH_SIZE];
static struct {
  char name[512];
  char error[1024];
} tried[MAX_TRIED];
static int ntried;

#ifndef _WIN32
static void *open_library(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
static cs_address find_symbol(void *handle, const char *symbol) {
  union {
    void *object;
    cs_address function;
  } both = {dlsym(handle, symbol)}; /* POSIX gives the address of a function as a void * */
  return both.function;
}
static void last_error(char *out, size_t size) {
  const char *text = dlerror();
  snprintf(out, size, "%s", text ? text : "unknown error");
}
static void find_path(void *handle, cs_address some, char *out, size_t size) {
  (void)handle;
  Dl_info info;
  union {
    cs_address function;
    void *object;
  } both = {some};
  if (some && dladdr(both.object, &info) && info.dli_fname) {
    char real[PATH_SIZE];
    snprintf(out, size, "%s", realpath(info.dli_fname, real) ? real : info.dli_fname);
  }
}
static void close_library(void *handle) { dlclose(handle); }
#else
static void *open_library(const char *name) {
  /* A bare name is looked for in the system folder only, an absolute path is taken as it is. */
  bool absolute = strchr(name, '\\') || strchr(name, '/');
  wchar_t wide[PATH_SIZE];
  if (!MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, PATH_SIZE)) return NULL;
  return LoadLibraryExW(wide, NULL, absolute ? LOAD_WITH_ALTERED_SEARCH_PATH : LOAD_LIBRARY_SEARCH_SYSTEM32);
}
static cs_address find_symbol(void *handle, const char *symbol) {
  return (cs_address)GetProcAddress((HMODULE)handle, symbol);
}
static void last_error(char *out, size_t size) { snprintf(out, size, "error %lu", (unsigned long)GetLastError()); }
static void find_path(void *handle, cs_address some, char *out, size_t size) {
  (void)some;
  wchar_t wide[PATH_SIZE];
  if (GetModuleFileNameW((HMODULE)handle, wide, PATH_SIZE))
    WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, (int)size, NULL, NULL);
}
static void close_library(void *handle) { FreeLibrary((HMODULE)handle); }
#endif

int cs_symbols_init(void) {
  if (cs_slots) return 0;
  lock = PyThread_allocate_lock();
  cs_slots = calloc(cs_library.nfuncs ? cs_library.nfuncs : 1, sizeof *cs_slots);
  if (!lock || !cs_slots) {
    PyErr_NoMemory();
    return -1;
  }
  return 0;
}

/* One candidate: a library that opens and has the symbol that tells it is the right kind. Without the GIL, under the lock. */
static void *try_library(const char *name) {
  if (ntried == MAX_TRIED) return NULL;
  snprintf(tried[ntried].name, sizeof tried[ntried].name, "%s", name);
  void *handle = open_library(name);
  if (!handle) {
    last_error(tried[ntried].error, sizeof tried[ntried].error);
    ntried++;
    return NULL;
  }
  cs_address some = find_symbol(handle, cs_library.version_symbol);
  if (!some) {
    snprintf(tried[ntried].error, sizeof tried[ntried].error, "the file was loaded but is not %s: it has no symbol %s",
             cs_library.title, cs_library.version_symbol);
    ntried++;
    close_library(handle);
    return NULL;
  }
  find_path(handle, some, library_path, sizeof library_path);
  return handle;
}

/* The library's handle, or NULL. Opening may take long and runs constructors, so not under the GIL. */
static void *load_library(void) {
  void *handle = atomic_load_explicit(&library, memory_order_acquire);
  if (CS_LIKELY(handle != NULL)) return handle;
  PyThreadState *state = PyEval_SaveThread();
  PyThread_acquire_lock(lock, WAIT_LOCK);
  handle = atomic_load_explicit(&library, memory_order_acquire);
  if (!handle) {
    ntried = 0; /* a library that was missing may have been installed since */
    const char *chosen = getenv(cs_library.path_variable);
    if (chosen && *chosen) {
      handle = try_library(chosen);
    } else {
#ifdef _WIN32
      handle = try_library(cs_library.soname_windows);
#else
      handle = try_library(cs_library.soname);
#endif
    }
    if (handle) atomic_store_explicit(&library, handle, memory_order_release);
  }
  PyThread_release_lock(lock);
  PyEval_RestoreThread(state);
  return handle;
}

cs_address cs_find(uint16_t row, bool load) {
  cs_address address = atomic_load_explicit(&cs_slots[row], memory_order_acquire);
  if (address) return address;
  void *handle = load ? load_library() : atomic_load_explicit(&library, memory_order_acquire);
  if (!handle) return NULL;
  address = find_symbol(handle, CS_STR(cs_funcs[row].symbol));
  if (address) atomic_store_explicit(&cs_slots[row], address, memory_order_release);
  return address;
}

/* What the library says it supports, 12040; 0 where it does not answer. */
static int library_version(void) {
  void *handle = load_library();
  if (!handle) return 0;
  union {
    cs_address address;
    int (*call)(int *);
  } get = {find_symbol(handle, cs_library.version_symbol)};
  int version = 0, status;
  Py_BEGIN_ALLOW_THREADS
  status = get.call(&version);
  Py_END_ALLOW_THREADS
  return status == 0 ? version : 0;
}

static void raise_library_not_found(const char *wanted) {
  char text[4096];
  size_t used = 0;
  if (wanted)
    used = (size_t)snprintf(text, sizeof text, "%s needs %s, which could not be loaded. Tried:", wanted, cs_library.title);
  else
    used = (size_t)snprintf(text, sizeof text, "%s could not be loaded. Tried:", cs_library.title);
  for (int i = 0; i < ntried && used < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "\n  %s: %s", tried[i].name, tried[i].error);
  if (used < sizeof text)
    snprintf(text + used, sizeof text - used, "\n(%s names a file to load instead.)", cs_library.path_variable);
  PyErr_SetString(cs_LibraryNotFoundError, text);
}

static void raise_function_not_found(uint16_t row) {
  const struct cs_func *func = &cs_funcs[row];
  char needed[16], has[32];
  cs_format_release(func->introduced, needed);
  int version = library_version();
  if (version) {
    char release[16];
    cs_format_release((uint16_t)version, release);
    snprintf(has, sizeof has, "CUDA %s", release);
  } else {
    snprintf(has, sizeof has, "an unknown version");
  }
  /* The newest older version of the same API that this library has is what can be used instead. */
  const struct cs_func *instead = NULL;
  for (uint16_t i = 0; i < cs_library.nfuncs; i++) {
    const struct cs_func *other = &cs_funcs[i];
    if (other->base == func->base && other->stream == func->stream && other->version < func->version &&
        (!instead || other->version > instead->version) && cs_find(i, true))
      instead = other;
  }
  const char *name = func->plain ? CS_STR(func->plain) : CS_STR(func->name);
  char advice[256];
  if (instead) {
    char since[16];
    cs_format_release(instead->introduced, since);
    snprintf(advice, sizeof advice, "Use %s (CUDA %s), or install a driver for CUDA %s or newer.", CS_STR(instead->name), since, needed);
  } else if (func->flags & (CS_WINDOWS_ONLY | CS_LINUX_ONLY) & ~THIS_PLATFORM) {
    snprintf(advice, sizeof advice, "It exists on %s only.", func->flags & CS_WINDOWS_ONLY ? "Windows" : "Linux");
  } else if (version >= func->introduced) {
    snprintf(advice, sizeof advice, "This library does not offer it on this platform.");
  } else {
    snprintf(advice, sizeof advice, "Install a driver for CUDA %s or newer.", needed);
  }
  PyErr_Format(cs_FunctionNotFoundError, "%s was introduced with CUDA %s; %s supports %s and has no symbol %s. %s", name, needed,
               library_path[0] ? library_path : cs_library.title, has, CS_STR(func->symbol), advice);
}

cs_address cs_resolve(uint16_t row) {
  cs_address address = cs_find(row, true);
  if (CS_LIKELY(address != NULL)) return address;
  if (!atomic_load_explicit(&library, memory_order_acquire)) {
    const struct cs_func *func = &cs_funcs[row];
    raise_library_not_found(func->plain ? CS_STR(func->plain) : CS_STR(func->name));
  } else {
    raise_function_not_found(row);
  }
  return NULL;
}

cs_address cs_resolve_anywhere(uint16_t row) {
  cs_address found = cs_find(row, false); /* once the library is loaded, what it has is found without Python */
  if (CS_LIKELY(found != NULL)) return found;
  PyGILState_STATE state = PyGILState_Ensure();
  cs_address address = cs_resolve(row);
  PyGILState_Release(state);
  return address;
}

PyObject *cs_library_info(void) {
  bool loaded = load_library() != NULL;
  PyObject *failures = PyList_New(0);
  if (!failures) return NULL;
  for (int i = 0; i < ntried; i++) {
    PyObject *pair = Py_BuildValue("(ss)", tried[i].name, tried[i].error);
    if (!pair || PyList_Append(failures, pair) < 0) {
      Py_XDECREF(pair);
      Py_DECREF(failures);
      return NULL;
    }
    Py_DECREF(pair);
  }
  int version = loaded ? library_version() : 0;
  PyObject *number = version ? PyLong_FromLong(version) : Py_NewRef(Py_None);
  if (!number) {
    Py_DECREF(failures);
    return NULL;
  }
  return Py_BuildValue("{s:O,s:z,s:N,s:N}", "loaded", loaded ? Py_True : Py_False, "path", loaded ? library_path : NULL, "version",
                       number, "tried", failures);
}
