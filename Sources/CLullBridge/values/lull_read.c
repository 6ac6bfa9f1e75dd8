// Reading values from Lua without converting, allocating or raising.
#include "values/lull_read.h"

#include <lull_ledger.h>
#include <stdio.h>
#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "ending/lull_interrupt.h"
#include "ending/lull_memory.h"
#include "values/lull_integer.h"
#include "values/lull_stored.h"

// [-0, +0] Returns the kind of a Lull userdata at `index`, 0 for any other value.
int lull_userdata_kind(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 0);
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return 0;
  int kind = 0;
  if (lua_rawgetp(L, -1, &lull_kind_key) == LUA_TNUMBER) kind = (int)lua_tointeger(L, -1);
  lua_pop(L, 2);
  return kind;
}

// [-0, +0] Returns whether the value is lull.null, or the null of a library that uses a light
// userdata.
static int is_null(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 0);
  if (lua_islightuserdata(L, index)) return lua_touserdata(L, index) == NULL;
  lull_runtime *runtime = lull_state_runtime(L);
  if (runtime == NULL) return 0;
  index = lua_absindex(L, index);
  lull_registry_push(L, runtime->null);
  int same = lua_rawequal(L, index, -1);
  lua_pop(L, 1);
  return same;
}

// [-0, +0]
void lull_read(lua_State *L, int32_t index, lull_value *value) {
  LULL_EFFECT(L, 0, 0);
  *value = (lull_value){.kind = LULL_NIL};
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
      value->kind = LULL_BOOLEAN;
      value->integer = lua_toboolean(L, index);
      return;
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) {
        value->kind = LULL_INTEGER;
        value->integer = lua_tointeger(L, index);
      } else {
        value->kind = LULL_NUMBER;
        value->number = lua_tonumber(L, index);
      }
      return;
    case LUA_TSTRING: {
      size_t length;
      value->kind = LULL_STRING;
      // A string already: no conversion, no allocation.
      value->pointer = lua_tolstring(L, index, &length);
      value->extra = length;
      return;
    }
    case LUA_TTABLE:
      value->kind = LULL_TABLE;
      value->integer = lua_absindex(L, index);
      return;
    case LUA_TFUNCTION:
      value->kind = LULL_FUNCTION;
      value->integer = lua_absindex(L, index);
      return;
    case LUA_TUSERDATA: {
      int kind = lull_userdata_kind(L, index);
      if (kind > 0) {
        lull_object *object = lua_touserdata(L, index);
        value->kind = LULL_OBJECT;
        value->aux = kind;
        value->handle = object->handle;
        return;
      }
      size_t length;
      const char *digits = lua_checkstack(L, 2) ? lull_integer_at(L, index, &length) : NULL;
      if (digits) {
        value->kind = LULL_DIGITS;
        value->pointer = digits;
        value->extra = length;
        return;
      }
    }
    // fallthrough
    case LUA_TLIGHTUSERDATA:
    case LUA_TTHREAD:
      if (lua_checkstack(L, 2) && is_null(L, index)) {
        value->kind = LULL_NULL;
        return;
      }
      value->kind = LULL_OTHER;
      value->integer = lua_absindex(L, index);
      return;
    default: return;
  }
}

// [-0, +0]
int32_t lull_stack_top(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  return lua_gettop(L);
}

// [-0, +1 or +0] Makes room for the first key.
int32_t lull_table_begin(lua_State *L) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (!lua_checkstack(L, 12)) return 0;
  lua_pushnil(L);
  return lua_gettop(L);
}

// [-2, +2 or +0] table, key: returns the next key and value
static int next_entry(lua_State *L) {
  LULL_CALLED_EITHER(L, 2, 2, 0);
  lua_settop(L, 2);
  return LULL_COUNT(L, lua_next(L, 1) ? 2 : 0);
}

// [-0, +0] Returns whether there is enough memory for Swift to copy the key and value at the top.
static int admits_entry(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lull_runtime *runtime = lull_state_runtime(L);
  size_t size = 0;
  for (int index = -2; index <= -1; index++) {
    if (lua_type(L, index) == LUA_TSTRING) size += lua_rawlen(L, index);
  }
  return runtime == NULL || lull_memory_admits(runtime, size);
}

// [-1, +2 or +0] Pushes the next key and value, or nothing at the end or without memory.
int32_t lull_table_next(lua_State *L, int32_t table, lull_value *key, lull_value *value) {
  LULL_EFFECT_EITHER(L, 1, 2, 0);
  // Protected, because a finaliser that runs while a visitor allocates may have changed the table,
  // and then lua_next raises an error. The traversal ends there.
  lua_pushcfunction(L, next_entry);
  lua_pushvalue(L, table);
  lua_pushvalue(L, -3);
  lull_aside aside;
  lull_hook_put_aside(L, &aside);
  int status = lua_pcall(L, 2, 2, 0);
  lull_hook_put_back(L, &aside);
  if (status != LUA_OK) {
    lua_pop(L, 2);
    return status == LUA_ERRMEM ? -1 : 0;
  }
  lua_remove(L, -3);
  if (lua_isnil(L, -2)) {
    lua_pop(L, 2);
    return 0;
  }
  lull_read(L, -2, key);
  lull_read(L, -1, value);
  if (!lull_ledger_is_kept() || admits_entry(L)) return 1;
  lua_pop(L, 2);
  return -1;
}

// [-n, +0] Leaves the key.
void lull_table_pop_value(lua_State *L, int32_t keys) {
  LULL_EFFECT(L, lua_gettop(L) - keys, 0);
  lua_settop(L, keys);
}

// [-n, +0]
void lull_table_leave(lua_State *L, int32_t keys) {
  LULL_EFFECT(L, lua_gettop(L) - keys + 1, 0);
  lua_settop(L, keys - 1);
}

// [-2, +1] table, name as a light userdata: returns the field, including one that a metatable
// provides
static int get_field(lua_State *L) {
  LULL_CALLED(L, 2, 1);
  lua_getfield(L, 1, lua_touserdata(L, 2));
  return 1;
}

// [-0, +0]
int32_t lull_has_function(lua_State *L, int32_t index, const char *name) {
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 6)) return -1;
  index = lua_absindex(L, index);
  // Protected, because an __index of the script may raise an error.
  lua_pushcfunction(L, get_field);
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, (void *)name);
  int status = lua_pcall(L, 2, 1, 0);
  int found = status == LUA_OK && lua_isfunction(L, -1);
  lua_pop(L, 1);
  return status == LUA_ERRMEM ? -1 : found;
}

// [-0, +0]
int64_t lull_table_length(lua_State *L, int32_t index) {
  LULL_EFFECT(L, 0, 0);
  return (int64_t)lua_rawlen(L, index);
}

// [-0, +0]
const void *lull_table_address(lua_State *L, int32_t index) {
  LULL_EFFECT(L, 0, 0);
  return lua_topointer(L, index);
}

// Copies a formatted place into the arena; "" without memory.
static const char *place(lull_runtime *runtime, const char *source, int line) {
  size_t size = strlen(source) + 16;
  char *text = lull_arena_allocate(runtime, size);
  if (text == NULL) return "";
  snprintf(text, size, "%s:%d", source, line);
  return text;
}

// [-0, +0]
const char *lull_function_place(lull_runtime *runtime, lua_State *L, int32_t index) {
  LULL_EFFECT(L, 0, 0);
  lua_Debug info;
  if (!lua_checkstack(L, 2)) return "";
  lua_pushvalue(L, index);
  // ">S" only fills the structure for a Lua or C function: it pushes nothing.
  if (!lua_getinfo(L, ">S", &info) || info.linedefined < 0) return "";
  return place(runtime, info.short_src, info.linedefined);
}

// [-0, +0]
const char *lull_value_place(lull_runtime *runtime, int64_t id) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 4)) return "";
  lull_values_push(runtime, L, id);
  const char *text = lua_isfunction(L, -1) ? lull_function_place(runtime, L, -1) : "";
  lua_pop(L, 1);
  return text;
}

// [-0, +0]
int32_t lull_caller_line(lua_State *L, const char **source, size_t *length) {
  LULL_EFFECT(L, 0, 0);
  lua_Debug info;
  // Level 0 is a Lull function; other C functions have no line.
  for (int level = 1; lua_getstack(L, level, &info); level++) {
    if (!lua_getinfo(L, "Sl", &info)) return 0;
    if (info.currentline <= 0) continue;
    *source = info.source;
    *length = info.srclen;
    return info.currentline;
  }
  return 0;
}
