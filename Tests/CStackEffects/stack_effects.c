#include "stack_effects.h"

#include "base/lull_stack.h"

// [-0, +1]
static void push_two(lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  lua_pushnil(L);
  lua_pushnil(L);
}

// [-2, +1]
static void pop_one(lua_State *L) {
  LULL_EFFECT(L, 2, 1);
  lua_pop(L, 1);
  lua_pushnil(L);
}

// [-3, +0]
static void pop_three(lua_State *L) {
  LULL_EFFECT(L, 3, 0);
  lua_pop(L, 3);
}

// [-1, +2 or +0]
static void push_one_of_two(lua_State *L) {
  LULL_EFFECT_EITHER(L, 1, 2, 0);
  (void)L;
}

// [-0, +m]
static int count_wrong(lua_State *L) {
  LULL_EFFECT(L, 0, LULL_M);
  lua_pushnil(L);
  lua_pushnil(L);
  return LULL_COUNT(L, 3);
}

// [-0, +m]
static void count_nothing(lua_State *L) {
  LULL_EFFECT(L, 0, LULL_M);
  lua_pushnil(L);
}

// [-1, +0]
static int take_one(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  return 0;
}

// [-n, +2]
static int give_what_is_not_there(lua_State *L) {
  LULL_CALLED(L, LULL_N, 2);
  lua_settop(L, 1);
  return 2;
}

// [-n, +2 or +1]
static int give_none(lua_State *L) {
  LULL_CALLED_EITHER(L, LULL_N, 2, 1);
  return LULL_COUNT(L, 0);
}

// [-0, +0] of `from`, which it leaves with one value less
static void move(lua_State *from, lua_State *to) {
  LULL_EFFECT(from, 0, 0);
  lua_xmove(from, to, 1);
}

void stack_effects_break(int32_t way) {
  lua_State *L = luaL_newstate();
  lua_pushnil(L);
  lua_pushnil(L);
  switch (way) {
    case STACK_EFFECTS_PUSHES_TOO_MANY: push_two(L); break;
    case STACK_EFFECTS_POPS_TOO_FEW: pop_one(L); break;
    case STACK_EFFECTS_FINDS_TOO_FEW: pop_three(L); break;
    case STACK_EFFECTS_NEITHER_OF_TWO: push_one_of_two(L); break;
    case STACK_EFFECTS_COUNTS_WRONG: count_wrong(L); break;
    case STACK_EFFECTS_COUNTS_NOTHING: count_nothing(L); break;
    case STACK_EFFECTS_SECOND_STATE: move(L, lua_newthread(L)); break;
    case STACK_EFFECTS_WRONG_ARGUMENTS:
      lua_pushcfunction(L, take_one);
      lua_pcall(L, 0, 0, 0);
      break;
    case STACK_EFFECTS_TOO_FEW_RESULTS:
      lua_pushcfunction(L, give_what_is_not_there);
      lua_pcall(L, 0, 0, 0);
      break;
    case STACK_EFFECTS_WRONG_RESULTS:
      lua_pushcfunction(L, give_none);
      lua_pcall(L, 0, 0, 0);
      break;
    default: break;
  }
  lua_close(L);
}

// [-1, +2]
static void replace_by_two(lua_State *L) {
  LULL_EFFECT(L, 1, 2);
  lua_pop(L, 1);
  lua_pushnil(L);
  lua_pushnil(L);
}

// [-0, +m]
static int push_some(lua_State *L, int count) {
  LULL_EFFECT(L, 0, LULL_M);
  for (int i = 0; i < count; i++) lua_pushinteger(L, i);
  return LULL_COUNT(L, count);
}

// [-0, +1] raises, with more on the stack than it states
static void push_and_raise(lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  push_some(L, 5);
  luaL_error(L, "left by an error");
}

// [-0, +0]
static int raise(lua_State *L) {
  LULL_CALLED(L, 0, 0);
  push_and_raise(L);
  return 0;
}

// [-n, +1]
static int go_on(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  LULL_CALLED(L, LULL_N, 1);
  push_some(L, 1);
  return 1;
}

// [-0, +1] yields, with more on the stack than it states
static int yield(lua_State *L) {
  LULL_CALLED(L, 0, 1);
  push_some(L, 4);
  return lua_yieldk(L, 2, 0, go_on);
}

// [-0, +0] of `L`: goes on with another state, whose stack changes meanwhile
static int resume(lua_State *L, lua_State *thread, int *results) {
  LULL_EFFECT(L, 0, 0);
  return lua_resume(thread, L, 0, results);
}

int32_t stack_effects_keep(void) {
  lua_State *L = luaL_newstate();
  int32_t kept = 0;
  lua_pushnil(L);
  replace_by_two(L);
  kept += lua_gettop(L) == 2;
  kept += push_some(L, 3) == 3 && push_some(L, 0) == 0 && lua_gettop(L) == 5;
  lua_pushcfunction(L, raise);
  kept += lua_pcall(L, 0, 0, 0) == LUA_ERRRUN && lua_gettop(L) == 6;
  lua_pop(L, 1);
  lua_State *thread = lua_newthread(L);
  lua_pushcfunction(thread, yield);
  int results = 0;
  kept += resume(L, thread, &results) == LUA_YIELD && results == 2;
  lua_pop(thread, results);
  kept += resume(L, thread, &results) == LUA_OK && results == 1;
  lua_close(L);
  return kept;
}
