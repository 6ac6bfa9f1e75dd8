// JSON Pointer (RFC 6901) into documents and tables.
#include "json/lull_pointer.h"

#include <csj_compare.h>

#include "base/lull_stack.h"
#include "json/lull_equal.h"
#include "values/lull_document.h"

// [-1, +1 or +0] Finds the value under the key at the top. Returns whether there is one. A value
// of a table replaces the key.
static int replace_by_child(lua_State *L, lull_side here, lull_side *found) {
  LULL_EFFECT_EITHER(L, 1, 1, 0);
  int key = lua_gettop(L);
  int is_there = lull_side_child(L, here, key, found);
  if (is_there && found->stack != 0) {
    lua_replace(L, key);
    found->stack = key;
  } else {
    lua_pop(L, 1);
  }
  return is_there;
}

// [-0, +1 or +0] Finds the value for a token. Returns whether there is one. A value of a table is
// pushed.
static int step(
  lua_State *L, lull_side here, const char *token, size_t length, lull_side *found) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  int is_array, is_object;
  lull_side_shape(L, here, &is_array, &is_object);
  int64_t position = is_array ? csj_pointer_position(token, length) : -1;
  if (position >= 0) {
    lua_pushinteger(L, position + 1);
    if (replace_by_child(L, here, found)) return 1;
  }
  // An empty table, or a table with positions and names: the name of a member may be a number.
  if (!is_object) return 0;
  lua_pushlstring(L, token, length);
  return replace_by_child(L, here, found);
}

// [-n, +1] lull.json.at(document or table, pointer); upvalue: runtime
int lull_json_at(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  size_t length;
  const char *pointer = luaL_checklstring(L, 2, &length);
  const char *end = pointer + length;
  if (!lua_istable(L, 1) && lull_side_at(L, 1).document == NULL) {
    luaL_typeerror(L, 1, "Document or table");
  }
  luaL_argcheck(
    L, length == 0 || *pointer == '/', 2, "a JSON Pointer is empty or begins with '/'");
  lua_settop(L, 2);
  char *buffer = lua_newuserdatauv(L, length + 1, 0);
  lua_pushvalue(L, 1);
  int here = lua_gettop(L);
  while (pointer < end) {
    size_t token_length;
    const char *token = csj_pointer_token(&pointer, end, buffer, &token_length);
    luaL_argcheck(L, token != NULL, 2, "in a JSON Pointer '~' is followed by 0 or 1");
    lull_side found;
    if (!step(L, lull_side_at(L, here), token, token_length, &found)) {
      lua_pushnil(L);
      return 1;
    }
    if (found.document && found.stack == 0) {
      lull_document_push(
        L, lua_touserdata(L, lua_upvalueindex(1)), found.document, found.index);
    } else {
      lua_pushvalue(L, found.stack);
    }
    lua_replace(L, here);
    lua_settop(L, here);
  }
  return 1;
}
