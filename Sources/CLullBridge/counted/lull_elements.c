// The functions of `table`, as described in Lua's manual (section 6.6). A metamethod may define
// the length, and reading an element may call only C, so that no instruction is counted.
#include "counted/lull_elements.h"

#include <limits.h>

#include "base/lull_stack.h"
#include "ending/lull_work.h"

// The metamethods required of a value that is not a table.
enum { TO_READ = 1, TO_WRITE = 2, TO_MEASURE = 4 };

// [-0, +0] Raises an error if the argument is neither a table nor usable like one.
static void check_table(lua_State *L, int index, int needs) {
  LULL_EFFECT(L, 0, 0);
  static const struct {
    int need;
    const char *name;
  } metamethods[] = {{TO_READ, "__index"}, {TO_WRITE, "__newindex"}, {TO_MEASURE, "__len"}};
  if (lua_istable(L, index)) return;
  int is_like_one = lua_getmetatable(L, index);
  int top = lua_gettop(L);
  for (size_t i = 0; is_like_one && i < sizeof metamethods / sizeof metamethods[0]; i++) {
    if (!(needs & metamethods[i].need)) continue;
    lua_pushstring(L, metamethods[i].name);
    is_like_one = lua_rawget(L, top) != LUA_TNIL;
    lua_settop(L, top);
  }
  if (!is_like_one) luaL_checktype(L, index, LUA_TTABLE);
  lua_settop(L, top - 1);
}

// [-0, +0] Returns the length of the table at 1.
static lua_Integer length_of(lua_State *L, int needs) {
  LULL_EFFECT(L, 0, 0);
  check_table(L, 1, needs | TO_MEASURE);
  return luaL_len(L, 1);
}

// [-0, +0] to[target] = from[source]
static void copy(lull_work *work, int from, lua_Integer source, int to, lua_Integer target) {
  lua_State *L = work->L;
  LULL_EFFECT(L, 0, 0);
  lull_work_add(work, 4);
  lua_geti(L, from, source);
  lua_seti(L, to, target);
}

// [-n, +0]
int lull_table_insert(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  // After the largest possible index comes the smallest.
  lua_Integer end = (lua_Integer)((lua_Unsigned)length_of(L, TO_READ | TO_WRITE) + 1);
  switch (lua_gettop(L)) {
    case 2: lua_seti(L, 1, end); return 0;
    case 3: {
      lua_Integer position = luaL_checkinteger(L, 2);
      luaL_argcheck(
        L, (lua_Unsigned)position - 1 < (lua_Unsigned)end, 2, "position out of bounds");
      lull_work work = {.L = L};
      for (lua_Integer i = end; i > position; i--) copy(&work, 1, i - 1, 1, i);
      lua_seti(L, 1, position);
      lull_work_end(&work);
      return 0;
    }
    default: return luaL_error(L, "wrong number of arguments to 'insert'");
  }
}

// [-n, +1]
int lull_table_remove(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lua_Integer length = length_of(L, TO_READ | TO_WRITE);
  lua_Integer position = luaL_optinteger(L, 2, length);
  // As in the stock function, which names the first argument.
  luaL_argcheck(
    L, position == length || (lua_Unsigned)position - 1 <= (lua_Unsigned)length, 1,
    "position out of bounds");
  lull_work work = {.L = L};
  lua_geti(L, 1, position);
  for (; position < length; position++) copy(&work, 1, position + 1, 1, position);
  lua_pushnil(L);
  lua_seti(L, 1, position);
  lull_work_end(&work);
  return 1;
}

// [-n, +1]
int lull_table_move(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lua_Integer first = luaL_checkinteger(L, 2);
  lua_Integer last = luaL_checkinteger(L, 3);
  lua_Integer target = luaL_checkinteger(L, 4);
  int to = lua_isnoneornil(L, 5) ? 1 : 5;
  check_table(L, 1, TO_READ);
  check_table(L, to, TO_WRITE);
  if (last >= first) {
    luaL_argcheck(
      L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    lua_Integer count = last - first + 1;
    luaL_argcheck(L, target <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    // Copies upwards, unless that would overwrite elements that are still to be copied.
    int is_upwards = target > last || target <= first
      || (to != 1 && !lua_compare(L, 1, to, LUA_OPEQ));
    lull_work work = {.L = L};
    for (lua_Integer i = 0; i < count; i++) {
      lua_Integer offset = is_upwards ? i : count - 1 - i;
      copy(&work, 1, first + offset, to, target + offset);
    }
    lull_work_end(&work);
  }
  lua_pushvalue(L, to);
  return 1;
}

// [-0, +0] (unproved: a buffer may keep a value on top of the stack) Adds an element.
static void add_element(lua_State *L, lull_work *work, luaL_Buffer *result, lua_Integer index) {
  lua_geti(L, 1, index);
  if (!lua_isstring(L, -1)) {
    luaL_error(
      L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1),
      (LUAI_UACINT)index);
  }
  lull_work_add_bytes(work, lua_rawlen(L, -1));
  luaL_addvalue(result);
}

// [-n, +1]
int lull_table_concat(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lua_Integer length = length_of(L, TO_READ);
  size_t size;
  const char *separator = luaL_optlstring(L, 2, "", &size);
  lua_Integer first = luaL_optinteger(L, 3, 1);
  lua_Integer last = luaL_optinteger(L, 4, length);
  lull_work work = {.L = L};
  luaL_Buffer result;
  luaL_buffinit(L, &result);
  for (lua_Integer i = first; i < last; i++) {
    add_element(L, &work, &result, i);
    luaL_addlstring(&result, separator, size);
    lull_work_add_bytes(&work, size);
  }
  if (first <= last) add_element(L, &work, &result, last);
  luaL_pushresult(&result);
  lull_work_end(&work);
  return 1;
}

// [-n, +1] Returns whether the first of two elements comes before the second; upvalue: the
// script's function, or nil. The rest of a comparison has a bounded cost.
static int comes_before(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lull_work work = {.L = L, .steps = 8};
  // Settled each time, because a sort makes as many calls as comparisons.
  lull_work_settle(&work);
  lua_settop(L, 2);
  if (lua_isnil(L, lua_upvalueindex(1))) {
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

// [-n, +m] upvalue: the stock function, which is called in this frame and sorts with comes_before
int lull_table_sort(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  if (!lua_isnone(L, 1) && (lua_isnoneornil(L, 2) || lua_isfunction(L, 2))) {
    lua_settop(L, 2);
    lua_pushcclosure(L, comes_before, 1);
  }
  return LULL_COUNT(L, lua_tocfunction(L, lua_upvalueindex(1))(L));
}
