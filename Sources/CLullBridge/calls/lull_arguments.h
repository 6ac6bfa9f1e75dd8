// Checks of a call from Lua that are made before Swift is called.
#ifndef LULL_ARGUMENTS_H
#define LULL_ARGUMENTS_H

#include "base/lull_stack.h"
#include "runtime/lull_runtime.h"

int lull_argument_error(lua_State *L, const lull_method *method, int position, const char *text);
int lull_argument_fits(lua_State *L, int index, char letter);
void lull_arguments_check(
  lull_runtime *runtime, lua_State *L, const lull_method *method, int first, int top);
// Returns the indefinite article for the name, "an" or "a".
const char *lull_article(const char *name);
// Raises an error: the value at 1 is not of the method's kind, or is closed.
int lull_self_error(lull_runtime *runtime, lua_State *L, const lull_method *method);
// Raises an error: nothing can be called any more.
int lull_closed_error(lua_State *L, const lull_method *method);

// [-0, +0] Raises an error if Lull is closed.
static inline void lull_check_open(lull_runtime *runtime, lua_State *L, const char *name) {
  LULL_EFFECT(L, 0, 0);
  if (runtime->host == NULL) luaL_error(L, "lull is closed ('%s')", name);
}

// [-0, +0] Returns whether the value at 1 is an object of the method's kind.
static inline int lull_self_is(lull_runtime *runtime, lua_State *L, const lull_method *method) {
  LULL_EFFECT(L, 0, 0);
  if (lua_type(L, 1) != LUA_TUSERDATA || !lua_getmetatable(L, 1)) return 0;
  int same = lua_topointer(L, -1) == runtime->metatable_of[method->kind];
  lua_pop(L, 1);
  return same;
}

// [-0, +0] Returns the value at 1. Raises an error unless it is an open object of the method's
// kind.
static inline lull_object *lull_self_check(
  lull_runtime *runtime, lua_State *L, const lull_method *method) {
  LULL_EFFECT(L, 0, 0);
  lull_object *object = lull_self_is(runtime, L, method) ? lua_touserdata(L, 1) : NULL;
  if (object == NULL || object->handle == 0) lull_self_error(runtime, L, method);
  return object;
}

#endif
