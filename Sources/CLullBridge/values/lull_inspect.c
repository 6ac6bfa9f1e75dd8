// lull.inspect and lull.copy: any Lua value as text for display, and a deep copy.
#include "values/lull_inspect.h"

#include <csj_utf8.h>
#include <stdio.h>
#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "ending/lull_interrupt.h"
#include "values/lull_stored.h"
#include "values/lull_marks.h"
#include "values/lull_order.h"
#include "values/lull_protect.h"

typedef struct inspection {
  lua_State *L;
  luaL_Buffer *buffer;
  int seen;   // stack position: tables on the way down
  int depth;  // levels shown
  int level;
} inspection;

// Returns whether a key can be written without brackets.
static int is_name(const char *text, size_t length) {
  static const char *const reserved[] = {
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while"};
  if (length == 0 || length > 60 || (text[0] >= '0' && text[0] <= '9')) return 0;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) {
      return 0;
    }
  }
  for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
    if (strlen(reserved[i]) == length && memcmp(reserved[i], text, length) == 0) return 0;
  }
  return 1;
}

// [-0, +1] Pushes the string at `index` in quotes, with control characters and invalid UTF-8
// escaped.
static void push_quoted(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 1);
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addchar(&buffer, '"');
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    char escape[8];
    switch (c) {
      case '"': luaL_addstring(&buffer, "\\\""); break;
      case '\\': luaL_addstring(&buffer, "\\\\"); break;
      case '\n': luaL_addstring(&buffer, "\\n"); break;
      case '\r': luaL_addstring(&buffer, "\\r"); break;
      case '\t': luaL_addstring(&buffer, "\\t"); break;
      default:
        if (c < 0x20 || c == 0x7f) {
          snprintf(escape, sizeof(escape), "\\x%02x", c);
          luaL_addstring(&buffer, escape);
          break;
        }
        size_t sequence = csj_utf8_sequence((const uint8_t *)text + i, length - i);
        if (sequence == 0) {
          snprintf(escape, sizeof(escape), "\\x%02X", c);
          luaL_addstring(&buffer, escape);
        } else {
          luaL_addlstring(&buffer, text + i, sequence);
          i += sequence - 1;
        }
    }
  }
  luaL_addchar(&buffer, '"');
  luaL_pushresult(&buffer);
}

static int inspect_value(inspection *in, int index);

// [-0, +1] Pushes the parts in braces. A separate function, because its buffer takes C stack that
// the recursion should not.
static void push_joined(lua_State *L, int parts, lua_Integer count, int multiline, int level) {
  LULL_EFFECT(L, 0, 1);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addstring(&buffer, "{");
  for (lua_Integer i = 1; i <= count; i++) {
    luaL_addstring(&buffer, multiline ? "\n" : " ");
    for (int k = 0; multiline && k <= level; k++) luaL_addstring(&buffer, "  ");
    lua_rawgeti(L, parts, i);
    luaL_addvalue(&buffer);
    if (i < count) luaL_addstring(&buffer, ",");
  }
  luaL_addstring(&buffer, multiline ? "\n" : " ");
  for (int k = 0; multiline && k < level; k++) luaL_addstring(&buffer, "  ");
  luaL_addstring(&buffer, "}");
  luaL_pushresult(&buffer);
}

// [-0, +1] Pushes the text of a table.
static void push_table(inspection *in, int index) {
  lua_State *L = in->L;
  LULL_EFFECT(L, 0, 1);
  // A table referenced in several places is shown each time.
  lull_interrupt_count(L, 8);
  lua_pushvalue(L, index);
  if (lua_rawget(L, in->seen) != LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushliteral(L, "<cycle>");
    return;
  }
  lua_pop(L, 1);
  if (lua_rawlen(L, index) == 0) {
    lua_pushnil(L);
    if (!lua_next(L, index)) {
      lua_pushstring(L, lull_is_array(L, index) ? "[]" : "{}");
      return;
    }
    lua_pop(L, 2);
  }
  if (in->level >= in->depth) {
    lua_pushliteral(L, "{…}");
    return;
  }
  lua_pushvalue(L, index);
  lua_pushboolean(L, 1);
  lua_rawset(L, in->seen);
  in->level++;

  // The parts in order in a list; joined on one line if they fit, otherwise one per line.
  lua_newtable(L);
  int parts = lua_gettop(L);
  lua_Integer count = 0;
  lua_Integer length = (lua_Integer)lua_rawlen(L, index);
  size_t width = 0;
  int multiline = 0;
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, index, i);
    inspect_value(in, lua_gettop(L));
    size_t size;
    const char *text = lua_tolstring(L, -1, &size);
    width += size + 2;
    if (memchr(text, '\n', size)) multiline = 1;
    lua_rawseti(L, parts, ++count);
    lua_pop(L, 1);
  }
  lua_newtable(L);
  int keys = lua_gettop(L);
  lua_Integer key_count = 0;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    if (lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 1 && lua_tointeger(L, -1) <= length) continue;
    lua_pushvalue(L, -1);
    lua_rawseti(L, keys, ++key_count);
  }
  lull_order_sort(L, keys, key_count);
  for (lua_Integer i = 1; i <= key_count; i++) {
    lua_rawgeti(L, keys, i);
    int key = lua_gettop(L);
    size_t size;
    const char *text;
    if (lua_type(L, key) == LUA_TSTRING && (text = lua_tolstring(L, key, &size), is_name(text, size))) {
      lua_pushvalue(L, key);
    } else {
      inspect_value(in, key);
      lua_pushfstring(L, "[%s]", lua_tostring(L, -1));
      lua_remove(L, -2);
    }
    lua_pushliteral(L, " = ");
    lua_pushvalue(L, key);
    lua_rawget(L, index);
    inspect_value(in, lua_gettop(L));
    lua_remove(L, -2);
    lua_concat(L, 3);
    text = lua_tolstring(L, -1, &size);
    width += size + 2;
    if (memchr(text, '\n', size)) multiline = 1;
    lua_rawseti(L, parts, ++count);
    lua_settop(L, keys);
  }
  in->level--;
  lua_pushvalue(L, index);
  lua_pushnil(L);
  lua_rawset(L, in->seen);

  if (width + (size_t)in->level * 2 > 76) multiline = 1;
  push_joined(L, parts, count, multiline, in->level);
  lua_replace(L, parts);
  lua_settop(L, parts);
}

// [-1, +1]
static int to_string(lua_State *L) {
  LULL_CALLED(L, 1, 1);
  luaL_tolstring(L, 1, NULL);
  return 1;
}

// [-0, +1] Pushes the result of tostring; if that raises an error, a generic text.
static void push_own_text(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 1);
  lua_pushcfunction(L, to_string);
  lua_pushvalue(L, index);
  int status = lua_pcall(L, 1, 1, 0);
  if (status == LUA_OK) return;
  if (status == LUA_ERRMEM) lua_error(L);
  lua_pop(L, 1);
  lua_pushfstring(L, "<%s whose __tostring raises>", luaL_typename(L, index));
}

// [-0, +1] Pushes the text of a value.
static int inspect_value(inspection *in, int index) {
  lua_State *L = in->L;
  LULL_EFFECT(L, 0, 1);
  luaL_checkstack(L, 20, "nested too deeply");
  switch (lua_type(L, index)) {
    case LUA_TSTRING: push_quoted(L, index); return 1;
    case LUA_TTABLE:
      if (!lull_is_array(L, index) && !lull_is_plain_object(L, index)
        && luaL_getmetafield(L, index, "__tostring") != LUA_TNIL) {
        lua_pop(L, 1);
        push_own_text(L, index);
        return 1;
      }
      if (lull_push_read_only(L, index)) {
        push_table(in, lua_gettop(L));
        lua_remove(L, -2);
        return 1;
      }
      push_table(in, index);
      return 1;
    default: push_own_text(L, index); return 1;
  }
}

// [-n, +1] lull.inspect(value [, { depth = n }])
int lull_inspect(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  luaL_checkany(L, 1);
  lua_settop(L, 2);
  inspection in = {.L = L, .depth = 8};
  if (!lua_isnil(L, 2)) {
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, 2)) {
      if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "depth") != 0) {
        lua_pushvalue(L, -2);
        return luaL_error(
          L, "unknown setting '%s' (did you mean 'depth'?)", luaL_tolstring(L, -1, NULL));
      }
      if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 0) {
        return luaL_error(L, "'depth' must be a whole number, 0 or more");
      }
      in.depth = lua_tointeger(L, -1) > 100 ? 100 : (int)lua_tointeger(L, -1);
      lua_pop(L, 1);
    }
  }
  lua_newtable(L);
  in.seen = lua_gettop(L);
  return LULL_COUNT(L, inspect_value(&in, 1));
}

// [-0, +0] Raises an error in the sandbox if the metatable at the top has a __gc.
static void check_finaliser(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_pushliteral(L, "__gc");
  int has_one = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 1);
  if (!has_one) return;
  int is_sandboxed = lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_sandbox_key) != LUA_TNIL;
  lua_pop(L, 1);
  if (is_sandboxed) luaL_error(L, "__gc is not available in the sandbox");
}

// [-0, +1] Pushes a copy of the value at `index`; `seen` maps originals to copies.
static void copy_value(lua_State *L, int index, int seen, int level) {
  LULL_EFFECT(L, 0, 1);
  luaL_checkstack(L, 12, "nested too deeply");
  lull_interrupt_count(L, 4);
  // Each level takes C stack, which the interpreter does not check here.
  if (level > 10000) luaL_error(L, "tables nest too deeply to be copied");
  if (!lua_istable(L, index)) {
    // Objects that can be copied have a `__copy`; others are not copied.
    if (lua_isuserdata(L, index) && luaL_callmeta(L, index, "__copy")) return;
    lua_pushvalue(L, index);
    return;
  }
  lua_pushvalue(L, index);
  if (lua_rawget(L, seen) != LUA_TNIL) return;
  lua_pop(L, 1);
  lua_createtable(L, (int)lua_rawlen(L, index), 0);
  int copy = lua_gettop(L);
  if (lua_getmetatable(L, index)) {
    check_finaliser(L);
    lua_setmetatable(L, copy);
  }
  lua_pushvalue(L, index);
  lua_pushvalue(L, copy);
  lua_rawset(L, seen);
  lull_copy_key_order(L, index, copy);
  lua_pushnil(L);
  while (lua_next(L, index)) {
    int key = lua_gettop(L) - 1;
    copy_value(L, key, seen, level + 1);
    copy_value(L, key + 1, seen, level + 1);
    lua_rawset(L, copy);
    lua_settop(L, key);
  }
}

// [-n, +1] lull.copy(value): a deep copy of tables with their metatables; other values unchanged
int lull_copy(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  lua_newtable(L);
  copy_value(L, 1, 2, 0);
  return 1;
}

typedef struct copying {
  lull_runtime *runtime;
  int64_t id;
  int64_t copy;
  int is_made;
} copying;

// [-1, +0] The protected part of lull_value_copy.
static int copy_plain(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  copying *context = lua_touserdata(L, 1);
  lull_values_push(context->runtime, L, context->id);
  int table = lua_gettop(L);
  if (!lua_istable(L, table)) return 0;
  if (!lull_is_array(L, table) && !lull_is_plain_object(L, table) && lua_getmetatable(L, table)) {
    return 0;
  }
  lua_pushcfunction(L, lull_copy);
  lua_pushvalue(L, table);
  lua_call(L, 1, 1);
  lull_registry_push(L, context->runtime->values);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, (lua_Integer)context->copy);
  context->is_made = 1;
  return 0;
}

int32_t lull_value_copy(lull_runtime *runtime, int64_t id, int64_t copy) {
  copying context = {.runtime = runtime, .id = id, .copy = copy};
  return lull_protect(runtime, copy_plain, &context) == LUA_OK && context.is_made;
}
