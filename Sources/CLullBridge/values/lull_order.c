// The order in which the keys of a table are shown, compared and written.
#include "values/lull_order.h"

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "values/lull_integer.h"

// [-0, +0] Returns whether one key comes before another, at least one of which is an integer
// beyond 64 bits.
static int compare_large(lua_State *L, int a, const char *one, size_t length, int b, const char *other,
                         size_t other_length) {
  LULL_EFFECT(L, 0, 0);
  if (one && other) return csj_compare_digits(one, length, other, other_length) < 0;
  // All Lua numbers are between the negative and the positive ones.
  if (one) return lua_type(L, b) != LUA_TNUMBER || *one == '-';
  return lua_type(L, a) == LUA_TNUMBER && *other != '-';
}

// [-0, +0] Compares keys: numbers before strings before the rest, each by value.
static int compare_keys(lua_State *L, int a, int b) {
  LULL_EFFECT(L, 0, 0);
  size_t length, other_length;
  const char *one = lull_integer_at(L, a, &length), *other = lull_integer_at(L, b, &other_length);
  if (one || other) return compare_large(L, a, one, length, b, other, other_length);
  int ta = lua_type(L, a), tb = lua_type(L, b);
  if (ta == LUA_TNUMBER && tb == LUA_TNUMBER) return lua_compare(L, a, b, LUA_OPLT);
  if (ta == LUA_TSTRING && tb == LUA_TSTRING) return lua_compare(L, a, b, LUA_OPLT);
  int ra = ta == LUA_TNUMBER ? 0 : ta == LUA_TSTRING ? 1 : 2;
  int rb = tb == LUA_TNUMBER ? 0 : tb == LUA_TSTRING ? 1 : 2;
  return ra < rb;
}

// [-0, +0] Performs one step of a heap sort of the list at `list`.
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

// [-0, +1] Pushes the table of key orders, which has an entry as long as the table it is for
// lives.
void lull_push_orders(lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_orders_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  // A finaliser that ran in the meantime may have created one.
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_orders_key) == LUA_TTABLE) {
    lua_replace(L, -2);
    return;
  }
  lua_pop(L, 1);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_orders_key);
}

// [-0, +0]
void lull_keep_orders(lua_State *L, int keeps) {
  LULL_EFFECT(L, 0, 0);
  lua_pushboolean(L, keeps);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_ordered_key);
}

// [-0, +1 or +0] Pushes the keys of the table at `index` in the order of its document.
int32_t lull_push_key_order(lua_State *L, int32_t index) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (!lua_checkstack(L, 4)) return 0;
  index = lua_absindex(L, index);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_orders_key) == LUA_TTABLE) {
    lua_pushvalue(L, index);
    if (lua_rawget(L, -2) == LUA_TTABLE) {
      lua_replace(L, -2);
      return 1;
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return 0;
}

// [-0, +0]
void lull_copy_key_order(lua_State *L, int from, int to) {
  LULL_EFFECT(L, 0, 0);
  if (!lull_push_key_order(L, from)) return;
  lull_push_orders(L);
  lua_pushvalue(L, to);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}
