// The environment of an API file that is only inspected: the sandbox, and stand-ins without
// effects for functions that such files often use. They reveal nothing about the machine except
// the time.
#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "calls/lull_dispatch.h"
#include "values/lull_protect.h"

// The value of environment variables that count as set: short, and a number, so that it is valid
// as a token, a port or a part of an address.
static const char stand_in[] = "1";

// [-0, +0] Returns the runtime of a function in this file, from its first upvalue.
static lull_runtime *own_runtime(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  return lua_touserdata(L, lua_upvalueindex(1));
}

// [-n, +1] os.getenv(name)
static int get_variable(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  const char *name = luaL_checkstring(L, 1);
  if (lull_host_sets_variable(own_runtime(L)->host, name)) {
    lua_pushstring(L, stand_in);
  } else {
    luaL_pushfail(L);
  }
  return 1;
}

// [-n, +0] print(…): passes the text to the inspecting command
static int print_aside(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  int count = lua_gettop(L);
  luaL_Buffer line;
  luaL_buffinit(L, &line);
  for (int i = 1; i <= count; i++) {
    if (i > 1) luaL_addchar(&line, '\t');
    luaL_tolstring(L, i, NULL);
    luaL_addvalue(&line);
  }
  luaL_addchar(&line, '\n');
  luaL_pushresult(&line);
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  lull_host_print_aside(own_runtime(L)->host, text, length);
  return 0;
}

// [-n, +1] __index of os
static int os_index(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  return luaL_error(L, "os.%s is not available in the sandbox", luaL_tolstring(L, 2, NULL));
}

// [-0, +0] Sets a function with the runtime as its upvalue in the table at the top.
static void set_function(lua_State *L, const char *name, lua_CFunction function) {
  LULL_EFFECT(L, 0, 0);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

// [-0, +1] Pushes os with its harmless functions and those that end the run.
static void make_os(lua_State *L, const lull_runtime *runtime) {
  LULL_EFFECT(L, 0, 1);
  static const char *const names[] = {"clock", "date", "difftime", "time", NULL};
  lua_newtable(L);
  // Called and not required, so that the rest of it is not accessible elsewhere.
  lua_pushcfunction(L, luaopen_os);
  lua_call(L, 0, 1);
  for (int i = 0; names[i]; i++) {
    lua_getfield(L, -1, names[i]);
    lua_setfield(L, -3, names[i]);
  }
  lua_pop(L, 1);
  set_function(L, "getenv", get_variable);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lua_pushinteger(L, runtime->exit_method);
  lua_pushcclosure(L, lull_trampoline, 2);
  lua_setfield(L, -2, "exit");
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, os_index);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

// [-1, +0] The protected part of lull_inspection_open.
static int open_inspection(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  lull_runtime *runtime = lua_touserdata(L, 1);
  make_os(L, runtime);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, LUA_OSLIBNAME);
  lua_pop(L, 1);
  lua_setglobal(L, LUA_OSLIBNAME);
  lua_pushglobaltable(L);
  set_function(L, "print", print_aside);
  set_function(L, "warn", print_aside);
  return 0;
}

int32_t lull_inspection_open(lull_runtime *runtime, int32_t exit_method) {
  runtime->exit_method = exit_method;
  return lull_protect(runtime, open_inspection, runtime);
}

// [-1, +1] Returns whether a stock interpreter would find the module; argument: the name as a
// light userdata
static int search_module(lua_State *L) {
  LULL_CALLED(L, 1, 1);
  static const char *const fields[] = {"path", "cpath", NULL};
  const char *name = lua_touserdata(L, 1);
  luaL_requiref(L, LUA_LOADLIBNAME, luaopen_package, 0);
  for (int i = 0; fields[i]; i++) {
    lua_getfield(L, -1, "searchpath");
    lua_pushstring(L, name);
    lua_getfield(L, -3, fields[i]);
    lua_call(L, 2, 1);
    if (!lua_isnil(L, -1)) {
      lua_pushboolean(L, 1);
      return 1;
    }
    lua_pop(L, 1);
  }
  lua_pushboolean(L, 0);
  return 1;
}

// [-0, +0] (unproved: the state is new) Uses a separate state in which nothing is run. Files are
// only looked for; the interpreter opens and closes them.
int32_t lull_module_is_elsewhere(const char *name) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return 0;
  lua_pushcfunction(L, search_module);
  lua_pushlightuserdata(L, (void *)name);
  int is_found = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_toboolean(L, -1);
  lua_close(L);
  return is_found;
}
