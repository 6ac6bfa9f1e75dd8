// The C half of the bridge between Lua and Swift.
//
// This header is all that Swift sees. It does not include lua.h, so Swift can't call a function
// that raises Lua errors. Every function declared here returns normally, whatever Lua does: code
// that may raise runs protected. Functions marked "Swift" are implemented there, and called only
// from C frames that raise no Lua error until they return.
#ifndef LULL_BRIDGE_H
#define LULL_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

#include "lull_kinds.h"

typedef struct lua_State lua_State;
typedef struct lull_runtime lull_runtime;

// The kinds of a lull_value, which is an argument, a result, or a field of an options table.
enum {
  LULL_NIL = 0,
  LULL_BOOLEAN,   // integer
  LULL_INTEGER,   // integer
  LULL_NUMBER,    // number
  LULL_STRING,    // pointer, extra = length; not terminated; aux > 0: a constant's number
  LULL_NULL,      // lull.null
  LULL_OBJECT,    // handle, aux = kind, extra = handle of its service or 0
  LULL_TABLE,     // read only: integer = stack index
  LULL_FUNCTION,  // read only: integer = stack index
  LULL_OTHER,     // read only: integer = stack index
  LULL_STACK,     // write only: the value at stack index `integer` of the frame's L
  LULL_REF,       // write only: the value stored under ID `integer`, nil if it is gone
  LULL_JSON,      // write only: pointer = csj_document, extra = ID to share its table by, or 0
  LULL_VIEW,      // write only: the same, as a read-only view that builds no table
  LULL_LIST,      // write only: pointer = lull_value[extra]
  LULL_MAP,       // write only: pointer = lull_value[2 * extra], keys and values; aux: read-only
  LULL_METHOD,    // write only: a function bound to object `handle`, aux = method index
  LULL_NEXT,      // write only: the function next
  LULL_UNPACK,    // write only: the elements of the packed table stored under ID `integer`
  LULL_ELEMENT,   // write only: element `extra` of the table stored under ID `integer`
  LULL_SPREAD,    // write only, as an argument or result: several, pointer = lull_value[extra]
  LULL_DIGITS     // an integer beyond 64 bits: pointer, extra = length of its digits
};

// The bits that mark IDs of a document's values: of its tables, and of its view. Both together
// mark tables without nulls.
#define LULL_TABLES_MARK ((int64_t)1 << 62)
#define LULL_VIEW_MARK ((int64_t)1 << 61)

typedef struct lull_value {
  int32_t kind;
  int32_t aux;
  union {
    int64_t integer;
    double number;
    uint64_t handle;
    const void *pointer;
  };
  uint64_t extra;
  int64_t anchor;  // for an object to push: a stored value that its userdata holds, or 0
} lull_value;

// One function or property of the API. The strings live as long as the process.
typedef struct lull_method {
  const char *name;
  // The name of the module table with the function; otherwise NULL.
  const char *table;
  // One letter per argument: s string, n number, i integer, b boolean, f function, t table, o
  // function or table, l anything, with numbers as strings, v anything; upper case: may be nil or
  // absent; * ends the list: the rest is not checked. NULL: not derived yet; see
  // lull_host_arguments.
  const char *arguments;
  int32_t kind;
  // LULL_ROLE_*
  int32_t role;
} lull_method;

// The letters of a method, NULL if they have not been derived yet.
static inline const char *lull_method_arguments(const lull_method *method) {
  return __atomic_load_n(&method->arguments, __ATOMIC_ACQUIRE);
}

// Sets the letters of a method and returns those it has now: other ones if another thread was
// faster.
static inline const char *lull_method_keep_arguments(lull_method *method, const char *letters) {
  const char *known = NULL;
  return __atomic_compare_exchange_n(
           &method->arguments, &known, letters, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
    ? letters
    : known;
}

enum { LULL_ROLE_METHOD = 0, LULL_ROLE_GETTER, LULL_ROLE_SETTER };

#define LULL_MAX_ARGUMENTS 8
#define LULL_MAX_RESULTS 4

// One call from Lua into Swift. `L` is valid during the call only.
typedef struct lull_frame {
  lua_State *L;
  int32_t argument_count;  // with self; those beyond LULL_MAX_ARGUMENTS are only on the stack
  int32_t result_count;
  int32_t error_argument;  // for LULL_RAISE_ARGUMENT: 1 is the first after self
  int32_t outcome;         // LULL_RETURN unless Swift sets another
  // Until when, in Unix seconds, the same call on the same object returns nil without calling
  // Swift, while the count of lull_watch_changes is unchanged; 0: not at all.
  double answer_until;
  lull_value arguments[LULL_MAX_ARGUMENTS];
  lull_value results[LULL_MAX_RESULTS];
} lull_frame;

static inline lull_value *lull_frame_arguments(lull_frame *frame) { return frame->arguments; }
static inline lull_value *lull_frame_results(lull_frame *frame) { return frame->results; }

// The trampoline's action after Swift has returned.
enum {
  LULL_RETURN = 0,      // push results
  LULL_RAISE,           // raise results[0] with the caller's position
  LULL_RAISE_VALUE,     // raise results[0] unchanged
  LULL_RAISE_ARGUMENT,  // raise results[0] as a bad argument
  LULL_WAIT,            // yield; lull_resume provides the results
  LULL_EXIT             // call Lua's os.exit with results[0]; raise if it returns
};

// Whether and how the running code may wait.
enum {
  LULL_WAIT_YIELD = 0,     // suspend the running Lull coroutine
  LULL_WAIT_BLOCK,         // can't be suspended: run the loop until the wait is over
  LULL_WAIT_ANSWER_NOW,    // inside a callback that must not wait
  LULL_WAIT_FOREIGN,       // inside a coroutine resumed by other functions than Lull's
  LULL_WAIT_NOT_YIELDABLE  // inside a C function that cannot be suspended
};

// How a run of Lua code ended.
enum {
  LULL_RUN_DONE = 0,
  LULL_RUN_WAITING,
  LULL_RUN_FAILED,
  LULL_RUN_GONE,      // the function was garbage-collected
  LULL_RUN_TOO_DEEP,  // callbacks nested too deeply
  LULL_RUN_NO_MEMORY
};

// A call from Swift into Lua.
typedef struct lull_call {
  int64_t function;    // ID of a stored function, or of a stored table if `method` is given
  const char *method;  // call this field of the table, with the table first; skipped if it is nil
  const lull_value *arguments;
  int32_t count;
  int32_t is_handler;  // may run even if other callbacks are nested too deeply
  int32_t is_main;     // for lull_start: it is the main chunk, or a line of a session
} lull_call;

// A coroutine that ran. Results stay on its stack until lull_run_end.
typedef struct lull_run {
  int32_t status;
  int32_t thread;
  int32_t result_count;
  int32_t is_protected_call;
  int32_t is_interrupted;  // it was being ended by a signal, os.exit or a limit
  lua_State *L;
} lull_run;

// The kinds of frames in a traceback.
enum {
  LULL_FRAME_LUA = 0,
  LULL_FRAME_C,
  LULL_FRAME_HOST,    // a C function of Lull
  LULL_FRAME_SKIPPED  // omitted levels; `line` is their number
};

// One level of a stack. The strings live in the arena; none is NULL.
typedef struct lull_trace_frame {
  int32_t kind;
  int32_t line;          // the current line; 0 if unknown
  int32_t is_tail_call;  // a tail call: the caller has left the stack
  const char *source;    // the chunk: "@file", "=name", or the text of a loaded string
  size_t source_length;  // 0 if it is too large
  const char *short_source;  // the name in messages
  const char *title;         // the name of the function in tracebacks
  const char *name;          // the name used by its caller; "" if unknown
  const char *name_kind;     // "global", "local", "method", "field", "upvalue", …; ""
} lull_trace_frame;

// Why a run failed. The strings live in the arena.
typedef struct lull_failure {
  lull_value value;  // the raised value, if it is a Lull object; otherwise LULL_NIL
  const char *message;
  size_t message_length;
  const lull_trace_frame *frames;  // innermost first
  int32_t frame_count;
  int32_t is_interruption;  // raised to end the code that ran: by a signal, os.exit or a limit
} lull_failure;

// --- Implemented in Swift (LullHost) ---

// Attaches the preloaded host to a runtime. Returns its opaque pointer, retained until
// lull_host_close, or NULL.
void *lull_host_attach(void *host, lull_runtime *runtime);
// Returns the functions of the module, in the order of their numbers, which do not change.
const lull_method *lull_host_methods(void *host, int32_t *count);
// Derives the letters of a method from its signature and stores them; called once for each.
const char *lull_host_arguments(void *host, int32_t method);
// Returns the outcome, as in frame->outcome.
int32_t lull_host_call(void *host, int32_t method, lull_frame *frame);
void lull_host_sweep(void *host);
// Called when a coroutine created by the script has failed, and its error is about to propagate to
// where it was resumed.
void lull_host_note_failure(void *host, const lull_failure *failure);
// Returns whether that is the text of the last recorded failure, which has propagated to another
// coroutine and may have got a position in front. If so, the new text is recorded.
int32_t lull_host_knows_failure(void *host, const char *message, size_t length);
// Reports an error that has no other receiver.
void lull_host_report(void *host, const lull_failure *failure, const char *place);
// Called before a userdata is created for a handle. Returns the same handle. If an earlier userdata
// of the object is waiting to be finalised, returns a new handle; if the object does not exist, 0.
uint64_t lull_host_claim(void *host, uint64_t handle);
// Called when the state is closed: drops everything without calling into Lua, and releases the
// host.
void lull_host_close(void *host);
// "MAJOR.MINOR.PATCH"
const char *lull_host_version(void);
// Returns the bytes of bodies, documents and objects outside of Lua's memory.
int64_t lull_host_held(void *host);
// For an inspected file: whether an environment variable counts as set, and the receiver of its
// `print`.
int32_t lull_host_sets_variable(void *host, const char *name);
void lull_host_print_aside(void *host, const char *text, size_t length);
// For a state with a gate: returns whether a file may be loaded; sets its bytes, without a `#`
// line for a text, or the reason, in the arena. Without memory the outputs are unchanged.
int32_t lull_host_pass_file(
  void *host, const char *path, int32_t is_text, const char **bytes, size_t *length);
// Writes one argument of a sandbox's `print` and the character after it to standard output
// (lull_write_out). On a terminal, control characters are escaped. For any state, attached or not.
void lull_host_print(const char *text, size_t length, char end);
// Writes to standard error, with control characters escaped on a terminal. For any state, attached
// or not.
void lull_host_write_error(const char *text);
// The handle of lull.log, or 0.
uint64_t lull_host_log(void *host);
// Returns the mask of a secret, in the arena; NULL if it is gone, or without memory.
const char *lull_host_secret_mask(void *host, uint64_t handle, size_t *length);
// Returns a replacement for a field that objects of a kind do not have, for "did you mean": a name
// or code, in the arena; NULL if there is none.
const char *lull_host_suggest(void *host, int32_t kind, const char *name);
// Returns the most similar one of the names: one of these pointers, or NULL.
const char *lull_host_nearest(const char *name, const char *const *names, int32_t count);
// Reports whether a record has a field that the script passed to a function of `lull.list`. The
// words are separated by NUL: the names of the function and of the field. If no record has it,
// they also include the missing part of a dotted name, the parts before and after it, and the
// names that exist there. The line is 0 if unknown.
void lull_host_list_field(
  void *host, const char *file, int32_t line, int32_t is_there, const char *words, size_t length);

// --- The Lua code that is part of the product ---

typedef enum lull_script {
  LULL_SCRIPT_LIST,         // lull.list
  LULL_SCRIPT_TEST,         // lull.test
  LULL_SCRIPT_FILTER,       // the code around expressions of -f
  LULL_SCRIPT_ENVIRONMENT,  // the code that gives an API file its variables
  LULL_SCRIPT_GATE,         // the code that loads files through a gate
} lull_script;

// Returns the source of a file in `scripts`, which is static and not NUL-terminated.
const char *lull_script_text(lull_script script, size_t *length);

// --- The runtime ---

// Returns a new state with the standard libraries, for the command and for tests; NULL without
// memory.
lua_State *lull_state_new(void);
// Returns a new state for the sandbox, with only string, table, math, utf8, coroutine and the
// harmless functions of the base library. `require` finds text files below the folder, or none if
// it is NULL.
lua_State *lull_state_new_sandboxed(const char *folder);
// Makes load, loadfile, dofile and require refuse precompiled chunks; 0 on success.
int32_t lull_state_refuse_bytecode(lua_State *L);
void lull_state_close(lua_State *L);
// Sets the host that luaopen_lull of this state will use, and preloads the module.
int32_t lull_state_preload(lua_State *L, void *host);
// Returns the runtime created by luaopen_lull in this state, or NULL.
lull_runtime *lull_state_runtime(lua_State *L);
// Loads the module now; 0 on success.
int32_t lull_state_require(lua_State *L, int32_t set_global);
int32_t lull_runtime_depth(const lull_runtime *runtime);

// Returns the handles finalised since the last call; valid until the next one.
const uint64_t *lull_runtime_take_swept(lull_runtime *runtime, size_t *count);

// Returns the handles of values that were not pushed because of an error; they may have been
// pushed since. Valid until the next push. Must not be called while values are being pushed.
const uint64_t *lull_runtime_take_unpushed(lull_runtime *runtime, size_t *count);

// Returns a stored value whose owner has died, if there is one. It is pinned: unpin it after its
// observers were notified.
int32_t lull_runtime_take_orphan(lull_runtime *runtime, int64_t *id);

// Performs one step of the collector, as if that many kilobytes had been allocated. Finalisers may
// run.
void lull_runtime_collect(lull_runtime *runtime, int32_t kilobytes);
// Performs a full collection; 0 if there was none, because a finaliser is running.
int32_t lull_runtime_collect_all(lull_runtime *runtime);
// Returns whether the handle's userdata exists; false while it is being created.
int32_t lull_object_exists(lull_runtime *runtime, uint64_t handle);
// The memory that Lua uses, including garbage.
int64_t lull_runtime_lua_bytes(const lull_runtime *runtime);

// Allocates memory that lives until the mark is released; NULL without memory.
void *lull_arena_allocate(lull_runtime *runtime, size_t size);
size_t lull_arena_mark(lull_runtime *runtime);
void lull_arena_release(lull_runtime *runtime, size_t mark);

// --- Values that Swift refers to by ID ---

// values[id] = a weak reference to the value at `index` of L, which must be anchored separately. 0
// on success.
int32_t lull_value_keep(lull_runtime *runtime, lua_State *L, int32_t index, int64_t id);
int32_t lull_value_is_alive(lull_runtime *runtime, int64_t id);
// Removes the value under the ID, which its anchors still hold. Returns whether there was one.
int32_t lull_value_forget(lull_runtime *runtime, int64_t id);
// values[copy] = a weak reference to a deep copy of values[id]. Returns whether that is a table
// without a metatable set by the script, and could be copied.
int32_t lull_value_copy(lull_runtime *runtime, int64_t id, int64_t copy);
// values[copy] = a weak reference to a copy of values[id]: plain tables are copied, all other values
// are shared. 0 if values[id] is not a plain table, or has more than `most` values.
int32_t lull_value_snapshot(lull_runtime *runtime, int64_t id, int64_t copy, int64_t most);
// Returns the JSON Pointer of the first place where values[id] differs from that copy, as for a
// document.
const char *lull_value_difference(lull_runtime *runtime, int64_t id, int64_t copy, int64_t *left);
// Holds values[id] in the user value of the object with that handle until it is released.
int32_t lull_value_anchor_to_object(lull_runtime *runtime, uint64_t handle, int64_t key, int64_t id);
void lull_value_release_from_object(lull_runtime *runtime, uint64_t handle, int64_t key);
// Holds values[id] as long as the owner values[owner] lives (an ephemeron).
int32_t lull_value_anchor_to_owner(lull_runtime *runtime, int64_t owner, int64_t id);
void lull_value_release_from_owner(lull_runtime *runtime, int64_t owner, int64_t id);
// Holds values[id] until unpinned.
int32_t lull_value_pin(lull_runtime *runtime, int64_t id);
void lull_value_unpin(lull_runtime *runtime, int64_t id);
// Returns a number that identifies a table, function or object as long as it lives.
uintptr_t lull_value_identity(lua_State *L, int32_t index);
// values[id] = a function that creates a table of the functions of `lull.list` from a table of
// hooks; messages use their names without a prefix; pinned. 0 on success.
int32_t lull_list_keep_maker(lull_runtime *runtime, int64_t id);
// Returns whether two values are identical.
int32_t lull_value_is(lull_runtime *runtime, int64_t id, lua_State *L, int32_t index);
// values[id] = a table of the values from `first` to `last` on the stack, with their count; pinned.
int32_t lull_value_pack(lull_runtime *runtime, lua_State *L, int32_t first, int32_t last, int64_t id);
// values[id] = a list of the values of all IDs, pinned, so that holding it holds all of them.
int32_t lull_value_bundle(lull_runtime *runtime, const int64_t *ids, int32_t count, int64_t id);
// Returns whether two stored values are equal: tables by their fields, all other values by
// identity.
int32_t lull_value_same(lull_runtime *runtime, int64_t a, int64_t b);
// Reads the value at `count` NUL-terminated keys in a stored table; nil if there is none. Strings
// are copied to the arena; for a table, `integer` is its length, and `aux` whether it has any
// field. After `list` keys the path continues in the last element of the list there; not if `list`
// is negative. 0 on success.
int32_t lull_value_field(
  lull_runtime *runtime, int64_t id, const char *keys, int32_t count, int32_t list, lull_value *value);
// values[id][position] = the value at `index` of L, or nil unless `exists`. 0 on success.
int32_t lull_value_set_element(
  lull_runtime *runtime, lua_State *L, int32_t index, int32_t exists, int64_t id, int64_t position);
// Builds the tables of a document under its ID, unless they exist, and holds them in the object's
// userdata under `key`.
int32_t lull_document_build(
  lull_runtime *runtime, const void *document, int64_t id, uint64_t handle, int64_t key);
// Returns the JSON Pointer of the first place where the tables stored under `id` differ from the
// document; in the arena, or NULL. At most `left` values are compared, and `left` is reduced by
// their number; the rest counts as unchanged.
const char *lull_document_difference(
  lull_runtime *runtime, const void *document, int64_t id, int64_t *left);

// Creates the userdata of an object if needed, and holds it until unpinned.
int32_t lull_object_pin(lull_runtime *runtime, const lull_value *object);
void lull_object_unpin(lull_runtime *runtime, uint64_t handle);
int32_t lull_pin_count(lull_runtime *runtime);
int32_t lull_waiting_thread_count(lull_runtime *runtime);
// The number of tracebacks taken.
int64_t lull_trace_count(lull_runtime *runtime);
// The coroutine of the main chunk, or of a session's line. Pass it to lull_main_end when a line
// that is started now has ended.
int32_t lull_main_thread(const lull_runtime *runtime);
void lull_main_end(lull_runtime *runtime, int32_t previous);

// --- Reading ---

// Reads the value at `index` without converting it. Strings are valid as long as the value is on
// the stack.
void lull_read(lua_State *L, int32_t index, lull_value *value);
int32_t lull_stack_top(lua_State *L);
// Iterates over a table: `begin` returns the position of the keys, 0 if the stack can't grow. Then
// call `next` until it returns 0, or -1 without memory, with `pop_value` after each. Values that a
// visitor left on the stack are popped too.
int32_t lull_table_begin(lua_State *L);
int32_t lull_table_next(lua_State *L, int32_t table, lull_value *key, lull_value *value);
void lull_table_pop_value(lua_State *L, int32_t keys);
void lull_table_leave(lua_State *L, int32_t keys);
// Pushes a global, or nil, and returns its position, to be popped with lull_pop_from; 0 without
// memory.
int32_t lull_push_global(lua_State *L, const char *name);
// Pops the value at `index` and all above it.
void lull_pop_from(lua_State *L, int32_t index);
// Returns whether a field of the value, including one from its metatable, is a function; -1
// without memory.
int32_t lull_has_function(lua_State *L, int32_t index, const char *name);
// Returns the length of a table, ignoring metamethods.
int64_t lull_table_length(lua_State *L, int32_t index);
// Returns the address of a table, for comparison only: after its end another table may have it.
const void *lull_table_address(lua_State *L, int32_t index);
// Returns source and line of a function value, as "file.lua:12"; in the arena.
const char *lull_function_place(lull_runtime *runtime, lua_State *L, int32_t index);
// Returns source and line of a stored function; "" if it is gone.
const char *lull_value_place(lull_runtime *runtime, int64_t id);
// Returns the script line that called the Lull function running on L, and sets its chunk name,
// which is valid while that line runs; 0 if there is none.
int32_t lull_caller_line(lua_State *L, const char **source, size_t *length);
// Returns the object to which a Lull function is bound (LULL_METHOD), if it is.
int32_t lull_bound_object(lua_State *L, int32_t index, lull_value *object);

// Returns the result of tostring for the value at `index`, in the arena; NULL if it raises an
// error.
const char *lull_text_of(lull_runtime *runtime, lua_State *L, int32_t index, size_t *length);
// Returns whether the value's metatable has that field.
int32_t lull_has_metafield(lua_State *L, int32_t index, const char *name);
// Returns the length of a table or string, ignoring metamethods.
int64_t lull_length(lua_State *L, int32_t index);
// Pushes a table's element, ignoring metamethods; pop it with lull_pop.
void lull_push_element(lua_State *L, int32_t table, int64_t position, lull_value *value);
void lull_pop(lua_State *L, int32_t count);
// Pushes the value stored under an ID, nil if it is gone; 0, with nothing pushed, without room.
int32_t lull_push_kept(lull_runtime *runtime, lua_State *L, int64_t id);
// Returns whether a table is marked as a JSON array.
int32_t lull_is_json_array(lua_State *L, int32_t index);
// Pushes the table wrapped by the read-only one at `index`; 0, with nothing pushed, for any other
// value.
int32_t lull_push_read_only(lua_State *L, int32_t index);
// Pushes the list of a table's keys, in the order of the document it was made from, if key orders
// are stored; 0, with nothing pushed, for any other value.
int32_t lull_push_key_order(lua_State *L, int32_t index);

// Returns whether a table of content may have been made without a null of that name.
int32_t lull_is_omitted_name(lua_State *L, const char *name);

// Returns whether the script has set `lull.unhandled = "ignore"`.
int32_t lull_module_ignores_unhandled(lull_runtime *runtime);
// Returns the document of which the value at `index` is a view, and sets its place; NULL for any
// other value.
struct csj_document *lull_document_at(lua_State *L, int32_t index, uint64_t *place);
// Starts recording the places of the floats that are read from a document; NULL ends that and
// clears the record. The document must live until then.
void lull_reads_watch(lull_runtime *runtime, const struct csj_document *document);
// Returns the number of floats read, and sets their places in order, valid until the next one is
// read. Places for which there was no memory are missing.
size_t lull_reads_noted(const lull_runtime *runtime, const uint64_t **places);
// Returns whether that document is a list and a field of it was read since then.
int32_t lull_reads_took_list_for_object(const lull_runtime *runtime);
// Returns the index of the method behind a Lull function, negative for any other function.
int32_t lull_function_method(lua_State *L, int32_t index);
// Returns the path of a value in the module, as "lull.json.encode", in the arena; NULL if it is
// not in the module.
const char *lull_module_name(lull_runtime *runtime, lua_State *L, int32_t index);

// The place of a secret's mask in JSON text, inside a string.
typedef struct lull_json_secret {
  size_t start;
  size_t end;
  uint64_t handle;
} lull_json_secret;

// The JSON text of the value at `index`; on failure `problem` is the error message with the place.
// Free bytes and secrets with free().
typedef struct lull_json_result {
  char *bytes;
  size_t length;
  lull_json_secret *secrets;  // in order; NULL if there are none
  size_t secret_count;
  char problem[256];
  int32_t lacks_room;  // it failed because the memory limit leaves no room for the text
} lull_json_result;
int32_t lull_json_encode(lua_State *L, int32_t index, int32_t pretty, lull_json_result *result);

// --- Running Lua code ---

int32_t lull_wait_mode(lull_runtime *runtime, lua_State *L);
// Returns the function that keeps L from waiting, such as table.sort, require, __gc; in the arena,
// "" if unknown.
const char *lull_wait_place(lull_runtime *runtime, lua_State *L);
const char *lull_answer_now_kind(lull_runtime *runtime);

// Allows loading precompiled chunks from now on.
void lull_allow_bytecode(lull_runtime *runtime);
// Compiles a chunk and stores the function under `id`; precompiled ones only if they are allowed.
// On failure the message is in the arena.
int32_t lull_load(
  lull_runtime *runtime, const char *bytes, size_t length, const char *name, int64_t id,
  const char **message);

// Returns the compiled form of a stored function, with line information; in the arena, NULL
// without memory.
const char *lull_dump(lull_runtime *runtime, int64_t id, size_t *length);
// Like lull_load, but only for a result of lull_dump from the same process, because Lua does not
// verify it.
int32_t lull_load_dumped(
  lull_runtime *runtime, const char *bytes, size_t length, const char *name, int64_t id,
  const char **message);

// Only compiles. Returns whether there is a message, which is copied into `message`, cut off at
// `size`.
int32_t lull_compile(
  lull_runtime *runtime, const char *bytes, size_t length, const char *name, char *message,
  size_t size);

// Runs a function that may wait, in a pooled coroutine.
void lull_start(lull_runtime *runtime, const lull_call *call, lull_run *run);
// A function of a sequence.
typedef struct lull_member {
  int64_t function;     // ID of a stored function
  const void *context;  // for Swift
} lull_member;
// Functions to be called in order with the same arguments.
typedef struct lull_sequence {
  const lull_member *members;
  int32_t count;
  int32_t position;    // the index of the running function
  int32_t is_watched;  // set by Swift during a run: Swift always needs the outcome
} lull_sequence;
// Runs functions that may wait, each like lull_start with the arguments of `call`, which must be
// at most LULL_MAX_SHARED and not lists. It starts at `position` and stops at the first function
// that waits, fails, changes the count of lull_watch_changes, or is watched. `run` is the outcome
// of that one.
enum { LULL_MAX_SHARED = 3 };
void lull_start_sequence(
  lull_runtime *runtime, const lull_call *call, lull_sequence *sequence, lull_run *run);
// Resumes a waiting coroutine; its wait returns `values`, or raises the first if `raise` is set.
void lull_resume(
  lull_runtime *runtime, int32_t thread, const lull_value *values, int32_t count, int32_t raise,
  lull_run *run);
// Calls a function that must not wait.
void lull_ask(lull_runtime *runtime, const lull_call *call, const char *kind, lull_run *run);
void lull_run_result(const lull_run *run, int32_t position, lull_value *value);
int32_t lull_run_result_index(const lull_run *run, int32_t position);
void lull_run_failure(lull_runtime *runtime, lull_run *run, lull_failure *failure);
// Sets the frame, in the arena, to the place where the stored function, or a function in the
// stored table, is defined; 0 on success.
int32_t lull_value_frame(
  lull_runtime *runtime, int64_t id, const char *method, lull_trace_frame *frame);
// Writes the text of lull.inspect for the stored value, cut off at `size`; 0 on success.
int32_t lull_value_inspect(lull_runtime *runtime, int64_t id, char *text, size_t size);
// The running state begins or ends to run the loop inside a call, so that code run meanwhile does
// not count as called by the waiting code.
void lull_runtime_set_blocking(lull_runtime *runtime, int32_t is_blocking);
// A line of a Lua function that runs on a thread. For comparison only, since another one may be
// equal later.
typedef struct lull_position {
  uintptr_t thread;
  uintptr_t source;
  int32_t line;  // 0: none
} lull_position;

// The position of the Lua function that called the Lull function running on L.
void lull_position_of_caller(lua_State *L, lull_position *position);
// The position of the function in which the run failed, at level 0, or of one of its callers, if
// that is a Lua function and its stack still exists.
void lull_position_of_failure(const lull_run *run, int32_t level, lull_position *position);
// Reads the value of a variable of that function and of `count` NUL-terminated keys in it,
// integers prefixed by a byte 1, through plain table fields. Returns the number of keys used. The
// value is nil unless it is an object, or the module, which has no handle.
int32_t lull_failed_variable(
  lull_runtime *runtime, const lull_run *run, int32_t level, const char *name, const char *keys,
  int32_t count, lull_value *value);

// Returns whether the code that runs on L is inside a pcall or xpcall.
int32_t lull_is_protected(lua_State *L);
// Stores the raised value under `id`, pinned; 0 on success.
int32_t lull_failure_keep(lull_runtime *runtime, const lull_run *run, int64_t id);
// Returns the coroutine to the pool if it ended without error; its results are gone afterwards.
void lull_run_end(lull_runtime *runtime, lull_run *run);
// Closes a waiting coroutine: code after its wait does not run; to-be-closed variables are closed.
void lull_thread_cancel(lull_runtime *runtime, int32_t thread);

// Sets the global `arg` to `count` NUL-terminated strings, which follow each other in memory, with
// indices starting at `first`.
int32_t lull_set_arg(lua_State *L, const char *words, int32_t count, int32_t first);
// Prepends `path` and `cpath` templates to package.path and package.cpath.
int32_t lull_prepend_path(lua_State *L, const char *path, const char *cpath);

// Writes to the destination of the script's own `print`.
void lull_write_out(const char *bytes, size_t length);
// Flushes the output of scripts: 0; the error number; -1 if an earlier part was lost.
int32_t lull_flush_out(void);

// Starts holding back text written to a terminal by the C library's streams until
// `lull_output_flush`, so that it can be shown above status lines. `print` removes these lines
// itself with `clear`, which also flushes. Must be released before it is called again.
void lull_output_hold(void (*clear)(void));
void lull_output_release(void);
int32_t lull_output_has_held(void);
void lull_output_flush(void);
// Returns whether the last output has left the cursor in the middle of a line.
int32_t lull_output_is_inside_line(void);

// Interrupts the running coroutine and those that resumed it, as a signal would, when they
// continue.
void lull_thread_interrupt(lull_runtime *runtime);
// Interrupts the code of this state, which is about to get an error that ends it.
void lull_state_interrupt(lua_State *L);

// Replaces os.exit with the module function with that index, for the command.
int32_t lull_replace_exit(lull_runtime *runtime, int32_t method);
// Gives a sandbox stand-ins without effects for os.getenv, os.exit, print and the time; 0 on
// success.
int32_t lull_inspection_open(lull_runtime *runtime, int32_t exit_method);
// Makes every loaded file come through lull_host_pass_file. The Lua code `text` replaces the stock
// functions, and gets a function that reads a file and one that copies it; 0 on success.
int32_t lull_gate_open(lull_runtime *runtime, const char *text, size_t length);
// Returns whether the stock `require` would find a module in the process's own paths. Runs
// nothing.
int32_t lull_module_is_elsewhere(const char *name);

// --- Memory of states made by lull_state_new; other states count nothing and do not fail ---

// Bytes that Lua has allocated and not freed.
size_t lull_memory_used(lua_State *L);
// The allocations that fail, for tests.
enum {
  LULL_FAIL_ONCE = 0,       // one allocation, and its second attempt after a collection
  LULL_FAIL_FOR_GOOD,       // that one and all later ones
  LULL_FAIL_FIRST_ATTEMPTS  // the first attempts of that one and of all later ones: each collects
};
// Makes the `count`-th allocation from now fail; 0: none.
void lull_memory_fail_after(lua_State *L, int64_t count, int32_t failing);
// The number of allocations that have failed since that call; 0: the tested code made fewer.
int64_t lull_memory_failure_count(lua_State *L);

// --- Sessions ---

// Makes lull.repl known to the host, if it is linked in.
void lull_repl_link(void);
// Creates the environment for a session's lines; one session at a time. 0 on success.
int32_t lull_session_open(lull_runtime *runtime);
void lull_session_close(lull_runtime *runtime);
// The text to put in front of every line, so that the chunk's locals are recorded when it returns.
// For a script, it runs with the globals themselves.
const char *lull_session_prologue(int32_t is_script);
// The text to put at the beginning of a block of the chunk, so that the block's locals are not
// recorded.
const char *lull_session_block_mark(void);
// Compiles a line as if it were preceded by that many lines. With an ID it becomes part of the
// session, and is stored and pinned; with 0 it is only checked. On failure the message is in the
// arena.
int32_t lull_session_load(
  lull_runtime *runtime, const char *bytes, size_t length, int32_t blank_lines, const char *name,
  int64_t id, const char **message);
// Starts numbering the non-nil values of lines, the last hundred of which are in `Out`, and
// storing the key order of tables made from documents.
int32_t lull_session_number_results(lull_runtime *runtime);
// Called when the line has returned: its locals become variables, the value at `index` of `from`
// becomes `_`. Returns the number of the value, or 0.
int64_t lull_session_commit(
  lull_runtime *runtime, lua_State *from, int32_t index, int32_t has_value);
// Called after waiting for the request with that number: `Out` has a table with it and its data or
// error in its place, and `_` is the data, or nil if it failed.
void lull_session_settle(lull_runtime *runtime, int64_t number);
// Called when the line has failed: reverts its assignments to variables.
void lull_session_roll_back(lull_runtime *runtime);

// The running state, on whose stack the following functions leave values.
lua_State *lull_session_state(lull_runtime *runtime);
// Pushes the value of a variable and its fields without calling anything; a Lull object ends the
// path. Returns the number of names used; negative, with nothing pushed, if the stack is full.
int32_t lull_session_walk(
  lull_runtime *runtime, const char *const *names, int32_t count, lull_value *value);
// Pushes a field of the value at the top, or nil: properties of Lull objects are read, and for
// other values nothing is called. 0, with nothing pushed, if the stack is full.
int32_t lull_session_step(lull_runtime *runtime, const char *name, lull_value *value);
// Replaces the document at the top with a table that has its keys. Returns 0 if the value at the
// top is not a document.
int32_t lull_session_open_document(lull_runtime *runtime);
// Replaces the value at the top with the table in which its missing fields are looked up; 0, and
// nil in its place, if there is none.
int32_t lull_session_next_table(lull_runtime *runtime);
// Removes a module from package.loaded.
void lull_session_forget_module(lull_runtime *runtime, const char *name);
// Pushes a table of names that a line can use: 0 the session's variables, 1 the globals, 2 its
// functions; 0, with nothing pushed, for other numbers.
int32_t lull_session_variables(lull_runtime *runtime, int32_t part);

// --- Interruption ---

// The owner of the process. GUEST: an interpreter that does not belong to Lull, where only SIGINT
// is handled. PROCESS: a script, which SIGINT and SIGTERM end within a second, if necessary by the
// watchdog, and which a closed stdout ends too. SESSION: SIGINT ends only the running code.
enum { LULL_SIGNALS_GUEST = 0, LULL_SIGNALS_PROCESS, LULL_SIGNALS_SESSION };

// Installs handlers that set the flag, stop the running Lua code and call `wake` (which must be
// safe in a signal handler). A second signal exits immediately.
void lull_signals_install(lull_runtime *runtime, void (*wake)(void *), void *context, int32_t owner);
void lull_signals_restore(void);
int32_t lull_signals_pending(void);
// Marks the signal as handled: nothing is interrupted any more, and the next one counts as the
// first.
void lull_signals_clear(void);

// --- Limits ---

enum {
  LULL_LIMIT_NONE = 0,
  LULL_LIMIT_TIME,
  LULL_LIMIT_INSTRUCTIONS,
  LULL_LIMIT_MEMORY,
  LULL_LIMIT_COUNT
};

// 0 means no limit.
typedef struct lull_limits {
  double seconds;  // from now; needs signals installed for a process
  int64_t instructions;
  int64_t memory;  // bytes: Lua's, and those of lull_host_held
  const char *texts[LULL_LIMIT_COUNT];  // the message for each; copied
} lull_limits;

// Sets limits before a script runs; 0 on success.
int32_t lull_limits_set(lull_runtime *runtime, const lull_limits *limits);
// Sets limits for a runtime in an embedding program. Seconds and instructions apply to each
// stretch of script code, from the outermost call until it ends or waits; its signals are not
// changed. Memory is that of Lua and its objects. 0 on success.
int32_t lull_stretches_set(lull_runtime *runtime, const lull_limits *limits);
// Limits the seconds of each stretch from now on, even in C functions, with an alarm of the
// process, whose signals must be installed for it. Code that exceeds the limit gets an error, and
// the next stretch starts with the full time. If a C function does not return even then, the
// process ends. `text` is the message; copied. 0 on success.
int32_t lull_stretches_alarm(lull_runtime *runtime, double seconds, const char *text);
// Makes functions of `string` and `table` whose running time depends only on their arguments count
// their work as instructions, and end at limits; 0 on success. Call it once, before script code
// has stored the stock functions.
int32_t lull_functions_count(lull_runtime *runtime);
// The limits left of a stretch; a missing limit is the largest number.
typedef struct lull_stretch {
  int64_t nanoseconds;
  int64_t instructions;
} lull_stretch;

// The limits left of the running stretch, or of the last one.
lull_stretch lull_stretch_left(const lull_runtime *runtime);
// Makes each outermost call part of a stretch with these limits left, until this is called with
// NULL.
void lull_stretch_continue(lull_runtime *runtime, const lull_stretch *left);
// The time in nanoseconds, for measuring pauses.
int64_t lull_stretch_time(void);
// Counts work that Swift does for the running code, as instructions.
void lull_limits_count(lull_runtime *runtime, int64_t instructions);
// Starts the time and instruction limits of a session's line; 0 means no limit. lull_limits_set
// must have been called, for `texts` and the counting of instructions.
void lull_line_begin(lull_runtime *runtime, double seconds, int64_t instructions);
// Resets the limits that the line has exceeded.
void lull_line_end(lull_runtime *runtime);
// LULL_LIMIT_*: the first limit that was exceeded.
int32_t lull_limit_passed(const lull_runtime *runtime);
// Compares the memory in use with the limit, after a collection if needed.
void lull_memory_check(lull_runtime *runtime);
// Marks the memory limit as exceeded, because it leaves no room for what the script needs.
void lull_memory_pass(lull_runtime *runtime);
// Sets the counter of changes on which cached nil results depend; it must live as long as the
// host.
void lull_watch_changes(lull_runtime *runtime, const uint64_t *changes);

// The number of the last method called, if it returned nil; otherwise -1.
int32_t lull_last_nil_method(const lull_runtime *runtime);

// Suppresses the watchdog's message, because it was already reported.
void lull_watchdog_keep_quiet(void);
// Whether it says it as a JSON object on one line; before limits are set.
void lull_watchdog_write_json(int is_on);
// The release of Lua that this is built for, such as `Lua 5.4.6`.
const char *lull_lua_release(void);

#endif
