// The effect of a function on a stack: stated in the comment above it, and proved in debug builds
// wherever it returns.
//
//   [-pops, +pushes]            LULL_EFFECT(L, pops, pushes)
//   [-pops, +pushes or +other]  LULL_EFFECT_EITHER(L, pops, pushes, other)
//
// at the beginning of a function; and for a function that Lua calls with only its arguments on the
// stack
//
//   [-arguments, +results]            LULL_CALLED(L, arguments, results)
//   [-arguments, +results or +other]  LULL_CALLED_EITHER(L, arguments, results, other)
//
// A letter in the comment is a number known only at run time, given by the macro's expression:
// LULL_N for a number of arguments chosen by the caller, LULL_M for the number passed to
// LULL_COUNT, which is 0 by default. L is the name of a variable, and the state must still be open
// at the end. Leaving by an error or by a yield is not checked. Scripts/check compares comments
// and macros. An effect that can't be proved states the reason, as in "[-n, +0] (unproved: …)".
#ifndef LULL_STACK_H
#define LULL_STACK_H

#include "base/lull_base.h"

enum { LULL_N = -1, LULL_M = -2 };

#ifdef LULL_PROVES_STACK_EFFECTS

typedef struct lull_stack_guard {
  lua_State *L;
  const char *function;
  int top;     // at the beginning
  int pops;
  int pushes;  // or LULL_M
  int other;   // or LULL_M
  int count;   // the number passed to LULL_COUNT, or LULL_N
} lull_stack_guard;

// Aborts if there are fewer values than the function pops, or other values than its arguments.
lull_stack_guard lull_stack_enter(
  lua_State *L, const char *function, int pops, int pushes, int other);
lull_stack_guard lull_stack_enter_called(
  lua_State *L, const char *function, int arguments, int results, int other);
// Abort if the stack is not as stated.
void lull_stack_leave(const lull_stack_guard *guard);
void lull_stack_leave_called(const lull_stack_guard *guard);

#define LULL_EFFECT_EITHER(L, pops, pushes, other) \
  lull_stack_guard lull_guard_of_##L __attribute__((cleanup(lull_stack_leave))) = \
    lull_stack_enter(L, __func__, pops, pushes, other)
#define LULL_CALLED_EITHER(L, arguments, results, other) \
  lull_stack_guard lull_guard_of_##L __attribute__((cleanup(lull_stack_leave_called))) = \
    lull_stack_enter_called(L, __func__, arguments, results, other)
// The number of values that the function pushes, or of its results.
#define LULL_COUNT(L, number) (lull_guard_of_##L.count = (number))

#else

#define LULL_EFFECT_EITHER(L, pops, pushes, other) ((void)(L))
#define LULL_CALLED_EITHER(L, arguments, results, other) ((void)(L))
#define LULL_COUNT(L, number) (number)

#endif

#define LULL_EFFECT(L, pops, pushes) LULL_EFFECT_EITHER(L, pops, pushes, pushes)
#define LULL_CALLED(L, arguments, results) LULL_CALLED_EITHER(L, arguments, results, results)

#endif
