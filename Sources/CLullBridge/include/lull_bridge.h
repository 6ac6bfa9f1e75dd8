// The C half of the bridge between Lua and Swift.
//
// This header is all that Swift sees: it does not include lua.h, so Swift cannot name a function that
// raises. Every function declared here returns normally, whatever Lua does; what may raise inside
// runs protected. Functions marked "Swift" are implemented there and called only from C frames that
// have no Lua error to raise until they return.
#ifndef LULL_BRIDGE_H
#define LULL_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

#include "lull_kinds.h"

typedef struct lua_State lua_State;
typedef struct lull_runtime lull_runtime;

// What a lull_value holds; as an argument, a result, a field of an options table.
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
  LULL_REF,       // write only: the value kept under id `integer`, nil if it is gone
  LULL_JSON,      // write only: pointer = csj_document, extra = id to share its table by, or 0
  LULL_VIEW,      // write only: the same, as a read-only view that builds no table
  LULL_LIST,      // write only: pointer = lull_value[extra]
  LULL_MAP,       // write only: pointer = lull_value[2 * extra], keys and values in turn; aux: read-only
  LULL_METHOD,    // write only: a function bound to object `handle`, aux = method index
  LULL_NEXT,      // write only: the function next
  LULL_UNPACK,    // write only: the elements of the packed table kept under id `integer`
  LULL_ELEMENT,   // write only: element `extra` of the table kept under id `integer`
  LULL_SPREAD,    // write only, as an argument or result: several, pointer = lull_value[extra]
  LULL_DIGITS     // an integer beyond 64 bits: pointer, extra = length of its digits
};

// Marks of the numbers that a document's values are kept under: of its tables, of the view of it. Both mark
// tables in which there are no nulls.
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
  int64_t anchor;  // of an object to push: a kept value that its userdata holds, or 0
} lull_value;

// One function or property of the API; the strings live as long as the process.
typedef struct lull_method {
  const char *name;
  // Of a function in a table of the module: what that is called. Else NULL.
  const char *table;
  // One letter an argument: s string, n number, i integer, b boolean, f function, t table, o function
  // or table, l anything, numbers as strings, v anything; upper case: may be nil or absent; * ends
  // the list: the rest is free. NULL: not derived yet; see lull_host_arguments.
  const char *arguments;
  int32_t kind;
  // LULL_FIELD_*
  int32_t role;
} lull_method;

// The letters of a method, NULL if nobody has derived them yet.
static inline const char *lull_method_arguments(const lull_method *method) {
  return __atomic_load_n(&method->arguments, __ATOMIC_ACQUIRE);
}

// The letters that the method has from now on: these, unless another thread was faster.
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
  int32_t argument_count;  // self included; what is beyond LULL_MAX_ARGUMENTS is on the stack only
  int32_t result_count;
  int32_t error_argument;  // for LULL_RAISE_ARGUMENT: 1 is the first after self
  int32_t outcome;         // LULL_RETURN unless Swift sets another
  // Until when, in Unix seconds, the same call on the same object is answered with nil without asking
  // Swift, while the count of lull_watch_changes stays what it is; 0: not at all.
  double answer_until;
  lull_value arguments[LULL_MAX_ARGUMENTS];
  lull_value results[LULL_MAX_RESULTS];
} lull_frame;

static inline lull_value *lull_frame_arguments(lull_frame *frame) { return frame->arguments; }
static inline lull_value *lull_frame_results(lull_frame *frame) { return frame->results; }

// What the trampoline does after Swift has returned.
enum {
  LULL_RETURN = 0,      // push results
  LULL_RAISE,           // raise results[0] with the caller's position
  LULL_RAISE_VALUE,     // raise results[0] as it is
  LULL_RAISE_ARGUMENT,  // raise results[0] as a bad argument
  LULL_WAIT,            // yield; lull_resume brings the results
  LULL_EXIT             // call Lua's os.exit with results[0]; raise if it returns
};

// Whether and how the running code may wait.
enum {
  LULL_WAIT_YIELD = 0,     // suspend the running Lull coroutine
  LULL_WAIT_BLOCK,         // nothing to suspend: run the loop until it is over
  LULL_WAIT_ANSWER_NOW,    // inside a callback that must answer at once
  LULL_WAIT_FOREIGN,       // inside a coroutine that somebody else than Lull's functions resumed
  LULL_WAIT_NOT_YIELDABLE  // inside a C function that cannot be suspended
};

// How a run of Lua code ended.
enum {
  LULL_RUN_DONE = 0,
  LULL_RUN_WAITING,
  LULL_RUN_FAILED,
  LULL_RUN_GONE,      // the function has been collected
  LULL_RUN_TOO_DEEP,  // callbacks nested too deeply
  LULL_RUN_NO_MEMORY
};

// A call from Swift into Lua.
typedef struct lull_call {
  int64_t function;    // id of a kept function, or of a kept table if `method` is given
  const char *method;  // call this field of the table, with the table first; skipped if it is nil
  const lull_value *arguments;
  int32_t count;
  int32_t is_handler;  // may run where other callbacks are nested too deeply already
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

// What a frame of a traceback is.
enum {
  LULL_FRAME_LUA = 0,
  LULL_FRAME_C,
  LULL_FRAME_HOST,    // a C function of Lull's own
  LULL_FRAME_SKIPPED  // as many levels as `line` says
};

// One level of a stack. The strings live in the arena; none is NULL.
typedef struct lull_trace_frame {
  int32_t kind;
  int32_t line;          // where it was; 0 if unknown
  int32_t is_tail_call;  // who called it is not on the stack any more
  const char *source;    // the chunk: "@file", "=name", or the text of a loaded string
  size_t source_length;  // 0 if it is too large
  const char *short_source;  // as messages name it
  const char *title;         // as tracebacks name the function
  const char *name;          // as its caller called it; "" if unknown
  const char *name_kind;     // "global", "local", "method", "field", "upvalue", …; ""
} lull_trace_frame;

// Why a run failed. The strings live in the arena.
typedef struct lull_failure {
  lull_value value;  // what was raised, if it is an object of Lull; else LULL_NIL
  const char *message;
  size_t message_length;
  const lull_trace_frame *frames;  // innermost first
  int32_t frame_count;
  int32_t is_interruption;  // raised to end the code that ran: by a signal, os.exit or a limit
} lull_failure;

// --- Implemented in Swift (LullHost) ---

// Attaches the host that was preloaded to a runtime. Its opaque pointer, retained until
// lull_host_close, or NULL.
void *lull_host_attach(void *host, lull_runtime *runtime);
// The functions of the module, in the order of their numbers; they stay.
const lull_method *lull_host_methods(void *host, int32_t *count);
// Derives the letters of a method from its signature and keeps them; called once for each.
const char *lull_host_arguments(void *host, int32_t method);
// The outcome, as in frame->outcome.
int32_t lull_host_call(void *host, int32_t method, lull_frame *frame);
void lull_host_sweep(void *host);
// A coroutine of the script's own has failed; its error is about to go on where it was resumed.
void lull_host_note_failure(void *host, const lull_failure *failure);
// Whether that is the text of the failure noted last, which has gone on in another coroutine and may
// have got a position before it there; then it is remembered so.
int32_t lull_host_knows_failure(void *host, const char *message, size_t length);
// An error that goes nowhere else: to be reported.
void lull_host_report(void *host, const lull_failure *failure, const char *place);
// A userdata is about to be made for a handle. The same handle, or a new one for the same object if an
// earlier userdata of it is on its way to its finaliser; 0 if there is no such object.
uint64_t lull_host_claim(void *host, uint64_t handle);
// The state goes away: drop everything without calling into Lua; releases the host.
void lull_host_close(void *host);
// "MAJOR.MINOR.PATCH"
const char *lull_host_version(void);
// Bytes of bodies, documents and objects that live outside of Lua's memory.
int64_t lull_host_held(void *host);
// Of a file that is only looked at: whether a variable of the environment counts as set there, and what
// its `print` is given.
int32_t lull_host_sets_variable(void *host, const char *name);
void lull_host_print_aside(void *host, const char *text, size_t length);
// Of a state with a gate: whether a file may be loaded; its bytes, of a text without the marks of a first
// line, or why not, in the arena. What is there before stays without memory.
int32_t lull_host_pass_file(
  void *host, const char *path, int32_t is_text, const char **bytes, size_t *length);
// Writes one argument of a sandbox's `print` and the character after it to standard output (lull_write_out). On a
// terminal, control characters are escaped. For any state, attached or not.
void lull_host_print(const char *text, size_t length, char end);
// Writes to standard error, for a terminal made visible. For any state, attached or not.
void lull_host_write_error(const char *text);
// The handle of lull.log, 0 if there is none.
uint64_t lull_host_log(void *host);
// What is seen of a secret, in the arena; NULL if it is gone, or without memory.
const char *lull_host_secret_mask(void *host, uint64_t handle, size_t *length);
// The nearest name among the fields of a kind, for "did you mean"; NULL if none is near.
const char *lull_host_suggest(void *host, int32_t kind, const char *name);
// The same among names; one of these pointers.
const char *lull_host_nearest(const char *name, const char *const *names, int32_t count);
// Reports whether a record has a field that the script passed to a function of `lull.list`. The words are
// separated by NUL: the names of the function and of the field. If no record has it, also the missing part
// of a dotted name, the parts before and after it, and the names that exist there. The line is 0 if unknown.
void lull_host_list_field(
  void *host, const char *file, int32_t line, int32_t is_there, const char *words, size_t length);

// --- The Lua code that ships ---

typedef enum lull_script {
  LULL_SCRIPT_LIST,         // lull.list
  LULL_SCRIPT_TEST,         // lull.test
  LULL_SCRIPT_FILTER,       // what surrounds expressions of -f
  LULL_SCRIPT_ENVIRONMENT,  // what gives an API file its variables
  LULL_SCRIPT_GATE,         // what loads files where a gate says which
} lull_script;

// The text of a file of `scripts`, which stays; without a NUL at its end.
const char *lull_script_text(lull_script script, size_t *length);

// --- The runtime ---

// A new state with the standard libraries, for the command and for tests; NULL without memory.
lua_State *lull_state_new(void);
// The same for the sandbox: with string, table, math, utf8, coroutine and the harmless functions of the
// base library only; `require` finds text files below the folder, a C string, or nothing if it is NULL.
lua_State *lull_state_new_sandboxed(const char *folder);
// Has load, loadfile, dofile and require refuse precompiled chunks; 0 on success.
int32_t lull_state_refuse_bytecode(lua_State *L);
void lull_state_close(lua_State *L);
// Installs `host` as the one luaopen_lull of this state will use, and preloads the module.
int32_t lull_state_preload(lua_State *L, void *host);
// The runtime luaopen_lull made in this state, or NULL.
lull_runtime *lull_state_runtime(lua_State *L);
// Loads the module now; 0 on success.
int32_t lull_state_require(lua_State *L, int32_t set_global);
int32_t lull_runtime_depth(const lull_runtime *runtime);

// Handles finalised since the last call; valid until the next one.
const uint64_t *lull_runtime_take_swept(lull_runtime *runtime, size_t *count);

// Handles of values that an error has kept from being pushed; they may have been pushed since. Valid
// until the next push. Not to be called while values are being pushed.
const uint64_t *lull_runtime_take_unpushed(lull_runtime *runtime, size_t *count);

// A kept value whose owner has died, if there is one. It is pinned: unpin it when it has been told.
int32_t lull_runtime_take_orphan(lull_runtime *runtime, int64_t *id);

// One step of the collector, as if that many kilobytes had been allocated. Finalisers may run.
void lull_runtime_collect(lull_runtime *runtime, int32_t kilobytes);
// A full collection; 0 if there was none, since a finaliser runs.
int32_t lull_runtime_collect_all(lull_runtime *runtime);
// Whether the handle's userdata is there; not while it is being made.
int32_t lull_object_exists(lull_runtime *runtime, uint64_t handle);
// How much memory Lua uses, garbage included.
int64_t lull_runtime_lua_bytes(const lull_runtime *runtime);

// Memory that lives until the mark is released; NULL without memory.
void *lull_arena_allocate(lull_runtime *runtime, size_t size);
size_t lull_arena_mark(lull_runtime *runtime);
void lull_arena_release(lull_runtime *runtime, size_t mark);

// --- Values that Swift knows by id ---

// values[id] = the value at `index` of L, weakly; what anchors it is another matter. 0 on success.
int32_t lull_value_keep(lull_runtime *runtime, lua_State *L, int32_t index, int64_t id);
int32_t lull_value_is_alive(lull_runtime *runtime, int64_t id);
// From now on nothing is kept under the id; what anchors the value still holds it. Whether it was.
int32_t lull_value_forget(lull_runtime *runtime, int64_t id);
// values[copy] = a deep copy of values[id], weakly; whether that is a table without a metatable of the
// script's, and could be copied.
int32_t lull_value_copy(lull_runtime *runtime, int64_t id, int64_t copy);
// values[copy] = a weak reference to a copy of values[id]: plain tables are copied, all other values are
// shared. 0 if values[id] is not a plain table, or has more than `most` values.
int32_t lull_value_snapshot(lull_runtime *runtime, int64_t id, int64_t copy, int64_t most);
// The JSON Pointer of the first place where values[id] differs from that copy, as for a document.
const char *lull_value_difference(lull_runtime *runtime, int64_t id, int64_t copy, int64_t *left);
// Holds values[id] from the service's user value, until it is released.
int32_t lull_value_anchor_to_object(lull_runtime *runtime, uint64_t handle, int64_t key, int64_t id);
void lull_value_release_from_object(lull_runtime *runtime, uint64_t handle, int64_t key);
// Holds values[id] for as long as the owner values[owner] lives (an ephemeron).
int32_t lull_value_anchor_to_owner(lull_runtime *runtime, int64_t owner, int64_t id);
void lull_value_release_from_owner(lull_runtime *runtime, int64_t owner, int64_t id);
// Holds values[id] until unpinned.
int32_t lull_value_pin(lull_runtime *runtime, int64_t id);
void lull_value_unpin(lull_runtime *runtime, int64_t id);
// A number that is the same for the same table, function or object, and while it lives for no other.
uintptr_t lull_value_identity(lua_State *L, int32_t index);
// values[id] = a function that makes a table of the functions of `lull.list`, of which messages speak by
// their names alone, from a table of hooks; pinned. 0 on success.
int32_t lull_list_keep_maker(lull_runtime *runtime, int64_t id);
// Whether two values are the same value.
int32_t lull_value_is(lull_runtime *runtime, int64_t id, lua_State *L, int32_t index);
// values[id] = a table of the values from `first` to `last` on the stack, with their count; pinned.
int32_t lull_value_pack(lull_runtime *runtime, lua_State *L, int32_t first, int32_t last, int64_t id);
// values[id] = a list of the values of all ids, pinned: one to hold for all of them.
int32_t lull_value_bundle(lull_runtime *runtime, const int64_t *ids, int32_t count, int64_t id);
// Whether two kept values hold the same: tables by their fields, everything else by itself.
int32_t lull_value_same(lull_runtime *runtime, int64_t a, int64_t b);
// What `count` keys, with a NUL after each, lead to from a kept table; nil if nowhere. Strings are
// copied to the arena; of a table `integer` is its length, and `aux` whether there is anything in it.
// After `list` keys the way goes on from the last element of the list there; nowhere if `list` is below 0.
// 0 on success.
int32_t lull_value_field(
  lull_runtime *runtime, int64_t id, const char *keys, int32_t count, int32_t list, lull_value *value);
// values[id][position] = the value at `index` of L, nil unless `exists`; of a table. 0 on success.
int32_t lull_value_set_element(
  lull_runtime *runtime, lua_State *L, int32_t index, int32_t exists, int64_t id, int64_t position);
// Builds the tables of a document under its id, unless they are there, and holds them from the
// object's userdata under `key`.
int32_t lull_document_build(
  lull_runtime *runtime, const void *document, int64_t id, uint64_t handle, int64_t key);
// The JSON Pointer of the first place where the tables kept under `id` are not those of the document;
// in the arena, NULL if there is none. At most `left` values are compared, which is then how many are
// left; what lies behind them counts as unchanged.
const char *lull_document_difference(
  lull_runtime *runtime, const void *document, int64_t id, int64_t *left);

// Makes sure the object has a userdata, and holds it until unpinned.
int32_t lull_object_pin(lull_runtime *runtime, const lull_value *object);
void lull_object_unpin(lull_runtime *runtime, uint64_t handle);
int32_t lull_pin_count(lull_runtime *runtime);
int32_t lull_waiting_thread_count(lull_runtime *runtime);
// How many tracebacks were taken.
int64_t lull_trace_count(lull_runtime *runtime);
// The coroutine of the main chunk, or of a session's line; for lull_main_end, when a line that is started
// now has ended.
int32_t lull_main_thread(const lull_runtime *runtime);
void lull_main_end(lull_runtime *runtime, int32_t previous);

// --- Reading ---

// What is at `index`, without converting anything. Strings stay valid while the value is there.
void lull_read(lua_State *L, int32_t index, lull_value *value);
int32_t lull_stack_top(lua_State *L);
// Visits a table: begin gives the position of the keys, 0 if the stack cannot grow; then next until it
// gives 0, or -1 without memory, with pop_value after each. Whatever a visitor left on the stack is popped too.
int32_t lull_table_begin(lua_State *L);
int32_t lull_table_next(lua_State *L, int32_t table, lull_value *key, lull_value *value);
void lull_table_pop_value(lua_State *L, int32_t keys);
void lull_table_leave(lua_State *L, int32_t keys);
// Pushes a global, nil if there is none: its position, to be popped with lull_pop_from; 0 without
// memory.
int32_t lull_push_global(lua_State *L, const char *name);
// Pops the value at `index` and all above.
void lull_pop_from(lua_State *L, int32_t index);
// Whether a field of the value, also one its metatable provides, is a function; -1 without memory.
int32_t lull_has_function(lua_State *L, int32_t index, const char *name);
// The length of a table, as without metamethods.
int64_t lull_table_length(lua_State *L, int32_t index);
// Where a table is, to compare and to look up only: after its end another may be there.
const void *lull_table_address(lua_State *L, int32_t index);
// Source and line of a function value, as "file.lua:12"; written to the arena.
const char *lull_function_place(lull_runtime *runtime, lua_State *L, int32_t index);
// The same of a kept function; "" if it is gone.
const char *lull_value_place(lull_runtime *runtime, int64_t id);
// The line of the script that has called the function of ours which runs on L, and its chunk, whose name
// lasts as long as that line runs; 0 if there is none.
int32_t lull_caller_line(lua_State *L, const char **source, size_t *length);
// If the function is one of ours bound to an object (LULL_METHOD), that object.
int32_t lull_bound_object(lua_State *L, int32_t index, lull_value *object);

// What tostring says of the value at `index`, in the arena; NULL if that raises.
const char *lull_text_of(lull_runtime *runtime, lua_State *L, int32_t index, size_t *length);
// Whether the value's metatable has that field.
int32_t lull_has_metafield(lua_State *L, int32_t index, const char *name);
// The length of a table or string, no metamethod asked.
int64_t lull_length(lua_State *L, int32_t index);
// Pushes a table's element, no metamethod asked; lull_pop takes it off again.
void lull_push_element(lua_State *L, int32_t table, int64_t position, lull_value *value);
void lull_pop(lua_State *L, int32_t count);
// Pushes the value kept under an id, nil if it is gone; 0, and nothing pushed, without room.
int32_t lull_push_kept(lull_runtime *runtime, lua_State *L, int64_t id);
// Whether a table is marked as a JSON array.
int32_t lull_is_json_array(lua_State *L, int32_t index);
// Pushes the table that a read-only one at `index` shows; 0, and nothing pushed, for anything else.
int32_t lull_push_read_only(lua_State *L, int32_t index);
// Pushes the list of the keys of a table, in the order of the document it was made from, if such orders
// are kept; 0, and nothing pushed, for anything else.
int32_t lull_push_key_order(lua_State *L, int32_t index);

// Whether a table of content may have been made without a null of that name.
int32_t lull_is_omitted_name(lua_State *L, const char *name);

// Whether the script has set `lull.unhandled = "ignore"`.
int32_t lull_module_ignores_unhandled(lull_runtime *runtime);
// The document of which the value at `index` is a view, and where in it; NULL for anything else.
struct csj_document *lull_document_at(lua_State *L, int32_t index, uint64_t *place);
// From now on the places of the floats that are read from a document are noted; NULL ends that and
// forgets them. The document must stay until then.
void lull_reads_watch(lull_runtime *runtime, const struct csj_document *document);
// How many were read, and their places in that order, valid until the next one is read; those that there
// was no memory for are missing.
size_t lull_reads_noted(const lull_runtime *runtime, const uint64_t **places);
// Whether that document is a list and was asked for a field since then.
int32_t lull_reads_took_list_for_object(const lull_runtime *runtime);
// The index of the method a function of ours stands for, negative for any other function.
int32_t lull_function_method(lua_State *L, int32_t index);
// Where in the module a value is, as "lull.json.encode", in the arena; NULL if it is not there.
const char *lull_module_name(lull_runtime *runtime, lua_State *L, int32_t index);

// Where in JSON text the mask of a secret stands, as the inside of a string.
typedef struct lull_json_secret {
  size_t start;
  size_t end;
  uint64_t handle;
} lull_json_secret;

// JSON text of the value at `index`; on failure `problem` says where and why. Free both with free().
typedef struct lull_json_result {
  char *bytes;
  size_t length;
  lull_json_secret *secrets;  // in order; NULL if there are none
  size_t secret_count;
  char problem[256];
  int32_t lacks_room;  // it failed since the script's limit leaves no room for the text
} lull_json_result;
int32_t lull_json_encode(lua_State *L, int32_t index, int32_t pretty, lull_json_result *result);

// --- Running Lua code ---

int32_t lull_wait_mode(lull_runtime *runtime, lua_State *L);
// What keeps L from waiting, such as table.sort, require, __gc; in the arena, "" if nobody knows.
const char *lull_wait_place(lull_runtime *runtime, lua_State *L);
const char *lull_answer_now_kind(lull_runtime *runtime);

// From now on precompiled chunks are loaded too.
void lull_allow_bytecode(lull_runtime *runtime);
// Compiles a chunk and keeps the function under `id`; precompiled ones only if they are allowed. On
// failure the message is in the arena.
int32_t lull_load(
  lull_runtime *runtime, const char *bytes, size_t length, const char *name, int64_t id,
  const char **message);

// The compiled form of a kept function, with its lines; in the arena, NULL without memory.
const char *lull_dump(lull_runtime *runtime, int64_t id, size_t *length);
// As lull_load, of what lull_dump has given in this very process, and of nothing else: Lua does not check it.
int32_t lull_load_dumped(
  lull_runtime *runtime, const char *bytes, size_t length, const char *name, int64_t id,
  const char **message);

// Compiles only; whether there is a message, which is put into `message` as far as `size` allows.
int32_t lull_compile(
  lull_runtime *runtime, const char *bytes, size_t length, const char *name, char *message,
  size_t size);

// Runs a function that may wait, in a coroutine of the pool.
void lull_start(lull_runtime *runtime, const lull_call *call, lull_run *run);
// A function to be called among others.
typedef struct lull_member {
  int64_t function;     // id of a kept function
  const void *context;  // Swift's
} lull_member;
// Functions to be called one after the other with the same arguments.
typedef struct lull_sequence {
  const lull_member *members;
  int32_t count;
  int32_t position;    // of the one that runs
  int32_t is_watched;  // set by Swift while one runs: how it ends is of interest, whatever that is
} lull_sequence;
// Runs functions that may wait, each as lull_start would run it with the arguments of `call`, at most
// LULL_MAX_SHARED and none of them a list: from `position` up to the first one that does not just
// return, that changes what lull_watch_changes counts, or that is watched. `run` is the last one's.
enum { LULL_MAX_SHARED = 3 };
void lull_start_sequence(
  lull_runtime *runtime, const lull_call *call, lull_sequence *sequence, lull_run *run);
// Goes on with a waiting coroutine; its wait returns `values`, or raises the first if `raise` is set.
void lull_resume(
  lull_runtime *runtime, int32_t thread, const lull_value *values, int32_t count, int32_t raise,
  lull_run *run);
// Calls a function that must answer at once.
void lull_ask(lull_runtime *runtime, const lull_call *call, const char *kind, lull_run *run);
void lull_run_result(const lull_run *run, int32_t position, lull_value *value);
int32_t lull_run_result_index(const lull_run *run, int32_t position);
void lull_run_failure(lull_runtime *runtime, lull_run *run, lull_failure *failure);
// Where the kept function, or that function of the kept table, is defined, as a frame in the arena; 0
// on success.
int32_t lull_value_frame(
  lull_runtime *runtime, int64_t id, const char *method, lull_trace_frame *frame);
// What lull.inspect shows of the kept value, as far as `size` allows; 0 on success.
int32_t lull_value_inspect(lull_runtime *runtime, int64_t id, char *text, size_t size);
// The state that runs begins or ends to run the loop inside a call: what runs meanwhile is not called by
// what waits.
void lull_runtime_set_blocking(lull_runtime *runtime, int32_t is_blocking);
// A line of a Lua function that a thread runs: for comparisons only, since another may be the same later.
typedef struct lull_position {
  uintptr_t thread;
  uintptr_t source;
  int32_t line;  // 0: none
} lull_position;

// Of the Lua function that has called the function of ours which runs on L.
void lull_position_of_caller(lua_State *L, lull_position *position);
// Of the function in which the run failed, at level 0, or of one that called it, if that is a Lua function
// and its stack is still there.
void lull_position_of_failure(const lull_run *run, int32_t level, lull_position *position);
// What a variable of that function leads to by `count` keys, with a NUL after each, those of integers
// behind a byte 1: as far as plain fields of tables go. How many of the keys that were; the value is nil
// unless it is an object.
int32_t lull_failed_variable(
  lull_runtime *runtime, const lull_run *run, int32_t level, const char *name, const char *keys,
  int32_t count, lull_value *value);

// Whether the code that runs on L is inside a pcall or xpcall.
int32_t lull_is_protected(lua_State *L);
// Keeps what was raised under `id`, pinned; 0 on success.
int32_t lull_failure_keep(lull_runtime *runtime, const lull_run *run, int64_t id);
// Gives the coroutine back to the pool if it ended well; results are gone afterwards.
void lull_run_end(lull_runtime *runtime, lull_run *run);
// Closes a waiting coroutine: nothing after its wait runs; to-be-closed variables are closed.
void lull_thread_cancel(lull_runtime *runtime, int32_t thread);

// Sets the global `arg` to `count` strings, which follow each other in memory with a NUL after each,
// with indices from `first`.
int32_t lull_set_arg(lua_State *L, const char *words, int32_t count, int32_t first);
// Puts `path` and `cpath` templates before package.path and package.cpath.
int32_t lull_prepend_path(lua_State *L, const char *path, const char *cpath);

// Writes where the script's own `print` writes.
void lull_write_out(const char *bytes, size_t length);
// Writes out what scripts have printed: 0; the error number; -1 where an earlier part was lost.
int32_t lull_flush_out(void);

// From now on what is written to a terminal by the C library's streams is held back until
// `lull_output_flush`, so that it can be put above lines that are shown there; `print` takes them away
// itself, by `clear`, which flushes too. Not twice without a release between.
void lull_output_hold(void (*clear)(void));
void lull_output_release(void);
int32_t lull_output_has_held(void);
void lull_output_flush(void);
// Whether what was written last has left the cursor behind something.
int32_t lull_output_is_inside_line(void);

// Interrupts the coroutine that runs now, and those that run it, as a signal would, when they go on.
void lull_thread_interrupt(lull_runtime *runtime);
// The same for the code of this state, which is about to be given an error that ends it.
void lull_state_interrupt(lua_State *L);

// Replaces os.exit by the module function with that index, for the command.
int32_t lull_replace_exit(lull_runtime *runtime, int32_t method);
// Gives a sandbox inert stand-ins for os.getenv, os.exit, print and the time; 0 on success.
int32_t lull_inspection_open(lull_runtime *runtime, int32_t exit_method);
// Has every file that is loaded come through lull_host_pass_file: `text` puts functions in the place of
// the stock ones, given one that reads and one that copies a file; 0 on success.
int32_t lull_gate_open(lull_runtime *runtime, const char *text, size_t length);
// Whether the stock `require` would find a module, in the process's own paths. Runs nothing.
int32_t lull_module_is_elsewhere(const char *name);

// --- Memory of states made by lull_state_new; other states count nothing and do not fail ---

// Bytes that Lua has allocated and not freed.
size_t lull_memory_used(lua_State *L);
// What fails, for tests.
enum {
  LULL_FAIL_ONCE = 0,       // one allocation, and the interpreter's second attempt after a collection
  LULL_FAIL_FOR_GOOD,       // that one and all later ones
  LULL_FAIL_FIRST_ATTEMPTS  // the first attempts of that one and of all later ones: each collects
};
// The `count`-th allocation from now fails; 0: none, from now on.
void lull_memory_fail_after(lua_State *L, int64_t count, int32_t failing);
// How many allocations have failed since that was called; 0: the code under test made fewer.
int64_t lull_memory_failure_count(lua_State *L);

// --- Sessions ---

// Makes lull.repl known to the host, if it is linked in.
void lull_repl_link(void);
// Makes the environment of a session's lines; one session at a time. 0 on success.
int32_t lull_session_open(lull_runtime *runtime);
void lull_session_close(lull_runtime *runtime);
// What must stand before every line: it has the chunk's locals taken when it returns. A script's has
// it run with the globals themselves.
const char *lull_session_prologue(int32_t is_script);
// What must stand at the beginning of a block of the chunk, so that the block's locals are not taken.
const char *lull_session_block_mark(void);
// Compiles a line as if that many lines stood before it. With an id it becomes part of the session,
// and is kept and pinned; with 0 it is only checked. On failure the message is in the arena.
int32_t lull_session_load(
  lull_runtime *runtime, const char *bytes, size_t length, int32_t blank_lines, const char *name,
  int64_t id, const char **message);
// From now on values of lines that are not nil are numbered, and the last hundred are in `Out`; and of
// what is made of documents the order of keys is kept.
int32_t lull_session_number_results(lull_runtime *runtime);
// The line has returned: its locals become variables, the value at `index` of `from` becomes `_`; its
// number, 0 if it has none.
int64_t lull_session_commit(
  lull_runtime *runtime, lua_State *from, int32_t index, int32_t has_value);
// The request with that number has been waited for: `Out` has a table of it and of its data or error
// in its place, and `_` is the data, nil if it has failed.
void lull_session_settle(lull_runtime *runtime, int64_t number);
// The line has failed: what it assigned to variables is taken back.
void lull_session_roll_back(lull_runtime *runtime);

// The state that runs now, on whose stack the following functions leave values.
lua_State *lull_session_state(lull_runtime *runtime);
// Pushes what a variable and its fields lead to, calling nothing; an object of ours ends the walk.
// How many of the names were used; negative, and nothing pushed, if the stack is full.
int32_t lull_session_walk(
  lull_runtime *runtime, const char *const *names, int32_t count, lull_value *value);
// Pushes a field of the value at the top, nil if it has none: objects of ours are asked, of other values
// nothing is called. 0, and nothing pushed, if the stack is full.
int32_t lull_session_step(lull_runtime *runtime, const char *name, lull_value *value);
// Puts a table with the keys of the document at the top in its place; 0 if there is none.
int32_t lull_session_open_document(lull_runtime *runtime);
// Puts the table where the fields of the value at the top are looked for besides in its place;
// 0, and nil in its place, if there is none.
int32_t lull_session_next_table(lull_runtime *runtime);
// Takes a module out of package.loaded.
void lull_session_forget_module(lull_runtime *runtime, const char *name);
// Pushes a table of names a line can use: 0 the session's variables, 1 the globals, 2 its functions;
// 0, and nothing pushed, beyond.
int32_t lull_session_variables(lull_runtime *runtime, int32_t part);

// --- Interruption ---

// Whose process it is: somebody else's, where only SIGINT is listened to; that of a script, which
// either signal ends, within a second or by the watchdog, and a closed stdout too; that of a session,
// where SIGINT ends no more than what runs now.
enum { LULL_SIGNALS_GUEST = 0, LULL_SIGNALS_PROCESS, LULL_SIGNALS_SESSION };

// Installs handlers that set the flag, stop the Lua code that runs now and call `wake` (which must be
// safe in a signal handler). A second signal exits at once.
void lull_signals_install(lull_runtime *runtime, void (*wake)(void *), void *context, int32_t owner);
void lull_signals_restore(void);
int32_t lull_signals_pending(void);
// The signal has been dealt with: nothing is interrupted any more, and the next one is a first one.
void lull_signals_clear(void);

// --- Limits ---

enum {
  LULL_LIMIT_NONE = 0,
  LULL_LIMIT_TIME,
  LULL_LIMIT_INSTRUCTIONS,
  LULL_LIMIT_MEMORY,
  LULL_LIMIT_COUNT
};

// 0 is no limit.
typedef struct lull_limits {
  double seconds;  // from now; needs signals installed for a process
  int64_t instructions;
  int64_t memory;  // bytes: Lua's, and what lull_host_held gives
  const char *texts[LULL_LIMIT_COUNT];  // what is said of each; copied
} lull_limits;

// Sets limits before a script runs; 0 on success.
int32_t lull_limits_set(lull_runtime *runtime, const lull_limits *limits);
// The same for a runtime in a program with a life of its own: seconds and instructions are those of each
// stretch of the script's code, from the outermost call until it ends or waits, whose signals are not
// touched; memory is Lua's and its objects'. 0 on success.
int32_t lull_stretches_set(lull_runtime *runtime, const lull_limits *limits);
// Stretches have so many seconds from now on, in C functions too, by an alarm of the process, whose signals are
// installed for it: what has had them is raised in, and the next stretch begins anew; with a C function that does
// not return even then the process ends. `text` is what is said of it; copied. 0 on success.
int32_t lull_stretches_alarm(lull_runtime *runtime, double seconds, const char *text);
// Functions of `string` and `table` that would run for as long as their arguments make them count their work
// as instructions from now on, and end at limits; 0 on success. Once is enough, before the script's code has
// taken hold of the stock ones.
int32_t lull_functions_count(lull_runtime *runtime);
// What a stretch has left; a limit that there is not has no end.
typedef struct lull_stretch {
  int64_t nanoseconds;
  int64_t instructions;
} lull_stretch;

// Of the stretch that runs, or has run last.
lull_stretch lull_stretch_left(const lull_runtime *runtime);
// The next outermost call is a part of a stretch that has so much left, until this is called with NULL.
void lull_stretch_continue(lull_runtime *runtime, const lull_stretch *left);
// In nanoseconds, to measure pauses by.
int64_t lull_stretch_time(void);
// Counts work that Swift does for the code that runs, as instructions.
void lull_limits_count(lull_runtime *runtime, int64_t instructions);
// A session's line has so much time and so many instructions of its own from now on; 0 is no limit. For
// `texts` and the count of instructions lull_limits_set has been called.
void lull_line_begin(lull_runtime *runtime, double seconds, int64_t instructions);
// What the line has passed counts no more.
void lull_line_end(lull_runtime *runtime);
// LULL_LIMIT_*: the first one that was passed.
int32_t lull_limit_passed(const lull_runtime *runtime);
// Compares what is held now with the limit, after a collection if it must be.
void lull_memory_check(lull_runtime *runtime);
// The limit of memory leaves no room for what the script needs.
void lull_memory_pass(lull_runtime *runtime);
// From where the count of changes is read that remembered answers depend on; valid as long as the host.
void lull_watch_changes(lull_runtime *runtime, const uint64_t *changes);

// The number of the method that was called last, if it gave nil; else -1.
int32_t lull_last_nil_method(const lull_runtime *runtime);

// What the watchdog would say has been said.
void lull_watchdog_keep_quiet(void);

#endif
