// States in which every loaded file comes through a gate: the host reads it and decides whether it
// may be loaded, and the bytes that it read are run.
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "values/lull_protect.h"

typedef struct opening {
  const char *text;
  size_t length;
} opening;

// [-n, +1 or +2] read(path): returns the text, or nil and an error message; upvalue: the runtime
static int read_file(lua_State *L) {
  LULL_CALLED_EITHER(L, LULL_N, 1, 2);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  const char *path = luaL_checkstring(L, 1);
  size_t mark = lull_arena_mark(runtime);
  const char *bytes = "not enough memory";
  size_t length = 17;
  int32_t passes = lull_host_pass_file(runtime->host, path, 1, &bytes, &length);
  if (!passes) luaL_pushfail(L);
  lua_pushlstring(L, bytes, length);
  lull_arena_release(runtime, mark);
  if (passes) return 1;
  return 2;
}

// Returns a file in memory with these bytes, which stays open, because the loader refers to it by
// its number. Negative without memory.
static int copied(const char *bytes, size_t length) {
  int descriptor = memfd_create("lull", MFD_CLOEXEC);
  while (descriptor >= 0 && length > 0) {
    ssize_t count = write(descriptor, bytes, length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      close(descriptor);
      return -1;
    }
    bytes += count;
    length -= (size_t)count;
  }
  return descriptor;
}

// [-n, +1 or +2] copy(path): returns the name of a copy in memory, or nil and an error message;
// upvalue: the runtime
static int copy_file(lua_State *L) {
  LULL_CALLED_EITHER(L, LULL_N, 1, 2);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  const char *path = luaL_checkstring(L, 1);
  size_t mark = lull_arena_mark(runtime);
  const char *bytes = "not enough memory";
  size_t length = 17;
  int32_t passes = lull_host_pass_file(runtime->host, path, 0, &bytes, &length);
  int descriptor = passes ? copied(bytes, length) : -1;
  if (descriptor < 0) {
    luaL_pushfail(L);
    if (passes) {
      lua_pushliteral(L, "not enough memory");
    } else {
      lua_pushlstring(L, bytes, length);
    }
  } else {
    lua_pushfstring(L, "/proc/self/fd/%d", descriptor);
  }
  lull_arena_release(runtime, mark);
  if (descriptor < 0) return 2;
  return 1;
}

// [-0, +1] Pushes a function with the runtime as its upvalue.
static void push_function(lua_State *L, lua_CFunction function) {
  LULL_EFFECT(L, 0, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lua_pushcclosure(L, function, 1);
}

// [-1, +0] The protected part of lull_gate_open.
static int open_gate(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  const opening *context = lua_touserdata(L, 1);
  if (luaL_loadbufferx(L, context->text, context->length, "=(files)", "t") != LUA_OK) return lua_error(L);
  push_function(L, read_file);
  push_function(L, copy_file);
  lua_call(L, 2, 0);
  return 0;
}

int32_t lull_gate_open(lull_runtime *runtime, const char *text, size_t length) {
  opening context = {.text = text, .length = length};
  return lull_protect(runtime, open_gate, &context);
}
