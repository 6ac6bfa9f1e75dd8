// When a limit is exceeded for the first time, the running code is interrupted, the loop woken,
// and the watchdog started.
#define _GNU_SOURCE
#include "ending/lull_limit.h"

#include <lull_ledger.h>
#include <time.h>

#include "ending/lull_alarm.h"
#include "ending/lull_interrupt.h"
#include "ending/lull_memory.h"
#include "ending/lull_signal.h"
#include "ending/lull_watchdog.h"

// The additional memory for the report after the memory limit was exceeded.
enum { LULL_REPORT_RESERVE = 4 * 1024 * 1024 };

// Safe in a signal handler and in the allocator.
void lull_limit_pass(lull_runtime *runtime, int32_t limit) {
  if (runtime->passed_limit != LULL_LIMIT_NONE) return;
  runtime->passed_limit = limit;
  if (limit == LULL_LIMIT_MEMORY) lull_ledger_reserve(LULL_REPORT_RESERVE);
  if (lull_runtime_runs(runtime)) lull_interrupt_arm(runtime->L);
  lull_signals_wake();
  lull_watchdog_expect_end(LULL_EXIT_SCRIPT_ERROR, limit);
}

int32_t lull_limit_passed(const lull_runtime *runtime) { return runtime->passed_limit; }

// The outermost call of script code begins: a limit that the last stretch exceeded no longer
// counts.
void lull_stretch_begin(lull_runtime *runtime) {
  const lull_stretch *left = runtime->continued;
  int64_t instructions = left ? left->instructions : runtime->stretch_instructions;
  int64_t time = left ? left->nanoseconds : runtime->stretch_time;
  // Garbage is collected first, because finalisers that call Lull have their own stretches, whose
  // end is not this one's.
  int is_over = runtime->passed_limit == LULL_LIMIT_MEMORY && !lull_memory_recover(runtime);
  runtime->instructions_left = runtime->stretch_instructions > 0 ? instructions : INT64_MAX;
  runtime->stretch_end = runtime->stretch_time > 0 ? lull_stretch_clock() + time : 0;
  if (is_over) return;
  if (runtime->passed_limit != LULL_LIMIT_NONE) {
    runtime->passed_limit = LULL_LIMIT_NONE;
    lull_interrupt_clear(runtime);
  }
  // A continued stretch with nothing left ends immediately, even if its code catches errors.
  if (left && runtime->stretch_time > 0 && time <= 0) {
    runtime->passed_limit = LULL_LIMIT_TIME;
  } else if (left && runtime->stretch_instructions > 0 && instructions <= 0) {
    runtime->passed_limit = LULL_LIMIT_INSTRUCTIONS;
  }
  if (runtime->stretch_alarm > 0) lull_alarm_set(LULL_ALARM_LINE, runtime->stretch_alarm);
}

lull_stretch lull_stretch_left(const lull_runtime *runtime) {
  int64_t end = runtime->stretch_end;
  return (lull_stretch){
    .nanoseconds = end != 0 ? end - lull_stretch_clock() : INT64_MAX,
    .instructions = runtime->instructions_left};
}

void lull_stretch_continue(lull_runtime *runtime, const lull_stretch *left) {
  runtime->continued = left;
}

int64_t lull_stretch_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// The outermost call of script code has ended, or waits.
void lull_stretch_end(lull_runtime *runtime) {
  if (runtime->stretch_alarm <= 0) return;
  lull_alarm_set(LULL_ALARM_LINE, 0);
  // Code that was interrupted by a limit has ended; a signal may still be pending.
  if (runtime->passed_limit != LULL_LIMIT_NONE && lull_signals_pending() == 0) lull_watchdog_relax();
}
