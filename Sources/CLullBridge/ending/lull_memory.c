// The allocator of states made by lull_state_new. It counts bytes, enforces a limit, and fails on
// demand for tests. States of a stock interpreter keep their allocator.
//
// Small blocks are Lull's own (lull_blocks.c), unless the environment variable LULL_PLAIN_MALLOC
// is set: then every block is allocated by the C library, so that valgrind can track each one.
#define _GNU_SOURCE
#include "ending/lull_memory.h"

#include <fcntl.h>
#include <lull_ledger.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lull_blocks.h"
#include "base/lull_stack.h"
#include "base/lull_warnings.h"
#include "ending/lull_interrupt.h"
#include "ending/lull_limit.h"
#include "ending/lull_watchdog.h"

// The memory reserved for reporting after the limit was exceeded.
enum { LULL_RESERVE = 1024 * 1024 };

// How often the heap is measured while the process is larger than the limit but does not grow.
enum { LULL_LOOKS_PER_MEASUREMENT = 64 };

// A refused request. The interpreter collects garbage and tries again.
typedef struct refusal {
  const void *block;
  size_t size;  // 0: none
} refusal;

struct lull_memory {
  lull_runtime *runtime;  // NULL before the runtime exists and after its end
  lull_blocks *blocks;    // NULL if all blocks are the C library's
  size_t used;
  size_t largest_small;  // the maximum size of Lull's own blocks
  size_t used_large;     // in blocks of the C library
  size_t held;   // outside of Lua, at the last check
  size_t limit;  // 0: none
  size_t ceiling;  // the maximum after the limit was exceeded; 0: not known yet
  refusal over_limit;
  int has_unmet_need;  // a request was refused and not repeated: the script got the error
  int is_check_due;    // more than the limit was granted: check between two instructions

  size_t own_before;  // heap and regions in use by Lua when the limit was set

  // The whole process, while there is a limit and no ledger.
  int counts_own_only;  // counts only Lua and its objects, in a process with other work
  int statm;            // the open file with the kernel's count of its pages; -1: none
  size_t heap_before;   // heap in use when the limit was set, without Lua's
  size_t heap_outside;  // heap in use since then, without Lua's, at the last measurement
  size_t measured_at;   // the size of the process at that time
  int looks_left;       // checks until it is measured even without growth

  // For tests.
  int64_t countdown;  // 1: the next growing allocation fails; 0: none does
  int32_t failing;    // LULL_FAIL_*
  int64_t failure_count;
  refusal on_purpose;

  lull_warnings warnings;
};

static void forget(lull_memory *memory) {
  if (memory->statm >= 0) close(memory->statm);
  if (memory->blocks) lull_blocks_free(memory->blocks);
  free(memory);
}

// Returns whether this is the second attempt of a refused request, which is then forgotten.
static int is_repeated(refusal *refused, const void *block, size_t size) {
  int same = refused->size == size && refused->block == block;
  refused->size = 0;
  return same;
}

// Returns whether a test wants this allocation to fail.
static int is_to_fail(lull_memory *memory, const void *block, size_t size) {
  if (is_repeated(&memory->on_purpose, block, size)) {
    return memory->failing != LULL_FAIL_FIRST_ATTEMPTS;
  }
  if (memory->countdown == 0 || --memory->countdown > 0) return 0;
  if (memory->failing != LULL_FAIL_ONCE) memory->countdown = 1;
  if (memory->failing != LULL_FAIL_FOR_GOOD) {
    memory->on_purpose = (refusal){.block = block, .size = size};
  }
  memory->failure_count++;
  return 1;
}

// The part of the ledger's count that belongs to Lua.
static size_t own_size(const lull_memory *memory) {
  return memory->used_large + (memory->blocks ? lull_blocks_mapped(memory->blocks) : 0);
}

// The growth of the heap without Lua's part, according to the ledger.
static size_t grown_outside(const lull_memory *memory) {
  int64_t own = (int64_t)own_size(memory) - (int64_t)memory->own_before;
  int64_t outside = lull_ledger_grown() - own;
  return outside > 0 ? (size_t)outside : 0;
}

// Returns whether that many more bytes would exceed the limit by more than `slack`.
static int is_over_by(const lull_memory *memory, size_t growth, size_t slack) {
  size_t held = lull_ledger_is_kept() ? grown_outside(memory) : memory->held;
  return memory->used + held + growth > memory->limit + slack;
}

static int is_over(const lull_memory *memory, size_t growth) {
  return is_over_by(memory, growth, 0);
}

// Refuses a request, which either has ended the script or is repeated after a collection.
static void refuse(lull_memory *memory, const void *block, size_t size) {
  lull_runtime *runtime = memory->runtime;
  if (runtime == NULL || runtime->passed_limit != LULL_LIMIT_NONE) return;
  if (is_repeated(&memory->over_limit, block, size)) {
    memory->has_unmet_need = 0;
    lull_limit_pass(runtime, LULL_LIMIT_MEMORY);
    return;
  }
  memory->over_limit = (refusal){.block = block, .size = size};
  memory->has_unmet_need = 1;
  lull_interrupt_check_memory(runtime);
}

// Returns whether a limited state may have that much.
//
// The collector lets garbage grow to the size of the memory in use, and not every allocation is
// repeated after a collection. So up to half the limit is granted beyond it until the running code
// is between two instructions, where garbage and everything it holds can be collected.
static int is_granted(lull_memory *memory, const void *block, size_t size, size_t growth) {
  lull_runtime *runtime = memory->runtime;
  if (runtime == NULL || !is_over(memory, growth)) {
    if (is_repeated(&memory->over_limit, block, size)) memory->has_unmet_need = 0;
    return 1;
  }
  if (runtime->passed_limit != LULL_LIMIT_NONE) {
    size_t total = memory->used + memory->held;
    if (memory->ceiling == 0) memory->ceiling = total + LULL_RESERVE;
    return total + growth <= memory->ceiling;
  }
  if (!memory->is_check_due && !is_over_by(memory, growth, memory->limit / 2)) {
    memory->is_check_due = 1;
    lull_interrupt_check_memory(runtime);
    return 1;
  }
  refuse(memory, block, size);
  return 0;
}

// Returns whether that much more is allowed.
static int is_allowed(lull_memory *memory, const void *block, size_t old_size, size_t new_size) {
  if (is_to_fail(memory, block, new_size)) return 0;
  return memory->limit == 0 || is_granted(memory, block, new_size, new_size - old_size);
}

// Returns whether a block of that size is one of Lull's own. There are no blocks of 0 bytes.
static int is_small(const lull_memory *memory, size_t size) {
  return size - 1 < memory->largest_small;
}

// Like realloc for a block of the C library; NULL for 0 bytes, without memory, or if the ledger
// has no room for it.
static void *resize_large(lull_memory *memory, void *block, size_t old_size, size_t new_size) {
  void *result = NULL;
  if (new_size == 0) {
    free(block);
  } else if (new_size > old_size && !lull_ledger_may(new_size - old_size)) {
    return NULL;
  } else {
    result = realloc(block, new_size);
    // The interpreter relies on shrinking to succeed.
    if (result == NULL) return new_size <= old_size ? block : NULL;
  }
  memory->used_large += new_size - old_size;
  return result;
}

// Like realloc, if the old or the new block is small. Unlike a large block, such a block can't be
// kept if there is no memory for the new size. The interpreter then raises an error.
static void *resize_small(lull_memory *memory, void *block, size_t old_size, size_t new_size) {
  int was_small = is_small(memory, old_size), is_to_be_small = is_small(memory, new_size);
  if (was_small && is_to_be_small && lull_blocks_fit(old_size, new_size)) return block;
  void *result = is_to_be_small ? lull_blocks_take(memory->blocks, new_size)
    : resize_large(memory, NULL, 0, new_size);
  if (result == NULL) return NULL;
  memcpy(result, block, old_size < new_size ? old_size : new_size);
  if (was_small) {
    lull_blocks_give(memory->blocks, block);
  } else {
    resize_large(memory, block, old_size, 0);
  }
  return result;
}

// A lua_Alloc. (Lua 5.4 manual, section 4.6)
static void *allocate(void *context, void *block, size_t old_size, size_t new_size) {
  lull_memory *memory = context;
  // Without a block, the old size is the kind of object.
  if (block == NULL) old_size = 0;
  int is_watched = memory->limit != 0 || memory->countdown != 0 || memory->on_purpose.size != 0;
  if (is_watched && new_size > old_size && !is_allowed(memory, block, old_size, new_size)) {
    return NULL;
  }
  void *result = NULL;
  if (old_size == 0 && is_small(memory, new_size)) {
    result = lull_blocks_take(memory->blocks, new_size);
  } else if (new_size == 0 && is_small(memory, old_size)) {
    lull_blocks_give(memory->blocks, block);
  } else if (is_small(memory, old_size) || is_small(memory, new_size)) {
    result = resize_small(memory, block, old_size, new_size);
  } else {
    result = resize_large(memory, block, old_size, new_size);
  }
  if (result != NULL || new_size == 0) {
    memory->used += new_size - old_size;
  } else if (lull_ledger_is_kept()) {
    refuse(memory, block, new_size);
  }
  return result;
}

// [-0, +0] Returns the memory of a state made by lull_state_new, otherwise NULL.
static lull_memory *memory_of(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  void *context = NULL;
  return lua_getallocf(L, &context) == allocate ? context : NULL;
}

// [-0, +0] (unproved: the state is new) Creates a state without libraries that uses this
// allocator; NULL without memory.
lua_State *lull_memory_new_state(void) {
  lull_memory *memory = calloc(1, sizeof(*memory));
  if (memory == NULL) return NULL;
  memory->statm = -1;
  if (getenv("LULL_PLAIN_MALLOC") == NULL) memory->blocks = lull_blocks_new();
  if (memory->blocks) memory->largest_small = LULL_LARGEST_BLOCK;
  lua_State *L = lua_newstate(allocate, memory);
  if (L == NULL) {
    forget(memory);
    return NULL;
  }
  lull_warnings_open(L, &memory->warnings);
  return L;
}

// [-0, +0] Sets the runtime whose limit applies; NULL when the runtime ends.
void lull_memory_attach(lua_State *L, lull_runtime *runtime) {
  LULL_EFFECT(L, 0, 0);
  lull_memory *memory = memory_of(L);
  if (memory == NULL) return;
  memory->runtime = runtime;
  if (runtime) runtime->memory = memory;
}

// Returns the heap bytes in use by the process, without Lua's; 0 with another allocator.
static size_t heap_outside_lua(const lull_memory *memory) {
  struct mallinfo2 info = mallinfo2();
  size_t in_use = info.uordblks + info.hblkhd;
  return in_use > memory->used_large ? in_use - memory->used_large : 0;
}

// Returns the private memory of the process in bytes; the largest number if it is not known.
static size_t process_size(const lull_memory *memory) {
  char text[128];
  ssize_t count = memory->statm < 0 ? -1 : pread(memory->statm, text, sizeof(text) - 1, 0);
  if (count <= 0) return SIZE_MAX;
  text[count] = 0;
  size_t resident, shared;
  if (sscanf(text, "%*u %zu %zu", &resident, &shared) != 2) return SIZE_MAX;
  return resident < shared ? 0 : (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
}

// Returns the memory in use outside of Lua: the bytes that Swift counts, or the growth of the heap
// if that is larger.
//
// Measuring the heap walks through its free blocks. A process smaller than the limit can't have a
// larger heap, and its size costs only a system call.
static size_t held_outside(lull_memory *memory, int exactly) {
  if (lull_ledger_is_kept()) return grown_outside(memory);
  size_t counted = (size_t)lull_host_held(memory->runtime->host);
  if (memory->counts_own_only) return counted;
  size_t size = process_size(memory);
  if (!exactly && size <= memory->limit) {
    memory->heap_outside = 0;
  } else if (exactly || size > memory->measured_at + memory->limit / 16
    || --memory->looks_left <= 0) {
    size_t outside = heap_outside_lua(memory);
    memory->heap_outside = outside > memory->heap_before ? outside - memory->heap_before : 0;
    memory->measured_at = size;
    memory->looks_left = LULL_LOOKS_PER_MEASUREMENT;
  }
  return counted > memory->heap_outside ? counted : memory->heap_outside;
}

// Returns 0 in a state that does not belong to Lull.
int lull_memory_limit(lull_runtime *runtime, int64_t bytes) {
  lull_memory *memory = runtime->memory;
  if (memory == NULL) return 0;
  memory->limit = (size_t)bytes;
  runtime->has_memory_limit = 1;
  memory->own_before = own_size(memory);
  // If the process does not end with the script, there may be other scripts in it.
  if (lull_watchdog_runs() && lull_ledger_open(bytes + bytes / 2, lull_watchdog_end_memory)) return 1;
  if (memory->statm < 0) memory->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  memory->heap_before = heap_outside_lua(memory);
  return 1;
}

int lull_memory_limit_own(lull_runtime *runtime, int64_t bytes) {
  lull_memory *memory = runtime->memory;
  if (memory == NULL) return 0;
  memory->limit = (size_t)bytes;
  memory->counts_own_only = 1;
  runtime->has_memory_limit = 1;
  return 1;
}

// [-0, +0] Returns whether the limit is respected again after garbage was collected. Then it
// counts as not exceeded.
int lull_memory_recover(lull_runtime *runtime) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  lull_memory *memory = runtime->memory;
  lua_gc(L, LUA_GCCOLLECT);
  lull_runtime_sweep(runtime);
  memory->held = held_outside(memory, 1);
  if (is_over(memory, 0)) return 0;
  memory->ceiling = 0;
  memory->has_unmet_need = memory->is_check_due = 0;
  memory->over_limit.size = 0;
  return 1;
}

// [-0, +0] Called where finalisers may run and objects may be freed; raises no error.
void lull_memory_check(lull_runtime *runtime) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  lull_memory *memory = runtime->memory;
  if (!runtime->has_memory_limit || runtime->host == NULL) return;
  if (runtime->passed_limit != LULL_LIMIT_NONE) return;
  memory->is_check_due = 0;
  if (memory->has_unmet_need || lull_ledger_has_refused()) {
    lull_limit_pass(runtime, LULL_LIMIT_MEMORY);
    return;
  }
  memory->held = held_outside(memory, 0);
  if (!is_over(memory, 0)) return;
  lua_gc(L, LUA_GCCOLLECT);
  lull_runtime_sweep(runtime);
  memory->held = held_outside(memory, 1);
  if (is_over(memory, 0)) lull_limit_pass(runtime, LULL_LIMIT_MEMORY);
}

// Returns how much may be allocated outside of Lua before the limit is exceeded, with the same
// tolerance as for Lua.
size_t lull_memory_room(const lull_runtime *runtime) {
  if (!runtime->has_memory_limit) return SIZE_MAX;
  const lull_memory *memory = runtime->memory;
  size_t most = memory->limit + memory->limit / 2;
  size_t total = memory->used + (lull_ledger_is_kept() ? grown_outside(memory) : memory->held);
  size_t room = total < most ? most - total : 0, left = lull_ledger_room();
  return room < left ? room : left;
}

void lull_memory_pass(lull_runtime *runtime) {
  if (runtime->has_memory_limit) lull_limit_pass(runtime, LULL_LIMIT_MEMORY);
}

// An allocation refused by the ledger ends the run before the script gets the error, because the
// script could catch it.
void lull_memory_settle(lull_runtime *runtime) {
  if (runtime->has_memory_limit && lull_ledger_has_refused()) {
    lull_limit_pass(runtime, LULL_LIMIT_MEMORY);
  }
}

// [-0, +0] Returns whether that much may be copied out of Lua, after a collection if needed;
// otherwise the limit is exceeded. Finalisers may run. Raises no error.
int lull_memory_admits(lull_runtime *runtime, size_t size) {
  if (lull_ledger_may(size)) return 1;
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  lua_gc(L, LUA_GCCOLLECT);
  if (lull_ledger_may(size)) return 1;
  lull_limit_pass(runtime, LULL_LIMIT_MEMORY);
  return 0;
}

// [-n, +0] (unproved: the state is gone) Closes the state and frees its allocator.
void lull_state_close(lua_State *L) {
  lull_memory *memory = memory_of(L);
  lua_close(L);
  if (memory) forget(memory);
}

// [-0, +0]
size_t lull_memory_used(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  const lull_memory *memory = memory_of(L);
  return memory ? memory->used : 0;
}

// [-0, +0]
void lull_memory_fail_after(lua_State *L, int64_t count, int32_t failing) {
  LULL_EFFECT(L, 0, 0);
  lull_memory *memory = memory_of(L);
  if (memory == NULL) return;
  memory->countdown = count;
  memory->failing = failing;
  memory->on_purpose.size = 0;
  memory->failure_count = 0;
}

// [-0, +0]
int64_t lull_memory_failure_count(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  const lull_memory *memory = memory_of(L);
  return memory ? memory->failure_count : 0;
}
