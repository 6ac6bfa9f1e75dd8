// The allocator of states made by lull_state_new: it counts bytes, keeps to a limit and, for tests, fails
// where it is told to. States of a stock interpreter keep theirs.
//
// Small blocks are Lull's own (lull_blocks.c), unless the environment has LULL_PLAIN_MALLOC: then every
// block is the C library's, so that valgrind sees what becomes of each.
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

// What stays for reporting once the limit has been passed.
enum { LULL_RESERVE = 1024 * 1024 };

// How often the heap is measured while the process is larger than the limit but does not grow.
enum { LULL_LOOKS_PER_MEASUREMENT = 64 };

// A request the allocator has refused. The interpreter collects and tries once more.
typedef struct refusal {
  const void *block;
  size_t size;  // 0: none
} refusal;

struct lull_memory {
  lull_runtime *runtime;  // NULL before it is there and after its end
  lull_blocks *blocks;    // NULL: all blocks are the C library's
  size_t used;
  size_t largest_small;  // up to which size blocks are of our own
  size_t used_large;     // in blocks of the C library's
  size_t held;   // outside of Lua, when last looked at
  size_t limit;  // 0: none
  size_t ceiling;  // how much there may be after a limit has been passed; 0: not known yet
  refusal over_limit;
  int has_unmet_need;  // something was refused and not asked for again: the script has felt it
  int is_check_due;    // more than the limit was granted, to be seen to between two instructions

  size_t own_before;  // heap and regions in use by Lua when the limit was set

  // Of the whole process, while there is a limit and nobody keeps the ledger.
  int counts_own_only;  // no: what Lua and its objects take, in a process with a life of its own
  int statm;            // open file of the kernel's count of its pages; -1: none
  size_t heap_before;   // heap in use when the limit was set, without Lua's
  size_t heap_outside;  // heap in use since then, without Lua's, when last measured
  size_t measured_at;   // how large the process was then
  int looks_left;       // until it is measured although it has not grown

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

// Whether this is the second attempt at what was refused, which is then forgotten
static int is_repeated(refusal *refused, const void *block, size_t size) {
  int same = refused->size == size && refused->block == block;
  refused->size = 0;
  return same;
}

// Whether a test wants this allocation to fail
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

// What the ledger counts of Lua's
static size_t own_size(const lull_memory *memory) {
  return memory->used_large + (memory->blocks ? lull_blocks_mapped(memory->blocks) : 0);
}

// What the heap has grown by, without Lua's, as the ledger knows it at any time
static size_t grown_outside(const lull_memory *memory) {
  int64_t own = (int64_t)own_size(memory) - (int64_t)memory->own_before;
  int64_t outside = lull_ledger_grown() - own;
  return outside > 0 ? (size_t)outside : 0;
}

// Whether that many bytes more would be over the limit by more than `slack`
static int is_over_by(const lull_memory *memory, size_t growth, size_t slack) {
  size_t held = lull_ledger_is_kept() ? grown_outside(memory) : memory->held;
  return memory->used + held + growth > memory->limit + slack;
}

static int is_over(const lull_memory *memory, size_t growth) {
  return is_over_by(memory, growth, 0);
}

// What was refused to the script has ended it, or is asked for once more after a collection
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

// Whether a limited state may have that
//
// The collector lets garbage grow to the size of what is in use, and not every allocation is tried
// again after a collection: so half as much as the limit may be had beyond it until the code that runs
// is between two instructions, where garbage and what hangs on it can be collected.
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

// Whether there may be that much more
static int is_allowed(lull_memory *memory, const void *block, size_t old_size, size_t new_size) {
  if (is_to_fail(memory, block, new_size)) return 0;
  return memory->limit == 0 || is_granted(memory, block, new_size, new_size - old_size);
}

// Whether a block of that size is one of our own; there is none of 0 bytes.
static int is_small(const lull_memory *memory, size_t size) {
  return size - 1 < memory->largest_small;
}

// A block of the C library's, as realloc; NULL for 0 bytes, without memory, and where the
// ledger has no room for it
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

// As realloc, where the old block or the new one is small. Unlike others, these cannot stay
// as they are if there is no memory for what they are to become: the interpreter raises an error then.
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

// [-0, +0] the memory of a state made by lull_state_new, else NULL
static lull_memory *memory_of(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  void *context = NULL;
  return lua_getallocf(L, &context) == allocate ? context : NULL;
}

// [-0, +0] (unproved: the state is new) a state without libraries, which has its memory from here; NULL without memory
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

// [-0, +0] whose limit it is; NULL when the runtime goes
void lull_memory_attach(lua_State *L, lull_runtime *runtime) {
  LULL_EFFECT(L, 0, 0);
  lull_memory *memory = memory_of(L);
  if (memory == NULL) return;
  memory->runtime = runtime;
  if (runtime) runtime->memory = memory;
}

// Bytes of the heap in use by the process, without Lua's; 0 where another allocator is in place
static size_t heap_outside_lua(const lull_memory *memory) {
  struct mallinfo2 info = mallinfo2();
  size_t in_use = info.uordblks + info.hblkhd;
  return in_use > memory->used_large ? in_use - memory->used_large : 0;
}

// Bytes of memory of its own that the process has; the greatest number if that is not known
static size_t process_size(const lull_memory *memory) {
  char text[128];
  ssize_t count = memory->statm < 0 ? -1 : pread(memory->statm, text, sizeof(text) - 1, 0);
  if (count <= 0) return SIZE_MAX;
  text[count] = 0;
  size_t resident, shared;
  if (sscanf(text, "%*u %zu %zu", &resident, &shared) != 2) return SIZE_MAX;
  return resident < shared ? 0 : (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
}

// What is kept outside of Lua: what Swift counts, or what the heap has grown by, if that is more
//
// Measuring the heap takes a walk over what is free in it. A process that is smaller than the limit
// cannot have a heap over it, which the kernel tells for the price of a system call.
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

// 0 in somebody else's state
int lull_memory_limit(lull_runtime *runtime, int64_t bytes) {
  lull_memory *memory = runtime->memory;
  if (memory == NULL) return 0;
  memory->limit = (size_t)bytes;
  runtime->has_memory_limit = 1;
  memory->own_before = own_size(memory);
  // Where nothing ends the process, there may be other scripts in it.
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

// [-0, +0] whether a passed limit is kept again once garbage is collected; then it counts as not passed
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

// [-0, +0] where finalisers may run and objects may go; raises nothing
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

// How much may be taken outside of Lua before the limit is passed, with the same leeway as
// Lua has
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

// What the ledger has refused ends the run before the script hears of it: it could catch that.
void lull_memory_settle(lull_runtime *runtime) {
  if (runtime->has_memory_limit && lull_ledger_has_refused()) {
    lull_limit_pass(runtime, LULL_LIMIT_MEMORY);
  }
}

// [-0, +0] whether so much may be copied out of Lua, after a collection if it must be; else the limit
// has been passed. Finalisers may run; raises nothing
int lull_memory_admits(lull_runtime *runtime, size_t size) {
  if (lull_ledger_may(size)) return 1;
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  lua_gc(L, LUA_GCCOLLECT);
  if (lull_ledger_may(size)) return 1;
  lull_limit_pass(runtime, LULL_LIMIT_MEMORY);
  return 0;
}

// [-n, +0] (unproved: the state is gone) closes the state and gives its allocator back
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
