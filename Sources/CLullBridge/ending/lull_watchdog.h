// A timer whose signal ends code that does not end otherwise. Only the command has one.
#ifndef LULL_WATCHDOG_H
#define LULL_WATCHDOG_H

#include "runtime/lull_runtime.h"

// The exit code of a failed script, which includes one that exceeds a limit.
enum { LULL_EXIT_SCRIPT_ERROR = 1 };

int lull_watchdog_start(void);
void lull_watchdog_stop(void);
int lull_watchdog_limit_time(double seconds);
void lull_watchdog_say(int32_t limit, const char *text);
void lull_watchdog_expect_end(int32_t code, int32_t limit);
void lull_watchdog_relax(void);
int lull_watchdog_runs(void);
void lull_watchdog_end_memory(void);

#endif
