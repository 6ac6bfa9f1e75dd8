#include "CIDN.h"

#include <CLoader.h>
#include <stdint.h>
#include <string.h>

// From idn2.h; the numbers are part of the library's interface.
enum { OK = 0, DISALLOWED = -304, NFC_INPUT = 1, TRANSITIONAL = 4, NONTRANSITIONAL = 8 };

static struct {
  int (*lookup)(const uint8_t *, uint8_t **, int);
  const char *(*explain)(int);
  void (*release)(void *);
} idn;

static const cloader_symbol symbols[] = {
  {"idn2_lookup_u8", &idn.lookup},
  {"idn2_strerror", &idn.explain},
  {"idn2_free", &idn.release},
};

static cloader_library library = {
  .file = "libidn2.so.0",
  .purpose = "international names need libidn2 (the Debian package is libidn2-0)",
  CLOADER_SYMBOLS(symbols)};

const char *cidn_to_ascii(const char *name, char ascii[CIDN_SIZE]) {
  const char *failure = cloader_load(&library);
  if (failure) return failure;
  uint8_t *found = NULL;
  int code = idn.lookup((const uint8_t *)name, &found, NFC_INPUT | NONTRANSITIONAL);
  // Characters that only the older rules allow, as curl does.
  if (code == DISALLOWED) {
    uint8_t *older = NULL;
    if (idn.lookup((const uint8_t *)name, &older, NFC_INPUT | TRANSITIONAL) == OK) {
      found = older;
      code = OK;
    }
  }
  if (code != OK) return idn.explain(code);
  const char *problem = NULL;
  if (strlen((const char *)found) < CIDN_SIZE) {
    strcpy(ascii, (const char *)found);
  } else {
    problem = "it is too long";
  }
  idn.release(found);
  return problem;
}
