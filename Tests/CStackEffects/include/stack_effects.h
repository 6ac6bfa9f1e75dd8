// Functions that do to a stack what they state, and functions that do not, for the tests of the bridge's
// guards.
#ifndef STACK_EFFECTS_H
#define STACK_EFFECTS_H

#include <stdint.h>

enum {
  STACK_EFFECTS_PUSHES_TOO_MANY,
  STACK_EFFECTS_POPS_TOO_FEW,
  STACK_EFFECTS_FINDS_TOO_FEW,
  STACK_EFFECTS_NEITHER_OF_TWO,
  STACK_EFFECTS_COUNTS_WRONG,
  STACK_EFFECTS_COUNTS_NOTHING,
  STACK_EFFECTS_WRONG_ARGUMENTS,
  STACK_EFFECTS_TOO_FEW_RESULTS,
  STACK_EFFECTS_WRONG_RESULTS,
  STACK_EFFECTS_SECOND_STATE,
  STACK_EFFECTS_COUNT
};

// Runs the function that breaks its word in that way.
void stack_effects_break(int32_t way);
// Runs functions that keep theirs, by returning, raising, yielding and going on: how many.
int32_t stack_effects_keep(void);

#endif
