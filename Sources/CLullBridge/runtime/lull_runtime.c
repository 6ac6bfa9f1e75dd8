// Finding the runtime of a state, its queries for Swift, and the arena and queues that Swift uses.
#include "runtime/lull_runtime.h"

#include <stdlib.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"

// [-0, +0]
lull_runtime *lull_state_runtime(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 1)) return NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lull_runtime *runtime = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return runtime;
}

// [-0, +0]
void lull_runtime_sweep(lull_runtime *runtime) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  // Inside a finaliser lua_gc has no effect. (Lua 5.4 manual, lua_gc)
  if (lua_gc(L, LUA_GCISRUNNING) >= 0) lull_host_sweep(runtime->host);
}

void lull_runtime_free(lull_runtime *runtime) {
  free(runtime->pool.free);
  runtime->pool = (lull_pool){.free = NULL};
  lull_queue_free(&runtime->swept);
  lull_queue_free(&runtime->swept_taken);
  lull_queue_free(&runtime->orphans);
  lull_queue_free(&runtime->promised);
  lull_queue_free(&runtime->reads.places);
  runtime->reads.watched = NULL;
  lull_arena_free(&runtime->arena);
}

int32_t lull_runtime_depth(const lull_runtime *runtime) { return runtime->depth; }

int32_t lull_pin_count(lull_runtime *runtime) { return runtime->pin_count; }

int32_t lull_waiting_thread_count(lull_runtime *runtime) { return runtime->waiting_threads; }

const char *lull_answer_now_kind(lull_runtime *runtime) { return runtime->answer_now; }

void lull_watch_changes(lull_runtime *runtime, const uint64_t *changes) {
  runtime->changes = changes;
}

int32_t lull_last_nil_method(const lull_runtime *runtime) { return runtime->nil_method; }

const uint64_t *lull_runtime_take_swept(lull_runtime *runtime, size_t *count) {
  // Swapped with a second buffer, so that finalisers running meanwhile can add to it.
  lull_queue taken = runtime->swept;
  runtime->swept = runtime->swept_taken;
  runtime->swept.count = 0;
  runtime->swept_taken = taken;
  *count = taken.count;
  return taken.items;
}

const uint64_t *lull_runtime_take_unpushed(lull_runtime *runtime, size_t *count) {
  *count = runtime->promised.count;
  runtime->promised.count = 0;
  runtime->promised_takes++;
  return runtime->promised.items;
}

int32_t lull_runtime_take_orphan(lull_runtime *runtime, int64_t *id) {
  if (runtime->orphans.count == 0) return 0;
  *id = (int64_t)runtime->orphans.items[--runtime->orphans.count];
  return 1;
}

void *lull_arena_allocate(lull_runtime *runtime, size_t size) {
  return lull_arena_take(&runtime->arena, size);
}

size_t lull_arena_mark(lull_runtime *runtime) { return runtime->arena.top; }

void lull_arena_release(lull_runtime *runtime, size_t mark) {
  lull_arena_drop(&runtime->arena, mark);
}
