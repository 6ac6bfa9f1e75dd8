// Compiling chunks for Swift.
#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "runs/lull_chunks.h"
#include "runs/lull_failure.h"
#include "values/lull_stored.h"
#include "values/lull_protect.h"

typedef struct loading {
  lull_runtime *runtime;
  const char *bytes;
  size_t length;
  const char *name;
  int64_t id;
  const char *mode;
  const char *message;
} loading;

// [-1, +0] Compiles and stores the function, or copies the message.
static int load_chunk(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  loading *context = lua_touserdata(L, 1);
  if (luaL_loadbufferx(L, context->bytes, context->length, context->name, context->mode) == LUA_OK) {
    lull_registry_push(L, context->runtime->values);
    lua_insert(L, -2);
    lua_rawseti(L, -2, (lua_Integer)context->id);
    lull_registry_push(L, context->runtime->pins);
    lull_values_push(context->runtime, L, context->id);
    lua_rawseti(L, -2, (lua_Integer)context->id);
    context->runtime->pin_count++;
    return 0;
  }
  size_t length;
  const char *text = lua_tostring(L, -1);
  const char *refusal = lull_reworded(L, text);
  // Unlike the compiler's other messages, this one does not name the chunk. The name begins with @
  // or =.
  if (refusal != text) lua_pushfstring(L, "%s: %s", context->name + 1, refusal);
  context->message = lull_copied(context->runtime, L, -1, &length);
  return 0;
}

static int32_t load(lull_runtime *runtime, loading *context, const char **message) {
  context->runtime = runtime;
  int status = lull_protect(runtime, load_chunk, context);
  *message = status == LUA_OK ? context->message : "not enough memory";
  return *message != NULL;
}

int32_t lull_load(
  lull_runtime *runtime, const char *bytes, size_t length, const char *name, int64_t id,
  const char **message) {
  loading context = {
    .bytes = bytes, .length = length, .name = name, .id = id,
    .mode = runtime->allows_bytecode ? "bt" : "t"};
  return load(runtime, &context, message);
}

int32_t lull_load_dumped(
  lull_runtime *runtime, const char *bytes, size_t length, const char *name, int64_t id,
  const char **message) {
  loading context = {.bytes = bytes, .length = length, .name = name, .id = id, .mode = "b"};
  return load(runtime, &context, message);
}

typedef struct dumping {
  lull_runtime *runtime;
  int64_t id;
  luaL_Buffer buffer;
  int has_begun;
  const char *bytes;
  size_t length;
} dumping;

// [-0, +m] (unproved: the buffer pushes its own value with the first piece) Writes a piece.
static int write_dump(lua_State *L, const void *bytes, size_t length, void *data) {
  dumping *context = data;
  if (!context->has_begun) luaL_buffinit(L, &context->buffer);
  context->has_begun = 1;
  luaL_addlstring(&context->buffer, bytes, length);
  return 0;
}

// [-1, +0] Copies the compiled form of a stored function.
static int dump_chunk(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  dumping *context = lua_touserdata(L, 1);
  lull_values_push(context->runtime, L, context->id);
  if (lua_type(L, -1) != LUA_TFUNCTION || lua_iscfunction(L, -1)) return 0;
  if (lua_dump(L, write_dump, context, 0) != 0 || !context->has_begun) return 0;
  luaL_pushresult(&context->buffer);
  context->bytes = lull_copied(context->runtime, L, -1, &context->length);
  return 0;
}

const char *lull_dump(lull_runtime *runtime, int64_t id, size_t *length) {
  dumping context = {.runtime = runtime, .id = id};
  if (lull_protect(runtime, dump_chunk, &context) != LUA_OK) return NULL;
  *length = context.length;
  return context.bytes;
}

typedef struct compiling {
  const char *bytes;
  size_t length;
  const char *name;
  char *message;
  size_t size;
} compiling;

// [-1, +0] Compiles and copies the message, if there is one.
static int compile_chunk(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  compiling *context = lua_touserdata(L, 1);
  context->message[0] = 0;
  if (luaL_loadbufferx(L, context->bytes, context->length, context->name, "t") == LUA_OK) return 0;
  const char *text = lua_tostring(L, -1);
  if (text) strncat(context->message, text, context->size - 1);
  return 0;
}

int32_t lull_compile(
  lull_runtime *runtime, const char *bytes, size_t length, const char *name, char *message,
  size_t size) {
  compiling context = {
    .bytes = bytes, .length = length, .name = name, .message = message, .size = size};
  return lull_protect(runtime, compile_chunk, &context) != LUA_OK || message[0] != 0;
}
