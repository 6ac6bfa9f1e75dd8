// What showing values to a person needs, besides reading them: their own text, and what a function of
// ours is called. Nothing here raises; code of the script runs only in `__tostring` and `__name`.
#include "lull_internal.h"

#include <stdio.h>
#include <string.h>

typedef struct showing {
  lull_runtime *runtime;
  const char *text;
  size_t length;
} showing;

// [-0, +0] copies the string at the top into the arena
static void keep_text(lua_State *L, showing *context) {
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  char *copy = text ? lull_arena_allocate(context->runtime, length + 1) : NULL;
  if (copy == NULL) return;
  memcpy(copy, text, length);
  copy[length] = 0;
  context->text = copy;
  context->length = length;
}

// [-2, +0] value, context
static int own_text(lua_State *L) {
  showing *context = lua_touserdata(L, 2);
  luaL_tolstring(L, 1, NULL);
  keep_text(L, context);
  return 0;
}

// [-0, +0]
const char *lull_text_of(lull_runtime *runtime, lua_State *L, int32_t index, size_t *length) {
  showing context = {.runtime = runtime, .text = NULL, .length = 0};
  if (!lua_checkstack(L, 8)) return NULL;
  index = lua_absindex(L, index);
  lua_pushcfunction(L, own_text);
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, &context);
  const char *previous = runtime->answer_now;
  lua_State *running = runtime->L;
  runtime->answer_now = "__tostring";
  runtime->L = L;
  if (lua_pcall(L, 2, 0, 0) != LUA_OK) lua_pop(L, 1);
  runtime->L = running;
  runtime->answer_now = previous;
  *length = context.length;
  return context.text;
}

// [-0, +0] whether a metamethod of that name is set, without calling anything
int32_t lull_has_metafield(lua_State *L, int32_t index, const char *name) {
  if (!lua_checkstack(L, 4) || !lua_getmetatable(L, index)) return 0;
  lua_pushstring(L, name);
  int found = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 2);
  return found;
}
