// Integers beyond 64 bits and numbers beyond floats, for which Lua has no number type. Rounded to
// a float, an ID would become a different ID, and a large number an infinity, which JSON does not
// allow. Each is an immutable userdata with its digits. Equal digits share one userdata, so it can
// be a table key and `==` needs no metamethod.
#include "values/lull_integer.h"

#include <float.h>
#include <string.h>

#include "base/lull_stack.h"

static const char metatable_key = 0;  // in the registry: their metatable
static const char known_key = 0;      // in the registry: digits → integer, weak values

// [-0, +0]
const char *lull_integer_at(lua_State *L, int index, size_t *length) {
  LULL_EFFECT(L, 0, 0);
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &metatable_key);
  int is_integer = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  if (!is_integer) return NULL;
  *length = (size_t)lua_rawlen(L, index) - 1;
  return lua_touserdata(L, index);
}

// [-0, +1]
void lull_push_integer(lua_State *L, const char *digits, size_t length) {
  LULL_EFFECT(L, 0, 1);
  luaL_checkstack(L, 6, "too many values");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &known_key);
  int known = lua_gettop(L);
  lua_pushlstring(L, digits, length);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, known) == LUA_TNIL) {
    lua_pop(L, 1);
    char *text = lua_newuserdatauv(L, length + 1, 0);
    memcpy(text, digits, length);
    text[length] = 0;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &metatable_key);
    lua_setmetatable(L, -2);
    // A finaliser that ran in the meantime may have created one with these digits: that one is
    // used.
    lua_pushvalue(L, known + 1);
    if (lua_rawget(L, known) != LUA_TNIL) {
      lua_replace(L, -2);
    } else {
      lua_pop(L, 1);
      lua_pushvalue(L, known + 1);
      lua_pushvalue(L, -2);
      lua_rawset(L, known);
    }
  }
  lua_replace(L, known);
  lua_settop(L, known);
}

// [-n, +1] __tostring
static int to_text(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  size_t length;
  const char *digits = lull_integer_at(L, 1, &length);
  if (digits == NULL) return luaL_typeerror(L, 1, "Integer");
  lua_pushlstring(L, digits, length);
  return 1;
}

// [-n, +1] __concat, with the integer on either side: concatenates its digits
static int concatenate(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lua_settop(L, 2);
  for (int i = 1; i <= 2; i++) {
    size_t length;
    const char *digits = lull_integer_at(L, i, &length);
    if (digits) {
      lua_pushlstring(L, digits, length);
      lua_replace(L, i);
    } else if (!lua_isstring(L, i) && luaL_getmetafield(L, i, "__concat") == LUA_TNIL) {
      return luaL_error(L, "attempt to concatenate a %s value", luaL_typename(L, i));
    }
    lua_settop(L, 2);
  }
  // Any other operand has its own metamethod or raises an error.
  lua_concat(L, 2);
  return 1;
}

// Returns whether it is beyond the range of floats.
static int is_beyond_floats(const char *digits) {
  double number = csj_double_of_digits(digits);
  return number > DBL_MAX || number < -DBL_MAX;
}

// [-0, +0] Raises an error: an integer beyond 64 bits does not support `what`.
static int refuse(lua_State *L, const char *what) {
  LULL_EFFECT(L, 0, 0);
  size_t length;
  const char *digits = lull_integer_at(L, 1, &length);
  if (digits == NULL) digits = lull_integer_at(L, 2, &length);
  if (digits && is_beyond_floats(digits)) {
    return luaL_error(
      L, "%s %s, a number beyond the range of floats: Lua has no number for it (tostring has its digits)",
      what, digits);
  }
  return luaL_error(
    L, "%s %s, an integer beyond 64 bits: Lua has no number for it "
       "(tostring has its digits, tonumber(tostring(…)) the nearest float)",
    what, digits ? digits : "?");
}

// [-n, +0] Raises an error for all arithmetic and bitwise operations.
static int calculate(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  lua_settop(L, 2);
  refuse(L, "cannot calculate with");
  return 0;
}

// [-0, +0] Compares two integers: below, at or above zero. Raises an error for anything else.
static int order(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  size_t length, other_length;
  const char *one = lull_integer_at(L, 1, &length), *other = lull_integer_at(L, 2, &other_length);
  if (one == NULL || other == NULL) return refuse(L, "cannot compare another value with");
  return csj_compare_digits(one, length, other, other_length);
}

// [-n, +1] __lt
static int is_less(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lua_settop(L, 2);
  lua_pushboolean(L, order(L) < 0);
  return 1;
}

// [-n, +1] __le
static int is_at_most(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lua_settop(L, 2);
  lua_pushboolean(L, order(L) <= 0);
  return 1;
}

// [-0, +0]
void lull_open_integers(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  static const luaL_Reg metamethods[] = {
    {"__tostring", to_text}, {"__concat", concatenate}, {"__lt", is_less}, {"__le", is_at_most}, {NULL, NULL}};
  static const char *const operations[] = {
    "__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm", "__idiv", "__band", "__bor", "__bxor",
    "__shl", "__shr", "__bnot", NULL};
  lua_newtable(L);
  luaL_setfuncs(L, metamethods, 0);
  for (int i = 0; operations[i]; i++) {
    lua_pushcfunction(L, calculate);
    lua_setfield(L, -2, operations[i]);
  }
  lua_pushliteral(L, "Integer");
  lua_setfield(L, -2, "__name");
  // Protected from changes by scripts.
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &metatable_key);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &known_key);
}
