// Copies of transformer content as it was published, and the differences from them.
#include <csj_compare.h>
#include <stdio.h>
#include <string.h>

#include "base/lull_stack.h"
#include "values/lull_stored.h"
#include "values/lull_marks.h"
#include "values/lull_order.h"
#include "values/lull_protect.h"

// Tables nested deeper than this are not copied.
enum { LULL_DEEPEST_SNAPSHOT = 150 };

typedef struct snapshot {
  lull_runtime *runtime;
  int64_t id;
  int64_t copy;
  size_t left;  // how many more values may be copied or compared
  int found;  // a copy was made, or a difference was found
  int seen;  // the stack position of the tables already copied or compared, with their counterparts
  char pointer[512];  // a JSON Pointer, cut off if it is too long
  size_t length;
} snapshot;

// [-0, +0] Returns whether the value at `index` is a table without a metatable set by the script.
static int is_plain(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 0);
  if (!lua_istable(L, index)) return 0;
  if (lull_is_array(L, index) || lull_is_plain_object(L, index)) return 1;
  if (!lua_getmetatable(L, index)) return 1;
  lua_pop(L, 1);
  return 0;
}

// [-0, +1] Pushes a copy of the value at `index`: a deep copy for plain tables, otherwise the
// value itself.
static void copy_value(lua_State *L, snapshot *at, int index, int depth) {
  LULL_EFFECT(L, 0, 1);
  luaL_checkstack(L, 10, "nested too deeply");
  if (!is_plain(L, index)) {
    lua_pushvalue(L, index);
    return;
  }
  lua_pushvalue(L, index);
  if (lua_rawget(L, at->seen) != LUA_TNIL) return;
  lua_pop(L, 1);
  if (depth > LULL_DEEPEST_SNAPSHOT) luaL_error(L, "nested too deeply");
  lua_createtable(L, (int)lua_rawlen(L, index), 0);
  int copy = lua_gettop(L);
  if (lua_getmetatable(L, index)) lua_setmetatable(L, copy);
  lua_pushvalue(L, index);
  lua_pushvalue(L, copy);
  lua_rawset(L, at->seen);
  lull_copy_key_order(L, index, copy);
  for (lua_pushnil(L); lua_next(L, index);) {
    if (at->left-- == 0) luaL_error(L, "too large");
    int key = lua_gettop(L) - 1;
    lua_pushvalue(L, key);
    copy_value(L, at, key + 1, depth + 1);
    lua_rawset(L, copy);
    lua_settop(L, key);
  }
}

// [-1, +0] The protected part of lull_value_snapshot.
static int take(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  snapshot *at = lua_touserdata(L, 1);
  lull_values_push(at->runtime, L, at->id);
  int table = lua_gettop(L);
  if (!is_plain(L, table)) return 0;
  lua_newtable(L);
  at->seen = lua_gettop(L);
  copy_value(L, at, table, 0);
  lull_registry_push(L, at->runtime->values);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, (lua_Integer)at->copy);
  at->found = 1;
  return 0;
}

int32_t lull_value_snapshot(lull_runtime *runtime, int64_t id, int64_t copy, int64_t most) {
  snapshot at = {.runtime = runtime, .id = id, .copy = copy, .left = most > 0 ? (size_t)most : 0};
  return lull_protect(runtime, take, &at) == LUA_OK && at.found;
}

// [-0, +0] Extends the pointer by the key at `key`; `is_list`: a number is a position.
static void descend(lua_State *L, snapshot *at, int key, int is_list) {
  LULL_EFFECT(L, 0, 0);
  char text[32];
  size_t length;
  const char *token = text;
  switch (lua_type(L, key)) {
    case LUA_TSTRING: token = lua_tolstring(L, key, &length); break;
    case LUA_TNUMBER:
      length = lua_isinteger(L, key)
        ? (size_t)snprintf(text, sizeof text, "%lld", (long long)lua_tointeger(L, key) - (is_list ? 1 : 0))
        : (size_t)snprintf(text, sizeof text, "%.14g", lua_tonumber(L, key));
      break;
    default: length = (size_t)snprintf(text, sizeof text, "(%s)", luaL_typename(L, key));
  }
  at->length = csj_pointer_append(at->pointer, at->length, sizeof at->pointer, token, length);
}

// [-0, +0] Returns whether the values at a and b are equal. If not, the pointer remains at the
// place.
static int is_same(lua_State *L, snapshot *at, int a, int b, int depth) {
  LULL_EFFECT(L, 0, 0);
  if (lua_rawequal(L, a, b)) return 1;
  if (lua_type(L, a) == LUA_TNUMBER && lua_type(L, b) == LUA_TNUMBER) {
    return lua_tonumber(L, a) != lua_tonumber(L, a) && lua_tonumber(L, b) != lua_tonumber(L, b);
  }
  if (!is_plain(L, a) || !is_plain(L, b) || depth > LULL_DEEPEST_SNAPSHOT) return 0;
  luaL_checkstack(L, 10, "nested too deeply");
  lua_pushvalue(L, b);
  lua_rawget(L, at->seen);
  int is_known = lua_rawequal(L, -1, a);
  lua_pop(L, 1);
  if (is_known) return 1;
  lua_pushvalue(L, b);
  lua_pushvalue(L, a);
  lua_rawset(L, at->seen);
  int is_list = lua_rawlen(L, b) > 0;
  size_t before = at->length, count = 0;
  for (lua_pushnil(L); lua_next(L, b); lua_pop(L, 1)) {
    if (at->left == 0) {
      lua_pop(L, 2);
      return 1;
    }
    at->left--;
    count++;
    int key = lua_gettop(L) - 1;
    lua_pushvalue(L, key);
    lua_rawget(L, a);
    descend(L, at, key, is_list);
    if (!is_same(L, at, key + 2, key + 1, depth + 1)) {
      lua_pop(L, 3);
      return 0;
    }
    at->length = before;
    at->pointer[before] = 0;
    lua_pop(L, 1);
  }
  for (lua_pushnil(L); lua_next(L, a); lua_pop(L, 1)) {
    if (count > 0) {
      count--;
      continue;
    }
    // The numbers of keys differ, so one key is new, possibly one that was not visited.
    lua_pop(L, 2);
    for (lua_pushnil(L); lua_next(L, a); lua_pop(L, 1)) {
      lua_pushvalue(L, -2);
      int is_new = lua_rawget(L, b) == LUA_TNIL;
      lua_pop(L, 1);
      if (!is_new) continue;
      descend(L, at, lua_gettop(L) - 1, is_list);
      lua_pop(L, 2);
      return 0;
    }
    return 0;
  }
  return 1;
}

// [-1, +0] The protected part of lull_value_difference.
static int compare(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  snapshot *at = lua_touserdata(L, 1);
  lull_values_push(at->runtime, L, at->id);
  lull_values_push(at->runtime, L, at->copy);
  int a = lua_gettop(L) - 1;
  if (lua_isnil(L, a) || lua_isnil(L, a + 1)) return 0;
  lua_newtable(L);
  at->seen = lua_gettop(L);
  at->found = !is_same(L, at, a, a + 1, 0);
  return 0;
}

const char *lull_value_difference(
  lull_runtime *runtime, int64_t id, int64_t copy, int64_t *left) {
  snapshot at = {.runtime = runtime, .id = id, .copy = copy, .left = *left > 0 ? (size_t)*left : 0};
  if (lull_protect(runtime, compare, &at) != LUA_OK) return NULL;
  *left = (int64_t)at.left;
  char *text = at.found ? lull_arena_allocate(runtime, at.length + 1) : NULL;
  return text ? strcpy(text, at.pointer) : NULL;
}
