// Where tables differ from the document they were built from; for LULL_STRICT=1.
#include <string.h>

#include "values/lull_document.h"
#include "values/lull_kept.h"
#include "values/lull_protect.h"

enum { LULL_POINTER_SIZE = 512 };

typedef struct difference {
  lull_runtime *runtime;
  const csj_document *document;
  int64_t id;
  int found;
  char pointer[LULL_POINTER_SIZE];
  size_t length;
} difference;

// Goes one level down, in the pointer; returns the length to go back to. What does not fit is cut off.
static size_t descend(difference *at, const char *token, size_t length) {
  size_t before = at->length;
  for (size_t i = 0; i <= length; i++) {
    // RFC 6901, section 3.
    char c = i == 0 ? '/' : token[i - 1];
    const char *escaped = i == 0 ? "/" : c == '~' ? "~0" : c == '/' ? "~1" : NULL;
    size_t size = escaped ? strlen(escaped) : 1;
    if (at->length + size >= sizeof(at->pointer)) break;
    memcpy(at->pointer + at->length, escaped ? escaped : &c, size);
    at->length += size;
  }
  at->pointer[at->length] = 0;
  return before;
}

static void ascend(difference *at, size_t before) {
  if (at->found) return;
  at->length = before;
  at->pointer[before] = 0;
}

static void compare(lua_State *L, difference *at, size_t index, int stack);

// [-0, +0] compares what the table holds under the key at the top, which is popped, with the value at
// `index`
static void compare_member(
  lua_State *L, difference *at, const char *token, size_t length, size_t index, int table) {
  size_t before = descend(at, token, length);
  lua_rawget(L, table);
  compare(L, at, index, lua_gettop(L));
  lua_pop(L, 1);
  ascend(at, before);
}

// [-0, +0] a key of the table that the container has not, if there are more than `count`
static void find_extra(lua_State *L, difference *at, size_t index, int table, size_t count) {
  if (at->found) return;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    if (count > 0 && lull_document_find(L, at->document, index, lua_gettop(L)) != 0) continue;
    lua_pushvalue(L, -1);
    size_t length;
    const char *name = luaL_tolstring(L, -1, &length);
    descend(at, name, length);
    at->found = 1;
    lua_pop(L, 3);
    return;
  }
}

// [-0, +0]
static void compare(lua_State *L, difference *at, size_t index, int stack) {
  luaL_checkstack(L, 12, "nested too deeply");
  csj_view tape = csj_document_view(at->document);
  csj_type type = csj_type_at(tape, index);
  if (type != CSJ_ARRAY && type != CSJ_OBJECT) {
    lull_document_push(L, at->runtime, at->document, index);
    at->found = !lua_rawequal(L, -1, stack);
    lua_pop(L, 1);
    return;
  }
  if (!lua_istable(L, stack)) {
    at->found = 1;
    return;
  }
  size_t count = csj_count(tape, index);
  if (type == CSJ_ARRAY) {
    size_t element = csj_first(tape, index);
    for (size_t i = 0; !at->found && i < count; i++, element = csj_after(tape, element)) {
      lua_pushinteger(L, (lua_Integer)i);
      lua_tostring(L, -1);
      size_t length;
      const char *token = lua_tolstring(L, -1, &length);
      lua_pushinteger(L, (lua_Integer)i + 1);
      compare_member(L, at, token, length, element, stack);
      lua_pop(L, 1);
    }
  } else if (count > 0) {
    csj_pair *members = lua_newuserdatauv(L, count * sizeof(csj_pair), 0);
    count = csj_pairs(tape, index, members);
    for (size_t i = 0; !at->found && i < count; i++) {
      size_t length;
      const char *key = csj_string_at(tape, members[i].key, &length);
      lua_pushlstring(L, key, length);
      compare_member(L, at, key, length, members[i].value, stack);
    }
    lua_pop(L, 1);
  }
  find_extra(L, at, index, stack, count);
}

// [-1, +0] protected part of lull_document_difference
static int find_difference(lua_State *L) {
  difference *at = lua_touserdata(L, 1);
  lull_values_push(at->runtime, L, at->id);
  if (!lua_isnil(L, -1)) compare(L, at, CSJ_ROOT, lua_gettop(L));
  return 0;
}

// [-0, +0]
const char *lull_document_difference(lull_runtime *runtime, const void *document, int64_t id) {
  difference at = {.runtime = runtime, .document = document, .id = id};
  lull_protect(runtime, find_difference, &at);
  char *copy = at.found ? lull_arena_allocate(runtime, at.length + 1) : NULL;
  return copy ? strcpy(copy, at.pointer) : NULL;
}
