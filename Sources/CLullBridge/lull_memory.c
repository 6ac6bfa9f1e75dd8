// The allocator of states made by lull_state_new: it counts bytes and, for tests, fails where it is
// told to. States of a stock interpreter keep theirs.
#include "lull_internal.h"

#include <stdlib.h>

// Lua's own error for a memory error needs no memory, so refusing is all there is to do.
struct lull_memory {
  size_t used;
  int64_t countdown;  // 1: the next growing allocation fails; 0: none does
  int32_t fails_for_good;
  int64_t failure_count;
  // What was refused last: the interpreter collects and tries once more, which is no new allocation.
  const void *refused_block;
  size_t refused_size;
};

// [-0, +0] whether a test wants this allocation to fail
static int is_to_fail(lull_memory *memory, const void *block, size_t size) {
  if (memory->refused_size != 0) {
    int again = memory->refused_block == block && memory->refused_size == size;
    memory->refused_size = 0;
    if (again) return 1;
  }
  if (memory->countdown == 0 || --memory->countdown > 0) return 0;
  if (memory->fails_for_good) {
    memory->countdown = 1;
  } else {
    memory->refused_block = block;
    memory->refused_size = size;
  }
  memory->failure_count++;
  return 1;
}

// A lua_Alloc. (Lua 5.4 manual, section 4.6)
static void *allocate(void *context, void *block, size_t old_size, size_t new_size) {
  lull_memory *memory = context;
  // Without a block, the old size is the kind of object.
  if (block == NULL) old_size = 0;
  if (new_size == 0) {
    free(block);
    memory->used -= old_size;
    return NULL;
  }
  if (new_size > old_size && is_to_fail(memory, block, new_size)) return NULL;
  void *result = realloc(block, new_size);
  // The interpreter relies on shrinking to succeed.
  if (result == NULL) return new_size <= old_size ? block : NULL;
  memory->used += new_size - old_size;
  return result;
}

// [-0, +0] the memory of a state made by lull_state_new, else NULL
lull_memory *lull_memory_of(lua_State *L) {
  void *context = NULL;
  return lua_getallocf(L, &context) == allocate ? context : NULL;
}

// [-0, +0] takes over the allocations of a state that luaL_newstate has just made, which are those of
// realloc; 0 without memory
int lull_memory_install(lua_State *L) {
  lull_memory *memory = calloc(1, sizeof(*memory));
  if (memory == NULL) return 0;
  memory->used = (size_t)lua_gc(L, LUA_GCCOUNT) * 1024 + (size_t)lua_gc(L, LUA_GCCOUNTB);
  lua_setallocf(L, allocate, memory);
  return 1;
}

// [-n, +0] closes the state and gives its allocator back
void lull_state_close(lua_State *L) {
  lull_memory *memory = lull_memory_of(L);
  lua_close(L);
  free(memory);
}

// [-0, +0]
size_t lull_memory_used(lua_State *L) {
  const lull_memory *memory = lull_memory_of(L);
  return memory ? memory->used : 0;
}

// [-0, +0]
void lull_memory_fail_after(lua_State *L, int64_t count, int32_t for_good) {
  lull_memory *memory = lull_memory_of(L);
  if (memory == NULL) return;
  memory->countdown = count;
  memory->fails_for_good = for_good;
  memory->refused_size = 0;
  memory->failure_count = 0;
}

// [-0, +0]
int64_t lull_memory_failure_count(lua_State *L) {
  const lull_memory *memory = lull_memory_of(L);
  return memory ? memory->failure_count : 0;
}
