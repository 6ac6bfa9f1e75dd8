// Counting the work of C functions.
#include "ending/lull_work.h"

#include "base/lull_stack.h"
#include "ending/lull_interrupt.h"

// [-0, +0] Raises an error if a limit was exceeded or a signal was received.
void lull_work_settle(lull_work *work) {
  lua_State *L = work->L;
  LULL_EFFECT(L, 0, 0);
  int64_t steps = work->steps;
  work->steps = 0;
  lull_interrupt_count(L, steps);
}
