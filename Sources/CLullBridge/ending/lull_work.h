// The work of C functions that run for as long as a script's values make them: it counts as
// instructions, and a limit or a signal that comes meanwhile ends it.
#ifndef LULL_WORK_H
#define LULL_WORK_H

#include "runtime/lull_runtime.h"

// One for each call of such a function, on its C stack.
typedef struct lull_work {
  lua_State *L;
  int64_t steps;  // not settled yet
} lull_work;

// How many steps may be done before the limits are compared, and how few are not counted at the end.
enum { LULL_WORK_STEPS = 1000, LULL_WORK_NOTHING = 32 };

// Raises if a limit has been passed or a signal has come
void lull_work_settle(lull_work *work);

// As above, once enough steps have been done
static inline void lull_work_add(lull_work *work, int64_t steps) {
  work->steps += steps;
  if (work->steps >= LULL_WORK_STEPS) lull_work_settle(work);
}

// The same for bytes that are copied or compared
static inline void lull_work_add_bytes(lull_work *work, size_t bytes) {
  lull_work_add(work, 1 + (int64_t)(bytes / 64));
}

// Settles what is left
static inline void lull_work_end(lull_work *work) {
  if (work->steps >= LULL_WORK_NOTHING) lull_work_settle(work);
}

#endif
