// Loads system libraries at their first use, so that programs do not start more slowly because of
// libraries that they may never need.
#ifndef CLOADER_H
#define CLOADER_H

#include <stddef.h>

typedef struct cloader_symbol {
  const char *name;
  // The function pointer that is set to the symbol's address.
  void *function;
} cloader_symbol;

// Defined as a static variable, with values for the members above the line.
typedef struct cloader_library {
  const char *file;
  // The Debian package, for the message that the library is not installed; may be NULL.
  const char *package;
  // If it is not NULL, messages consist of this text and the dynamic loader's reason.
  const char *purpose;
  const cloader_symbol *symbols;
  size_t symbol_count;
  // Whether the functions that the library itself calls are resolved at their first call.
  int is_lazy;
  // ---- Set by `cloader_load`.
  void *handle;
  int is_tried;
  char problem[256];
} cloader_library;

#define CLOADER_SYMBOLS(table) .symbols = table, .symbol_count = sizeof table / sizeof table[0]

// Loads the library once per process and resolves its symbols. It is never unloaded, because
// objects and handlers point into its code. Returns NULL, or the reason why a symbol is missing,
// which stays valid. Symbols that were found can be used even then. Any thread: a thread that comes
// while another one loads waits for it.
const char *cloader_load(cloader_library *library);

#endif
