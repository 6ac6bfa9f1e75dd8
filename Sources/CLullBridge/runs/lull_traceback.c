// The call stack when an error was raised, level by level as data, so that a report can omit
// frames that are not the script's and find the line with the error.
#define _GNU_SOURCE
#include "runs/lull_traceback.h"

#include <dlfcn.h>
#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "calls/lull_dispatch.h"
#include "calls/lull_list.h"
#include "ending/lull_interrupt.h"
#include "runs/lull_pool.h"
#include "values/lull_inspect.h"
#include "values/lull_stored.h"
#include "values/lull_protect.h"

// As in the stock interpreter's tracebacks, the middle of a deep stack is omitted. The total over
// several stacks is limited too.
enum { LULL_FIRST_LEVELS = 10, LULL_LAST_LEVELS = 11, LULL_MAX_FRAMES = 72 };
// A loaded string larger than this is not copied for the report.
enum { LULL_MAX_SOURCE = 256 * 1024 };

// The chunk name of `lull.test` in the command.
#define LULL_TEST_CHUNK "=lull.test"
// The chunk name of the code that calls the functions of an API file for `lull mock`.
#define LULL_MOCK_CHUNK "=lull.mock"

typedef struct tracing {
  lull_runtime *runtime;
  lua_State *L;  // the state in which names are looked up
  lull_trace_frame *frames;
  int32_t count;
  const char *sources[LULL_MAX_FRAMES];  // Lua's pointers, to recognize repeated sources
} tracing;

// Returns a NUL-terminated copy in the arena; "" without memory.
static const char *copy(lull_runtime *runtime, const char *text, size_t length) {
  char *result = lull_arena_allocate(runtime, length + 1);
  if (result == NULL) return "";
  memcpy(result, text, length);
  result[length] = 0;
  return result;
}

// Returns the start in memory of the library or program with the function; NULL if unknown.
static const void *home_of(lua_CFunction function) {
  Dl_info info;
  void *address;
  // Not an object pointer, but dladdr takes it as one.
  memcpy(&address, &function, sizeof(address));
  return dladdr(address, &info) ? info.dli_fbase : NULL;
}

// [-0, +0] Returns whether the C function at the top belongs to the same library or program as
// this one.
static int is_host_function(tracing *trace) {
  lua_State *L = trace->L;
  LULL_EFFECT(L, 0, 0);
  lua_CFunction function = lua_tocfunction(L, -1);
  if (function == NULL) return 0;
  lull_runtime *runtime = trace->runtime;
  if (runtime->own_home == NULL) runtime->own_home = home_of(lull_trampoline);
  const void *home = home_of(function);
  return home != NULL && home == runtime->own_home;
}

// [-0, +1 or +0] Pushes the field name of the function at `function` in the table at the top, if
// found.
static int push_field_name(lua_State *L, int function) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  int table = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    if (lua_type(L, -2) == LUA_TSTRING && lua_rawequal(L, -1, function)) {
      lua_pop(L, 1);
      return 1;
    }
    lua_pop(L, 1);
  }
  return 0;
}

// [-0, +1 or +0] Pushes the name of the function at the top, if found: "f" for a global,
// "module.f" for a field of a loaded module.
static int push_loaded_name(lua_State *L) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  int function = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  int loaded = function + 1;
  if (lua_getfield(L, loaded, LUA_GNAME) == LUA_TTABLE && push_field_name(L, function)) {
    lua_replace(L, loaded);
    lua_settop(L, loaded);
    return 1;
  }
  lua_settop(L, loaded);
  lua_pushnil(L);
  while (lua_next(L, loaded)) {
    if (lua_type(L, -2) == LUA_TSTRING && lua_istable(L, -1) && push_field_name(L, function)) {
      lua_pushfstring(L, "%s.%s", lua_tostring(L, loaded + 1), lua_tostring(L, -1));
      lua_replace(L, loaded);
      lua_settop(L, loaded);
      return 1;
    }
    lua_pop(L, 1);
  }
  lua_settop(L, function);
  return 0;
}

// [-0, +1] Pushes the name of the function at the top in tracebacks.
static void push_title(lua_State *L, const lua_Debug *info) {
  LULL_EFFECT(L, 0, 1);
  if (push_loaded_name(L)) {
    lua_pushfstring(L, "function '%s'", lua_tostring(L, -1));
    lua_remove(L, -2);
  } else if (*info->namewhat != '\0') {
    lua_pushfstring(L, "%s '%s'", info->namewhat, info->name);
  } else if (*info->what == 'm') {
    lua_pushliteral(L, "main chunk");
  } else if (*info->what != 'C') {
    lua_pushfstring(L, "function <%s:%d>", info->short_src, info->linedefined);
  } else {
    lua_pushliteral(L, "?");
  }
}

// Sets the chunk's name or, for a string, its text, which is copied once.
static void set_source(tracing *trace, lull_trace_frame *frame, const lua_Debug *info) {
  frame->short_source = copy(trace->runtime, info->short_src, strlen(info->short_src));
  trace->sources[trace->count] = info->source;
  for (int32_t i = 0; i < trace->count; i++) {
    if (trace->sources[i] != info->source) continue;
    frame->source = trace->frames[i].source;
    frame->source_length = trace->frames[i].source_length;
    return;
  }
  frame->source = "";
  if (info->srclen > LULL_MAX_SOURCE) return;
  frame->source = copy(trace->runtime, info->source, info->srclen);
  frame->source_length = frame->source[0] ? info->srclen : 0;
}

// [-0, +0] Adds a frame for the function that `info` was filled for.
static void add_frame(tracing *trace, lua_State *target, lua_Debug *info) {
  LULL_EFFECT(target, 0, 0);
  lua_State *L = trace->L;
  lull_runtime *runtime = trace->runtime;
  lull_trace_frame *frame = &trace->frames[trace->count];
  *frame = (lull_trace_frame){.name = "", .name_kind = ""};
  lua_getinfo(target, "Slnt", info);
  // Pushed where there is room and memory errors are caught.
  lua_getinfo(L, "f", info);
  frame->kind = *info->what == 'C' ? LULL_FRAME_C : LULL_FRAME_LUA;
  if (frame->kind == LULL_FRAME_C && is_host_function(trace)) frame->kind = LULL_FRAME_HOST;
  if (strcmp(info->source, LULL_LIST_CHUNK) == 0 || strcmp(info->source, LULL_TEST_CHUNK) == 0
      || strcmp(info->source, LULL_MOCK_CHUNK) == 0) {
    frame->kind = LULL_FRAME_HOST;
  }
  frame->line = info->currentline > 0 ? info->currentline : 0;
  frame->is_tail_call = info->istailcall;
  if (info->name) frame->name = copy(runtime, info->name, strlen(info->name));
  if (info->namewhat) frame->name_kind = copy(runtime, info->namewhat, strlen(info->namewhat));
  push_title(L, info);
  size_t length;
  const char *title = lua_tolstring(L, -1, &length);
  frame->title = copy(runtime, title, length);
  lua_pop(L, 2);
  set_source(trace, frame, info);
  trace->count++;
}

// [-0, +0] Returns the depth of the stack. Each check takes time proportional to the level, so
// only a few are made.
static int level_count(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_Debug info;
  int known = 0, beyond = 1;
  while (lua_getstack(L, beyond - 1, &info)) {
    known = beyond;
    beyond *= 2;
  }
  while (beyond - known > 1) {
    int middle = known + (beyond - known) / 2;
    if (lua_getstack(L, middle - 1, &info)) {
      known = middle;
    } else {
      beyond = middle;
    }
  }
  return known;
}

// [-0, +0] Adds the frames of `target` from `level` on, except for the outermost `rest` levels.
static void add_stack(tracing *trace, lua_State *target, int level, int rest) {
  LULL_EFFECT(target, 0, 0);
  int count = level_count(target) - rest;
  int skip_from = level + LULL_FIRST_LEVELS;
  int skip_to = count - LULL_LAST_LEVELS;
  lua_Debug info;
  for (; level < count && trace->count < LULL_MAX_FRAMES; level++) {
    if (level == skip_from && skip_to > skip_from) {
      trace->frames[trace->count++] = (lull_trace_frame){
        .kind = LULL_FRAME_SKIPPED, .line = skip_to - skip_from, .source = "",
        .short_source = "", .title = "", .name = "", .name_kind = ""};
      level = skip_to - 1;
      continue;
    }
    if (lua_getstack(target, level, &info)) add_frame(trace, target, &info);
  }
}

// [-0, +0] Adds the stacks of a Lull coroutine, or of the main state, and of the coroutines
// created by the script that run inside it.
static void add_stacks(
  tracing *trace, lua_State *L, int level, const lull_nesting *nesting, int32_t thread) {
  LULL_EFFECT(L, 0, 0);
  lull_runtime *runtime = trace->runtime;
  add_stack(trace, L, level, 0);
  for (; nesting != NULL; nesting = nesting->outer) {
    lua_State *own = thread ? lull_thread_at(runtime, thread) : runtime->main;
    lua_State *enclosing = nesting->outer ? nesting->outer->L : own;
    if (enclosing != NULL) add_stack(trace, enclosing, 0, 0);
  }
}

// [-0, +0]
void lull_trace(
  lull_runtime *runtime, lua_State *L, lua_State *target, int level, lull_failure *failure) {
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 12)) return;
  tracing trace = {.runtime = runtime, .L = L};
  trace.frames = lull_arena_allocate(runtime, LULL_MAX_FRAMES * sizeof(lull_trace_frame));
  if (trace.frames == NULL) return;
  runtime->trace_count++;
  failure->frames = trace.frames;
  lull_caller now = {
    .L = L, .nesting = runtime->nesting, .thread = runtime->current_thread,
    .outer = runtime->callers};
  const lull_caller *caller = &now;
  if (target != L) {
    add_stack(&trace, target, level, 0);
    level = 0;
  }
  // The coroutines that resumed this one, innermost first. A main state that runs the loop did not
  // call the code that the loop calls.
  for (; caller != NULL; caller = caller->outer, level = 0) {
    if (caller->thread == 0 && runtime->blocked != NULL) {
      if (caller == &now && target == L && L == runtime->blocked) {
        add_stack(&trace, L, level, runtime->blocked_levels);
      }
      break;
    }
    add_stacks(&trace, caller->L, level, caller->nesting, caller->thread);
  }
  failure->frame_count = trace.count;
}

int64_t lull_trace_count(lull_runtime *runtime) { return runtime->trace_count; }

void lull_runtime_set_blocking(lull_runtime *runtime, int32_t is_blocking) {
  runtime->blocked = is_blocking ? runtime->L : NULL;
  runtime->blocked_levels = is_blocking ? level_count(runtime->L) : 0;
}

// [-0, +0]
int32_t lull_is_protected(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_Debug info;
  for (int level = 0; lua_getstack(L, level, &info); level++) {
    if (!lua_getinfo(L, "Sn", &info) || *info.what != 'C' || info.name == NULL) continue;
    if (strcmp(info.name, "pcall") == 0 || strcmp(info.name, "xpcall") == 0) return 1;
  }
  return 0;
}

typedef struct defining {
  lull_runtime *runtime;
  int64_t id;
  const char *method;
  lull_trace_frame *frame;
  int found;
} defining;

// [-1, +0] Fills the frame.
static int find_definition(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  defining *context = lua_touserdata(L, 1);
  lull_values_push(context->runtime, L, context->id);
  if (context->method && lua_istable(L, -1)) lua_getfield(L, -1, context->method);
  lua_Debug info;
  // ">S" pops the function.
  if (!lua_isfunction(L, -1) || !lua_getinfo(L, ">S", &info) || info.linedefined <= 0) return 0;
  tracing trace = {.runtime = context->runtime, .L = L, .frames = context->frame};
  context->frame->kind = LULL_FRAME_LUA;
  context->frame->line = info.linedefined;
  set_source(&trace, context->frame, &info);
  context->found = 1;
  return 0;
}

int32_t lull_value_frame(
  lull_runtime *runtime, int64_t id, const char *method, lull_trace_frame *frame) {
  *frame = (lull_trace_frame){.name = "", .name_kind = "", .title = ""};
  defining context = {.runtime = runtime, .id = id, .method = method, .frame = frame};
  return lull_protect(runtime, find_definition, &context) != LUA_OK || !context.found;
}

typedef struct inspecting {
  lull_runtime *runtime;
  int64_t id;
  char *text;
  size_t size;
} inspecting;

// [-1, +0]
static int inspect_kept(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  inspecting *context = lua_touserdata(L, 1);
  lua_pushcfunction(L, lull_inspect);
  lull_values_push(context->runtime, L, context->id);
  lua_createtable(L, 0, 1);
  lua_pushinteger(L, 3);
  lua_setfield(L, -2, "depth");
  lua_call(L, 2, 1);
  size_t length;
  const char *text = luaL_tolstring(L, -1, &length);
  if (length > context->size - 1) length = context->size - 1;
  memcpy(context->text, text, length);
  context->text[length] = 0;
  return 0;
}

int32_t lull_value_inspect(lull_runtime *runtime, int64_t id, char *text, size_t size) {
  inspecting context = {.runtime = runtime, .id = id, .text = text, .size = size};
  // A __tostring of the script may run. It can be interrupted like any other code, and must not
  // wait.
  const char *previous_answer = runtime->answer_now;
  runtime->answer_now = "__tostring";
  runtime->depth++;
  int status = lull_protect(runtime, inspect_kept, &context);
  runtime->depth--;
  runtime->answer_now = previous_answer;
  if (runtime->depth == 0) lull_interrupt_rest(runtime, runtime->L);
  return status != LUA_OK;
}
