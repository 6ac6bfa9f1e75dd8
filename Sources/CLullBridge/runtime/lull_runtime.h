// The record of one state that all higher rooms work on, composed of the data of each.
#ifndef LULL_RUNTIME_H
#define LULL_RUNTIME_H

#include <signal.h>

#include "base/lull_arena.h"
#include "base/lull_base.h"
#include "base/lull_queue.h"

// A userdata of Lull. The handle is 0 until it is set, and after the userdata was finalised or
// closed.
typedef struct lull_object {
  uint64_t handle;
  int32_t kind;
  // The method that is known to return nil: until when, and at which count of changes.
  int32_t answer_method;
  double answer_since;  // when it was returned: a result from the future is not used
  double answer_until;
  uint64_t answer_changes;  // 0: no method
  // The key of the only value it holds, stored in place of the table of anchors; 0 if there is a
  // table, or no value.
  int64_t only_key;
} lull_object;

// The user values of a userdata.
enum { LULL_UV_SERVICE = 1, LULL_UV_ANCHORS = 2, LULL_UV_COUNT = 2 };

// Strings that are pushed often are numbered from 1 to below this.
enum { LULL_CONSTANT_COUNT = 32 };

// The memory counted by the allocator of one state.
typedef struct lull_memory lull_memory;

// An unused coroutine of the pool. `threads` holds it, so the pointer is valid until the coroutine
// is dropped, which sets it to NULL.
typedef struct lull_free_thread {
  int32_t number;
  lua_State *L;
} lull_free_thread;

// The coroutines in which functions that may wait run.
typedef struct lull_pool {
  int32_t count;  // the highest number in `threads`
  lull_free_thread *free;  // unused numbers
  int32_t free_count;
  int32_t free_capacity;
} lull_pool;

// The floats of a document that were read.
typedef struct lull_reads {
  const struct csj_document *watched;  // NULL: no document
  lull_queue places;                   // in order
  int32_t has_list_read_as_object;     // the document is a list, and a field of it was read
} lull_reads;

// A coroutine created by the script that runs inside another; on the C stack of the code that
// resumed it.
typedef struct lull_nesting {
  lua_State *L;
  const struct lull_nesting *outer;
} lull_nesting;

// The code that was running when a Lull coroutine was resumed, innermost first; on the C stack of
// the code that resumed it.
typedef struct lull_caller {
  lua_State *L;
  const lull_nesting *nesting;
  int32_t thread;
  const char *answer_now;
  const struct lull_caller *outer;
} lull_caller;

// The values that lull_resume passes to the continuation of a wait.
typedef struct lull_resumption {
  lua_State *thread;  // the coroutine it is for; only compared, never used
  const lull_value *values;
  int32_t count;
  int32_t raise;
} lull_resumption;

// The size of the message for a limit.
enum { LULL_LIMIT_TEXT = 128 };

// One per state, in a full userdata that every Lull closure holds as its first upvalue.
//
// Any allocation in Lua may run finalisers, which may call any Lull function before it returns. So
// a field must not be set before such a call to be read after it. Values that a protected function
// needs are passed in its context, and values needed afterwards are read again.
struct lull_runtime {
  lua_State *main;  // the main state
  lua_State *L;     // the state that is running; restored when a call between Swift and Lua returns
  void *host;       // the Swift host; NULL once closed
  const uint64_t *changes;  // Swift's counter, valid while there is a host
  const lull_method *methods;
  int32_t method_count;

  // Registry references.
  int values;   // id → value, weak values
  int objects;  // slot → userdata, weak values
  int pins;     // id → value
  int pinned_objects;  // slot → userdata
  int anchors;  // owner → { id → value }, weak keys
  int threads;  // number → coroutine, and coroutine → number
  int metatables;  // kind → metatable
  const void *metatable_of[LULL_KIND_COUNT];  // the same, for comparison
  int null;
  int constants[LULL_CONSTANT_COUNT];  // constant number → string; 0 until it is first pushed
  int32_t pin_count;

  lua_CFunction bound_method;  // the C function of a method bound to an object
  int32_t exit_method;         // the method behind os.exit in the command
  lua_CFunction xpcall;        // the stock function
  int32_t allows_bytecode;     // for chunks that Swift loads
  int32_t ignores_unhandled;   // whether `lull.unhandled` is "ignore"

  lull_arena arena;
  lull_reads reads;
  lull_queue swept;        // finalised handles, filled by __gc
  lull_queue swept_taken;  // the handles that Swift is processing
  lull_queue orphans;      // stored values whose owner has died, added by __gc; each is pinned
  lull_queue promised;     // handles of values being pushed, or not pushed due to an error
  uint64_t promised_takes; // how often Swift has taken them

  // The coroutines created by the script that run inside the current Lull coroutine or main chunk;
  // innermost first.
  const lull_nesting *nesting;
  const lull_caller *callers;  // the code that resumed the current Lull coroutine
  int32_t depth;           // the number of C levels used by nested callbacks
  int32_t current_thread;  // 0: none
  int32_t main_thread;     // the one of the main chunk, or of a session's line; 0: none
  int32_t nil_method;      // the last method called, if it returned nil; otherwise -1
  const char *answer_now;  // the kind of the innermost callback that must not wait, or NULL
  lull_pool pool;
  int32_t waiting_threads;
  int32_t wait_armed;            // a Lull wait is about to yield
  lull_resumption *resumption;   // the values for the coroutine being resumed
  const lua_State *blocked;      // the state inside whose call the loop runs; NULL: none
  int32_t blocked_levels;        // the depth of its stack at that time
  int64_t trace_count;           // the number of tracebacks taken
  const void *own_home;          // the start of this library or program in memory

  lull_memory *memory;  // NULL in a state that does not belong to Lull
  int32_t has_memory_limit;
  volatile sig_atomic_t passed_limit;  // LULL_LIMIT_*; no script code runs after that
  char limit_texts[LULL_LIMIT_COUNT][LULL_LIMIT_TEXT];
  int64_t instructions_left;
  int32_t has_stretches;        // limits apply to each stretch: the outermost call until its end
  int64_t stretch_instructions; // 0: no limit
  int64_t stretch_time;         // in nanoseconds; 0: no limit
  int64_t stretch_end;          // when the running one must end, on the monotonic clock; 0: never
  const lull_stretch *continued; // the limits left for the next stretch; NULL: full limits
  double stretch_alarm;         // seconds until an alarm ends it, even C functions; 0: never
  int32_t instruction_step;  // how many are counted at once; 0: not counted
};

// Returns whether script code is running, as opposed to the loop.
static inline int lull_runtime_runs(const lull_runtime *runtime) {
  return runtime->depth > 0 || runtime->L != runtime->main;
}

// Makes Swift release the objects of finalised userdata, unless a finaliser is running: the code
// it interrupted may be about to push one of them by its handle.
void lull_runtime_sweep(lull_runtime *runtime);

// Frees the memory that rooms keep outside of Lua, because the state is closing.
void lull_runtime_free(lull_runtime *runtime);

#endif
