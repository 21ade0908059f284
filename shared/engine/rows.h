/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rows that the code generator writes (_generated/tables.c) and the engine reads.
 *
 * Rows are constant and hold no pointers: names are offsets into one string pool and everything else is
 * an index. So the tables need no relocation, cost nothing at import and are shared between processes.
 */
#ifndef CS_ROWS_H
#define CS_ROWS_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t cs_str; /* offset of a NUL-terminated string in cs_strings; 0 is "" */

#define CS_NONE8 0xFFu    /* no parameter, field or table */
#define CS_NONE16 0xFFFFu /* no row */

/* What one value is: a parameter passed by value, what a pointer points to, an element, a field. */
enum cs_elem {
  CS_VOID,
  CS_I8,
  CS_U8,
  CS_I16,
  CS_U16,
  CS_I32,
  CS_U32,
  CS_I64,
  CS_U64, /* size_t too */
  CS_F32,
  CS_F64,
  CS_CHAR,    /* only as an element: char arrays are bytes in Python */
  CS_PTR,     /* void *: an int in Python; int, None, buffer, ctypes object or getPtr() on the way in */
  CS_CSTR,    /* const char *: bytes or None */
  CS_ENUM,    /* 32 bits; type = row in cs_enums */
  CS_HANDLE,  /* type = row in cs_handles, which knows the width */
  CS_RECORD,  /* type = row in cs_records */
  CS_CALLBACK /* pointer to a function; type = row in cs_callbacks */
};

/* What the engine does with one C parameter. */
enum cs_kind {
  /* One Python argument in. */
  CS_IN,            /* by value: any element; CS_RECORD is a record passed by value */
  CS_IN_RECORD,     /* address of the caller's record object, which the driver may read and write; None is NULL */
  CS_IN_ARRAY,      /* sequence of elements; `link` = the parameter with the count, or CS_NONE8; None is NULL;
                       `link2` = a parameter to divide that count by, rounding up, or CS_NONE8 */
  CS_IN_HANDLE_REF, /* address of the caller's handle object, which the driver may write; an int is an address */
  CS_IN_TYPED,      /* void *: value whose type depends on the enum parameter `link`, by cs_typed[typed] */
  CS_KERNEL_PARAMS, /* void **: None, int, buffer, (values, ctypes) or values with types of their own */
  CS_OPTION_VALUES, /* void **: values typed by the option array `link`, by cs_typed[typed]; `link2` = count */
  /* No Python argument, one result. */
  CS_OUT,            /* one value */
  CS_OUT_RECORD,     /* a new record object */
  CS_OUT_ARRAY,      /* list (bytes for CS_CHAR) of as many elements as parameter `link` says; see CS_FIXED; where
                       `link` is a CS_INOUT, room for what it says before the call, of which the first so many are
                       returned as it says afterwards */
  CS_OUT_BORROWED,   /* X **: the driver's own array of `link` elements, copied into a list */
  CS_OUT_TYPED,      /* void *: type depends on enum parameter `link`, by cs_typed[typed]; `link2` = byte size or none */
  CS_OUT_TYPED_LIST, /* void **: one value for each entry of enum array `link`; `link2` = array of byte sizes or none */
  CS_OUT_SIZE,       /* size_t *: set to the byte size of the typed parameter `link` before the call, returned after */
  /* One Python argument and one result. */
  CS_INOUT, /* pointer to one value; None is NULL and comes back as None; CS_OPTIONAL: may be left out, then it is 0 */
  /* Neither. */
  CS_HIDDEN /* always NULL or 0 */
};

enum cs_param_flag {
  CS_OPTIONAL = 1, /* a Python argument that may be left out: 0 or NULL */
  CS_WRITABLE = 2, /* CS_PTR, CS_CSTR: the driver writes through it, so a buffer that is not empty must be writable;
                      CS_IN_ARRAY of CS_RECORD: the driver writes the elements, which are copied back to the objects */
  CS_FIXED = 4,    /* CS_OUT_ARRAY, CS_IN_ARRAY: `link` is the number of elements itself */
  CS_LESS_ONE = 8, /* CS_IN_ARRAY: one element fewer than `link` says is enough */
  CS_SIZED = 8,    /* CS_OUT_ARRAY, CS_IN of CS_PTR: another function, the row `type` of cs_funcs, tells how many elements or bytes
                      the call writes. It is called first, with this call's C arguments before this one and the address of the
                      size behind them. Where it does not succeed, its status is this call's. A buffer that is smaller is a
                      ValueError; in place of an empty one, where the size is 0, the library gets memory that is thrown away, since
                      it may write a NUL all the same. Of an int or None nobody knows the size, and it is not called */
  CS_ONE_OK = 16,  /* CS_IN_ARRAY: a lone element is taken as a sequence of one */
  CS_BYTES_OK = 16, /* CS_IN of CS_PTR with CS_WRITABLE: a bytes object of more than one byte is taken for a writable buffer. In place
                      of a shorter one, which is the same object everywhere in the interpreter, the library gets memory that is
                      thrown away */
  CS_KEEP = 32,    /* CS_OPTION_VALUES: stays alive with the first handle the function returns; CS_IN of CS_CSTR: with the handle that
                      is its first argument */
  CS_STREAM = 64,  /* CS_HANDLE: objects with __cuda_stream__ are taken */
  CS_NULL_IF_ZERO = 128 /* CS_OUT_ARRAY: NULL is passed where the count is 0, and [] comes back */
};

struct cs_param {
  cs_str name;
  cs_str ctype; /* as documentation shows it */
  uint16_t type;
  uint8_t kind;
  uint8_t elem;
  uint8_t flags;
  uint8_t link;  /* index of another C parameter of the function */
  uint8_t link2;
  uint8_t typed; /* row in cs_typed */
};

enum cs_func_flag {
  CS_KEEP_GIL = 1,        /* reads thread-local or constant state only: overrides say why, one by one */
  CS_OUTPUTS_ON_ERROR = 2, /* the outputs are returned when the call fails too: there they say what went wrong */
  CS_WINDOWS_ONLY = 4,
  CS_LINUX_ONLY = 8,
  CS_RETURNS_VALUE = 16 /* the C function gives back a value and no status. The last row of its parameters, CS_OUT or CS_OUT_RECORD, is
                           that value and no C parameter: the thunk stores it there and returns success */
};

struct cs_func {
  cs_str name;       /* permanent versioned name: cuCtxCreate_v1 */
  cs_str plain;      /* permanent plain name or "" */
  cs_str symbol;     /* exported name: cuCtxCreate; older ones behind it, with spaces between */
  cs_str base;       /* cuCtxCreate */
  cs_str header;     /* cuda.h */
  uint16_t params;   /* first row in cs_params */
  uint16_t thunk;    /* row in cs_thunks */
  uint16_t result;   /* row in cs_enums */
  uint16_t introduced; /* CUDA_VERSION: 13050 */
  uint8_t nparams;
  uint8_t version; /* the N of _vN */
  uint8_t stream;  /* 0, 1 = ptds, 2 = ptsz */
  uint8_t flags;
};

/* A typed C call: takes the function's address and its arguments in C order. Records that are passed by value
 * are given by address. */
union cs_arg {
  int8_t i8;
  uint8_t u8;
  int16_t i16;
  uint16_t u16;
  int32_t i32;
  uint32_t u32;
  int64_t i64;
  uint64_t u64;
  float f32;
  double f64;
  void *ptr;
};
typedef void (*cs_address)(void);
typedef int (*cs_thunk)(cs_address function, const union cs_arg *args);

/* Value types that depend on an attribute or option. */
struct cs_typed {
  uint16_t rows; /* first in cs_typed_rows, ascending by value */
  uint16_t nrows;
};

struct cs_typed_row {
  int32_t value; /* of the attribute */
  uint16_t type;
  uint16_t count; /* 1: one value; n: that many (CS_CHAR: bytes); 0: as many as the byte size holds, or, in
                     CS_OPTION_VALUES, as the sequence has: what travels is the address of their array */
  uint8_t elem;
  uint8_t flags; /* CS_TYPED_* */
};

enum cs_typed_flag {
  CS_TYPED_BY_VALUE = 1, /* IN_TYPED, OPTION_VALUES: the value itself travels in the void *, not its address */
  CS_TYPED_BYTES = 2,    /* CS_CHAR: cut at the first NUL */
  CS_TYPED_WRITABLE = 4  /* CS_PTR: the driver writes through it, so a buffer must be writable */
};

struct cs_enumerator {
  int64_t value;
  cs_str name;
  uint16_t owner; /* row in cs_enums */
  uint16_t since;
};

struct cs_enum {
  cs_str name;
  uint16_t first; /* in cs_enumerators, ascending by value; for one value, its newest name first */
  uint16_t count;
  uint16_t since;
  uint8_t elem; /* CS_I32 or CS_U32 */
  uint8_t unused;
};

/* An enum as a view has it, where names have other values there. */
struct cs_enum_view {
  uint16_t owner; /* row in cs_enums */
  uint16_t first; /* in cs_enum_view_members */
  uint16_t count;
};

struct cs_enum_view_member {
  int64_t value;
  cs_str name;
  uint16_t owner;
};

struct cs_handle {
  cs_str name;
  cs_str accepts; /* names of equal classes of other packages, space-separated: "cudaStream_t" */
  uint16_t since;
  uint8_t elem; /* CS_PTR, CS_U8, CS_I32, CS_U32, CS_U64 */
  uint8_t flags; /* CS_STREAM, CS_NUMBER */
};

/* An integer of no meaning of its own, as flags have it: members of enums are taken. */
#define CS_NUMBER 1

struct cs_callback {
  cs_str name;
  cs_str signature; /* "void (void *userData)" */
  uint16_t since;
};

enum cs_field_kind {
  CS_FIELD_VALUE,        /* one element; CS_RECORD: a record inside, by reference */
  CS_FIELD_ARRAY,        /* `count` elements inline: list; CS_CHAR or CS_U8: bytes */
  CS_FIELD_LIST,         /* pointer to an array of elements: takes a sequence; `link` = field with the count or none */
  CS_FIELD_KERNEL_PARAMS /* void **: as the parameter kind */
};

struct cs_field {
  cs_str name;
  cs_str ctype;
  uint32_t offset;
  uint16_t type;
  uint16_t count;
  uint8_t kind;
  uint8_t elem;
  uint8_t link; /* index of a field of the same record */
  uint8_t flags; /* enum cs_field_flag */
  uint16_t since;
};

enum cs_field_flag {
  CS_FIELD_UNION = 1, /* shares bytes with others, so texts leave it out where it is zero */
  CS_FIELD_TEXT = 2,  /* CS_CHAR: cut at the first NUL */
};

struct cs_record {
  cs_str name; /* inline records: "CUDA_RESOURCE_DESC_v1.res" */
  uint32_t size;
  uint16_t align;
  uint16_t first; /* in cs_fields */
  uint16_t count;
  uint16_t since;
  uint8_t is_union;
  uint8_t is_inline;
};

struct cs_constant {
  int64_t value; /* CS_CSTR: a cs_str; CS_F64: the bits */
  cs_str name;
  uint16_t type; /* CS_HANDLE: row in cs_handles */
  uint8_t elem;  /* CS_I64, CS_U64, CS_F64, CS_CSTR, CS_HANDLE */
  uint8_t unused;
};

/* Names. A scope is a namespace that Python can import: 0 is the module with the permanent names, then come the views, each followed
 * by its per-thread twin. A name that means the same wherever it exists is one row of cs_names; what a scope says otherwise is
 * a row of its own in cs_scope_names, which is asked first. */
enum cs_name_kind {
  CS_NAME_FUNCTION,
  CS_NAME_ENUM,
  CS_NAME_ENUM_VIEW,
  CS_NAME_ENUMERATOR, /* ref = row in cs_enumerators */
  CS_NAME_MEMBER,     /* ref = row in cs_enum_view_members */
  CS_NAME_HANDLE,
  CS_NAME_CALLBACK,
  CS_NAME_RECORD,
  CS_NAME_CONSTANT
};

struct cs_name {
  cs_str name; /* rows ascend by strcmp */
  uint16_t scopes; /* bit i: the name exists in scope i with this meaning */
  uint16_t ref;
  uint8_t kind;
};

struct cs_scope_name {
  cs_str name; /* rows of one scope ascend by strcmp */
  uint16_t ref;
  uint8_t kind;
};

struct cs_scope {
  cs_str name; /* "", "cu11", "cu11.per_thread", … */
  uint16_t major; /* 0 for the module */
  uint16_t per_thread;
  uint32_t first; /* in cs_scope_names */
  uint32_t count;
};

/* The CUDA release of an open library, 12040; 0: it does not tell. `find` looks up its symbols. Called without the GIL. */
typedef int cs_release_of(void *library, cs_address (*find)(void *library, const char *symbol));

/* What one generated tables.c defines. */
struct cs_library {
  const char *module;       /* "cuda.driver_stable" */
  const char *core;         /* "cuda.driver_stable._core" */
  const char *title;        /* "the CUDA driver" */
  const char *docs_url;     /* where NVIDIA documents the functions */
  const char *soname;       /* "libcuda.so.1" */
  const char *soname_windows;
  const char *version_symbol; /* "cuDriverGetVersion", called to tell what the library supports */
  uint16_t version_in_parts;  /* the call has two outputs, major and minor, and not one number */
  cs_release_of *release_of;  /* of a library whose version call tells something else; NULL: the call is asked */
  uint16_t major;             /* the only CUDA major whose library will do; 0: any */
  const char *not_found_error; /* "DriverNotFoundError", the class in `module` */
  const char *path_variable; /* "CUDA_DRIVER_STABLE_LIBRARY": environment variable that names a library file to load instead */
  const char *wheel; /* "nvidia-cuda-nvrtc-cu12": NVIDIA's wheel that has the library; NULL: it comes with the driver */
  uint16_t release;         /* 13050 */
  uint16_t nfuncs, nparams, nthunks, nenums, nenumerators, nhandles, ncallbacks, nrecords, nfields, nconstants;
  uint16_t nnames, nscopes, ntyped;
  uint16_t result_success;
  uint16_t result_not_found; /* what a C-level caller gets where a symbol is missing: 500 */
};

extern const char cs_strings[];
extern const struct cs_library cs_library;
extern const struct cs_func cs_funcs[];
extern const struct cs_param cs_params[];
extern const cs_thunk cs_thunks[]; /* thunks.c */
extern const struct cs_typed cs_typed[];
extern const struct cs_typed_row cs_typed_rows[];
extern const struct cs_enum cs_enums[];
extern const struct cs_enumerator cs_enumerators[];
extern const struct cs_enum_view cs_enum_views[];
extern const struct cs_enum_view_member cs_enum_view_members[];
extern const struct cs_handle cs_handles[];
extern const struct cs_callback cs_callbacks[];
extern const struct cs_record cs_records[];
extern const struct cs_field cs_fields[];
extern const struct cs_constant cs_constants[];
extern const struct cs_name cs_names[];
extern const struct cs_scope cs_scopes[];
extern const struct cs_scope_name cs_scope_names[];

/* entries.c */
extern const cs_address cs_entries[]; /* one a function: a C function of its type that calls it in the library */
extern const cs_str cs_signatures[];  /* one a function: its type as Cython writes it, over permanent type names */
extern const cs_str cs_spellings[];   /* view by view, one a function: as the official module of that major writes it; 0: not there */
/* What the official module has and the library does not export. */
struct cs_extra {
  const char *name;
  cs_address function;
  cs_str spelling;
};
extern const struct cs_extra cs_extras[];
extern const uint16_t cs_extras_count;
extern const char cs_capsule_strings[];

#define CS_STR(offset) (cs_strings + (offset))

#endif
