// What the files of the bridge share; the only place that includes lua.h.
#ifndef LULL_INTERNAL_H
#define LULL_INTERNAL_H

#include <lua5.4/lua.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>
#include <csimdjson.h>
#include <signal.h>

#include "lull_bridge.h"

// A userdata of Lull. The handle is 0 before it is filled and after it was finalised or closed.
typedef struct lull_object {
  uint64_t handle;
  int32_t kind;
  // The method that is known to answer nil: until when, and as of which count of changes.
  int32_t answer_method;
  double answer_until;
  uint64_t answer_changes;  // 0: none is
} lull_object;

// What the allocator of one state counts.
typedef struct lull_memory lull_memory;

// Whether a state shows warnings, and whether the next one goes on with the last.
typedef struct lull_warnings {
  int are_shown;
  int is_continued;
} lull_warnings;

// Small blocks of memory of one state.
typedef struct lull_blocks lull_blocks;

// User values of a userdata.
enum { LULL_UV_SERVICE = 1, LULL_UV_ANCHORS = 2, LULL_UV_COUNT = 2 };

typedef struct lull_chunk {
  char *memory;
  size_t size;
  size_t start;  // the arena offset of its first byte
} lull_chunk;

// Texts that are pushed often are numbered from 1 to below this.
enum { LULL_CONSTANT_COUNT = 32 };

// A coroutine of the pool that nobody uses. `threads` holds it, so the pointer is good until it is
// dropped, which puts NULL here.
typedef struct lull_free_thread {
  int32_t number;
  lua_State *L;
} lull_free_thread;

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

// C levels of the interpreter's 200: a coroutine takes one. Beyond this it would fail by itself, less
// clearly.
// Handlers get a little more room, to hear of the failure.
enum { LULL_MAX_DEPTH = 190, LULL_MAX_HANDLER_DEPTH = 194 };

// What lies at the bottom of the stack of every coroutine of the pool, and how much room there is for
// what calls share: nil while it is not used.
enum {
  LULL_AT_OBJECTS = 1,
  LULL_AT_VALUES,
  LULL_AT_SHARED,
  LULL_BELOW_FUNCTION = LULL_AT_SHARED + LULL_MAX_SHARED - 1
};

// Room for what is said of a limit.
enum { LULL_LIMIT_TEXT = 128 };

// The exit code of a script that failed, which one that passes a limit has done.
enum { LULL_EXIT_SCRIPT_ERROR = 1 };

// One per state; memory of a full userdata that every closure of ours holds as its first upvalue.
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

  // The script's own coroutines that run inside the Lull coroutine, or the main chunk, that runs now;
  // innermost first.
  const lull_nesting *nesting;

  int32_t depth;           // C levels taken by the callbacks nested now
  int32_t current_thread;  // 0: none
  int32_t main_thread;     // that of the main chunk, or of a session's line; 0: none
  int32_t next_is_main;    // of the coroutine that is started next
  int64_t trace_count;     // tracebacks taken
  const char *answer_now;  // kind of the innermost callback that must answer at once, or NULL
  int32_t pin_count;
  int32_t exit_method;     // what os.exit is in the command

  int32_t thread_count;     // highest number in `threads`
  int32_t current_new_thread;  // the number new_thread fills
  lull_free_thread *free_threads;  // numbers no coroutine runs under
  int32_t free_thread_count;
  int32_t free_thread_capacity;
  int32_t waiting_threads;
  int32_t wait_armed;  // a wait of ours is about to yield
  const lull_caller *callers;  // who resumed the Lull coroutine that runs now
  const lua_State *blocked;    // the state inside whose call the loop runs; NULL: in none
  int32_t blocked_levels;      // how deep its stack was then
  const void *own_home;        // where this library or program begins in memory
  struct lull_resumption *resumption;  // what the coroutine being resumed is to get

  lull_memory *memory;  // NULL in somebody else's state
  int32_t has_memory_limit;
  volatile sig_atomic_t passed_limit;  // LULL_LIMIT_*; none of the script's code runs after that
  char limit_texts[LULL_LIMIT_COUNT][LULL_LIMIT_TEXT];
  int64_t instructions_left;
  int32_t instruction_step;  // how many are counted at once; 0: none are
  lua_CFunction xpcall;      // the stock function
  int32_t allows_bytecode;   // of chunks that Swift loads

  uint64_t *swept;  // finalised handles, filled by __gc
  size_t swept_count;
  size_t swept_capacity;
  uint64_t *swept_taken;
  size_t taken_capacity;

  uint64_t *promised;  // handles of values being pushed, and of those an error kept from it
  size_t promised_count;
  // How often Swift has taken them.
  uint64_t promised_takes;
  size_t promised_capacity;

  int64_t *orphans;  // kept values whose owner has died, filled by __gc; each is pinned
  size_t orphan_count;
  size_t orphan_capacity;

  const struct csj_document *watched;  // whose floats are noted when somebody reads them; NULL: none's
  uint64_t *reads;                     // their places, in order
  int32_t has_list_read_as_object;     // somebody has asked that document, a list, for a field
  size_t read_count;
  size_t read_capacity;

  lull_chunk *chunks;
  size_t chunk_count;
  size_t chunk_capacity;
  size_t arena_top;
};

// What lull_resume hands to the continuation of a wait.
typedef struct lull_resumption {
  lua_State *thread;  // the coroutine it is for; compared, never used
  const lull_value *values;
  int32_t count;
  int32_t raise;
} lull_resumption;

extern const char lull_kind_key;     // in a metatable: the kind
extern const char lull_runtime_key;  // in the registry: the runtime
extern const char lull_array_key;    // in the registry: the metatable of JSON arrays
extern const char lull_shown_key;    // in the registry: the metatable of JSON objects
extern const char lull_sandbox_key;  // in the registry: true in the sandbox
extern const char lull_host_key;     // in the registry: a host waiting for luaopen_lull

int luaopen_lull(lua_State *L);

// [-0, +1] the value under a registry reference.
static inline void lull_registry_push(lua_State *L, int reference) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
}

void lull_values_push(lull_runtime *runtime, lua_State *L, int64_t id);
lua_Integer lull_handle_slot(uint64_t handle);
int lull_push_existing(lull_runtime *runtime, lua_State *L, uint64_t handle);
void lull_push(lull_runtime *runtime, lua_State *L, lua_State *from, const lull_value *value);
int lull_push_simple(lull_runtime *runtime, lua_State *L, const lull_value *value);
int lull_push_all(
  lull_runtime *runtime, lua_State *L, lua_State *from, const lull_value *values, int32_t count);
int lull_protect(lull_runtime *runtime, lua_CFunction function, void *context);
int lull_userdata_kind(lua_State *L, int index);
int lull_trampoline(lua_State *L);
int lull_bound_trampoline(lua_State *L);
void lull_make_metatables(lull_runtime *runtime, lua_State *L);
void lull_make_module(lull_runtime *runtime, lua_State *L);
void lull_push_array_metatable(lua_State *L);
void lull_push_object_metatable(lua_State *L);
int lull_is_plain_object(lua_State *L, int index);
int lull_is_array(lua_State *L, int index);
// The value at `index` of a document as plain tables.
void lull_push_json(
  lua_State *L, lull_runtime *runtime, const struct csj_document *document, size_t index);
void lull_push_document(
  lull_runtime *runtime, lua_State *L, const struct csj_document *document, int64_t id);
void lull_open_json(lua_State *L, lull_runtime *runtime);
// A view of the document, or its value if that is neither array nor object; the same under the same id.
void lull_push_view(lull_runtime *runtime, lua_State *L, struct csj_document *document, int64_t id);
// Whether the value at `index` is a view, and of what.
int lull_view_at(lua_State *L, int index, const struct csj_document **document, size_t *place);
void lull_open_documents(lua_State *L);
void lull_orphan_later(lull_runtime *runtime, int64_t id);
void lull_sweep_later(lull_runtime *runtime, uint64_t handle);
lua_State *lull_thread_at(lull_runtime *runtime, int32_t number);
lua_State *lull_pool_take(lull_runtime *runtime, int32_t *number);
void lull_pool_give(lull_runtime *runtime, int32_t number, lua_State *thread);
void lull_pool_drop(lull_runtime *runtime, int32_t number);
lua_State *lull_thread_take(lull_runtime *runtime, int32_t *number, lull_run *run);
void lull_thread_give_back(
  lull_runtime *runtime, lua_State *thread, int32_t number, int status, lull_run *run);
int lull_thread_push_arguments(lull_runtime *runtime, lua_State *target, const lull_call *call);
void lull_thread_enter(
  lull_runtime *runtime, lua_State *thread, int32_t number, lull_caller *caller);
void lull_thread_leave(
  lull_runtime *runtime, const lull_caller *caller, int status, int results, lull_run *run);
// Closes the coroutines a waiting coroutine waits through, the innermost first.
void lull_coroutine_close_inner(lull_runtime *runtime, lua_State *thread);
int lull_thread_reset(lull_runtime *runtime, lua_State *thread);
// Replaces the functions of the table `coroutine` that resume, or say who could be resumed.
void lull_open_coroutine(lua_State *L);
int lull_inspect(lua_State *L);
int lull_copy(lua_State *L);
int lull_is_absent(const char *name);
int lull_sandbox_require(lua_State *L);
void lull_refuse_bytecode(lua_State *L, int sandboxed);
const char *lull_reworded(lua_State *L, const char *message);
int lull_failure_handler(lua_State *L);
// Has Swift report the error at the top of a coroutine that was closed.
void lull_failure_report(lull_runtime *runtime, lua_State *thread, const char *place);
void lull_thread_close(lull_runtime *runtime, lua_State *thread);
void lull_failure_note(lull_runtime *runtime, lua_State *L, lua_State *co);
// Notes what is on the stack of `target` and of those that resumed it. May raise for lack of memory.
void lull_trace(
  lull_runtime *runtime, lua_State *L, lua_State *target, int level, lull_failure *failure);
const char *lull_copied(lull_runtime *runtime, lua_State *L, int index, size_t *length);
lua_State *lull_memory_new_state(void);
void lull_warnings_open(lua_State *L, lull_warnings *warnings);
// Blocks of at most that many bytes; one goes back where it came from. NULL without memory.
enum { LULL_LARGEST_BLOCK = 512 };
lull_blocks *lull_blocks_new(void);
void lull_blocks_free(lull_blocks *blocks);
void *lull_blocks_take(lull_blocks *blocks, size_t size);
void lull_blocks_give(lull_blocks *blocks, void *block);
// How much of the system's memory it has, in use or not.
size_t lull_blocks_mapped(const lull_blocks *blocks);
// Whether a block for the one size is one for the other.
int lull_blocks_fit(size_t size, size_t other);
lull_memory *lull_memory_of(lua_State *L);
void lull_memory_attach(lua_State *L, lull_runtime *runtime);
int lull_memory_limit(lull_runtime *runtime, int64_t bytes);
size_t lull_memory_room(const lull_runtime *runtime);
void lull_memory_check_soon(lull_runtime *runtime);
void lull_memory_settle(lull_runtime *runtime);
int lull_memory_admits(lull_runtime *runtime, size_t size);
void lull_interrupt_arm(lua_State *L);
void lull_interrupt_hook(lua_State *L, lua_Debug *info);
int lull_interrupt_pause(lua_State *L);
void lull_interrupt_rest(lull_runtime *runtime, lua_State *L);
void lull_interrupt_pass(lull_runtime *runtime, lua_State *from);
void lull_interrupt_clear(lull_runtime *runtime);
void lull_limit_pass(lull_runtime *runtime, int32_t limit);
void lull_signals_wake(void);
void lull_signals_pass_limit(int32_t limit);
void lull_signals_tell_stuck(void);
void lull_signals_forget(const lull_runtime *runtime);
// What an alarm is for: a session's line has had its time; Ctrl-C has had no effect.
enum { LULL_ALARM_LINE = 0, LULL_ALARM_STUCK, LULL_ALARM_COUNT };
void lull_alarms_open(void);
void lull_alarms_close(void);
int lull_alarm_set(int which, double seconds);
int lull_watchdog_start(void);
void lull_watchdog_stop(void);
int lull_watchdog_limit_time(double seconds);
void lull_watchdog_say(int32_t limit, const char *text);
void lull_watchdog_expect_end(int32_t code, int32_t limit);
void lull_watchdog_relax(void);
int lull_watchdog_runs(void);
void lull_watchdog_end_memory(void);

// Whether code of the script runs now, as opposed to the loop.
static inline int lull_runtime_runs(const lull_runtime *runtime) {
  return runtime->depth > 0 || runtime->L != runtime->main;
}

#endif
