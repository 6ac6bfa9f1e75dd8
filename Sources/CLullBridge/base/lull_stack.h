// What a function does to a stack: stated above it, and proved in debug builds wherever it returns.
//
//   [-pops, +pushes]            LULL_EFFECT(L, pops, pushes)
//   [-pops, +pushes or +other]  LULL_EFFECT_EITHER(L, pops, pushes, other)
//
// at the beginning of a function, of one that Lua calls with its arguments alone on its stack
//
//   [-arguments, +results]            LULL_CALLED(L, arguments, results)
//   [-arguments, +results or +other]  LULL_CALLED_EITHER(L, arguments, results, other)
//
// A letter in the comment is a number that only the call knows, the macro's expression for it: LULL_N for
// arguments that are the caller's to choose, LULL_M for what LULL_COUNT says, which is nothing unless it
// says more. L is the name of a variable, and the state is alive at the end. Who leaves by an error or by
// a yield is not asked. Scripts/check holds comments and macros against each other; what cannot be proved
// says why, as in "[-n, +0] (unproved: …)".
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
  int count;   // what LULL_COUNT said, or LULL_N
} lull_stack_guard;

// Aborts if there are fewer values than the function is to pop, or not just its arguments.
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
// The number, which is that of the values that the function pushes, or of its results.
#define LULL_COUNT(L, number) (lull_guard_of_##L.count = (number))

#else

#define LULL_EFFECT_EITHER(L, pops, pushes, other) ((void)(L))
#define LULL_CALLED_EITHER(L, arguments, results, other) ((void)(L))
#define LULL_COUNT(L, number) (number)

#endif

#define LULL_EFFECT(L, pops, pushes) LULL_EFFECT_EITHER(L, pops, pushes, pushes)
#define LULL_CALLED(L, arguments, results) LULL_CALLED_EITHER(L, arguments, results, results)

#endif
