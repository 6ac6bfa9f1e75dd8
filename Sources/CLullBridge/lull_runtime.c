// The runtime of one state: its registry tables, the arena, the sweep queue, opening and closing.
#include "lull_internal.h"

#include <lull_ledger.h>
#include <stdlib.h>
#include <string.h>

const char lull_kind_key = 0;
const char lull_runtime_key = 0;
const char lull_array_key = 0;
const char lull_host_key = 0;
const char lull_sandbox_key = 0;
const char lull_shown_key = 0;

// [-0, +0] Runs `function` with `context` as its only argument; the status of lua_pcall.
int lull_protect(lull_runtime *runtime, lua_CFunction function, void *context) {
  lua_State *L = runtime->L;
  if (!lua_checkstack(L, 16)) return LUA_ERRMEM;
  int is_interrupted = lull_interrupt_pause(L);
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, context);
  int status = lua_pcall(L, 1, 0, 0);
  if (status != LUA_OK) lua_pop(L, 1);
  if (is_interrupted) lull_interrupt_arm(L);
  return status;
}

// [-0, +1] a new table, with a mode if given.
static void push_weak_table(lua_State *L, const char *mode) {
  lua_newtable(L);
  if (mode) {
    lua_createtable(L, 0, 1);
    lua_pushstring(L, mode);
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
  }
}

// [-0, +0] a reference to a new table.
static int table_reference(lua_State *L, const char *mode) {
  push_weak_table(L, mode);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

// [-0, +0] __gc of the runtime: made first, finalised last.
static int runtime_gc(lua_State *L) {
  lull_runtime *runtime = lua_touserdata(L, 1);
  if (runtime && runtime->host) {
    void *host = runtime->host;
    runtime->host = NULL;
    lull_host_close(host);
  }
  if (runtime) {
    lull_signals_forget(runtime);
    lull_memory_attach(L, NULL);
    free(runtime->free_threads);
    free(runtime->swept);
    free(runtime->swept_taken);
    free(runtime->promised);
    runtime->promised = NULL;
    runtime->promised_count = runtime->promised_capacity = 0;
    lull_reads_watch(runtime, NULL);
    free(runtime->orphans);
    runtime->orphans = NULL;
    runtime->orphan_count = runtime->orphan_capacity = 0;
    for (size_t i = 0; i < runtime->chunk_count; i++) free(runtime->chunks[i].memory);
    free(runtime->chunks);
    runtime->free_threads = NULL;
    runtime->free_thread_count = runtime->free_thread_capacity = 0;
    runtime->swept = runtime->swept_taken = NULL;
    runtime->swept_count = runtime->swept_capacity = 0;
    runtime->chunks = NULL;
    runtime->chunk_count = runtime->chunk_capacity = runtime->arena_top = 0;
  }
  return 0;
}

// [-0, +1] tostring(lull.null)
static int null_tostring(lua_State *L) {
  lua_pushliteral(L, "null");
  return 1;
}

// [-0, +1] the module table. Calling it again in the same state gives the same table.
int luaopen_lull(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key) == LUA_TUSERDATA) {
    // Without a module: opening it failed once, when the host was there already.
    if (lua_getiuservalue(L, -1, 1) == LUA_TNIL) {
      return luaL_error(L, "lull: not enough memory to open it");
    }
    return 1;
  }
  lua_pop(L, 1);

  lull_runtime *runtime = lua_newuserdatauv(L, sizeof(lull_runtime), 1);
  memset(runtime, 0, sizeof(*runtime));
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  runtime->main = lua_tothread(L, -1);
  lua_pop(L, 1);
  runtime->L = L;
  lull_memory_attach(L, runtime);
  if (lua_getglobal(L, "xpcall") == LUA_TFUNCTION) runtime->xpcall = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, runtime_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);

  runtime->values = table_reference(L, "v");
  runtime->objects = table_reference(L, "v");
  runtime->pins = table_reference(L, NULL);
  runtime->pinned_objects = table_reference(L, NULL);
  runtime->anchors = table_reference(L, "k");
  runtime->threads = table_reference(L, NULL);
  runtime->metatables = table_reference(L, NULL);

  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, null_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushliteral(L, "null");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  runtime->null = luaL_ref(L, LUA_REGISTRYINDEX);

  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);

  runtime->methods = lull_host_methods(&runtime->method_count);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_host_key) == LUA_TLIGHTUSERDATA) {
    runtime->host = lua_touserdata(L, -1);
  }
  lua_pop(L, 1);
  // The host attaches itself to the runtime and makes what it needs.
  void *host = lull_host_attach(runtime->host, runtime, L);
  runtime->host = host;
  if (host == NULL) {
    // The next require tries again.
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
    lull_memory_attach(L, NULL);
    return luaL_error(L, "lull: the event loop could not be made");
  }
  lull_make_metatables(runtime, L);
  lull_make_module(runtime, L);
  lull_open_coroutine(L);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, -3, 1);
  // A state that has blocked in lull.run or await runs on its own L; between calls, on the main one.
  runtime->L = runtime->main;
  return 1;
}

// [-0, +0]
static int open_libraries(lua_State *L) {
  luaL_openlibs(L);
  return 0;
}

// The new state's stack is empty.
lua_State *lull_state_new(void) {
  lua_State *L = lull_memory_new_state();
  if (L == NULL) return NULL;
  lua_pushcfunction(L, open_libraries);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
    lull_state_close(L);
    return NULL;
  }
  return L;
}

// [-1, +0] protected part of lull_state_preload
static int preload(lua_State *L) {
  void *host = lua_touserdata(L, 1);
  lua_pushlightuserdata(L, host);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_host_key);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_lull);
  lua_setfield(L, -2, "lull");
  return 0;
}

// [-0, +0]
int32_t lull_state_preload(lua_State *L, void *host) {
  lua_pushcfunction(L, preload);
  lua_pushlightuserdata(L, host);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return 0;
  lua_pop(L, 1);
  return 1;
}

// [-1, +0] protected part of lull_state_require
static int require_module(lua_State *L) {
  int set_global = lua_toboolean(L, 1);
  luaL_requiref(L, "lull", luaopen_lull, set_global);
  return 0;
}

// [-0, +0]
int32_t lull_state_require(lua_State *L, int32_t set_global) {
  if (!lua_checkstack(L, 4)) return 1;
  lua_pushcfunction(L, require_module);
  lua_pushboolean(L, set_global);
  // Nothing of what is made here is garbage.
  lua_gc(L, LUA_GCSTOP);
  int status = lua_pcall(L, 1, 0, 0);
  lua_gc(L, LUA_GCRESTART);
  if (status == LUA_OK) return 0;
  lua_pop(L, 1);
  return 1;
}

// [-0, +0]
lull_runtime *lull_state_runtime(lua_State *L) {
  if (!lua_checkstack(L, 1)) return NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lull_runtime *runtime = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return runtime;
}

int32_t lull_runtime_depth(const lull_runtime *runtime) { return runtime->depth; }

int32_t lull_pin_count(lull_runtime *runtime) { return runtime->pin_count; }

int32_t lull_waiting_thread_count(lull_runtime *runtime) { return runtime->waiting_threads; }

const uint64_t *lull_runtime_take_swept(lull_runtime *runtime, size_t *count) {
  // Swapped with a second buffer, so that finalisers running meanwhile have where to write.
  uint64_t *taken = runtime->swept;
  *count = runtime->swept_count;
  runtime->swept = runtime->swept_taken;
  runtime->swept_taken = taken;
  runtime->swept_count = 0;
  size_t capacity = runtime->swept_capacity;
  runtime->swept_capacity = runtime->taken_capacity;
  runtime->taken_capacity = capacity;
  return taken;
}

const uint64_t *lull_runtime_take_unpushed(lull_runtime *runtime, size_t *count) {
  *count = runtime->promised_count;
  runtime->promised_count = 0;
  runtime->promised_takes++;
  return runtime->promised;
}

// [-0, +0] raises nothing: finalisers run protected (Lua 5.4 manual, lua_gc)
void lull_runtime_collect(lull_runtime *runtime, int32_t kilobytes) {
  lua_gc(runtime->L, LUA_GCSTEP, (int)kilobytes);
}

// [-0, +0]
int32_t lull_runtime_collect_all(lull_runtime *runtime) {
  return lua_gc(runtime->L, LUA_GCCOLLECT) == 0;
}

// [-0, +0]
int64_t lull_runtime_lua_bytes(const lull_runtime *runtime) {
  return (int64_t)lua_gc(runtime->L, LUA_GCCOUNT) * 1024 + lua_gc(runtime->L, LUA_GCCOUNTB);
}

// Queues a finalised handle. Called from __gc: allocates nothing in Lua, calls nothing across.
void lull_sweep_later(lull_runtime *runtime, uint64_t handle) {
  if (runtime->swept_count == runtime->swept_capacity) {
    size_t capacity = runtime->swept_capacity ? runtime->swept_capacity * 2 : 256;
    uint64_t *larger = realloc(runtime->swept, capacity * sizeof(uint64_t));
    if (larger == NULL) return;  // the slot stays until the state closes
    runtime->swept = larger;
    runtime->swept_capacity = capacity;
  }
  runtime->swept[runtime->swept_count++] = handle;
}

// Queues a value whose owner has died. Called from __gc.
void lull_orphan_later(lull_runtime *runtime, int64_t id) {
  if (runtime->orphan_count == runtime->orphan_capacity) {
    size_t capacity = runtime->orphan_capacity ? runtime->orphan_capacity * 2 : 64;
    int64_t *larger = realloc(runtime->orphans, capacity * sizeof(int64_t));
    if (larger == NULL) return;  // it stays pinned until the state closes
    runtime->orphans = larger;
    runtime->orphan_capacity = capacity;
  }
  runtime->orphans[runtime->orphan_count++] = id;
}

int32_t lull_runtime_take_orphan(lull_runtime *runtime, int64_t *id) {
  if (runtime->orphan_count == 0) return 0;
  *id = runtime->orphans[--runtime->orphan_count];
  return 1;
}

#define LULL_CHUNK (64 * 1024)

void *lull_arena_allocate(lull_runtime *runtime, size_t size) {
  size = (size + 15) & ~(size_t)15;
  lull_chunk *last = runtime->chunk_count ? &runtime->chunks[runtime->chunk_count - 1] : NULL;
  if (last == NULL || runtime->arena_top - last->start + size > last->size) {
    if (runtime->chunk_count == runtime->chunk_capacity) {
      size_t capacity = runtime->chunk_capacity ? runtime->chunk_capacity * 2 : 8;
      lull_chunk *larger = realloc(runtime->chunks, capacity * sizeof(lull_chunk));
      if (larger == NULL) return NULL;
      runtime->chunks = larger;
      runtime->chunk_capacity = capacity;
    }
    size_t bytes = size > LULL_CHUNK ? size : LULL_CHUNK;
    char *memory = lull_ledger_ask(bytes) ? malloc(bytes) : NULL;
    if (memory == NULL) return NULL;
    last = &runtime->chunks[runtime->chunk_count++];
    *last = (lull_chunk){.memory = memory, .size = bytes, .start = runtime->arena_top};
  }
  char *result = last->memory + (runtime->arena_top - last->start);
  runtime->arena_top += size;
  return result;
}

size_t lull_arena_mark(lull_runtime *runtime) { return runtime->arena_top; }

void lull_arena_release(lull_runtime *runtime, size_t mark) {
  while (runtime->chunk_count > 1 && runtime->chunks[runtime->chunk_count - 1].start >= mark) {
    free(runtime->chunks[--runtime->chunk_count].memory);
  }
  if (runtime->chunk_count == 1 && mark == 0 && runtime->chunks[0].size > LULL_CHUNK) {
    free(runtime->chunks[0].memory);
    runtime->chunk_count = 0;
  }
  runtime->arena_top = mark;
}
