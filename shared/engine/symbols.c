/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Find the library, resolve a symbol once, tell why not.
 */
#include "engine.h" /* first, as it brings Python.h, which says what the headers of the C library show */

#ifndef _WIN32
#include <dlfcn.h>
#include <unistd.h>
#else
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

_Atomic(cs_address) *cs_slots;
PyObject *cs_FunctionNotFoundError;
PyObject *cs_LibraryNotFoundError;
PyObject *cs_finder;

#define PATH_SIZE 4096
#ifdef _WIN32
#define THIS_PLATFORM CS_WINDOWS_ONLY /* the flag that says nothing here */
#else
#define THIS_PLATFORM CS_LINUX_ONLY
#endif
#define MAX_TRIED 4

static _Atomic(void *) library; /* set once, never closed: addresses are kept for ever */
static PyThread_type_lock lock;
static char library_path[PATH_SIZE]; /* written before `library` is */
static int library_release;          /* the same; 0: not known yet */

struct tried {
  int count;
  struct {
    char name[PATH_SIZE];
    char error[1024];
  } of[MAX_TRIED];
};
static struct tried tried; /* under `lock` */

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
static long process(void) { return (long)getpid(); }
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
static long process(void) { return 0; } /* it has no forks */
#endif

/* With the GIL, which is let go. After a fork the thread that held the lock, as it loads the library, is not in the child. */
static PyThreadState *take_lock(void) {
  static long owner;
  if (owner != process()) {
    PyThread_type_lock fresh = owner ? PyThread_allocate_lock() : NULL;
    if (fresh) lock = fresh;
    owner = process();
  }
  PyThreadState *state = PyEval_SaveThread();
  PyThread_acquire_lock(lock, WAIT_LOCK);
  return state;
}

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

#define SYMBOL_SIZE 256

/* The first of several names, which `symbols` has with spaces between, and where the next one is; NULL after the last. */
static const char *first_symbol(const char *symbols, char out[SYMBOL_SIZE]) {
  const char *space = strchr(symbols, ' ');
  snprintf(out, SYMBOL_SIZE, "%.*s", space ? (int)(space - symbols) : (int)strlen(symbols), symbols);
  return space ? space + 1 : NULL;
}

/* A function may have other symbols in older libraries: the row has them all, newest first. `out` gets the one that is found. */
static cs_address find_named(void *handle, const char *symbols, char out[SYMBOL_SIZE]) {
  cs_address found = NULL;
  while (!found && symbols) {
    symbols = first_symbol(symbols, out);
    found = find_symbol(handle, out);
  }
  return found;
}

static cs_address find_any(void *handle, const char *symbols) {
  if (CS_LIKELY(!strchr(symbols, ' '))) return find_symbol(handle, symbols);
  char symbol[SYMBOL_SIZE];
  return find_named(handle, symbols, symbol);
}

/* A release as a number, 12040; 0, which is not known, for what none can be: a library may say anything. */
static int release_number(long long major, long long minor) {
  return major > 0 && major <= UINT16_MAX / 1000 - 1 && minor >= 0 && minor < 100 ? (int)(major * 1000 + minor * 10) : 0;
}

/* nvJitLink cannot be asked before 12.3, but the newest symbol that it has of a function tells: __nvJitLinkCreate_12_0. */
static int version_by_symbol(void *handle, cs_address *some) {
  char symbol[SYMBOL_SIZE];
  for (uint16_t i = 0; i < cs_library.nfuncs; i++) {
    const char *symbols = CS_STR(cs_funcs[i].symbol);
    if (!strchr(symbols, ' ') || !(*some = find_named(handle, symbols, symbol))) continue;
    int major, minor;
    const char *minor_at = strrchr(symbol, '_'), *major_at = minor_at;
    while (major_at && major_at > symbol && *--major_at != '_') {}
    return major_at && sscanf(major_at, "_%d_%d", &major, &minor) == 2 ? release_number(major, minor) : 0;
  }
  return 0;
}

/* What the library says it is, 12040; 0 where that is not known. `some` is a function of it; NULL where it is another library. */
static int ask_version(void *handle, cs_address *some) {
  union {
    cs_address address;
    int (*number)(int *);
    int (*parts)(int *, int *);
  } get = {find_any(handle, cs_library.version_symbol)};
  *some = get.address;
  int major = 0, minor = 0;
  if (get.address && cs_library.release_of) return cs_library.release_of(handle, find_symbol);
  if (!get.address) return version_by_symbol(handle, some);
  if (cs_library.version_in_parts) return get.parts(&major, &minor) == 0 ? release_number(major, minor) : 0;
  return get.number(&major) == 0 ? release_number(major / 1000, major % 1000 / 10) : 0;
}

/* One candidate: a library that opens, is of the right kind and of the right major. Without the GIL, under the lock. */
static void *try_library(const char *name) {
  if (tried.count == MAX_TRIED) return NULL;
  char *error = tried.of[tried.count].error;
  size_t size = sizeof tried.of[0].error;
  snprintf(tried.of[tried.count].name, PATH_SIZE, "%s", name);
  /* A bare name is one that the system finds and keeps whole. */
  bool whole = !strchr(name, '/') || cs_file_is_whole(name);
  void *handle = whole ? open_library(name) : NULL;
  if (!handle) {
    if (whole) last_error(error, size);
    else
      snprintf(error, size, "the file is truncated: it is shorter than its own headers say");
    tried.count++;
    return NULL;
  }
  cs_address some = find_any(handle, cs_library.version_symbol);
  int version = cs_library.major ? ask_version(handle, &some) : 0;
  if (!some) {
    snprintf(error, size, "the file was loaded but is not %s: it has no symbol %s", cs_library.title, cs_library.version_symbol);
  } else if (cs_library.major && !version && !cs_library.release_of) {
    snprintf(error, size, "the file was loaded but does not tell of which CUDA release it is, and this package is for CUDA %d", cs_library.major);
  } else if (cs_library.major && version && version / 1000 != cs_library.major) {
    snprintf(error, size, "the file was loaded but is of CUDA %d.%d, and this package is for CUDA %d", version / 1000, version % 1000 / 10,
             cs_library.major);
  } else {
    find_path(handle, some, library_path, sizeof library_path);
    library_release = version;
    return handle;
  }
  tried.count++;
  close_library(handle);
  return NULL;
}

/* Files to try, in order: what the package's finder says, or what the environment names, or the soname. NULL with an exception. */
static PyObject *candidates(void) {
  if (cs_finder) {
    PyObject *found = PyObject_CallNoArgs(cs_finder);
    PyObject *list = found ? PySequence_List(found) : NULL;
    Py_XDECREF(found);
    for (Py_ssize_t i = 0; list && i < PyList_Size(list); i++) {
      PyObject *path;
      if (!PyUnicode_FSConverter(PyList_GetItem(list, i), &path) || PyList_SetItem(list, i, path) < 0) Py_CLEAR(list);
    }
    return list;
  }
  const char *chosen = getenv(cs_library.path_variable); /* under the GIL: os.environ writes under it too */
  if (chosen && *chosen) return Py_BuildValue("[N]", PyBytes_FromString(chosen));
#ifdef _WIN32
  return Py_BuildValue("[N]", PyBytes_FromString(cs_library.soname_windows));
#else
  return Py_BuildValue("[N]", PyBytes_FromString(cs_library.soname));
#endif
}

/* The library's handle; NULL where there is none, perhaps with an exception of the finder. Opening may take long and runs
 * constructors, so not under the GIL. */
static void *load_library(void) {
  void *handle = atomic_load_explicit(&library, memory_order_acquire);
  if (CS_LIKELY(handle != NULL)) return handle;
  PyObject *names = candidates();
  if (!names) return NULL;
  PyThreadState *state = take_lock();
  handle = atomic_load_explicit(&library, memory_order_acquire);
  if (!handle) tried.count = 0; /* a library that was missing may have been installed since */
  PyEval_RestoreThread(state);
  for (Py_ssize_t i = 0; !handle && i < PyList_Size(names); i++) {
    const char *name = PyBytes_AsString(PyList_GetItem(names, i));
    Py_BEGIN_ALLOW_THREADS
    handle = try_library(name);
    if (handle) atomic_store_explicit(&library, handle, memory_order_release);
    Py_END_ALLOW_THREADS
  }
  PyThread_release_lock(lock);
  Py_DECREF(names);
  return handle;
}

/* A copy that no other thread writes to; PyMem_Free it. NULL with MemoryError. */
static struct tried *copy_tried(void) {
  struct tried *copy = PyMem_Malloc(sizeof *copy);
  if (!copy) {
    PyErr_NoMemory();
    return NULL;
  }
  PyThreadState *state = take_lock();
  *copy = tried;
  PyThread_release_lock(lock);
  PyEval_RestoreThread(state);
  return copy;
}

cs_address cs_find(uint16_t row, bool load) {
  cs_address address = atomic_load_explicit(&cs_slots[row], memory_order_acquire);
  if (address) return address;
  void *handle = load ? load_library() : atomic_load_explicit(&library, memory_order_acquire);
  if (!handle) return NULL;
  address = find_any(handle, CS_STR(cs_funcs[row].symbol));
  if (address) atomic_store_explicit(&cs_slots[row], address, memory_order_release);
  return address;
}

static int library_version(void) {
  void *handle = load_library();
  if (!handle) return 0;
  if (library_release) return library_release;
  int version;
  cs_address some;
  Py_BEGIN_ALLOW_THREADS
  version = ask_version(handle, &some);
  Py_END_ALLOW_THREADS
  return version;
}

/* Texts of the system are in its encoding, whatever bytes a path has. */
static PyObject *system_text(const char *text) { return PyUnicode_DecodeFSDefault(text); }

/* "nvidia-cuda-nvrtc>=13.2,<14": NVIDIA's wheel that has a release of the library, or a newer one of its major. */
static void wheel_for(int version, char *out, size_t size) {
  char release[16];
  cs_format_release((uint16_t)version, release);
  snprintf(out, size, "%s>=%s,<%d", cs_library.wheel, release, cs_library.major + 1);
}

static void raise_library_not_found(const char *wanted) {
  struct tried *seen = copy_tried();
  PyObject *text = seen ? PyUnicode_FromFormat("%s needs %s, which could not be loaded. Tried:", wanted, cs_library.title) : NULL;
  for (int i = 0; text && i < seen->count; i++) {
    PyObject *name = system_text(seen->of[i].name), *error = system_text(seen->of[i].error);
    PyObject *longer = name && error ? PyUnicode_FromFormat("%U\n  %U: %U", text, name, error) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(error);
    Py_DECREF(text);
    text = longer;
  }
  char advice[128] = "";
  if (cs_library.wheel) {
    char wheel[96];
    wheel_for(cs_library.major * 1000, wheel, sizeof wheel);
    snprintf(advice, sizeof advice, "Install NVIDIA's wheel %s. ", wheel);
  }
  if (text) PyErr_Format(cs_LibraryNotFoundError, "%U%s\n%s(%s names a file to load instead.)", text, seen->count ? "" : " nothing", advice, cs_library.path_variable);
  Py_XDECREF(text);
  PyMem_Free(seen);
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
  char newer[128], advice[256];
  if (cs_library.wheel)
    wheel_for(func->introduced, newer, sizeof newer);
  else
    snprintf(newer, sizeof newer, "a driver for CUDA %s or newer", needed);
  if (instead) {
    char since[16];
    cs_format_release(instead->introduced, since);
    snprintf(advice, sizeof advice, "Use %s (CUDA %s), or install %s.", CS_STR(instead->name), since, newer);
  } else if (func->flags & (CS_WINDOWS_ONLY | CS_LINUX_ONLY) & ~THIS_PLATFORM) {
    snprintf(advice, sizeof advice, "It exists on %s only.", func->flags & CS_WINDOWS_ONLY ? "Windows" : "Linux");
  } else if (version >= func->introduced) {
    snprintf(advice, sizeof advice, "This library does not offer it on this platform.");
  } else {
    snprintf(advice, sizeof advice, "Install %s.", newer);
  }
  PyObject *path = system_text(library_path[0] ? library_path : cs_library.title);
  if (!path) return;
  const char *symbols = CS_STR(func->symbol), *last = strrchr(symbols, ' ');
  PyErr_Format(cs_FunctionNotFoundError, "%s was introduced with CUDA %s; %U supports %s and has no symbol %s. %s", name, needed, path, has,
               last ? last + 1 : symbols, advice);
  Py_DECREF(path);
}

cs_address cs_resolve(uint16_t row) {
  cs_address address = cs_find(row, true);
  if (CS_LIKELY(address != NULL)) return address;
  if (PyErr_Occurred()) return NULL;
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
  if (!Py_IsInitialized()) return NULL; /* a destructor that runs after Python's end: nobody to tell */
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace); /* C code cleans up with an exception set, and that one stays */
  cs_address address = cs_resolve(row);
  if (type) PyErr_Restore(type, value, trace);
  PyGILState_Release(state);
  return address;
}

PyObject *cs_library_info(void) {
  bool loaded = load_library() != NULL;
  if (!loaded && PyErr_Occurred()) return NULL;
  struct tried *seen = copy_tried();
  PyObject *failures = seen ? PyList_New(0) : NULL;
  for (int i = 0; failures && i < seen->count; i++) {
    PyObject *pair = Py_BuildValue("(NN)", system_text(seen->of[i].name), system_text(seen->of[i].error));
    if (!pair || PyList_Append(failures, pair) < 0) Py_CLEAR(failures);
    Py_XDECREF(pair);
  }
  PyMem_Free(seen);
  if (!failures) return NULL;
  int version = loaded ? library_version() : 0;
  return Py_BuildValue("{s:O,s:N,s:N,s:N}", "loaded", loaded ? Py_True : Py_False, "path", loaded ? system_text(library_path) : Py_NewRef(Py_None),
                       "version", version ? PyLong_FromLong(version) : Py_NewRef(Py_None), "tried", failures);
}
