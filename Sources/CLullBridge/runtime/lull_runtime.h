// What there is of one state: the record that every room above works on, composed of what each keeps.
#ifndef LULL_RUNTIME_H
#define LULL_RUNTIME_H

#include <signal.h>

#include "base/lull_arena.h"
#include "base/lull_base.h"
#include "base/lull_queue.h"

// A userdata of Lull. The handle is 0 before it is filled and after it was finalised or closed.
typedef struct lull_object {
  uint64_t handle;
  int32_t kind;
  // The method that is known to answer nil: until when, and as of which count of changes.
  int32_t answer_method;
  double answer_since;  // when it was given: an answer from a time to come is not used
  double answer_until;
  uint64_t answer_changes;  // 0: none is
  // The key of the only value it holds, which stands in the place of the table of anchors; 0: there is
  // that table, or nothing.
  int64_t only_key;
} lull_object;

// User values of a userdata.
enum { LULL_UV_SERVICE = 1, LULL_UV_ANCHORS = 2, LULL_UV_COUNT = 2 };

// Texts that are pushed often are numbered from 1 to below this.
enum { LULL_CONSTANT_COUNT = 32 };

// What the allocator of one state counts.
typedef struct lull_memory lull_memory;

// A coroutine of the pool that nobody uses. `threads` holds it, so the pointer is good until it is
// dropped, which puts NULL here.
typedef struct lull_free_thread {
  int32_t number;
  lua_State *L;
} lull_free_thread;

// The coroutines that functions which may wait run in.
typedef struct lull_pool {
  int32_t count;  // highest number in `threads`
  lull_free_thread *free;  // numbers no coroutine runs under
  int32_t free_count;
  int32_t free_capacity;
} lull_pool;

// Which floats of a document somebody has read.
typedef struct lull_reads {
  const struct csj_document *watched;  // NULL: none's
  lull_queue places;                   // in order
  int32_t has_list_read_as_object;     // somebody has asked that document, a list, for a field
} lull_reads;

// A coroutine of the script's own that runs inside another; on the C stack of whoever resumed it.
typedef struct lull_nesting {
  lua_State *L;
  const struct lull_nesting *outer;
} lull_nesting;

// What ran when a Lull coroutine was resumed, innermost first; on the C stack of whoever resumed it.
typedef struct lull_caller {
  lua_State *L;
  const lull_nesting *nesting;
  int32_t thread;
  const char *answer_now;
  const struct lull_caller *outer;
} lull_caller;

// What lull_resume hands to the continuation of a wait.
typedef struct lull_resumption {
  lua_State *thread;  // the coroutine it is for; compared, never used
  const lull_value *values;
  int32_t count;
  int32_t raise;
} lull_resumption;

// Room for what is said of a limit.
enum { LULL_LIMIT_TEXT = 128 };

// One per state; memory of a full userdata that every closure of ours holds as its first upvalue.
//
// Whatever allocates in Lua may run finalisers, which may call anything of Lull's before it returns: no
// field here is set for a later read across such a call. What a protected function needs is passed in
// its context; what is needed afterwards is read again.
struct lull_runtime {
  lua_State *main;  // the main state
  lua_State *L;     // the state that runs now; restored on the way out of every crossing
  void *host;       // Swift's; NULL once closed
  const uint64_t *changes;  // Swift's, valid while there is a host
  const lull_method *methods;
  int32_t method_count;

  // References in the registry.
  int values;   // id → value, weak values
  int objects;  // slot → userdata, weak values
  int pins;     // id → value
  int pinned_objects;  // slot → userdata
  int anchors;  // owner → { id → value }, weak keys
  int threads;  // number → coroutine, and coroutine → number
  int metatables;  // kind → metatable
  const void *metatable_of[LULL_KIND_COUNT];  // the same, to compare with
  int null;
  int constants[LULL_CONSTANT_COUNT];  // constant number → string; 0 until it is pushed first
  int32_t pin_count;

  lua_CFunction bound_method;  // what a method bound to an object is a closure of
  int32_t exit_method;         // what os.exit is in the command
  lua_CFunction xpcall;        // the stock function
  int32_t allows_bytecode;     // of chunks that Swift loads
  int32_t ignores_unhandled;   // whether `lull.unhandled` is "ignore"

  lull_arena arena;
  lull_reads reads;
  lull_queue swept;        // finalised handles, filled by __gc
  lull_queue swept_taken;  // the ones that Swift looks through
  lull_queue orphans;      // kept values whose owner has died, filled by __gc; each is pinned
  lull_queue promised;     // handles of values being pushed, and of those an error kept from it
  uint64_t promised_takes; // how often Swift has taken them

  // The script's own coroutines that run inside the Lull coroutine, or the main chunk, that runs now;
  // innermost first.
  const lull_nesting *nesting;
  const lull_caller *callers;  // who resumed the Lull coroutine that runs now
  int32_t depth;           // C levels taken by the callbacks nested now
  int32_t current_thread;  // 0: none
  int32_t main_thread;     // that of the main chunk, or of a session's line; 0: none
  int32_t nil_method;      // the method that was called last, if it gave nil; else -1
  const char *answer_now;  // kind of the innermost callback that must answer at once, or NULL
  lull_pool pool;
  int32_t waiting_threads;
  int32_t wait_armed;            // a wait of ours is about to yield
  lull_resumption *resumption;   // what the coroutine being resumed is to get
  const lua_State *blocked;      // the state inside whose call the loop runs; NULL: in none
  int32_t blocked_levels;        // how deep its stack was then
  int64_t trace_count;           // tracebacks taken
  const void *own_home;          // where this library or program begins in memory

  lull_memory *memory;  // NULL in somebody else's state
  int32_t has_memory_limit;
  volatile sig_atomic_t passed_limit;  // LULL_LIMIT_*; none of the script's code runs after that
  char limit_texts[LULL_LIMIT_COUNT][LULL_LIMIT_TEXT];
  int64_t instructions_left;
  int32_t has_stretches;        // limits are those of each stretch, from the outermost call until it ends
  int64_t stretch_instructions; // 0: no limit
  int64_t stretch_time;         // in nanoseconds; 0: no limit
  int64_t stretch_end;          // when the one that runs is to end, on the monotonic clock; 0: whenever
  const lull_stretch *continued; // what is left of the stretch that the next one continues; NULL: it begins a new one
  double stretch_alarm;         // seconds after which an alarm ends it, C functions too; 0: none does
  int32_t instruction_step;  // how many are counted at once; 0: none are
};

// Whether code of the script runs now, as opposed to the loop.
static inline int lull_runtime_runs(const lull_runtime *runtime) {
  return runtime->depth > 0 || runtime->L != runtime->main;
}

// Has Swift release the objects of finalised userdata, unless a finaliser runs: what was interrupted by it
// may be about to push one of them by its handle.
void lull_runtime_sweep(lull_runtime *runtime);

// The state goes: what the rooms keep outside of Lua's memory is given back.
void lull_runtime_free(lull_runtime *runtime);

#endif
