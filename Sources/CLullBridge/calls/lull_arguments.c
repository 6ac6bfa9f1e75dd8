// Checking self and arguments, and the error messages if they do not fit.
#include "calls/lull_arguments.h"

#include <string.h>

#include "base/lull_stack.h"
#include "values/lull_integer.h"

// [-0, +1 or +0] Returns the name with that of its table.
static const char *full_name(lua_State *L, const lull_method *method) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (method->table == NULL) return method->name;
  return lua_pushfstring(L, "%s.%s", method->table, method->name);
}

// [-0, +0] Raises an error.
int lull_closed_error(lua_State *L, const lull_method *method) {
  LULL_EFFECT(L, 0, 0);
  return luaL_error(L, "lull is closed ('%s')", full_name(L, method));
}

// [-0, +1 or +0] Returns the name for messages: for `os.exit` without its table, for a call of an
// object by the kind of object.
static const char *shown_name(lua_State *L, const lull_method *method) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (method->table && strcmp(method->table, "os") == 0) return method->name;
  if (strcmp(method->name, "__call") != 0) return full_name(L, method);
  switch (method->kind) {
    case LULL_KIND_SERVICE: return "resource";
    case LULL_KIND_API_CALL: return "call";
    default: return "next";
  }
}

// [-0, +1] Raises "bad argument #n to 'name' (text)" at the caller's line.
int lull_argument_error(lua_State *L, const lull_method *method, int position, const char *text) {
  LULL_EFFECT(L, 0, 1);
  return luaL_error(L, "bad argument #%d to '%s' (%s)", position, shown_name(L, method), text);
}

// [-0, +1 or +0] Returns the type of a value for messages: a Lull kind, otherwise the Lua type.
static const char *described_type(lua_State *L, int index) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (lua_isnone(L, index)) return "no value";
  if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) return lua_tostring(L, -1);
  return luaL_typename(L, index);
}

const char *lull_article(const char *name) { return strchr("AEIOU", name[0]) ? "an" : "a"; }

static const char *expectation(char letter) {
  switch (letter | 0x20) {
    case 's': return "string";
    case 'n': return "number";
    case 'i': return "integer";
    case 'b': return "boolean";
    case 'f': return "function";
    case 't': return "table";
    case 'o': return "function or table";
    default: return "value";
  }
}

// [-0, +0] Replaces an integer beyond 64 bits at `index` with its digits; returns whether it was
// one.
static int replace_by_digits(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 0);
  size_t length;
  const char *digits = lull_integer_at(L, index, &length);
  if (digits == NULL) return 0;
  lua_pushlstring(L, digits, length);
  lua_replace(L, index);
  return 1;
}

// [-0, +0] Returns whether the argument at `index` fits the letter. Converts numbers to strings if
// needed.
int lull_argument_fits(lua_State *L, int index, char letter) {
  LULL_EFFECT(L, 0, 0);
  int type = lua_type(L, index);
  switch (letter | 0x20) {
    case 's':
      if (type == LUA_TNUMBER) lua_tostring(L, index);
      return type == LUA_TSTRING || type == LUA_TNUMBER || replace_by_digits(L, index);
    case 'l':
      if (type == LUA_TNUMBER) lua_tostring(L, index);
      return replace_by_digits(L, index) || type != LUA_TNONE;
    case 'n': return type == LUA_TNUMBER;
    case 'i': return type == LUA_TNUMBER && lua_isinteger(L, index);
    case 'b': return type == LUA_TBOOLEAN;
    case 'f': return type == LUA_TFUNCTION;
    case 't': return type == LUA_TTABLE;
    case 'o': return type == LUA_TFUNCTION || type == LUA_TTABLE;
    default: return type != LUA_TNONE;
  }
}

// [-0, +0] Raises an error unless the arguments from `first` on fit the method's letters.
void lull_arguments_check(
  lull_runtime *runtime, lua_State *L, const lull_method *method, int first, int top) {
  LULL_EFFECT(L, 0, 0);
  const char *letters = lull_method_arguments(method);
  if (letters == NULL) {
    letters = lull_host_arguments(runtime->host, (int32_t)(method - runtime->methods));
  }
  int position = 1;
  for (const char *letter = letters; *letter; letter++, position++) {
    if (*letter == '*') return;
    int index = first + position - 1;
    int optional = *letter >= 'A' && *letter <= 'Z';
    if (optional && lua_isnoneornil(L, index)) continue;
    if (lull_argument_fits(L, index, *letter)) continue;
    const char *got = described_type(L, index);
    lull_argument_error(
      L, method, position,
      lua_pushfstring(L, "%s expected, got %s", expectation(*letter), got));
  }
  int given = top - first + 1;
  if (given >= position) {
    luaL_error(
      L, "too many arguments to '%s' (%d expected, got %d)", shown_name(L, method), position - 1,
      given);
  }
}

// [-0, +0] Raises an error.
int lull_self_error(lull_runtime *runtime, lua_State *L, const lull_method *method) {
  LULL_EFFECT(L, 0, 0);
  const char *name = lull_kind_name(method->kind);
  if (lull_self_is(runtime, L, method)) {
    return luaL_error(L, "this %s is closed ('%s')", name, method->name);
  }
  const char *got = described_type(L, 1);
  if (method->role == LULL_ROLE_METHOD) {
    return luaL_error(
      L, "'%s' needs %s %s as self, got %s (write object:%s(…) with a colon)", method->name,
      lull_article(name), name, got, method->name);
  }
  return luaL_error(
    L, "'%s' belongs to %s %s, got %s", method->name, lull_article(name), name, got);
}
