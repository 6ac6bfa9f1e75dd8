// Opens libraries of the system at their first use, so that no program starts slower because of a library that
// it may never need.
#ifndef CLOADER_H
#define CLOADER_H

#include <stddef.h>

typedef struct cloader_symbol {
  const char *name;
  // The function pointer that gets the symbol's address.
  void *function;
} cloader_symbol;

// Written as a static variable, from the parts above the line.
typedef struct cloader_library {
  const char *file;
  // The Debian package, for the message that the library is not installed; may be NULL.
  const char *package;
  // If it is not NULL, messages are this and the dynamic loader's own reason.
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

// Opens the library once per process and resolves its symbols. It is never closed, since objects and handlers
// point into its code. Returns NULL, or the reason why a symbol is missing, which stays valid; symbols that
// were found can be used even then. Any thread: a thread that comes while another one loads waits for it.
const char *cloader_load(cloader_library *library);

#endif
