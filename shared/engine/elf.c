/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Is a library's file whole? dlopen() maps segments as the headers say, and a process that then reads beyond the end of a
 * truncated file (a full disk, a copy that broke off) is ended by SIGBUS: no error comes back that could be told.
 */
#include "engine.h"

#ifdef __linux__
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_whole(int file) {
  struct stat status;
  Elf64_Ehdr header;
  if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode)) return true;
  if (pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header) return true; /* dlopen() reads it, and complains */
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return true;
  uint64_t size = (uint64_t)status.st_size;
  for (unsigned i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    if (header.e_phoff > size || pread(file, &segment, sizeof segment, (off_t)(header.e_phoff + i * sizeof segment)) != (ssize_t)sizeof segment)
      return true;
    if (segment.p_type == PT_LOAD && (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)) return false;
  }
  return true;
}

bool cs_file_is_whole(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  bool whole = is_whole(file);
  close(file);
  return whole;
}
#else
bool cs_file_is_whole(const char *path) {
  (void)path;
  return true;
}
#endif
