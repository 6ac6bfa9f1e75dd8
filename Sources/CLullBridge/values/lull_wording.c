// What a kept function does, for comparisons: what the compiler has made of it, and the values that it takes from
// what is around it, other functions among them.
#include <stdio.h>
#include <string.h>

#include "base/lull_stack.h"
#include "values/lull_bytecode.h"
#include "values/lull_integer.h"
#include "values/lull_kept.h"
#include "values/lull_order.h"
#include "values/lull_protect.h"
#include "values/lull_read.h"

enum { DEEPEST = 190, MOST_OBJECTS = 1000 };

// Where the run's own values are on its stack.
enum { PIECES = 2, SEEN = 3 };

typedef struct wording {
  lull_runtime *runtime;
  int64_t id;
  uint64_t *objects;
  lull_wording *result;
  lua_Integer pieces;
  lua_Integer seen;
  int depth;
} wording;

static void add_value(lua_State *L, wording *run);

// [-1, +0] the string there is the next piece
static void add_piece(lua_State *L, wording *run) {
  LULL_EFFECT(L, 1, 0);
  run->result->left -= 1 + (int64_t)(lua_rawlen(L, -1) / 64);
  lua_rawseti(L, PIECES, ++run->pieces);
}

// [-0, +0]
static void add_text(lua_State *L, wording *run, const char *text) {
  LULL_EFFECT(L, 0, 0);
  lua_pushstring(L, text);
  add_piece(L, run);
}

// [-0, +0] ends what is compared by itself
static void end_part(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  lua_pushlstring(L, &(char){LULL_PART_END}, 1);
  add_piece(L, run);
}

// [-0, +0] whether the value on top has been come to before, which is said then
static int is_known(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, SEEN) == LUA_TNUMBER) {
    lua_pushfstring(L, "again %I;", lua_tointeger(L, -1));
    add_piece(L, run);
    lua_pop(L, 1);
    return 1;
  }
  lua_pop(L, 1);
  lua_pushvalue(L, -1);
  lua_pushinteger(L, ++run->seen);
  lua_rawset(L, SEEN);
  return 0;
}

// [-0, +0] one piece of code
static void add_code(lua_State *L, void *context, const char *text, size_t length) {
  LULL_EFFECT(L, 0, 0);
  lua_pushlstring(L, text, length);
  add_piece(L, context);
}

// [-0, +0] the function on top, and what it takes from around it
static void add_function(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  if (lua_iscfunction(L, -1)) {
    char text[64];
    // The same in all states of the process.
    snprintf(text, sizeof(text), "C %p{", (void *)(uintptr_t)lua_tocfunction(L, -1));
    add_text(L, run, text);
  } else {
    add_text(L, run, "function{");
    lull_bytecode_say(L, add_code, run);
  }
  for (int place = 1; lua_getupvalue(L, -1, place) != NULL; place++) {
    end_part(L, run);
    // Several functions may have one variable in common.
    lua_pushlightuserdata(L, lua_upvalueid(L, -2, place));
    int is_said = is_known(L, run);
    lua_pop(L, 1);
    if (is_said) lua_pop(L, 1);
    else add_value(L, run);
  }
  end_part(L, run);
  add_text(L, run, "}");
}

// [-0, +0] puts the keys of the table below into the list on top, and says how many there are
static lua_Integer list_keys(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  lua_Integer count = 0;
  lua_pushnil(L);
  while (lua_next(L, -3)) {
    lua_pop(L, 1);
    int type = lua_type(L, -1);
    if (type == LUA_TBOOLEAN) continue;
    if ((type != LUA_TSTRING && type != LUA_TNUMBER) || count >= run->result->left) {
      // Others have no order that lasts.
      run->result->is_whole = 0;
      continue;
    }
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, ++count);
  }
  return count;
}

// [-1, +0] the key on top and what the table two below it has under it
static void add_member(lua_State *L, wording *run) {
  LULL_EFFECT(L, 1, 0);
  end_part(L, run);
  lua_pushvalue(L, -1);
  add_value(L, run);
  lua_rawget(L, -3);
  add_value(L, run);
}

// [-0, +0] the table on top
static void add_table(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  add_text(L, run, "{");
  lua_newtable(L);
  lua_Integer count = list_keys(L, run);
  lull_order_sort(L, lua_gettop(L), count);
  for (int key = 0; key <= 1; key++) {
    lua_pushboolean(L, key);
    add_member(L, run);
  }
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, i);
    add_member(L, run);
  }
  lua_pop(L, 1);
  if (lua_getmetatable(L, -1)) {
    end_part(L, run);
    add_text(L, run, "meta ");
    add_value(L, run);
  }
  end_part(L, run);
  add_text(L, run, "}");
}

// [-0, +0] whether the table on top is that of all globals
static int is_globals(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  int is_same = lua_rawequal(L, -1, -2);
  lua_pop(L, 1);
  return is_same;
}

// [-0, +0] the string on top, with its quotes and backslashes escaped: what a folder is called stays as it is
static void add_string(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  add_text(L, run, "\"");
  if (strpbrk(lua_tostring(L, -1), "\"\\") == NULL && strlen(lua_tostring(L, -1)) == lua_rawlen(L, -1)) {
    lua_pushvalue(L, -1);
  } else {
    luaL_Buffer buffer;
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    luaL_buffinit(L, &buffer);
    for (size_t i = 0; i < length; i++) {
      if (text[i] == '"' || text[i] == '\\') luaL_addchar(&buffer, '\\');
      luaL_addchar(&buffer, text[i]);
    }
    luaL_pushresult(&buffer);
  }
  add_piece(L, run);
  add_text(L, run, "\"");
}

// [-0, +0]
static void add_number(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  char text[64];
  if (lua_isinteger(L, -1)) {
    snprintf(text, sizeof(text), "%lld;", (long long)lua_tointeger(L, -1));
  } else {
    // All its digits.
    snprintf(text, sizeof(text), "%a;", (double)lua_tonumber(L, -1));
  }
  add_text(L, run, text);
}

// [-0, +0] the userdata on top: one of Lull's is known by its handle
static void add_object(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  size_t length;
  if (lull_integer_at(L, -1, &length)) {
    add_text(L, run, lull_integer_at(L, -1, &length));
    add_text(L, run, ";");
  } else if (!lull_userdata_kind(L, -1)) {
    add_text(L, run, "userdata;");
  } else if (run->result->count >= MOST_OBJECTS) {
    run->result->is_whole = 0;
  } else {
    const lull_object *object = lua_touserdata(L, -1);
    run->objects[run->result->count++] = object->handle;
    add_text(L, run, "object;");
  }
}

// [-1, +0]
static void add_value(lua_State *L, wording *run) {
  LULL_EFFECT(L, 1, 0);
  if (run->result->left <= 0 || run->depth >= DEEPEST) {
    run->result->is_whole = 0;
    lua_pop(L, 1);
    return;
  }
  luaL_checkstack(L, 12, NULL);
  run->depth++;
  switch (lua_type(L, -1)) {
    case LUA_TSTRING: add_string(L, run); break;
    case LUA_TNUMBER: add_number(L, run); break;
    case LUA_TBOOLEAN: add_text(L, run, lua_toboolean(L, -1) ? "true;" : "false;"); break;
    case LUA_TUSERDATA: if (!is_known(L, run)) add_object(L, run); break;
    case LUA_TFUNCTION: if (!is_known(L, run)) add_function(L, run); break;
    case LUA_TTABLE:
      if (is_globals(L)) add_text(L, run, "globals;");
      else if (!is_known(L, run)) add_table(L, run);
      break;
    // A coroutine, a null: what it holds is its own.
    default: add_text(L, run, luaL_typename(L, -1)); add_text(L, run, ";");
  }
  run->depth--;
  lua_pop(L, 1);
}

// [-0, +0] puts the pieces together, in the arena
static void join(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  size_t length = 0;
  for (lua_Integer i = 1; i <= run->pieces; i++) {
    lua_rawgeti(L, PIECES, i);
    length += lua_rawlen(L, -1);
    lua_pop(L, 1);
  }
  char *text = lull_arena_allocate(run->runtime, length + 1);
  if (text == NULL) luaL_error(L, "not enough memory");
  run->result->text = text;
  run->result->length = length;
  for (lua_Integer i = 1; i <= run->pieces; i++) {
    lua_rawgeti(L, PIECES, i);
    size_t size;
    const char *piece = lua_tolstring(L, -1, &size);
    memcpy(text, piece, size);
    text += size;
    lua_pop(L, 1);
  }
}

// [-1, +0] fills the wording
static int find_wording(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  wording *run = lua_touserdata(L, 1);
  lua_newtable(L);
  lua_newtable(L);
  run->objects = lull_arena_allocate(run->runtime, MOST_OBJECTS * sizeof(uint64_t));
  if (run->objects == NULL) return luaL_error(L, "not enough memory");
  run->result->objects = run->objects;
  lull_values_push(run->runtime, L, run->id);
  add_value(L, run);
  join(L, run);
  return 0;
}

int32_t lull_value_wording(
  lull_runtime *runtime, int64_t id, int64_t left, lull_wording *result) {
  *result = (lull_wording){.text = "", .is_whole = 1, .left = left};
  wording run = {.runtime = runtime, .id = id, .result = result};
  return lull_protect(runtime, find_wording, &run) != LUA_OK;
}
