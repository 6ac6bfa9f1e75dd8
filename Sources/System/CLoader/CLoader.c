#define _GNU_SOURCE
#include "CLoader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void fail(cloader_library *library, const char *problem) {
  if (library->problem[0]) return;
  size_t size = sizeof library->problem;
  if (library->purpose) {
    const char *reason = dlerror();
    snprintf(library->problem, size, "%s: %s", library->purpose,
      reason ? reason : "the loader does not say why it cannot be used");
    return;
  }
  int count = snprintf(library->problem, size, "%s %s", library->file, problem);
  if (library->handle == NULL && library->package) {
    snprintf(library->problem + count, size - (size_t)count, " (the Debian package is %s)",
      library->package);
  }
}

static void open_library(cloader_library *library) {
  library->handle = dlopen(library->file, (library->is_lazy ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL);
  if (library->handle == NULL) {
    fail(library, "is not installed");
    return;
  }
  for (size_t index = 0; index < library->symbol_count; index++) {
    void *function = dlsym(library->handle, library->symbols[index].name);
    if (function == NULL) fail(library, "lacks a function");
    *(void **)library->symbols[index].function = function;
  }
}

const char *cloader_load(cloader_library *library) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (!__atomic_load_n(&library->is_tried, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&mutex);
    if (!library->is_tried) {
      open_library(library);
      __atomic_store_n(&library->is_tried, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&mutex);
  }
  return library->problem[0] ? library->problem : NULL;
}
