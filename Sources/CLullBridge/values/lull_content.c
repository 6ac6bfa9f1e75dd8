// Reading values created by scripts, for Swift: finding the value at a path, and comparing two
// values. Nothing here calls a metamethod.
#include <string.h>

#include "base/lull_stack.h"
#include "values/lull_stored.h"
#include "values/lull_marks.h"
#include "values/lull_protect.h"
#include "values/lull_read.h"

typedef struct walking {
  lull_runtime *runtime;
  int64_t id;
  const char *keys;
  int32_t count;
  int32_t list;
  lull_value *value;
} walking;

// [-0, +0] Replaces the list at the top with its last element; nil for any other value.
static void take_last(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  if (lua_istable(L, -1)) {
    lua_rawgeti(L, -1, (lua_Integer)lua_rawlen(L, -1));
  } else {
    lua_pushnil(L);
  }
  lua_replace(L, -2);
}

// [-1, +0] Fills the value; strings are copied into the arena.
static int walk(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  walking *context = lua_touserdata(L, 1);
  lull_values_push(context->runtime, L, context->id);
  const char *key = context->keys;
  for (int32_t i = 0; i < context->count; i++, key += strlen(key) + 1) {
    if (i == context->list) take_last(L);
    if (!lua_istable(L, -1)) return 0;
    lua_pushstring(L, key);
    lua_rawget(L, -2);
    lua_remove(L, -2);
  }
  lull_value *value = context->value;
  lull_read(L, -1, value);
  if (value->kind == LULL_TABLE) {
    // The stack position is no longer valid.
    value->integer = (int64_t)lua_rawlen(L, -1);
    lua_pushnil(L);
    value->aux = lua_next(L, -2);
    return 0;
  }
  if (value->kind != LULL_STRING && value->kind != LULL_DIGITS) return 0;
  char *copy = value->extra ? lull_arena_allocate(context->runtime, value->extra) : NULL;
  if (copy) memcpy(copy, value->pointer, value->extra);
  else value->extra = 0;
  value->pointer = copy;
  return 0;
}

int32_t lull_value_field(
  lull_runtime *runtime, int64_t id, const char *keys, int32_t count, int32_t list,
  lull_value *value) {
  *value = (lull_value){.kind = LULL_NIL};
  walking context = {
    .runtime = runtime, .id = id, .keys = keys, .count = count, .list = list, .value = value};
  int status = lull_protect(runtime, walk, &context);
  if (status != LUA_OK) *value = (lull_value){.kind = LULL_NIL};
  return status;
}

// Tables nested deeper than this count as different.
enum { LULL_DEEPEST_COMPARISON = 150 };

// [-0, +0] Returns whether a and b have equal contents; `seen`: pairs of tables already assumed
// equal, for cycles.
static int holds_same(lua_State *L, int a, int b, int seen, int depth) {
  LULL_EFFECT(L, 0, 0);
  if (lua_rawequal(L, a, b)) return 1;
  if (!lua_istable(L, a) || !lua_istable(L, b) || depth > LULL_DEEPEST_COMPARISON) return 0;
  luaL_checkstack(L, 10, "tables nested too deeply");
  lua_pushvalue(L, a);
  lua_rawget(L, seen);
  int is_known = lua_rawequal(L, -1, b);
  lua_pop(L, 1);
  if (is_known) return 1;
  lua_pushvalue(L, a);
  lua_pushvalue(L, b);
  lua_rawset(L, seen);

  int has_a = !lull_is_plain_object(L, a) && lua_getmetatable(L, a);
  int has_b = !lull_is_plain_object(L, b) && lua_getmetatable(L, b);
  int same = has_a == has_b && (!has_a || lua_rawequal(L, -1, -2));
  lua_pop(L, has_a + has_b);
  if (!same) return 0;
  size_t fields = 0;
  for (lua_pushnil(L); lua_next(L, a); lua_pop(L, 1)) {
    fields++;
    lua_pushvalue(L, -2);
    lua_rawget(L, b);
    int top = lua_gettop(L);
    if (!holds_same(L, top - 1, top, seen, depth + 1)) {
      lua_pop(L, 3);
      return 0;
    }
    lua_pop(L, 1);
  }
  for (lua_pushnil(L); lua_next(L, b); lua_pop(L, 1)) {
    if (fields-- == 0) {
      lua_pop(L, 2);
      return 0;
    }
  }
  return fields == 0;
}

typedef struct comparing {
  lull_runtime *runtime;
  int64_t a;
  int64_t b;
  int same;
} comparing;

// [-1, +0]
static int compare(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  comparing *context = lua_touserdata(L, 1);
  lull_values_push(context->runtime, L, context->a);
  lull_values_push(context->runtime, L, context->b);
  lua_newtable(L);
  int seen = lua_gettop(L);
  context->same = holds_same(L, seen - 2, seen - 1, seen, 0);
  return 0;
}

int32_t lull_value_same(lull_runtime *runtime, int64_t a, int64_t b) {
  comparing context = {.runtime = runtime, .a = a, .b = b};
  return lull_protect(runtime, compare, &context) == LUA_OK && context.same;
}

// [-1, +1] Returns a global by name, read from the table of globals itself.
static int get_global(lua_State *L) {
  LULL_CALLED(L, 1, 1);
  const char *name = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  lua_pushstring(L, name);
  lua_rawget(L, -2);
  return 1;
}

// [-0, +1 or +0]
int32_t lull_push_global(lua_State *L, const char *name) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (!lua_checkstack(L, 8)) return 0;
  lua_pushcfunction(L, get_global);
  lua_pushlightuserdata(L, (void *)name);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) return lua_gettop(L);
  lua_pop(L, 1);
  return 0;
}

// [-n, +0]
void lull_pop_from(lua_State *L, int32_t index) {
  LULL_EFFECT(L, lua_gettop(L) - index + 1, 0);
  lua_settop(L, index - 1);
}
