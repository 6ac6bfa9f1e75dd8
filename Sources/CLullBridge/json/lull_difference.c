// Finds where tables differ from the document they were built from, to detect changes to content
// by a script.
#include <string.h>

#include "base/lull_stack.h"
#include "json/lull_equal.h"
#include "values/lull_integer.h"
#include "values/lull_stored.h"
#include "values/lull_protect.h"
#include "values/lull_tables.h"

// The number of recent keys kept on the stack. The keys of records are repeated with every element
// of a list.
enum { LULL_KNOWN_KEYS = 32 };

typedef struct comparison {
  lua_State *L;
  csj_view tape;
  int null;  // the stack position of lull.null
  int known;  // the position of the first known key, 0 for a document without lists of records
  size_t left;  // how many more values may be compared
  int omits_nulls;  // the tables were made without nulls
  struct {
    const char *text;
    size_t length;
  } keys[LULL_KNOWN_KEYS];
} comparison;

// [-0, +1] Pushes the string with that many bytes.
static void push_key(comparison *c, const char *text, size_t length) {
  lua_State *L = c->L;
  LULL_EFFECT(L, 0, 1);
  if (c->known == 0 || length == 0) {
    lua_pushlstring(L, text, length);
    return;
  }
  const unsigned char *bytes = (const unsigned char *)text;
  unsigned mixed = (unsigned)length + bytes[0] * 5u + bytes[length / 2] * 17u;
  unsigned place = (mixed + bytes[length - 1] * 3u) % LULL_KNOWN_KEYS;
  int stack = c->known + (int)place;
  if (c->keys[place].length == length && memcmp(c->keys[place].text, text, length) == 0) {
    lua_pushvalue(L, stack);
    return;
  }
  lua_pushlstring(L, text, length);
  lua_copy(L, -1, stack);
  c->keys[place].text = text;
  c->keys[place].length = length;
}

static int has_elements(comparison *c, size_t index);
static int has_members(comparison *c, size_t index);

// [-1, +0] Returns whether the value at the top equals the one that is built for the value at
// `index`.
static int is_as_built(comparison *c, size_t index) {
  lua_State *L = c->L;
  LULL_EFFECT(L, 1, 0);
  int same = 0;
  switch (csj_type_at(c->tape, index)) {
    case CSJ_NULL: same = c->omits_nulls ? lua_isnil(L, -1) : lua_rawequal(L, -1, c->null); break;
    case CSJ_FALSE: same = lua_isboolean(L, -1) && !lua_toboolean(L, -1); break;
    case CSJ_TRUE: same = lua_isboolean(L, -1) && lua_toboolean(L, -1); break;
    case CSJ_INT:
      same = lua_isinteger(L, -1) && lua_tointeger(L, -1) == csj_int_at(c->tape, index);
      break;
    case CSJ_DOUBLE:
      if (csj_is_large(c->tape, index)) {
        // Equal digits are the same userdata.
        lull_push_double(L, c->tape, index);
        same = lua_rawequal(L, -1, -2);
        lua_pop(L, 1);
        break;
      }
      same = lua_type(L, -1) == LUA_TNUMBER && !lua_isinteger(L, -1)
        && lua_tonumber(L, -1) == csj_double_at(c->tape, index);
      break;
    case CSJ_STRING: {
      size_t length, other = 0;
      const char *text = csj_string_at(c->tape, index, &length);
      const char *found = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &other) : NULL;
      same = found && other == length && memcmp(found, text, length) == 0;
      break;
    }
    case CSJ_ARRAY: same = lua_istable(L, -1) && has_elements(c, index); break;
    case CSJ_OBJECT: same = lua_istable(L, -1) && has_members(c, index); break;
  }
  lua_pop(L, 1);
  return same;
}

// [-0, +0] Returns whether the table at the top has exactly the elements of the array at `index`.
static int has_elements(comparison *c, size_t index) {
  lua_State *L = c->L;
  LULL_EFFECT(L, 0, 0);
  luaL_checkstack(L, 8, "nested too deeply");
  size_t end = csj_end(c->tape, index), child = csj_first(c->tape, index);
  lua_Integer count = 0;
  for (; child < end && c->left > 0; child = csj_after(c->tape, child)) {
    c->left--;
    lua_rawgeti(L, -1, ++count);
    if (!is_as_built(c, child)) return 0;
  }
  if (c->left == 0) return 1;
  // Any other key comes after the last element. If nulls are holes, that is not true of all keys.
  if (c->omits_nulls) return 1;
  if (count == 0) lua_pushnil(L);
  else lua_pushinteger(L, count);
  if (!lua_next(L, -2)) return 1;
  lua_pop(L, 2);
  return 0;
}

// [-0, +0] Returns whether the table at the top has exactly the members of the object at `index`.
static int has_members(comparison *c, size_t index) {
  lua_State *L = c->L;
  LULL_EFFECT(L, 0, 0);
  luaL_checkstack(L, 8, "nested too deeply");
  size_t end = csj_end(c->tape, index), child = csj_first(c->tape, index), count = 0;
  for (; child < end && c->left > 0; child = csj_after(c->tape, child + 1)) {
    size_t length;
    const char *key = csj_string_at(c->tape, child, &length);
    c->left--;
    if (!c->omits_nulls || csj_type_at(c->tape, child + 1) != CSJ_NULL) count++;
    push_key(c, key, length);
    lua_rawget(L, -2);
    if (!is_as_built(c, child + 1)) return 0;
  }
  if (c->left == 0) return 1;
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    if (count-- == 0) {
      lua_pop(L, 1);
      return 0;
    }
  }
  return count == 0;
}

typedef struct difference {
  lull_runtime *runtime;
  const csj_document *document;
  int64_t id;
  size_t left;
  int found;
  lull_place place;
} difference;

// [-1, +0] The protected part of lull_document_difference.
static int find_difference(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  difference *at = lua_touserdata(L, 1);
  lull_values_push(at->runtime, L, at->id);
  if (lua_isnil(L, -1)) return 0;
  int tables = lua_gettop(L);
  comparison c = {
    .L = L, .tape = csj_document_view(at->document), .left = at->left,
    .omits_nulls = lull_id_omits_nulls(at->id)};
  lull_registry_push(L, at->runtime->null);
  c.null = lua_gettop(L);
  if (c.tape.tape_length >= 4 * LULL_KNOWN_KEYS) {
    luaL_checkstack(L, LULL_KNOWN_KEYS + 8, "nested too deeply");
    c.known = c.null + 1;
    lua_settop(L, c.null + LULL_KNOWN_KEYS);
  }
  lua_pushvalue(L, tables);
  int same = is_as_built(&c, CSJ_ROOT);
  at->left = c.left;
  // A table that was not built like this may still be equal: an integer as a float, a repeated
  // key.
  if (!same) {
    at->found = lull_json_differs(
      L, at->runtime, at->document, tables, c.omits_nulls, &at->place);
  }
  return 0;
}

const char *lull_document_difference(
  lull_runtime *runtime, const void *document, int64_t id, int64_t *left) {
  difference at = {
    .runtime = runtime, .document = document, .id = id, .left = *left > 0 ? (size_t)*left : 0};
  lull_protect(runtime, find_difference, &at);
  *left = (int64_t)at.left;
  char *copy = at.found ? lull_arena_allocate(runtime, at.place.length + 1) : NULL;
  return copy ? strcpy(copy, at.place.pointer) : NULL;
}
