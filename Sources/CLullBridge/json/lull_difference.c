// Where tables differ from the document they were built from; for LULL_STRICT=1.
#include <string.h>

#include "base/lull_stack.h"
#include "json/lull_equal.h"
#include "values/lull_kept.h"
#include "values/lull_protect.h"

typedef struct difference {
  lull_runtime *runtime;
  const csj_document *document;
  int64_t id;
  int found;
  lull_place place;
} difference;

// [-1, +0] protected part of lull_document_difference
static int find_difference(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  difference *at = lua_touserdata(L, 1);
  lull_values_push(at->runtime, L, at->id);
  if (!lua_isnil(L, -1)) {
    at->found = lull_json_differs(L, at->runtime, at->document, lua_gettop(L), &at->place);
  }
  return 0;
}

const char *lull_document_difference(lull_runtime *runtime, const void *document, int64_t id) {
  difference at = {.runtime = runtime, .document = document, .id = id};
  lull_protect(runtime, find_difference, &at);
  char *copy = at.found ? lull_arena_allocate(runtime, at.place.length + 1) : NULL;
  return copy ? strcpy(copy, at.place.pointer) : NULL;
}
