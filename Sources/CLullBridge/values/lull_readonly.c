// Read-only tables that wrap the tables with their contents.
#include "values/lull_readonly.h"

#include "base/lull_stack.h"

// [-n, +0] __newindex of a read-only table: raises an error
static int refuse_assignment(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  return luaL_error(L, "this table is read-only ('%s')", luaL_tolstring(L, 2, NULL));
}

// [-n, +3] __pairs of a read-only table; upvalue: the wrapped table
static int pairs_of_shown(lua_State *L) {
  LULL_CALLED(L, LULL_N, 3);
  lua_getglobal(L, "next");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushnil(L);
  return 3;
}

// [-1, +1] Replaces the table at the top with an empty one that shows its contents and rejects
// assignments.
void lull_wrap_read_only(lua_State *L) {
  LULL_EFFECT(L, 1, 1);
  int shown = lua_gettop(L);
  lua_newtable(L);
  lua_createtable(L, 0, 3);
  lua_pushvalue(L, shown);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, refuse_assignment);
  lua_setfield(L, -2, "__newindex");
  lua_pushvalue(L, shown);
  lua_pushcclosure(L, pairs_of_shown, 1);
  lua_setfield(L, -2, "__pairs");
  lua_setmetatable(L, -2);
  lua_remove(L, shown);
}

// [-0, +1 or +0] Pushes the table wrapped by the read-only table at `index`; 0 for any other
// value.
int32_t lull_push_read_only(lua_State *L, int32_t index) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (!lua_istable(L, index) || !lua_checkstack(L, 4) || !lua_getmetatable(L, index)) return 0;
  lua_pushliteral(L, "__newindex");
  lua_rawget(L, -2);
  int is_ours = lua_tocfunction(L, -1) == refuse_assignment;
  lua_pop(L, 1);
  if (!is_ours) {
    lua_pop(L, 1);
    return 0;
  }
  lua_pushliteral(L, "__index");
  lua_rawget(L, -2);
  lua_remove(L, -2);
  return 1;
}
