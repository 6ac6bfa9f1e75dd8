// The work of C functions whose running time depends on a script's values: it counts as
// instructions, and a limit or a signal ends it.
#ifndef LULL_WORK_H
#define LULL_WORK_H

#include "runtime/lull_runtime.h"

// One for each call of such a function, on its C stack.
typedef struct lull_work {
  lua_State *L;
  int64_t steps;  // not settled yet
} lull_work;

// The number of steps after which the limits are checked, and the largest number that is not
// counted at the end.
enum { LULL_WORK_STEPS = 1000, LULL_WORK_NOTHING = 32 };

// Raises an error if a limit was exceeded or a signal was received.
void lull_work_settle(lull_work *work);

// Adds steps, and settles once there are enough.
static inline void lull_work_add(lull_work *work, int64_t steps) {
  work->steps += steps;
  if (work->steps >= LULL_WORK_STEPS) lull_work_settle(work);
}

// Adds the work for bytes that are copied or compared.
static inline void lull_work_add_bytes(lull_work *work, size_t bytes) {
  lull_work_add(work, 1 + (int64_t)(bytes / 64));
}

// Settles the remaining steps.
static inline void lull_work_end(lull_work *work) {
  if (work->steps >= LULL_WORK_NOTHING) lull_work_settle(work);
}

#endif
