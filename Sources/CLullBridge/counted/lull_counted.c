// The functions of the interpreter's library that are replaced if there are limits, and in the
// sandbox.
//
// All others take time proportional to their input or output, which the memory limit bounds, or
// call script functions, which can be interrupted.
#include "counted/lull_counted.h"

#include <ctype.h>
#include <string.h>

#include "base/lull_stack.h"
#include "counted/lull_elements.h"
#include "counted/lull_patterns.h"
#include "ending/lull_work.h"

// The maximum number of bytes that string.rep and string.pack may create from nothing.
static const size_t most_bytes = (size_t)1 << 28;
static const char too_long[] = "the result would be longer than 256 MB, the most under a limit";

// [-n, +1] string.rep, which fills the result by doubling its contents.
static int rep(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  size_t length, between;
  const char *text = luaL_checklstring(L, 1, &length);
  lua_Integer count = luaL_checkinteger(L, 2);
  const char *separator = luaL_optlstring(L, 3, "", &between);
  if (count <= 0 || length + between == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  // As in the stock function.
  if (length + between > (size_t)LUA_MAXINTEGER / (size_t)count) {
    return luaL_error(L, "resulting string too large");
  }
  size_t unit = length + between, size = unit * (size_t)count - between;
  luaL_argcheck(L, size <= most_bytes, 2, too_long);
  lull_work work = {.L = L};
  lull_work_add_bytes(&work, size);
  luaL_Buffer result;
  char *bytes = luaL_buffinitsize(L, &result, size);
  memcpy(bytes, text, length);
  if (count > 1) memcpy(bytes + length, separator, between);
  for (size_t done = count > 1 ? unit : length; done < size; ) {
    size_t more = done <= size - done ? done : size - done;
    memcpy(bytes + done, bytes, more);
    done += more;
  }
  luaL_pushresultsize(&result, size);
  lull_work_end(&work);
  return 1;
}

// [-n, +m] string.pack; upvalue: the stock function. A format may require any amount of padding.
static int pack(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  size_t total = 0;
  for (const char *place = luaL_checkstring(L, 1); *place; place++) {
    if (*place != 'c') continue;
    size_t size = 0;
    while (isdigit((unsigned char)place[1]) && size <= most_bytes) {
      size = size * 10 + (size_t)(*++place - '0');
    }
    total += size;
    luaL_argcheck(L, total <= most_bytes, 1, too_long);
  }
  lull_work work = {.L = L};
  lull_work_add_bytes(&work, total);
  lull_work_end(&work);
  return LULL_COUNT(L, lua_tocfunction(L, lua_upvalueindex(1))(L));
}

typedef struct replacement {
  const char *library;
  const char *name;
  lua_CFunction function;
  int has_stock;  // its upvalue
} replacement;

// [-0, +0] Replaces a function in the library at the top.
static void replace(lua_State *L, const replacement *replacement) {
  LULL_EFFECT(L, 0, 0);
  int top = lua_gettop(L);
  lua_getfield(L, top, replacement->name);
  // Stock functions have no upvalues. A function with upvalues is Lull's or the sandbox's.
  int is_stock = lua_iscfunction(L, -1) && lua_tocfunction(L, -1) != replacement->function
    && lua_getupvalue(L, -1, 1) == NULL;
  if (is_stock) {
    if (!replacement->has_stock) lua_pop(L, 1);
    lua_pushcclosure(L, replacement->function, replacement->has_stock);
    lua_setfield(L, top, replacement->name);
  }
  lua_settop(L, top);
}

// [-0, +0]
void lull_count_functions(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  static const replacement replacements[] = {
    {LUA_STRLIBNAME, "find", lull_string_find, 0},
    {LUA_STRLIBNAME, "match", lull_string_match, 0},
    {LUA_STRLIBNAME, "gmatch", lull_string_gmatch, 0},
    {LUA_STRLIBNAME, "gsub", lull_string_gsub, 0},
    {LUA_STRLIBNAME, "rep", rep, 0},
    {LUA_STRLIBNAME, "pack", pack, 1},
    {LUA_TABLIBNAME, "insert", lull_table_insert, 0},
    {LUA_TABLIBNAME, "remove", lull_table_remove, 0},
    {LUA_TABLIBNAME, "move", lull_table_move, 0},
    {LUA_TABLIBNAME, "concat", lull_table_concat, 0},
    {LUA_TABLIBNAME, "sort", lull_table_sort, 1},
  };
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  for (size_t i = 0; i < sizeof replacements / sizeof replacements[0]; i++) {
    const replacement *one = &replacements[i];
    if (lua_getfield(L, -1, one->library) == LUA_TTABLE) replace(L, one);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}
