// Lua → Swift: every method, property and function of the API comes through here.
//
// The order is always the same: check self and arguments (may raise: no Swift frame is above), call
// Swift, and only after it has returned push results, raise or yield.
#define _POSIX_C_SOURCE 200809L
#include "lull_internal.h"

#include <string.h>
#include <time.h>

// The name as messages show it; `os.exit` says what the stock function says, a service that is called
// what it does.
static const char *shown_name(const lull_method *method) {
  if (strcmp(method->name, "os.exit") == 0) return "exit";
  if (strcmp(method->name, "__call") != 0) return method->name;
  switch (method->kind) {
    case LULL_KIND_SERVICE: return "resource";
    case LULL_KIND_API_CALL: return "call";
    default: return "next";
  }
}

// [-0, +1] raises: "bad argument #n to 'name' (text)", at the caller's line
static int argument_error(lua_State *L, const lull_method *method, int position, const char *text) {
  return luaL_error(L, "bad argument #%d to '%s' (%s)", position, shown_name(method), text);
}

// [-0, +1 at most] what a value is called in messages: our kind, else the Lua type
static const char *described_type(lua_State *L, int index) {
  if (lua_isnone(L, index)) return "no value";
  if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) return lua_tostring(L, -1);
  return luaL_typename(L, index);
}

static const char *const kind_names[LULL_KIND_COUNT] = {
  "lull",          "Service", "Resource", "Request", "Observation", "Entity",
  "Response",      "RequestError", "Task", "Configuration", "HTTPRequest", "Headers",
  "Regex",         "Log", "Completion", "Stub", "Pipeline", "PipelineStage",
  "Cache",         "Iterator", "Handler", "Watch", "Pages",
  "Secret",        "Auth", "API", "APICalls", "APICall"};

static const char *article(const char *name) { return strchr("AEIOU", name[0]) ? "an" : "a"; }

static const char *expectation(char letter) {
  switch (letter | 0x20) {
    case 's': return "string";
    case 'n': return "number";
    case 'i': return "integer";
    case 'b': return "boolean";
    case 'f': return "function";
    case 't': return "table";
    case 'o': return "function or table";
    default: return "value";
  }
}

// [-0, +0] whether the argument at `index` fits the letter; numbers become strings where one is due.
static int fits(lua_State *L, int index, char letter) {
  int type = lua_type(L, index);
  switch (letter | 0x20) {
    case 's':
      if (type == LUA_TNUMBER) lua_tostring(L, index);
      return type == LUA_TSTRING || type == LUA_TNUMBER;
    case 'n': return type == LUA_TNUMBER;
    case 'i': return type == LUA_TNUMBER && lua_isinteger(L, index);
    case 'b': return type == LUA_TBOOLEAN;
    case 'f': return type == LUA_TFUNCTION;
    case 't': return type == LUA_TTABLE;
    case 'o': return type == LUA_TFUNCTION || type == LUA_TTABLE;
    default: return type != LUA_TNONE;
  }
}

// [-0, +0] raises unless the arguments from `first` fit the method's letters.
static void check_arguments(lua_State *L, const lull_method *method, int first, int top) {
  int position = 1;
  for (const char *letter = method->arguments; *letter; letter++, position++) {
    if (*letter == '*') return;
    int index = first + position - 1;
    int optional = *letter >= 'A' && *letter <= 'Z';
    if (optional && lua_isnoneornil(L, index)) continue;
    if (fits(L, index, *letter)) continue;
    const char *got = described_type(L, index);
    argument_error(
      L, method, position,
      lua_pushfstring(L, "%s expected, got %s", expectation(*letter), got));
  }
  int given = top - first + 1;
  if (given >= position) {
    luaL_error(
      L, "too many arguments to '%s' (%d expected, got %d)", shown_name(method), position - 1,
      given);
  }
}

// [-0, +0] whether the value at 1 is an object of the method's kind
static int is_of_kind(lull_runtime *runtime, lua_State *L, const lull_method *method) {
  if (lua_type(L, 1) != LUA_TUSERDATA || !lua_getmetatable(L, 1)) return 0;
  int same = lua_topointer(L, -1) == runtime->metatable_of[method->kind];
  lua_pop(L, 1);
  return same;
}

// [-0, +0] the value at 1; raises unless it is an open object of the method's kind
static lull_object *check_self(lull_runtime *runtime, lua_State *L, const lull_method *method) {
  if (!is_of_kind(runtime, L, method)) {
    const char *got = described_type(L, 1);
    const char *name = kind_names[method->kind];
    if (method->role == LULL_ROLE_METHOD) {
      luaL_error(
        L, "'%s' needs %s %s as self, got %s (write object:%s(…) with a colon)", method->name,
        article(name), name, got, method->name);
    }
    luaL_error(L, "'%s' belongs to %s %s, got %s", method->name, article(name), name, got);
  }
  lull_object *object = lua_touserdata(L, 1);
  if (object->handle == 0) {
    luaL_error(L, "this %s is closed ('%s')", kind_names[method->kind], method->name);
  }
  return object;
}

// [-n, +m] the continuation of a wait: the resumption's values are its results. A script may resume a
// waiting coroutine of ours itself: that brings it nothing, and it waits on.
static int continue_wait(lua_State *L, int status, lua_KContext context) {
  (void)status;
  lull_runtime *runtime = (lull_runtime *)context;
  const lull_resumption *resumption = runtime->resumption;
  if (resumption == NULL || resumption->thread != L) {
    lua_settop(L, 0);
    return lua_yieldk(L, 0, context, continue_wait);
  }
  runtime->resumption = NULL;
  int count = lull_push_all(runtime, L, NULL, resumption->values, resumption->count);
  if (resumption->raise) {
    lua_settop(L, lua_gettop(L) - count + 1);
    return lua_error(L);
  }
  return count;
}

// [-n, +0] ends the process as the script itself would; raises if that is not to be had
static int exit_by_lua(lua_State *L, lua_Integer code) {
  luaL_checkstack(L, 4, "no room for os.exit");
  if (lua_getglobal(L, "os") == LUA_TTABLE && lua_getfield(L, -1, "exit") == LUA_TFUNCTION) {
    lua_pushinteger(L, code);
    lua_call(L, 1, 0);
  }
  return luaL_error(L, "cannot exit: os.exit is not there, or has returned");
}

// How far the coarse clock, which costs a tenth of the exact one, may lag behind it, in seconds: more
// than one tick of any kernel.
static const double coarse_lag = 0.05;

// [-0, +0]
void lull_watch_changes(lull_runtime *runtime, const uint64_t *changes) {
  runtime->changes = changes;
}

// [-0, +0]
static void remember_answer(
  const lull_runtime *runtime, int index, lull_object *self, double until) {
  self->answer_method = index;
  self->answer_until = until - coarse_lag;
  self->answer_changes = *runtime->changes;
}

// [-0, +0] whether the method is known to answer nil still. Nothing else would have happened in Swift.
static int answers_alike(const lull_runtime *runtime, int index, const lull_object *self) {
  if (self->answer_changes != *runtime->changes || self->answer_method != index) return 0;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9 < self->answer_until;
}

// [-0, +0] whether Swift may have copies of the strings it is given
static int admits_strings(lull_runtime *runtime, lua_State *L, int count) {
  size_t size = 0;
  for (int index = 1; index <= count; index++) {
    if (lua_type(L, index) == LUA_TSTRING) size += lua_rawlen(L, index);
  }
  return lull_memory_admits(runtime, size);
}

// [-0, +n] calls Swift and does what it answers; `self` is the object at 1, NULL if there is none.
// `levels`: how many of Lua's C calls led here that a callback's own depth does not count.
static int dispatch(
  lull_runtime *runtime, lua_State *L, int index, lull_object *self, int count, int levels) {
  lull_frame frame;
  frame.L = L;
  frame.argument_count = count;
  frame.result_count = 0;
  frame.error_argument = 0;
  frame.outcome = LULL_RETURN;
  frame.answer_until = 0;
  int decoded = count < LULL_MAX_ARGUMENTS ? count : LULL_MAX_ARGUMENTS;
  int read = 0;
  if (self) {
    frame.arguments[read++] =
      (lull_value){.kind = LULL_OBJECT, .aux = self->kind, .handle = self->handle};
  }
  for (; read < decoded; read++) lull_read(L, read + 1, &frame.arguments[read]);

  lua_State *previous = runtime->L;
  runtime->L = L;
  if (runtime->swept_count > 0) lull_host_sweep(runtime->host);
  if (runtime->has_memory_limit) {
    lull_memory_check(runtime);
    if (!admits_strings(runtime, L, count)) {
      runtime->L = previous;
      return luaL_error(L, "not enough memory");
    }
  }
  size_t mark = lull_arena_mark(runtime);
  runtime->depth += levels;
  int outcome = lull_host_call(runtime->host, index, &frame);
  lull_memory_settle(runtime);
  runtime->depth -= levels;
  runtime->L = previous;

  // Swift has returned: from here on Lua may raise.
  switch (outcome) {
    case LULL_RETURN: {
      if (frame.answer_until > 0 && self) remember_answer(runtime, index, self, frame.answer_until);
      if (frame.result_count == 1 && lull_push_simple(runtime, L, &frame.results[0])) {
        lull_arena_release(runtime, mark);
        return 1;
      }
      int pushed = lull_push_all(runtime, L, L, frame.results, frame.result_count);
      lull_arena_release(runtime, mark);
      return pushed;
    }
    case LULL_WAIT:
      lull_arena_release(runtime, mark);
      runtime->wait_armed = 1;
      return lua_yieldk(L, 0, (lua_KContext)runtime, continue_wait);
    case LULL_EXIT:
      lull_arena_release(runtime, mark);
      return exit_by_lua(L, (lua_Integer)frame.results[0].integer);
    case LULL_RAISE_ARGUMENT: {
      lull_push(runtime, L, L, &frame.results[0]);
      lull_arena_release(runtime, mark);
      return argument_error(
        L, &runtime->methods[index], frame.error_argument, lua_tostring(L, -1));
    }
    case LULL_RAISE:
      luaL_where(L, 1);
      lull_push(runtime, L, L, &frame.results[0]);
      lull_arena_release(runtime, mark);
      lua_concat(L, 2);
      return lua_error(L);
    default:
      lull_push_all(runtime, L, L, frame.results, 1);
      lull_arena_release(runtime, mark);
      return lua_error(L);
  }
}

// [-0, +0] raises once Lull is closed
static void check_open(lull_runtime *runtime, lua_State *L, const char *name) {
  if (runtime->host == NULL) luaL_error(L, "lull is closed ('%s')", name);
}

// [-n, +m] upvalues: runtime, method index
int lull_trampoline(lua_State *L) {
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  int index = (int)lua_tointeger(L, lua_upvalueindex(2));
  const lull_method *method = &runtime->methods[index];
  check_open(runtime, L, method->name);
  int top = lua_gettop(L);
  if (method->kind == LULL_KIND_MODULE) {
    check_arguments(L, method, 1, top);
    return dispatch(runtime, L, index, NULL, lua_gettop(L), 0);
  }
  lull_object *self = check_self(runtime, L, method);
  check_arguments(L, method, 2, top);
  if (answers_alike(runtime, index, self)) {
    lua_pushnil(L);
    return 1;
  }
  return dispatch(runtime, L, index, self, lua_gettop(L), 0);
}

// [-n, +1] __tostring, which closed objects have too; upvalues: runtime, method index
static int object_tostring(lua_State *L) {
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  const lull_method *method = &runtime->methods[lua_tointeger(L, lua_upvalueindex(2))];
  check_open(runtime, L, method->name);
  if (is_of_kind(runtime, L, method)
    && ((const lull_object *)lua_touserdata(L, 1))->handle == 0) {
    lua_pushfstring(L, "%s(closed)", kind_names[method->kind]);
    return 1;
  }
  return lull_trampoline(L);
}

// [-n, +m] upvalues: runtime, method index, the object
int lull_bound_trampoline(lua_State *L) {
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  int index = (int)lua_tointeger(L, lua_upvalueindex(2));
  const lull_method *method = &runtime->methods[index];
  check_open(runtime, L, method->name);
  check_arguments(L, method, 1, lua_gettop(L));
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_insert(L, 1);
  lull_object *self = check_self(runtime, L, method);
  return dispatch(runtime, L, index, self, lua_gettop(L), 0);
}

// [-2, +1] __concat, with the object on either side; upvalues: runtime, method index
static int object_concat(lua_State *L) {
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  int index = (int)lua_tointeger(L, lua_upvalueindex(2));
  const lull_method *method = &runtime->methods[index];
  check_open(runtime, L, "concat");
  lua_settop(L, 2);
  int is_right = !is_of_kind(runtime, L, method);
  if (is_right) lua_insert(L, 1);
  lull_object *self = check_self(runtime, L, method);
  // As for strings: numbers become text.
  if (!fits(L, 2, 's') && !lua_isuserdata(L, 2)) {
    return luaL_error(L, "attempt to concatenate a %s value", luaL_typename(L, 2));
  }
  lua_pushboolean(L, is_right);
  return dispatch(runtime, L, index, self, 3, 1);
}

// [-0, +0] raises: no such field, and what may have been meant
static int unknown_field(lull_runtime *runtime, lua_State *L, int kind) {
  const char *name = kind_names[kind];
  if (lua_type(L, 2) != LUA_TSTRING) {
    return luaL_error(
      L, "%s %s has no field of type %s", article(name), name, luaL_typename(L, 2));
  }
  const char *key = lua_tostring(L, 2);
  const char *near = lull_host_suggest(runtime->host, kind, key);
  if (near) {
    return luaL_error(
      L, "%s %s has no field '%s' (did you mean '%s'?)", article(name), name, key, near);
  }
  return luaL_error(L, "%s %s has no field '%s'", article(name), name, key);
}

// [-2, +1] __index; upvalues: runtime, fields, kind, index of the kind's own lookup or -1
static int object_index(lua_State *L) {
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  switch (lua_rawget(L, lua_upvalueindex(2))) {
    case LUA_TFUNCTION: return 1;
    case LUA_TNUMBER: {
      lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
      int index = (int)lua_tointeger(L, -1);
      check_open(runtime, L, runtime->methods[index].name);
      lull_object *self = check_self(runtime, L, &runtime->methods[index]);
      lua_settop(L, 1);
      return dispatch(runtime, L, index, self, 1, 1);
    }
    default: {
      lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
      int fallback = (int)lua_tointeger(L, lua_upvalueindex(4));
      check_open(runtime, L, "index");
      lua_settop(L, 2);
      if (fallback < 0) return unknown_field(runtime, L, (int)lua_tointeger(L, lua_upvalueindex(3)));
      lull_object *self = check_self(runtime, L, &runtime->methods[fallback]);
      return dispatch(runtime, L, fallback, self, 2, 1);
    }
  }
}

// [-3, +0] __newindex; upvalues: runtime, setters, kind, index of the kind's own assignment or -1,
// fields
static int object_newindex(lua_State *L) {
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  check_open(runtime, L, "assignment");
  lua_settop(L, 3);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNUMBER) {
    int index = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    lull_object *self = check_self(runtime, L, &runtime->methods[index]);
    lua_remove(L, 2);
    return dispatch(runtime, L, index, self, 2, 1);
  }
  lua_pop(L, 1);
  int fallback = (int)lua_tointeger(L, lua_upvalueindex(4));
  if (fallback >= 0) {
    lull_object *self = check_self(runtime, L, &runtime->methods[fallback]);
    return dispatch(runtime, L, fallback, self, 3, 1);
  }
  int kind = (int)lua_tointeger(L, lua_upvalueindex(3));
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(5)) != LUA_TNIL) {
    const char *name = kind_names[kind];
    return luaL_error(
      L, "'%s' of %s %s is read-only", lua_tostring(L, 2), article(name), name);
  }
  return unknown_field(runtime, L, kind);
}

// [-1, +0] __gc: queues the handle; calls nothing across, tolerates repeats
static int object_gc(lua_State *L) {
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  if (lull_userdata_kind(L, 1) == 0) return 0;
  lull_object *object = lua_touserdata(L, 1);
  if (object->handle != 0) {
    if (runtime->host != NULL) lull_sweep_later(runtime, object->handle);
    object->handle = 0;
  }
  return 0;
}

// [-0, +0] sets the closure of method `index` in the table at the top
static void set_closure(lull_runtime *runtime, lua_State *L, const char *field, int index) {
  (void)runtime;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lua_pushinteger(L, index);
  lua_CFunction function = strcmp(field, "__tostring") == 0 ? object_tostring
    : strcmp(field, "__concat") == 0                       ? object_concat
                                                           : lull_trampoline;
  lua_pushcclosure(L, function, 2);
  lua_setfield(L, -2, field);
}

// [-0, +0] makes the metatable of every kind from the method table
void lull_make_metatables(lull_runtime *runtime, lua_State *L) {
  int methods[LULL_KIND_COUNT] = {0};
  int setters_of[LULL_KIND_COUNT] = {0};
  for (int i = 0; i < runtime->method_count; i++) {
    const lull_method *method = &runtime->methods[i];
    (method->role == LULL_ROLE_SETTER ? setters_of : methods)[method->kind]++;
  }
  lull_registry_push(L, runtime->metatables);
  for (int kind = 1; kind < LULL_KIND_COUNT; kind++) {
    lua_createtable(L, 0, 8);
    int metatable = lua_gettop(L);
    runtime->metatable_of[kind] = lua_topointer(L, metatable);
    lua_pushinteger(L, kind);
    lua_rawsetp(L, metatable, &lull_kind_key);
    lua_pushstring(L, kind_names[kind]);
    lua_setfield(L, metatable, "__name");
    // Not for scripts to change.
    lua_pushboolean(L, 0);
    lua_setfield(L, metatable, "__metatable");
    lua_createtable(L, 0, methods[kind]);
    int fields = lua_gettop(L);
    lua_createtable(L, 0, setters_of[kind]);
    int setters = lua_gettop(L);
    int own_index = -1, own_newindex = -1;
    for (int i = 0; i < runtime->method_count; i++) {
      const lull_method *method = &runtime->methods[i];
      if (method->kind != kind) continue;
      if (method->role == LULL_ROLE_GETTER) {
        lua_pushinteger(L, i);
        lua_setfield(L, fields, method->name);
      } else if (method->role == LULL_ROLE_SETTER) {
        lua_pushinteger(L, i);
        lua_setfield(L, setters, method->name);
      } else if (strcmp(method->name, "__index") == 0) {
        own_index = i;
      } else if (strcmp(method->name, "__newindex") == 0) {
        own_newindex = i;
      } else {
        lua_pushvalue(L, strncmp(method->name, "__", 2) == 0 ? metatable : fields);
        set_closure(runtime, L, method->name, i);
        lua_pop(L, 1);
      }
    }
    lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
    lua_pushvalue(L, fields);
    lua_pushinteger(L, kind);
    lua_pushinteger(L, own_index);
    lua_pushcclosure(L, object_index, 4);
    lua_setfield(L, metatable, "__index");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
    lua_pushvalue(L, setters);
    lua_pushinteger(L, kind);
    lua_pushinteger(L, own_newindex);
    lua_pushvalue(L, fields);
    lua_pushcclosure(L, object_newindex, 5);
    lua_setfield(L, metatable, "__newindex");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
    lua_pushcclosure(L, object_gc, 1);
    lua_setfield(L, metatable, "__gc");
    lua_settop(L, metatable);
    lua_rawseti(L, -2, kind);
  }
  lua_pop(L, 1);
}

// [-0, +1] the module table, from the method table; a dot in a name makes a sub-table
void lull_make_module(lull_runtime *runtime, lua_State *L) {
  lua_newtable(L);
  for (int i = 0; i < runtime->method_count; i++) {
    const lull_method *method = &runtime->methods[i];
    if (method->kind != LULL_KIND_MODULE || method->role != LULL_ROLE_METHOD) continue;
    // Not part of the module: lull_replace_exit puts it elsewhere.
    if (strcmp(method->name, "os.exit") == 0) continue;
    const char *dot = strchr(method->name, '.');
    if (dot) {
      lua_pushlstring(L, method->name, (size_t)(dot - method->name));
      lua_pushvalue(L, -1);
      if (lua_rawget(L, -3) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -5);
      }
      set_closure(runtime, L, dot + 1, i);
      lua_pop(L, 2);
    } else {
      set_closure(runtime, L, method->name, i);
    }
  }
  lull_registry_push(L, runtime->null);
  lua_setfield(L, -2, "null");
  lull_value log = {
    .kind = LULL_OBJECT, .aux = LULL_KIND_LOG, .handle = lull_host_log(runtime->host)};
  lull_push(runtime, L, NULL, &log);
  lua_setfield(L, -2, "log");
  lua_pushstring(L, lull_host_version());
  lua_setfield(L, -2, "version");
  lull_open_json(L, runtime);
  lua_pushcfunction(L, lull_inspect);
  lua_setfield(L, -2, "inspect");
  lua_pushcfunction(L, lull_copy);
  lua_setfield(L, -2, "copy");
}
