// The pool of coroutines in which functions that may wait run. A coroutine that ended without
// error is reused, which costs less than a protected call.
//
// At the bottom of their stacks are the tables of objects and of values, so that values looked up
// there need not be moved, and slots for values shared by successive calls.
#include "runs/lull_pool.h"

#include <stdlib.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "values/lull_protect.h"

// A coroutine being created. Stored on its creator's stack, because a finaliser that runs
// meanwhile may create others.
typedef struct making {
  lull_runtime *runtime;
  int32_t number;
  lua_State *thread;  // NULL until it is stored under its number
} making;

// [-1, +0] threads[n] = a new coroutine, and threads[coroutine] = n
static int new_thread(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  making *context = lua_touserdata(L, 1);
  lull_registry_push(L, context->runtime->threads);
  lua_State *thread = lua_newthread(L);
  // The entry under the number is set first. If memory runs out before the second entry is set, the
  // next thread with this number overwrites the first.
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, context->number);
  lua_pushinteger(L, context->number);
  lua_rawset(L, -3);
  context->thread = thread;
  return 0;
}

// [-0, +0] Returns the coroutine with that number, or NULL.
lua_State *lull_thread_at(lull_runtime *runtime, int32_t number) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  lull_registry_push(L, runtime->threads);
  lua_rawgeti(L, -1, number);
  lua_State *thread = lua_tothread(L, -1);
  lua_pop(L, 2);
  return thread;
}

// [-n, +0] (unproved: leaves what lies at the bottom, of whatever there is) Returns a number to
// the pool, with its coroutine if that can be reused.
void lull_pool_give(lull_runtime *runtime, int32_t number, lua_State *thread) {
  lull_pool *pool = &runtime->pool;
  if (pool->free_count == pool->free_capacity) {
    int32_t capacity = pool->free_capacity ? pool->free_capacity * 2 : 64;
    lull_free_thread *larger = realloc(pool->free, (size_t)capacity * sizeof(lull_free_thread));
    if (larger == NULL) return;
    pool->free = larger;
    pool->free_capacity = capacity;
  }
  if (thread) {
    // Values of the last call are no longer held.
    lua_settop(thread, LULL_AT_SHARED - 1);
    lua_settop(thread, LULL_BELOW_FUNCTION);
  }
  pool->free[pool->free_count++] = (lull_free_thread){.number = number, .L = thread};
}

// [-0, +0] Returns a coroutine that is ready to run, from the pool if possible; NULL without
// memory.
lua_State *lull_pool_take(lull_runtime *runtime, int32_t *number) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  lull_pool *pool = &runtime->pool;
  if (pool->free_count > 0) {
    lull_free_thread free = pool->free[--pool->free_count];
    *number = free.number;
    if (free.L) return free.L;
  } else {
    *number = ++pool->count;
  }
  making context = {.runtime = runtime, .number = *number};
  if (lull_protect(runtime, new_thread, &context) != LUA_OK || context.thread == NULL) {
    lull_pool_give(runtime, *number, NULL);
    return NULL;
  }
  lua_State *thread = context.thread;
  lull_registry_push(thread, runtime->objects);
  lull_registry_push(thread, runtime->values);
  lua_settop(thread, LULL_BELOW_FUNCTION);
  return thread;
}

// [-0, +0] Drops a coroutine that must not be used again.
void lull_pool_drop(lull_runtime *runtime, int32_t number) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  lull_registry_push(L, runtime->threads);
  if (lua_rawgeti(L, -1, number) == LUA_TTHREAD) {
    lua_pushnil(L);
    lua_rawset(L, -3);
  } else {
    lua_pop(L, 1);
  }
  lua_pushnil(L);
  lua_rawseti(L, -2, number);
  lua_pop(L, 1);
  lull_pool_give(runtime, number, NULL);
}
