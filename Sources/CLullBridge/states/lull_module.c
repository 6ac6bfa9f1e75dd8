// The module table: the result of `require "lull"`.
#include "states/lull_module.h"

#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "calls/lull_list.h"
#include "calls/lull_objects.h"
#include "json/lull_json.h"
#include "values/lull_inspect.h"
#include "values/lull_integer.h"
#include "values/lull_push.h"

// The values of `lull.unhandled`; the first is the default.
static const char *const unhandled_values[] = {"report", "ignore"};

// [-1, +0] Raises an error: the value at the top is not allowed for `lull.unhandled`.
static int refuse_unhandled(lua_State *L) {
  LULL_EFFECT(L, 1, 0);
  const char *found = lua_type(L, -1) == LUA_TNUMBER || lua_type(L, -1) == LUA_TBOOLEAN
    ? luaL_tolstring(L, -1, NULL) : luaL_typename(L, -1);
  const char *near = NULL;
  if (lua_type(L, -1) == LUA_TSTRING && lua_type(L, 3) == LUA_TSTRING) {
    found = lua_pushfstring(L, "'%s'", lua_tostring(L, 3));
    near = lull_host_nearest(lua_tostring(L, 3), unhandled_values, 2);
  }
  const char *rule = "'unhandled' must be \"report\" or \"ignore\", got";
  return near ? luaL_error(L, "%s %s (did you mean '%s'?)", rule, found, near)
              : luaL_error(L, "%s %s", rule, found);
}

// [-3, +0] __newindex: assigns a new field of the module table; upvalue: the table of its checked
// fields
static int module_newindex(lua_State *L) {
  LULL_CALLED(L, 3, 0);
  if (lua_type(L, 2) != LUA_TSTRING || strcmp(lua_tostring(L, 2), "unhandled") != 0) {
    lua_rawset(L, 1);
    lua_settop(L, 0);
    return 0;
  }
  int place = 0;
  while (place < 2
    && !(lua_type(L, 3) == LUA_TSTRING
      && strcmp(lua_tostring(L, 3), unhandled_values[place]) == 0)) {
    place++;
  }
  if (place == 2) refuse_unhandled(L);
  lull_runtime *runtime = lull_state_runtime(L);
  if (runtime) runtime->ignores_unhandled = place;
  lua_rawset(L, lua_upvalueindex(1));
  lua_settop(L, 0);
  return 0;
}

// [-0, +0] Adds the checked fields to the module table at the top.
static void open_settings(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_createtable(L, 0, 3);
  // A table, because a session searches it for names.
  lua_createtable(L, 0, 1);
  lua_pushstring(L, unhandled_values[0]);
  lua_setfield(L, -2, "unhandled");
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, module_newindex, 1);
  lua_setfield(L, -3, "__newindex");
  lua_setfield(L, -2, "__index");
  // Shared by all code in the state.
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
}

// [-0, +1] Pushes the module table, built from the method table.
void lull_make_module(lull_runtime *runtime, lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  lua_newtable(L);
  for (int i = 0; i < runtime->method_count; i++) {
    const lull_method *method = &runtime->methods[i];
    if (method->kind != LULL_KIND_MODULE || method->role != LULL_ROLE_METHOD) continue;
    // Not part of the module: lull_replace_exit sets it elsewhere.
    if (method->table && strcmp(method->table, "os") == 0) continue;
    if (method->table) {
      lua_pushstring(L, method->table);
      lua_pushvalue(L, -1);
      if (lua_rawget(L, -3) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -5);
      }
      lull_set_closure(L, method->name, i);
      lua_pop(L, 2);
    } else {
      lull_set_closure(L, method->name, i);
    }
  }
  lull_registry_push(L, runtime->null);
  lua_setfield(L, -2, "null");
  lull_value log = {
    .kind = LULL_OBJECT, .aux = LULL_KIND_LOG, .handle = lull_host_log(runtime->host)};
  lull_push(runtime, L, NULL, &log);
  lua_setfield(L, -2, "log");
  lua_pushstring(L, lull_host_version());
  lua_setfield(L, -2, "version");
  lull_open_integers(L);
  lull_open_json(L, runtime);
  lull_list_open(L);
  lua_pushcfunction(L, lull_inspect);
  lua_setfield(L, -2, "inspect");
  lua_pushcfunction(L, lull_copy);
  lua_setfield(L, -2, "copy");
  open_settings(L);
}

int32_t lull_module_ignores_unhandled(lull_runtime *runtime) { return runtime->ignores_unhandled; }
