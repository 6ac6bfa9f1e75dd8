// The order in which the keys of a table are shown and compared.
#include "values/lull_order.h"

#include "base/lull_stack.h"

// [-0, +0] orders keys: numbers before strings before the rest, each by value
static int compare_keys(lua_State *L, int a, int b) {
  LULL_EFFECT(L, 0, 0);
  int ta = lua_type(L, a), tb = lua_type(L, b);
  if (ta == LUA_TNUMBER && tb == LUA_TNUMBER) return lua_compare(L, a, b, LUA_OPLT);
  if (ta == LUA_TSTRING && tb == LUA_TSTRING) return lua_compare(L, a, b, LUA_OPLT);
  int ra = ta == LUA_TNUMBER ? 0 : ta == LUA_TSTRING ? 1 : 2;
  int rb = tb == LUA_TNUMBER ? 0 : tb == LUA_TSTRING ? 1 : 2;
  return ra < rb;
}

// [-0, +0] one step of a heap sort of the list at `list`
static void sift(lua_State *L, int list, lua_Integer start, lua_Integer end) {
  LULL_EFFECT(L, 0, 0);
  lua_Integer root = start;
  while (root * 2 <= end) {
    lua_Integer child = root * 2;
    lua_rawgeti(L, list, child);
    if (child + 1 <= end) {
      lua_rawgeti(L, list, child + 1);
      if (compare_keys(L, lua_gettop(L) - 1, lua_gettop(L))) {
        child++;
        lua_remove(L, -2);
      } else {
        lua_pop(L, 1);
      }
    }
    lua_rawgeti(L, list, root);
    if (!compare_keys(L, lua_gettop(L), lua_gettop(L) - 1)) {
      lua_pop(L, 2);
      return;
    }
    lua_rawseti(L, list, child);
    lua_rawseti(L, list, root);
    root = child;
  }
}

// [-0, +0]
void lull_order_sort(lua_State *L, int list, lua_Integer count) {
  LULL_EFFECT(L, 0, 0);
  for (lua_Integer start = count / 2; start >= 1; start--) sift(L, list, start, count);
  for (lua_Integer end = count; end > 1; end--) {
    lua_rawgeti(L, list, 1);
    lua_rawgeti(L, list, end);
    lua_rawseti(L, list, 1);
    lua_rawseti(L, list, end);
    sift(L, list, 1, end - 1);
  }
}
