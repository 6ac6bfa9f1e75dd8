// Sessions: lines that are compiled in order and share variables.
//
// A line has an environment that belongs to the session. A name in it is a session variable,
// otherwise a global, otherwise one of the session's functions such as `help`. Each line begins
// with a to-be-closed variable, the guard: it is closed when the chunk returns, and then reads the
// chunk's locals from its frame.
#include <stdlib.h>
#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "ending/lull_alarm.h"
#include "values/lull_document.h"
#include "values/lull_order.h"
#include "values/lull_protect.h"
#include "values/lull_read.h"
#include "values/lull_tables.h"

// The text in front of every line, see lull_session_prologue.
#define LULL_GUARD "__lull_line"
#define LULL_SCRIPT_GUARD "__lull_script"
#define LULL_BLOCK "__lull_block"

// One session at a time, in the memory of a full userdata that the registry holds.
typedef struct session {
  lull_runtime *runtime;
  int32_t thread;         // the coroutine of the running line, 0 if none has begun
  lua_Integer staged;     // the number of entries in the table of locals to be published
  lua_Integer journaled;  // the number of entries in the table of assignments that can be reverted
  lua_Integer results;    // the number of the last value
} session;

// The user values of a session.
enum {
  UV_VALUES = 1,  // name → value of a session variable, `nothing` for nil
  UV_GLOBALS,
  UV_FUNCTIONS,   // names that are used unless a variable or a global has the same name
  UV_STAGED,      // name, value in turn
  UV_JOURNAL,     // name, whether it was global, its old value in turn
  UV_ENVIRONMENT,
  UV_GUARD,
  UV_RESULTS,  // number → value of a line, where values are numbered
  UV_COUNT = UV_RESULTS
};

// The number of recent values that can be accessed by number.
enum { LULL_KEPT_RESULTS = 100 };

static const char session_key = 0;  // in the registry: the open session
static const char nothing = 0;      // as a light userdata: a session variable that is nil

// Implemented in Swift (LullREPL), which a program need not contain.
__attribute__((weak)) void lull_repl_register(void);

void lull_repl_link(void) {
  if (lull_repl_register) lull_repl_register();
}

const char *lull_session_prologue(int32_t is_script) {
  return is_script ? "local " LULL_GUARD " <close> = " LULL_SCRIPT_GUARD "; "
                   : "local " LULL_GUARD " <close> = " LULL_GUARD "; ";
}

const char *lull_session_block_mark(void) { return " local " LULL_BLOCK "; "; }

// [-0, +1 or +0] Pushes and returns the open session, or returns NULL.
static session *push_session(lua_State *L) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &session_key) == LUA_TUSERDATA) return lua_touserdata(L, -1);
  lua_pop(L, 1);
  return NULL;
}

// [-1, +1] Replaces nil with `nothing`.
static void wrap_nil(lua_State *L) {
  LULL_EFFECT(L, 1, 1);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  lua_pushlightuserdata(L, (void *)&nothing);
}

// [-1, +1] Replaces `nothing` with nil.
static void unwrap_nil(lua_State *L) {
  LULL_EFFECT(L, 1, 1);
  if (lua_touserdata(L, -1) != &nothing || !lua_islightuserdata(L, -1)) return;
  lua_pop(L, 1);
  lua_pushnil(L);
}

// [-0, +0] Returns whether the value at 2 is that name.
static int is_name(lua_State *L, const char *name) {
  LULL_EFFECT(L, 0, 0);
  return lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), name) == 0;
}

// [-0, +0] Gives the calling chunk the globals themselves as its environment, as a script of the
// command.
static void leave_environment(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_Debug frame;
  // A C function that looks up the name has other upvalues.
  if (!lua_getstack(L, 1, &frame) || !lua_getinfo(L, "Sf", &frame)) return;
  if (strcmp(frame.what, "main") == 0) {
    lua_pushvalue(L, lua_upvalueindex(3));
    // _ENV is the first upvalue of every chunk. (Lua 5.4 manual, lua_load)
    lua_setupvalue(L, -2, 1);
  }
  lua_pop(L, 1);
}

// [-n, +1] __index of the environment; upvalues: session, values, globals, functions, guard
static int environment_index(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) {
    unwrap_nil(L);
    return 1;
  }
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(3)) != LUA_TNIL) return 1;
  int is_script = is_name(L, LULL_SCRIPT_GUARD);
  if (is_script || is_name(L, LULL_GUARD)) {
    if (is_script) leave_environment(L);
    session *open = lua_touserdata(L, lua_upvalueindex(1));
    open->thread = open->runtime->current_thread;
    lua_pushvalue(L, lua_upvalueindex(5));
    return 1;
  }
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(4)) != LUA_TNIL) return 1;
  // Last, because a metatable of the globals may reject unknown names.
  lua_settop(L, 2);
  lua_gettable(L, lua_upvalueindex(3));
  return 1;
}

// [-1, +0] Records the value at the top as the one that the name at 2 gets back if the line fails.
static void note(lua_State *L, session *open, int is_global) {
  LULL_EFFECT(L, 1, 0);
  if (open->thread == 0 || open->runtime->current_thread != open->thread) {
    lua_pop(L, 1);
    return;
  }
  lua_getiuservalue(L, lua_upvalueindex(1), UV_JOURNAL);
  lua_pushvalue(L, 2);
  lua_rawseti(L, -2, ++open->journaled);
  lua_pushboolean(L, is_global);
  lua_rawseti(L, -2, ++open->journaled);
  lua_pushvalue(L, -2);
  wrap_nil(L);
  lua_rawseti(L, -2, ++open->journaled);
  lua_pop(L, 2);
}

// [-n, +0] __newindex of the environment; upvalues: session, values, globals
static int environment_newindex(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  session *open = lua_touserdata(L, lua_upvalueindex(1));
  lua_settop(L, 3);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) {
    note(L, open, 0);
    wrap_nil(L);
    lua_rawset(L, lua_upvalueindex(2));
    return 0;
  }
  lua_pop(L, 1);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(3));
  note(L, open, 1);
  lua_settable(L, lua_upvalueindex(3));
  return 0;
}

// [-n, +0] __close of the guard: guard, error. The chunk is about to return, so its locals are
// recorded.
static int guard_close(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  if (!lua_isnil(L, 2)) return 0;
  session *open = push_session(L);
  lua_Debug frame;
  if (open == NULL || !lua_getstack(L, 1, &frame)) return 0;
  int opened = lua_gettop(L);
  lua_getiuservalue(L, opened, UV_STAGED);
  int staged = lua_gettop(L);
  for (int n = 1;; n++) {
    const char *name = lua_getlocal(L, &frame, n);
    // The names of loop and temporary variables are in parentheses: a block begins there.
    if (name == NULL || name[0] == '(' || strcmp(name, LULL_BLOCK) == 0) break;
    if (strcmp(name, LULL_GUARD) == 0) {
      lua_pop(L, 1);
      continue;
    }
    wrap_nil(L);
    lua_pushstring(L, name);
    lua_rawseti(L, staged, ++open->staged);
    lua_rawseti(L, staged, ++open->staged);
  }
  return 0;
}

// [-0, +0] Sets a closure in the table at the top with five upvalues, from `first` on: session,
// values, globals, functions, guard.
static void set_lookup(lua_State *L, const char *field, lua_CFunction function, int first) {
  LULL_EFFECT(L, 0, 0);
  for (int i = 0; i < 5; i++) lua_pushvalue(L, first + i);
  lua_pushcclosure(L, function, 5);
  lua_setfield(L, -2, field);
}

// [-1, +0] The protected part of lull_session_open.
static int open_session(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  lull_runtime *runtime = lua_touserdata(L, 1);
  if (push_session(L)) return luaL_error(L, "a session is open already");
  session *open = lua_newuserdatauv(L, sizeof(session), UV_COUNT);
  *open = (session){.runtime = runtime};
  int first = lua_gettop(L);
  lua_newtable(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  lua_newtable(L);
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, guard_close);
  lua_setfield(L, -2, "__close");
  lua_setmetatable(L, -2);
  for (int i = 0; i < 3; i++) {
    lua_pushvalue(L, first + 1 + i);
    lua_setiuservalue(L, first, UV_VALUES + i);
  }
  lua_pushvalue(L, first + 4);
  lua_setiuservalue(L, first, UV_GUARD);
  lua_newtable(L);
  lua_setiuservalue(L, first, UV_STAGED);
  lua_newtable(L);
  lua_setiuservalue(L, first, UV_JOURNAL);
  lua_newtable(L);
  lua_createtable(L, 0, 3);
  set_lookup(L, "__index", environment_index, first);
  set_lookup(L, "__newindex", environment_newindex, first);
  lua_pushliteral(L, "session");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  lua_setiuservalue(L, first, UV_ENVIRONMENT);
  // The session's own names, used unless a variable or a global has the same name: those of the
  // module.
  if (luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE)
    && lua_getfield(L, -1, "lull") == LUA_TTABLE) {
    lua_pushvalue(L, -1);
    lua_setfield(L, first + 3, "lull");
    lua_getfield(L, -1, "help");
    lua_setfield(L, first + 3, "help");
  }
  lua_settop(L, first);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &session_key);
  return 0;
}

int32_t lull_session_open(lull_runtime *runtime) {
  int32_t status = lull_protect(runtime, open_session, runtime);
  if (status == LUA_OK) lull_alarms_open();
  return status;
}

// [-1, +0]
static int close_session(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &session_key);
  lull_keep_orders(L, 0);
  return 0;
}

// Functions defined in its lines keep their environment.
void lull_session_close(lull_runtime *runtime) {
  lull_alarms_close();
  lull_protect(runtime, close_session, runtime);
}

// [-1, +0] Adds `Out`, used unless a variable or a global has the same name.
static int number_results(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  if (push_session(L) == NULL) return 0;
  int opened = lua_gettop(L);
  lua_getiuservalue(L, opened, UV_FUNCTIONS);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, opened + 1, "Out");
  lua_setiuservalue(L, opened, UV_RESULTS);
  lull_keep_orders(L, 1);
  return 0;
}

int32_t lull_session_number_results(lull_runtime *runtime) {
  return lull_protect(runtime, number_results, runtime);
}

typedef struct reading {
  lull_runtime *runtime;
  const char *bytes;
  size_t length;
  int32_t blank_lines;
  const char *name;
  int64_t id;
  const char *message;
} reading;

// [-0, +0] A lua_Reader that returns empty lines first, so that line numbers of the chunk are
// right.
static const char *read_line(lua_State *L, void *data, size_t *size) {
  LULL_EFFECT(L, 0, 0);
  static const char newlines[] = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";
  reading *context = data;
  if (context->blank_lines > 0) {
    int32_t count = (int32_t)sizeof(newlines) - 1;
    if (count > context->blank_lines) count = context->blank_lines;
    context->blank_lines -= count;
    *size = (size_t)count;
    return newlines;
  }
  const char *bytes = context->bytes;
  *size = context->length;
  context->length = 0;
  return bytes;
}

// [-1, +0] Compiles and stores the function, or copies the message.
static int load_line(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  reading *context = lua_touserdata(L, 1);
  lull_runtime *runtime = context->runtime;
  if (lua_load(L, read_line, context, context->name, "t") != LUA_OK) {
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    char *copy = text ? lull_arena_allocate(runtime, length + 1) : NULL;
    if (copy) memcpy(copy, text, length + 1);
    context->message = copy ? copy : "cannot be compiled";
    return 0;
  }
  if (context->id == 0 || push_session(L) == NULL) return 0;
  lua_getiuservalue(L, -1, UV_ENVIRONMENT);
  // _ENV is the first upvalue of every chunk. (Lua 5.4 manual, lua_load)
  lua_setupvalue(L, -3, 1);
  lua_pop(L, 1);
  if (lull_value_keep(runtime, L, lua_gettop(L), context->id) != LUA_OK
    || lull_value_pin(runtime, context->id) != LUA_OK) {
    return luaL_error(L, "not enough memory");
  }
  return 0;
}

int32_t lull_session_load(
  lull_runtime *runtime, const char *bytes, size_t length, int32_t blank_lines, const char *name,
  int64_t id, const char **message) {
  reading context = {
    .runtime = runtime, .bytes = bytes, .length = length, .blank_lines = blank_lines, .name = name,
    .id = id};
  int status = lull_protect(runtime, load_line, &context);
  *message = status == LUA_OK ? context.message : "not enough memory";
  return *message != NULL;
}

typedef struct ending {
  lua_State *from;
  int32_t index;
  int32_t has_value;
  int64_t number;
} ending;

// [-0, +0] Assigns the next number to the value at the top, if it is not nil and values are
// numbered.
static lua_Integer number_result(lua_State *L, session *open, int opened) {
  LULL_EFFECT(L, 0, 0);
  if (lua_isnil(L, -1)) return 0;
  lua_Integer number = 0;
  if (lua_getiuservalue(L, opened, UV_RESULTS) == LUA_TTABLE) {
    number = ++open->results;
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, number);
    lua_pushnil(L);
    lua_rawseti(L, -2, number - LULL_KEPT_RESULTS);
  }
  lua_pop(L, 1);
  return number;
}

// [-1, +0] Publishes the locals, and the value as `_`.
static int commit(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  ending *context = lua_touserdata(L, 1);
  session *open = push_session(L);
  if (open == NULL) return 0;
  int opened = lua_gettop(L);
  lua_getiuservalue(L, opened, UV_VALUES);
  lua_getiuservalue(L, opened, UV_STAGED);
  int values = opened + 1, staged = opened + 2;
  for (lua_Integer i = 1; i < open->staged; i += 2) {
    lua_rawgeti(L, staged, i);
    lua_rawgeti(L, staged, i + 1);
    lua_rawset(L, values);
  }
  if (context->has_value && lua_checkstack(context->from, 2)) {
    lua_pushliteral(L, "_");
    lua_pushvalue(context->from, context->index);
    if (context->from != L) lua_xmove(context->from, L, 1);
    context->number = number_result(L, open, opened);
    wrap_nil(L);
    lua_rawset(L, values);
  }
  return 0;
}

// [-1, +0] Reverts the line's assignments, the last one first.
static int roll_back(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  session *open = push_session(L);
  if (open == NULL) return 0;
  int opened = lua_gettop(L);
  lua_getiuservalue(L, opened, UV_VALUES);
  lua_getiuservalue(L, opened, UV_GLOBALS);
  lua_getiuservalue(L, opened, UV_JOURNAL);
  int values = opened + 1, globals = opened + 2, journal = opened + 3;
  for (lua_Integer i = open->journaled; i >= 3; i -= 3) {
    lua_rawgeti(L, journal, i - 1);
    int is_global = lua_toboolean(L, -1);
    lua_pop(L, 1);
    lua_rawgeti(L, journal, i - 2);
    lua_rawgeti(L, journal, i);
    if (is_global) unwrap_nil(L);
    lua_rawset(L, is_global ? globals : values);
  }
  return 0;
}

// [-1, +0] Forgets the line.
static int end_line(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  session *open = push_session(L);
  if (open == NULL) return 0;
  open->thread = 0;
  open->staged = open->journaled = 0;
  lua_newtable(L);
  lua_setiuservalue(L, -2, UV_STAGED);
  lua_newtable(L);
  lua_setiuservalue(L, -2, UV_JOURNAL);
  return 0;
}

// [-0, +0]
int64_t lull_session_commit(
  lull_runtime *runtime, lua_State *from, int32_t index, int32_t has_value) {
  LULL_EFFECT(from, 0, 0);
  ending context = {.from = from, .index = index, .has_value = has_value};
  lull_protect(runtime, commit, &context);
  lull_protect(runtime, end_line, runtime);
  return context.number;
}

void lull_session_roll_back(lull_runtime *runtime) {
  lull_protect(runtime, roll_back, runtime);
  lull_protect(runtime, end_line, runtime);
}

// [-1, +0] Stores the outcome of a request: `_` is its data, and `Out` has both.
static int settle(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  const int64_t *number = lua_touserdata(L, 1);
  if (push_session(L) == NULL) return 0;
  int opened = lua_gettop(L), results = opened + 1, request = opened + 2, outcome = opened + 3;
  if (lua_getiuservalue(L, opened, UV_RESULTS) != LUA_TTABLE) return 0;
  if (lua_rawgeti(L, results, *number) == LUA_TNIL) return 0;
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, request);
  lua_setfield(L, outcome, "request");
  if (lua_getfield(L, request, "response") == LUA_TNIL) return 0;
  if (lua_getfield(L, -1, "entity") == LUA_TNIL) {
    lua_getfield(L, -2, "error");
    lua_setfield(L, outcome, "error");
  } else {
    lua_getfield(L, -1, "content");
    lua_replace(L, -2);
    lua_pushvalue(L, -1);
    lua_setfield(L, outcome, "data");
  }
  lua_getiuservalue(L, opened, UV_VALUES);
  lua_pushliteral(L, "_");
  lua_pushvalue(L, -3);
  wrap_nil(L);
  lua_rawset(L, -3);
  lua_pushvalue(L, outcome);
  lua_rawseti(L, results, *number);
  return 0;
}

void lull_session_settle(lull_runtime *runtime, int64_t number) {
  lull_protect(runtime, settle, &number);
}

typedef struct walking {
  const char *const *names;
  int32_t count;
  int32_t used;
} walking;

// [-1, +1 or +0] Pushes the table in which missing fields of the value at the top are looked up; 0
// if there is none.
static int push_index_table(lua_State *L) {
  LULL_EFFECT_EITHER(L, 1, 1, 0);
  if (!lua_getmetatable(L, -1)) {
    lua_pop(L, 1);
    return 0;
  }
  lua_pushliteral(L, "__index");
  int type = lua_rawget(L, -2);
  lua_replace(L, -3);
  lua_pop(L, 1);
  if (type == LUA_TTABLE) return 1;
  lua_pop(L, 1);
  return 0;
}

// [-0, +1] Pushes the key for a step of a path: `[1` for an element, any other name for a field.
static void push_step(lua_State *L, const char *name) {
  LULL_EFFECT(L, 0, 1);
  if (name[0] == '[') {
    lua_pushinteger(L, (lua_Integer)strtoll(name + 1, NULL, 10));
  } else {
    lua_pushstring(L, name);
  }
}

// [-1, +1] Pushes the field of the value at the top, or nil if there is none or reading it would
// call script code.
static void raw_field(lua_State *L, const char *name) {
  LULL_EFFECT(L, 1, 1);
  const struct csj_document *document;
  size_t place;
  if (lull_view_at(L, -1, &document, &place)) {
    push_step(L, name);
    lua_gettable(L, -2);
    lua_replace(L, -2);
    return;
  }
  // More levels than class hierarchies have; the limit also ends cycles.
  for (int level = 0; level < 50; level++) {
    if (lua_istable(L, -1)) {
      push_step(L, name);
      if (lua_rawget(L, -2) != LUA_TNIL) {
        lua_replace(L, -2);
        return;
      }
      lua_pop(L, 1);
    }
    if (!push_index_table(L)) break;
    if (level == 49) lua_pop(L, 1);
  }
  lua_pushnil(L);
}

// [-1, +1 or +0] Pushes a variable as a line would see it, and then its fields.
static int walk(lua_State *L) {
  LULL_CALLED_EITHER(L, 1, 1, 0);
  walking *context = lua_touserdata(L, 1);
  session *open = push_session(L);
  if (open == NULL || context->count == 0) return 0;
  int opened = lua_gettop(L);
  for (int part = UV_VALUES; part <= UV_FUNCTIONS; part++) {
    lua_getiuservalue(L, opened, part);
    lua_pushstring(L, context->names[0]);
    if (lua_rawget(L, -2) != LUA_TNIL) break;
    if (part < UV_FUNCTIONS) lua_pop(L, 2);
  }
  unwrap_nil(L);
  for (context->used = 1; context->used < context->count; context->used++) {
    // The fields of a Lull object are known from its kind.
    if (lull_userdata_kind(L, -1) > 0 || lua_isnil(L, -1)) break;
    raw_field(L, context->names[context->used]);
  }
  return 1;
}

// [-0, +1 or +0]
int32_t lull_session_walk(
  lull_runtime *runtime, const char *const *names, int32_t count, lull_value *value) {
  lua_State *L = runtime->L;
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  walking context = {.names = names, .count = count};
  *value = (lull_value){.kind = LULL_NIL};
  if (!lua_checkstack(L, 16)) return -1;
  lua_pushcfunction(L, walk);
  lua_pushlightuserdata(L, &context);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) context.used = 0;
  lull_read(L, -1, value);
  return context.used;
}

// [-2, +1] value, name as a light userdata: reads a property of a Lull object, or a field of
// another value without calling anything
static int step(lua_State *L) {
  LULL_CALLED(L, 2, 1);
  const char *name = lua_touserdata(L, 2);
  lua_settop(L, 1);
  if (lull_userdata_kind(L, 1) > 0) {
    lua_getfield(L, 1, name);
  } else {
    raw_field(L, name);
  }
  return 1;
}

// [-0, +1 or +0]
int32_t lull_session_step(lull_runtime *runtime, const char *name, lull_value *value) {
  lua_State *L = runtime->L;
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  *value = (lull_value){.kind = LULL_NIL};
  if (!lua_checkstack(L, 16)) return 0;
  lua_pushcfunction(L, step);
  lua_pushvalue(L, -2);
  lua_pushlightuserdata(L, (void *)name);
  const char *previous = runtime->answer_now;
  runtime->answer_now = "completion";
  if (lua_pcall(L, 2, 1, 0) != LUA_OK) {
    lua_pop(L, 1);
    lua_pushnil(L);
  }
  runtime->answer_now = previous;
  lull_read(L, -1, value);
  return 1;
}

// The maximum number of keys offered for completion.
enum { LULL_MOST_NAMES = 5000 };

// [-1, +1] Replaces a document with a table with its keys.
static int document_names(lua_State *L) {
  LULL_CALLED(L, 1, 1);
  const struct csj_document *document;
  size_t place;
  lua_newtable(L);
  if (!lull_view_at(L, 1, &document, &place)) return 1;
  csj_view view = csj_document_view(document);
  if (csj_type_at(view, place) != CSJ_OBJECT) return 1;
  size_t end = csj_end(view, place), at = csj_first(view, place);
  for (int count = 0; at < end && count < LULL_MOST_NAMES; count++) {
    size_t length;
    const char *key = csj_string_at(view, at, &length);
    lua_pushlstring(L, key, length);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
    at = csj_after(view, csj_after(view, at));
  }
  return 1;
}

// [-1, +1]
int32_t lull_session_open_document(lull_runtime *runtime) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 1, 1);
  const struct csj_document *document;
  size_t place;
  if (!lull_view_at(L, -1, &document, &place) || !lua_checkstack(L, 8)) return 0;
  lua_pushcfunction(L, document_names);
  lua_insert(L, -2);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) return 1;
  lua_pop(L, 1);
  lua_pushnil(L);
  return 0;
}

// [-1, +1]
int32_t lull_session_next_table(lull_runtime *runtime) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 1, 1);
  if (push_index_table(L)) return 1;
  lua_pushnil(L);
  return 0;
}

// [-1, +1 or +0] Pushes the table of variables selected by the context's `used`.
static int push_variables(lua_State *L) {
  LULL_CALLED_EITHER(L, 1, 1, 0);
  walking *context = lua_touserdata(L, 1);
  if (push_session(L) == NULL) return 0;
  lua_getiuservalue(L, -1, UV_VALUES + context->used);
  return 1;
}

// [-0, +1 or +0]
int32_t lull_session_variables(lull_runtime *runtime, int32_t part) {
  lua_State *L = runtime->L;
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  walking context = {.used = part};
  if (part > UV_FUNCTIONS - UV_VALUES || !lua_checkstack(L, 8)) return 0;
  lua_pushcfunction(L, push_variables);
  lua_pushlightuserdata(L, &context);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_istable(L, -1)) return 1;
  lua_pop(L, 1);
  return 0;
}

lua_State *lull_session_state(lull_runtime *runtime) { return runtime->L; }

// [-1, +0] argument: the name
static int forget_module(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  const char *name = lua_touserdata(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushnil(L);
  lua_setfield(L, -2, name);
  return 0;
}

void lull_session_forget_module(lull_runtime *runtime, const char *name) {
  lull_protect(runtime, forget_module, (void *)name);
}
