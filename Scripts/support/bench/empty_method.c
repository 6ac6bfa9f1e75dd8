// The reference of B3: u:m(), an empty C method found through an __index C function.
#include <lauxlib.h>
#include <lua.h>

static int method(lua_State *L) {
  (void)L;
  return 0;
}

// upvalue: the methods
static int find_method(lua_State *L) {
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(1));
  return 1;
}

// [-0, +1] a new userdata with the method `m`
int luaopen_empty_method(lua_State *L) {
  lua_newuserdatauv(L, 0, 0);
  lua_newtable(L);
  lua_newtable(L);
  lua_pushcfunction(L, method);
  lua_setfield(L, -2, "m");
  lua_pushcclosure(L, find_method, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  return 1;
}
