// What a kept function does, for comparisons: where it and the functions that it uses are defined, and the values
// that they take from what is around them.
//
// Bytecode would say it too, but has the lines in it: what has moved is the same.
#include <stdio.h>
#include <string.h>

#include "base/lull_arena.h"
#include "base/lull_stack.h"
#include "values/lull_kept.h"
#include "values/lull_order.h"
#include "values/lull_protect.h"

enum { DEEPEST = 50, MOST_FUNCTIONS = 1000, MOST_PIECES = 100000 };

// Where the run's own values are on its stack.
enum { PIECES = 2, SEEN = 3 };

typedef struct wording {
  lull_runtime *runtime;
  int64_t id;
  lull_definition *functions;
  lull_wording *result;
  lua_Integer pieces;
  lua_Integer seen;
  int depth;
} wording;

static void add_value(lua_State *L, wording *run);

// [-1, +0] the string there is the next piece
static void add_piece(lua_State *L, wording *run) {
  LULL_EFFECT(L, 1, 0);
  lua_rawseti(L, PIECES, ++run->pieces);
}

// [-0, +0]
static void add_text(lua_State *L, wording *run, const char *text) {
  LULL_EFFECT(L, 0, 0);
  lua_pushstring(L, text);
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

// [-0, +0] a copy of where it is defined, in the arena
static void define(wording *run, const lua_Debug *info) {
  char *source = lull_arena_allocate(run->runtime, info->srclen + 1);
  if (run->result->count >= MOST_FUNCTIONS || source == NULL) {
    run->result->is_whole = 0;
    return;
  }
  memcpy(source, info->source, info->srclen);
  source[info->srclen] = 0;
  run->functions[run->result->count++] = (lull_definition){
    .source = source,
    .source_length = info->srclen,
    .line = info->linedefined,
    .last_line = info->lastlinedefined};
}

// [-0, +0] the function on top, and what it takes from around it
static void add_function(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  if (lua_iscfunction(L, -1)) {
    add_text(L, run, "C;");
    return;
  }
  lua_Debug info;
  lua_pushvalue(L, -1);
  // ">S" takes the function off the stack.
  if (lua_getinfo(L, ">S", &info)) define(run, &info);
  lua_pushfstring(L, "function %d{", run->result->count);
  add_piece(L, run);
  const char *name;
  for (int place = 1; (name = lua_getupvalue(L, -1, place)) != NULL; place++) {
    // Globals are the same for all.
    if (strcmp(name, "_ENV") == 0) {
      lua_pop(L, 1);
    } else {
      add_value(L, run);
    }
  }
  add_text(L, run, "}");
}

// [-0, +0] the table on top
static void add_table(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  lua_newtable(L);
  lua_Integer count = 0;
  lua_pushnil(L);
  while (lua_next(L, -3)) {
    lua_pop(L, 1);
    int type = lua_type(L, -1);
    if (count + run->pieces >= MOST_PIECES) run->result->is_whole = 0;
    // Others have no order that lasts.
    if ((type == LUA_TSTRING || type == LUA_TNUMBER) && count + run->pieces < MOST_PIECES) {
      lua_pushvalue(L, -1);
      lua_rawseti(L, -3, ++count);
    }
  }
  lull_order_sort(L, lua_gettop(L), count);
  add_text(L, run, "{");
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, i);
    lua_pushvalue(L, -1);
    add_value(L, run);
    lua_rawget(L, -3);
    add_value(L, run);
  }
  add_text(L, run, "}");
  lua_pop(L, 1);
}

// [-0, +0] the string on top, in which anything may stand
static void add_string(lua_State *L, wording *run) {
  LULL_EFFECT(L, 0, 0);
  lua_pushfstring(L, "%I:", (lua_Integer)lua_rawlen(L, -1));
  add_piece(L, run);
  lua_pushvalue(L, -1);
  add_piece(L, run);
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

// [-1, +0]
static void add_value(lua_State *L, wording *run) {
  LULL_EFFECT(L, 1, 0);
  if (run->pieces >= MOST_PIECES || run->depth >= DEEPEST) {
    run->result->is_whole = 0;
    lua_pop(L, 1);
    return;
  }
  luaL_checkstack(L, 10, NULL);
  run->depth++;
  switch (lua_type(L, -1)) {
    case LUA_TSTRING: add_string(L, run); break;
    case LUA_TNUMBER: add_number(L, run); break;
    case LUA_TBOOLEAN: add_text(L, run, lua_toboolean(L, -1) ? "true;" : "false;"); break;
    case LUA_TFUNCTION:
      if (!is_known(L, run)) add_function(L, run);
      break;
    case LUA_TTABLE:
      if (!is_known(L, run)) add_table(L, run);
      break;
    // An object of Lull's, a file, a coroutine: what it holds is its own.
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
  run->result->values = text;
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
  run->functions = lull_arena_allocate(run->runtime, MOST_FUNCTIONS * sizeof(lull_definition));
  if (run->functions == NULL) return luaL_error(L, "not enough memory");
  run->result->functions = run->functions;
  lull_values_push(run->runtime, L, run->id);
  add_value(L, run);
  join(L, run);
  return 0;
}

// [-0, +0]
int32_t lull_value_wording(lull_runtime *runtime, int64_t id, lull_wording *result) {
  *result = (lull_wording){.values = "", .is_whole = 1};
  wording run = {.runtime = runtime, .id = id, .result = result};
  return lull_protect(runtime, find_wording, &run) != LUA_OK;
}
