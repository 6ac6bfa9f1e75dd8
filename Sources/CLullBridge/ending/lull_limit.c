// A limit is passed once: what runs is interrupted, the loop woken, and the watchdog told.
#include "ending/lull_limit.h"

#include <lull_ledger.h>

#include "ending/lull_alarm.h"
#include "ending/lull_interrupt.h"
#include "ending/lull_memory.h"
#include "ending/lull_signal.h"
#include "ending/lull_watchdog.h"

// What there may be beyond the limit of memory once it has been passed, to say so.
enum { LULL_REPORT_RESERVE = 4 * 1024 * 1024 };

// Safe in a signal handler and in the allocator
void lull_limit_pass(lull_runtime *runtime, int32_t limit) {
  if (runtime->passed_limit != LULL_LIMIT_NONE) return;
  runtime->passed_limit = limit;
  if (limit == LULL_LIMIT_MEMORY) lull_ledger_reserve(LULL_REPORT_RESERVE);
  if (lull_runtime_runs(runtime)) lull_interrupt_arm(runtime->L);
  lull_signals_wake();
  lull_watchdog_expect_end(LULL_EXIT_SCRIPT_ERROR, limit);
}

int32_t lull_limit_passed(const lull_runtime *runtime) { return runtime->passed_limit; }

// The outermost call of the script's code begins: what the last stretch has passed counts no more.
void lull_stretch_begin(lull_runtime *runtime) {
  runtime->instructions_left =
    runtime->stretch_instructions > 0 ? runtime->stretch_instructions : INT64_MAX;
  runtime->stretch_end = runtime->stretch_time > 0 ? lull_stretch_clock() + runtime->stretch_time : 0;
  int passed = runtime->passed_limit;
  if (passed == LULL_LIMIT_MEMORY && !lull_memory_recover(runtime)) return;
  if (passed != LULL_LIMIT_NONE) {
    runtime->passed_limit = LULL_LIMIT_NONE;
    lull_interrupt_clear(runtime);
  }
  if (runtime->stretch_alarm > 0) lull_alarm_set(LULL_ALARM_LINE, runtime->stretch_alarm);
}

// That call has ended, or waits.
void lull_stretch_end(lull_runtime *runtime) {
  if (runtime->stretch_alarm <= 0) return;
  lull_alarm_set(LULL_ALARM_LINE, 0);
  // What was told to end has; what a signal has told to has not yet.
  if (runtime->passed_limit != LULL_LIMIT_NONE && lull_signals_pending() == 0) lull_watchdog_relax();
}
