#define _GNU_SOURCE
#include "CIDN.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Of idn2.h, whose numbers belong to the library's interface.
enum { OK = 0, DISALLOWED = -304, NFC_INPUT = 1, TRANSITIONAL = 4, NONTRANSITIONAL = 8 };

static struct {
  int (*lookup)(const uint8_t *, uint8_t **, int);
  const char *(*explain)(int);
  void (*release)(void *);
} idn;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256];

static void load(void) {
  // Never closed: what it explains must stay.
  void *library = dlopen("libidn2.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library) {
    *(void **)&idn.lookup = dlsym(library, "idn2_lookup_u8");
    *(void **)&idn.explain = dlsym(library, "idn2_strerror");
    *(void **)&idn.release = dlsym(library, "idn2_free");
    if (idn.lookup && idn.explain && idn.release) return;
  }
  const char *reason = dlerror();
  snprintf(failure, sizeof failure,
    "international names need libidn2 (the Debian package is libidn2-0): %s",
    reason ? reason : "the loader does not say why it cannot be used");
}

const char *cidn_to_ascii(const char *name, char ascii[CIDN_SIZE]) {
  pthread_once(&once, load);
  if (failure[0]) return failure;
  uint8_t *found = NULL;
  int code = idn.lookup((const uint8_t *)name, &found, NFC_INPUT | NONTRANSITIONAL);
  // Signs that only the older rules allow, as curl has it.
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
