// JSON Pointer (RFC 6901) into documents and tables.
#include "json/lull_pointer.h"

#include "json/lull_equal.h"
#include "values/lull_document.h"

// [-0, +1] the next token of a pointer (RFC 6901, section 4), unescaped; where it ends, NULL if a `~`
// is followed by neither 0 nor 1
static const char *push_token(lua_State *L, const char *from, const char *end) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  while (from < end && *from != '/') {
    char c = *from++;
    if (c == '~') {
      if (from == end || (*from != '0' && *from != '1')) {
        luaL_pushresult(&buffer);
        return NULL;
      }
      c = *from++ == '0' ? '~' : '/';
    }
    luaL_addchar(&buffer, c);
  }
  luaL_pushresult(&buffer);
  return from;
}

// [-0, +1] or [-0, +0]: the position a token names in an array, counted from 1
static int push_position(lua_State *L, int token) {
  size_t length;
  const char *text = lua_tolstring(L, token, &length);
  if (length == 0 || length > 18 || (length > 1 && text[0] == '0')) return 0;
  lua_Integer position = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9') return 0;
    position = position * 10 + (text[i] - '0');
  }
  lua_pushinteger(L, position + 1);
  return 1;
}

// [-2, +1] lull.json.at(document or table, pointer); upvalue: runtime
int lull_json_at(lua_State *L) {
  size_t length;
  const char *pointer = luaL_checklstring(L, 2, &length);
  const char *end = pointer + length;
  if (!lua_istable(L, 1) && lull_side_at(L, 1).document == NULL) {
    luaL_typeerror(L, 1, "Document or table");
  }
  luaL_argcheck(
    L, length == 0 || *pointer == '/', 2, "a JSON Pointer is empty or begins with '/'");
  lua_settop(L, 2);
  lua_pushvalue(L, 1);
  while (pointer < end) {
    pointer = push_token(L, pointer + 1, end);
    luaL_argcheck(L, pointer != NULL, 2, "in a JSON Pointer '~' is followed by 0 or 1");
    int is_array, is_object;
    lull_side here = lull_side_at(L, 3);
    lull_side_shape(L, here, &is_array, &is_object);
    int key = 4;
    if (is_array && push_position(L, 4)) key = 5;
    lull_side found;
    if (!(is_array || is_object) || !lull_side_child(L, here, key, &found)) {
      // An empty table, or one with both: a member may be called like a number.
      if (!is_object || !lull_side_child(L, here, 4, &found)) {
        lua_pushnil(L);
        return 1;
      }
    }
    if (found.document && found.stack == 0) {
      lull_document_push(
        L, lua_touserdata(L, lua_upvalueindex(1)), found.document, found.index);
    } else {
      lua_pushvalue(L, found.stack);
    }
    lua_replace(L, 3);
    lua_settop(L, 3);
  }
  return 1;
}
