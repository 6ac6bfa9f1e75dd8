// The place where a Lua function reads a value, so that the report of an error there can name the
// value's origin.
#include <stdlib.h>
#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "values/lull_protect.h"

// [-0, +0] Returns the position of the function at a level; line 0 if it is not a Lua function.
static void note_level(lua_State *L, int level, lull_position *position) {
  LULL_EFFECT(L, 0, 0);
  *position = (lull_position){.line = 0};
  lua_Debug info;
  if (!lua_getstack(L, level, &info) || !lua_getinfo(L, "Sl", &info) || info.currentline <= 0) return;
  position->thread = (uintptr_t)L;
  position->source = (uintptr_t)info.source;
  position->line = info.currentline;
}

// [-0, +0]
void lull_position_of_caller(lua_State *L, lull_position *position) {
  LULL_EFFECT(L, 0, 0);
  note_level(L, 1, position);
}

void lull_position_of_failure(const lull_run *run, int32_t level, lull_position *position) {
  *position = (lull_position){.line = 0};
  if (run->L != NULL && !run->is_protected_call) note_level(run->L, level, position);
}

typedef struct resolving {
  lua_State *failed;
  int32_t level;
  const char *name;
  const char *keys;
  int32_t count;
  int32_t walked;
  lull_value *value;
} resolving;

// [-0, +1] Pushes the value of a name in the environment at the top, if that is a session's, or
// nil. A Lull function looks it up in the session's values, then in the globals, its second and
// third upvalues. Nothing is called.
static void push_session_variable(lua_State *L, const char *name) {
  LULL_EFFECT(L, 0, 1);
  int top = lua_gettop(L);
  if (luaL_getmetafield(L, top, "__index") == LUA_TFUNCTION && lua_iscfunction(L, -1)) {
    for (int i = 2; i <= 3 && lua_getupvalue(L, top + 1, i) != NULL; i++) {
      if (lua_istable(L, -1)) {
        lua_pushstring(L, name);
        if (lua_rawget(L, -2) != LUA_TNIL) {
          lua_replace(L, top + 1);
          lua_settop(L, top + 1);
          return;
        }
      }
      lua_settop(L, top + 1);
    }
  }
  lua_settop(L, top);
  lua_pushnil(L);
}

// [-0, +1 or +0] Pushes the variable with that name which the failed function sees, if there is
// one.
static int push_variable(lua_State *L, resolving *context) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  lua_State *failed = context->failed;
  lua_Debug info;
  if (failed == L || !lua_getstack(failed, context->level, &info) || !lua_checkstack(failed, 4)) return 0;
  int found = 0;
  const char *name;
  // The last variable with a name hides earlier ones.
  for (int i = 1; (name = lua_getlocal(failed, &info, i)) != NULL; i++) {
    lua_pop(failed, 1);
    if (strcmp(name, context->name) == 0) found = i;
  }
  if (found) {
    lua_getlocal(failed, &info, found);
    lua_xmove(failed, L, 1);
    return 1;
  }
  lua_getinfo(failed, "f", &info);
  lua_xmove(failed, L, 1);
  int function = lua_gettop(L), environment = 0;
  for (int i = 1; (name = lua_getupvalue(L, function, i)) != NULL; i++) {
    if (strcmp(name, context->name) == 0) {
      lua_replace(L, function);
      return 1;
    }
    if (strcmp(name, "_ENV") == 0) environment = i;
    lua_pop(L, 1);
  }
  if (environment == 0) {
    lua_pop(L, 1);
    return 0;
  }
  lua_getupvalue(L, function, environment);
  lua_replace(L, function);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    return 0;
  }
  lua_pushstring(L, context->name);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    lua_pop(L, 1);
    push_session_variable(L, context->name);
  }
  lua_remove(L, -2);
  return 1;
}

// [-1, +0] fills the value
static int resolve(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  resolving *context = lua_touserdata(L, 1);
  luaL_checkstack(L, 12, NULL);
  if (!push_variable(L, context)) return 0;
  const char *key = context->keys;
  while (context->walked < context->count && lua_istable(L, -1)) {
    if (*key == '\1') {
      lua_pushinteger(L, strtoll(key + 1, NULL, 10));
    } else {
      lua_pushstring(L, key);
    }
    lua_rawget(L, -2);
    lua_remove(L, -2);
    context->walked++;
    key += strlen(key) + 1;
  }
  // Strings and other tables are not needed.
  if (lua_isuserdata(L, -1)) {
    lull_read(L, -1, context->value);
  } else if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key) == LUA_TUSERDATA) {
    lua_getiuservalue(L, -1, 1);
    if (lua_rawequal(L, -1, -3)) {
      *context->value = (lull_value){.kind = LULL_OBJECT, .aux = LULL_KIND_MODULE};
    }
  }
  return 0;
}

int32_t lull_failed_variable(
  lull_runtime *runtime, const lull_run *run, int32_t level, const char *name, const char *keys,
  int32_t count, lull_value *value) {
  *value = (lull_value){.kind = LULL_NIL};
  resolving context = {
    .failed = run->L, .level = level, .name = name, .keys = keys, .count = count, .value = value};
  if (lull_protect(runtime, resolve, &context) != LUA_OK) *value = (lull_value){.kind = LULL_NIL};
  return context.walked;
}
