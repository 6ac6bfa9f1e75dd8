// Recognizing tables from JSON by their metatables, which are created in lull_tables.c.
#include "values/lull_marks.h"

#include "base/lull_keys.h"
#include "base/lull_stack.h"

// [-0, +0] Returns whether the table at `index` is a JSON object without a metatable set by the
// script.
int lull_is_plain_object(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 0);
  if (!lua_getmetatable(L, index)) return 0;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_shown_key);
  int same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

// [-0, +0] Returns whether the table at `index` is marked as an array; allocates nothing.
int lull_is_array(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 0);
  if (!lua_getmetatable(L, index)) return 0;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_array_key);
  int same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}
