#include "base/lull_stack.h"

#ifdef LULL_PROVES_STACK_EFFECTS

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LULL_NUMBER_TEXT = 16 };

// Formats a number as in the comments.
static const char *number_text(int number, char text[LULL_NUMBER_TEXT]) {
  if (number == LULL_N) return "n";
  if (number == LULL_M) return "m";
  snprintf(text, LULL_NUMBER_TEXT, "%d", number);
  return text;
}

__attribute__((format(printf, 2, 3))) static void fail(
  const lull_stack_guard *guard, const char *found, ...) {
  char pops[LULL_NUMBER_TEXT], pushes[LULL_NUMBER_TEXT], other[LULL_NUMBER_TEXT];
  fprintf(
    stderr, "lull: stack effect of %s: stated [-%s, +%s", guard->function,
    number_text(guard->pops, pops), number_text(guard->pushes, pushes));
  if (guard->other != guard->pushes) {
    fprintf(stderr, " or +%s", number_text(guard->other, other));
  }
  fprintf(stderr, "], found ");
  va_list arguments;
  va_start(arguments, found);
  vfprintf(stderr, found, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
  abort();
}

// [-0, +0] (unproved: part of every proof)
lull_stack_guard lull_stack_enter(
  lua_State *L, const char *function, int pops, int pushes, int other) {
  lull_stack_guard guard = {
    .L = L, .function = function, .top = lua_gettop(L), .pops = pops, .pushes = pushes,
    .other = other, .count = LULL_N};
  if (guard.top < pops) fail(&guard, "a stack of only %d", guard.top);
  return guard;
}

// [-0, +0] (unproved: part of every proof)
lull_stack_guard lull_stack_enter_called(
  lua_State *L, const char *function, int arguments, int results, int other) {
  lull_stack_guard guard = {
    .L = L, .function = function, .top = lua_gettop(L), .pops = arguments, .pushes = results,
    .other = other, .count = LULL_N};
  if (arguments != LULL_N && arguments != guard.top) fail(&guard, "%d arguments", guard.top);
  return guard;
}

// Returns whether the comment allows that number.
static int is_stated(const lull_stack_guard *guard, int count) {
  return count == guard->pushes || count == guard->other || guard->pushes == LULL_M;
}

// [-0, +0] (unproved: part of every proof)
void lull_stack_leave(const lull_stack_guard *guard) {
  int pushed = lua_gettop(guard->L) - (guard->top - guard->pops);
  if (guard->pushes == LULL_M) {
    int count = guard->count == LULL_N ? 0 : guard->count;
    if (pushed != count) fail(guard, "%+d, not %+d", pushed, count);
  } else if (!is_stated(guard, pushed)) {
    fail(guard, "%+d", pushed);
  }
}

// [-0, +0] (unproved: part of every proof)
void lull_stack_leave_called(const lull_stack_guard *guard) {
  int top = lua_gettop(guard->L);
  int count = guard->count;
  if (count != LULL_N && !is_stated(guard, count)) fail(guard, "%d results", count);
  // A literal number of results is compared by Scripts/check; here there must be at least as many.
  if (count == LULL_N) {
    int least = guard->other < guard->pushes ? guard->other : guard->pushes;
    count = guard->pushes == LULL_M ? 0 : least;
  }
  if (top < count) fail(guard, "a stack of only %d", top);
}

#endif
