// The sandbox: a state in which a script has Lull, string, table, math, utf8, coroutine, print,
// the harmless functions of the base library and the modules beside it. Absent functions raise an
// error that says so.
#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "counted/lull_counted.h"
#include "ending/lull_memory.h"
#include "runs/lull_chunks.h"
#include "states/lull_modules.h"
#include "values/lull_marks.h"
#include "values/lull_tables.h"

// The maximum length of arguments of string functions and of results of string.rep; and of a
// pattern.
enum { LULL_MAX_INPUT = 1024 * 1024, LULL_MAX_PATTERN = 256 };

// [-n, +1] __index of the globals
static int global_index(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  if (lua_type(L, 2) == LUA_TSTRING && lull_is_absent(lua_tostring(L, 2))) {
    return luaL_error(L, "%s is not available in the sandbox", lua_tostring(L, 2));
  }
  lua_pushnil(L);
  return 1;
}

// [-n, +0] replaces an absent function; upvalue: its name
static int absent_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  return luaL_error(
    L, "%s is not available in the sandbox", lua_tostring(L, lua_upvalueindex(1)));
}

// [-0, +0] Raises an error if the string at `index` is too long.
static void check_length(lua_State *L, int index, size_t limit, const char *problem) {
  LULL_EFFECT(L, 0, 0);
  size_t length;
  luaL_checklstring(L, index, &length);
  luaL_argcheck(L, length <= limit, index, problem);
}

// [-n, +m] string.find, match, gmatch and gsub; upvalue: the stock function, which is called in
// this frame, so that its errors look the same
static int pattern_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  check_length(L, 1, LULL_MAX_INPUT, "longer than 1 MB, which the sandbox does not allow");
  check_length(
    L, 2, LULL_MAX_PATTERN, "longer than 256 characters, which the sandbox does not allow");
  int count = lua_tocfunction(L, lua_upvalueindex(1))(L);
  size_t length = 0;
  if (count > 0 && lua_type(L, -count) == LUA_TSTRING) lua_tolstring(L, -count, &length);
  if (length > LULL_MAX_INPUT) {
    return luaL_error(L, "the result is longer than 1 MB, which the sandbox does not allow");
  }
  return LULL_COUNT(L, count);
}

// [-n, +1] string.rep; upvalue: the stock function
static int rep_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  size_t length, separator = 0;
  luaL_checklstring(L, 1, &length);
  lua_Integer count = luaL_checkinteger(L, 2);
  luaL_optlstring(L, 3, "", &separator);
  luaL_argcheck(
    L, (double)count * (double)(length + separator) - (double)separator <= LULL_MAX_INPUT, 2,
    "the result would be longer than 1 MB, which the sandbox does not allow");
  return LULL_COUNT(L, lua_tocfunction(L, lua_upvalueindex(1))(L));
}

// [-n, +1] collectgarbage("count") and ("collect")
static int collect_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  const char *option = luaL_optstring(L, 1, "collect");
  if (strcmp(option, "count") == 0) {
    lua_pushnumber(L, lua_gc(L, LUA_GCCOUNT) + lua_gc(L, LUA_GCCOUNTB) / 1024.0);
  } else if (strcmp(option, "collect") == 0) {
    lua_pushinteger(L, lua_gc(L, LUA_GCCOLLECT));
  } else {
    return luaL_error(L, "collectgarbage \"%s\" is not available in the sandbox", option);
  }
  return 1;
}

// [-n, +1] setmetatable, for metatables without __gc
static int set_metatable(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  int type = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
  // The metatable of JSON objects is protected only against changes.
  if (!lull_is_plain_object(L, 1) && luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) {
    return luaL_error(L, "cannot change a protected metatable");
  }
  if (type == LUA_TTABLE) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL) {
      return luaL_error(L, "__gc is not available in the sandbox");
    }
  }
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

// [-n, +0] print(…), with control characters escaped on a terminal, because the text may come from
// anywhere
static int print_visibly(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    size_t length;
    const char *text = luaL_tolstring(L, i, &length);
    lull_host_print(text, length, i < count ? '\t' : '\n');
    lua_pop(L, 1);
  }
  if (count == 0) lull_host_print("", 0, '\n');
  lull_flush_out();
  return 0;
}

// [-0, +0] Replaces table[name] with a checked function; the table is at the top.
static void wrap(lua_State *L, const char *name, lua_CFunction function) {
  LULL_EFFECT(L, 0, 0);
  lua_getfield(L, -1, name);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

// [-0, +0]
static void guard_string(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  static const char *const names[] = {"find", "match", "gmatch", "gsub", NULL};
  luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
  for (int i = 0; names[i]; i++) wrap(L, names[i], pattern_function);
  wrap(L, "rep", rep_function);
  lua_pushliteral(L, "string.dump");
  lua_pushcclosure(L, absent_function, 1);
  lua_setfield(L, -2, "dump");
  lua_pop(L, 1);
  // All strings share this metatable, so it is protected from changes by scripts.
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}

// [-0, +0]
static void open_base(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  static const luaL_Reg functions[] = {
    {"collectgarbage", collect_function},
    {"print", print_visibly},
    {"setmetatable", set_metatable},
    {NULL, NULL}};
  luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
  luaL_setfuncs(L, functions, 0);
  lua_pushnil(L);
  lua_setfield(L, -2, "dofile");
  lua_pushnil(L);
  lua_setfield(L, -2, "loadfile");
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, global_index);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
  lull_refuse_bytecode(L, 1);
}

// [-1, +0] Opens the libraries; argument: the folder as a light userdata, or NULL
static int open_sandbox(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  static const luaL_Reg libraries[] = {
    {LUA_STRLIBNAME, luaopen_string},
    {LUA_TABLIBNAME, luaopen_table},
    {LUA_MATHLIBNAME, luaopen_math},
    {LUA_UTF8LIBNAME, luaopen_utf8},
    {LUA_COLIBNAME, luaopen_coroutine},
    {NULL, NULL}};
  const char *folder = lua_touserdata(L, 1);
  lua_pushboolean(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_sandbox_key);
  // Arrays share one metatable, and objects another, so they are protected from changes by
  // scripts.
  lull_push_array_metatable(L);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lull_push_object_metatable(L);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
  open_base(L);
  for (const luaL_Reg *library = libraries; library->func; library++) {
    luaL_requiref(L, library->name, library->func, 1);
    lua_pop(L, 1);
  }
  lull_count_functions(L);
  guard_string(L);
  lua_pushstring(L, folder);
  lua_pushcclosure(L, lull_sandbox_require, 1);
  lua_setglobal(L, "require");
  return 0;
}

// [-0, +0] (unproved: the state is new)
lua_State *lull_state_new_sandboxed(const char *folder) {
  lua_State *L = lull_memory_new_state();
  if (L == NULL) return NULL;
  lua_pushcfunction(L, open_sandbox);
  lua_pushlightuserdata(L, (void *)folder);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    lull_state_close(L);
    return NULL;
  }
  return L;
}
